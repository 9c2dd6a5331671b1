//! The packet hash: a sum over the flow, equal for both directions.
//!
//! `vlan_id + src + dst + proto + src_port + dst_port`, wrapping in 32 bits, as kernel and user
//! space of PF_RING define it; inside a tunnel that has an id the flow is the inner one.

use super::ip::{Addr, Flow, GRE, ICMP, ICMPV6, SCTP, TCP, UDP};
use super::tunnel::{GTP_C_PORT, GTP_U_PORT, VXLAN_PORT};
use super::{Facts, LATER_FRAGMENT, MORE_FRAGMENTS, NO_TUNNEL, Start, be16, ether, parse};

/// Tags that [`quick_hash`] skips before it hands over to the parser.
const QUICK_TAGS: usize = 2;

/// The hash of what was parsed.
///
/// In a tunnel with an id the inner flow counts, also where it was not parsed (then only the VLAN
/// id is left), as upstream.
pub fn hash(facts: &Facts) -> u32 {
    let flow = if facts.tunnel.id == NO_TUNNEL {
        &facts.flow
    } else {
        &facts.tunnel.flow
    };
    u32::from(facts.vlan_id).wrapping_add(flow_sum(flow))
}

/// The flow's part of the hash.
fn flow_sum(flow: &Flow) -> u32 {
    address_sum(&flow.src)
        .wrapping_add(address_sum(&flow.dst))
        .wrapping_add(u32::from(flow.proto))
        .wrapping_add(u32::from(flow.src_port))
        .wrapping_add(u32::from(flow.dst_port))
}

/// IPv4: the address in host order. IPv6: its four words as they are loaded from memory.
#[inline]
pub(crate) fn address_sum(address: &Addr) -> u32 {
    match address {
        Addr::None => 0,
        Addr::V4(address) => *address,
        Addr::V6(address) => v6_sum(address),
    }
}

#[inline]
fn v6_sum(words: &[u8]) -> u32 {
    words
        .as_chunks()
        .0
        .iter()
        .fold(0, |sum, word| sum.wrapping_add(u32::from_ne_bytes(*word)))
}

/// The hash and the fragment flags of an Ethernet frame, for the short packet header.
///
/// Always what a parse of level 6 would give (`hash` and [`Facts::fragment_flags`]): what
/// upstream's kernel part puts there, which looks into tunnels too. For all that is in no tunnel
/// this is the hash of a level 4 parse as well. Frames that are not IP have their VLAN id as hash.
///
/// The common frames take no parse: TCP, UDP, SCTP and ICMP in IPv4 without options or IPv6
/// without extension headers, behind at most two tags, as long as enough bytes are there for a TCP
/// header. Unfragmented TCP and UDP in untagged IPv4 cost a length check and two branches.
#[inline]
pub fn quick_hash(data: &[u8]) -> (u32, u32) {
    match plain_hash(data) {
        Some(hash) => (hash, 0),
        None => less_common(data),
    }
}

/// [`quick_hash`] of the commonest frames, which have no fragment flags: untagged, IPv4 without options,
/// TCP or UDP, no fragment, no port that a tunnel may have. None for all others. Cannot panic.
#[inline(always)]
pub fn plain_hash(data: &[u8]) -> Option<u32> {
    let head = data.first_chunk::<{ ether::HEADER_LEN + PLAIN_V4_LEN }>()?;
    // EtherType, version and header length: one compare.
    if quad(head, 12) & 0xffff_ff00 != u32::from(ether::IPV4) << 16 | 0x4500 {
        return None;
    }
    // Fragment word, time to live and protocol, the first in the low bits.
    let middle = quad(head, 20).swap_bytes();
    let proto = (middle >> 24) as u8;
    let ports = quad(head, 34);
    let is_fragment = middle & 0xff3f != 0;
    if is_fragment | !TCP_OR_UDP[usize::from(proto)] | has_tunnel_port(ports) {
        return None;
    }
    let addresses = quad(head, 26).wrapping_add(quad(head, 30));
    Some(
        addresses
            .wrapping_add(proto.into())
            .wrapping_add(port_sum(ports)),
    )
}

/// Four bytes in network order, by one load.
#[inline(always)]
fn quad<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |quad| u32::from_be_bytes(*quad))
}

/// [`quick_hash`] for a packet that begins with its IP header.
pub fn quick_hash_ip(data: &[u8]) -> (u32, u32) {
    by_parse(data, Start::Ip)
}

/// Tags and IPv6; then whatever needs the parser.
#[inline(never)]
fn less_common(data: &[u8]) -> (u32, u32) {
    behind_tags(data).unwrap_or_else(|| by_parse(data, Start::Ethernet))
}

#[cold]
fn by_parse(data: &[u8], start: Start<'_>) -> (u32, u32) {
    let (facts, _) = parse(data, start, 6);
    (hash(&facts), facts.fragment_flags())
}

/// None if the frame is not of the common kind.
fn behind_tags(data: &[u8]) -> Option<(u32, u32)> {
    let mut l3 = ether::HEADER_LEN;
    let mut eth_type = be16(data, l3 - 2)?;
    let mut vlan = 0;
    for tag in 0..QUICK_TAGS {
        if !ether::is_tag(eth_type) {
            break;
        }
        if tag == 0 {
            vlan = u32::from(be16(data, l3)? & 0x0fff);
        }
        eth_type = be16(data, l3 + 2)?;
        l3 += 4;
    }
    let packet = data.get(l3..)?;
    match eth_type {
        ether::IPV4 => {
            let packet = packet.first_chunk()?;
            if packet[0] == 0x45 {
                plain_v4(packet, vlan)
            } else {
                None
            }
        }
        ether::IPV6 => {
            let packet = packet.first_chunk()?;
            if packet[0] >> 4 == 6 {
                plain_v6(packet, vlan)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Bytes of an IPv4 header without options and a TCP header.
const PLAIN_V4_LEN: usize = 20 + 20;
/// Bytes of an IPv6 header without extensions and a TCP header.
const PLAIN_V6_LEN: usize = 40 + 20;

/// One look instead of two compares.
static TCP_OR_UDP: [bool; 256] = {
    let mut table = [false; 256];
    table[TCP as usize] = true;
    table[UDP as usize] = true;
    table
};

/// An IPv4 header of 20 bytes; None for what may hold a tunnel.
fn plain_v4(packet: &[u8; PLAIN_V4_LEN], vlan: u32) -> Option<(u32, u32)> {
    let proto = packet[9];
    let ports = word(packet, 20);
    if may_be_tunnel(proto, ports) {
        return None;
    }
    let fragment = u32::from(u16::from_be_bytes([packet[6], packet[7]]));
    let is_later = fragment & 0x1fff != 0;
    let has_ports = matches!(proto, TCP | UDP | SCTP) && !is_later;
    let hash = v4_sum(packet)
        .wrapping_add(vlan)
        .wrapping_add(if has_ports { port_sum(ports) } else { 0 });
    let flags = ((fragment >> 13) & 1) * MORE_FRAGMENTS + u32::from(is_later) * LATER_FRAGMENT;
    Some((hash, flags))
}

#[inline]
fn word(packet: &[u8; PLAIN_V4_LEN], at: usize) -> u32 {
    u32::from_be_bytes([packet[at], packet[at + 1], packet[at + 2], packet[at + 3]])
}

/// Addresses and protocol of an IPv4 header.
#[inline]
fn v4_sum(packet: &[u8; PLAIN_V4_LEN]) -> u32 {
    word(packet, 12)
        .wrapping_add(word(packet, 16))
        .wrapping_add(u32::from(packet[9]))
}

/// An IPv6 header; None for what may hold a tunnel, and for extension headers.
#[inline]
fn plain_v6(packet: &[u8; PLAIN_V6_LEN], vlan: u32) -> Option<(u32, u32)> {
    let proto = packet[6];
    let ports = u32::from_be_bytes([packet[40], packet[41], packet[42], packet[43]]);
    let has_ports = matches!(proto, TCP | UDP | SCTP);
    if may_be_tunnel(proto, ports) || !(has_ports || matches!(proto, ICMP | ICMPV6)) {
        return None;
    }
    let hash = vlan
        .wrapping_add(v6_sum(&packet[8..40]))
        .wrapping_add(u32::from(proto))
        .wrapping_add(if has_ports { port_sum(ports) } else { 0 });
    Some((hash, 0))
}

#[inline]
fn port_sum(ports: u32) -> u32 {
    (ports >> 16) + (ports & 0xffff)
}

/// Whether the parser would look for a tunnel. May say yes too often, never too rarely.
fn may_be_tunnel(proto: u8, ports: u32) -> bool {
    proto == GRE || (proto == UDP && has_tunnel_port(ports))
}

/// Whether one of the ports is that of GTP or VXLAN, or lies between the two of GTP: that is one
/// compare less.
#[inline(always)]
fn has_tunnel_port(ports: u32) -> bool {
    const { assert!(GTP_C_PORT < GTP_U_PORT) };
    let near_gtp = |port: u16| port.wrapping_sub(GTP_C_PORT) <= GTP_U_PORT - GTP_C_PORT;
    let (src, dst) = ((ports >> 16) as u16, ports as u16);
    near_gtp(src) | near_gtp(dst) | (dst == VXLAN_PORT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::samples::*;
    use proptest::prelude::*;

    const A: u32 = 0x0a00_0001;
    const B: u32 = 0x0a00_0002;

    fn at_level(frame: &[u8], level: u8) -> u32 {
        hash(&parse(frame, Start::Ethernet, level).0)
    }

    fn inner_udp() -> Vec<u8> {
        ipv4(UDP, 0xc0a8_0101, 0xc0a8_0102, &udp(1000, 2000, &[]))
    }

    fn in_v4(proto: u8, payload: &[u8]) -> Vec<u8> {
        ethernet(ether::IPV4, &ipv4(proto, A, B, payload))
    }

    /// Measured on the original library.
    #[test]
    fn vectors() {
        let there = in_v4(TCP, &tcp(1234, 80, 20));
        let back = ethernet(ether::IPV4, &ipv4(TCP, B, A, &tcp(80, 1234, 20)));
        assert_eq!(at_level(&there, 4), 335_545_643);
        assert_eq!(at_level(&back, 4), 335_545_643);
        assert_eq!(at_level(&there, 3), 335_544_329);
        assert_eq!(at_level(&in_v4(ICMP, &[8, 0, 0, 0]), 4), 335_544_324);
        let qinq = tagged(&[(0x8100, 100), (0x8100, 200)], ether::IPV4, &inner_udp());
        assert_eq!(at_level(&qinq, 4), 2_169_507_376);
        assert_eq!(at_level(&qinq, 2), 100);
        let v6 = ethernet(ether::IPV6, &ipv6(UDP, &udp(1000, 2000, &[])));
        #[cfg(target_endian = "little")]
        assert_eq!(at_level(&v6, 4), 1_931_087_369);
        assert_eq!(at_level(&in_v4(SCTP, &sctp(1000, 2000)), 4), 335_547_455);
        let gtp = [&[0x30, 255, 0, 0, 0, 0, 0, 1][..], &inner_udp()].concat();
        assert_eq!(
            at_level(&in_v4(UDP, &udp(2152, 2152, &gtp)), 5),
            2_169_507_276
        );
        let keyed = in_v4(
            GRE,
            &[&[0x20, 0, 8, 0, 0, 0, 0, 7][..], &inner_udp()].concat(),
        );
        assert_eq!(at_level(&keyed, 5), 2_169_507_276);
        assert_eq!(at_level(&keyed, 4), 0);
        let keyless = in_v4(GRE, &[&[0, 0, 8, 0][..], &inner_udp()].concat());
        assert_eq!(at_level(&keyless, 5), 335_544_370);
        assert_eq!(v6.len(), 62);
    }

    #[test]
    fn vxlan_and_mpls_hash_the_inner_flow() {
        let inner = ethernet(ether::IPV4, &inner_udp());
        let vxlan = [&[8, 0, 0, 0, 0, 0, 5, 0][..], &inner].concat();
        let outer = tagged(
            &[(0x8100, 9)],
            ether::IPV4,
            &ipv4(UDP, A, B, &udp(1, 4789, &vxlan)),
        );
        assert_eq!(at_level(&outer, 5), 2_169_507_276 + 9);
        let mpls = ethernet(ether::MPLS, &[&[0, 0, 0x11, 64][..], &inner_udp()].concat());
        assert_eq!(at_level(&mpls, 5), 2_169_507_276);
    }

    fn assert_quick(frame: &[u8], case: &str) {
        let (facts, _) = parse(frame, Start::Ethernet, 6);
        assert_eq!(
            quick_hash(frame),
            (hash(&facts), facts.fragment_flags()),
            "{case}: {frame:x?}"
        );
    }

    #[test]
    fn quick_equals_parse_at_every_length() {
        let gtp = [&[0x30, 255, 0, 0, 0, 0, 0, 1][..], &inner_udp()].concat();
        let mut options = ipv4(TCP, A, B, &[0; 60]);
        options[0] = 0x46;
        let packets = [
            ("tcp", ether::IPV4, ipv4(TCP, A, B, &tcp(1234, 80, 40))),
            (
                "udp",
                ether::IPV4,
                ipv4(UDP, A, B, &udp(53, 5353, &[0; 30])),
            ),
            (
                "sctp",
                ether::IPV4,
                ipv4(SCTP, A, B, &[sctp(1, 2), vec![0; 30]].concat()),
            ),
            ("icmp", ether::IPV4, ipv4(ICMP, A, B, &[8; 40])),
            ("options", ether::IPV4, options),
            ("gtp-u", ether::IPV4, ipv4(UDP, A, B, &udp(2152, 9, &gtp))),
            ("gtp-c", ether::IPV4, ipv4(UDP, A, B, &udp(9, 2123, &gtp))),
            (
                "gre",
                ether::IPV4,
                ipv4(
                    GRE,
                    A,
                    B,
                    &[&[0x20, 0, 8, 0, 0, 0, 0, 7][..], &inner_udp()].concat(),
                ),
            ),
            ("tcp6", ether::IPV6, ipv6(TCP, &tcp(1234, 80, 40))),
            ("udp6", ether::IPV6, ipv6(UDP, &udp(1234, 80, &[0; 40]))),
            ("icmp6", ether::IPV6, ipv6(ICMPV6, &[1; 40])),
            (
                "hop6",
                ether::IPV6,
                ipv6(0, &[extension(TCP, 0), tcp(1, 2, 20)].concat()),
            ),
            (
                "frag6",
                ether::IPV6,
                ipv6(44, &[fragment6(UDP, 3, true), vec![1; 40]].concat()),
            ),
            ("none6", ether::IPV6, ipv6(59, &[1; 40])),
            ("wrong version", ether::IPV4, ipv6(TCP, &tcp(1, 2, 40))),
            ("arp", ether::ARP, vec![1; 46]),
        ];
        let tags = [(0x8100, 0x6064), (0x88a8, 200), (0x9100, 300)];
        for (case, eth_type, packet) in &packets {
            for tagged_by in 0..=tags.len() {
                let frame = tagged(&tags[..tagged_by], *eth_type, packet);
                for len in 0..=frame.len() {
                    assert_quick(&frame[..len], case);
                }
            }
            assert_eq!(
                quick_hash_ip(packet).0,
                hash(&parse(packet, Start::Ip, 6).0),
                "{case}"
            );
        }
    }

    #[test]
    fn quick_fragment_flags() {
        for (word, flags) in [
            (0x0000u16, 0),
            (0x4000, 0),
            (0x2000, MORE_FRAGMENTS),
            (0x2005, MORE_FRAGMENTS | LATER_FRAGMENT),
            (0x0005, LATER_FRAGMENT),
        ] {
            let mut frame = in_v4(UDP, &udp(1, 2, &[0; 40]));
            frame[20..22].copy_from_slice(&word.to_be_bytes());
            let ports = if flags & LATER_FRAGMENT == 0 { 3 } else { 0 };
            assert_eq!(quick_hash(&frame), (A + B + 17 + ports, flags), "{word:#x}");
        }
    }

    /// Frames of the kinds that the quick way knows, with arbitrary addresses, ports, fragment
    /// words, tags and lengths.
    fn common_frames() -> impl Strategy<Value = Vec<u8>> {
        let tag = (
            prop_oneof![Just(0x8100u16), Just(0x88a8), Just(0x9100)],
            any::<u16>(),
        );
        let port = prop_oneof![any::<u16>(), Just(2152), Just(2123), Just(4789)];
        let proto = prop_oneof![
            Just(TCP),
            Just(UDP),
            Just(SCTP),
            Just(ICMP),
            Just(GRE),
            any::<u8>()
        ];
        let ip = (
            any::<bool>(),
            proto,
            any::<[u8; 32]>(),
            prop_oneof![Just(0u16), any::<u16>()],
        );
        let tags = prop::collection::vec(tag, 0..4);
        (
            tags,
            ip,
            port.clone(),
            port,
            prop::collection::vec(any::<u8>(), 0..60),
        )
            .prop_map(
                |(tags, (is_v4, proto, addresses, fragment), sport, dport, rest)| {
                    let l4 = [&sport.to_be_bytes()[..], &dport.to_be_bytes(), &rest].concat();
                    if is_v4 {
                        let mut packet = ipv4(proto, 0, 0, &l4);
                        packet[6..8].copy_from_slice(&fragment.to_be_bytes());
                        packet[12..20].copy_from_slice(&addresses[..8]);
                        tagged(&tags, ether::IPV4, &packet)
                    } else {
                        let mut packet = ipv6(proto, &l4);
                        packet[8..40].copy_from_slice(&addresses);
                        tagged(&tags, ether::IPV6, &packet)
                    }
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn quick_equals_parse(frame in common_frames()) {
            assert_quick(&frame, "common");
        }

        #[test]
        fn quick_equals_level_4_outside_tunnels(frame in common_frames()) {
            let (facts, _) = parse(&frame, Start::Ethernet, 4);
            let ports = [facts.flow.src_port, facts.flow.dst_port];
            let is_tunnel = facts.flow.proto == GRE
                || (facts.flow.proto == UDP && ports.iter().any(|p| [2152, 2123, 4789].contains(p)));
            if !is_tunnel {
                prop_assert_eq!(quick_hash(&frame).0, hash(&facts));
            }
        }
    }
}
