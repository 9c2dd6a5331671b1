//! Packets that go on to another interface: the reflector device, and pfring_send_last_rx_packet.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::Handle;
use super::obstacles::Obstacle;
use super::options::Mode;
use super::rx::Rx;
use crate::abi;
use crate::backend::{Frame, RxBackend};
use crate::error::{Error, Result};

/// Where received packets go on to.
#[derive(Default)]
pub(super) struct Forward {
    /// A ring that only sends, set once.
    reflector: OnceLock<Box<Handle>>,
}

/// The packet that was received last, valid until it is given back.
#[derive(Clone, Copy)]
pub(super) struct LastPacket {
    data: NonNull<u8>,
    caplen: u32,
    len: u32,
    ifindex: i32,
}

// SAFETY: memory of the ring that belongs to the receive half, like the run; nothing in it is tied to a
// thread.
unsafe impl Send for LastPacket {}

impl Handle {
    /// pfring_set_reflector_device: sends by this device, too, whatever is received from now on.
    ///
    /// # Errors
    ///
    /// `TooLate` when one is set already, and as [`open`](Self::open).
    pub fn set_reflector(&self, device: &CStr) -> Result<()> {
        const SET_ALREADY: Error = Error::TooLate("the reflector device is set already");
        if self.forward.reflector.get().is_some() {
            return Err(SET_ALREADY);
        }
        let reflector = Self::open(device, self.options.snaplen, abi::PF_RING_PROMISC)?;
        reflector.set_mode(Mode::SendOnly)?;
        reflector.enable()?;
        self.forward
            .reflector
            .set(reflector)
            .map_err(|_| SET_ALREADY)?;
        self.obstacles.set(Obstacle::Forward, true);
        Ok(())
    }

    /// The flag PF_RING_RX_PACKET_BOUNCE: the last packet may be asked for.
    pub(super) fn keeps_last(&self) -> bool {
        self.options.flags & abi::PF_RING_RX_PACKET_BOUNCE != 0
    }

    /// Called for each packet that is received while there is an [`Obstacle::Forward`].
    #[cold]
    pub(super) fn on_forwarded(&self, rx: &mut Rx, frame: &Frame) {
        if self.keeps_last() {
            rx.last = Some(LastPacket {
                data: frame.data,
                caplen: frame.caplen,
                len: frame.len,
                ifindex: frame.ifindex,
            });
        }
        if let Some(reflector) = self.forward.reflector.get() {
            // SAFETY: the frame was taken under the receive half, and nothing was released since.
            let bytes =
                unsafe { std::slice::from_raw_parts(frame.data.as_ptr(), frame.caplen as usize) };
            // The receiver cannot be told, and goes on (design of the original).
            let _ = reflector.send(bytes, false);
        }
    }

    /// pfring_send_last_rx_packet: sends the packet that was received last by another interface, at once.
    /// One that was received by the same interface, and an interface that does not exist, are left alone.
    ///
    /// # Errors
    ///
    /// `WrongConfiguration` without PF_RING_RX_PACKET_BOUNCE, `NotSupported` on a reentrant ring, on one
    /// with short headers and for a file, `NoPacket` before the first packet and when the last one was
    /// given back, `MessageTooLong` for a packet that was cut, and as [`send`](Self::send).
    pub fn send_last(&self, ifindex: i32) -> Result<()> {
        if !self.keeps_last() {
            return Err(Error::WrongConfiguration("PF_RING_RX_PACKET_BOUNCE"));
        }
        if self.options.reentrant || !self.options.long_header {
            return Err(Error::NotSupported(
                "sending the last packet of a ring that is shared or has short headers",
            ));
        }
        let Some(tx) = self.tx.get() else {
            return Err(Error::NotSupported("sending without an interface"));
        };
        self.rx.with(|rx| {
            let last = rx.last.ok_or(Error::NoPacket)?;
            if last.caplen < last.len {
                return Err(Error::MessageTooLong);
            }
            if ifindex == last.ifindex {
                return Ok(());
            }
            // SAFETY: the packet is held: `last` is cleared before it is given back.
            let bytes =
                unsafe { std::slice::from_raw_parts(last.data.as_ptr(), last.caplen as usize) };
            match tx.send_by(bytes, ifindex) {
                Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::ENXIO) => Ok(()),
                other => other.map(|_| ()),
            }
        })
    }
}

impl Rx {
    /// Gives back what is lent.
    pub(super) fn release(&mut self) {
        self.last = None;
        if let Some(backend) = self.backend() {
            backend.release();
        }
    }
}
