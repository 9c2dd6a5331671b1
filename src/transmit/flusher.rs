//! The thread that sends what a program left in a batch.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use super::queue::Shared;
use crate::sys::thread::without_signals;

/// The thread; ends when this is dropped.
#[derive(Debug)]
pub struct Flusher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    process: u32,
}

impl Flusher {
    /// None where no thread can be had.
    pub fn start(shared: &Arc<Shared>) -> Option<Self> {
        let work = {
            let shared = Arc::clone(shared);
            move || shared.look_after()
        };
        // The signals of the program are for its own threads.
        let thread =
            without_signals(|| Builder::new().name("pfring-tx".into()).spawn(work)).ok()?;
        Some(Self {
            shared: Arc::clone(shared),
            thread: Some(thread),
            process: std::process::id(),
        })
    }

    /// A child that was forked has the memory of its parent, but not its threads.
    pub fn is_of_another_process(&self) -> bool {
        self.process != std::process::id()
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        let thread = self.thread.take();
        if self.is_of_another_process() {
            // There is no such thread to be waited for.
            std::mem::forget(thread);
            return;
        }
        self.shared.close();
        if let Some(thread) = thread {
            // A panic of the thread has nothing to tell here: what waits is sent by the owner.
            let _ = thread.join();
        }
    }
}
