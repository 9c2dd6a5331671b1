//! The sum of a packet as a classic program, for the demultiplexer of a fanout group (PACKET_FANOUT_DATA): it
//! takes no right beyond that of a packet socket.
//!
//! There the data of a frame that came in begins behind its Ethernet header, that of one which is sent with it.
//! Classic programs have no loops and sixteen words of memory; what repeats (tags, extension headers, labels) is
//! written out as often as is likely to be met.

use libc::sock_filter;

use super::{Balance, Parts};
use crate::packet::ether;
use crate::packet::ip::{GRE, IPV4_INSIDE, IPV6_INSIDE, SCTP, TCP, UDP};
use crate::packet::tunnel::{GTP_C_PORT, GTP_U_PORT, VXLAN_PORT};

/// How often a tag, an extension header of IPv6, one of GTP, a label is looked for.
const TAGS: usize = 4;
const EXTENSIONS: usize = 6;
const GTP_EXTENSIONS: usize = 4;
const LABELS: usize = 9;

// Words of memory.
const L3: u32 = 0;
const TYPE: u32 = 1;
const EVEN: u32 = 2;
const ODD: u32 = 3;
const WORD: u32 = 4;
const TEMP: u32 = 5;
/// Where the facts of the outer and of the inner flow begin.
const OUTER: Facts = Facts(6);
const INNER: Facts = Facts(10);
const FLAGS: u32 = 14;
const NEXT: u32 = 15;

/// Four words of memory about a flow.
#[derive(Clone, Copy)]
struct Facts(u32);

impl Facts {
    /// Sum of the addresses.
    fn sum(self) -> u32 {
        self.0
    }
    fn proto(self) -> u32 {
        self.0 + 1
    }
    /// Where layer 4 begins; behind the packet if it has none.
    fn l4(self) -> u32 {
        self.0 + 2
    }
    /// Not 0: a fragment.
    fn fragment(self) -> u32 {
        self.0 + 3
    }
}

/// A place in the program.
#[derive(Clone, Copy)]
struct Label(usize);

#[derive(Default)]
struct Asm {
    insns: Vec<sock_filter>,
    places: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

const LD_W: u32 = libc::BPF_LD | libc::BPF_W;
const LD_H: u32 = libc::BPF_LD | libc::BPF_H;
const LD_B: u32 = libc::BPF_LD | libc::BPF_B;

impl Asm {
    fn op(&mut self, code: u32, k: u32) {
        self.branch(code, k, 0, 0);
    }

    fn branch(&mut self, code: u32, k: u32, jt: u8, jf: u8) {
        let code = code as u16;
        self.insns.push(sock_filter { code, jt, jf, k });
    }

    fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    fn bind(&mut self, label: Label) {
        self.places[label.0] = Some(self.insns.len());
    }

    fn jump(&mut self, to: Label) {
        self.jumps.push((self.insns.len(), to));
        self.op(libc::BPF_JMP | libc::BPF_JA, 0);
    }

    /// Jumps if A compares so with `k`; a conditional jump alone does not reach far.
    fn when(&mut self, condition: u32, k: u32, to: Label) {
        self.branch(libc::BPF_JMP | condition | libc::BPF_K, k, 0, 1);
        self.jump(to);
    }

    fn unless(&mut self, condition: u32, k: u32, to: Label) {
        self.branch(libc::BPF_JMP | condition | libc::BPF_K, k, 1, 0);
        self.jump(to);
    }

    /// A = bytes at X + `k`.
    fn at_x(&mut self, size: u32, k: u32) {
        self.op(size | libc::BPF_IND, k);
    }

    fn set(&mut self, k: u32) {
        self.op(libc::BPF_LD | libc::BPF_IMM, k);
    }

    fn get(&mut self, word: u32) {
        self.op(libc::BPF_LD | libc::BPF_MEM, word);
    }

    fn put(&mut self, word: u32) {
        self.op(libc::BPF_ST, word);
    }

    /// X = a word of memory.
    fn index(&mut self, word: u32) {
        self.op(libc::BPF_LDX | libc::BPF_MEM, word);
    }

    fn alu(&mut self, op: u32, k: u32) {
        self.op(libc::BPF_ALU | op | libc::BPF_K, k);
    }

    /// A += X.
    fn add_x(&mut self) {
        self.op(libc::BPF_ALU | libc::BPF_ADD | libc::BPF_X, 0);
    }

    /// A word of memory += A.
    fn add_to(&mut self, word: u32) {
        self.index(word);
        self.add_x();
        self.put(word);
    }

    /// Jumps if the packet has no `bytes` bytes at a word of memory. X becomes that word.
    fn need(&mut self, word: u32, bytes: u32, or: Label) {
        self.get(word);
        self.alu(libc::BPF_ADD, bytes);
        self.op(libc::BPF_MISC | libc::BPF_TAX, 0);
        self.op(LD_W | libc::BPF_LEN, 0);
        self.branch(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_X, 0, 1, 0);
        self.jump(or);
        self.index(word);
    }

    /// A = a fact that the kernel has beside the packet.
    fn ancillary(&mut self, what: i32) {
        self.op(LD_W | libc::BPF_ABS, (libc::SKF_AD_OFF + what) as u32);
    }

    fn finish(mut self) -> Vec<sock_filter> {
        for (from, label) in &self.jumps {
            let to = self.places[label.0].unwrap_or(self.insns.len());
            self.insns[*from].k = (to - from - 1) as u32;
        }
        self.insns
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
fn skip_tags(asm: &mut Asm) {
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

/// Finds what is inside GRE, GTP-U, VXLAN or IP: L3 and TYPE become those of the inner packet, and it goes on at
/// `found`; at `none` there is nothing.
fn open_tunnel(asm: &mut Asm, found: Label, none: Label) {
    let (gre_, udp, inside) = (asm.label(), asm.label(), asm.label());
    asm.get(OUTER.proto());
    asm.when(libc::BPF_JEQ, GRE.into(), gre_);
    asm.when(libc::BPF_JEQ, UDP.into(), udp);
    for (proto, eth_type) in [(IPV4_INSIDE, ether::IPV4), (IPV6_INSIDE, ether::IPV6)] {
        let other = asm.label();
        asm.unless(libc::BPF_JEQ, proto.into(), other);
        asm.set(eth_type.into());
        asm.put(TYPE);
        asm.jump(inside);
        asm.bind(other);
    }
    asm.jump(none);
    asm.bind(inside);
    asm.get(OUTER.l4());
    asm.put(L3);
    asm.jump(found);
    asm.bind(gre_);
    gre(asm, none);
    asm.jump(found);
    asm.bind(udp);
    in_udp(asm, found, none);
}

fn gre(asm: &mut Asm, none: Label) {
    const VERSION: u32 = 0x0007;
    asm.need(OUTER.l4(), 4, none);
    asm.at_x(LD_H, 0);
    asm.put(FLAGS);
    asm.when(libc::BPF_JSET, VERSION, none);
    asm.at_x(LD_H, 2);
    asm.put(TYPE);
    asm.get(OUTER.l4());
    asm.alu(libc::BPF_ADD, 4);
    asm.put(L3);
    // Checksum and routing share a word; then the key; then the sequence number.
    for bit in [0xc000, 0x2000, 0x1000] {
        let absent = asm.label();
        asm.get(FLAGS);
        asm.unless(libc::BPF_JSET, bit, absent);
        asm.set(4);
        asm.add_to(L3);
        asm.bind(absent);
    }
}

fn in_udp(asm: &mut Asm, found: Label, none: Label) {
    let (user, not_gtp, gtp_c) = (asm.label(), asm.label(), asm.label());
    asm.need(OUTER.l4(), 8, none);
    for port in [0, 2] {
        asm.at_x(LD_H, port);
        asm.when(libc::BPF_JEQ, GTP_U_PORT.into(), user);
    }
    for port in [0, 2] {
        asm.at_x(LD_H, port);
        asm.when(libc::BPF_JEQ, GTP_C_PORT.into(), gtp_c);
    }
    asm.jump(not_gtp);
    asm.bind(gtp_c);
    asm.jump(none);
    asm.bind(not_gtp);
    asm.at_x(LD_H, 2);
    asm.unless(libc::BPF_JEQ, VXLAN_PORT.into(), none);
    vxlan(asm, none);
    asm.jump(found);
    asm.bind(user);
    gtp(asm, none);
    type_of_version(asm, none);
    asm.jump(found);
}

fn vxlan(asm: &mut Asm, none: Label) {
    const HAS_VNI: u32 = 0x08;
    asm.need(OUTER.l4(), 8 + 8 + ether::HEADER_LEN as u32, none);
    asm.at_x(LD_B, 8);
    asm.unless(libc::BPF_JSET, HAS_VNI, none);
    asm.at_x(LD_H, 8 + 8 + 12);
    asm.put(TYPE);
    asm.set(8 + 8 + ether::HEADER_LEN as u32);
    asm.add_x();
    asm.put(L3);
    skip_tags(asm);
}

/// L3 = behind GTP's header, its options and extension headers.
fn gtp(asm: &mut Asm, none: Label) {
    const G_PDU: u32 = 255;
    let done = asm.label();
    asm.need(OUTER.l4(), 16, none);
    asm.at_x(LD_B, 8);
    asm.put(FLAGS);
    asm.alu(libc::BPF_AND, 0xf0);
    asm.unless(libc::BPF_JEQ, 0x30, none);
    asm.at_x(LD_B, 9);
    asm.unless(libc::BPF_JEQ, G_PDU, none);
    asm.set(16);
    asm.add_x();
    asm.put(L3);
    asm.get(FLAGS);
    asm.unless(libc::BPF_JSET, 0x07, done);
    asm.need(L3, 4, none);
    asm.at_x(LD_B, 3);
    asm.put(NEXT);
    asm.set(4);
    asm.add_to(L3);
    asm.get(FLAGS);
    asm.unless(libc::BPF_JSET, 0x04, done);
    for _ in 0..GTP_EXTENSIONS {
        asm.get(NEXT);
        asm.when(libc::BPF_JEQ, 0, done);
        asm.need(L3, 1, none);
        asm.at_x(LD_B, 0);
        asm.when(libc::BPF_JEQ, 0, none);
        asm.alu(libc::BPF_LSH, 2);
        asm.add_x();
        asm.put(L3);
        asm.need(L3, 0, none);
        asm.get(L3);
        asm.alu(libc::BPF_SUB, 1);
        asm.op(libc::BPF_MISC | libc::BPF_TAX, 0);
        asm.at_x(LD_B, 0);
        asm.put(NEXT);
    }
    asm.get(NEXT);
    asm.unless(libc::BPF_JEQ, 0, none);
    asm.bind(done);
}

/// TYPE = what the first four bits at L3 say.
fn type_of_version(asm: &mut Asm, none: Label) {
    let (v4, done) = (asm.label(), asm.label());
    asm.need(L3, 1, none);
    asm.at_x(LD_B, 0);
    asm.alu(libc::BPF_RSH, 4);
    asm.when(libc::BPF_JEQ, 4, v4);
    asm.unless(libc::BPF_JEQ, 6, none);
    asm.set(ether::IPV6.into());
    asm.put(TYPE);
    asm.jump(done);
    asm.bind(v4);
    asm.set(ether::IPV4.into());
    asm.put(TYPE);
    asm.bind(done);
}

/// L3 and TYPE = what is below a stack of MPLS labels.
fn labels(asm: &mut Asm, none: Label) {
    const BOTTOM: u32 = 0x100;
    let (mpls, bottom) = (asm.label(), asm.label());
    asm.get(TYPE);
    asm.when(libc::BPF_JEQ, ether::MPLS.into(), mpls);
    asm.when(libc::BPF_JEQ, ether::MPLS_MULTICAST.into(), mpls);
    asm.jump(none);
    asm.bind(mpls);
    for _ in 0..LABELS {
        asm.need(L3, 4, none);
        asm.at_x(LD_W, 0);
        asm.put(TEMP);
        asm.set(4);
        asm.add_to(L3);
        asm.get(TEMP);
        asm.when(libc::BPF_JSET, BOTTOM, bottom);
    }
    asm.jump(none);
    asm.bind(bottom);
    type_of_version(asm, none);
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
