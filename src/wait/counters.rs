//! What waiting has cost: counters that any thread may read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of one waiter, since it was made.
#[derive(Debug, Default)]
pub struct Counters {
    /// Waits that began.
    pub calls: AtomicU64,
    /// Looks while spinning or yielding.
    pub spins: AtomicU64,
    /// Sleeps in poll.
    pub polls: AtomicU64,
    /// Naps of sleep mode.
    pub sleeps: AtomicU64,
    /// Ends of a sleep in poll that found nothing.
    pub empty_wakeups: AtomicU64,
    /// Waits that pfring_breakloop ended.
    pub breaks: AtomicU64,
    /// Time spent in polls and naps, in nanoseconds.
    pub asleep_ns: AtomicU64,
}

/// One reading of [`Counters`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// As in [`Counters`], and so on.
    pub calls: u64,
    /// Looks while spinning.
    pub spins: u64,
    /// Sleeps in poll.
    pub polls: u64,
    /// Naps.
    pub sleeps: u64,
    /// Ends of a sleep that found nothing.
    pub empty_wakeups: u64,
    /// Waits that were broken.
    pub breaks: u64,
    /// Nanoseconds asleep.
    pub asleep_ns: u64,
}

impl Counters {
    /// Adds to a counter.
    pub(super) fn add(counter: &AtomicU64, amount: u64) {
        if amount > 0 {
            counter.fetch_add(amount, Relaxed);
        }
    }

    /// Reads them all.
    pub fn read(&self) -> Reading {
        Reading {
            calls: self.calls.load(Relaxed),
            spins: self.spins.load(Relaxed),
            polls: self.polls.load(Relaxed),
            sleeps: self.sleeps.load(Relaxed),
            empty_wakeups: self.empty_wakeups.load(Relaxed),
            breaks: self.breaks.load(Relaxed),
            asleep_ns: self.asleep_ns.load(Relaxed),
        }
    }
}
