//! Waiting without receiving.

use std::ffi::{c_int, c_uint};

use super::boundary::with_ring;
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, pfring};

/// Waits until packets can be read: as many as the watermark says, or one if none was set.
///
/// @param ring           the ring; one that was never enabled starts capture by itself
/// @param wait_duration  milliseconds to wait at most; 0: looks and returns; above INT_MAX: no limit
/// @return 1 when packets are there, also fewer than the watermark once the time is over; 0 when none
///         is, or with errno EINTR when pfring_breakloop() ended the wait; -1 with errno EINTR when a
///         signal handler ran, ESHUTDOWN after pfring_shutdown(); PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_poll(ring: *mut pfring, wait_duration: c_uint) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.poll(wait_duration).map(c_int::from)
        })
    }
}

/// Tells whether a packet can be read now. Takes nothing.
///
/// @param ring  the ring, enabled or not
/// @return 1 or 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_is_pkt_available(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            Ok(handle.look_once().into())
        })
    }
}

/// Tells the descriptor for select(), poll() and epoll: readable while a packet can be read, and before
/// the ring is enabled. It stays the same until pfring_close(), never shows POLLERR or POLLHUP, and
/// belongs to the ring. Read packets with wait_for_packet 0 until none is left before waiting again.
///
/// @param ring  the ring
/// @return the descriptor; -1 for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_selectable_fd(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, -1, |handle| Ok(handle.selectable_fd())) }
}

/// Sets how many packets must be queued before pfring_poll() returns early.
///
/// @param ring       the ring
/// @param watermark  packets; 0 counts as 1, more than 2048 as 2048
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_poll_watermark(ring: *mut pfring, watermark: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_watermark(watermark);
            Ok(0)
        })
    }
}

/// Sets how long a packet waits for the watermark at most.
///
/// @param ring               the ring
/// @param poll_watermark_ms  milliseconds; 0: no limit but that of the poll itself (default)
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_poll_watermark_timeout(
    ring: *mut pfring,
    poll_watermark_ms: u16,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_watermark_timeout(poll_watermark_ms);
            Ok(0)
        })
    }
}

/// Sets the longest sleep of a blocking receive between two looks into the ring. A receive is not ended
/// by it, and no packet waits for it.
///
/// @param ring      the ring
/// @param duration  milliseconds, 1 to 65535 (default 500); less or more counts as the nearest
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_poll_duration(ring: *mut pfring, duration: c_uint) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_poll_duration(duration);
            Ok(0)
        })
    }
}

/// Counts packets that can be read now, as far as the kernel has handed them over.
///
/// @param ring  the ring
/// @return packets; 0 for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_num_queued_pkts(ring: *mut pfring) -> u32 {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, 0, |handle| Ok(handle.queued())) }
}

/// Does nothing: the indexes of this library's rings are always in step with the kernel's.
///
/// @param ring  the ring, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_sync_indexes_with_kernel(ring: *mut pfring) {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, (), |_| Ok(())) }
}
