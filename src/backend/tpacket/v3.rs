//! Walks a TPACKET_V3 ring: blocks of frames that the kernel hands over together.
//!
//! Layout and protocol: kernel Documentation/networking/packet_mmap.rst and
//! include/uapi/linux/if_packet.h. A block belongs to the reader from the moment its status has
//! TP_STATUS_USER until the reader writes TP_STATUS_KERNEL; a block that is still open in the
//! kernel shows no ready flag and is never looked into.

use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{sockaddr_ll, tpacket_block_desc, tpacket_hdr_v1, tpacket3_hdr};

use super::meta::{Meta, TAG_LEN};
use crate::backend::Frame;

/// Where the kernel puts the address of a frame, counted from the frame's header.
const ADDRESS_OFFSET: usize = size_of::<tpacket3_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT);
/// The least distance of a frame's bytes from its header.
const LEAST_MAC: usize = ADDRESS_OFFSET + size_of::<sockaddr_ll>() + TAG_LEN as usize;

const BLOCK_HEADER: usize = offset_of!(tpacket_block_desc, hdr);
const STATUS_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, block_status);
const COUNT_OFFSET: usize = BLOCK_HEADER + offset_of!(tpacket_hdr_v1, num_pkts);
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
    left: u32,
    /// Offset of the next frame in `current`.
    offset: usize,
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
            left: 0,
            offset: 0,
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

    /// Opens the next ready block. False when there is none.
    fn open_block(&mut self) -> bool {
        // A ready block without frames is possible (a timer that expired on an empty block).
        while let Some(index) = self.next_block() {
            if !self.is_ready(index) {
                return false;
            }
            self.held += 1;
            self.left = self.word(index, COUNT_OFFSET);
            self.offset = self.word(index, FIRST_OFFSET) as usize;
            if self.left > 0 {
                return true;
            }
            self.current = self.after(index);
        }
        false
    }

    /// Takes the frame at `offset`; None when its header cannot be true, which ends the block.
    #[inline]
    fn take(&mut self) -> Option<Frame> {
        let offset = self.offset;
        self.left -= 1;
        if offset + LEAST_MAC > self.block_size {
            self.finish_block();
            return None;
        }
        // SAFETY: the header and the address lie in the block (checked above), and the kernel does
        // not write to a block in our hands. Read by value: the offset is the kernel's.
        let (header, address) = unsafe {
            let at = self.block(self.current).add(offset);
            (
                at.cast::<tpacket3_hdr>().read_unaligned(),
                at.add(ADDRESS_OFFSET)
                    .cast::<sockaddr_ll>()
                    .read_unaligned(),
            )
        };
        let mac = usize::from(header.tp_mac);
        let present = header.tp_snaplen as usize;
        if mac < LEAST_MAC || offset + mac + present > self.block_size {
            self.finish_block();
            return None;
        }
        // SAFETY: the frame's bytes lie in the block (checked above).
        let data = unsafe { self.block(self.current).add(offset + mac) };
        if self.left == 0 {
            self.current = self.after(self.current);
        } else {
            self.offset = offset + (header.tp_next_offset as usize).max(LEAST_MAC);
        }
        let meta = Meta {
            status: header.tp_status,
            caplen: header.tp_snaplen,
            len: header.tp_len,
            sec: header.tp_sec,
            nsec: header.tp_nsec,
            tci: header.hv1.tp_vlan_tci as u16,
            tpid: header.hv1.tp_vlan_tpid,
            ifindex: address.sll_ifindex,
            pkttype: address.sll_pkttype,
        };
        // SAFETY: the frame lies in a block in our hands, with TAG_LEN bytes kept free before it
        // (PACKET_RESERVE; LEAST_MAC was checked).
        Some(unsafe { meta.frame(data, self.snaplen) })
    }

    /// Gives up the rest of the current block.
    #[cold]
    fn finish_block(&mut self) {
        self.left = 0;
        self.current = self.after(self.current);
    }

    /// Gives every block that was read to its end back to the kernel.
    #[inline]
    pub fn release(&mut self) {
        let keep = usize::from(self.left > 0);
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
        self.left > 0 || self.next_block().is_some_and(|index| self.is_ready(index))
    }

    /// Frames in closed blocks that were not taken yet.
    pub fn queued(&self) -> u32 {
        let mut count = self.left;
        let mut index = if self.left > 0 {
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
        let (index, offset) = if self.left > 0 {
            (self.current, self.offset)
        } else {
            let index = self.next_block().filter(|index| self.is_ready(*index))?;
            (index, self.word(index, FIRST_OFFSET) as usize)
        };
        if offset + LEAST_MAC > self.block_size {
            return None;
        }
        // SAFETY: the header lies in the block (checked above), which is in our hands.
        let header = unsafe {
            self.block(index)
                .add(offset)
                .cast::<tpacket3_hdr>()
                .read_unaligned()
        };
        Some(Meta::time_ns(header.tp_sec, header.tp_nsec))
    }
}

impl Iterator for Walk {
    type Item = Frame;

    /// The next frame, or None when no closed block has one.
    #[inline]
    fn next(&mut self) -> Option<Frame> {
        loop {
            if self.left == 0 && !self.open_block() {
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
