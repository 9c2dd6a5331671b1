//! Counters and version.

use std::ffi::c_int;

use super::boundary::{out, with_ring};
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, RING_VERSION_NUM, pfring, pfring_stat};

/// Reads the counters: 64 bits, since pfring_open(), not reset by reading. Safe in a signal handler
/// and from any thread.
///
/// @param ring   the ring
/// @param stats  filled: recv = packets handed to the program, drop = packets that found no room in
///               the ring, shunt = 0
/// @return 0, also before the ring is enabled; PF_RING_ERROR_INVALID_ARGUMENT for NULL stats;
///         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_stats(ring: *mut pfring, stats: *mut pfring_stat) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let stats = out(stats, "stats")?;
            let (recv, drop) = handle.statistics();
            stats.write(pfring_stat {
                recv,
                drop,
                shunt: 0,
            });
            Ok(0)
        })
    }
}
/// Tells the version whose interface this library follows.
///
/// @param ring     the ring
/// @param version  filled: 0x0MMmpp, as RING_VERSION_NUM
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL version; PF_RING_ERROR_NOT_SUPPORTED for a
///         NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_version(ring: *mut pfring, version: *mut u32) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            out(version, "version")?.write(RING_VERSION_NUM as u32);
            Ok(0)
        })
    }
}
/// Tells the version as pfring_version() does, without a ring.
///
/// @param version  filled; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_version_noring(version: *mut u32) {
    if !version.is_null() {
        // SAFETY: the common contract; not NULL.
        unsafe { version.write(RING_VERSION_NUM as u32) };
    }
}
