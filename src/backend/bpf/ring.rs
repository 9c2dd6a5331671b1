//! The ring buffer as its reader sees it: records one behind the other, the place up to which the kernel
//! may write in a page of its own.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::program::{DATA, RECORD_HEADER};
use crate::backend::tpacket::meta::Meta;
use crate::backend::tpacket::run::FrameHeader;
use crate::backend::{Frame, Run};
use crate::error::Result;
use crate::sys::mmap::{Mapping, prefetch};
use crate::sys::{bpf, page_size};

/// Bits of a record's length: the kernel is still writing it; it was given up.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
/// Records begin at multiples of this.
const ALIGN: u64 = 8;
/// How far ahead of a look memory is fetched: sixteen of the smallest frames, which come fastest. A hint that
/// reaches behind the mapping does no harm.
const AHEAD: usize = 16 * 152;
/// Bytes of a line of the cache.
const LINE: usize = 64;
/// The most frames of a run: each is looked at twice, so they had better stay in the nearest cache.
const RUN: u32 = 64;

/// The reading side of a ring buffer.
#[derive(Debug)]
pub struct Ring {
    // In this order: the mappings go before the descriptor.
    /// One page that we write: how far the reader is.
    consumer: Mapping,
    /// One page that the kernel writes, then all records twice, so that none is cut by the end.
    producer: Mapping,
    fd: OwnedFd,
    /// Bytes of records, a power of two.
    size: u64,
    /// Where the next record is, ever growing.
    next: u64,
    /// As far as the kernel had written when it was last looked at: its position is a line of memory that
    /// changes with each frame.
    end: u64,
    /// As far as the kernel was told.
    released: u64,
    /// Where a run that is lent begins.
    lent: *mut u8,
}

// SAFETY: `lent` is a place in the mapping, which moves with the ring; nothing is tied to the thread that made
// it.
unsafe impl Send for Ring {}

impl Ring {
    /// Makes a ring of `bytes`, a power of two.
    ///
    /// # Errors
    ///
    /// `Os`: EPERM, ENOMEM; `OutOfMemory`.
    pub fn new(bytes: u32) -> Result<Self> {
        let fd = bpf::ring_buffer(bytes)?;
        let page = page_size();
        Ok(Self {
            consumer: Mapping::new(&fd, page)?,
            producer: Mapping::read_only(&fd, page as u64, page + 2 * bytes as usize)?,
            fd,
            size: bytes.into(),
            next: 0,
            end: 0,
            released: 0,
            lent: std::ptr::null_mut(),
        })
    }

    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    pub fn bytes(&self) -> u64 {
        self.size
    }

    fn position(map: &Mapping) -> &AtomicU64 {
        // SAFETY: the first eight bytes of either page are a position that kernel and reader access
        // atomically; a page is aligned, and mapped while `map` lives.
        unsafe { &*map.base().cast::<AtomicU64>() }
    }

    /// As far as the kernel has written, or lower.
    #[inline]
    fn known_end(&self) -> u64 {
        if self.next == self.end {
            self.end_now()
        } else {
            self.end
        }
    }

    fn end_now(&self) -> u64 {
        Self::position(&self.producer).load(Ordering::Acquire)
    }

    /// The length word of the record at a position, and the record behind it.
    #[inline]
    fn record(&self, position: u64) -> (u32, NonNull<u8>) {
        let at = page_size_of(&self.producer, self.size) as u64 + (position & (self.size - 1));
        // SAFETY: the mapping has a page and twice `size` bytes; `at` lies before the second copy, so a record
        // header and a record of at most `size` bytes behind it lie within. Never NULL.
        unsafe {
            let header = self.producer.base().add(at as usize);
            let length = (*header.cast::<AtomicU32>()).load(Ordering::Acquire);
            let data = NonNull::new_unchecked(header.add(RECORD_HEADER));
            (length, data)
        }
    }

    fn behind(position: u64, length: u32) -> u64 {
        let bytes = u64::from(length & !(BUSY | DISCARDED)) + RECORD_HEADER as u64;
        position + bytes.next_multiple_of(ALIGN)
    }

    /// Where the next whole record is, and the record; steps over those that were given up.
    #[inline]
    fn peek(&self) -> Option<(u64, NonNull<u8>, u32)> {
        let end = self.known_end();
        let mut position = self.next;
        while position != end {
            let (length, data) = self.record(position);
            if length & BUSY != 0 {
                return None;
            }
            if length & DISCARDED == 0 {
                return Some((position, data, length));
            }
            position = Self::behind(position, length);
        }
        None
    }

    /// The notes of a whole record.
    #[inline]
    fn notes(record: NonNull<u8>) -> Meta {
        // SAFETY: the program writes a header at the start of each record, and a record that is whole is not
        // written to any more.
        unsafe { (*record.cast::<FrameHeader>().as_ptr()).meta() }
    }

    /// Takes the next frame. Its tag is in place already.
    #[inline]
    pub fn next(&mut self, snaplen: u32) -> Option<Frame> {
        self.end = self.known_end();
        let (position, record, length) = self.peek()?;
        self.next = Self::behind(position, length);
        let notes = Self::notes(record);
        // SAFETY: a record is longer than its header.
        let mut frame = notes.untagged(unsafe { record.add(DATA) });
        let room = (length as usize).saturating_sub(DATA) as u32;
        frame.caplen = frame.caplen.min(room).min(snaplen);
        frame.moved_tci = is_tagged(&notes).then_some(notes.tci);
        Some(frame)
    }

    /// Lends what lies ahead, up to a frame that is still written, was given up or has a tag; the last of them
    /// is kept.
    #[inline]
    pub fn lend(&mut self, snaplen: u32) -> Run {
        let end = self.known_end();
        let (_, start) = self.record(self.next);
        let (mut position, mut frames) = (self.next, 0);
        while position != end && frames < RUN {
            let (length, record) = self.record(position);
            if length & (BUSY | DISCARDED) != 0 || is_tagged(&Self::notes(record)) {
                break;
            }
            let ahead = record.as_ptr().wrapping_add(AHEAD);
            prefetch(ahead);
            prefetch(ahead.wrapping_add(LINE));
            position = Self::behind(position, length);
            frames += 1;
        }
        if frames < 2 {
            return Run::EMPTY;
        }
        self.end = end;
        self.lent = start.as_ptr();
        let behind = self.lent.wrapping_add((position - self.next) as usize);
        // SAFETY: so many whole records lie one behind the other from `start` on, the kernel does not write to
        // them before they are given back, and the ring's second copy lies behind its first.
        unsafe { Run::new(self.lent, behind, frames - 1, snaplen) }
    }

    /// Takes back what was lent.
    #[inline]
    pub fn take_back(&mut self, run: &Run) {
        self.next += (run.next as usize - self.lent as usize) as u64;
    }

    /// The stamp of the next frame, in nanoseconds since 1970.
    pub fn next_time(&self) -> Option<u64> {
        let (_, record, _) = self.peek()?;
        let notes = Self::notes(record);
        Some(Meta::time_ns(notes.sec, notes.nsec))
    }

    /// Whether a frame can be taken.
    #[inline]
    pub fn available(&self) -> bool {
        self.peek().is_some()
    }

    /// Whether something lies ahead, if only a record that is still written: the descriptor is readable.
    pub fn is_pending(&self) -> bool {
        self.end_now() != self.next
    }

    /// Whole frames that lie ahead, counted up to `most`.
    pub fn count(&self, most: u32) -> u32 {
        let end = self.end_now();
        let (mut position, mut frames) = (self.next, 0);
        while position != end && frames < most {
            let (length, _) = self.record(position);
            if length & BUSY != 0 {
                break;
            }
            frames += u32::from(length & DISCARDED == 0);
            position = Self::behind(position, length);
        }
        frames
    }

    /// Gives back what was taken, when that is much: the position is a line of memory that the kernel reads.
    #[inline]
    pub fn release(&mut self) {
        if self.next - self.released >= self.size / 16 {
            self.release_all();
        }
    }

    /// Gives back all that was taken.
    pub fn release_all(&mut self) {
        if self.released != self.next {
            self.released = self.next;
            Self::position(&self.consumer).store(self.next, Ordering::Release);
        }
    }
}

#[inline]
fn is_tagged(notes: &Meta) -> bool {
    notes.status & libc::TP_STATUS_VLAN_VALID != 0
}

/// Bytes before the records.
#[inline]
fn page_size_of(producer: &Mapping, size: u64) -> usize {
    producer.len() - 2 * size as usize
}
