//! The platform that real waiting runs on: Linux.

use std::cell::Cell;
use std::os::fd::RawFd;

use crate::sys::poll::{self, Polled};
use crate::sys::{clock, thread};
use crate::wait::Platform;

/// The running kernel.
#[derive(Clone, Copy, Debug)]
pub struct Linux;

thread_local! {
    /// The slack that we gave this thread, so that a wait costs no extra system call.
    static SLACK_NS: Cell<u64> = const { Cell::new(0) };
}

impl Platform for Linux {
    #[inline]
    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn poll(&self, fds: &[RawFd], timeout_ns: u64) -> Polled {
        poll::poll(fds, Some(timeout_ns))
    }

    fn sleep_ns(&self, ns: u64) {
        thread::sleep_ns(ns);
    }

    fn set_slack_ns(&self, ns: u64) {
        SLACK_NS.with(|slack| {
            if slack.replace(ns) != ns {
                thread::set_timer_slack(ns);
            }
        });
    }

    fn yield_now(&self) {
        thread::yield_now();
    }

    #[inline]
    fn spin(&self) {
        std::hint::spin_loop();
    }
}
