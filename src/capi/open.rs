//! Opening, enabling, closing.

use std::ffi::{c_char, c_int};

use super::boundary::{guard, unsupported, with_ring};
use super::{strings, table, trailer};
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, pfring};
use crate::error::Error;
use crate::handle::Handle;
use crate::sys;

/// Opens a device for capture and sending. The ring is made disabled: set direction, mode and
/// watermark, then call pfring_enable_ring().
///
/// Device names: `eth0`; `eth0,eth1` (several on one ring, the first is the main one); `any` (all
/// interfaces); `(eth0.100)` (parentheses quote a name that has a dot); `pcap:FILE` (a capture file
/// in pcap or pcapng format, needs no rights). `zc:eth0` and `xdp:eth0` open a tap like `eth0`. An
/// interface that is down opens, and delivers once its link is up.
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
    table::fill(&handle);
    if handle.debugs_timestamps() {
        trailer::show_stamps();
    }
    // The pointer to the whole handle is cast, so that the private fields stay in reach.
    Ok(Box::into_raw(handle).cast::<pfring>())
}

/// Opens one ring for each receive channel of a device. Not supported yet.
///
/// @param device_name  name of the device, without a channel
/// @param caplen       as in pfring_open()
/// @param flags        as in pfring_open()
/// @param ring         array of 64 pointers that the rings are written to
/// @return 0, with errno ENOTSUP
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_open_multichannel(
    device_name: *const c_char,
    caplen: u32,
    flags: u32,
    ring: *mut *mut pfring,
) -> u8 {
    let _ = (device_name, caplen, flags, ring);
    guard(|| unsupported("pfring_open_multichannel"))
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

/// Adds an interface to a ring. Not supported yet.
///
/// @param ring         the ring
/// @param device_name  name of the interface
/// @return PF_RING_ERROR_NOT_SUPPORTED; -1 for a NULL name or `none`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_bind(ring: *mut pfring, device_name: *mut c_char) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            if strings::device(device_name)? == c"none" {
                return Err(Error::BadDeviceName("\"none\" cannot be bound".into()));
            }
            unsupported("pfring_bind")
        })
    }
}
