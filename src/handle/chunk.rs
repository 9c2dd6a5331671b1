//! Receiving chunks: many packets at once, as the rows of a capture file, so that a recorder writes them
//! with one call.
//!
//! A row is what a pcap file with nanoseconds has: seconds, nanoseconds, bytes present, bytes on the wire,
//! 32 bits each in the byte order of the machine, and then the bytes. The rows are put together in memory of
//! ours, so the ring's blocks and slots go back to the kernel as soon as they are copied.

use std::ptr::NonNull;

use super::obstacles::Obstacle;
use super::{Handle, Rx};
use crate::backend::{AnyFrame, Frame};
use crate::error::{Error, Result};

/// Bytes of a chunk at most: as much as a block of the ring holds.
const CHUNK_BYTES: usize = 1 << 20;
/// Bytes before each packet.
const ROW_HEAD: usize = 16;

/// Rows of packets, valid until the next call that receives a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// The first row.
    pub data: NonNull<u8>,
    /// Bytes of all rows.
    pub len: u32,
}

/// The rows that were handed out last.
#[derive(Default)]
pub(super) struct Rows(Vec<u8>);

impl Rows {
    /// Whether a packet of so many bytes surely fits.
    fn have_room_for(&self, snaplen: u32) -> bool {
        CHUNK_BYTES - self.0.len() >= ROW_HEAD + snaplen as usize
    }

    /// Adds a packet.
    fn push(&mut self, frame: &Frame, bytes: &[u8]) {
        // Files count their seconds in 32 bits too.
        let head = [
            frame.stamp.sec as u32,
            frame.stamp.nsec,
            frame.caplen,
            frame.len,
        ];
        for word in head {
            self.0.extend_from_slice(&word.to_ne_bytes());
        }
        self.0.extend_from_slice(bytes);
    }
}

impl Handle {
    /// Receives the packets that are there, as many as a chunk holds. Waits only when none is.
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive); a reentrant ring lends no chunk.
    pub fn receive_chunk(&self, wait: bool) -> Result<Option<Chunk>> {
        if self.obstacles.has(Obstacle::NotReceiving) {
            self.check_receive()?;
        }
        if self.options.reentrant {
            return Err(Error::InvalidArgument("lending from a reentrant ring"));
        }
        loop {
            if let Some(chunk) = self.rx.with(|rx| self.fill_chunk(rx))? {
                return Ok(Some(chunk));
            }
            if wait {
                self.wait_for_packet()?;
            } else if !self.after_empty_call() {
                return Ok(None);
            }
        }
    }

    fn fill_chunk(&self, rx: &mut Rx) -> Result<Option<Chunk>> {
        let mut rows = std::mem::take(&mut rx.rows);
        rows.0.clear();
        let filled = self.fill_rows(rx, &mut rows);
        let chunk = Chunk {
            data: NonNull::from(rows.0.as_mut_slice()).cast(),
            len: rows.0.len() as u32,
        };
        rx.rows = rows;
        match filled {
            // What was taken already comes first; the error comes again at the next call.
            Err(error) if chunk.len == 0 => Err(error),
            _ => Ok((chunk.len > 0).then_some(chunk)),
        }
    }

    fn fill_rows(&self, rx: &mut Rx, rows: &mut Rows) -> Result<()> {
        rows.0.reserve(CHUNK_BYTES);
        while rows.have_room_for(self.snaplen()) {
            let frame = match self.take_of_run(rx) {
                None => self.take_of_backend(rx)?,
                some => some,
            };
            let Some(frame) = frame else {
                break;
            };
            // SAFETY: nothing is given back before the next take, and the ring has one reader, who is here.
            rows.push(&frame, unsafe { frame.bytes() });
        }
        Ok(())
    }
}
