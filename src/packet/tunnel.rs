//! What is inside a tunnel: GTPv1-U, GRE, VXLAN, MPLS and IP in IP.
//!
//! Only one tunnel is opened. Sources: 3GPP TS 29.281 (GTP-U), RFC 2784 and 2890 (GRE), RFC 7348
//! (VXLAN), RFC 3032 (MPLS), RFC 2003, 2473 and 4213 (IP in IP).

use super::ip::{GRE, IPV4_INSIDE, IPV6_INSIDE, UDP};
use super::{Facts, be32, bytes, ether, ip, l4, position};

/// UDP port of GTP user data.
pub const GTP_U_PORT: u16 = 2152;
/// UDP port of GTP signalling.
pub const GTP_C_PORT: u16 = 2123;
/// UDP port of VXLAN. Only as destination: the source port is a hash of the inner flow.
pub const VXLAN_PORT: u16 = 4789;

/// The GTP message that carries a user's packet.
const G_PDU: u8 = 255;
/// Labels that are looked through for the bottom of an MPLS stack, as upstream's kernel part does.
const MAX_LABELS: usize = 9;

/// Whether an IP header follows on an IP header. Such a packet has no layer 4 facts of its own.
pub(super) fn is_ip_in_ip(facts: &Facts) -> bool {
    !facts.later_fragment && matches!(facts.flow.proto, IPV4_INSIDE | IPV6_INSIDE)
}

/// Looks into GRE, GTP, VXLAN or IP; gives 5 or 6 where an inner IP header was found, else None.
///
/// The tunnel id is set also where nothing can be found inside. (The key of GRE is set with the
/// layer 4 facts.) IP in IP has none: like GRE without a key it keeps the hash of the outer flow.
pub(super) fn fill(data: &[u8], facts: &mut Facts) -> Option<u8> {
    match facts.flow.proto {
        GRE => {
            let gre = l4::gre(data, position(facts.offsets.l4))?;
            fill_inner(data, gre.payload, gre.protocol, facts)
        }
        UDP => {
            let ports = [facts.flow.src_port, facts.flow.dst_port];
            if ports.contains(&GTP_U_PORT) || ports.contains(&GTP_C_PORT) {
                fill_gtp(data, facts, ports.contains(&GTP_U_PORT))
            } else if facts.flow.dst_port == VXLAN_PORT {
                fill_vxlan(data, facts)
            } else {
                None
            }
        }
        IPV4_INSIDE => fill_inner(data, position(facts.offsets.l4), ether::IPV4, facts),
        IPV6_INSIDE => fill_inner(data, position(facts.offsets.l4), ether::IPV6, facts),
        _ => None,
    }
}

fn fill_gtp(data: &[u8], facts: &mut Facts, carries_user_data: bool) -> Option<u8> {
    let at = position(facts.offsets.payload);
    let [flags, message, _, _, teid @ ..] = bytes::<8>(data, at)?;
    let is_gtp_version_1 = flags & 0xf0 == 0x30;
    if !is_gtp_version_1 {
        return None;
    }
    facts.tunnel.id = u32::from_be_bytes(*teid);
    if !carries_user_data || *message != G_PDU {
        return None;
    }
    let inner = gtp_payload(data, at + 8, *flags)?;
    fill_inner(data, inner, ip::eth_type_of(data, inner)?, facts)
}

/// Skips the optional word and the extension headers of GTP; `at` is behind the fixed part.
fn gtp_payload(data: &[u8], mut at: usize, flags: u8) -> Option<usize> {
    const ANY_OPTION: u8 = 0x07;
    const EXTENSION: u8 = 0x04;
    if flags & ANY_OPTION == 0 {
        return Some(at);
    }
    let [.., mut next] = *bytes::<4>(data, at)?;
    at += 4;
    if flags & EXTENSION == 0 {
        return Some(at);
    }
    // Each round goes forward by at least 4 bytes: a length of 0 ends it.
    while next != 0 {
        let len = usize::from(*data.get(at)?) * 4;
        next = *data.get(at..at + len)?.last()?;
        at += len;
    }
    Some(at)
}

fn fill_vxlan(data: &[u8], facts: &mut Facts) -> Option<u8> {
    const HAS_VNI: u8 = 0x08;
    let at = position(facts.offsets.payload);
    let [flags, _, _, _, vni @ .., _] = bytes::<8>(data, at)?;
    if flags & HAS_VNI == 0 {
        return None;
    }
    facts.tunnel.id = u32::from_be_bytes([0, vni[0], vni[1], vni[2]]);
    let inner = ether::parse(data.get(at + 8..)?)?;
    facts.tunnel.dmac = inner.dmac;
    facts.tunnel.smac = inner.smac;
    facts.tunnel.eth_type = inner.eth_type;
    fill_inner(data, at + 8 + inner.l3, inner.eth_type, facts)
}

/// Looks for IP below a label stack; gives 5 or 6 where there is one, else None.
///
/// The tunnel id is the label at the bottom, which names the service; those above it change at
/// each hop. What follows it is known only by its first four bits, so that anything but IP
/// (a pseudowire) is not looked into.
pub(super) fn fill_mpls(data: &[u8], facts: &mut Facts) -> Option<u8> {
    const BOTTOM: u32 = 0x100;
    if !matches!(facts.eth_type, ether::MPLS | ether::MPLS_MULTICAST) {
        return None;
    }
    let mut at = position(facts.offsets.l3);
    for _ in 0..MAX_LABELS {
        let entry = be32(data, at)?;
        at += 4;
        if entry & BOTTOM != 0 {
            facts.tunnel.id = entry >> 12;
            return fill_inner(data, at, ip::eth_type_of(data, at)?, facts);
        }
    }
    None
}

/// Writes the inner addresses and ports; 5 with addresses only, 6 with ports.
fn fill_inner(data: &[u8], at: usize, eth_type: u16, facts: &mut Facts) -> Option<u8> {
    let inner = ip::parse(data, at, eth_type)?;
    facts.tunnel.eth_type = eth_type;
    facts.tunnel.flow = inner.flow;
    let ports = match inner.l4 {
        Some(l4) if !inner.later_fragment => ip::ports(data, l4, inner.flow.proto),
        _ => None,
    };
    let Some((src_port, dst_port)) = ports else {
        return Some(5);
    };
    facts.tunnel.flow.src_port = src_port;
    facts.tunnel.flow.dst_port = dst_port;
    Some(6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::hash::hash;
    use crate::packet::ip::{Addr, ICMP, TCP};
    use crate::packet::samples::{DMAC, SMAC, V6_A, ethernet, ipv4, ipv6, tagged, tcp, udp};
    use crate::packet::{NO_TUNNEL, Start, parse};

    const SRC: u32 = 0x0a00_0001;
    const DST: u32 = 0x0a00_0002;

    fn in_udp(sport: u16, dport: u16, payload: &[u8]) -> Vec<u8> {
        ethernet(
            ether::IPV4,
            &ipv4(UDP, SRC, DST, &udp(sport, dport, payload)),
        )
    }

    fn inner_udp() -> Vec<u8> {
        ipv4(UDP, 0xc0a8_0101, 0xc0a8_0102, &udp(1000, 2000, &[]))
    }

    fn at_level_5(frame: &[u8]) -> (Facts, u8) {
        parse(frame, Start::Ethernet, 5)
    }

    fn assert_inner_udp(facts: &Facts, case: &str) {
        let flow = facts.tunnel.flow;
        assert_eq!((flow.ip_version, flow.proto), (4, UDP), "{case}");
        assert_eq!(
            (flow.src, flow.dst),
            (Addr::V4(0xc0a8_0101), Addr::V4(0xc0a8_0102)),
            "{case}"
        );
        assert_eq!((flow.src_port, flow.dst_port), (1000, 2000), "{case}");
    }

    #[test]
    fn gtp_options_and_extensions() {
        let prefix = |flags: u8, rest: &[u8]| {
            [
                &[flags, G_PDU, 0, 0, 0x01, 0x02, 0x03, 0x04],
                rest,
                &inner_udp(),
            ]
            .concat()
        };
        let rows = [
            ("plain", prefix(0x30, &[])),
            ("sequence number", prefix(0x32, &[0, 1, 0, 0])),
            ("N-PDU", prefix(0x31, &[0, 0, 9, 0x85])),
            ("no extension", prefix(0x34, &[0, 0, 0, 0])),
            ("one", prefix(0x34, &[0, 0, 0, 0x85, 1, 0x10, 0x09, 0])),
            (
                "two",
                prefix(
                    0x36,
                    &[0, 0, 0, 0x85, 1, 0, 0, 0xc0, 2, 0, 0, 0, 0, 0, 0, 0],
                ),
            ),
        ];
        for (case, payload) in rows {
            for (sport, dport) in [(2152, 2152), (2152, 40_000), (40_000, 2152), (2123, 2152)] {
                let (facts, level) = at_level_5(&in_udp(sport, dport, &payload));
                assert_eq!((level, facts.tunnel.id), (6, 0x0102_0304), "{case}");
                assert_eq!(facts.tunnel.eth_type, ether::IPV4, "{case}");
                assert_inner_udp(&facts, case);
                assert_eq!(facts.offsets.payload, 42, "{case}");
            }
        }
    }

    #[test]
    fn gtp_without_a_readable_inside() {
        let with = |head: &[u8]| [head, &inner_udp()].concat();
        let teid = 0x0102_0304;
        let rows = [
            (
                "extension of length 0",
                with(&[0x34, 255, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0x85, 0]),
                2152,
                teid,
            ),
            (
                "extension cut",
                vec![0x34, 255, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0x85, 9, 0],
                2152,
                teid,
            ),
            (
                "options cut",
                vec![0x32, 255, 0, 0, 1, 2, 3, 4, 0, 0],
                2152,
                teid,
            ),
            (
                "echo request",
                with(&[0x30, 1, 0, 0, 1, 2, 3, 4]),
                2152,
                teid,
            ),
            (
                "signalling",
                with(&[0x30, 255, 0, 0, 1, 2, 3, 4]),
                2123,
                teid,
            ),
            (
                "not IP",
                vec![0x30, 255, 0, 0, 1, 2, 3, 4, 0xff],
                2152,
                teid,
            ),
            (
                "version 2",
                with(&[0x48, 255, 0, 0, 1, 2, 3, 4]),
                2123,
                NO_TUNNEL,
            ),
            (
                "GTP prime",
                with(&[0x20, 255, 0, 0, 1, 2, 3, 4]),
                2152,
                NO_TUNNEL,
            ),
            (
                "header cut",
                vec![0x30, 255, 0, 0, 1, 2, 3],
                2152,
                NO_TUNNEL,
            ),
            (
                "another port",
                with(&[0x30, 255, 0, 0, 1, 2, 3, 4]),
                2151,
                NO_TUNNEL,
            ),
        ];
        for (case, payload, port, id) in rows {
            let (facts, level) = at_level_5(&in_udp(40_000, port, &payload));
            assert_eq!((level, facts.tunnel.id), (4, id), "{case}");
            assert_eq!(facts.tunnel.flow, ip::Flow::NONE, "{case}");
        }
    }

    #[test]
    fn below_level_5_nothing_is_opened() {
        let payload = [&[0x30, 255, 0, 0, 1, 2, 3, 4][..], &inner_udp()].concat();
        let (facts, level) = parse(&in_udp(1, 2152, &payload), Start::Ethernet, 4);
        assert_eq!((level, facts.tunnel.id), (4, NO_TUNNEL));
    }

    #[test]
    fn gre_inner() {
        let frame = |head: &[u8], inner: &[u8]| {
            ethernet(ether::IPV4, &ipv4(GRE, SRC, DST, &[head, inner].concat()))
        };
        let (facts, level) = at_level_5(&frame(&[0x20, 0, 8, 0, 0, 0, 0, 7], &inner_udp()));
        assert_eq!((level, facts.tunnel.id), (6, 7));
        assert_inner_udp(&facts, "keyed");
        let (facts, level) = at_level_5(&frame(&[0, 0, 8, 0], &inner_udp()));
        assert_eq!((level, facts.tunnel.id), (6, NO_TUNNEL));
        assert_inner_udp(&facts, "without key");
        let v6 = ipv6(TCP, &tcp(5, 6, 20));
        let (facts, level) = at_level_5(&frame(&[0, 0, 0x86, 0xdd], &v6));
        assert_eq!((level, facts.tunnel.flow.src), (6, Addr::V6(V6_A)));
        assert_eq!(
            (facts.tunnel.flow.src_port, facts.tunnel.flow.dst_port),
            (5, 6)
        );
        let ping = ipv4(ICMP, 1, 2, &[8, 0, 0, 0]);
        assert_eq!(at_level_5(&frame(&[0, 0, 8, 0], &ping)).1, 5);
        let mut fragment = inner_udp();
        fragment[7] = 1;
        let (facts, level) = at_level_5(&frame(&[0, 0, 8, 0], &fragment));
        assert_eq!((level, facts.tunnel.flow.src_port), (5, 0));
        assert_eq!(at_level_5(&frame(&[0, 0, 0x65, 0x58], &inner_udp())).1, 4);
        assert_eq!(at_level_5(&frame(&[0, 0, 8, 0], &[])).1, 4);
    }

    #[test]
    fn ip_in_ip() {
        let v6 = ipv6(UDP, &udp(1000, 2000, &[]));
        let rows = [
            ("4 in 4", ether::IPV4, ipv4(4, SRC, DST, &inner_udp()), 4),
            ("6 in 4", ether::IPV4, ipv4(41, SRC, DST, &v6), 6),
            ("4 in 6", ether::IPV6, ipv6(4, &inner_udp()), 4),
            ("6 in 6", ether::IPV6, ipv6(41, &v6), 6),
        ];
        for (case, eth_type, packet, version) in rows {
            let frame = ethernet(eth_type, &packet);
            let (facts, level) = at_level_5(&frame);
            let flow = facts.tunnel.flow;
            assert_eq!(
                (level, flow.ip_version, flow.proto),
                (6, version, UDP),
                "{case}"
            );
            assert_eq!((flow.src_port, flow.dst_port), (1000, 2000), "{case}");
            // The outer facts are those of a parse that opens nothing, and so is the hash.
            let (outer, level) = parse(&frame, Start::Ethernet, 4);
            assert_eq!(level, 3, "{case}");
            assert_eq!(
                (facts.flow, facts.offsets, facts.tunnel.id),
                (outer.flow, outer.offsets, NO_TUNNEL),
                "{case}"
            );
            assert_eq!(facts.offsets.payload, facts.offsets.l4, "{case}");
            assert_eq!(hash(&facts), hash(&outer), "{case}");
        }
    }

    #[test]
    fn ip_in_ip_without_a_readable_inside() {
        let mut later_fragment = ipv4(4, SRC, DST, &inner_udp());
        later_fragment[7] = 1;
        let rows = [
            ("cut", ipv4(4, SRC, DST, &inner_udp()[..19])),
            ("empty", ipv4(4, SRC, DST, &[])),
            ("another version", ipv4(41, SRC, DST, &inner_udp())),
            ("a later fragment", later_fragment),
        ];
        for (case, packet) in rows {
            let (facts, level) = at_level_5(&ethernet(ether::IPV4, &packet));
            assert_eq!(
                (level, facts.tunnel),
                (3, crate::packet::Tunnel::NONE),
                "{case}"
            );
        }
        let ping = ipv4(4, SRC, DST, &ipv4(ICMP, 1, 2, &[8, 0, 0, 0]));
        assert_eq!(at_level_5(&ethernet(ether::IPV4, &ping)).1, 5);
    }

    #[test]
    fn vxlan_inner() {
        let head = [0x08, 0, 0, 0, 0x00, 0x12, 0x34, 0];
        let inner = tagged(&[(0x8100, 5)], ether::IPV4, &inner_udp());
        let (facts, level) = at_level_5(&in_udp(50_000, VXLAN_PORT, &[&head, &inner[..]].concat()));
        assert_eq!((level, facts.tunnel.id), (6, 0x1234));
        assert_eq!((facts.tunnel.dmac, facts.tunnel.smac), (DMAC, SMAC));
        assert_eq!((facts.tunnel.eth_type, facts.vlan_id), (ether::IPV4, 0));
        assert_inner_udp(&facts, "vxlan");

        let arp = ethernet(ether::ARP, &[0; 28]);
        let (facts, level) = at_level_5(&in_udp(50_000, VXLAN_PORT, &[&head, &arp[..]].concat()));
        assert_eq!(
            (level, facts.tunnel.id, facts.tunnel.eth_type),
            (4, 0x1234, ether::ARP)
        );

        let no_vni = [&[0; 8], &inner[..]].concat();
        let (facts, level) = at_level_5(&in_udp(50_000, VXLAN_PORT, &no_vni));
        assert_eq!((level, facts.tunnel.id), (4, NO_TUNNEL));
        let as_source = [&head, &inner[..]].concat();
        assert_eq!(at_level_5(&in_udp(VXLAN_PORT, 50_000, &as_source)).1, 4);
    }

    #[test]
    fn mpls_inner() {
        let label =
            |value: u32, bottom: bool| (value << 12 | u32::from(bottom) << 8 | 64).to_be_bytes();
        let frame = |labels: usize, inner: &[u8]| {
            let mut stack: Vec<u8> = (1..labels).flat_map(|i| label(i as u32, false)).collect();
            stack.extend(label(777, true));
            stack.extend(inner);
            ethernet(ether::MPLS, &stack)
        };
        for labels in [1, 2, 9] {
            let (facts, level) = at_level_5(&frame(labels, &inner_udp()));
            assert_eq!((level, facts.tunnel.id), (6, 777), "{labels} labels");
            assert_inner_udp(&facts, "mpls");
            assert_eq!((facts.flow, facts.offsets.l4), (ip::Flow::NONE, 0));
            assert_eq!((facts.eth_type, facts.offsets.l3), (ether::MPLS, 14));
        }
        let (facts, level) = at_level_5(&frame(10, &inner_udp()));
        assert_eq!((level, facts.tunnel.id), (2, NO_TUNNEL));
        let (facts, level) = at_level_5(&frame(2, &ethernet(ether::IPV4, &inner_udp())));
        assert_eq!((level, facts.tunnel.id), (2, 777));
        assert_eq!(parse(&frame(1, &inner_udp()), Start::Ethernet, 4).1, 2);
        assert_eq!(at_level_5(&frame(1, &[])).1, 2);
    }
}
