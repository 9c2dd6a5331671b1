//! The kernel's own run of the program against the verdict here: random rules, random packets.

use proptest::prelude::*;

use super::*;
use crate::filter::rules::{Outside, Packet, RuleSet, Sending};
use crate::packet::samples::{ethernet, ipv4, ipv6, tagged, tcp, udp};
use crate::sys::bpf::socket_filter::{Map, MapKind, SocketProgram};

struct World;

impl Outside for World {
    fn now(&mut self) -> Moment {
        Moment(0)
    }

    fn send(&mut self, _: Sending) {}
}

/// lo, by which the kernel runs a program when it is only tried.
const IFINDEX: i32 = 1;
const SNAPLEN: u32 = 1500;

fn maps() -> Option<(Map, Map)> {
    let made = Map::new(MapKind::Hash, FLOW_KEY, FATE, 64)
        .and_then(|flows| Ok((flows, Map::new(MapKind::Array, 4, FATE, SLOTS)?)));
    match made {
        Ok(maps) => Some(maps),
        Err(error) => {
            eprintln!("skipped: no maps in the kernel: {error}");
            None
        }
    }
}

/// Few values, so that rules match often.
fn small() -> impl Strategy<Value = u16> {
    prop_oneof![4 => 0..4u16, 1 => any::<u16>()]
}

fn host() -> impl Strategy<Value = Host> {
    let mask = prop_oneof![Just(0), Just(!0), Just(!1), any::<u32>()];
    (0..4u32, mask, any::<[u32; 3]>()).prop_map(|(address, mask, rest)| Host {
        address: [address, rest[0], rest[1], rest[2]],
        mask: [mask, rest[2], rest[0], 0],
    })
}

fn end() -> impl Strategy<Value = End> {
    let mac = prop_oneof![3 => Just(0), 2 => 1..3u8];
    let high = prop_oneof![Just(0), small()];
    (mac, host(), small(), high).prop_map(|(mac, host, port_low, port_high)| End {
        mac: if mac == 0 {
            [0; 6]
        } else {
            [2, 0, 0, 0, 0, mac]
        },
        host,
        port_low,
        port_high,
    })
}

fn action() -> impl Strategy<Value = Action> {
    let sending = (any::<bool>(), any::<bool>()).prop_map(|(swaps, goes_on)| {
        Action::Send(Sending {
            outlet: 0,
            swaps,
            goes_on,
        })
    });
    prop_oneof![
        2 => Just(Action::Forward),
        6 => Just(Action::Drop),
        1 => Just(Action::Continue),
        1 => Just(Action::Stop),
        1 => sending,
    ]
}

fn rule() -> impl Strategy<Value = Wildcard> {
    let rarely = |value: u16| prop_oneof![5 => Just(0), 1 => Just(value)];
    let fields = (
        prop_oneof![4 => Just(0), 1 => Just(ether::IPV4), 1 => Just(ether::IPV6)],
        prop_oneof![2 => Just(0), 1 => Just(ip::UDP), 1 => Just(ip::TCP), 1 => Just(1)],
        rarely(7),
        prop_oneof![6 => Just(0), 1 => Just(IFINDEX), 1 => Just(9)],
        prop_oneof![3 => Just(0), 1 => Just(2), 1 => Just(0x12)],
    );
    let rest = (action(), any::<bool>(), end(), end(), 0..20u8);
    (fields, rest).prop_map(
        |(fields, (action, bidirectional, src, dst, odd))| Wildcard {
            action,
            bidirectional,
            eth_type: fields.0,
            proto: fields.1,
            vlan_id: fields.2,
            ifindex: fields.3,
            tcp_flags: fields.4,
            src,
            dst,
            balance: (odd == 1).then_some((0, 2)),
            tunnel_id: (odd == 2).then_some(0),
            tunnel: [
                if odd == 3 { src.host } else { Host::default() },
                Host::default(),
            ],
            ..Wildcard::default()
        },
    )
}

fn frame() -> impl Strategy<Value = Vec<u8>> {
    let parts = (
        0..10u8,
        0..4u32,
        0..4u32,
        small(),
        small(),
        prop_oneof![Just(2), Just(0x12)],
    );
    (parts, 0..40usize, 1..3u8).prop_map(|((kind, src, dst, sport, dport, flags), more, mac)| {
        let mut segment = tcp(sport, dport, 20);
        segment[13] = flags;
        segment.resize(20 + more, 0);
        let datagram = udp(sport, dport, &vec![0; more]);
        let mut frame = match kind {
            0..4 => ethernet(ether::IPV4, &ipv4(ip::UDP, src, dst, &datagram)),
            4..7 => ethernet(ether::IPV4, &ipv4(ip::TCP, src, dst, &segment)),
            7 => tagged(
                &[(0x8100, 7)],
                ether::IPV4,
                &ipv4(ip::TCP, src, dst, &segment),
            ),
            8 => ethernet(ether::IPV6, &ipv6(ip::UDP, &datagram)),
            _ => ethernet(ether::IPV4, &ipv4(1, src, dst, &datagram)),
        };
        frame[5] = mac;
        // Options, a later fragment.
        if more % 7 == 1 {
            frame[14] = 0x46;
        } else if more % 7 == 2 {
            frame[21] = 1;
        }
        frame
    })
}

fn judged(set: &mut RuleSet, frame: &[u8]) -> bool {
    let packet = Packet {
        data: frame,
        ethernet: true,
        ifindex: IFINDEX,
    };
    set.judge(&packet, None, &mut World).passes
}

fn key_of(frame: &[u8]) -> Option<FlowKey> {
    FlowKey::of(&Packet {
        data: frame,
        ethernet: true,
        ifindex: IFINDEX,
    })
}

fn sum(map: &Map, keys: impl Iterator<Item = Vec<u8>>) -> u64 {
    let mut counters = Counters::default();
    for key in keys {
        let mut value = [0; FATE];
        map.get(&key, &mut value).expect("an element");
        add_counts(&mut counters, &value);
    }
    assert_eq!(counters.matched, counters.filtered);
    counters.filtered
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// What the program drops is dropped here too, each drop of a rule is counted once, and a set of plain rules
    /// leaves no plain frame for this side to drop.
    #[test]
    fn the_kernel_comes_to_the_same_verdict(
        rules in prop::collection::vec(rule(), 0..6),
        flows in prop::collection::vec((frame(), action()), 0..4),
        accepts in prop::bool::weighted(0.8),
        samples in prop::bool::weighted(0.1),
        frames in prop::collection::vec(frame(), 20),
    ) {
        let Some((flow_map, counts)) = maps() else { return Ok(()) };
        let mut set = RuleSet::new(1);
        set.set_policy(accepts);
        set.set_sampling(u32::from(samples));
        for (id, rule) in (0..).zip(&rules) {
            set.add(Wildcard { id, ..rule.clone() }, Moment(0)).unwrap();
        }
        let mut keys = Vec::new();
        for (frame, action) in &flows {
            let Some(key) = key_of(frame) else { continue };
            if set.add_flow(key, *action, Moment(0)).is_ok()
                && let Some(bytes) = flow_key(&key)
            {
                flow_map.set(&bytes, &fate(drops(*action))).unwrap();
                keys.push(bytes.to_vec());
            }
        }
        let maps = Maps { flows: flow_map.fd(), counts: counts.fd() };
        let wanted = Frame { only: None, snaplen: SNAPLEN };
        let Some(insns) = set.program(wanted, maps) else { return Ok(()) };
        let program = SocketProgram::load(&insns).expect("the verifier has no objection");
        let simple = !samples
            && rules.iter().all(is_known)
            && rules.iter().chain(&[]).all(|rule| rule.action == Action::Drop)
            && flows.iter().all(|(_, action)| drops(*action));
        let mut dropped = 0;
        for frame in &frames {
            let kept = program.test_run(frame).expect("a run");
            prop_assert!(kept == 0 || kept == SNAPLEN);
            let passes = judged(&mut set, frame);
            prop_assert!(kept != 0 || !passes, "{frame:x?}");
            let plain = frame[12..15] == [8, 0, 0x45] && frame[20..22] == [0, 0]
                && matches!(frame[23], ip::TCP | ip::UDP) && frame.len() >= 54;
            if simple && plain {
                prop_assert_eq!(kept != 0, passes, "{:x?}", frame);
            }
            dropped += u64::from(kept == 0);
        }
        let slots = (0..rules.len() as u32).map(|slot| slot.to_ne_bytes().to_vec());
        let counted = sum(&flow_map, keys.into_iter()) + sum(&counts, slots);
        prop_assert!(counted <= dropped);
        if accepts {
            prop_assert_eq!(counted, dropped);
        }
    }
}

#[test]
fn where_nothing_is_dropped_there_is_no_program() {
    let maps = Maps {
        flows: 0,
        counts: 0,
    };
    let wanted = Frame {
        only: None,
        snaplen: SNAPLEN,
    };
    let mut set = RuleSet::new(1);
    assert_eq!(set.program(wanted, maps), None);
    let forward = Wildcard {
        id: 2,
        proto: ip::UDP,
        ..Wildcard::default()
    };
    set.add(forward.clone(), Moment(0)).unwrap();
    assert_eq!(set.program(wanted, maps), None);
    set.set_policy(false);
    assert!(set.program(wanted, maps).is_some(), "the policy drops");
    let odd = Wildcard {
        id: 1,
        balance: Some((0, 2)),
        ..forward.clone()
    };
    set.add(odd, Moment(0)).unwrap();
    assert_eq!(
        set.program(wanted, maps),
        None,
        "nothing behind a rule that is not known"
    );
    set.remove(1);
    set.set_policy(true);
    let learns = Wildcard {
        id: 9,
        action: Action::Learn,
        ..forward.clone()
    };
    set.add(
        Wildcard {
            id: 1,
            action: Action::Drop,
            ..forward
        },
        Moment(0),
    )
    .unwrap();
    assert!(set.program(wanted, maps).is_some());
    set.add(learns, Moment(0)).unwrap();
    assert_eq!(
        set.program(wanted, maps),
        None,
        "what is learned is known here only"
    );
}

/// Many rules, each with all that the program can test.
#[test]
fn the_verifier_takes_the_longest_program() {
    let Some((flows, counts)) = maps() else {
        return;
    };
    let mut set = RuleSet::new(1);
    let end = |i: u32| End {
        mac: [2, 0, 0, 0, 0, 1],
        host: Host {
            address: [i, 0, 0, 0],
            mask: [!0, 0, 0, 0],
        },
        port_low: 5,
        port_high: 9,
    };
    for id in 0..200 {
        let rule = Wildcard {
            id,
            action: Action::Drop,
            bidirectional: true,
            tcp_flags: 2,
            ifindex: 4,
            vlan_id: 7,
            src: end(id.into()),
            dst: end(u32::from(id) + 1),
            ..Wildcard::default()
        };
        set.add(rule, Moment(0)).unwrap();
    }
    let maps = Maps {
        flows: flows.fd(),
        counts: counts.fd(),
    };
    let frame = Frame {
        only: Some(Only::Received),
        snaplen: SNAPLEN,
    };
    let insns = set.program(frame, maps).expect("a program");
    SocketProgram::load(&insns).expect("the verifier has no objection");
}
