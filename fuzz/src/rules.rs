//! Rules: the verdict of the tables is that of a plain walk through lists, with hints and without, and each packet is
//! counted by the rules that matched it.

use pfring::filter::bpf::Only;
use pfring::filter::rules::flows::FlowKey;
use pfring::filter::rules::kernel::{self, Frame, Maps};
use pfring::filter::rules::pattern::Patterns;
use pfring::filter::rules::wildcard::{End, Host, Wildcard};
use pfring::filter::rules::{Action, Moment, Outside, Packet, RuleSet, Sending};
use pfring::packet::{Start, parse};

use crate::input::Input;

const MOST_RULES: u8 = 8;
const MOST_FLOWS: u8 = 16;

/// Notes what is sent.
#[derive(Default)]
struct World(Vec<Sending>);

impl Outside for World {
    fn now(&mut self) -> Moment {
        Moment(1)
    }

    fn send(&mut self, sending: Sending) {
        self.0.push(sending);
    }
}

/// The rules as lists.
struct Lists {
    /// Flow, action, matched, filtered.
    flows: Vec<(FlowKey, Action, u64, u64)>,
    /// By id: rule, matched, filtered.
    wildcards: Vec<(Wildcard, u64, u64)>,
    accepts: bool,
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let mut set = RuleSet::new(input.u8().into());
    let mut lists = Lists {
        flows: Vec::new(),
        wildcards: Vec::new(),
        accepts: input.u8() & 1 == 0,
    };
    set.set_policy(lists.accepts);
    for _ in 0..input.u8() % MOST_RULES {
        add_rule(&mut input, &mut set, &mut lists);
    }
    let packets = packets(&mut input, &mut set, &mut lists);
    program(&set);
    for (i, bytes) in packets.iter().enumerate() {
        let packet = Packet {
            data: bytes,
            ethernet: i % 4 != 3,
            ifindex: 1,
        };
        let mut sent = World::default();
        let soon = packets.get(i + 1 + i % 3).copied();
        let verdict = set.judge(&packet, soon, &mut sent);
        let mut expected = World::default();
        let (passes, rule) = lists.judge(&packet, &mut expected);
        assert_eq!((verdict.passes, verdict.rule), (passes, rule), "{i}");
        assert_eq!(sent.0, expected.0, "{i}");
    }
    lists.compare(&set);
    purge(&mut set, &lists);
}

/// Rules that have not matched for long go, but for locked ones.
fn purge(set: &mut RuleSet, lists: &Lists) {
    const LATER: Moment = Moment(10_000);
    let mut ages = 0;
    set.each_flow(|_, _, last| ages += usize::from(last.is_older(60, LATER)));
    set.each_slot(|_, last| ages += usize::from(last.is_older(60, LATER)));
    assert_eq!(ages, lists.flows.len() + lists.wildcards.len());
    let before = set.revision();
    let mut gone = 0;
    set.purge_flows(60, LATER, |_| gone += 1);
    set.purge(60, LATER);
    assert_eq!(gone, lists.flows.len());
    assert!(set.revision() > before);
    for (rule, ..) in &lists.wildcards {
        assert_eq!(set.counters(rule.id).is_some(), rule.locked);
        assert_eq!(set.remove(rule.id), rule.locked);
    }
    set.set_policy(true);
    assert!(set.is_open());
}

/// The kernel's program can be written for any rules.
fn program(set: &RuleSet) {
    let frame = Frame {
        only: [None, Some(Only::Received), Some(Only::Sent)][set.flows() % 3],
        snaplen: kernel::LEAST_SNAPLEN,
    };
    let maps = Maps {
        flows: 3,
        counts: 4,
    };
    if let Some(insns) = set.program(frame, maps) {
        assert!(insns.len() > 2);
    }
}

fn action(input: &mut Input<'_>) -> Action {
    match input.u8() % 9 {
        0 => Action::Forward,
        1 => Action::Drop,
        2 => Action::Continue,
        3 => Action::Stop,
        4 => Action::Learn,
        kind => Action::Send(Sending {
            outlet: kind,
            swaps: kind & 1 == 0,
            goes_on: kind > 6,
        }),
    }
}

fn host(input: &mut Input<'_>) -> Host {
    match input.u8() % 4 {
        0 => Host {
            address: [(); 4].map(|()| input.u32()),
            mask: [(); 4].map(|()| input.u32()),
        },
        1 => Host {
            address: [input.u32(), 0, 0, 0],
            mask: [u32::MAX, 0, 0, 0],
        },
        _ => Host::default(),
    }
}

fn end(input: &mut Input<'_>) -> End {
    let has = input.u8();
    let mut end = End::default();
    if has & 1 != 0 {
        end.mac = [2, 0, 0, 0, 0, input.u8()];
    }
    if has & 2 != 0 {
        end.host = host(input);
    }
    if has & 4 != 0 {
        (end.port_low, end.port_high) = (input.u16(), input.u16());
    }
    end
}

fn add_rule(input: &mut Input<'_>, set: &mut RuleSet, lists: &mut Lists) {
    let has = input.u8();
    let mut rule = Wildcard {
        id: u16::from(input.u8()) * 257,
        action: action(input),
        bidirectional: has & 1 != 0,
        locked: has & 128 != 0,
        ..Wildcard::default()
    };
    if has & 2 != 0 {
        rule.proto = input.u8();
        rule.tcp_flags = input.u8();
    }
    if has & 4 != 0 {
        rule.vlan_id = input.u16();
        rule.eth_type = input.u16();
        rule.ifindex = i32::from(input.u8() & 3);
    }
    if has & 8 != 0 {
        rule.src = end(input);
        rule.dst = end(input);
    }
    if has & 16 != 0 {
        rule.balance = Some((input.u8(), input.u8().max(1)));
    }
    if has & 32 != 0 {
        rule.tunnel_id = Some(input.u32());
        rule.tunnel = [host(input), host(input)];
    }
    if has & 64 != 0 {
        let len = usize::from(input.u8() % 32);
        rule.patterns = Patterns::new(input.bytes(len));
    }
    let known = lists
        .wildcards
        .iter()
        .any(|(other, ..)| other.id == rule.id);
    let added = set.add(rule.clone(), Moment(0));
    assert_eq!(added.is_err(), known);
    if !known {
        lists.wildcards.push((rule, 0, 0));
        lists.wildcards.sort_by_key(|(rule, ..)| rule.id);
    }
}

/// What is left of the input, as packets; some of them give a flow a rule.
fn packets<'a>(input: &mut Input<'a>, set: &mut RuleSet, lists: &mut Lists) -> Vec<&'a [u8]> {
    let mut packets = Vec::new();
    let mut flows = 0;
    while !input.is_empty() {
        let what = input.u8();
        let action = action(input);
        let len = usize::from(input.u8());
        let bytes = input.bytes(len);
        packets.push(bytes);
        let (facts, _) = parse(bytes, Start::Ethernet, 4);
        let Some(key) = FlowKey::of_facts(&facts) else {
            continue;
        };
        let known = lists.flows.iter().position(|(other, ..)| *other == key);
        if what.is_multiple_of(4) && flows < MOST_FLOWS {
            flows += 1;
            assert_eq!(
                set.add_flow(key, action, Moment(0)).is_err(),
                known.is_some()
            );
            if known.is_none() {
                lists.flows.push((key, action, 0, 0));
            }
        } else if what % 4 == 1 {
            assert_eq!(set.remove_flow(&key), known.is_some());
            if let Some(at) = known {
                lists.flows.remove(at);
            }
        }
        assert_eq!(set.flows(), lists.flows.len());
    }
    packets
}

impl Lists {
    fn judge(&mut self, packet: &Packet<'_>, world: &mut World) -> (bool, Option<u16>) {
        let start = if packet.ethernet {
            Start::Ethernet
        } else {
            Start::Ip
        };
        let (facts, _) = parse(packet.data, start, 5);
        let mut passes = self.accepts;
        // Which list and place is to blame.
        let mut blame = None;
        let key = FlowKey::of_facts(&parse(packet.data, start, 4).0);
        let found = self
            .flows
            .iter()
            .position(|(other, ..)| Some(*other) == key);
        let mut decided = false;
        if let Some(at) = found {
            self.flows[at].2 += 1;
            let action = self.flows[at].1;
            passes = matches!(action, Action::Forward | Action::Learn);
            blame = Some((true, at));
            decided = action != Action::Continue;
            if let Action::Send(sending) = action {
                world.send(sending);
                decided = !sending.goes_on;
            }
        }
        let mut rule = None;
        for at in 0..self.wildcards.len() {
            if decided || !self.wildcards[at].0.matches(packet, &facts) {
                continue;
            }
            self.wildcards[at].1 += 1;
            rule = Some(self.wildcards[at].0.id);
            let action = self.wildcards[at].0.action;
            decided = action != Action::Continue;
            match action {
                Action::Continue | Action::Stop => {}
                Action::Forward => passes = true,
                Action::Drop => (passes, blame) = (false, Some((false, at))),
                Action::Learn => {
                    passes = true;
                    if let Some(key) = key
                        && found.is_none()
                    {
                        self.flows.push((key, Action::Forward, 0, 0));
                    }
                }
                Action::Send(sending) => {
                    world.send(sending);
                    decided = !sending.goes_on;
                    passes = sending.goes_on;
                    if decided {
                        blame = Some((false, at));
                    }
                }
            }
        }
        match blame {
            Some((true, at)) if !passes => self.flows[at].3 += 1,
            Some((false, at)) if !passes => self.wildcards[at].2 += 1,
            _ => {}
        }
        (passes, rule)
    }

    fn compare(&self, set: &RuleSet) {
        for (key, _, matched, filtered) in &self.flows {
            let counters = set.flow_counters(key).expect("a rule");
            assert_eq!((counters.matched, counters.filtered), (*matched, *filtered));
        }
        for (rule, matched, filtered) in &self.wildcards {
            let (counters, _) = set.counters(rule.id).expect("a rule");
            assert_eq!((counters.matched, counters.filtered), (*matched, *filtered));
        }
        assert_eq!(set.flows(), self.flows.len());
    }
}
