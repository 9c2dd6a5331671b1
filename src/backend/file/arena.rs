//! Memory for copied frames: chunks that never move, given back all at once.

use std::cell::Cell;
use std::ptr::NonNull;

use super::MAX_PACKET;

/// A chunk holds the longest packet.
const CHUNK: usize = MAX_PACKET;

/// Where a frame starts: a multiple of this many bytes from the start of its chunk.
const ALIGN: usize = 16;

/// Copies of frames. The bytes are cells, since the holder of a frame may write to it while more
/// frames are copied beside it.
#[derive(Default)]
pub(super) struct Arena {
    chunks: Vec<Box<[Cell<u8>]>>,
    /// Bytes taken of the last chunk.
    used: usize,
}

impl Arena {
    /// Copies a frame of at most [`MAX_PACKET`] bytes; the copy is there until [`Self::clear`].
    pub(super) fn copy(&mut self, bytes: &[u8]) -> NonNull<u8> {
        if self.chunks.is_empty() || CHUNK - self.used < bytes.len() {
            self.chunks
                .push(vec![Cell::new(0); CHUNK].into_boxed_slice());
            self.used = 0;
        }
        let chunk = &self.chunks[self.chunks.len() - 1];
        let place = &chunk[self.used..self.used + bytes.len()];
        for (cell, byte) in place.iter().zip(bytes) {
            cell.set(*byte);
        }
        self.used = (self.used + bytes.len()).next_multiple_of(ALIGN).min(CHUNK);
        NonNull::from(place).cast()
    }

    /// Gives back every copy, and the memory but for one chunk.
    pub(super) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.used = 0;
    }

    #[cfg(test)]
    pub(super) fn chunks(&self) -> usize {
        self.chunks.len()
    }
}
