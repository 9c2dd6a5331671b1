//! Writes the packet header that C gets.

use std::mem::offset_of;
use std::ptr::NonNull;

use super::Handle;
use super::obstacles::Obstacle;
use crate::abi;
use crate::backend::{AnyFrame, Checksum, FrameDirection, Stamp};
use crate::packet::{self, Start, hash};
use crate::sys::link_type::DLT_EN10MB;

/// As far as the original's kernel parses: tunnels included.
const PARSE_LEVEL: u8 = 5;
/// "No rule matched" in `last_matched_rule_id`.
const NO_RULE: i32 = 65_535;

impl Handle {
    /// Fills the caller's header for a frame: 48 bytes, 209 with PF_RING_LONG_HEADER.
    ///
    /// # Safety
    ///
    /// - `header` is writable for that many bytes; it need not be aligned.
    /// - The frame is held.
    #[inline]
    pub(super) unsafe fn write_header(
        &self,
        frame: &impl AnyFrame,
        header: NonNull<abi::pfring_pkthdr>,
    ) {
        // SAFETY: the contract of this function; the frame is held, and nobody writes to it meanwhile.
        unsafe {
            write_notes(frame, header);
            self.write_parsed(frame.bytes(), header);
        }
    }

    /// What the packet's bytes say: hash, fragment flags, and the rest of a long header.
    ///
    /// # Safety
    ///
    /// As for `write_header`; the notes were written.
    #[inline]
    pub unsafe fn write_parsed(&self, data: &[u8], header: NonNull<abi::pfring_pkthdr>) {
        let (pkt_hash, fragment_flags) = self.delivered_hash(data);
        let header = header.as_ptr();
        // SAFETY: as in `write_notes`.
        unsafe {
            (*header).extended_hdr.flags |= fragment_flags;
            (*header).extended_hdr.pkt_hash = pkt_hash;
        }
        if self.options.long_header {
            // SAFETY: with the flag the caller's structure has all 209 bytes.
            self.write_long(data, unsafe { &mut *header });
        }
    }

    /// As [`write_parsed`](Self::write_parsed) for the short header of a frame of the commonest kind.
    /// False, and nothing is written, for all others.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn write_plain(
        &self,
        data: &[u8],
        header: NonNull<abi::pfring_pkthdr>,
    ) -> bool {
        let Some(pkt_hash) = hash::plain_hash(data) else {
            return false;
        };
        // SAFETY: as in `write_notes`.
        unsafe { (*header.as_ptr()).extended_hdr.pkt_hash = pkt_hash };
        true
    }

    #[inline]
    pub(super) fn quick_hash(&self, data: &[u8]) -> (u32, u32) {
        if self.source.link_type() == DLT_EN10MB {
            hash::quick_hash(data)
        } else {
            hash::quick_hash_ip(data)
        }
    }

    /// The rest of a long header.
    fn write_long(&self, data: &[u8], header: &mut abi::pfring_pkthdr) {
        header.extended_hdr.tx = abi::pfring_pkthdr::zeroed().extended_hdr.tx;
        header.extended_hdr.process.pid = 0;
        header.extended_hdr.parsed_pkt = abi::pkt_parsing_info::zeroed();
        header.extended_hdr.parsed_pkt.last_matched_rule_id = NO_RULE;
        if self.options.parse {
            let start = if self.source.link_type() == DLT_EN10MB {
                Start::Ethernet
            } else {
                Start::Ip
            };
            let (facts, _) = packet::parse(data, start, PARSE_LEVEL);
            packet::header::fill_parsed(&facts, &mut header.extended_hdr.parsed_pkt);
            if !self.obstacles.has(Obstacle::Cluster) {
                header.extended_hdr.pkt_hash = hash::hash(&facts);
            }
        }
    }

    /// What pfring_recv_burst tells of a frame: 16 bits of each length.
    #[inline]
    pub(super) fn packet_info(&self, frame: &impl AnyFrame) -> abi::pfring_packet_info {
        // SAFETY: the frame is held, and nobody writes to it before this returns.
        let data = unsafe { frame.bytes() };
        let (pkt_hash, fragment_flags) = self.delivered_hash(data);
        let short = |len: u32| u16::try_from(len).unwrap_or(u16::MAX);
        abi::pfring_packet_info {
            data: frame.data().as_ptr(),
            ts: timeval(frame.stamp()),
            caplen: short(frame.caplen()),
            len: short(frame.wire_len()),
            flags: flags(frame) | fragment_flags,
            hash: pkt_hash,
        }
    }
}

/// What the kernel noted of a frame: all but the hash and the fragment flags.
///
/// # Safety
///
/// As for [`Handle::write_header`].
#[inline(always)]
pub(super) unsafe fn write_notes(frame: &impl AnyFrame, header: NonNull<abi::pfring_pkthdr>) {
    // The direction, then three bytes of port and device, which are 0: one store.
    const {
        use crate::abi::pfring_extended_pkthdr as Extended;
        assert!(offset_of!(Extended, rx_direction) + 4 == offset_of!(Extended, if_index));
    }
    let header = header.as_ptr();
    // SAFETY: the structure is packed, so its fields are written unaligned; all of them lie in the
    // first 48 bytes.
    unsafe {
        let stamp = frame.stamp();
        (*header).ts = timeval(stamp);
        (&raw mut (*header).caplen)
            .cast::<[u32; 2]>()
            .write_unaligned(frame.lengths());
        (*header).extended_hdr.timestamp_ns = stamp.to_ns();
        (*header).extended_hdr.flags = flags(frame);
        let direction = u32::from(frame.direction() == FrameDirection::Received);
        (&raw mut (*header).extended_hdr.rx_direction)
            .cast::<u32>()
            .write_unaligned(direction.to_le());
        (*header).extended_hdr.if_index = frame.ifindex();
    }
}

#[inline]
fn timeval(stamp: Stamp) -> libc::timeval {
    libc::timeval {
        tv_sec: stamp.sec as libc::time_t,
        tv_usec: libc::suseconds_t::from(stamp.nsec / 1000),
    }
}

#[inline(always)]
fn flags(frame: &impl AnyFrame) -> u32 {
    const {
        assert!(Checksum::NOT_READY.0 as u32 == abi::PKT_FLAGS_CHECKSUM_OFFLOAD);
        assert!(Checksum::VALID.0 as u32 == abi::PKT_FLAGS_CHECKSUM_OK);
    }
    let checksum = u32::from(frame.checksum().0);
    match frame.moved_tci() {
        Some(tci) if tci != 0 => checksum | abi::PKT_FLAGS_VLAN_HWACCEL,
        _ => checksum,
    }
}
