//! Walks a TPACKET_V2 ring: slots of one size, each handed over as soon as its frame is there.
//!
//! Layout and protocol: kernel Documentation/networking/packet_mmap.rst and
//! include/uapi/linux/if_packet.h. A slot belongs to the reader from the moment its status has
//! TP_STATUS_USER until the reader writes TP_STATUS_KERNEL. A frame that is larger than a slot comes
//! by the socket's queue as well (PACKET_COPY_THRESH), in the order of the slots.

use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{sockaddr_ll, tpacket2_hdr};

use super::meta::{Meta, ROOM_FROM, TAG_LEN};
use crate::backend::Glimpse;

/// Where the kernel puts the address of a frame, counted from the slot's start.
const ADDRESS_OFFSET: usize = size_of::<tpacket2_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT);
/// The least distance of a frame's bytes from the slot's start, with room for a tag before them.
const LEAST_MAC: usize = ADDRESS_OFFSET + ROOM_FROM + TAG_LEN as usize;
/// Bytes that a slot needs beyond those of its frame: what tpacket_rcv puts before an Ethernet frame
/// (header, address, alignment of the network header), rounded up.
pub const SLOT_OVERHEAD: u32 = 80;

/// How the slots lie in the mapping: they do not cross blocks.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Bytes of a slot.
    pub slot_size: usize,
    /// Slots of a block.
    pub per_block: usize,
    /// Bytes of a block.
    pub block_size: usize,
    /// Number of blocks.
    pub block_count: usize,
}

/// A place in the ring.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    block: usize,
    slot: usize,
}

/// A position in a ring of slots, and what the reader still holds.
///
/// The walk owns no memory: whoever makes it keeps the slots mapped for as long as it lives.
#[derive(Debug)]
pub struct Walk {
    base: NonNull<u8>,
    slots: Slots,
    /// The slot that is read next.
    current: Place,
    /// The oldest slot that was taken and not given back.
    oldest: Place,
    /// How many slots from `oldest` on are ours.
    held: usize,
}

// SAFETY: the walk is a cursor over memory that belongs to its owner; nothing in it is tied to the
// thread that made it.
unsafe impl Send for Walk {}

/// A slot that was taken.
pub(super) struct Taken {
    /// The kernel's notes. With TP_STATUS_COPY among the status bits a whole copy of the frame is in
    /// the socket's queue and has to be fetched, in turn.
    pub(super) meta: Meta,
    /// The frame's bytes, as far as the slot holds them.
    pub(super) data: NonNull<u8>,
}

impl Walk {
    /// Starts at the first slot.
    ///
    /// # Safety
    ///
    /// - `base` points to `block_count` blocks of `block_size` bytes, readable and writable, page
    ///   aligned, for as long as the walk lives.
    /// - Only the kernel (or a test in its place) writes to a slot whose status has no
    ///   TP_STATUS_USER, and only this walk's owner to the others.
    pub unsafe fn new(base: NonNull<u8>, slots: Slots) -> Self {
        Self {
            base,
            slots,
            current: Place::default(),
            oldest: Place::default(),
            held: 0,
        }
    }

    fn total(&self) -> usize {
        self.slots.per_block * self.slots.block_count
    }

    #[inline]
    fn at(&self, place: Place) -> NonNull<u8> {
        let offset = place.block * self.slots.block_size + place.slot * self.slots.slot_size;
        // SAFETY: places stay below `block_count` and `per_block`, so the slot lies in the mapping.
        unsafe { self.base.add(offset) }
    }

    #[inline]
    fn status(&self, place: Place) -> &AtomicU32 {
        const { assert!(offset_of!(tpacket2_hdr, tp_status) == 0) };
        // SAFETY: the status is the first word of the slot, aligned (slots are multiples of 16), and
        // only ever touched as an atomic while the kernel may write it.
        unsafe { AtomicU32::from_ptr(self.at(place).cast().as_ptr()) }
    }

    #[inline]
    fn after(&self, place: Place) -> Place {
        if place.slot + 1 < self.slots.per_block {
            Place {
                slot: place.slot + 1,
                ..place
            }
        } else if place.block + 1 < self.slots.block_count {
            Place {
                block: place.block + 1,
                slot: 0,
            }
        } else {
            Place::default()
        }
    }

    /// The place so many slots after the current one, fewer than the ring has.
    fn ahead(&self, slots: usize) -> Place {
        let index = self.current.block * self.slots.per_block + self.current.slot + slots;
        let index = index % self.total();
        Place {
            block: index / self.slots.per_block,
            slot: index % self.slots.per_block,
        }
    }

    /// The next slot with a frame, or None when there is none.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Taken> {
        loop {
            if self.held == self.total() {
                return None;
            }
            // Acquire: pairs with the kernel's barrier before it publishes the status
            // (__packet_set_status), so that all that is read of the slot afterwards is complete.
            let status = self.status(self.current).load(Ordering::Acquire);
            if status & libc::TP_STATUS_USER == 0 {
                return None;
            }
            let slot = self.at(self.current);
            self.current = self.after(self.current);
            self.held += 1;
            // SAFETY: the slot is ours now.
            if let Some(taken) = unsafe { self.read(slot, status) } {
                return Some(taken);
            }
        }
    }

    /// Reads a slot; None when its header cannot be true.
    ///
    /// # Safety
    ///
    /// The slot lies in the ring and is in our hands.
    #[inline]
    unsafe fn read(&self, slot: NonNull<u8>, status: u32) -> Option<Taken> {
        // SAFETY: a slot has room for both; read by value.
        let (header, address) = unsafe {
            (
                slot.cast::<tpacket2_hdr>().read_unaligned(),
                slot.add(ADDRESS_OFFSET)
                    .cast::<sockaddr_ll>()
                    .read_unaligned(),
            )
        };
        let mac = usize::from(header.tp_mac);
        if mac < LEAST_MAC || mac + header.tp_snaplen as usize > self.slots.slot_size {
            return None;
        }
        let meta = Meta {
            status,
            caplen: header.tp_snaplen,
            len: header.tp_len,
            sec: header.tp_sec,
            nsec: header.tp_nsec,
            tci: header.tp_vlan_tci,
            tpid: header.tp_vlan_tpid,
            ifindex: address.sll_ifindex,
            pkttype: address.sll_pkttype,
        };
        // SAFETY: the bytes lie in the slot (checked above).
        let data = unsafe { slot.add(mac) };
        Some(Taken { meta, data })
    }

    /// Gives every slot that was taken back to the kernel.
    #[inline]
    pub fn release(&mut self) {
        while self.held > 0 {
            // Release: what we read of the slot happens before the kernel may write to it again
            // (pairs with the kernel's read of the status in packet_lookup_frame).
            self.status(self.oldest)
                .store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.oldest = self.after(self.oldest);
            self.held -= 1;
        }
    }

    /// Whether so many frames, 1 or more, can be taken now.
    #[inline]
    pub fn has(&self, frames: u32) -> bool {
        let frames = frames.max(1) as usize;
        if self.held + frames > self.total() {
            return false;
        }
        let place = if frames == 1 {
            self.current
        } else {
            self.ahead(frames - 1)
        };
        self.status(place).load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
    }

    /// Frames that can be taken now.
    pub fn queued(&self) -> u32 {
        // Slots fill in order: the first that is not ours ends them. Looked for by halving.
        let (mut sure, mut beyond) = (0, self.total() - self.held + 1);
        while beyond - sure > 1 {
            let middle = sure + (beyond - sure) / 2;
            if self.has(middle as u32) {
                sure = middle
            } else {
                beyond = middle
            }
        }
        sure as u32
    }

    /// The bytes of the frame after the next, if it is there and untagged, as far as its slot has them.
    #[inline]
    pub fn glimpse(&self) -> Option<Glimpse> {
        if self.held + 2 > self.total() {
            return None;
        }
        let place = self.after(self.current);
        let status = self.status(place).load(Ordering::Acquire);
        if status & libc::TP_STATUS_USER == 0 || status & libc::TP_STATUS_VLAN_VALID != 0 {
            return None;
        }
        let slot = self.at(place);
        // SAFETY: the slot is ours: its status says so.
        let header = unsafe { slot.cast::<tpacket2_hdr>().read_unaligned() };
        let mac = usize::from(header.tp_mac);
        let room = self.slots.slot_size.checked_sub(mac)?;
        Some(Glimpse {
            // SAFETY: it lies in the slot, as there is room behind it.
            data: unsafe { slot.add(mac) },
            len: header.tp_snaplen.min(room as u32),
        })
    }

    /// The stamp of the next frame, in nanoseconds, or None when there is none.
    pub fn next_time(&self) -> Option<u64> {
        if !self.has(1) {
            return None;
        }
        // SAFETY: the slot is ours: its status says so.
        let header = unsafe {
            self.at(self.current)
                .cast::<tpacket2_hdr>()
                .read_unaligned()
        };
        Some(Meta::time_ns(header.tp_sec, header.tp_nsec))
    }
}

#[cfg(test)]
mod tests;
