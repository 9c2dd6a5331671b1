//! Sources of frames: the contract that each of them keeps, and the enum that the hot path calls
//! through (static dispatch, no allocation per packet).
//!
//! A backend never waits: it looks whether a frame is there. Waiting is the room `wait`.

use std::os::fd::RawFd;
use std::ptr::NonNull;

use crate::error::Result;

pub mod file;
pub mod tpacket;

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
pub enum Checksum {
    /// Nothing is known.
    Unknown,
    /// Not filled in yet: the hardware would have done it (TP_STATUS_CSUMNOTREADY).
    NotReady,
    /// Verified (TP_STATUS_CSUM_VALID).
    Valid,
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
    /// Arrival time, nanoseconds since 1970-01-01 00:00 UTC.
    pub ts_ns: u64,
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

impl Frame {
    /// The bytes that were kept.
    ///
    /// # Safety
    ///
    /// - The backend that made the frame is alive and [`RxBackend::release`] has not been called
    ///   since.
    /// - Nobody writes to the frame while the slice lives.
    #[inline]
    pub unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: `data` points to `caplen` readable bytes until release (contract of RxBackend::next).
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.caplen as usize) }
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

    /// Gives back every frame taken so far; their bytes may change from now on.
    fn release(&mut self);

    /// Whether [`next`](Self::next) would give a frame or an end of file. Takes nothing.
    fn available(&self) -> bool;

    /// Packets that are readable now and not yet taken.
    fn queued(&self) -> u32;

    /// Whether at least so many packets are readable now and not yet taken.
    fn has(&self, packets: u32) -> bool {
        self.queued() >= packets
    }

    /// Descriptors that become readable when a frame comes; empty for a source that is always
    /// ready.
    fn fds(&self) -> &[RawFd];
}

/// Any source of frames, dispatched without a virtual call.
pub enum RxAny {
    /// AF_PACKET.
    Tap(tpacket::TpacketRx),
    /// A capture file.
    File(file::FileRx),
}

/// Calls the same method on whichever source it is.
macro_rules! each {
    ($any:expr, $rx:ident => $call:expr) => {
        match $any {
            RxAny::Tap($rx) => $call,
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

    fn fds(&self) -> &[RawFd] {
        each!(self, rx => rx.fds())
    }
}
