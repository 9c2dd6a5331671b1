//! Sending: frames that a program sends back to back may leave together, as a system call for each of
//! them costs as much as a fifth of the sending itself.
//!
//! A frame that is sent alone leaves at once. One that follows its predecessor within microseconds, and
//! that the program does not want flushed, waits in a batch: until the batch is full, until the next call
//! that comes a moment later, or until a thread of ours, which lives only while batches are in use, finds
//! it a few milliseconds later.

mod batch;
mod flusher;
mod queue;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::Result;
use crate::sys::packet::PacketSocket;
use flusher::Flusher;
use queue::Shared;

/// The most frames that leave together, and the watermark that is in force until another is set.
pub const MOST_FRAMES: u16 = batch::MOST_FRAMES as u16;

/// The sending half of a ring, for any thread.
#[derive(Debug)]
pub struct Transmitter {
    shared: Arc<Shared>,
    /// Made when a frame is to wait for the first time.
    flusher: Mutex<Option<Flusher>>,
    /// In a child that was forked what waits is the parent's to send.
    process: u32,
}

impl Transmitter {
    /// Sends by one interface, which takes frames of `surely_sent` bytes whatever they are.
    ///
    /// # Errors
    ///
    /// `Os` when the interface is gone.
    pub fn new(socket: PacketSocket, ifindex: i32, surely_sent: usize) -> Result<Self> {
        socket.bind_for_sending(ifindex)?;
        Ok(Self {
            shared: Arc::new(Shared::new(socket, surely_sent)),
            flusher: Mutex::default(),
            process: std::process::id(),
        })
    }

    /// Sends one frame. Never blocks. With `flush` it and all that wait have left when this returns.
    ///
    /// # Errors
    ///
    /// As [`PacketSocket::send`]; the frame was not sent then, and is not going to be.
    #[inline]
    pub fn send(&self, frame: &[u8], flush: bool) -> Result<usize> {
        if self.shared.send(frame, flush)? {
            self.watch();
        }
        Ok(frame.len())
    }

    /// Sends one frame at once by another interface, whatever waits for this one.
    ///
    /// # Errors
    ///
    /// As [`PacketSocket::send`]; `Os` with ENXIO for an interface that does not exist.
    pub fn send_by(&self, frame: &[u8], ifindex: i32) -> Result<usize> {
        self.shared.send_by(frame, ifindex)
    }

    /// Sends all that waits.
    ///
    /// # Errors
    ///
    /// As [`PacketSocket::send`]. What could not be sent for want of room still waits.
    pub fn flush(&self) -> Result<()> {
        self.shared.flush()
    }

    /// How many frames leave together, 1 to [`MOST_FRAMES`]; others are clamped. With 1 no frame waits.
    pub fn set_watermark(&self, frames: u16) {
        self.shared.set_limit(frames.into());
    }

    /// Frames go to the driver without a queueing discipline, and no tap on this host sees them leave.
    pub fn bypass_queueing(&self) {
        self.shared.bypass_queueing();
    }

    /// Sees to it that a frame which waits does not wait for ever. Without a thread it leaves now.
    #[cold]
    fn watch(&self) {
        let mut flusher = self.flusher.lock();
        if flusher.as_ref().is_none_or(Flusher::is_of_another_process) {
            *flusher = Flusher::start(&self.shared);
        }
        if flusher.is_some() {
            self.shared.wake_flusher();
        } else {
            self.shared.set_limit(1);
            // What could not be sent now leaves with the next frame or at the end.
            let _ = self.shared.flush();
        }
    }
}

impl Drop for Transmitter {
    fn drop(&mut self) {
        drop(self.flusher.get_mut().take());
        if self.process == std::process::id() {
            self.shared.drain();
        }
    }
}
