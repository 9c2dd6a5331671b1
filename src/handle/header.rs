//! Writes the packet header that C gets.

use std::ptr::NonNull;

use super::Handle;
use crate::abi;
use crate::backend::{Checksum, Frame, FrameDirection};
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
    pub(super) unsafe fn write_header(&self, frame: &Frame, header: NonNull<abi::pfring_pkthdr>) {
        // SAFETY: the frame is held, and nobody writes to it before this returns.
        let data = unsafe { frame.bytes() };
        let (pkt_hash, fragment_flags) = self.quick_hash(data);
        let header = header.as_ptr();
        // SAFETY: the structure is packed, so its fields are written unaligned; all of them lie in the
        // first 48 bytes.
        unsafe {
            (*header).ts = timeval(frame.ts_ns);
            (*header).caplen = frame.caplen;
            (*header).len = frame.len;
            (*header).extended_hdr.timestamp_ns = frame.ts_ns;
            (*header).extended_hdr.flags = flags(frame) | fragment_flags;
            (*header).extended_hdr.rx_direction =
                u8::from(frame.direction == FrameDirection::Received);
            (*header).extended_hdr.port_id = 0;
            (*header).extended_hdr.device_id = 0;
            (*header).extended_hdr.if_index = frame.ifindex;
            (*header).extended_hdr.pkt_hash = pkt_hash;
        }
        if self.options.long_header {
            // SAFETY: with the flag the caller's structure has all 209 bytes.
            self.write_long(data, unsafe { &mut *header });
        }
    }

    #[inline]
    fn quick_hash(&self, data: &[u8]) -> (u32, u32) {
        if self.source.link_type == DLT_EN10MB {
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
            let start = if self.source.link_type == DLT_EN10MB {
                Start::Ethernet
            } else {
                Start::Ip
            };
            let (facts, _) = packet::parse(data, start, PARSE_LEVEL);
            packet::header::fill_parsed(&facts, &mut header.extended_hdr.parsed_pkt);
            header.extended_hdr.pkt_hash = hash::hash(&facts);
        }
    }

    /// What pfring_recv_burst tells of a frame: 16 bits of each length.
    pub(super) fn packet_info(&self, frame: &Frame) -> abi::pfring_packet_info {
        // SAFETY: the frame is held, and nobody writes to it before this returns.
        let data = unsafe { frame.bytes() };
        let (pkt_hash, fragment_flags) = self.quick_hash(data);
        let short = |len: u32| u16::try_from(len).unwrap_or(u16::MAX);
        abi::pfring_packet_info {
            data: frame.data.as_ptr(),
            ts: timeval(frame.ts_ns),
            caplen: short(frame.caplen),
            len: short(frame.len),
            flags: flags(frame) | fragment_flags,
            hash: pkt_hash,
        }
    }
}

#[inline]
fn timeval(ts_ns: u64) -> libc::timeval {
    let (seconds, ns) = (ts_ns / 1_000_000_000, (ts_ns % 1_000_000_000) as u32);
    libc::timeval {
        tv_sec: seconds as libc::time_t,
        tv_usec: libc::suseconds_t::from(ns / 1000),
    }
}

#[inline]
fn flags(frame: &Frame) -> u32 {
    let checksum = match frame.checksum {
        Checksum::Unknown => 0,
        Checksum::NotReady => abi::PKT_FLAGS_CHECKSUM_OFFLOAD,
        Checksum::Valid => abi::PKT_FLAGS_CHECKSUM_OK,
    };
    match frame.moved_tci {
        Some(tci) if tci != 0 => checksum | abi::PKT_FLAGS_VLAN_HWACCEL,
        _ => checksum,
    }
}
