//! Programs that look into a ring again and again without waiting: they are given a ring that shows
//! packets at once, and, where the user asks for it (PFRING_IDLE_GUARD), are put to sleep.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::Handle;
use crate::sys::clock;

/// Empty calls in a row that make a program one that spins ...
const SPIN_CALLS: u32 = 256;
/// ... if they come within this time, in nanoseconds: one that looks now and then does not spin.
const SPIN_WINDOW_NS: u64 = 20_000_000;

/// Calls in a row that found nothing and did not wait.
#[derive(Default)]
pub(super) struct EmptyCalls {
    count: AtomicU32,
    since_ns: AtomicU64,
}

impl EmptyCalls {
    /// A packet was received.
    #[inline]
    pub(super) fn end(&self) {
        if self.count.load(Relaxed) != 0 {
            self.count.store(0, Relaxed);
        }
    }

    /// One more; how many it are, and for how long, in nanoseconds.
    fn add(&self) -> (u32, u64) {
        let count = self.count.load(Relaxed).saturating_add(1);
        self.count.store(count, Relaxed);
        match count {
            1 => self.since_ns.store(clock::monotonic_ns(), Relaxed),
            SPIN_CALLS => return (count, clock::monotonic_ns() - self.since_ns.load(Relaxed)),
            _ => {}
        }
        (count, u64::MAX)
    }
}

impl Handle {
    /// Called after a call that found nothing and must not wait. True when the guard slept and a packet
    /// came meanwhile.
    pub(super) fn after_empty_call(&self) -> bool {
        let (count, span_ns) = self.empty_calls.add();
        if count == SPIN_CALLS && span_ns < SPIN_WINDOW_NS {
            self.want_slots();
        }
        self.turn_if_wanted();
        match self.settings.idle_guard {
            Some(guard) if count > guard.empty_calls => self.sleep_on_guard(guard.sleep_ns),
            _ => false,
        }
    }
}
