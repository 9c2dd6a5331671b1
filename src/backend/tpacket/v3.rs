//! Walks a TPACKET_V3 ring: blocks of frames that the kernel hands over together.
//!
//! Layout and protocol: kernel Documentation/networking/packet_mmap.rst and
//! include/uapi/linux/if_packet.h. A block belongs to the reader from the moment its status has
//! TP_STATUS_USER until the reader writes TP_STATUS_KERNEL; a block that is still open in the
//! kernel shows no ready flag and is never looked into.

use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{tpacket_block_desc, tpacket_hdr_v1};

use super::run::Run;
use crate::backend::{Frame, Glimpse};

const BLOCK_HEADER: usize = offset_of!(tpacket_block_desc, hdr);
const STATUS_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, block_status);
const COUNT_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, num_pkts);
const FIRST_TIME_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, ts_first_pkt);
const LAST_TIME_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, ts_last_pkt);
const FIRST_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, offset_to_first_pkt);

/// A position in a ring of blocks, and what the reader still holds.
///
/// The walk owns no memory: whoever makes it keeps the blocks mapped for as long as it lives.
#[derive(Debug)]
pub struct Walk {
    base: NonNull<u8>,
    block_size: usize,
    block_count: usize,
    snaplen: u32,
    /// The oldest block that was taken and not given back.
    oldest: usize,
    /// The block that is read now, or that is read next.
    current: usize,
    /// How many blocks from `oldest` on are ours.
    held: usize,
    /// Frames of `current` that were not taken yet.
    run: Run,
    /// How long the last block that was opened took to fill: see [`fill_ns`](Self::fill_ns).
    fill_ns: u64,
}

// SAFETY: the walk is a cursor over memory that belongs to its owner; nothing in it is tied to the
// thread that made it.
unsafe impl Send for Walk {}

impl Walk {
    /// Starts at the first block.
    ///
    /// # Safety
    ///
    /// - `base` points to `block_count` blocks of `block_size` bytes, readable and writable, 8-byte
    ///   aligned, for as long as the walk lives.
    /// - Only the kernel (or a test in its place) writes to a block whose status has no
    ///   TP_STATUS_USER, and only this walk's owner to the others.
    pub unsafe fn new(
        base: NonNull<u8>,
        block_size: usize,
        block_count: usize,
        snaplen: u32,
    ) -> Self {
        Self {
            base,
            block_size,
            block_count,
            snaplen,
            oldest: 0,
            current: 0,
            held: 0,
            run: Run::EMPTY,
            fill_ns: 0,
        }
    }

    fn block(&self, index: usize) -> NonNull<u8> {
        // SAFETY: `index` is below `block_count` at every caller, so the block lies in the mapping.
        unsafe { self.base.add(index * self.block_size) }
    }

    fn status(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the status word lies in the block, is aligned (blocks are page aligned), and is
        // only ever touched as an atomic while the kernel may write it.
        unsafe { AtomicU32::from_ptr(self.block(index).add(STATUS_OFFSET).cast().as_ptr()) }
    }

    fn is_ready(&self, index: usize) -> bool {
        // Acquire: pairs with the kernel's barrier before it publishes the status
        // (prb_close_block), so that all that is read of the block afterwards is complete.
        self.status(index).load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
    }

    /// Reads a 32-bit word of a ready block's header.
    fn word(&self, index: usize, offset: usize) -> u32 {
        // SAFETY: the block header lies in the block and is 4-byte aligned.
        unsafe { self.block(index).add(offset).cast::<u32>().read_volatile() }
    }

    fn after(&self, index: usize) -> usize {
        if index + 1 == self.block_count {
            0
        } else {
            index + 1
        }
    }

    /// The block that would be opened next, if there is one that we do not hold.
    fn next_block(&self) -> Option<usize> {
        (self.held < self.block_count).then_some(self.current)
    }

    /// The frames of a ready block.
    fn run_of(&self, index: usize) -> Run {
        let block = self.block(index).as_ptr();
        let first = block.wrapping_add(self.word(index, FIRST_OFFSET) as usize);
        let end = block.wrapping_add(self.block_size);
        // SAFETY: the block stays in our hands until its last frame was taken and released.
        unsafe { Run::new(first, end, self.word(index, COUNT_OFFSET), self.snaplen) }
    }

    /// The time between the opening of a block and its last frame, in nanoseconds; 0 for a block that
    /// was not closed because it was full.
    fn fill_ns_of(&self, index: usize) -> u64 {
        if self.status(index).load(Ordering::Relaxed) & libc::TP_STATUS_BLK_TMO != 0 {
            return 0;
        }
        let time = |at: usize| {
            let (sec, nsec) = (self.word(index, at), self.word(index, at + 4));
            u64::from(sec) * 1_000_000_000 + u64::from(nsec)
        };
        time(LAST_TIME_OFFSET).saturating_sub(time(FIRST_TIME_OFFSET))
    }

    /// Opens the next ready block. False when there is none.
    fn open_block(&mut self) -> bool {
        // A ready block without frames is possible (a timer that expired on an empty block).
        while let Some(index) = self.next_block() {
            if !self.is_ready(index) {
                return false;
            }
            self.held += 1;
            self.run = self.run_of(index);
            self.fill_ns = self.fill_ns_of(index);
            if self.run.left > 0 {
                return true;
            }
            self.current = self.after(index);
        }
        false
    }

    /// Takes the next frame of the open block; None when its header cannot be true, which ends the
    /// block.
    #[inline(always)]
    fn take(&mut self) -> Option<Frame> {
        let frame = self.run.take_any();
        if frame.is_none() {
            self.run.left = 0;
        }
        if self.run.left == 0 {
            self.current = self.after(self.current);
        }
        frame
    }

    /// Lends out the frames of the open block, all but the last one, when no other block waits to be
    /// given back: so nothing has to be given back before one of them is taken, and a frame is available
    /// after each. Until the run is back nothing else of the walk may be used.
    #[inline]
    pub fn lend_run(&mut self) -> Run {
        if self.held != 1 || self.run.left < 2 {
            return Run::EMPTY;
        }
        self.run.lend_all_but_one()
    }

    /// Takes back what is left of a run.
    #[inline]
    pub fn return_run(&mut self, run: Run) {
        self.run.join(run);
    }

    /// Gives every block that was read to its end back to the kernel.
    #[inline]
    pub fn release(&mut self) {
        let keep = usize::from(self.run.left > 0);
        while self.held > keep {
            // Release: what we read of the block happens before the kernel may write to it again
            // (pairs with the kernel's read of the status in prb_dispatch_next_block).
            self.status(self.oldest)
                .store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.oldest = self.after(self.oldest);
            self.held -= 1;
        }
    }

    /// Whether [`next`](Self::next) would give a frame.
    pub fn available(&self) -> bool {
        self.run.left > 0 || self.next_block().is_some_and(|index| self.is_ready(index))
    }

    /// How long the last block took to fill, in nanoseconds; 0 when its timer closed it.
    pub fn fill_ns(&self) -> u64 {
        self.fill_ns
    }

    /// Frames in closed blocks that were not taken yet.
    pub fn queued(&self) -> u32 {
        let mut count = self.run.left;
        let mut index = if self.run.left > 0 {
            self.after(self.current)
        } else {
            self.current
        };
        for _ in self.held..self.block_count {
            if !self.is_ready(index) {
                break;
            }
            count = count.saturating_add(self.word(index, COUNT_OFFSET));
            index = self.after(index);
        }
        count
    }

    /// The stamp of the next frame, in nanoseconds, or None when no closed block has one.
    pub fn next_time(&self) -> Option<u64> {
        if self.run.left > 0 {
            return self.run.next_time();
        }
        let index = self.next_block().filter(|index| self.is_ready(*index))?;
        self.run_of(index).next_time()
    }
}

impl Walk {
    /// The bytes of the frame after the next, where they can be had without opening a block.
    #[inline]
    pub fn glimpse(&self) -> Option<Glimpse> {
        self.run.glimpse()
    }
}

impl Iterator for Walk {
    type Item = Frame;

    /// The next frame, or None when no closed block has one.
    #[inline(always)]
    fn next(&mut self) -> Option<Frame> {
        loop {
            if self.run.left == 0 && !self.open_block() {
                return None;
            }
            if let Some(frame) = self.take() {
                return Some(frame);
            }
        }
    }
}

#[cfg(test)]
mod tests;
