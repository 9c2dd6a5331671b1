//! The clock and the stamps of the card, and local time.

use std::ffi::{c_char, c_int, c_uchar};

use super::boundary::{guard, out, with_ring};
use super::strings;
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, pfring};
use crate::error::Error;
use crate::sys::{self, clock};

/// Reads the clock of the main interface's card (its PTP clock, /dev/ptpN).
///
/// @param ring  the ring
/// @param ts    filled
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a card without a clock, without an interface and for a NULL
///         ring; -1 with errno: EACCES, ENOENT (no device file); PF_RING_ERROR_INVALID_ARGUMENT for NULL ts
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_device_clock(
    ring: *mut pfring,
    ts: *mut libc::timespec,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let time = handle.card_time()?;
            out(ts, "time")?.write(time);
            Ok(0)
        })
    }
}
/// Sets the clock of the main interface's card.
///
/// @param ring  the ring
/// @param ts    the time
/// @return as pfring_get_device_clock(); -1 with errno EINVAL for what is no time
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_device_clock(
    ring: *mut pfring,
    ts: *mut libc::timespec,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let time = || Ok(out(ts, "time")?.read());
            handle.set_card_time(time).map(|()| 0)
        })
    }
}
/// Moves the clock of the main interface's card.
///
/// @param ring    the ring
/// @param offset  by how much
/// @param sign    negative: back
/// @return as pfring_get_device_clock(); -1 with errno EOPNOTSUPP for a clock that cannot be moved
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_adjust_device_clock(
    ring: *mut pfring,
    offset: *mut libc::timespec,
    sign: i8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let offset = || Ok(out(offset, "offset")?.read());
            handle.adjust_card_time(offset, sign < 0).map(|()| 0)
        })
    }
}
/// Switches the time stamps of an interface's card on or off. This holds for the interface, and stays when the
/// ring is closed. If the interface is one of the ring's, its packets get these stamps from now on, as with
/// PF_RING_HW_TIMESTAMP.
///
/// @param ring         the ring
/// @param device_name  name of the interface
/// @param enable_rx    0 off, else on: of every packet that comes in
/// @param enable_tx    0 off, else on
/// @return 0; the positive errno of a request that the kernel refuses: EOPNOTSUPP (a card without stamps),
///         ERANGE (one that cannot stamp all packets), EPERM, ENODEV (no such interface);
///         PF_RING_ERROR_INVALID_ARGUMENT for a NULL name; PF_RING_ERROR_NOT_SUPPORTED for a file and for a
///         NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_enable_hw_timestamp(
    ring: *mut pfring,
    device_name: *mut c_char,
    enable_rx: c_uchar,
    enable_tx: c_uchar,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let name = strings::string(device_name, "device name")?.to_string_lossy();
            match handle.set_card_stamps(&name, enable_rx != 0, enable_tx != 0) {
                Err(error @ (Error::Os(..) | Error::NoSuchDevice(_))) => {
                    sys::set_errno(0);
                    Ok(error.errno())
                }
                other => other.map(|()| 0),
            }
        })
    }
}
/// Tells how far local time is from UTC.
///
/// @param t  a time in seconds since 1970-01-01 00:00 UTC; 0: now
/// @return seconds east of UTC at that time
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gmt_to_local(t: libc::time_t) -> i32 {
    guard(|| {
        let seconds = if t == 0 {
            clock::realtime_timeval().0
        } else {
            t
        };
        Ok(clock::gmt_offset_seconds(seconds))
    })
}
