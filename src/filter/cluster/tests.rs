use libc::sock_filter;

use super::program::assemble;
use super::*;
use crate::packet::samples::{ethernet, extension, fragment6, ipv4, ipv6, sctp, tagged, tcp, udp};
use crate::packet::{Start, ether, parse};

/// A packet as the demultiplexer of a fanout group sees it.
struct Skb<'a> {
    data: &'a [u8],
    mac: &'a [u8],
    protocol: u16,
    outgoing: bool,
}

/// Runs a classic program as the kernel does: a load beyond the packet ends it with 0.
fn run(program: &[sock_filter], skb: &Skb<'_>) -> u32 {
    let mut at = 0;
    let (mut a, mut x, mut memory) = (0u32, 0u32, [0u32; 16]);
    loop {
        let insn = program[at];
        at += 1;
        let (code, k) = (u32::from(insn.code), insn.k);
        let operand = if code & libc::BPF_X != 0 { x } else { k };
        match code & 0x07 {
            libc::BPF_LD => match load(skb, code, k, x, &memory) {
                Some(value) => a = value,
                None => return 0,
            },
            libc::BPF_LDX => x = memory[k as usize],
            libc::BPF_ST => memory[k as usize] = a,
            libc::BPF_ALU => {
                a = match code & 0xf0 {
                    libc::BPF_ADD => a.wrapping_add(operand),
                    libc::BPF_SUB => a.wrapping_sub(operand),
                    libc::BPF_AND => a & operand,
                    libc::BPF_LSH => a << operand,
                    libc::BPF_RSH => a >> operand,
                    other => panic!("arithmetic {other:#x}"),
                }
            }
            libc::BPF_JMP => {
                let taken = match code & 0xf0 {
                    libc::BPF_JA => {
                        at += k as usize;
                        continue;
                    }
                    libc::BPF_JEQ => a == operand,
                    libc::BPF_JGE => a >= operand,
                    libc::BPF_JSET => a & operand != 0,
                    other => panic!("jump {other:#x}"),
                };
                at += usize::from(if taken { insn.jt } else { insn.jf });
            }
            libc::BPF_RET => return if code & 0x18 == libc::BPF_A { a } else { k },
            _ => x = a,
        }
    }
}

fn load(skb: &Skb<'_>, code: u32, k: u32, x: u32, memory: &[u32; 16]) -> Option<u32> {
    let bytes = |data: &[u8], at: usize| {
        let len = match code & 0x18 {
            libc::BPF_W => 4,
            libc::BPF_H => 2,
            _ => 1,
        };
        let bytes = data.get(at..at.checked_add(len)?)?;
        Some(
            bytes
                .iter()
                .fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
        )
    };
    match code & 0xe0 {
        libc::BPF_IMM => Some(k),
        libc::BPF_LEN => Some(skb.data.len() as u32),
        libc::BPF_MEM => Some(memory[k as usize]),
        libc::BPF_IND => bytes(skb.data, k as usize + x as usize),
        _ => match k as i32 {
            at @ 0.. => bytes(skb.data, at as usize),
            at if at == libc::SKF_AD_OFF + libc::SKF_AD_PROTOCOL => Some(skb.protocol.into()),
            at if at == libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE => {
                Some(if skb.outgoing { 4 } else { 0 })
            }
            at => bytes(skb.mac, (at - libc::SKF_LL_OFF) as usize),
        },
    }
}

/// The frame as it is sent, and as it comes in: there the kernel has taken the outer tag out.
fn both_ways(program: &[sock_filter], frame: &[u8]) -> [u32; 2] {
    let type_at = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    let mut skip = ether::HEADER_LEN;
    if frame.len() >= skip + 4 && ether::is_tag(type_at(12)) {
        skip += 4;
    }
    let sent = Skb {
        data: frame,
        mac: frame,
        protocol: type_at(skip - 2),
        outgoing: true,
    };
    let received = Skb {
        data: &frame[skip..],
        outgoing: false,
        ..sent
    };
    [run(program, &sent), run(program, &received)]
}

fn balances() -> Vec<(u32, Balance)> {
    let known = (0..14).filter_map(|number| Some((number, Balance::from_number(number)?)));
    known
        .flat_map(|(number, balance)| {
            let both = [Some(balance), balance.second()];
            both.map(|balance| Some((number, balance?)))
        })
        .flatten()
        .filter(|(_, balance)| *balance != Balance::RoundRobin)
        .collect()
}

const SRC: u32 = 0x0a00_0001;
const DST: u32 = 0xc0a8_0102;

/// Packets of every kind, with their names.
fn packets() -> Vec<(&'static str, Vec<u8>)> {
    let inner = ipv4(UDP_, 0x0102_0304, 0x0506_0708, &udp(1000, 2000, &[1; 9]));
    let inner6 = ipv6(TCP, &tcp(5, 60_000, 20));
    let in_udp = |sport, dport, head: &[u8], inside: &[u8]| {
        ipv4(UDP_, SRC, DST, &udp(sport, dport, &[head, inside].concat()))
    };
    let gtp = [0x30, 255, 0, 0, 1, 2, 3, 4];
    let gtp_options = [
        0x36, 255, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0x85, 1, 9, 9, 0xc0, 2, 0, 0, 0, 0, 0, 0, 0,
    ];
    let vxlan = [8, 0, 0, 0, 0, 0, 7, 0];
    let mut fragment = ipv4(UDP_, SRC, DST, &udp(1, 2, &[0; 8]));
    fragment[6] = 0x20;
    let mut later = ipv4(TCP, SRC, DST, &[7; 24]);
    later[7] = 3;
    let mut options = vec![
        0x47, 0, 0, 48, 0, 0, 0, 0, 64, TCP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    ];
    options.extend_from_slice(&[1; 8]);
    options.extend_from_slice(&tcp(99, 100, 20));
    let v4 = |packet: Vec<u8>| ethernet(ether::IPV4, &packet);
    let v6 = |packet: Vec<u8>| ethernet(ether::IPV6, &packet);
    vec![
        ("tcp", v4(ipv4(TCP, SRC, DST, &tcp(1234, 80, 20)))),
        ("udp", v4(ipv4(UDP_, SRC, DST, &udp(53, 40_000, &[])))),
        ("sctp", v4(ipv4(132, SRC, DST, &sctp(7, 8)))),
        ("icmp", v4(ipv4(1, SRC, DST, &[8, 0, 0, 0]))),
        ("options", v4(options)),
        ("tcp cut", v4(ipv4(TCP, SRC, DST, &tcp(1, 2, 20)[..19]))),
        ("fragment", v4(fragment)),
        ("later fragment", v4(later)),
        ("v6 tcp", v6(ipv6(TCP, &tcp(1, 65_535, 20)))),
        (
            "v6 hop and destination",
            v6(ipv6(
                0,
                &[extension(60, 0), extension(UDP_, 1), udp(4, 5, &[])].concat(),
            )),
        ),
        (
            "v6 fragment",
            v6(ipv6(
                44,
                &[fragment6(UDP_, 0, true), udp(6, 7, &[])].concat(),
            )),
        ),
        (
            "v6 later fragment",
            v6(ipv6(44, &[fragment6(UDP_, 8, false), vec![9; 16]].concat())),
        ),
        ("v6 none", v6(ipv6(59, &[]))),
        ("v6 extension cut", v6(ipv6(0, &[60, 9, 0, 0, 0, 0, 0, 0]))),
        ("gtp", v4(in_udp(2152, 2152, &gtp, &inner))),
        ("gtp with v6", v4(in_udp(9, 2152, &gtp, &inner6))),
        (
            "gtp with options",
            v4(in_udp(2152, 9, &gtp_options, &inner)),
        ),
        ("gtp signalling", v4(in_udp(2123, 2123, &gtp, &inner))),
        ("gtp cut", v4(in_udp(2152, 2152, &gtp[..7], &[]))),
        ("vxlan", v4(in_udp(5, 4789, &vxlan, &v4(inner.clone())))),
        (
            "vxlan, tagged",
            v4(in_udp(
                5,
                4789,
                &vxlan,
                &tagged(&[(0x8100, 9)], ether::IPV6, &inner6),
            )),
        ),
        (
            "vxlan with arp",
            v4(in_udp(5, 4789, &vxlan, &ethernet(ether::ARP, &[0; 28]))),
        ),
        ("no vxlan", v4(in_udp(4789, 5, &vxlan, &v4(inner.clone())))),
        (
            "gre",
            v4(ipv4(GRE_, SRC, DST, &[&[0, 0, 8, 0][..], &inner].concat())),
        ),
        (
            "gre with all",
            v4(ipv4(
                GRE_,
                SRC,
                DST,
                &[
                    &[0xb0, 0, 0x86, 0xdd, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2][..],
                    &inner6,
                ]
                .concat(),
            )),
        ),
        (
            "gre version 1",
            v4(ipv4(GRE_, SRC, DST, &[&[0, 1, 8, 0][..], &inner].concat())),
        ),
        (
            "gre with ethernet",
            v4(ipv4(
                GRE_,
                SRC,
                DST,
                &[&[0, 0, 0x65, 0x58][..], &inner].concat(),
            )),
        ),
        ("4 in 4", v4(ipv4(4, SRC, DST, &inner))),
        ("6 in 4", v4(ipv4(41, SRC, DST, &inner6))),
        ("4 in 6", v6(ipv6(4, &inner))),
        ("4 in 4, cut", v4(ipv4(4, SRC, DST, &inner[..19]))),
        (
            "mpls",
            ethernet(
                ether::MPLS,
                &[&[0, 0, 0x10, 64, 0, 0, 0x21, 64][..], &inner].concat(),
            ),
        ),
        (
            "mpls without bottom",
            ethernet(ether::MPLS, &[0, 0, 0x10, 64].repeat(9)),
        ),
        ("arp", ethernet(ether::ARP, &[3; 28])),
        ("lldp", ethernet(0x88cc, &[4; 46])),
        ("wrong version", v4(ipv6(TCP, &tcp(1, 2, 20)))),
    ]
}

const UDP_: u8 = crate::packet::ip::UDP;
const GRE_: u8 = crate::packet::ip::GRE;

fn assert_same(name: &str, frame: &[u8]) {
    let (facts, _) = parse(frame, Start::Ethernet, 6);
    for (number, balance) in balances() {
        let program = assemble(balance, true).expect("a sum");
        assert!(program.len() <= 4096, "{} instructions", program.len());
        let expected = balance.sum(&facts);
        assert_eq!(
            both_ways(&program, frame),
            [expected; 2],
            "{name}, type {number}"
        );
    }
}

#[test]
fn the_program_gives_the_sum_of_the_parser() {
    for (name, frame) in packets() {
        assert_same(name, &frame);
        let rest = &frame[ether::HEADER_LEN..];
        let eth_type = u16::from_be_bytes([frame[12], frame[13]]);
        for tags in [
            &[(0x8100, 5)][..],
            &[(0x88a8, 300), (0x8100, 7)],
            &[(0x9100, 1); 3],
        ] {
            assert_same(name, &tagged(tags, eth_type, rest));
        }
        assert_same(
            name,
            &tagged(
                &[(ether::ARISTA_STAMP, 1)],
                0,
                &[&[0; 10][..], &frame[12..]].concat(),
            ),
        );
    }
}

/// Cut anywhere behind the Ethernet header, also where nothing of it makes sense any more.
#[test]
fn the_program_gives_the_sum_of_the_parser_for_packets_that_are_cut() {
    for (name, frame) in packets() {
        for len in ether::HEADER_LEN..frame.len() {
            assert_same(name, &frame[..len]);
        }
    }
}

#[test]
fn the_sums_of_the_types() {
    let frame = |name| {
        packets()
            .into_iter()
            .find(|(known, _)| *known == name)
            .expect(name)
            .1
    };
    let sum = |number, name| {
        let (facts, _) = parse(&frame(name), Start::Ethernet, 6);
        Balance::from_number(number).expect("known").sum(&facts)
    };
    let two = SRC.wrapping_add(DST);
    let rows = [
        (0, "tcp", two + 1314 + 6),
        (2, "tcp", two),
        (3, "tcp", two + 1314),
        (4, "tcp", two + 1314 + 6),
        (5, "tcp", two + 1314 + 6),
        (5, "udp", two),
        (9, "udp", two + 40_053 + 17),
        (6, "gtp", 0x0608_0a0c + 3000 + 17),
        (7, "gtp", 0x0608_0a0c),
        (8, "gtp", 0x0608_0a0c + 3000),
        (4, "gtp", two + 4304 + 17),
        // Outside it is UDP.
        (10, "gtp", 0x0608_0a0c),
        (10, "tcp", two + 1314 + 6),
        (4, "fragment", two + 17),
        (3, "later fragment", two),
        (4, "lldp", 0),
        (12, "mpls", 0x0608_0a0c + 3000 + 17),
        (4, "mpls", 0),
        (13, "tcp", SRC),
    ];
    for (number, name, expected) in rows {
        assert_eq!(sum(number, name), expected, "type {number}, {name}");
    }
    let macs: u32 = frame("lldp")[..12]
        .iter()
        .map(|byte| u32::from(*byte))
        .sum();
    assert_eq!((sum(11, "lldp"), sum(12, "lldp")), (macs, macs));
}

#[test]
fn both_directions_have_the_same_sum() {
    let there = ethernet(ether::IPV4, &ipv4(TCP, SRC, DST, &tcp(1, 2, 20)));
    let back = ethernet(ether::IPV4, &ipv4(TCP, DST, SRC, &tcp(2, 1, 20)));
    let facts = |frame: &[u8]| parse(frame, Start::Ethernet, 6).0;
    for (number, balance) in balances().into_iter().filter(|(number, _)| *number != 13) {
        assert_eq!(
            balance.sum(&facts(&there)),
            balance.sum(&facts(&back)),
            "{number}"
        );
    }
}

#[test]
fn numbers_of_c() {
    assert_eq!(Balance::from_number(1), Some(Balance::RoundRobin));
    assert_eq!(Balance::from_number(0), Balance::from_number(4));
    assert_eq!(Balance::from_number(6), Balance::from_number(9));
    for unknown in [14, u32::MAX] {
        assert_eq!(Balance::from_number(unknown), None);
    }
}
