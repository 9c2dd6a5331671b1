//! The clock of the card, and local time.

use std::ffi::{c_char, c_int, c_uchar};

use super::boundary::{guard, unsupported, with_ring};
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, pfring};
use crate::sys::clock;

/// Reads the clock of the card. Not supported yet.
///
/// @param ring  the ring
/// @param ts    filled
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_device_clock(
    ring: *mut pfring,
    ts: *mut libc::timespec,
) -> c_int {
    let _ = ts;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_get_device_clock")
        })
    }
}
/// Sets the clock of the card. Not supported yet.
///
/// @param ring  the ring
/// @param ts    the time
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_device_clock(
    ring: *mut pfring,
    ts: *mut libc::timespec,
) -> c_int {
    let _ = ts;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_device_clock")
        })
    }
}
/// Moves the clock of the card. Not supported yet.
///
/// @param ring    the ring
/// @param offset  by how much
/// @param sign    negative: back
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_adjust_device_clock(
    ring: *mut pfring,
    offset: *mut libc::timespec,
    sign: i8,
) -> c_int {
    let _ = (offset, sign);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_adjust_device_clock")
        })
    }
}
/// Switches hardware time stamps of an interface on or off. Not supported yet.
///
/// @param ring         the ring
/// @param device_name  name of the interface
/// @param enable_rx    0 off, else on
/// @param enable_tx    0 off, else on
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_enable_hw_timestamp(
    ring: *mut pfring,
    device_name: *mut c_char,
    enable_rx: c_uchar,
    enable_tx: c_uchar,
) -> c_int {
    let _ = (device_name, enable_rx, enable_tx);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_enable_hw_timestamp")
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
