//! Tests of the parser as a whole: malformed frames, tag stacks, mutations and properties. Those of
//! a single layer stand at the foot of its file.

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

/// The malformed frames, whole and cut at every length; each parse, best of three, within the
/// limit.
fn parse_malformed(limit: Duration) {
    for (case, frame) in malformed() {
        let data: Box<[u8]> = frame.into();
        let fastest = (0..3).map(|_| {
            let begin = Instant::now();
            let (facts, level) = parse(&data, Start::Ethernet, 6);
            let took = begin.elapsed();
            check_result(&data, &facts, level, case);
            took
        });
        let fastest = fastest.min().unwrap_or_default();
        assert!(fastest < limit, "{case}: {fastest:?}");
        for len in 0..=data.len() {
            check(&data[..len], case);
        }
    }
}

#[test]
fn r31_malformed_frames() {
    parse_malformed(Duration::from_millis(5));
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
        ethernet(ether::IPV4, &ipv4(ip::IPV4_INSIDE, 1, 2, &inner)),
        ethernet(
            ether::IPV6,
            &ipv6(ip::IPV6_INSIDE, &ipv6(ip::UDP, &udp(1, 2, &[]))),
        ),
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
#[ignore = "full form of R31: 1 ms for each frame, 1 million mutations"]
fn r31_full_malformed_and_mutated() {
    parse_malformed(Duration::from_millis(1));
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
        (0x0800, 4) if byte(l3)? % 16 == 5 && two(l3 + 6)? % 8192 == 0 => (byte(l3 + 9)?, l3 + 20),
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
