//! Ending a wait from outside: pfring_breakloop and pfring_shutdown.
//!
//! A break is a byte in the public struct (programs write it themselves, too), a generation that
//! every waiting thread compares with the one it saw on entry, and an eventfd that wakes sleepers.
//! All of it is safe in a signal handler.

use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};

use crate::error::Result;
use crate::sys::event::EventFd;

/// What ends waits on one ring.
pub(super) struct Breaks {
    alarm: EventFd,
    generation: AtomicU64,
    shut: AtomicBool,
    /// Threads that wait now, by the parity of the generation that they saw on entry.
    waiting: [AtomicU32; 2],
}

/// A thread that waits, from entry to drop.
pub(super) struct Waiting<'a> {
    breaks: &'a Breaks,
    generation: u64,
}

impl Breaks {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            alarm: EventFd::new()?,
            generation: AtomicU64::new(0),
            shut: AtomicBool::new(false),
            waiting: [AtomicU32::new(0), AtomicU32::new(0)],
        })
    }

    /// Readable while somebody has to be woken.
    pub(super) fn alarm_fd(&self) -> RawFd {
        self.alarm.as_raw_fd()
    }

    /// Wakes every thread that waits now.
    pub(super) fn wake_all(&self) {
        self.generation.fetch_add(1, SeqCst);
        self.alarm.raise();
    }

    /// Makes every thread that sleeps now look again; none is broken.
    pub(super) fn nudge(&self) {
        self.alarm.raise();
    }

    /// Wakes every thread that waits, now and later.
    pub(super) fn shut_down(&self) {
        self.shut.store(true, SeqCst);
        self.wake_all();
    }

    pub(super) fn is_shut(&self) -> bool {
        self.shut.load(SeqCst)
    }

    /// How often the ring was broken; to be compared with a later reading.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(SeqCst)
    }

    /// Enters a wait.
    pub(super) fn enter(&self) -> Waiting<'_> {
        let generation = self.generation();
        self.waiting[(generation & 1) as usize].fetch_add(1, SeqCst);
        Waiting {
            breaks: self,
            generation,
        }
    }

    /// Takes the alarm away once no thread that it was raised for still sleeps.
    pub(super) fn quiet(&self) {
        let generation = self.generation();
        let earlier = ((generation + 1) & 1) as usize;
        if self.is_shut() || self.waiting[earlier].load(SeqCst) > 0 {
            return;
        }
        self.alarm.lower();
        if self.generation() != generation || self.is_shut() {
            // A break came between the look and the reading, and its alarm was taken away.
            self.alarm.raise();
        }
    }
}

impl Waiting<'_> {
    /// Whether the ring was broken or shut down since entry.
    #[inline]
    pub(super) fn is_broken(&self) -> bool {
        self.breaks.generation() != self.generation || self.breaks.is_shut()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.breaks.waiting[(self.generation & 1) as usize].fetch_sub(1, SeqCst);
        if self.breaks.generation() != self.generation {
            self.breaks.quiet();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::poll::{Polled, poll};

    fn raised(breaks: &Breaks) -> bool {
        poll(&[breaks.alarm_fd()], Some(0)) == Polled::Ready
    }

    #[test]
    fn the_alarm_stays_until_the_last_sleeper_has_seen_it() {
        let breaks = Breaks::new().unwrap();
        let first = breaks.enter();
        let second = breaks.enter();
        assert!(!first.is_broken());
        breaks.wake_all();
        assert!(first.is_broken() && second.is_broken() && raised(&breaks));
        drop(first);
        assert!(raised(&breaks), "the second has not left yet");
        let third = breaks.enter();
        assert!(!third.is_broken(), "one that comes later is not broken");
        drop(second);
        assert!(!raised(&breaks));
        drop(third);
    }

    #[test]
    fn a_shutdown_stays() {
        let breaks = Breaks::new().unwrap();
        breaks.shut_down();
        drop(breaks.enter());
        breaks.quiet();
        assert!(raised(&breaks) && breaks.enter().is_broken());
    }
}
