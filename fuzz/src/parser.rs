//! The header parser, the hash, the text and the time stamp trailers.
//!
//! Input: a control byte, four bytes of offsets for a header that claims to have been parsed before,
//! then the frame.

use pfring::abi::{pfring_pkthdr, pkt_parsing_info};
use pfring::capi;
use pfring::packet::{Facts, Start, hash, header, parse, trailers::Arista7150};

use crate::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let control = input.u8();
    let claimed = [input.u16().cast_signed(), input.u16().cast_signed()];
    // Exactly as long as the frame, so that a checker of memory sees a read behind its end.
    let frame: Box<[u8]> = input.0.into();
    parse_all(&frame);
    quick(&frame);
    by_header(frame.clone(), control, claimed);
    stamps(&frame, control);
}

/// Offsets lie in the frame, levels are as asked for, and a parse in steps finds what one parse does.
fn parse_all(frame: &[u8]) {
    for start in [Start::Ethernet, Start::Ip] {
        let mut earlier = Facts::NONE;
        for asked in 2..=6 {
            let (facts, level) = parse(frame, start, asked);
            let o = facts.offsets;
            for at in [o.eth, o.vlan, o.l3, o.l4, o.payload] {
                assert!(
                    usize::try_from(at).is_ok_and(|at| at <= frame.len()),
                    "{o:?}"
                );
            }
            assert!((2..=6).contains(&level));
            assert!(
                level <= asked || (asked, level) == (5, 6),
                "{level} of {asked}"
            );
            let again = parse(frame, Start::Resume(&earlier), asked);
            if matches!(start, Start::Ethernet) {
                assert_eq!(again, (facts, level), "in steps, at {asked}");
            }
            earlier = facts;
        }
    }
}

/// The short way gives what the parser does.
fn quick(frame: &[u8]) {
    let (facts, _) = parse(frame, Start::Ethernet, 6);
    let expected = (hash::hash(&facts), facts.fragment_flags());
    assert_eq!(hash::quick_hash(frame), expected);
    let (facts, _) = parse(frame, Start::Ip, 6);
    let expected = (hash::hash(&facts), facts.fragment_flags());
    assert_eq!(hash::quick_hash_ip(frame), expected);
}

/// As a C program calls it, with any earlier result; the packet stays as it is.
fn by_header(mut frame: Box<[u8]>, control: u8, claimed: [i16; 2]) {
    let before = frame.clone();
    let mut hdr = header_of(&frame);
    if control & 1 != 0 {
        let info = &mut hdr.extended_hdr.parsed_pkt;
        *info = pkt_parsing_info {
            ip_version: control >> 4,
            eth_type: if control & 2 != 0 { 0x0800 } else { 0x86dd },
            l3_proto: before.first().copied().unwrap_or(0),
            ..Default::default()
        };
        info.offset.l3_offset = claimed[0];
        info.offset.l4_offset = claimed[1];
    }
    let level = (control >> 1) & 7;
    // SAFETY: the frame is readable for its length and the header is a valid one.
    let reached =
        unsafe { capi::parse::pfring_parse_pkt(frame.as_mut_ptr(), &raw mut hdr, level, 1, 1) };
    assert!((2..=6).contains(&reached));
    let offset = hdr.extended_hdr.parsed_pkt.offset;
    for at in [
        offset.vlan_offset,
        offset.l3_offset,
        offset.l4_offset,
        offset.payload_offset,
    ] {
        let inside = usize::try_from(at).is_ok_and(|at| at <= frame.len());
        // What an earlier call claims of fields that are not parsed again is the program's.
        assert!(inside || control & 1 != 0, "{at}");
    }
    assert_eq!(frame, before);
    let (mut small, mut large) = ([1; 40], [1; 1024]);
    let total = header::print_parsed_pkt(&mut large, &frame, &hdr);
    assert!(total < large.len() && large[total] == 0);
    assert_eq!(header::print_parsed_pkt(&mut small, &frame, &hdr), total);
    let total = header::print_pkt(&mut large, &frame, hdr.len);
    assert!(total < large.len() && large[total] == 0);
}

fn header_of(frame: &[u8]) -> pfring_pkthdr {
    let len = u32::try_from(frame.len()).unwrap_or(u32::MAX);
    pfring_pkthdr {
        caplen: len,
        len,
        ..Default::default()
    }
}

/// No handler makes a packet longer, and both lengths stay equal.
fn stamps(frame: &[u8], control: u8) {
    let utc_offset = i32::from(control) * 900;
    let mut arista = Arista7150::new();
    for kind in 0..6 {
        let mut hdr = header_of(frame);
        if control & 0x80 != 0 {
            hdr.caplen = hdr.caplen.saturating_sub(1);
        }
        let caplen = hdr.caplen;
        match kind {
            0 => header::handle_ixia(frame, &mut hdr, utc_offset),
            1 => header::handle_vss_apcon(frame, &mut hdr, utc_offset),
            2 => header::handle_metawatch(frame, &mut hdr),
            3 | 4 => header::handle_arista_7150(frame, &mut hdr, &mut arista),
            _ => header::handle_arista_7280(frame, &mut hdr),
        };
        let caplen_now = hdr.caplen;
        assert!(caplen_now <= caplen);
    }
}
