//! The table of flows against a plain map, and the ways to a flow against the parser.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::tests::{World, key_of, packet, udp4};
use super::super::{RuleSet, wildcard::Wildcard};
use super::*;
use crate::packet::Start;
use crate::packet::samples::{ethernet, fragment6, ipv4, ipv6, sctp, tagged, tcp, udp};

const SRC: u32 = 0x0a00_0001;
const DST: u32 = 0x0a00_0002;

/// The quick way to a flow gives what the parser gives.
#[test]
fn keys_of_all_kinds_of_packets() {
    let mut fragment = udp4(SRC, DST, (1, 2), &[0; 30]);
    fragment[20] = 0x20;
    let mut later = fragment.clone();
    later[21] = 1;
    let mut options = ipv4(TCP, SRC, DST, &[0; 44]);
    options[0] = 0x46;
    let cases = [
        udp4(SRC, DST, (1000, 53), b"Hello"),
        udp4(SRC, DST, (1, 2), &[0; 30]),
        fragment,
        later,
        ethernet(ether::IPV4, &options),
        ethernet(ether::IPV4, &ipv4(TCP, DST, SRC, &tcp(5, 6, 24))),
        ethernet(
            ether::IPV4,
            &ipv4(132, DST, SRC, &[sctp(5, 6), vec![0; 30]].concat()),
        ),
        ethernet(ether::IPV6, &ipv6(UDP, &udp(7, 6, &[0; 30]))),
        ethernet(ether::IPV6, &ipv6(TCP, &tcp(7, 6, 20))),
        ethernet(
            ether::IPV6,
            &ipv6(44, &[fragment6(UDP, 9, true), vec![1; 30]].concat()),
        ),
        tagged(
            &[(0x8100, 9)],
            ether::IPV4,
            &ipv4(UDP, 1, 2, &udp(1, 2, &[0; 40])),
        ),
    ];
    for frame in cases {
        for len in 0..=frame.len() {
            let data = &frame[..len];
            let (facts, _) = parse(data, Start::Ethernet, 4);
            assert_eq!(
                FlowKey::of(&packet(data)),
                FlowKey::of_facts(&facts),
                "{data:?}"
            );
        }
    }
}

fn small_key(number: u8) -> FlowKey {
    let flow = Flow {
        ip_version: if number & 1 == 0 { 4 } else { 6 },
        proto: UDP,
        src: Addr::V4(number.into()),
        dst: Addr::V4(1),
        src_port: 1,
        dst_port: 2,
    };
    FlowKey::new(0, &flow)
}

proptest! {
    /// Any sequence of changes leaves what a plain map has.
    #[test]
    fn the_table_is_a_map(seed in any::<u64>(), steps in prop::collection::vec((any::<u8>(), 0..4u8), 0..600)) {
        let mut table = Flows::new(seed);
        let mut map: HashMap<u8, u64> = HashMap::new();
        for (number, what) in steps {
            let key = small_key(number);
            match what {
                0 | 1 => {
                    let added = table.add(key, Action::Drop, Moment(0)).is_ok();
                    prop_assert_eq!(added, !map.contains_key(&number));
                    map.entry(number).or_insert(0);
                }
                2 => prop_assert_eq!(table.remove(&key), map.remove(&number).is_some()),
                _ => {
                    let place = table.find(&key);
                    prop_assert_eq!(place.is_some(), map.contains_key(&number));
                    if let Some(place) = place {
                        let before = table.matched(place, Moment(1)).1;
                        let count = map.get_mut(&number).unwrap();
                        prop_assert_eq!(before, *count);
                        *count += 1;
                    }
                }
            }
            prop_assert_eq!(table.len(), map.len());
        }
        for (number, count) in map {
            let place = table.find(&small_key(number)).expect("in the map");
            prop_assert_eq!(table.counters(place).matched, count);
        }
    }

    /// Both directions of a flow have one key, and nothing else has it.
    #[test]
    fn a_key_is_of_both_directions(a in any::<(u32, u16)>(), b in any::<(u32, u16)>(), vlan in 0..4096u16) {
        let flow = |a: (u32, u16), b: (u32, u16)| Flow {
            ip_version: 4,
            proto: TCP,
            src: Addr::V4(a.0),
            dst: Addr::V4(b.0),
            src_port: a.1,
            dst_port: b.1,
        };
        let key = FlowKey::new(vlan, &flow(a, b));
        prop_assert_eq!(key, FlowKey::new(vlan, &flow(b, a)));
        let crossed = FlowKey::new(vlan, &flow((a.0, b.1), (b.0, a.1)));
        prop_assert_eq!(key == crossed, a.0 == b.0 || a.1 == b.1);
        prop_assert!(key != FlowKey::new(vlan ^ 1, &flow(a, b)));
    }

    /// What is seen ahead, true or false, changes no verdict and no count.
    #[test]
    fn hints_are_only_hints(
        steps in prop::collection::vec((0..400u16, 0..400u16, 0..5u8), 1..200),
    ) {
        let frame = |number: u16| udp4(SRC, DST, (number, 53), b"");
        let sets = [(); 2].map(|()| {
            let mut set = RuleSet::new(3);
            for number in 0..300 {
                let action = if number % 2 == 0 { Action::Drop } else { Action::Forward };
                set.add_flow(key_of(&frame(number)), action, Moment(0)).unwrap();
            }
            let learns = Wildcard { action: Action::Learn, ..Wildcard::default() };
            set.add(learns, Moment(0)).unwrap();
            set
        });
        let [mut with, mut without] = sets;
        let mut world = World::default();
        for (number, seen, what) in steps {
            let (data, hint) = (frame(number), frame(seen));
            if what == 0 {
                let key = key_of(&hint);
                prop_assert_eq!(with.remove_flow(&key), without.remove_flow(&key));
            }
            let soon = (what < 4).then_some(&hint[..]);
            let verdict = with.judge(&packet(&data), soon, &mut world);
            prop_assert_eq!(verdict, without.judge(&packet(&data), None, &mut world));
            prop_assert_eq!(with.flow_counters(&key_of(&data)), without.flow_counters(&key_of(&data)));
            // What was announced comes.
            if what == 3 {
                for data in [&data, &hint] {
                    let verdict = with.judge(&packet(data), None, &mut world);
                    prop_assert_eq!(verdict, without.judge(&packet(data), None, &mut world));
                }
            }
        }
    }
}
