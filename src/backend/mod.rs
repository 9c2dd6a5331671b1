//! Sources of frames: the contract that each of them keeps, and the enum that the hot path calls
//! through (static dispatch, no allocation per packet).
//!
//! A backend never waits: it looks whether a frame is there. Waiting is the room `wait`.

use std::os::fd::RawFd;
use std::ptr::NonNull;

use crate::error::Result;

pub mod bpf;
pub mod file;
pub mod tpacket;

pub use tpacket::{Run, RunFrame};

/// Which way a frame crossed the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameDirection {
    /// It came in.
    Received,
    /// This host sent it.
    Sent,
}

/// What the kernel knows of a frame's checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(pub u8);

impl Checksum {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self(0);
    /// Not filled in yet: the hardware would have done it (TP_STATUS_CSUMNOTREADY).
    pub const NOT_READY: Self = Self(1);
    /// Verified (TP_STATUS_CSUM_VALID).
    pub const VALID: Self = Self(2);
}

/// A time since 1970-01-01 00:00 UTC, in the two parts that kernel and C count in: nothing has to be
/// divided for each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Whole seconds.
    pub sec: u64,
    /// Nanoseconds of the second.
    pub nsec: u32,
}

impl Stamp {
    /// From nanoseconds.
    pub fn from_ns(ns: u64) -> Self {
        Self {
            sec: ns / 1_000_000_000,
            nsec: (ns % 1_000_000_000) as u32,
        }
    }

    /// In nanoseconds.
    #[inline]
    pub fn to_ns(self) -> u64 {
        self.sec
            .wrapping_mul(1_000_000_000)
            .wrapping_add(self.nsec.into())
    }
}

/// One frame, as it lies in a ring or a buffer of the backend.
///
/// The bytes stay valid and are not moved until the next call of [`RxBackend::release`] or until
/// the backend is dropped; the owner of the frame may write to them.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The first byte of the link-layer header.
    pub data: NonNull<u8>,
    /// Bytes present at `data`, at most the snap length.
    pub caplen: u32,
    /// Bytes on the wire, without FCS, with VLAN tags.
    pub len: u32,
    /// Arrival time.
    pub stamp: Stamp,
    /// Index of the interface; 0 for a file.
    pub ifindex: i32,
    /// Which way it went.
    pub direction: FrameDirection,
    /// What is known of its checksums.
    pub checksum: Checksum,
    /// The TCI of the tag that the kernel had moved to metadata, and that was put back; None where
    /// no tag had been moved.
    pub moved_tci: Option<u16>,
}

/// A frame, wherever its notes are: here, or still in the ring.
pub trait AnyFrame {
    /// As [`Frame::data`].
    fn data(&self) -> NonNull<u8>;
    /// As [`Frame::caplen`].
    fn caplen(&self) -> u32;
    /// As [`Frame::len`].
    fn wire_len(&self) -> u32;
    /// Both, in one access where they lie side by side.
    #[inline(always)]
    fn lengths(&self) -> [u32; 2] {
        [self.caplen(), self.wire_len()]
    }
    /// As [`Frame::stamp`].
    fn stamp(&self) -> Stamp;
    /// As [`Frame::ifindex`].
    fn ifindex(&self) -> i32;
    /// As [`Frame::direction`].
    fn direction(&self) -> FrameDirection;
    /// As [`Frame::checksum`].
    fn checksum(&self) -> Checksum;
    /// As [`Frame::moved_tci`].
    fn moved_tci(&self) -> Option<u16>;

    /// The bytes that were kept.
    ///
    /// # Safety
    ///
    /// - The backend that made the frame is alive and [`RxBackend::release`] has not been called
    ///   since.
    /// - Nobody writes to the frame while the slice lives.
    #[inline(always)]
    unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: `data` points to `caplen` readable bytes until release (contract of RxBackend::next).
        unsafe { std::slice::from_raw_parts(self.data().as_ptr(), self.caplen() as usize) }
    }
}

impl AnyFrame for Frame {
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
        self.len
    }

    #[inline(always)]
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    #[inline(always)]
    fn ifindex(&self) -> i32 {
        self.ifindex
    }

    #[inline(always)]
    fn direction(&self) -> FrameDirection {
        self.direction
    }

    #[inline(always)]
    fn checksum(&self) -> Checksum {
        self.checksum
    }

    #[inline(always)]
    fn moved_tci(&self) -> Option<u16> {
        self.moved_tci
    }
}

/// Bytes of a frame that was not taken yet.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse {
    /// The first byte of the link-layer header.
    pub data: NonNull<u8>,
    /// Bytes there.
    pub len: u32,
}

impl Glimpse {
    /// The bytes.
    ///
    /// # Safety
    ///
    /// - The backend is alive, and no frame was taken from it and nothing released since.
    #[inline]
    pub unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: they lie in memory of the backend that is in the reader's hands.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.len as usize) }
    }
}

/// A source of frames.
pub trait RxBackend {
    /// The next frame, or None when none is there now. Never blocks.
    ///
    /// Frames taken since the last [`release`](Self::release) all stay valid together.
    ///
    /// # Errors
    ///
    /// [`EndOfFile`](crate::error::Error::EndOfFile) when no frame can ever come again.
    fn next(&mut self) -> Result<Option<Frame>>;

    /// Lends out frames that may be taken without any other call; empty where there are none. Until the
    /// run is back ([`return_run`](Self::return_run)) no other method may be called.
    fn lend_run(&mut self) -> Run {
        Run::EMPTY
    }

    /// Takes back a run that it lent.
    fn return_run(&mut self, run: Run) {
        let _ = run;
    }

    /// Gives back every frame taken so far; their bytes may change from now on.
    fn release(&mut self);

    /// Whether [`next`](Self::next) would give a frame or an end of file. Takes nothing.
    fn available(&self) -> bool;

    /// The bytes of the frame after the next, where they can be seen at no cost: a hint what to fetch into the
    /// cache. Takes nothing.
    #[inline]
    fn glimpse(&self) -> Option<Glimpse> {
        None
    }

    /// The stamp of the next frame in nanoseconds, 0 where it has none; None when no frame is there, or its
    /// stamp cannot be seen before it is taken. Takes nothing.
    fn next_time(&self) -> Option<u64> {
        None
    }

    /// Packets that are readable now and not yet taken.
    fn queued(&self) -> u32;

    /// Whether at least so many packets are readable now and not yet taken.
    fn has(&self, packets: u32) -> bool {
        self.queued() >= packets
    }

    /// Called when a descriptor was readable and no frame was there: takes away what made it so.
    fn settle(&mut self) {}

    /// How long a reader that found nothing had best sleep before it waits for the descriptors, in
    /// nanoseconds: frames come so fast that it would be woken more often than is good. Mostly 0.
    fn nap_ns(&mut self) -> u64 {
        0
    }

    /// How much longer a frame that lies ahead is held back, in nanoseconds; 0: none is. The descriptors are
    /// readable meanwhile.
    fn held_ns(&self) -> u64 {
        0
    }

    /// Called before somebody sleeps until a descriptor is readable. True when a frame lies ahead, or is
    /// being written, of which the descriptors may say nothing.
    fn arm(&mut self) -> bool {
        false
    }

    /// Descriptors that become readable when a frame comes; empty for a source that is always
    /// ready.
    fn fds(&self) -> &[RawFd];
}

/// Any source of frames, dispatched without a virtual call.
pub enum RxAny {
    /// AF_PACKET.
    Tap(tpacket::TpacketRx),
    /// A BPF ring buffer.
    Bpf(bpf::BpfRx),
    /// A capture file.
    File(file::FileRx),
}

/// Calls the same method on whichever source it is.
macro_rules! each {
    ($any:expr, $rx:ident => $call:expr) => {
        match $any {
            RxAny::Tap($rx) => $call,
            RxAny::Bpf($rx) => $call,
            RxAny::File($rx) => $call,
        }
    };
}

impl RxBackend for RxAny {
    #[inline]
    fn next(&mut self) -> Result<Option<Frame>> {
        each!(self, rx => rx.next())
    }

    #[inline]
    fn lend_run(&mut self) -> Run {
        each!(self, rx => rx.lend_run())
    }

    #[inline]
    fn return_run(&mut self, run: Run) {
        each!(self, rx => rx.return_run(run));
    }

    #[inline]
    fn release(&mut self) {
        each!(self, rx => rx.release());
    }

    #[inline]
    fn available(&self) -> bool {
        each!(self, rx => rx.available())
    }

    fn queued(&self) -> u32 {
        each!(self, rx => rx.queued())
    }

    fn has(&self, packets: u32) -> bool {
        each!(self, rx => rx.has(packets))
    }

    #[inline]
    fn glimpse(&self) -> Option<Glimpse> {
        each!(self, rx => rx.glimpse())
    }

    fn next_time(&self) -> Option<u64> {
        each!(self, rx => rx.next_time())
    }

    fn settle(&mut self) {
        each!(self, rx => rx.settle());
    }

    fn nap_ns(&mut self) -> u64 {
        each!(self, rx => rx.nap_ns())
    }

    fn held_ns(&self) -> u64 {
        each!(self, rx => rx.held_ns())
    }

    fn arm(&mut self) -> bool {
        each!(self, rx => rx.arm())
    }

    fn fds(&self) -> &[RawFd] {
        each!(self, rx => rx.fds())
    }
}
