//! What the kernel notes of a frame, in either ring layout, made into a [`Frame`].

use std::ptr::NonNull;

use crate::backend::{Checksum, Frame, FrameDirection, Stamp};

/// Bytes kept free before each frame, so that a tag can be put back in place.
pub const TAG_LEN: u32 = 4;
/// Where the part of a frame's address begins that is of no use to us, the hardware address: a tag is put
/// back there, as the kernel leaves no other room before a frame with a long link-layer header.
pub const ROOM_FROM: usize = std::mem::offset_of!(libc::sockaddr_ll, sll_addr);
const MACS_LEN: usize = 12;
const DEFAULT_TPID: u16 = 0x8100;

/// The kernel's notes of a frame.
pub(in crate::backend) struct Meta {
    /// TP_STATUS_* bits.
    pub(in crate::backend) status: u32,
    /// Bytes present, without the tag that was moved out.
    pub(in crate::backend) caplen: u32,
    /// Bytes on the wire, without that tag.
    pub(in crate::backend) len: u32,
    /// Arrival, seconds.
    pub(in crate::backend) sec: u32,
    /// Arrival, nanoseconds.
    pub(in crate::backend) nsec: u32,
    /// The tag, valid with TP_STATUS_VLAN_VALID.
    pub(in crate::backend) tci: u16,
    /// Its type, valid with TP_STATUS_VLAN_TPID_VALID.
    pub(in crate::backend) tpid: u16,
    /// Interface.
    pub(in crate::backend) ifindex: i32,
    /// PACKET_OUTGOING and others.
    pub(in crate::backend) pkttype: u8,
}

impl Meta {
    /// The stamp, in nanoseconds since 1970.
    #[inline]
    pub(in crate::backend) fn time_ns(sec: u32, nsec: u32) -> u64 {
        u64::from(sec) * 1_000_000_000 + u64::from(nsec)
    }

    /// The frame, with its tag back in place, cut to the snap length.
    ///
    /// # Safety
    ///
    /// - `data` points to `caplen` bytes that are ours to write, and [`TAG_LEN`] such bytes lie before
    ///   it.
    #[inline(always)]
    pub(in crate::backend) unsafe fn frame(&self, data: NonNull<u8>, snaplen: u32) -> Frame {
        let mut frame = self.untagged(data);
        if self.status & libc::TP_STATUS_VLAN_VALID != 0 && self.caplen as usize >= MACS_LEN {
            // SAFETY: the contract of this function; the frame has at least the MAC addresses.
            frame.data = unsafe { put_tag_back(data, self.tag()) };
            frame.caplen += TAG_LEN;
            // Only a length that cannot be true wraps round.
            frame.len = frame.len.wrapping_add(TAG_LEN);
            frame.moved_tci = Some(self.tci);
        }
        frame.caplen = frame.caplen.min(snaplen);
        frame
    }

    /// The tag that was moved out, as on the wire.
    #[inline(always)]
    fn tag(&self) -> [u8; TAG_LEN as usize] {
        let tpid = if self.status & libc::TP_STATUS_VLAN_TPID_VALID != 0 {
            self.tpid
        } else {
            DEFAULT_TPID
        };
        (u32::from(tpid) << 16 | u32::from(self.tci)).to_be_bytes()
    }

    /// The frame as it lies there, without a tag that was moved out.
    #[inline(always)]
    pub(in crate::backend) fn untagged(&self, data: NonNull<u8>) -> Frame {
        Frame {
            data,
            caplen: self.caplen,
            len: self.len,
            stamp: Stamp {
                sec: self.sec.into(),
                nsec: self.nsec,
            },
            ifindex: self.ifindex,
            direction: direction(self.pkttype),
            checksum: checksum(self.status),
            moved_tci: None,
        }
    }
}

/// Moves the two MAC addresses four bytes down and writes the tag behind them: the frame is as on the
/// wire again. Gives its new start.
///
/// # Safety
///
/// - TAG_LEN bytes before `data` and MACS_LEN bytes from there on are ours to write.
#[inline(always)]
unsafe fn put_tag_back(data: NonNull<u8>, tag: [u8; TAG_LEN as usize]) -> NonNull<u8> {
    // SAFETY: the contract of this function.
    unsafe {
        let start = data.sub(TAG_LEN as usize);
        let macs = data.cast::<[u8; MACS_LEN]>().read();
        start.cast().write(macs);
        start.add(MACS_LEN).cast().write(tag);
        start
    }
}

#[inline(always)]
pub(in crate::backend) fn direction(pkttype: u8) -> FrameDirection {
    if pkttype == libc::PACKET_OUTGOING {
        FrameDirection::Sent
    } else {
        FrameDirection::Received
    }
}

#[inline(always)]
pub(in crate::backend) fn checksum(status: u32) -> Checksum {
    const NOT_READY: u32 = libc::TP_STATUS_CSUMNOTREADY;
    const VALID: u32 = libc::TP_STATUS_CSUM_VALID;
    const { assert!(NOT_READY == 1 << 3 && VALID == 1 << 7) };
    // The product has bit 3 again as bit 6, beside bit 7. The kernel sets one of them at most.
    Checksum((((status & (NOT_READY | VALID)) * 9) >> 6) as u8 & 3)
}
