//! The sum of a packet as a classic program, for the demultiplexer of a fanout group (PACKET_FANOUT_DATA): it
//! takes no right beyond that of a packet socket.
//!
//! There the data of a frame that came in begins behind its Ethernet header, that of one which is sent with it.
//! Classic programs have no loops and sixteen words of memory; what repeats (tags, extension headers, labels) is
//! written out as often as is likely to be met.

use libc::sock_filter;

use super::asm::{Asm, LD_B, LD_H, LD_W, Label};
use super::tunnels::{labels, open_tunnel};
use super::{Balance, Parts};
use crate::packet::ether;
use crate::packet::ip::{SCTP, TCP, UDP};

/// How often a tag and an extension header of IPv6 are looked for.
const TAGS: usize = 4;
const EXTENSIONS: usize = 6;

// Words of memory.
pub(super) const L3: u32 = 0;
pub(super) const TYPE: u32 = 1;
const EVEN: u32 = 2;
const ODD: u32 = 3;
const WORD: u32 = 4;
pub(super) const TEMP: u32 = 5;
/// Where the facts of the outer and of the inner flow begin.
pub(super) const OUTER: Facts = Facts(6);
const INNER: Facts = Facts(10);

/// Four words of memory about a flow.
#[derive(Clone, Copy)]
pub(super) struct Facts(u32);

impl Facts {
    /// Sum of the addresses.
    pub(super) fn sum(self) -> u32 {
        self.0
    }
    pub(super) fn proto(self) -> u32 {
        self.0 + 1
    }
    /// Where layer 4 begins; behind the packet if it has none.
    pub(super) fn l4(self) -> u32 {
        self.0 + 2
    }
    /// Not 0: a fragment.
    pub(super) fn fragment(self) -> u32 {
        self.0 + 3
    }
}

/// The program that gives the sum; None for round robin, which the kernel does by itself. `ethernet`: whether
/// the interface has Ethernet headers.
pub fn assemble(balance: Balance, ethernet: bool) -> Option<Vec<sock_filter>> {
    let Balance::Flow { parts, inner, macs } = balance else {
        return None;
    };
    let mut asm = Asm::default();
    let (not_ip, outer, tunnel) = (asm.label(), asm.label(), asm.label());
    layer2(&mut asm, ethernet);
    ip(&mut asm, OUTER, parts, not_ip);
    let fallback = asm.label();
    if inner {
        asm.get(OUTER.fragment());
        asm.unless(libc::BPF_JEQ, 0, outer);
        open_tunnel(&mut asm, tunnel, outer);
        asm.bind(tunnel);
        ip(&mut asm, INNER, parts, outer);
        finish(&mut asm, INNER, parts);
    }
    asm.bind(outer);
    finish(&mut asm, OUTER, parts);
    asm.bind(not_ip);
    if inner {
        labels(&mut asm, fallback);
        // Nothing is known of what carries the labels: no protocol, and so no TCP.
        asm.set(0);
        asm.put(OUTER.proto());
        ip(&mut asm, INNER, parts, fallback);
        finish(&mut asm, INNER, parts);
    }
    asm.bind(fallback);
    address_bytes(&mut asm, macs && ethernet);
    Some(asm.finish())
}

/// L3 = where layer 3 begins, TYPE = what it is.
fn layer2(asm: &mut Asm, ethernet: bool) {
    let (received, tags) = (asm.label(), asm.label());
    if ethernet {
        asm.ancillary(libc::SKF_AD_PKTTYPE);
        asm.unless(libc::BPF_JEQ, libc::PACKET_OUTGOING.into(), received);
        asm.op(LD_H | libc::BPF_ABS, 12);
        asm.put(TYPE);
        asm.set(ether::HEADER_LEN as u32);
        asm.put(L3);
        asm.jump(tags);
    }
    asm.bind(received);
    asm.ancillary(libc::SKF_AD_PROTOCOL);
    asm.put(TYPE);
    asm.set(0);
    asm.put(L3);
    asm.bind(tags);
    skip_tags(asm);
}

/// Skips tags, and Arista's stamp, from L3 on.
pub(super) fn skip_tags(asm: &mut Asm) {
    let done = asm.label();
    for _ in 0..TAGS {
        let (tag, stamp, next) = (asm.label(), asm.label(), asm.label());
        asm.get(TYPE);
        for tpid in [0x8100, 0x88a8, 0x9100] {
            asm.when(libc::BPF_JEQ, tpid, tag);
        }
        asm.when(libc::BPF_JEQ, ether::ARISTA_STAMP.into(), stamp);
        asm.jump(done);
        for (label, len) in [(tag, 4), (stamp, ether::ARISTA_STAMP_LEN as u32)] {
            asm.bind(label);
            asm.need(L3, len, done);
            asm.at_x(LD_H, len - 2);
            asm.put(TYPE);
            asm.set(len);
            asm.add_to(L3);
            asm.jump(next);
        }
        asm.bind(next);
    }
    asm.bind(done);
}

/// Takes the IP header at L3 apart, if TYPE says that there is one.
fn ip(asm: &mut Asm, facts: Facts, parts: Parts, not_ip: Label) {
    let (v4, v6, done) = (asm.label(), asm.label(), asm.label());
    asm.get(TYPE);
    asm.when(libc::BPF_JEQ, ether::IPV4.into(), v4);
    asm.when(libc::BPF_JEQ, ether::IPV6.into(), v6);
    asm.jump(not_ip);
    asm.bind(v4);
    ipv4(asm, facts, parts, not_ip);
    asm.jump(done);
    asm.bind(v6);
    ipv6(asm, facts, parts, not_ip);
    asm.bind(done);
}

/// Jumps if the header at X is not of this version.
fn check_version(asm: &mut Asm, version: u32, not_ip: Label) {
    asm.at_x(LD_B, 0);
    asm.alu(libc::BPF_RSH, 4);
    asm.unless(libc::BPF_JEQ, version, not_ip);
}

fn ipv4(asm: &mut Asm, facts: Facts, parts: Parts, not_ip: Label) {
    asm.need(L3, 20, not_ip);
    check_version(asm, 4, not_ip);
    asm.at_x(LD_B, 0);
    asm.alu(libc::BPF_AND, 0x0f);
    asm.alu(libc::BPF_LSH, 2);
    asm.unless(libc::BPF_JGE, 20, not_ip);
    asm.add_x();
    asm.put(facts.l4());
    asm.at_x(LD_B, 9);
    asm.put(facts.proto());
    asm.at_x(LD_H, 6);
    asm.alu(libc::BPF_AND, 0x3fff);
    asm.put(facts.fragment());
    asm.set(0);
    asm.put(facts.sum());
    for at in addresses(parts, 12, 4).step_by(4) {
        asm.index(L3);
        asm.at_x(LD_W, at);
        asm.add_to(facts.sum());
    }
}

/// Where the addresses that count lie in a header: the source's `len` bytes at `at`, the destination's behind.
fn addresses(parts: Parts, at: u32, len: u32) -> std::ops::Range<u32> {
    match parts {
        Parts::Source => at..at + len,
        Parts::Destination => at + len..at + 2 * len,
        _ => at..at + 2 * len,
    }
}

fn ipv6(asm: &mut Asm, facts: Facts, parts: Parts, not_ip: Label) {
    asm.need(L3, 40, not_ip);
    check_version(asm, 6, not_ip);
    ipv6_addresses(asm, facts, parts);
    asm.index(L3);
    asm.at_x(LD_B, 6);
    asm.put(facts.proto());
    asm.set(0);
    asm.put(facts.fragment());
    asm.set(40);
    asm.add_x();
    asm.put(facts.l4());
    extension_headers(asm, facts);
}

/// The sum of the words as they are loaded from memory. A classic program loads in network order, so on
/// a little endian machine their bytes are added up by pairs and put together the other way round.
fn ipv6_addresses(asm: &mut Asm, facts: Facts, parts: Parts) {
    let words = addresses(parts, 8, 16).step_by(4);
    if cfg!(target_endian = "big") {
        asm.set(0);
        asm.put(facts.sum());
        for at in words {
            asm.index(L3);
            asm.at_x(LD_W, at);
            asm.add_to(facts.sum());
        }
        return;
    }
    const PAIRS: u32 = 0x00ff_00ff;
    asm.set(0);
    asm.put(EVEN);
    asm.put(ODD);
    for at in words {
        asm.index(L3);
        asm.at_x(LD_W, at);
        asm.put(WORD);
        asm.alu(libc::BPF_AND, PAIRS);
        asm.add_to(EVEN);
        asm.get(WORD);
        asm.alu(libc::BPF_RSH, 8);
        asm.alu(libc::BPF_AND, PAIRS);
        asm.add_to(ODD);
    }
    // EVEN has the sums of the second and the fourth bytes, ODD those of the first and the third.
    asm.get(ODD);
    asm.alu(libc::BPF_RSH, 16);
    asm.put(facts.sum());
    asm.get(EVEN);
    asm.alu(libc::BPF_RSH, 16);
    asm.alu(libc::BPF_LSH, 8);
    asm.add_to(facts.sum());
    asm.get(ODD);
    asm.alu(libc::BPF_LSH, 16);
    asm.add_to(facts.sum());
    asm.get(EVEN);
    asm.alu(libc::BPF_LSH, 24);
    asm.add_to(facts.sum());
}

fn extension_headers(asm: &mut Asm, facts: Facts) {
    let (done, cut, none) = (asm.label(), asm.label(), asm.label());
    for _ in 0..EXTENSIONS {
        let (options, fragment, next) = (asm.label(), asm.label(), asm.label());
        asm.get(facts.proto());
        for proto in [0, 43, 60] {
            asm.when(libc::BPF_JEQ, proto, options);
        }
        asm.when(libc::BPF_JEQ, 44, fragment);
        asm.when(libc::BPF_JEQ, 59, none);
        asm.jump(done);

        asm.bind(options);
        asm.need(facts.l4(), 2, cut);
        asm.at_x(LD_B, 1);
        asm.alu(libc::BPF_LSH, 3);
        asm.alu(libc::BPF_ADD, 8);
        asm.add_x();
        asm.put(TEMP);
        asm.need(TEMP, 0, cut);
        asm.index(facts.l4());
        asm.at_x(LD_B, 0);
        asm.put(facts.proto());
        asm.get(TEMP);
        asm.put(facts.l4());
        asm.jump(next);

        asm.bind(fragment);
        asm.need(facts.l4(), 8, cut);
        asm.at_x(LD_H, 2);
        asm.alu(libc::BPF_AND, 0xfff9);
        asm.put(facts.fragment());
        asm.at_x(LD_B, 0);
        asm.put(facts.proto());
        asm.set(8);
        asm.add_to(facts.l4());
        asm.get(facts.fragment());
        asm.when(libc::BPF_JSET, 0xfff8, done);
        asm.bind(next);
    }
    asm.jump(done);
    asm.bind(none);
    asm.set(0);
    asm.put(facts.proto());
    asm.jump(done);
    // No layer 4 where an extension header is cut.
    asm.bind(cut);
    asm.op(LD_W | libc::BPF_LEN, 0);
    asm.put(facts.l4());
    asm.bind(done);
}

/// Returns the sum of a flow.
fn finish(asm: &mut Asm, facts: Facts, parts: Parts) {
    let two = asm.label();
    match parts {
        Parts::Two | Parts::Source | Parts::Destination => {}
        Parts::Four => ports(asm, facts, two),
        Parts::Five | Parts::FiveIfTcp => {
            if parts == Parts::FiveIfTcp {
                asm.get(OUTER.proto());
                asm.unless(libc::BPF_JEQ, TCP.into(), two);
            }
            asm.get(facts.proto());
            asm.add_to(facts.sum());
            ports(asm, facts, two);
        }
    }
    asm.bind(two);
    asm.get(facts.sum());
    asm.op(libc::BPF_RET | libc::BPF_A, 0);
}

/// Adds the ports to the sum, if there are some.
fn ports(asm: &mut Asm, facts: Facts, none: Label) {
    let there = asm.label();
    // Of the outer flow all fragments are to be placed alike; inside, only what has no ports has none.
    asm.get(facts.fragment());
    if facts.0 == OUTER.0 {
        asm.unless(libc::BPF_JEQ, 0, none);
    } else {
        later_fragment(asm, none);
    }
    for (proto, header) in [(TCP, 20), (UDP, 8), (SCTP, 12)] {
        let other = asm.label();
        asm.get(facts.proto());
        asm.unless(libc::BPF_JEQ, proto.into(), other);
        asm.need(facts.l4(), header, none);
        asm.jump(there);
        asm.bind(other);
    }
    asm.jump(none);
    asm.bind(there);
    asm.at_x(LD_H, 0);
    asm.put(TEMP);
    asm.at_x(LD_H, 2);
    asm.add_to(facts.sum());
    asm.get(TEMP);
    asm.add_to(facts.sum());
}

/// Jumps if A says: not the first fragment. Both versions keep the offset in these bits; where IPv6 has its
/// flag for more, IPv4 has the lowest bit of the offset, which only a second fragment of 8 bytes would have
/// alone.
fn later_fragment(asm: &mut Asm, to: Label) {
    let v4 = asm.label();
    let done = asm.label();
    asm.put(TEMP);
    asm.get(TYPE);
    asm.when(libc::BPF_JEQ, ether::IPV4.into(), v4);
    asm.get(TEMP);
    asm.when(libc::BPF_JSET, 0xfff8, to);
    asm.jump(done);
    asm.bind(v4);
    asm.get(TEMP);
    asm.when(libc::BPF_JSET, 0x1fff, to);
    asm.bind(done);
}

/// Returns the sum of the address bytes, or 0.
fn address_bytes(asm: &mut Asm, counted: bool) {
    if !counted {
        asm.op(libc::BPF_RET | libc::BPF_K, 0);
        return;
    }
    asm.set(0);
    asm.put(TEMP);
    for at in 0..12 {
        asm.op(LD_B | libc::BPF_ABS, (libc::SKF_LL_OFF + at) as u32);
        asm.add_to(TEMP);
    }
    asm.op(libc::BPF_RET | libc::BPF_A, 0);
}
