//! The mixed capture: a frame of each of many protocols, and filters that tell them apart.

use crate::common::frame::{DST, SRC};

/// An Ethernet frame with tags, as long as its contents.
fn ether(tags: &[(u16, u16)], eth_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = [DST, SRC].concat();
    for (tpid, tci) in tags {
        frame.extend(tpid.to_be_bytes());
        frame.extend(tci.to_be_bytes());
    }
    frame.extend(eth_type.to_be_bytes());
    frame.extend(payload);
    frame
}

/// From 10.0.0.1 to 10.0.0.2; `fragment` is the word of flags and offset.
fn ipv4_fragment(proto: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let total = 20 + payload.len() as u16;
    let mut packet = vec![0x45, 0];
    packet.extend(total.to_be_bytes());
    packet.extend([0, 9]);
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, proto, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(payload);
    packet
}

fn ipv4(proto: u8, payload: &[u8]) -> Vec<u8> {
    ipv4_fragment(proto, 0, payload)
}

/// From 2001:db8::1 to 2001:db8::2.
fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, 64]);
    for last in [1, 2] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8]);
        packet.extend([0; 11]);
        packet.push(last);
    }
    packet.extend(payload);
    packet
}

fn udp(src: u16, dst: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = [src.to_be_bytes(), dst.to_be_bytes()].concat();
    packet.extend((8 + payload.len() as u16).to_be_bytes());
    packet.extend([0, 0]);
    packet.extend(payload);
    packet
}

fn tcp(src: u16, dst: u16, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = [src.to_be_bytes(), dst.to_be_bytes()].concat();
    packet.extend([0, 0, 0, 1, 0, 0, 0, 2, 0x50, flags, 0x20, 0, 0, 0, 0, 0]);
    packet.extend(payload);
    packet
}

const SYN: u8 = 2;
const PUSH: u8 = 0x18;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Each protocol's name with a frame of it.
pub fn mixed() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = transport();
    all.extend(other_ip());
    all.extend(tunnels());
    all.extend(link_layer());
    all
}

fn transport() -> Vec<(&'static str, Vec<u8>)> {
    let v4 = |proto, payload: &[u8]| ether(&[], IPV4, &ipv4(proto, payload));
    let v6 = |next, payload: &[u8]| ether(&[], IPV6, &ipv6(next, payload));
    let long = vec![0x5a; 1400];
    vec![
        ("TCP", v4(6, &tcp(40_000, 22, SYN, &[]))),
        (
            "HTTP",
            v4(6, &tcp(40_001, 80, PUSH, b"GET / HTTP/1.1\r\n\r\n")),
        ),
        (
            "TLS",
            v4(6, &tcp(443, 40_002, PUSH, &[22, 3, 1, 0, 5, 1, 0, 0, 1, 3])),
        ),
        ("SMTP", v4(6, &tcp(40_003, 25, PUSH, b"EHLO x\r\n"))),
        ("TCP, full size", v4(6, &tcp(80, 40_001, 0x10, &long))),
        ("UDP", v4(17, &udp(1000, 2000, b"hello"))),
        (
            "DNS",
            v4(
                17,
                &udp(
                    40_004,
                    53,
                    &[0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1],
                ),
            ),
        ),
        ("DHCP", v4(17, &udp(68, 67, &[1; 244]))),
        ("NTP", v4(17, &udp(123, 123, &[0x1b; 48]))),
        ("SNMP", v4(17, &udp(40_005, 161, &[0x30; 40]))),
        (
            "SIP",
            v4(17, &udp(5060, 5060, b"OPTIONS sip:x SIP/2.0\r\n")),
        ),
        (
            "SCTP",
            v4(132, &[3, 232, 7, 208, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 4]),
        ),
        ("DCCP", v4(33, &[3, 232, 7, 208, 4, 0, 0, 0, 0, 0, 0, 1])),
        ("UDP-Lite", v4(136, &udp(1000, 2000, b"lite"))),
        ("TCP over IPv6", v6(6, &tcp(40_006, 443, SYN, &[]))),
        ("UDP over IPv6", v6(17, &udp(546, 547, &[1; 60]))),
        (
            "hop-by-hop options",
            v6(
                0,
                &[&[58, 0, 5, 2, 0, 0, 1, 0], &[143, 0, 0, 0, 0, 0, 0, 0][..]].concat(),
            ),
        ),
        (
            "IPv6 fragment",
            v6(
                44,
                &[&[17, 0, 0, 1, 0, 0, 0, 7], &udp(1, 2, &[9; 40])[..]].concat(),
            ),
        ),
    ]
}

fn other_ip() -> Vec<(&'static str, Vec<u8>)> {
    let v4 = |proto, payload: &[u8]| ether(&[], IPV4, &ipv4(proto, payload));
    let multicast = |last: u8, proto, payload: &[u8]| {
        let mut frame = v4(proto, payload);
        frame[..6].copy_from_slice(&[1, 0, 0x5e, 0, 0, last]);
        frame[30..34].copy_from_slice(&[224, 0, 0, last]);
        frame
    };
    vec![
        ("ICMP", v4(1, &[8, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4])),
        (
            "ICMP unreachable",
            v4(
                1,
                &[&[3, 3, 0, 0, 0, 0, 0, 0], &ipv4(17, &udp(1, 2, &[]))[..]].concat(),
            ),
        ),
        (
            "ICMPv6",
            ether(&[], IPV6, &ipv6(58, &[135, 0, 0, 0, 0, 0, 0, 0])),
        ),
        ("IGMP", multicast(1, 2, &[0x11, 100, 0, 0, 0, 0, 0, 0])),
        (
            "OSPF",
            multicast(5, 89, &[2, 1, 0, 44, 1, 1, 1, 1, 0, 0, 0, 0]),
        ),
        ("VRRP", multicast(18, 112, &[0x21, 1, 100, 1, 0, 1, 0, 0])),
        ("PIM", multicast(13, 103, &[0x20, 0, 0, 0, 0, 1, 0, 2])),
        ("EIGRP", multicast(10, 88, &[2, 5, 0, 0])),
        (
            "ESP",
            v4(50, &[0, 0, 0, 1, 0, 0, 0, 2, 9, 9, 9, 9, 9, 9, 9, 9]),
        ),
        (
            "AH",
            v4(
                51,
                &[
                    6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                ],
            ),
        ),
        (
            "IPv4 fragment",
            ether(&[], IPV4, &ipv4_fragment(17, 0x2000, &udp(1, 2, &[7; 24]))),
        ),
        (
            "later IPv4 fragment",
            ether(&[], IPV4, &ipv4_fragment(17, 0x0004, &[7; 40])),
        ),
    ]
}

fn tunnels() -> Vec<(&'static str, Vec<u8>)> {
    let v4 = |proto, payload: &[u8]| ether(&[], IPV4, &ipv4(proto, payload));
    let inner = ipv4(17, &udp(1000, 2000, b"inner"));
    let with = |head: &[u8]| [head, &inner].concat();
    let inner_ether = ether(&[], IPV4, &inner);
    let vxlan = [&[8, 0, 0, 0, 0, 0, 5, 0], &inner_ether[..]].concat();
    let gtp = with(&[0x30, 255, 0, 33, 0, 0, 0, 7]);
    let pppoe = with(&[0x11, 0, 0, 9, 0, 35, 0, 0x21]);
    vec![
        ("GRE", v4(47, &with(&[0, 0, 8, 0]))),
        (
            "GRE with a key",
            v4(47, &with(&[0x20, 0, 8, 0, 0, 0, 0, 7])),
        ),
        ("IP in IP", v4(4, &inner)),
        ("IPv6 in IP", v4(41, &ipv6(17, &udp(1, 2, &[])))),
        ("VXLAN", v4(17, &udp(50_000, 4789, &vxlan))),
        ("GTP-U", v4(17, &udp(2152, 2152, &gtp))),
        (
            "L2TP",
            v4(
                17,
                &udp(1701, 1701, &[0xc8, 2, 0, 12, 0, 1, 0, 0, 0, 0, 0, 0]),
            ),
        ),
        (
            "MPLS",
            ether(&[], 0x8847, &with(&[0, 0x01, 0x00, 64, 0, 0x02, 0x01, 64])),
        ),
        ("PPPoE session", ether(&[], 0x8864, &pppoe)),
        (
            "PPPoE discovery",
            ether(&[], 0x8863, &[0x11, 9, 0, 0, 0, 4, 1, 1, 0, 0]),
        ),
        (
            "802.1Q",
            ether(&[(0x8100, 0x6064)], IPV4, &ipv4(6, &tcp(1, 80, SYN, &[]))),
        ),
        (
            "802.1Q around IPv6",
            ether(&[(0x8100, 5)], IPV6, &ipv6(17, &udp(7, 53, b"v6"))),
        ),
        (
            "802.1Q, priority only",
            ether(&[(0x8100, 0xe000)], IPV4, &inner),
        ),
        (
            "802.1ad",
            ether(&[(0x88a8, 301), (0x8100, 345)], IPV4, &inner),
        ),
    ]
}

fn link_layer() -> Vec<(&'static str, Vec<u8>)> {
    let broadcast = |mut frame: Vec<u8>| {
        frame[..6].fill(0xff);
        frame
    };
    let arp = [
        0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2,
    ];
    let mut rarp = arp;
    rarp[7] = 3;
    let llc = |llc: &[u8]| ether(&[], llc.len() as u16, llc);
    vec![
        ("ARP", broadcast(ether(&[], 0x0806, &arp))),
        ("RARP", broadcast(ether(&[], 0x8035, &rarp))),
        (
            "LLDP",
            ether(
                &[],
                0x88cc,
                &[2, 7, 4, 2, 0, 0, 0, 0, 1, 4, 2, 7, 1, 6, 2, 0, 120, 0, 0],
            ),
        ),
        (
            "spanning tree",
            llc(&[0x42, 0x42, 3, 0, 0, 0, 0, 0, 0x80, 0, 2, 0, 0, 0, 0, 1]),
        ),
        (
            "CDP",
            llc(&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0, 2, 180, 0, 0]),
        ),
        ("IS-IS", llc(&[0xfe, 0xfe, 3, 0x83, 27, 1, 0, 15, 1, 0, 0])),
        ("EAPOL", ether(&[], 0x888e, &[1, 1, 0, 0])),
        ("PTP", ether(&[], 0x88f7, &[0; 44])),
        ("Wake-on-LAN", broadcast(ether(&[], 0x0842, &[0xff; 102]))),
        (
            "IPX",
            llc(&[0xe0, 0xe0, 3, 0xff, 0xff, 0, 30, 0, 17, 0, 0, 0, 0]),
        ),
        ("a type of experiments", ether(&[], 0x88b5, &[7; 100])),
    ]
}

/// Each lets some of the frames through and not all.
pub const FILTERS: &[&str] = &[
    "ip",
    "ip6",
    "arp",
    "rarp",
    "not ip",
    "tcp",
    "udp",
    "icmp",
    "icmp6",
    "igmp",
    "sctp",
    "esp",
    "ah",
    "pim",
    "vrrp",
    "proto 89",
    "ip proto 47",
    "ip proto 4 or ip proto 41",
    "ip6 proto 17",
    "ip protochain 6",
    "port 53",
    "src port 40001",
    "dst port 80",
    "tcp port 443",
    "udp portrange 2000-2200",
    "tcp dst portrange 1-100 and not port 22",
    "host 10.0.0.1",
    "dst net 224.0.0.0/8",
    "src net 10.0.0.0/24 and tcp",
    "ip6 host 2001:db8::1",
    "ip6 net 2001:db8::/32 and udp",
    "ether host 02:00:00:00:00:02",
    "ether dst 01:00:5e:00:00:05",
    "ether broadcast",
    "ether multicast",
    "ip multicast",
    "ether proto 0x88cc",
    "ether proto 0x88b5 or ether proto 0x88f7",
    "ether[12:2] > 1535",
    "stp",
    "isis",
    "ipx",
    "llc",
    "vlan",
    "vlan 100",
    "vlan and ip",
    "vlan 301 and vlan 345",
    "not vlan",
    "vlan 5 and udp port 53",
    "mpls",
    "mpls 16 and mpls 32",
    "pppoed",
    "pppoes and ip",
    "greater 200",
    "less 60",
    "len > 100 and len <= 300",
    "tcp[tcpflags] & tcp-syn != 0",
    "icmp[icmptype] == icmp-echo",
    "ip[6:2] & 0x3fff != 0",
    "ip[8] == 64 and udp[4:2] > 20",
    "ip[2:2] > 1000",
    "tcp[((tcp[12] & 0xf0) >> 2):4] = 0x47455420",
    "(tcp or udp) and not (port 80 or port 53)",
    "ip and not tcp and not udp",
    "port domain or port http",
    "ip6[6] == 44",
    "udp port 4789 or udp port 2152",
    "1 = 1 and ip",
];
