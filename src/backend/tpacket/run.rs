//! A run: frames of one TPACKET_V3 block that are lent out together, so that each is taken with a few
//! instructions and no look at the ring behind them.
//!
//! Nearly every packet that arrives fast is taken from a run. What is rare (a tag to put back, a header
//! that cannot be true, the last frame of a block) is left to the walk that lent the run.

use std::mem::offset_of;
use std::ptr::NonNull;

use libc::{sockaddr_ll, tpacket3_hdr};

use super::meta::{Meta, TAG_LEN, checksum, direction};
use crate::backend::{AnyFrame, Checksum, FrameDirection, Stamp};

/// What lies in front of a frame.
#[repr(C, packed)]
pub(super) struct FrameHeader {
    pub(super) notes: tpacket3_hdr,
    /// Behind it, aligned to 16 bytes, the address: 48 is a multiple of that.
    address: sockaddr_ll,
}

const _: () = assert!(size_of::<tpacket3_hdr>().is_multiple_of(libc::TPACKET_ALIGNMENT));

/// The least distance of a frame's bytes from its header.
pub(super) const LEAST_MAC: usize = size_of::<FrameHeader>() + TAG_LEN as usize;

/// How many frames ahead of the reader memory is fetched. A block was last touched by the CPU that
/// received, and comes from memory or from the other CPU's cache.
const AHEAD: usize = 16;
/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Frames of a block that were lent out, not taken yet.
#[derive(Debug)]
pub struct Run {
    /// How many.
    pub(super) left: u32,
    snaplen: u32,
    /// The header of the next frame: the kernel's word, to be checked.
    pub(super) next: *mut u8,
    /// The end of the block.
    end: *mut u8,
}

// SAFETY: a run is a cursor over memory that belongs to its lender; nothing in it is tied to the thread
// that made it.
unsafe impl Send for Run {}

/// A frame of a run: untagged, as it lies in the ring.
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
    pub(super) unsafe fn new(next: *mut u8, end: *mut u8, left: u32, snaplen: u32) -> Self {
        Self {
            left,
            snaplen,
            next,
            end,
        }
    }

    /// Takes the next frame. None, and nothing is taken, when there is none or the lender has to deal
    /// with it.
    #[inline(always)]
    pub fn take<'a>(&mut self) -> Option<RunFrame<'a>> {
        let left = self.left.checked_sub(1)?;
        // SAFETY: the block is in our hands (contract of `new`).
        let header = unsafe { look(self.next, self.end)? };
        let caplen = header.notes.tp_snaplen;
        let data = self.next.wrapping_add(header.notes.tp_mac.into());
        if header.notes.tp_status & libc::TP_STATUS_VLAN_VALID != 0
            || caplen > self.snaplen
            || data.wrapping_add(caplen as usize) > self.end
        {
            return None;
        }
        let step = header.notes.tp_next_offset as usize;
        // Header, address and the first bytes of a frame lie in up to three lines.
        let ahead = self.next.wrapping_add(step * AHEAD);
        prefetch(ahead);
        prefetch(ahead.wrapping_add(LINE));
        prefetch(ahead.wrapping_add(2 * LINE));
        self.left = left;
        self.next = self.next.wrapping_add(step);
        Some(RunFrame {
            header,
            // SAFETY: it lies in the block, behind the header.
            data: unsafe { NonNull::new_unchecked(data) },
            caplen,
        })
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
pub(super) unsafe fn look<'a>(place: *mut u8, end: *mut u8) -> Option<&'a FrameHeader> {
    if place.wrapping_add(LEAST_MAC) > end {
        return None;
    }
    // SAFETY: it lies in the block, where the kernel does not write now; being packed it may have any
    // alignment.
    Some(unsafe { &*place.cast::<FrameHeader>() })
}

impl FrameHeader {
    /// The kernel's notes.
    #[inline(always)]
    pub(super) fn meta(&self) -> Meta {
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

/// Asks for a line of memory; wrong addresses do no harm.
#[inline(always)]
fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it reads nothing that could fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
