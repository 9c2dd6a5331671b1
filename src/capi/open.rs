//! Opening, enabling, closing.

use std::ffi::{CString, c_char, c_int};

use super::boundary::{guard, out, with_ring};
use super::{strings, table};
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, pfring};
use crate::config::device;
use crate::error::Error;
use crate::handle::{Handle, trailer};
use crate::sys;

/// Opens a device for capture and sending. The ring is made disabled: set direction, mode and
/// watermark, then call pfring_enable_ring().
///
/// Device names:
///  - `eth0`; `eth0,eth1`: several on one ring, the first is the main one; `any`: all interfaces
///  - `eth0.100`: VLAN 100 of eth0, by the outer tag or the one behind it, `eth0.0` what has no tag;
///    `(eth0.100)`: the interface of that name (parentheses quote any text)
///  - `eth0@1`, `eth0@0-3,5`: what came by these receive channels (queues), 0 to 63; `eth0@`: none
///  - `none`: no interface yet, see pfring_bind()
///  - `stack:eth0`: what the host itself sends by eth0; what the ring sends comes in there
///  - `pcap:FILE`: a capture file in pcap or pcapng format, needs no rights
///  - `zc:eth0` and `xdp:eth0` open a tap like `eth0`
///
/// An interface that is down opens, and delivers once its link is up.
///
/// A ring does not cross fork: in a child that is forked every call on it fails with errno EBUSY, -1 where an int
/// is given, but for pfring_close(), which leaves the parent's ring alone. A child opens rings of its own.
///
/// Defaults: both directions, sending and receiving, poll duration 500 ms, no watermark.
///
/// @param device_name  name of the device
/// @param caplen       most bytes of a packet to keep, 0 to 65600; more counts as 65600
/// @param flags        PF_RING_* flags, combined by |
/// @return the ring, to be given to pfring_close(), with errno 0; or NULL with errno: EINVAL (no or
///         malformed name, bad setting in the environment), ENODEV (no such interface or file),
///         EPERM (CAP_NET_RAW is missing), ENOMEM, ENOTSUP (what this library cannot do)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_open(
    device_name: *const c_char,
    caplen: u32,
    flags: u32,
) -> *mut pfring {
    // SAFETY: the string keeps the common contract.
    let ring = guard(|| unsafe { open(device_name, caplen, flags) });
    if !ring.is_null() {
        sys::set_errno(0);
    }
    ring
}

unsafe fn open(name: *const c_char, caplen: u32, flags: u32) -> crate::error::Result<*mut pfring> {
    // SAFETY: the contract of pfring_open.
    let handle = Handle::open(
        unsafe { strings::string(name, "device name") }?,
        caplen,
        flags,
    )?;
    Ok(hand_out(handle))
}

/// Gives a ring into the hands of C.
fn hand_out(handle: Box<Handle>) -> *mut pfring {
    table::fill(&handle);
    if handle.debugs_timestamps() {
        trailer::show_stamps();
    }
    // The pointer to the whole handle is cast, so that the private fields stay in reach.
    Box::into_raw(handle).cast::<pfring>()
}

/// Opens one ring for each receive channel of a device: `eth0@0`, `eth0@1` and so on. Together they deliver
/// each packet once; what the host sends comes by the first. The rings are not enabled.
///
/// @param device_name  name of the device; channels in it are ignored
/// @param caplen       as in pfring_open()
/// @param flags        as in pfring_open()
/// @param ring         array of 64 pointers that the rings are written to
/// @return how many rings were opened, each to be given to pfring_close(); 0 with errno as
///         pfring_open() sets it, ENOTSUP for a file, EINVAL for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_open_multichannel(
    device_name: *const c_char,
    caplen: u32,
    flags: u32,
    ring: *mut *mut pfring,
) -> u8 {
    guard(|| {
        let rings = out(ring, "rings")?;
        // SAFETY: the common contract.
        let name = unsafe { strings::string(device_name, "device name") }?;
        let base = device::without_channels(name.to_bytes());
        let open = |name: Vec<u8>| {
            let name = CString::new(name).map_err(|_| Error::InvalidArgument("device name"))?;
            Handle::open(&name, caplen, flags)
        };
        let whole = open(base.to_vec())?;
        if !whole.has_interface() {
            return Err(Error::NotSupported("channels of a file"));
        }
        let count = whole.rx_channels();
        drop(whole);
        for channel in 0..count {
            match open([base, format!("@{channel}").as_bytes()].concat()) {
                // SAFETY: C promises room for 64 rings, and there are no more channels.
                Ok(handle) => unsafe { rings.add(channel.into()).write(hand_out(handle)) },
                Err(error) if channel == 0 => return Err(error),
                Err(_) => return Ok(channel),
            }
        }
        sys::set_errno(0);
        Ok(count)
    })
}

/// Starts capture and lets packets be received and sent. A break from before is forgotten. Enabling
/// twice is no error.
///
/// @param ring  the ring
/// @return 0; -1 with errno: ENOMEM (no memory for the ring), ENODEV (the interface is gone),
///         ESHUTDOWN; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_enable_ring(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.enable().map(|()| 0)
        })
    }
}

/// Stops capture. Packets that are queued already stay for a later pfring_enable_ring().
///
/// @param ring  the ring
/// @return 0, also when it was disabled already; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_disable_ring(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.disable().map(|()| 0)
        })
    }
}

/// Ends reception for good and wakes every thread that waits on the ring. Safe in a signal handler and
/// from any thread. Afterwards receiving gives -1 and sending PF_RING_ERROR_NOT_SUPPORTED; the
/// ring still has to be closed.
///
/// @param ring  the ring, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_shutdown(ring: *mut pfring) {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, (), |handle| {
            handle.shut_down();
            Ok(())
        });
    }
}

/// Closes a ring and frees all that belongs to it: its memory, its sockets, promiscuous mode. No other
/// thread may use the ring any more.
///
/// @param ring  the ring, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_close(ring: *mut pfring) {
    if ring.is_null() {
        return;
    }
    guard(|| {
        // SAFETY: the ring came from pfring_open, which made it of a boxed handle, and nobody uses it
        // any more.
        drop(unsafe { Box::from_raw(ring.cast::<Handle>()) });
        Ok(())
    });
}

/// Adds an interface to a ring, before capture starts. A ring that was opened as `none` may be enabled first:
/// it starts when it is bound, by the thread that receives. The first interface of a ring is its main one.
/// Channels in the name are those of the whole ring.
///
/// @param ring         the ring
/// @param device_name  name of the interface, in the grammar of pfring_open()
/// @return 0; -1 with errno: EINVAL (NULL, `none`, malformed), ENODEV (no such interface), EBUSY (capture
///         has started), EPERM, ENOMEM; PF_RING_ERROR_NOT_SUPPORTED for NULL, for a file and for `stack:`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_bind(ring: *mut pfring, device_name: *mut c_char) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.bind(strings::device(device_name)?).map(|()| 0)
        })
    }
}
