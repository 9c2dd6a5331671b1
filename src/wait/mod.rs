//! How a call that may wait does so: sleep in the kernel, spin, adapt between the two, sleep in
//! short naps, or give the CPU away in a loop.
//!
//! This room knows descriptors and clocks, not packets: what it waits for is behind [`Watched`].
//! All that touches the operating system is behind [`Platform`], so the tests run on a fake clock.

use std::os::fd::RawFd;

use crate::sys::poll::Polled;

mod counters;
pub mod mode;
pub mod platform;
mod waiter;

pub use counters::{Counters, Reading};
pub use mode::WaitMode;
pub use waiter::Waiter;

/// What a look at the thing waited for shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing is there.
    Nothing,
    /// Something is there or about to come, but less than is wanted: look again after this many
    /// nanoseconds at the latest. The descriptors do not say when it is enough.
    Partial(u64),
    /// It is there.
    Ready,
    /// Somebody wants the waiting to end.
    Broken,
}

/// The thing waited for.
pub trait Watched {
    /// Looks without waiting.
    fn look(&mut self) -> Look;

    /// Called before a sleep on the descriptors. They show at once what came after the last look.
    fn arm(&mut self) {}

    /// Called when the descriptors were ready and the look that followed found nothing: takes away
    /// what made them ready (the pending error of a link that went down).
    fn settle(&mut self);
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// [`Watched::look`] said `Ready`.
    Ready,
    /// The deadline passed.
    Timeout,
    /// [`Watched::look`] said `Broken`.
    Broken,
    /// A signal handler ran, and the request asked to be told.
    Interrupted,
    /// poll failed with this errno.
    Failed(i32),
}

/// One wait.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Descriptors that become readable when the thing is there or the waiting is broken.
    pub fds: &'a [RawFd],
    /// Those of them that matter while something is there but not enough (the break alone).
    pub break_fds: &'a [RawFd],
    /// When to give up, on the platform's clock, in nanoseconds; None: never.
    pub deadline_ns: Option<u64>,
    /// The longest single sleep, in nanoseconds: after it the look is repeated.
    pub recheck_ns: u64,
    /// Whether a signal handler ends the wait.
    pub until_signal: bool,
}

/// What waiting needs of the operating system.
pub trait Platform {
    /// A clock that never steps back, in nanoseconds.
    fn now_ns(&self) -> u64;
    /// Waits until one descriptor is readable or the time in nanoseconds has passed.
    fn poll(&self, fds: &[RawFd], timeout_ns: u64) -> Polled;
    /// Sleeps for a time in nanoseconds.
    fn sleep_ns(&self, ns: u64);
    /// Sets the timer slack of this thread, in nanoseconds.
    fn set_slack_ns(&self, ns: u64);
    /// Gives the CPU to another thread.
    fn yield_now(&self);
    /// Tells the processor that this is a spin loop.
    fn spin(&self);
}
