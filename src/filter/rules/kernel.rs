//! Rules as a program for the kernel, which drops what they drop before it is copied, and counts it.
//!
//! The program decides only where it surely comes to the same verdict as [`RuleSet`](super::RuleSet): frames with
//! IPv4 without options and TCP or UDP, rules that drop, and the default policy. All else it lets pass, and the
//! verdict is made here, as if the program were not there. So a packet is counted once: there or here.

use std::os::fd::RawFd;

use super::flows::FlowKey;
use super::wildcard::{End, Host, Wildcard};
use super::{Action, Counters, Moment};
use crate::filter::bpf::Only;
use crate::packet::{ether, ip};
use crate::sys::bpf::Insn;

mod assembler;

use assembler::{Assembler, Label, R0, R1, R2, R3, R4, R6, R7, R8, R9, R10, Size};

/// Bytes of a flow's key in the map.
pub const FLOW_KEY: usize = 24;
/// Bytes of what is kept of a flow, or of a wildcard rule: packets dropped, when the last one was (nanoseconds of
/// CLOCK_MONOTONIC), and whether they are dropped at all.
pub const FATE: usize = 24;
/// Places for the counts of wildcard rules.
pub const SLOTS: u32 = 4096;
/// Wildcard rules that are tried in the kernel. They are tried one after the other.
const MOST_WILDCARDS: usize = 128;
/// Frames must be kept this far, for both to see the same.
pub const LEAST_SNAPLEN: u32 = 128;

/// What is loaded of a frame: Ethernet, IPv4 without options, TCP.
const HEAD: i16 = 54;
/// Where it lies on the stack, so that addresses and ports are aligned.
const HEAD_AT: i16 = -62;
/// The key of the flow, and the number of a slot, on the stack.
const KEY_AT: i16 = -88;
const SLOT_AT: i16 = -96;
/// Source and destination port in host order, on the stack, 32 bits each.
const SPORT_AT: i16 = -100;
const DPORT_AT: i16 = -104;

/// Fields of `struct __sk_buff`.
const SKB_LEN: i16 = 0;
const SKB_PKT_TYPE: i16 = 4;
const SKB_VLAN_PRESENT: i16 = 20;
const SKB_VLAN_TCI: i16 = 24;
const SKB_IFINDEX: i16 = 40;

/// Functions of the kernel.
const MAP_LOOKUP_ELEM: i32 = 1;
const SKB_LOAD_BYTES: i32 = 26;
const KTIME_GET_COARSE_NS: i32 = 160;

/// What a program is made for.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The direction that is wanted.
    pub only: Option<Only>,
    /// Bytes to keep of a frame.
    pub snaplen: u32,
}

/// The maps that a program uses.
#[derive(Clone, Copy, Debug)]
pub struct Maps {
    /// Flows with a rule.
    pub flows: RawFd,
    /// Counts of wildcard rules, by slot.
    pub counts: RawFd,
}

/// The rules of a set, as a program sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) has_flows: bool,
    /// Rules of flows may drop. Else they only keep wildcard rules from being looked at.
    pub(super) flows_drop: bool,
    /// With the slots of their counts.
    pub(super) wildcards: &'a [(&'a Wildcard, Option<u32>)],
    pub(super) accepts: bool,
}

/// The value of an element: whether a flow is dropped, and no packets yet.
pub fn fate(drops: bool) -> [u8; FATE] {
    let mut fate = [0; FATE];
    fate[16..].copy_from_slice(&u64::from(drops).to_ne_bytes());
    fate
}

/// Adds what the kernel has counted.
pub fn add_counts(counters: &mut Counters, value: &[u8; FATE]) {
    let (words, _) = value.as_chunks();
    let word = |i: usize| u64::from_ne_bytes(words[i]);
    let (packets, last_ns) = (word(0), word(1));
    counters.matched += packets;
    counters.filtered += packets;
    if packets > 0 {
        counters.last = counters.last.later(Moment::from_ns(last_ns));
    }
}

/// Whether the kernel drops the packets of a flow with such a rule.
pub fn drops(action: Action) -> bool {
    matches!(action, Action::Drop | Action::Stop)
}

/// The key of a flow in the map; None for IPv6, of which the program knows nothing.
pub fn flow_key(key: &FlowKey) -> Option<[u8; FLOW_KEY]> {
    let words = key.kernel_words()?;
    let mut bytes = [0; FLOW_KEY];
    for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *to = word.to_ne_bytes();
    }
    Some(bytes)
}

/// The program; None where it could drop nothing.
pub(super) fn program(view: &View<'_>, frame: Frame, maps: Maps) -> Option<Vec<Insn>> {
    let mut writer = Writer {
        asm: Assembler::default(),
        maps,
        drops: view.has_flows && view.flows_drop,
    };
    let passes = writer.asm.label();
    writer.direction(frame.only);
    writer.load(passes);
    if view.has_flows {
        writer.flow(view.flows_drop, passes);
    }
    if writer.wildcards(view.wildcards, passes) && !view.accepts {
        writer.drops = true;
        writer.asm.exit(0);
    }
    writer.asm.place(passes);
    writer.asm.exit(frame.snaplen);
    writer.drops.then(|| writer.asm.finish()).flatten()
}

struct Writer {
    asm: Assembler,
    maps: Maps,
    /// Whether something can be dropped.
    drops: bool,
}

impl Writer {
    /// Drops frames of the other direction, as the classic program does.
    fn direction(&mut self, only: Option<Only>) {
        let asm = &mut self.asm;
        asm.copy(R6, R1);
        let Some(only) = only else { return };
        let wanted = asm.label();
        asm.load(Size::Word, R0, R6, SKB_PKT_TYPE);
        let outgoing = libc::PACKET_OUTGOING.into();
        match only {
            Only::Received => asm.jump_unless_equal(R0, outgoing, wanted),
            Only::Sent => asm.jump_if_equal(R0, outgoing, wanted),
        }
        asm.exit(0);
        asm.place(wanted);
    }

    /// Loads the headers; lets frames of other kinds pass. Afterwards the VLAN is in R7, the addresses are in
    /// R8 and R9, and the ports on the stack, all in host order.
    fn load(&mut self, passes: Label) {
        let asm = &mut self.asm;
        asm.load(Size::Word, R0, R6, SKB_LEN);
        asm.jump_if_less(R0, HEAD as u32, passes);
        asm.copy(R1, R6);
        asm.set(R2, 0);
        asm.stack_address(R3, HEAD_AT);
        asm.set(R4, HEAD as u32);
        asm.call(SKB_LOAD_BYTES);
        asm.jump_unless_equal(R0, 0, passes);
        for (size, at, mask, wanted) in [
            (Size::Half, 12, 0xffff, u32::from(ether::IPV4)),
            (Size::Byte, 14, 0xff, 0x45),
            (Size::Half, 20, 0x1fff, 0),
        ] {
            asm.load_head(size, R1, at);
            asm.and(R1, mask);
            asm.jump_unless_equal(R1, wanted, passes);
        }
        let known = asm.label();
        asm.load_head(Size::Byte, R1, 23);
        asm.jump_if_equal(R1, ip::TCP.into(), known);
        asm.jump_unless_equal(R1, ip::UDP.into(), passes);
        asm.place(known);
        let untagged = asm.label();
        asm.set(R7, 0);
        asm.load(Size::Word, R1, R6, SKB_VLAN_PRESENT);
        asm.jump_if_equal(R1, 0, untagged);
        asm.load(Size::Word, R7, R6, SKB_VLAN_TCI);
        asm.and(R7, 0x0fff);
        asm.place(untagged);
        asm.load_head(Size::Word, R8, 26);
        asm.load_head(Size::Word, R9, 30);
        asm.load_head(Size::Half, R1, 34);
        asm.store(Size::Word, SPORT_AT, R1);
        asm.load_head(Size::Half, R1, 36);
        asm.store(Size::Word, DPORT_AT, R1);
    }

    /// Looks for the rule of the flow: counts and drops, or lets pass, or goes on where there is none.
    fn flow(&mut self, drops: bool, passes: Label) {
        let asm = &mut self.asm;
        // Address and port of both ends, the lower end first.
        for (end, address, port) in [(R1, R8, SPORT_AT), (R2, R9, DPORT_AT)] {
            asm.copy(end, address);
            asm.shift_left(end, 16);
            asm.load(Size::Word, R3, R10, port);
            asm.or(end, R3);
        }
        let ordered = asm.label();
        asm.jump_if_at_most(R1, R2, ordered);
        asm.copy(R3, R1);
        asm.copy(R1, R2);
        asm.copy(R2, R3);
        asm.place(ordered);
        asm.store(Size::Double, KEY_AT, R1);
        asm.store(Size::Double, KEY_AT + 8, R2);
        asm.copy(R1, R7);
        asm.shift_left(R1, 8);
        asm.load_head(Size::Byte, R2, 23);
        asm.or(R1, R2);
        asm.shift_left(R1, 8);
        asm.or_value(R1, 4);
        asm.store(Size::Double, KEY_AT + 16, R1);
        let none = asm.label();
        asm.map(R1, self.maps.flows);
        asm.stack_address(R2, KEY_AT);
        asm.call(MAP_LOOKUP_ELEM);
        asm.jump_if_null(R0, none);
        if drops {
            asm.load(Size::Double, R1, R0, 16);
            asm.jump_if_equal(R1, 0, passes);
            self.count_and_drop();
        } else {
            self.asm.jump(passes);
        }
        self.asm.place(none);
    }

    /// Counts in the element that R0 leads to.
    fn count_and_drop(&mut self) {
        let asm = &mut self.asm;
        asm.copy(R8, R0);
        asm.set(R1, 1);
        asm.add_to(R8, R1);
        asm.call(KTIME_GET_COARSE_NS);
        asm.store_at(Size::Double, R8, 8, R0);
        asm.exit(0);
    }

    /// Tries the rules in turn. Whether the end is reached by frames that none of them matches.
    fn wildcards(&mut self, rules: &[(&Wildcard, Option<u32>)], passes: Label) -> bool {
        // What they learn here the kernel does not know yet.
        if rules.iter().any(|(rule, _)| rule.action == Action::Learn) {
            self.asm.jump(passes);
            return false;
        }
        for (number, (rule, slot)) in rules.iter().enumerate() {
            if never_matches(rule) {
                continue;
            }
            let (Some(slot), true) = (slot, is_known(rule) && number < MOST_WILDCARDS) else {
                self.asm.jump(passes);
                return false;
            };
            let next = self.asm.label();
            self.compare(rule, next);
            if rule.action == Action::Drop {
                self.drops = true;
                self.asm.store_value(SLOT_AT, *slot);
                self.asm.map(R1, self.maps.counts);
                self.asm.stack_address(R2, SLOT_AT);
                self.asm.call(MAP_LOOKUP_ELEM);
                self.asm.jump_if_null(R0, passes);
                self.count_and_drop();
            } else {
                self.asm.jump(passes);
            }
            // The kernel refuses instructions that are never reached.
            if !self.asm.is_wanted(next) {
                return false;
            }
            self.asm.place(next);
        }
        true
    }

    /// Goes to `next` with a frame that the rule does not match.
    fn compare(&mut self, rule: &Wildcard, next: Label) {
        let asm = &mut self.asm;
        if rule.proto != 0 {
            asm.load_head(Size::Byte, R1, 23);
            asm.jump_unless_equal(R1, rule.proto.into(), next);
        }
        if rule.vlan_id != 0 {
            asm.jump_unless_equal(R7, rule.vlan_id.into(), next);
        }
        if rule.ifindex != 0 {
            asm.load(Size::Word, R1, R6, SKB_IFINDEX);
            asm.jump_unless_equal(R1, rule.ifindex as u32, next);
        }
        if rule.tcp_flags != 0 {
            let other = asm.label();
            asm.load_head(Size::Byte, R1, 23);
            asm.jump_unless_equal(R1, ip::TCP.into(), other);
            asm.load_head(Size::Byte, R1, 47);
            asm.and(R1, 0x3f);
            asm.jump_unless_equal(R1, rule.tcp_flags.into(), next);
            asm.place(other);
        }
        let [tunnel_src, tunnel_dst] = &rule.tunnel;
        self.host(tunnel_dst, R8, next);
        self.host(tunnel_src, R9, next);
        if rule.bidirectional {
            let (turned, matched) = (self.asm.label(), self.asm.label());
            self.ends(&rule.src, &rule.dst, turned);
            if self.asm.is_wanted(turned) {
                self.asm.jump(matched);
                self.asm.place(turned);
                self.ends(&rule.dst, &rule.src, next);
                self.asm.place(matched);
            }
        } else {
            self.ends(&rule.src, &rule.dst, next);
        }
    }

    fn ends(&mut self, from: &End, to: &End, next: Label) {
        self.end(from, (6, R8, SPORT_AT), next);
        self.end(to, (0, R9, DPORT_AT), next);
    }

    /// One end: where its MAC address, its address and its port are.
    fn end(&mut self, end: &End, (mac, address, port): (i16, u8, i16), next: Label) {
        if end.mac != [0; 6] {
            let (pairs, _) = end.mac.as_chunks();
            for (at, pair) in (mac..).step_by(2).zip(pairs) {
                self.asm.load_head(Size::Half, R1, at);
                let wanted = u16::from_be_bytes(*pair).into();
                self.asm.jump_unless_equal(R1, wanted, next);
            }
        }
        self.host(&end.host, address, next);
        if end.port_high != 0 {
            self.asm.load(Size::Word, R1, R10, port);
            self.asm.jump_if_less(R1, end.port_low.into(), next);
            self.asm.jump_if_above(R1, end.port_high.into(), next);
        }
    }

    fn host(&mut self, host: &Host, address: u8, next: Label) {
        let mask = host.mask[0];
        if mask != 0 {
            self.asm.copy(R1, address);
            self.asm.and(R1, mask);
            self.asm.jump_unless_equal(R1, host.address[0] & mask, next);
        }
    }
}

/// Whether the program can say whether a rule matches.
fn is_known(rule: &Wildcard) -> bool {
    rule.tunnel_id.is_none() && rule.balance.is_none() && rule.patterns.is_empty()
}

/// Whether no frame that the program looks at is matched, whatever else is in it.
fn never_matches(rule: &Wildcard) -> bool {
    !matches!(rule.eth_type, 0 | ether::IPV4) || !matches!(rule.proto, 0 | ip::TCP | ip::UDP)
}

#[cfg(test)]
mod tests;
