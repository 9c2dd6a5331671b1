//! A thread that a test waits for only so long: a call that hangs fails the test, it does not hang
//! the run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A thread with a result.
pub struct Worker<T> {
    result: Receiver<(T, Instant)>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts it, in the network namespace of the calling thread.
    pub fn start(f: impl FnOnce() -> T + Send + 'static) -> Worker<T> {
        let (tx, result) = channel();
        let thread = std::thread::spawn(move || {
            let value = f();
            // The test may have given up on us.
            let _ = tx.send((value, Instant::now()));
        });
        Worker { result, thread }
    }

    /// Waits up to `limit` for the result; a panic of the thread goes on here.
    #[track_caller]
    pub fn finish(self, limit: Duration) -> T {
        self.finish_timed(limit).0
    }

    /// As [`Worker::finish`], with the moment at which the thread was through.
    #[track_caller]
    pub fn finish_timed(self, limit: Duration) -> (T, Instant) {
        match self.result.recv_timeout(limit) {
            Ok(got) => {
                self.thread.join().expect("the result was sent");
                got
            }
            Err(RecvTimeoutError::Timeout) => panic!("a thread still hangs after {limit:?}"),
            Err(RecvTimeoutError::Disconnected) => match self.thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends well sends its result"),
            },
        }
    }

    /// Whether the thread is through, one way or the other.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

/// Keeps this thread, and those that it starts, on one CPU, if there is one of that number.
pub fn stay_on(cpu: usize) {
    // SAFETY: a set of CPUs is plain bits; all zero is an empty one. 0 is this thread.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}
