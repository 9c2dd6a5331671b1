//! How a program waits: our extension, declared in pfring_wait.h.

use std::ffi::{c_char, c_int};

use super::boundary::{out, with_ring};
use super::strings;
use crate::abi::{PF_RING_ERROR_INVALID_ARGUMENT, pfring, pfring_wait_stats};
use crate::error::Error;

/// Changes how calls on a ring wait, as PFRING_WAIT does at open. May be called at any time and from any
/// thread; a call that waits now takes the new mode over at once. A ring that began as one of blocks
/// (TPACKET_V3) turns into one of slots when the new mode is not passive; no packet is lost or comes
/// twice.
///
/// @param ring  the ring
/// @param spec  "passive", "active", "adaptive", "adaptive:50us", "sleep", "sleep:1us",
///              "sleep:1us,slack=1ns" or "yield"; times take ns, us, ms or s, and are us without
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or an unknown mode
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_wait_set_mode(ring: *mut pfring, spec: *const c_char) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let text = strings::string(spec, "wait mode")?.to_str().ok();
            let mode = text.and_then(|text| text.parse().ok());
            handle.set_wait_mode(mode.ok_or(Error::InvalidArgument("wait mode"))?);
            Ok(0)
        })
    }
}

/// Reads what waiting on a ring has cost since it was opened. Safe from any thread.
///
/// @param ring   the ring
/// @param stats  filled
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_wait_get_stats(
    ring: *mut pfring,
    stats: *mut pfring_wait_stats,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let stats = out(stats, "stats")?;
            let seen = handle.wait_counters();
            stats.write(pfring_wait_stats {
                calls: seen.calls,
                spins: seen.spins,
                polls: seen.polls,
                sleeps: seen.sleeps,
                empty_wakeups: seen.empty_wakeups,
                breaks: seen.breaks,
                asleep_ns: seen.asleep_ns,
            });
            Ok(0)
        })
    }
}
