//! Bytes to facts: what a frame's headers say, its hash, its text, its time stamp trailers.
//!
//! The parser works on plain slices: it never reads past them, never writes to them, allocates
//! nothing, and each of its loops is bounded by the data. What C sees of the facts is made in
//! [`header`], the one file here that knows the ABI's types.
#![forbid(unsafe_code)]

pub mod ether;
pub mod hash;
pub mod header;
pub mod ip;
pub mod l4;
pub mod numbers;
pub mod print;
pub mod trailers;
pub mod tunnel;

#[cfg(test)]
mod samples;

use ip::Flow;

/// Headers are looked for in the first bytes of a frame only: as many as the signed 16-bit offsets
/// of the C header can address.
const MAX_HEADER_BYTES: usize = i16::MAX as usize;

/// The tunnel id of a packet that is in no tunnel, or in one without an id.
pub const NO_TUNNEL: u32 = u32::MAX;

/// Bit of [`Facts::fragment_flags`]: more fragments follow (PKT_FLAGS_IP_MORE_FRAG).
pub const MORE_FRAGMENTS: u32 = 1 << 2;

/// Bit of [`Facts::fragment_flags`]: not the first fragment (PKT_FLAGS_IP_FRAG_OFFSET).
pub const LATER_FRAGMENT: u32 = 1 << 3;

/// What a parse found. A field that was not reached is 0, and addresses are [`Addr::None`](ip::Addr::None).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Destination MAC address.
    pub dmac: [u8; 6],
    /// Source MAC address.
    pub smac: [u8; 6],
    /// Ethernet type behind all tags; for raw IP the type that fits the version.
    pub eth_type: u16,
    /// VLAN id of the first (outer) tag.
    pub vlan_id: u16,
    /// VLAN id of the second tag.
    pub qinq_vlan_id: u16,
    /// IP type of service or traffic class.
    pub tos: u8,
    /// Who talks to whom.
    pub flow: Flow,
    /// ICMP or ICMPv6 type.
    pub icmp_type: u8,
    /// ICMP or ICMPv6 code.
    pub icmp_code: u8,
    /// FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32.
    pub tcp_flags: u8,
    /// TCP sequence number.
    pub tcp_seq: u32,
    /// TCP acknowledgement number.
    pub tcp_ack: u32,
    /// What is inside a tunnel.
    pub tunnel: Tunnel,
    /// Where each layer begins.
    pub offsets: Offsets,
    /// Further fragments of this IP packet follow.
    pub more_fragments: bool,
    /// A fragment that is not the first: it holds no layer 4 header.
    pub later_fragment: bool,
}

/// What is inside GTP-U, GRE, VXLAN or MPLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// TEID, GRE key, VNI or the innermost MPLS label; [`NO_TUNNEL`] if there is none.
    pub id: u32,
    /// Inner destination MAC address (VXLAN).
    pub dmac: [u8; 6],
    /// Inner source MAC address (VXLAN).
    pub smac: [u8; 6],
    /// Ethernet type of the inner packet.
    pub eth_type: u16,
    /// Who talks to whom inside.
    pub flow: Flow,
}

/// Where each layer begins, in bytes from the start of the data: 0 or at most its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// The Ethernet header: always 0 here.
    pub eth: i16,
    /// The TCI of the last VLAN tag; 0 without tags.
    pub vlan: i16,
    /// The header behind Ethernet and tags.
    pub l3: i16,
    /// The header behind IP and its options or extension headers.
    pub l4: i16,
    /// What follows the layer 4 header; equal to `l4` where that header is not looked into.
    pub payload: i16,
}

/// Where a parse begins.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// At an Ethernet header, byte 0.
    Ethernet,
    /// At an IP header, byte 0 (raw IP link types).
    Ip,
    /// Behind what an earlier parse of the same data found: a layer 3 offset skips layer 2, a
    /// layer 4 offset skips layer 3. Offsets outside of the data start anew.
    Resume(&'a Facts),
}

impl Facts {
    /// Nothing known.
    pub const NONE: Facts = Facts {
        dmac: [0; 6],
        smac: [0; 6],
        eth_type: 0,
        vlan_id: 0,
        qinq_vlan_id: 0,
        tos: 0,
        flow: Flow::NONE,
        icmp_type: 0,
        icmp_code: 0,
        tcp_flags: 0,
        tcp_seq: 0,
        tcp_ack: 0,
        tunnel: Tunnel::NONE,
        offsets: Offsets {
            eth: 0,
            vlan: 0,
            l3: 0,
            l4: 0,
            payload: 0,
        },
        more_fragments: false,
        later_fragment: false,
    };

    /// [`MORE_FRAGMENTS`] and [`LATER_FRAGMENT`] of an IPv4 packet; 0 for all others, as upstream.
    #[inline]
    pub fn fragment_flags(&self) -> u32 {
        if self.flow.ip_version != 4 {
            return 0;
        }
        u32::from(self.more_fragments) * MORE_FRAGMENTS
            + u32::from(self.later_fragment) * LATER_FRAGMENT
    }
}

impl Tunnel {
    /// Not in a tunnel.
    pub const NONE: Tunnel = Tunnel {
        id: NO_TUNNEL,
        dmac: [0; 6],
        smac: [0; 6],
        eth_type: 0,
        flow: Flow::NONE,
    };
}

impl Default for Facts {
    fn default() -> Self {
        Self::NONE
    }
}

/// Parses as deep as `level` asks: 2 Ethernet, 3 IP, 4 transport, 5 or more into tunnels.
///
/// Gives the facts and the level that was reached: 2, 3, 4, 5 (IP inside a tunnel) or 6
/// (transport inside a tunnel). ICMP stays at 3 although its type and code are filled in.
pub fn parse(data: &[u8], start: Start<'_>, level: u8) -> (Facts, u8) {
    let data = &data[..data.len().min(MAX_HEADER_BYTES)];
    let mut facts = layer2(data, start);
    if level < 3 {
        return (facts, 2);
    }
    if !layer3(data, &mut facts) {
        let inside = if level >= 5 {
            tunnel::fill_mpls(data, &mut facts)
        } else {
            None
        };
        return (facts, inside.unwrap_or(2));
    }
    if level < 4 || facts.offsets.l4 == 0 {
        return (facts, 3);
    }
    let reached = l4::fill(data, &mut facts);
    if level < 5 || reached < 4 {
        return (facts, reached);
    }
    let inside = tunnel::fill(data, &mut facts);
    (facts, inside.unwrap_or(reached))
}

/// Layer 2 facts, or those of an earlier parse as far as their offsets fit the data.
fn layer2(data: &[u8], start: Start<'_>) -> Facts {
    let mut facts = Facts::NONE;
    match start {
        Start::Ethernet => ether::fill(data, &mut facts),
        Start::Ip => facts.eth_type = ip::eth_type_of(data, 0).unwrap_or(0),
        Start::Resume(earlier) => {
            let fits = |at: i16| usize::try_from(at).is_ok_and(|at| at <= data.len());
            let offsets = &earlier.offsets;
            if (offsets.l3 == 0 && offsets.l4 == 0) || !fits(offsets.l3) || !fits(offsets.l4) {
                ether::fill(data, &mut facts);
            } else {
                facts = *earlier;
                facts.tunnel = Tunnel::NONE;
            }
        }
    }
    facts
}

/// Layer 3 facts; false if there is no IP header. An offset of layer 4 that is known already
/// stands, with all that belongs to it; only the fragment bits are read again, since the C header
/// does not carry them.
fn layer3(data: &[u8], facts: &mut Facts) -> bool {
    let found = ip::parse(data, position(facts.offsets.l3), facts.eth_type);
    if let Some(ip) = &found {
        facts.more_fragments = ip.more_fragments;
        facts.later_fragment = ip.later_fragment;
    }
    if facts.offsets.l4 != 0 {
        return true;
    }
    let Some(ip) = found else { return false };
    facts.tos = ip.tos;
    facts.flow = ip.flow;
    facts.offsets.l4 = ip.l4.map_or(0, offset);
    true
}

/// A position in the data as a field of the C header. Data is cut where this would not fit.
fn offset(at: usize) -> i16 {
    i16::try_from(at).unwrap_or(0)
}

/// A field of the C header as a position; negative ones have been refused before.
fn position(at: i16) -> usize {
    usize::try_from(at).unwrap_or(0)
}

/// `N` bytes at `at`, if the data reaches that far.
#[inline]
fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<&[u8; N]> {
    data.get(at..)?.first_chunk()
}

#[inline]
fn be16(data: &[u8], at: usize) -> Option<u16> {
    bytes(data, at).map(|b| u16::from_be_bytes(*b))
}

#[inline]
fn be32(data: &[u8], at: usize) -> Option<u32> {
    bytes(data, at).map(|b| u32::from_be_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::samples::*;
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    /// Everything that must hold for any data.
    fn check(data: &[u8], case: &str) {
        let exact: Box<[u8]> = data.into();
        for start in [Start::Ethernet, Start::Ip] {
            let mut earlier = Facts::NONE;
            for asked in 2..=6 {
                let (facts, level) = parse(&exact, start, asked);
                check_result(&exact, &facts, level, case);
                assert!(
                    level <= asked || (asked == 5 && level == 6),
                    "{case}: {level} of {asked}"
                );
                let (again, level_again) = parse(&exact, Start::Resume(&earlier), asked);
                check_result(&exact, &again, level_again, case);
                if matches!(start, Start::Ethernet) {
                    assert_eq!(
                        (again, level_again),
                        (facts, level),
                        "{case}: resumed at {asked}"
                    );
                }
                earlier = facts;
            }
        }
        let _ = hash::quick_hash(&exact);
        let _ = header::print_pkt(&mut [0; 64], &exact, 0);
        assert_eq!(*exact, *data);
    }

    fn check_result(data: &[u8], facts: &Facts, level: u8, case: &str) {
        let Offsets {
            eth,
            vlan,
            l3,
            l4,
            payload,
        } = facts.offsets;
        for at in [eth, vlan, l3, l4, payload] {
            assert!(
                usize::try_from(at).is_ok_and(|at| at <= data.len()),
                "{case}: {:?}",
                facts.offsets
            );
        }
        assert!((2..=6).contains(&level), "{case}: level {level}");
    }

    fn malformed() -> Vec<(&'static str, Vec<u8>)> {
        let v4 = |proto, payload: &[u8]| ethernet(ether::IPV4, &ipv4(proto, 1, 2, payload));
        let v6 = |next, payload: &[u8]| ethernet(ether::IPV6, &ipv6(next, payload));
        let ihl = |nibble: u8, len: usize| {
            let mut frame = v4(ip::TCP, &[0; 100]);
            frame[14] = 0x40 | nibble;
            frame.truncate(len);
            frame
        };
        let mut cut_tcp = tcp(1, 2, 20);
        cut_tcp[12] = 0xf0;
        let gtp = |rest: &[u8]| {
            let payload = [&[0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85][..], rest].concat();
            v4(ip::UDP, &udp(2152, 2152, &payload))
        };
        let chain: Vec<u8> = (0..100).flat_map(|_| extension(60, 0)).collect();
        vec![
            (
                "hop-by-hop of length 255 in 60 bytes",
                v6(0, &[ip::TCP, 255, 0, 0, 0, 0]),
            ),
            ("100 chained extension headers", v6(60, &chain)),
            (
                "fragment header cut after 3 bytes",
                v6(44, &[ip::UDP, 0, 0]),
            ),
            ("IHL 3", ihl(3, 60)),
            ("IHL 0", ihl(0, 60)),
            ("IHL 15 in 40 bytes", ihl(15, 40)),
            ("TCP offset 15 cut", v4(ip::TCP, &cut_tcp)),
            (
                "GRE with all flags in 4 bytes",
                v4(ip::GRE, &[0xff, 0xff, 8, 0]),
            ),
            (
                "GRE with all fields in 4 bytes",
                v4(ip::GRE, &[0xf0, 0, 8, 0]),
            ),
            ("GTP extension of length 0", gtp(&[0, 0, 0, 0x85])),
            (
                "GTP extension chain to the end",
                gtp(&[1, 0, 0, 0x85].repeat(300)),
            ),
            ("MPLS without bottom", ethernet(ether::MPLS, &[0; 400])),
            (
                "VXLAN cut",
                v4(ip::UDP, &udp(1, 4789, &[8, 0, 0, 0, 0, 0, 1, 0, 1, 2])),
            ),
            ("tags to the end", tagged(&[(0x8100, 1); 400], 0x8100, &[])),
            ("empty", Vec::new()),
        ]
    }

    #[test]
    fn r31_malformed_frames() {
        for (case, frame) in malformed() {
            let data: Box<[u8]> = frame.into();
            let begin = Instant::now();
            let (facts, level) = parse(&data, Start::Ethernet, 6);
            assert!(
                begin.elapsed() < Duration::from_millis(1),
                "{case}: {:?}",
                begin.elapsed()
            );
            check_result(&data, &facts, level, case);
            for len in 0..=data.len() {
                check(&data[..len], case);
            }
        }
    }

    #[test]
    fn r31_what_malformed_frames_give() {
        let found: Vec<_> = malformed()
            .iter()
            .map(|(case, frame)| {
                let (facts, level) = parse(frame, Start::Ethernet, 6);
                (*case, level, facts.offsets.l4, facts.flow.proto)
            })
            .collect();
        assert_eq!(found[0], ("hop-by-hop of length 255 in 60 bytes", 3, 0, 0));
        assert_eq!(found[1], ("100 chained extension headers", 3, 0, 60));
        assert_eq!(found[2], ("fragment header cut after 3 bytes", 3, 0, 44));
        assert_eq!(found[3], ("IHL 3", 2, 0, 0));
        assert_eq!(found[4], ("IHL 0", 2, 0, 0));
        assert_eq!(found[5], ("IHL 15 in 40 bytes", 3, 0, ip::TCP));
        assert_eq!(found[6], ("TCP offset 15 cut", 4, 34, ip::TCP));
        assert_eq!(found[7], ("GRE with all flags in 4 bytes", 3, 34, ip::GRE));
        assert_eq!(found[8], ("GRE with all fields in 4 bytes", 3, 34, ip::GRE));
        assert_eq!(found[9], ("GTP extension of length 0", 4, 34, ip::UDP));
    }

    /// Each round takes a frame and changes some bytes and its length.
    fn mutate(rounds: u32) {
        let inner = ipv4(ip::UDP, 1, 2, &udp(1000, 2000, &[0; 8]));
        let gtp = [
            &[0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 0, 0][..],
            &inner,
        ]
        .concat();
        let vxlan = [
            &[8, 0, 0, 0, 0, 0, 1, 0][..],
            &ethernet(ether::IPV4, &inner),
        ]
        .concat();
        let gre = [
            &[0xb0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1][..],
            &inner,
        ]
        .concat();
        let chain = [
            extension(43, 0),
            extension(44, 1),
            fragment6(60, 0, true),
            extension(ip::TCP, 0),
        ];
        let mut seeds: Vec<Vec<u8>> = malformed().into_iter().map(|(_, frame)| frame).collect();
        seeds.extend([
            ethernet(ether::IPV4, &ipv4(ip::TCP, 1, 2, &tcp(1, 2, 40))),
            ethernet(ether::IPV4, &ipv4(ip::UDP, 1, 2, &udp(2152, 2152, &gtp))),
            ethernet(ether::IPV6, &ipv6(ip::UDP, &udp(9, 4789, &vxlan))),
            ethernet(ether::IPV4, &ipv4(ip::GRE, 1, 2, &gre)),
            ethernet(
                ether::MPLS,
                &[&[0, 0, 0, 64, 0, 0, 0x11, 64][..], &inner].concat(),
            ),
            tagged(
                &[(0x88a8, 1), (0x8100, 2)],
                ether::IPV6,
                &ipv6(0, &[chain.concat(), tcp(1, 2, 20)].concat()),
            ),
        ]);
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut draw = |below: usize| {
            // xorshift64
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as usize % below
        };
        for round in 0..rounds {
            let mut frame = seeds[draw(seeds.len())].clone();
            for _ in 0..=draw(4) {
                if !frame.is_empty() {
                    let at = draw(frame.len());
                    frame[at] = draw(256) as u8;
                }
            }
            frame.truncate(draw(frame.len() + 1).max(draw(frame.len() + 1)));
            check(&frame, &format!("mutation {round}"));
        }
    }

    #[test]
    fn r31_mutations() {
        mutate(50_000);
    }

    #[test]
    #[ignore = "full form of R31: 1 million mutations"]
    fn r31_full_mutations() {
        mutate(1_000_000);
    }

    #[test]
    fn r32_tag_stacks_in_60_bytes() {
        for tags in 0..=12 {
            let mut frame = tagged(&vec![(0x8100, 0x0123); tags], 0x88b5, &[0; 46]);
            frame.truncate(60);
            check(&frame, "tag stack");
            let (facts, level) = parse(&frame, Start::Ethernet, 6);
            let whole = tags.min(11);
            assert_eq!(
                (level, facts.offsets.l3),
                (2, 14 + 4 * whole as i16),
                "{tags} tags"
            );
            let last = if whole == 0 { 0 } else { 10 + 4 * whole as i16 };
            assert_eq!(facts.offsets.vlan, last, "{tags} tags");
            let eth_type = if tags == whole { 0x88b5 } else { 0x8100 };
            assert_eq!(facts.eth_type, eth_type, "{tags} tags");
        }
    }

    #[test]
    fn offsets_stay_within_16_bits() {
        let tags = vec![(0x8100, 1); 20_000];
        let frame = tagged(&tags, ether::IPV4, &ipv4(ip::UDP, 1, 2, &udp(1, 2, &[])));
        check(&frame, "a stack of 80,000 bytes");
        let (facts, level) = parse(&frame, Start::Ethernet, 6);
        assert_eq!((level, facts.offsets.l3), (2, 14 + 4 * 8188));
    }

    #[test]
    fn levels_below_2_and_above_6() {
        let frame = ethernet(ether::IPV4, &ipv4(ip::UDP, 1, 2, &udp(1, 2, &[])));
        for (asked, level) in [(0, 2), (1, 2), (2, 2), (3, 3), (4, 4), (5, 4), (255, 4)] {
            assert_eq!(parse(&frame, Start::Ethernet, asked).1, level, "{asked}");
        }
    }

    /// The common protocols once more, written as plainly as can be: one byte after the other.
    /// Gives eth_type, vlan_id, protocol, ports, payload offset and level of a level 4 parse.
    fn reference(data: &[u8]) -> Option<(u16, u16, u8, u16, u16, usize, u8)> {
        let byte = |at: usize| data.get(at).copied().map(usize::from);
        let two = |at: usize| Some(byte(at)? * 256 + byte(at + 1)?);
        let mut at = 12;
        let mut vlan = None;
        while [0x8100, 0x88a8, 0x9100].contains(&two(at)?) && byte(at + 5).is_some() {
            vlan = vlan.or(Some(two(at + 2)? % 4096));
            at += 4;
        }
        let eth_type = two(at)?;
        let l3 = at + 2;
        let (proto, l4) = match (eth_type, byte(l3)? / 16) {
            (0x0800, 4) if byte(l3)? % 16 == 5 && two(l3 + 6)? % 8192 == 0 => {
                (byte(l3 + 9)?, l3 + 20)
            }
            (0x86dd, 6) => (byte(l3 + 6)?, l3 + 40),
            _ => return None,
        };
        let (header, payload) = match proto {
            6 => (20, byte(l4 + 12)? / 16 * 4),
            17 => (8, 8),
            132 => (12, 0),
            _ => return None,
        };
        if data.len() < l4 + header {
            return None;
        }
        let payload = (l4 + payload).min(data.len());
        let id = vlan.unwrap_or(0) as u16;
        Some((
            eth_type as u16,
            id,
            proto as u8,
            two(l4)? as u16,
            two(l4 + 2)? as u16,
            payload,
            4,
        ))
    }

    fn likely_frames() -> impl Strategy<Value = Vec<u8>> {
        let proto = prop_oneof![Just(6u8), Just(17), Just(132), any::<u8>()];
        let tags = prop::collection::vec(
            (
                prop_oneof![Just(0x8100u16), Just(0x88a8), Just(0x9100), any::<u16>()],
                any::<u16>(),
            ),
            0..4,
        );
        let payload = prop::collection::vec(any::<u8>(), 0..64);
        (proto, tags, payload, any::<bool>(), 0..160usize).prop_map(
            |(proto, tags, payload, is_v4, len)| {
                let mut frame = if is_v4 {
                    tagged(&tags, ether::IPV4, &ipv4(proto, 1, 2, &payload))
                } else {
                    tagged(&tags, ether::IPV6, &ipv6(proto, &payload))
                };
                frame.truncate(len);
                frame
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..300)) {
            check(&data, "any bytes");
        }

        #[test]
        fn likely_frames_hold(frame in likely_frames()) {
            check(&frame, "likely frame");
        }

        #[test]
        fn equals_the_reference(frame in likely_frames()) {
            if let Some(expected) = reference(&frame) {
                let (facts, level) = parse(&frame, Start::Ethernet, 4);
                let flow = facts.flow;
                let found = (
                    facts.eth_type,
                    facts.vlan_id,
                    flow.proto,
                    flow.src_port,
                    flow.dst_port,
                    position(facts.offsets.payload),
                    level,
                );
                prop_assert_eq!(found, expected);
            }
        }
    }
}
