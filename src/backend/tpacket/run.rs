//! A run: frames of one TPACKET_V3 block that are lent out together, so that each is taken with a few
//! instructions and no look at the ring behind them.
//!
//! Nearly every packet that arrives fast is taken from a run, and most of these are plain: nothing in the
//! ring has to be changed, so the kernel's notes are read where they lie. The last frame of a block is
//! left to the walk that lent the run, which gives blocks back.

use std::mem::offset_of;
use std::ptr::NonNull;

use libc::{sockaddr_ll, tpacket3_hdr};

use super::meta::{Meta, ROOM_FROM, TAG_LEN, checksum, direction};
use crate::backend::{AnyFrame, Checksum, Frame, FrameDirection, Glimpse, Stamp};
use crate::sys::mmap::prefetch;

/// What lies in front of a frame. The program of a BPF ring writes the same.
#[repr(C, packed)]
pub(in crate::backend) struct FrameHeader {
    pub(in crate::backend) notes: tpacket3_hdr,
    /// Behind it, aligned to 16 bytes, the address: 48 is a multiple of that.
    pub(in crate::backend) address: sockaddr_ll,
}

const _: () = assert!(size_of::<tpacket3_hdr>().is_multiple_of(libc::TPACKET_ALIGNMENT));

/// The least distance of a frame's bytes from its header, with room for a tag before them.
const LEAST_MAC: usize = offset_of!(FrameHeader, address) + ROOM_FROM + TAG_LEN as usize;
const _: () = assert!(LEAST_MAC <= size_of::<FrameHeader>());

/// How many frames ahead of the reader memory is fetched. A block was last touched by the CPU that
/// received, and comes from memory or from the other CPU's cache.
const AHEAD: usize = 32;
/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Frames of a block, not taken yet.
#[derive(Debug)]
pub struct Run {
    /// How many.
    pub(in crate::backend) left: u32,
    snaplen: u32,
    /// The header of the next frame: the kernel's word, to be checked.
    pub(in crate::backend) next: *mut u8,
    /// The end of the block.
    end: *mut u8,
}

// SAFETY: a run is a cursor over memory that belongs to its lender; nothing in it is tied to the thread
// that made it.
unsafe impl Send for Run {}

/// A plain frame of a run, its notes still in the ring.
#[derive(Clone, Copy)]
pub struct RunFrame<'a> {
    header: &'a FrameHeader,
    data: NonNull<u8>,
    caplen: u32,
}

impl Run {
    /// No frames.
    pub const EMPTY: Self = Self {
        left: 0,
        snaplen: 0,
        next: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
    };

    /// Whether the lender has to get it back: also when all of it was taken.
    #[inline]
    pub fn is_lent(&self) -> bool {
        !self.end.is_null()
    }

    /// # Safety
    ///
    /// - `end` is the end of a block that stays in the reader's hands while `left` is not 0.
    /// - `next` lies in the block, or is wrong by what the kernel said.
    pub(in crate::backend) unsafe fn new(
        next: *mut u8,
        end: *mut u8,
        left: u32,
        snaplen: u32,
    ) -> Self {
        Self {
            left,
            snaplen,
            next,
            end,
        }
    }

    /// Splits off a run of all frames but the last one.
    pub(super) fn lend_all_but_one(&mut self) -> Self {
        let lent = Self {
            left: self.left - 1,
            ..*self
        };
        self.left = 1;
        lent
    }

    /// Takes back what is left of a run that was split off.
    pub(super) fn join(&mut self, lent: Self) {
        self.left += lent.left;
        self.next = lent.next;
    }

    /// The stamp of the next frame, in nanoseconds.
    pub(super) fn next_time(&self) -> Option<u64> {
        if self.left == 0 {
            return None;
        }
        // SAFETY: the block is in our hands (contract of `new`).
        let header = unsafe { look(self.next, self.end)? };
        Some(Meta::time_ns(header.notes.tp_sec, header.notes.tp_nsec))
    }

    /// The bytes of the frame after the next, if it is an untagged one.
    #[inline]
    pub(super) fn glimpse(&self) -> Option<Glimpse> {
        if self.left < 2 {
            return None;
        }
        // SAFETY: the block is in our hands (contract of `new`).
        let header = unsafe { look(self.next, self.end)? };
        let place = self.next.wrapping_add(header.notes.tp_next_offset as usize);
        // SAFETY: as above.
        let header = unsafe { look(place, self.end)? };
        let data = place.wrapping_add(header.notes.tp_mac.into());
        let len = header.notes.tp_snaplen;
        let tagged = header.notes.tp_status & libc::TP_STATUS_VLAN_VALID != 0;
        if tagged || data.wrapping_add(len as usize) > self.end {
            return None;
        }
        // SAFETY: it lies in the block.
        let data = unsafe { NonNull::new_unchecked(data) };
        Some(Glimpse { data, len })
    }

    /// Takes the next frame if it is a plain one: untagged, not longer than the snap length, its header
    /// true. None, and nothing is taken, in all other cases.
    ///
    /// # Safety
    ///
    /// - The frame is not used after the lender's next release.
    #[inline(always)]
    pub unsafe fn take_plain<'a>(&mut self) -> Option<RunFrame<'a>> {
        let left = self.left.checked_sub(1)?;
        // SAFETY: the block is in our hands (contract of `new`).
        let header = unsafe { look(self.next, self.end)? };
        let caplen = header.notes.tp_snaplen;
        let data = self.next.wrapping_add(header.notes.tp_mac.into());
        // Negative where the frame would begin behind the block.
        let room = (self.end as i64).wrapping_sub(data as i64);
        if header.notes.tp_status & libc::TP_STATUS_VLAN_VALID != 0
            || caplen > self.snaplen
            || i64::from(caplen) > room
        {
            return None;
        }
        self.advance(left, header);
        Some(RunFrame {
            header,
            // SAFETY: it lies in the block, behind the header.
            data: unsafe { NonNull::new_unchecked(data) },
            caplen,
        })
    }

    /// Takes the next frame, with its tag put back. None when there is none, or its header cannot be true;
    /// nothing is taken then.
    #[inline(always)]
    pub fn take_any(&mut self) -> Option<Frame> {
        let left = self.left.checked_sub(1)?;
        // SAFETY: the block is in our hands (contract of `new`).
        let header = unsafe { look(self.next, self.end)? };
        let meta = header.meta();
        let mac = usize::from(header.notes.tp_mac);
        let data = self.next.wrapping_add(mac);
        if mac < LEAST_MAC || data.wrapping_add(meta.caplen as usize) > self.end {
            return None;
        }
        self.advance(left, header);
        // SAFETY: the frame lies in a block in our hands, with TAG_LEN bytes before it that nobody needs
        // any more (LEAST_MAC was checked; the address was read).
        Some(unsafe { meta.frame(NonNull::new_unchecked(data), self.snaplen) })
    }

    #[inline(always)]
    fn advance(&mut self, left: u32, header: &FrameHeader) {
        let step = header.notes.tp_next_offset as usize;
        // Header, address and the first bytes of a frame lie in two lines, or in three of which the
        // last is the first of the next frame.
        let ahead = self.next.wrapping_add(step * AHEAD);
        prefetch(ahead);
        prefetch(ahead.wrapping_add(LINE));
        self.left = left;
        self.next = self.next.wrapping_add(step);
    }
}

/// The header at a place in a block; None when it would not end in the block.
///
/// # Safety
///
/// - `end` is the end of a block in the reader's hands, for as long as the header is used.
/// - `place` lies not before the block. (Adding the kernel's 32-bit offsets to an address of ours never
///   wraps round in 64 bits.)
#[inline(always)]
unsafe fn look<'a>(place: *mut u8, end: *mut u8) -> Option<&'a FrameHeader> {
    if place.wrapping_add(size_of::<FrameHeader>()) > end {
        return None;
    }
    // SAFETY: it lies in the block, where the kernel does not write now; being packed it may have any
    // alignment.
    Some(unsafe { &*place.cast::<FrameHeader>() })
}

impl FrameHeader {
    /// The kernel's notes.
    #[inline(always)]
    pub(in crate::backend) fn meta(&self) -> Meta {
        Meta {
            status: self.notes.tp_status,
            caplen: self.notes.tp_snaplen,
            len: self.notes.tp_len,
            sec: self.notes.tp_sec,
            nsec: self.notes.tp_nsec,
            tci: self.notes.hv1.tp_vlan_tci as u16,
            tpid: self.notes.hv1.tp_vlan_tpid,
            ifindex: self.address.sll_ifindex,
            pkttype: self.address.sll_pkttype,
        }
    }
}

impl AnyFrame for RunFrame<'_> {
    #[inline(always)]
    fn data(&self) -> NonNull<u8> {
        self.data
    }

    #[inline(always)]
    fn caplen(&self) -> u32 {
        self.caplen
    }

    #[inline(always)]
    fn wire_len(&self) -> u32 {
        self.header.notes.tp_len
    }

    #[inline(always)]
    fn lengths(&self) -> [u32; 2] {
        const { assert!(offset_of!(tpacket3_hdr, tp_snaplen) + 4 == offset_of!(tpacket3_hdr, tp_len)) };
        // SAFETY: the second lies behind the first.
        unsafe {
            (&raw const self.header.notes.tp_snaplen)
                .cast::<[u32; 2]>()
                .read_unaligned()
        }
    }

    #[inline(always)]
    fn stamp(&self) -> Stamp {
        Stamp {
            sec: self.header.notes.tp_sec.into(),
            nsec: self.header.notes.tp_nsec,
        }
    }

    #[inline(always)]
    fn ifindex(&self) -> i32 {
        self.header.address.sll_ifindex
    }

    #[inline(always)]
    fn direction(&self) -> FrameDirection {
        direction(self.header.address.sll_pkttype)
    }

    #[inline(always)]
    fn checksum(&self) -> Checksum {
        checksum(self.header.notes.tp_status)
    }

    #[inline(always)]
    fn moved_tci(&self) -> Option<u16> {
        None
    }
}
