//! Every field, action and order.

use super::flows::FlowKey;
use super::pattern::Patterns;
use super::wildcard::{End, Host, Wildcard};
use super::*;
use crate::packet::ip::{TCP, UDP};
use crate::packet::samples::{DMAC, SMAC, V6_A, V6_B, ethernet, ipv4, ipv6, tagged, tcp, udp};
use crate::packet::tunnel::GTP_U_PORT;
use crate::packet::{ether, hash, parse};

/// A world whose clock is set, and that notes what is sent.
#[derive(Default)]
pub(super) struct World {
    now: u32,
    sent: Vec<Sending>,
}

impl Outside for World {
    fn now(&mut self) -> Moment {
        Moment(self.now)
    }

    fn send(&mut self, sending: Sending) {
        self.sent.push(sending);
    }
}

const SRC: u32 = 0x0a00_0001;
const DST: u32 = 0x0a00_0002;

pub(super) fn packet(data: &[u8]) -> Packet<'_> {
    Packet {
        data,
        ethernet: true,
        ifindex: 3,
    }
}

pub(super) fn udp4(src: u32, dst: u32, ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let datagram = udp(ports.0, ports.1, payload);
    ethernet(ether::IPV4, &ipv4(UDP, src, dst, &datagram))
}

fn sample() -> Vec<u8> {
    udp4(SRC, DST, (1000, 53), b"Hello")
}

fn matches(rule: &Wildcard, frame: &[u8]) -> bool {
    let (facts, _) = parse(frame, Start::Ethernet, rule.depth());
    rule.matches(&packet(frame), &facts)
}

fn host(address: [u32; 4], mask: [u32; 4]) -> Host {
    Host { address, mask }
}

fn v4(address: u32, mask: u32) -> Host {
    host([address, 0, 0, 0], [mask, 0, 0, 0])
}

fn v6(address: [u8; 16], mask: [u8; 16]) -> Host {
    let words = |bytes: [u8; 16]| {
        let (words, _) = bytes.as_chunks();
        std::array::from_fn(|i| u32::from_ne_bytes(words[i]))
    };
    host(words(address), words(mask))
}

#[test]
fn each_field_is_asked_for() {
    let any = Wildcard::default();
    let src = |src: End| Wildcard { src, ..any.clone() };
    let dst = |dst: End| Wildcard { dst, ..any.clone() };
    let port = |low, high| End {
        port_low: low,
        port_high: high,
        ..End::default()
    };
    let at = |host| End {
        host,
        ..End::default()
    };
    let mac = |mac| End {
        mac,
        ..End::default()
    };
    let vlan = |vlan_id| Wildcard {
        vlan_id,
        ..any.clone()
    };
    let rows = [
        (any.clone(), true),
        (
            Wildcard {
                ifindex: 3,
                ..any.clone()
            },
            true,
        ),
        (
            Wildcard {
                ifindex: 4,
                ..any.clone()
            },
            false,
        ),
        (vlan(7), false),
        (
            Wildcard {
                eth_type: ether::IPV4,
                ..any.clone()
            },
            true,
        ),
        (
            Wildcard {
                eth_type: ether::IPV6,
                ..any.clone()
            },
            false,
        ),
        (
            Wildcard {
                proto: UDP,
                ..any.clone()
            },
            true,
        ),
        (
            Wildcard {
                proto: TCP,
                ..any.clone()
            },
            false,
        ),
        (
            Wildcard {
                tcp_flags: 2,
                ..any.clone()
            },
            true,
        ),
        (src(mac(SMAC)), true),
        (src(mac(DMAC)), false),
        (dst(mac(DMAC)), true),
        (dst(mac(SMAC)), false),
        (src(at(v4(SRC, !0))), true),
        (src(at(v4(DST, !0))), false),
        (src(at(v4(DST & !0xff, !0xff))), true),
        (src(at(v4(DST, 0))), true),
        (dst(at(v4(DST, !0))), true),
        (dst(at(v4(SRC, !0))), false),
        (src(at(v6(V6_A, [255; 16]))), false),
        (src(port(1000, 1000)), true),
        (src(port(900, 1100)), true),
        (src(port(1001, 1100)), false),
        (src(port(900, 999)), false),
        (src(port(5, 0)), true),
        (dst(port(53, 53)), true),
        (dst(port(54, 60)), false),
        (
            Wildcard {
                patterns: Patterns::new(b"xyz|hELL"),
                ..any.clone()
            },
            true,
        ),
        (
            Wildcard {
                patterns: Patterns::new(b"xyz"),
                ..any.clone()
            },
            false,
        ),
    ];
    for (rule, expected) in rows {
        assert_eq!(matches(&rule, &sample()), expected, "{rule:?}");
    }
    let double = tagged(&[(0x8100, 7), (0x8100, 8)], ether::ARP, &[0; 28]);
    for (id, expected) in [(0, true), (7, true), (8, false)] {
        assert_eq!(matches(&vlan(id), &double), expected, "VLAN {id}");
    }
    // What has no IP header has the address 0 and no ports.
    assert!(!matches(&src(at(v4(SRC, !0))), &double));
    assert!(!matches(&src(port(1, 9)), &double));
    let rule = Wildcard {
        patterns: Patterns::new(b"\x01"),
        ..any.clone()
    };
    assert!(!matches(&rule, &double), "no payload");
}

#[test]
fn ipv6_addresses_and_tcp_flags() {
    let any = Wildcard::default();
    let mut segment = tcp(1, 2, 20);
    segment[13] = 0x12;
    let frame = ethernet(ether::IPV6, &ipv6(TCP, &segment));
    let mut prefix = [0; 16];
    prefix[..8].fill(255);
    let mut other = V6_A;
    other[7] = 1;
    let low_only = v6(
        [9; 16],
        [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    for (host, expected) in [
        (v6(V6_A, [255; 16]), true),
        (v6(V6_B, [255; 16]), false),
        (v6(V6_B, prefix), true),
        (v6(other, prefix), false),
        (low_only, true),
        (v4(SRC, !0), false),
    ] {
        let src = End {
            host,
            ..End::default()
        };
        let rule = Wildcard { src, ..any.clone() };
        assert_eq!(matches(&rule, &frame), expected, "{host:?}");
    }
    for (tcp_flags, expected) in [(0x12, true), (2, false), (0, true), (0x10, false)] {
        let rule = Wildcard {
            tcp_flags,
            ..any.clone()
        };
        assert_eq!(matches(&rule, &frame), expected, "{tcp_flags:#x}");
    }
}

#[test]
fn both_directions_only_where_asked_for() {
    let mut rule = Wildcard {
        src: End {
            mac: SMAC,
            host: v4(SRC, !0),
            port_low: 1000,
            port_high: 1000,
        },
        dst: End {
            mac: DMAC,
            host: v4(DST, !0),
            port_low: 53,
            port_high: 53,
        },
        ..Wildcard::default()
    };
    let mut back = udp4(DST, SRC, (53, 1000), b"");
    back[..6].copy_from_slice(&SMAC);
    back[6..12].copy_from_slice(&DMAC);
    // Each end is turned as a whole.
    let mixed = udp4(DST, SRC, (53, 1000), b"");
    assert!(matches(&rule, &sample()) && !matches(&rule, &back));
    rule.bidirectional = true;
    assert!(matches(&rule, &sample()) && matches(&rule, &back) && !matches(&rule, &mixed));
}

#[test]
fn tunnels_and_shares() {
    let inner = ipv4(UDP, 5, 6, &udp(7, 8, b"x"));
    let gtp = [&[0x30, 255, 0, 0, 0, 0, 0, 42][..], &inner].concat();
    let frame = udp4(SRC, DST, (9, GTP_U_PORT), &gtp);
    let any = Wildcard::default();
    for (tunnel_id, expected) in [(Some(42), true), (Some(43), false), (None, true)] {
        let rule = Wildcard {
            tunnel_id,
            ..any.clone()
        };
        assert_eq!(matches(&rule, &frame), expected, "{tunnel_id:?}");
        assert_eq!(matches(&rule, &sample()), tunnel_id.is_none());
    }
    // Crosswise, and the packet's own addresses.
    for (tunnel, expected) in [
        ([v4(DST, !0), v4(SRC, !0)], true),
        ([v4(SRC, !0), v4(DST, !0)], false),
        ([v4(DST, !0), Host::default()], true),
        ([Host::default(), v4(DST, !0)], false),
    ] {
        let rule = Wildcard {
            tunnel,
            ..any.clone()
        };
        assert_eq!(matches(&rule, &frame), expected, "{tunnel:?}");
    }
    for frame in [&frame, &sample()] {
        let share = (hash::quick_hash(frame).0 % 5) as u8;
        let hits: Vec<u8> = (0..6)
            .filter(|&id| {
                let balance = Some((id, 5));
                matches(
                    &Wildcard {
                        balance,
                        ..any.clone()
                    },
                    frame,
                )
            })
            .collect();
        assert_eq!(hits, [share]);
    }
}

/// A wildcard rule for destination ports from `port` on.
fn from_port(id: u16, action: Action, port: u16) -> Wildcard {
    let dst = End {
        port_low: port,
        port_high: u16::MAX,
        ..End::default()
    };
    Wildcard {
        id,
        action,
        dst,
        ..Wildcard::default()
    }
}

const fn send(swaps: bool, goes_on: bool) -> Action {
    Action::Send(Sending {
        outlet: 9,
        swaps,
        goes_on,
    })
}

fn set_of(rules: &[(u16, Action, u16)], accepts: bool) -> RuleSet {
    let mut set = RuleSet::new(1);
    set.set_policy(accepts);
    for (id, action, port) in rules {
        set.add(from_port(*id, *action, *port), Moment(0)).unwrap();
    }
    set
}

#[test]
fn actions_order_and_policy() {
    use Action::{Continue, Drop, Forward, Stop};
    // Rules for port 53; policy; passes; the rule that matched last; how often it is sent.
    type Row<'a> = (&'a [(u16, Action, u16)], bool, bool, Option<u16>, usize);
    let rows: [Row<'_>; 17] = [
        (&[], true, true, None, 0),
        (&[], false, false, None, 0),
        (&[(5, Forward, 0)], false, true, Some(5), 0),
        (&[(5, Drop, 0)], true, false, Some(5), 0),
        (&[(5, Drop, 54)], true, true, None, 0),
        (&[(9, Drop, 0), (2, Forward, 0)], true, true, Some(2), 0),
        (&[(2, Drop, 0), (9, Forward, 0)], true, false, Some(2), 0),
        (&[(2, Continue, 0), (9, Drop, 0)], true, false, Some(9), 0),
        (&[(2, Continue, 0)], true, true, Some(2), 0),
        (&[(2, Continue, 0)], false, false, Some(2), 0),
        (&[(2, Stop, 0), (9, Drop, 0)], true, true, Some(2), 0),
        (&[(2, Stop, 0), (9, Forward, 0)], false, false, Some(2), 0),
        (
            &[(2, send(false, true), 0), (3, Stop, 0)],
            false,
            true,
            Some(3),
            1,
        ),
        (
            &[(2, send(false, false), 0), (3, Forward, 0)],
            true,
            false,
            Some(2),
            1,
        ),
        (
            &[(2, send(true, true), 0), (3, send(false, false), 0)],
            true,
            false,
            Some(3),
            2,
        ),
        (
            &[(2, send(true, true), 0), (3, Drop, 54)],
            false,
            true,
            Some(2),
            1,
        ),
        (
            &[(0, Drop, 54), (65_535, Drop, 0)],
            true,
            false,
            Some(65_535),
            0,
        ),
    ];
    for (rules, accepts, passes, rule, sent) in rows {
        let mut world = World::default();
        let verdict = set_of(rules, accepts).judge(&packet(&sample()), None, &mut world);
        assert_eq!(verdict, Verdict { passes, rule }, "{rules:?} {accepts}");
        assert_eq!(world.sent.len(), sent, "{rules:?}");
    }
}

pub(super) fn key_of(frame: &[u8]) -> FlowKey {
    FlowKey::of(&packet(frame)).expect("an IP packet")
}

#[test]
fn actions_of_hash_rules() {
    use Action::{Continue, Drop, Forward, Learn, Stop};
    // Action; passes; with a wildcard rule that forwards; sent; filtered.
    for (action, passes, rescued, sent) in [
        (Forward, true, true, 0),
        (Drop, false, false, 0),
        (Continue, false, true, 0),
        (Stop, false, false, 0),
        (Learn, true, true, 0),
        (send(false, false), false, false, 1),
        (send(false, true), false, true, 1),
        (send(true, false), false, false, 1),
        (send(true, true), false, true, 1),
    ] {
        for forwards in [false, true] {
            let rules = [(1, Forward, 0)];
            let mut set = set_of(if forwards { &rules } else { &[] }, true);
            set.add_flow(key_of(&sample()), action, Moment(0)).unwrap();
            let mut world = World {
                now: 7,
                ..World::default()
            };
            let back = udp4(DST, SRC, (53, 1000), b"");
            for frame in [&sample(), &back] {
                let verdict = set.judge(&packet(frame), None, &mut world);
                let expected = if forwards { rescued } else { passes };
                assert_eq!(verdict.passes, expected, "{action:?} {forwards}");
            }
            assert_eq!(world.sent.len(), 2 * sent, "{action:?}");
            let dropped = if forwards { !rescued } else { !passes };
            let expected = Counters {
                matched: 2,
                filtered: 2 * u64::from(dropped),
                passed: 0,
                last: Moment(7),
            };
            assert_eq!(set.flow_counters(&key_of(&sample())), Some(expected));
            let other = udp4(SRC, DST, (1000, 54), b"");
            assert!(set.judge(&packet(&other), None, &mut world).passes);
            assert_eq!(set.flow_counters(&key_of(&sample())), Some(expected));
        }
    }
}

#[test]
fn a_flow_is_learned_once_and_decides_from_then_on() {
    let mut set = set_of(&[(1, Action::Learn, 53), (2, Action::Drop, 0)], true);
    let mut world = World::default();
    let mut judge = |set: &mut RuleSet, frame: &[u8]| set.judge(&packet(frame), None, &mut world);
    let back = udp4(DST, SRC, (53, 1000), b"");
    let other = udp4(DST, SRC, (52, 10), b"");
    assert!(judge(&mut set, &sample()).passes);
    assert_eq!(set.flows(), 1);
    set.remove(1);
    let verdict = judge(&mut set, &back);
    assert_eq!(
        verdict,
        Verdict {
            passes: true,
            rule: None
        }
    );
    assert!(!judge(&mut set, &other).passes);
    assert_eq!(set.flow_counters(&key_of(&back)).unwrap().matched, 1);
    let arp = ethernet(ether::ARP, &[0; 28]);
    let mut set = set_of(&[], true);
    let all = Wildcard {
        action: Action::Learn,
        ..Wildcard::default()
    };
    set.add(all, Moment(0)).unwrap();
    assert!(judge(&mut set, &arp).passes);
    assert_eq!(set.flows(), 0, "no flow");
}

#[test]
fn filtered_packets_are_sampled() {
    let mut set = set_of(&[], true);
    set.add_flow(key_of(&sample()), Action::Drop, Moment(0))
        .unwrap();
    set.set_sampling(3);
    let mut world = World::default();
    let passed: Vec<bool> = (0..60)
        .map(|_| set.judge(&packet(&sample()), None, &mut world).passes)
        .collect();
    let expected: Vec<bool> = (0..60).map(|i| i % 30 < 10).collect();
    assert_eq!(passed, expected);
    let counters = set.flow_counters(&key_of(&sample())).unwrap();
    assert_eq!(
        (counters.matched, counters.filtered, counters.passed),
        (60, 40, 20)
    );
}

#[test]
fn rules_count_and_idle_ones_are_purged() {
    let mut set = set_of(
        &[
            (1, Action::Continue, 0),
            (2, Action::Drop, 0),
            (3, Action::Drop, 0),
        ],
        true,
    );
    let locked = Wildcard {
        locked: true,
        ..from_port(4, Action::Forward, 0)
    };
    set.add(locked.clone(), Moment(0)).unwrap();
    assert_eq!(set.add(locked, Moment(0)), Err(Refused::Exists));
    let [flow, idle] = [key_of(&sample()), key_of(&udp4(1, 2, (3, 4), b""))];
    for key in [flow, idle] {
        set.add_flow(key, Action::Continue, Moment(0)).unwrap();
    }
    assert_eq!(
        set.add_flow(flow, Action::Drop, Moment(0)),
        Err(Refused::Exists)
    );
    let mut world = World {
        now: 1_000,
        ..World::default()
    };
    for _ in 0..5 {
        assert!(!set.judge(&packet(&sample()), None, &mut world).passes);
    }
    let of = |set: &RuleSet, id| {
        set.counters(id)
            .map(|(c, _)| (c.matched, c.filtered, c.last.0))
    };
    assert_eq!(of(&set, 1), Some((5, 0, 1_000)));
    assert_eq!(of(&set, 2), Some((5, 5, 1_000)));
    assert_eq!(of(&set, 3), Some((0, 0, 0)));
    assert_eq!(of(&set, 5), None);
    assert_eq!(set.flow_counters(&flow).unwrap().matched, 5);
    assert_eq!(
        set.flow_counters(&flow).unwrap().filtered,
        0,
        "another rule did"
    );
    set.purge(10, Moment(1_000));
    set.purge_flows(10, Moment(1_000), |_| {});
    assert_eq!(set.flows(), 2, "exactly ten seconds are not longer");
    set.purge(10, Moment(1_001));
    set.purge_flows(10, Moment(1_001), |_| {});
    let left: Vec<u16> = (0..9).filter(|&id| set.counters(id).is_some()).collect();
    assert_eq!(left, [1, 2, 4]);
    assert_eq!((set.flows(), set.flow_counters(&idle)), (1, None));
    set.purge(0, Moment(1_101));
    set.purge_flows(0, Moment(1_101), |_| {});
    assert_eq!((set.flows(), set.counters(4).is_some()), (0, true));
    assert!(!set.is_open());
    assert!(set.remove(4) && !set.remove(4) && set.is_open());
}

#[test]
fn moments_wrap() {
    assert_eq!(Moment(u32::MAX).age(Moment(99)), 100);
    assert_eq!(Moment(5).age(Moment(3)), 0);
    assert!(!Moment(u32::MAX).is_older(1, Moment(99)));
    assert!(Moment(u32::MAX).is_older(1, Moment(100)));
    assert_eq!(Moment::from_ns(1_230_000_000), Moment(123));
}
