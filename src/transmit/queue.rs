//! What senders and the flusher share: the batch, and when it leaves.

use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::batch::{Batch, MOST_FRAMES};
use crate::error::{Error, Result};
use crate::sys::clock;
use crate::sys::packet::PacketSocket;

/// A frame that comes within this time of the one before, in nanoseconds, is one of a stream.
const BACK_TO_BACK_NS: u64 = 5_000;
/// A batch that is older, in nanoseconds, leaves with the next frame whatever it holds.
const HOLD_NS: u64 = 200_000;
/// A longer frame is not copied into a batch: the system call is a small part of its cost.
const MOST_DEFERRED: usize = 4_096;
/// How often the flusher looks while frames are sent.
const LOOK: Duration = Duration::from_millis(2);
/// How long the end of a ring waits for room in the queue of a device, and how often it tries.
const DRAIN_TRIES: u32 = 100;
const DRAIN_PAUSE_NS: u64 = 1_000_000;

/// The sending side of a ring.
#[derive(Debug)]
pub struct Shared {
    socket: PacketSocket,
    /// Longer frames do not wait.
    most_deferred: usize,
    queue: Mutex<Queue>,
    /// Wakes the flusher.
    wake: Condvar,
}

#[derive(Debug)]
struct Queue {
    batch: Batch,
    /// Frames that make a batch leave.
    limit: usize,
    /// When the oldest frame of the batch came.
    since_ns: u64,
    /// When the last frame came.
    last_ns: u64,
    /// The flusher looks after the batch.
    watched: bool,
    closing: bool,
}

impl Shared {
    /// Frames up to `surely_sent` bytes may wait: whether longer ones can be sent has to be seen at once.
    pub fn new(socket: PacketSocket, surely_sent: usize) -> Self {
        Self {
            socket,
            most_deferred: surely_sent.min(MOST_DEFERRED),
            queue: Mutex::new(Queue {
                batch: Batch::default(),
                limit: MOST_FRAMES,
                since_ns: 0,
                last_ns: 0,
                watched: false,
                closing: false,
            }),
            wake: Condvar::new(),
        }
    }

    /// Sends a frame or lets it wait; true when it waits and nobody looks after it yet.
    pub fn send(&self, frame: &[u8], flush: bool) -> Result<bool> {
        let mut queue = self.queue.lock();
        let waits = !flush && frame.len() <= self.most_deferred && queue.is_streaming();
        if !waits && queue.batch.is_empty() {
            return self.socket.send(frame).map(|_| false);
        }
        if !queue.batch.push(frame) {
            self.empty(&mut queue)?;
            if !queue.batch.push(frame) {
                // Longer than a whole batch.
                return self.socket.send(frame).map(|_| false);
            }
        }
        if queue.batch.len() == 1 {
            queue.since_ns = queue.last_ns;
        }
        if waits && !queue.is_due() {
            return Ok(!queue.watched);
        }
        self.empty(&mut queue).map(|()| false).inspect_err(|_| {
            // The program is told that this frame was not sent: nor shall it be.
            queue.batch.pop();
        })
    }

    pub fn send_by(&self, frame: &[u8], ifindex: i32) -> Result<usize> {
        self.socket.send_by(frame, ifindex)
    }

    pub fn flush(&self) -> Result<()> {
        self.empty(&mut self.queue.lock())
    }

    pub fn set_limit(&self, frames: usize) {
        self.queue.lock().limit = frames.clamp(1, MOST_FRAMES);
    }

    pub fn bypass_queueing(&self) {
        // Without it frames take the usual way.
        let _ = self.socket.set_qdisc_bypass(true);
    }

    /// Sends what waits, and waits a little for room: the ring ends.
    pub fn drain(&self) {
        for _ in 0..DRAIN_TRIES {
            let mut queue = self.queue.lock();
            if self.empty(&mut queue).is_ok() || queue.batch.is_empty() {
                return;
            }
            drop(queue);
            crate::sys::thread::sleep_ns(DRAIN_PAUSE_NS);
        }
    }

    /// Sends the batch in its order. On an error that has to do with one frame the others are tried too.
    fn empty(&self, queue: &mut MutexGuard<'_, Queue>) -> Result<()> {
        let mut failure = Ok(());
        while !queue.batch.is_empty() {
            match self.socket.send_many(queue.batch.waiting()) {
                Ok(sent) => {
                    queue.batch.leave(sent);
                    failure = Ok(());
                }
                Err(error) if is_want_of_room(&error) => return Err(error),
                Err(error) => {
                    queue.batch.leave(1);
                    failure = Err(error);
                }
            }
        }
        failure
    }

    pub fn wake_flusher(&self) {
        self.queue.lock().watched = true;
        self.wake.notify_one();
    }

    /// Ends [`look_after`](Self::look_after).
    pub fn close(&self) {
        self.queue.lock().closing = true;
        self.wake.notify_one();
    }

    /// The flusher's work: sends what has waited for a while, and sleeps while nothing is sent.
    pub fn look_after(&self) {
        let mut queue = self.queue.lock();
        while !queue.closing {
            if !queue.watched {
                self.wake.wait(&mut queue);
                continue;
            }
            let last_ns = queue.last_ns;
            self.wake.wait_for(&mut queue, LOOK);
            if !queue.batch.is_empty() && clock::monotonic_ns() - queue.since_ns >= HOLD_NS {
                // The program is told by its next call, if it is still so then.
                let _ = self.empty(&mut queue);
            }
            if queue.batch.is_empty() && queue.last_ns == last_ns {
                queue.watched = false;
            }
        }
        queue.closing = false;
        queue.watched = false;
    }
}

impl Queue {
    /// Notes that a frame comes now; whether it is one of a stream that may wait.
    fn is_streaming(&mut self) -> bool {
        if self.limit < 2 {
            return false;
        }
        let now = clock::monotonic_ns();
        let gap = now - self.last_ns;
        self.last_ns = now;
        gap < BACK_TO_BACK_NS
    }

    /// Whether the batch has to leave with the frame that has just come.
    fn is_due(&self) -> bool {
        self.batch.len() >= self.limit || self.last_ns - self.since_ns >= HOLD_NS
    }
}

fn is_want_of_room(error: &Error) -> bool {
    matches!(error, Error::Os(_, os) if os.raw_os_error() == Some(libc::ENOBUFS))
}
