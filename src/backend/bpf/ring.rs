//! The ring buffer as its reader sees it: records one behind the other, the place up to which the kernel
//! may write in a page of its own.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::program::{CHECKED, DATA, Notes, REAL_TIME, SENT, TAGGED};
use crate::backend::{Checksum, Frame, FrameDirection, Stamp};
use crate::error::Result;
use crate::sys::mmap::Mapping;
use crate::sys::{bpf, page_size};

/// Bits of a record's length: the kernel is still writing it; it was given up.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
/// Before each record: its length, and a number for the kernel.
const RECORD_HEADER: u64 = 8;
/// Records begin at multiples of this.
const ALIGN: u64 = 8;

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
    /// As far as the kernel was told.
    released: u64,
}

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
            released: 0,
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

    /// Whether a record, perhaps one that is still written, lies ahead.
    #[inline]
    fn is_behind(&self) -> bool {
        Self::position(&self.producer).load(Ordering::Acquire) != self.next
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
            let data = NonNull::new_unchecked(header.add(RECORD_HEADER as usize));
            (length, data)
        }
    }

    fn behind(position: u64, length: u32) -> u64 {
        let bytes = u64::from(length & !(BUSY | DISCARDED)) + RECORD_HEADER;
        position + bytes.next_multiple_of(ALIGN)
    }

    /// Where the next whole record is, and the record; steps over those that were given up.
    #[inline]
    fn peek(&self) -> Option<(u64, NonNull<u8>, u32)> {
        let end = Self::position(&self.producer).load(Ordering::Acquire);
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

    /// Takes the next frame. `offset_ns`: CLOCK_TAI less the real time.
    #[inline]
    pub fn next(&mut self, snaplen: u32, offset_ns: u64) -> Option<Frame> {
        let (position, record, length) = self.peek()?;
        self.next = Self::behind(position, length);
        // SAFETY: the program writes notes at the start of each record; they are aligned to 8 bytes, as
        // records are.
        let notes = unsafe { record.cast::<Notes>().read() };
        // SAFETY: a record is longer than its notes.
        let data = unsafe { record.add(DATA) };
        let room = (length as usize).saturating_sub(DATA) as u32;
        let sent = notes.flags & SENT != 0;
        Some(Frame {
            data,
            caplen: notes.caplen.min(room).min(snaplen),
            len: notes.len,
            stamp: Stamp::from_ns(real_ns(&notes, offset_ns)),
            ifindex: notes.ifindex as i32,
            direction: if sent {
                FrameDirection::Sent
            } else {
                FrameDirection::Received
            },
            checksum: if notes.flags & CHECKED != 0 {
                Checksum::VALID
            } else {
                Checksum::UNKNOWN
            },
            moved_tci: (notes.flags & TAGGED != 0).then_some(notes.tci),
        })
    }

    /// The stamp of the next frame, in nanoseconds since 1970; `offset_ns` as for [`next`](Self::next).
    pub fn next_time(&self, offset_ns: u64) -> Option<u64> {
        let (_, record, _) = self.peek()?;
        // SAFETY: as in `next`.
        let notes = unsafe { record.cast::<Notes>().read() };
        Some(real_ns(&notes, offset_ns))
    }

    /// Whether a frame can be taken.
    #[inline]
    pub fn available(&self) -> bool {
        self.peek().is_some()
    }

    /// Whether something lies ahead, if only a record that is still written: the descriptor is readable.
    pub fn is_pending(&self) -> bool {
        self.is_behind()
    }

    /// Whole frames that lie ahead, counted up to `most`.
    pub fn count(&self, most: u32) -> u32 {
        let end = Self::position(&self.producer).load(Ordering::Acquire);
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
fn real_ns(notes: &Notes, offset_ns: u64) -> u64 {
    if notes.flags & REAL_TIME != 0 {
        notes.time_ns
    } else {
        notes.time_ns.wrapping_sub(offset_ns)
    }
}

/// Bytes before the records.
#[inline]
fn page_size_of(producer: &Mapping, size: u64) -> usize {
    producer.len() - 2 * size as usize
}
