//! The packet that comes next, seen before it is received: for pfring_next_pkt_time.
//!
//! Where every packet is wanted the backend tells the time of its next one. Where the library has to look at
//! packets, it takes them up to the first that is wanted and keeps a copy of that one, so that the packet which
//! the program holds can be given back as always.

use std::ptr::NonNull;

use super::obstacles::Obstacle;
use super::receive::REJECTS_PER_LOOK;
use super::{Handle, Rx};
use crate::backend::{AnyFrame, Frame, RxBackend};
use crate::error::{Error, Result};

/// A packet that was taken and not received yet.
#[derive(Default)]
pub(super) struct Ahead {
    frame: Option<Frame>,
    /// Bytes of this packet and of the one before, which the program may still hold.
    copies: [Vec<u8>; 2],
    /// Which of them is to be used next.
    next: usize,
}

// SAFETY: the frame leads into a copy that is owned here; nothing in it is tied to a thread.
unsafe impl Send for Ahead {}

impl Ahead {
    /// How many packets: 0 or 1.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.frame.is_some().into()
    }

    /// Keeps a copy of a frame.
    fn keep(&mut self, frame: &Frame, bytes: &[u8]) {
        let copy = &mut self.copies[self.next];
        self.next ^= 1;
        copy.clear();
        copy.extend_from_slice(bytes);
        // The program may write to the packet. The copy stays where it is until the one after the next.
        let data = NonNull::from(copy.as_mut_slice()).cast();
        self.frame = Some(Frame { data, ..*frame });
    }
}

impl Handle {
    /// The stamp of the next packet, in nanoseconds since 1970. Gives nothing back that the program holds, unless
    /// packets were rejected and none was left: then its bytes stay until the ring comes round.
    ///
    /// # Errors
    ///
    /// `NotEnabled`, `NoPacket`.
    pub fn next_packet_time(&self) -> Result<u64> {
        if !self.is_enabled() {
            return Err(Error::NotEnabled);
        }
        self.rx.with(|rx| {
            if rx.ahead.frame.is_none() {
                if self.obstacles.wants_all() && !self.source.is_file() {
                    let backend = rx.backend();
                    let time = backend.and_then(|backend| backend.next_time());
                    return time.ok_or(Error::NoPacket);
                }
                self.look_ahead(rx)?;
            }
            let frame = rx.ahead.frame.as_ref().ok_or(Error::NoPacket)?;
            Ok(frame.stamp.to_ns())
        })
    }

    /// Takes frames up to the first that is wanted, and keeps that one.
    #[cold]
    fn look_ahead(&self, rx: &mut Rx) -> Result<()> {
        for rejected in 0..REJECTS_PER_LOOK {
            let Some(backend) = rx.backend() else {
                return Ok(());
            };
            let frame = match backend.next() {
                Ok(Some(frame)) => frame,
                Ok(None) | Err(Error::EndOfFile) => {
                    // Nobody comes for what was rejected.
                    if rejected > 0 {
                        rx.release();
                    }
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let Some(frame) = self.admit(frame, None) else {
                continue;
            };
            // SAFETY: the frame was taken under the receive half, and nothing was released since.
            rx.ahead.keep(&frame, unsafe { frame.bytes() });
            self.obstacles.set(Obstacle::Ahead, true);
            self.selectable.hold();
            return Ok(());
        }
        rx.release();
        Ok(())
    }

    /// Takes the packet that was seen before, after what is lent was given back.
    #[cold]
    pub(super) fn take_ahead(&self, rx: &mut Rx) -> Option<Frame> {
        let frame = rx.ahead.frame.take()?;
        self.obstacles.set(Obstacle::Ahead, false);
        rx.release();
        Some(frame)
    }
}
