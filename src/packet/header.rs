//! Facts to and from C's packet header: the one file of this room that knows the ABI's types.
//!
//! What the exported functions for parsing and printing do stands here, and in `stamp` what those
//! for time stamps do, on slices and references; the boundary turns C's pointers into these.

use super::ip::{Addr, Flow};
use super::print::{PacketText, print_to};
use super::{Facts, NO_TUNNEL, Offsets, Start, Tunnel, hash, parse};
use crate::abi;

mod stamp;

pub use stamp::{
    Handled, handle_arista_7150, handle_arista_7280, handle_ixia, handle_metawatch,
    handle_vss_apcon,
};

const _: () = assert!(NO_TUNNEL == abi::NO_TUNNEL_ID);
const _: () = assert!(super::MORE_FRAGMENTS == abi::PKT_FLAGS_IP_MORE_FRAG);
const _: () = assert!(super::LATER_FRAGMENT == abi::PKT_FLAGS_IP_FRAG_OFFSET);

/// Level that pfring_print_pkt parses at.
const PRINT_LEVEL: u8 = 5;

/// Writes the facts over the parsing information of a header; the id of the last matched rule
/// stays.
pub fn fill_parsed(facts: &Facts, out: &mut abi::pkt_parsing_info) {
    let Facts {
        flow,
        tunnel,
        offsets,
        ..
    } = facts;
    let last_matched_rule_id = out.last_matched_rule_id;
    *out = abi::pkt_parsing_info {
        dmac: facts.dmac,
        smac: facts.smac,
        eth_type: facts.eth_type,
        vlan_id: facts.vlan_id,
        qinq_vlan_id: facts.qinq_vlan_id,
        ip_version: flow.ip_version,
        l3_proto: flow.proto,
        ip_tos: facts.tos,
        ip_src: to_c(flow.src),
        ip_dst: to_c(flow.dst),
        l4_src_port: flow.src_port,
        l4_dst_port: flow.dst_port,
        icmp_type: facts.icmp_type,
        icmp_code: facts.icmp_code,
        tcp: abi::__pfring_pkt_parsing_info_tcp {
            flags: facts.tcp_flags,
            seq_num: facts.tcp_seq,
            ack_num: facts.tcp_ack,
        },
        tunnel: abi::tunnel_info {
            tunnel_id: tunnel.id,
            tunneled_dmac: tunnel.dmac,
            tunneled_smac: tunnel.smac,
            tunneled_eth_type: tunnel.eth_type,
            tunneled_ip_version: tunnel.flow.ip_version,
            tunneled_proto: tunnel.flow.proto,
            tunneled_ip_src: to_c(tunnel.flow.src),
            tunneled_ip_dst: to_c(tunnel.flow.dst),
            tunneled_l4_src_port: tunnel.flow.src_port,
            tunneled_l4_dst_port: tunnel.flow.dst_port,
        },
        last_matched_rule_id,
        offset: abi::pkt_offset {
            eth_offset: offsets.eth,
            vlan_offset: offsets.vlan,
            l3_offset: offsets.l3,
            l4_offset: offsets.l4,
            payload_offset: offsets.payload,
        },
    };
}

/// The facts that a header holds. The fragment bits do not stand there: they come out false.
pub fn read_parsed(info: &abi::pkt_parsing_info) -> Facts {
    let abi::pkt_parsing_info {
        tunnel,
        offset,
        tcp,
        ..
    } = *info;
    Facts {
        dmac: info.dmac,
        smac: info.smac,
        eth_type: info.eth_type,
        vlan_id: info.vlan_id,
        qinq_vlan_id: info.qinq_vlan_id,
        tos: info.ip_tos,
        flow: Flow {
            ip_version: info.ip_version,
            proto: info.l3_proto,
            src: from_c(info.ip_version, info.ip_src),
            dst: from_c(info.ip_version, info.ip_dst),
            src_port: info.l4_src_port,
            dst_port: info.l4_dst_port,
        },
        icmp_type: info.icmp_type,
        icmp_code: info.icmp_code,
        tcp_flags: tcp.flags,
        tcp_seq: tcp.seq_num,
        tcp_ack: tcp.ack_num,
        tunnel: Tunnel {
            id: tunnel.tunnel_id,
            dmac: tunnel.tunneled_dmac,
            smac: tunnel.tunneled_smac,
            eth_type: tunnel.tunneled_eth_type,
            flow: Flow {
                ip_version: tunnel.tunneled_ip_version,
                proto: tunnel.tunneled_proto,
                src: from_c(tunnel.tunneled_ip_version, tunnel.tunneled_ip_src),
                dst: from_c(tunnel.tunneled_ip_version, tunnel.tunneled_ip_dst),
                src_port: tunnel.tunneled_l4_src_port,
                dst_port: tunnel.tunneled_l4_dst_port,
            },
        },
        offsets: Offsets {
            eth: offset.eth_offset,
            vlan: offset.vlan_offset,
            l3: offset.l3_offset,
            l4: offset.l4_offset,
            payload: offset.payload_offset,
        },
        more_fragments: false,
        later_fragment: false,
    }
}

fn to_c(address: Addr) -> abi::ip_addr {
    match address {
        Addr::None => abi::ip_addr::default(),
        Addr::V4(address) => abi::ip_addr::from_v4(address),
        Addr::V6(address) => abi::ip_addr::from_v6(address),
    }
}

fn from_c(ip_version: u8, address: abi::ip_addr) -> Addr {
    match ip_version {
        4 => Addr::V4(address.v4()),
        6 => Addr::V6(address.v6_bytes()),
        _ => Addr::None,
    }
}

/// pfring_parse_pkt: parses into the header, going on from an earlier result in it.
///
/// - `data`: the packet; at most `hdr.caplen` bytes of it are looked at.
/// - `hdr`: parsed_pkt is all zero or holds an earlier result for the same packet.
/// - `add_timestamp`: `now` (seconds, microseconds) is written to `ts` if its seconds are 0.
/// - `add_hash`: the hash is written to `pkt_hash` if that is 0.
///
/// Gives the level reached, 2 to 6.
pub fn parse_pkt(
    data: &[u8],
    hdr: &mut abi::pfring_pkthdr,
    level: u8,
    add_timestamp: bool,
    add_hash: bool,
    now: impl FnOnce() -> (i64, i64),
) -> i32 {
    let data = present(data, hdr);
    let earlier = read_parsed(&hdr.extended_hdr.parsed_pkt);
    let (facts, reached) = parse(data, Start::Resume(&earlier), level);
    fill_parsed(&facts, &mut hdr.extended_hdr.parsed_pkt);
    if add_timestamp && hdr.ts.tv_sec == 0 {
        let (tv_sec, tv_usec) = now();
        hdr.ts = libc::timeval { tv_sec, tv_usec };
    }
    if add_hash && hdr.extended_hdr.pkt_hash == 0 {
        hdr.extended_hdr.pkt_hash = hash::hash(&facts);
    }
    i32::from(reached)
}

/// The bytes that the header says are there.
fn present<'a>(data: &'a [u8], hdr: &abi::pfring_pkthdr) -> &'a [u8] {
    let caplen = usize::try_from(hdr.caplen).unwrap_or(usize::MAX);
    &data[..data.len().min(caplen)]
}

/// pfring_print_parsed_pkt: the packet as text, by what its header says, into a caller's buffer as
/// snprintf does. Gives the length of the whole text.
pub fn print_parsed_pkt(buf: &mut [u8], data: &[u8], hdr: &abi::pfring_pkthdr) -> usize {
    let text = PacketText {
        facts: &read_parsed(&hdr.extended_hdr.parsed_pkt),
        hash: hdr.extended_hdr.pkt_hash,
        caplen: hdr.caplen,
        len: hdr.len,
        data: present(data, hdr),
    };
    print_to(buf, text)
}

/// pfring_print_pkt: parses an Ethernet frame, of `len` bytes on the wire, and prints it.
pub fn print_pkt(buf: &mut [u8], data: &[u8], len: u32) -> usize {
    let (facts, _) = parse(data, Start::Ethernet, PRINT_LEVEL);
    let caplen = u32::try_from(data.len()).unwrap_or(u32::MAX);
    print_to(
        buf,
        PacketText {
            facts: &facts,
            hash: hash::hash(&facts),
            caplen,
            len,
            data,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::ip::{TCP, UDP};
    use crate::packet::samples::*;
    use crate::packet::{ether, tunnel};

    const NOW: (i64, i64) = (1_700_000_000, 123_456);

    fn header_for(frame: &[u8]) -> abi::pfring_pkthdr {
        let len = frame.len() as u32;
        abi::pfring_pkthdr {
            caplen: len,
            len,
            ..Default::default()
        }
    }

    fn parse_into(frame: &[u8], hdr: &mut abi::pfring_pkthdr, level: u8) -> i32 {
        parse_pkt(frame, hdr, level, false, false, || {
            unreachable!("no time was asked for")
        })
    }

    fn samples() -> Vec<(&'static str, Vec<u8>, i32)> {
        let inner = ipv4(UDP, 0xc0a8_0101, 0xc0a8_0102, &udp(1000, 2000, &[]));
        let gtp = [&[0x30, 255, 0, 0, 0, 0, 0, 1][..], &inner].concat();
        let vxlan = [
            &[8, 0, 0, 0, 0, 0, 5, 0][..],
            &ethernet(ether::IPV4, &inner),
        ]
        .concat();
        let mpls = [&[0, 0, 0x11, 64][..], &inner].concat();
        let mut fragment = ipv4(UDP, 1, 2, &[0; 30]);
        fragment[7] = 9;
        vec![
            ("short", vec![0; 13], 2),
            ("arp", ethernet(ether::ARP, &[0; 28]), 2),
            (
                "icmp",
                ethernet(ether::IPV4, &ipv4(1, 1, 2, &[8, 1, 0, 0])),
                3,
            ),
            ("fragment", ethernet(ether::IPV4, &fragment), 3),
            (
                "fragment6",
                ethernet(
                    ether::IPV6,
                    &ipv6(44, &[fragment6(UDP, 9, true), vec![1; 30]].concat()),
                ),
                3,
            ),
            (
                "tcp6",
                tagged(
                    &[(0x8100, 7), (0x8100, 8)],
                    ether::IPV6,
                    &ipv6(TCP, &tcp(1, 2, 24)),
                ),
                4,
            ),
            (
                "gtp",
                ethernet(
                    ether::IPV4,
                    &ipv4(UDP, 1, 2, &udp(9, tunnel::GTP_U_PORT, &gtp)),
                ),
                6,
            ),
            (
                "vxlan",
                ethernet(ether::IPV6, &ipv6(UDP, &udp(9, tunnel::VXLAN_PORT, &vxlan))),
                6,
            ),
            ("mpls", ethernet(ether::MPLS, &mpls), 6),
            ("ip in ip", ethernet(ether::IPV4, &ipv4(4, 1, 2, &inner)), 6),
        ]
    }

    #[test]
    fn facts_survive_the_header() {
        for (case, frame, level) in samples() {
            let (facts, reached) = parse(&frame, Start::Ethernet, 5);
            assert_eq!(i32::from(reached), level, "{case}");
            let mut info = abi::pkt_parsing_info {
                last_matched_rule_id: 77,
                ..Default::default()
            };
            fill_parsed(&facts, &mut info);
            let back = Facts {
                more_fragments: facts.more_fragments,
                later_fragment: facts.later_fragment,
                ..read_parsed(&info)
            };
            assert_eq!(back, facts, "{case}");
            assert_eq!({ info.last_matched_rule_id }, 77, "{case}");
        }
    }

    #[test]
    fn ipv4_is_in_host_order_and_ipv6_as_on_the_wire() {
        let mut hdr = header_for(&[]);
        let frame = ethernet(
            ether::IPV4,
            &ipv4(UDP, 0x0a00_0001, 0x0a00_0002, &udp(1, 2, &[])),
        );
        hdr.caplen = frame.len() as u32;
        parse_into(&frame, &mut hdr, 4);
        let info = hdr.extended_hdr.parsed_pkt;
        assert_eq!(
            ({ info.ip_src }.v4(), { info.ip_dst }.v4()),
            (0x0a00_0001, 0x0a00_0002)
        );
        assert_eq!(
            (info.ip_version, { info.l4_src_port }, { info.l4_dst_port }),
            (4, 1, 2)
        );
        let frame = ethernet(ether::IPV6, &ipv6(UDP, &udp(1, 2, &[])));
        let mut hdr = header_for(&frame);
        parse_into(&frame, &mut hdr, 4);
        let info = hdr.extended_hdr.parsed_pkt;
        assert_eq!(
            ({ info.ip_src }.v6_bytes(), { info.ip_dst }.v6_bytes()),
            (V6_A, V6_B)
        );
    }

    /// Layer by layer gives what one parse gives, and reads no skipped layer again.
    #[test]
    fn goes_on_from_an_earlier_result() {
        for (case, frame, level) in samples() {
            let mut whole = header_for(&frame);
            assert_eq!(parse_into(&frame, &mut whole, 5), level, "{case}");
            let mut steps = header_for(&frame);
            for step in 2..=5 {
                let expected = i32::from(parse(&frame, Start::Ethernet, step).1);
                assert_eq!(
                    parse_into(&frame, &mut steps, step),
                    expected,
                    "{case} at {step}"
                );
            }
            let [whole, steps] =
                [whole, steps].map(|hdr| read_parsed(&hdr.extended_hdr.parsed_pkt));
            assert_eq!(whole, steps, "{case}");
        }
    }

    #[test]
    fn an_earlier_result_is_believed() {
        let frame = ethernet(ether::IPV4, &ipv4(UDP, 1, 2, &udp(7, 8, &[])));
        let mut hdr = header_for(&frame);
        parse_into(&frame, &mut hdr, 3);
        hdr.extended_hdr.parsed_pkt.vlan_id = 99;
        hdr.extended_hdr.parsed_pkt.ip_tos = 5;
        hdr.extended_hdr.parsed_pkt.tunnel.tunnel_id = 1;
        assert_eq!(parse_into(&frame, &mut hdr, 4), 4);
        let info = hdr.extended_hdr.parsed_pkt;
        assert_eq!(
            ({ info.vlan_id }, info.ip_tos, { info.l4_dst_port }),
            (99, 5, 8)
        );
        assert_eq!({ info.tunnel.tunnel_id }, abi::NO_TUNNEL_ID);
    }

    #[test]
    fn offsets_that_cannot_be_start_anew() {
        let frame = ethernet(ether::IPV4, &ipv4(UDP, 1, 2, &udp(7, 8, &[])));
        for (l3, l4) in [
            (-1, 34),
            (14, -5),
            (14, i16::MAX),
            (4000, 0),
            (i16::MIN, i16::MIN),
        ] {
            let mut hdr = header_for(&frame);
            hdr.extended_hdr.parsed_pkt.offset.l3_offset = l3;
            hdr.extended_hdr.parsed_pkt.offset.l4_offset = l4;
            assert_eq!(parse_into(&frame, &mut hdr, 4), 4, "{l3} {l4}");
            assert_eq!(
                { hdr.extended_hdr.parsed_pkt.offset.l4_offset },
                34,
                "{l3} {l4}"
            );
        }
    }

    #[test]
    fn time_and_hash_only_where_there_is_none() {
        let frame = ethernet(
            ether::IPV4,
            &ipv4(TCP, 0x0a00_0001, 0x0a00_0002, &tcp(1234, 80, 20)),
        );
        let mut hdr = header_for(&frame);
        parse_pkt(&frame, &mut hdr, 4, true, true, || NOW);
        assert_eq!(({ hdr.ts }.tv_sec, { hdr.ts }.tv_usec), NOW);
        assert_eq!({ hdr.extended_hdr.pkt_hash }, 335_545_643);
        hdr.ts.tv_sec = 5;
        hdr.extended_hdr.pkt_hash = 6;
        parse_pkt(&frame, &mut hdr, 4, true, true, || NOW);
        assert_eq!(({ hdr.ts }.tv_sec, { hdr.extended_hdr.pkt_hash }), (5, 6));
        let mut hdr = header_for(&frame);
        parse_into(&frame, &mut hdr, 4);
        assert_eq!(({ hdr.ts }.tv_sec, { hdr.extended_hdr.pkt_hash }), (0, 0));
    }

    #[test]
    fn caplen_bounds_the_data() {
        let frame = ethernet(ether::IPV4, &ipv4(UDP, 1, 2, &udp(7, 8, &[])));
        let mut hdr = header_for(&frame);
        hdr.caplen = 34;
        assert_eq!(parse_into(&frame, &mut hdr, 4), 3);
        hdr.caplen = u32::MAX;
        assert_eq!(parse_into(&frame, &mut hdr, 4), 4);
    }

    /// R30: a parse that begins at the IP header.
    #[test]
    fn r30_raw_ip_begins_at_layer_3() {
        let packet = ipv4(UDP, 1, 2, &udp(7, 8, &[]));
        assert_eq!(packet.len(), 28);
        let (facts, level) = parse(&packet, Start::Ip, 5);
        assert_eq!(
            (level, facts.eth_type, facts.flow.dst_port),
            (4, ether::IPV4, 8)
        );
        let offsets = Offsets {
            l4: 20,
            payload: 28,
            ..Offsets::default()
        };
        assert_eq!(facts.offsets, offsets);
        // A program that parses again with that result keeps it.
        let mut hdr = header_for(&packet);
        fill_parsed(&facts, &mut hdr.extended_hdr.parsed_pkt);
        assert_eq!(parse_into(&packet, &mut hdr, 5), 4);
        assert_eq!(read_parsed(&hdr.extended_hdr.parsed_pkt), facts);
    }

    #[test]
    fn prints_through_the_header() {
        let frame = ethernet(
            ether::IPV4,
            &ipv4(TCP, 0x0a00_0001, 0x0a00_0002, &tcp(1234, 80, 20)),
        );
        let mut hdr = header_for(&frame);
        parse_pkt(&frame, &mut hdr, 5, false, true, || NOW);
        let (mut by_header, mut at_once) = ([1; 400], [2; 400]);
        let len = print_parsed_pkt(&mut by_header, &frame, &hdr);
        assert_eq!(print_pkt(&mut at_once, &frame, hdr.len), len);
        assert_eq!(by_header[..=len], at_once[..=len]);
        assert_eq!(by_header[len], 0);
        let mut small = [9; 10];
        assert_eq!(print_parsed_pkt(&mut small, &frame, &hdr), len);
        assert_eq!(&small, b"[02:00:00\0");
    }
}
