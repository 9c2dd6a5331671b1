//! Clusters: each packet goes to one member, and to the one that the sum over its flow says (R33 to R38).

mod common;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::frame::{DST, Random, SRC};
use common::ring::PROMISC;
use common::{Form, Lab, Open, Ring, Turn, Worker, child, forms};
use pfring::{abi, capi};

const SOON: Duration = Duration::from_secs(10);
const MEMBERS: usize = 4;
const UDP: u8 = 17;
const TCP: u8 = 6;
const FLOW_5: u32 = 4;
const INNER_5: u32 = 9;

forms! {
    r04_cluster_never_hangs, r04_full_cluster_never_hangs => never_hangs;
}

fn join(ring: &Ring, id: u32, kind: u32) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_set_cluster(ring.raw(), id, abi::cluster_type(kind)) }
}

fn join_as(ring: &Ring, id: u16, queue: u16, options: u32) -> i32 {
    let kind = abi::cluster_type(FLOW_5);
    // SAFETY: the handle is open.
    unsafe { capi::pfring_set_cluster_consumer(ring.raw(), id, queue, kind, options) }
}

fn leave(ring: &Ring) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_remove_from_cluster(ring.raw()) }
}

fn open() -> Open {
    Open::on("vb").flags(PROMISC).env("PFRING_RING_MB", "2")
}

/// Members of a cluster, in the order in which they joined.
fn members(count: usize, kind: u32) -> Vec<Ring> {
    let member = |_| {
        let ring = open().ring();
        assert_eq!(join(&ring, 7, kind), 0, "type {kind}");
        ring.enable();
        ring
    };
    (0..count).map(member).collect()
}

/// Which members got which frames: number to member and hash. Each frame once.
fn placed(rings: &[Ring], expected: usize) -> HashMap<u32, (usize, u32)> {
    let mut placed = HashMap::new();
    let end = Instant::now() + SOON;
    let mut quiet_since = Instant::now();
    while placed.len() < expected || quiet_since.elapsed() < Duration::from_millis(60) {
        assert!(
            Instant::now() < end,
            "{} of {expected} frames",
            placed.len()
        );
        for (member, ring) in rings.iter().enumerate() {
            loop {
                let got = ring.recv(false);
                if got.rc != 1 {
                    break;
                }
                quiet_since = Instant::now();
                let hash = got.header.extended_hdr.pkt_hash;
                let before = placed.insert(number(got.bytes()), (member, hash));
                assert_eq!(before, None, "a frame came twice");
            }
        }
    }
    placed
}

/// A frame carries its number in its last four bytes.
fn number(frame: &[u8]) -> u32 {
    let last = frame.last_chunk().expect("longer than a number");
    u32::from_be_bytes(*last)
}

/// Who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Flow {
    src: u32,
    dst: u32,
    ports: (u16, u16),
    proto: u8,
}

impl Flow {
    fn random(dice: &mut Random) -> Flow {
        Flow {
            src: 0x0a00_0000 | dice.between(0, 0xff_ffff) as u32,
            dst: 0xc0a8_0000 | dice.between(0, 0xffff) as u32,
            ports: (
                dice.between(10_000, 60_000) as u16,
                dice.between(1, 1_000) as u16,
            ),
            proto: if dice.between(0, 1) == 0 { UDP } else { TCP },
        }
    }

    fn back(self) -> Flow {
        Flow {
            src: self.dst,
            dst: self.src,
            ports: (self.ports.1, self.ports.0),
            ..self
        }
    }

    fn packet(&self, payload: &[u8]) -> Vec<u8> {
        let mut l4 = [self.ports.0.to_be_bytes(), self.ports.1.to_be_bytes()].concat();
        if self.proto == TCP {
            l4.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
        } else {
            l4.extend_from_slice(&(8 + payload.len() as u16).to_be_bytes());
            l4.extend_from_slice(&[0, 0]);
        }
        l4.extend_from_slice(payload);
        ipv4(self, &l4, [0, 0])
    }

    fn frame(&self, number: u32) -> Vec<u8> {
        ethernet(0x0800, &self.packet(&number.to_be_bytes()))
    }

    /// In GTP-U between two hosts.
    fn in_gtp(&self, number: u32) -> Vec<u8> {
        let inside = self.packet(&number.to_be_bytes());
        let head = [0x30, 255, 0, inside.len() as u8, 0, 0, 0, 9];
        ethernet(0x0800, &OUTER.packet(&[&head[..], &inside].concat()))
    }
}

const OUTER: Flow = Flow {
    src: 0x0101_0101,
    dst: 0x0202_0202,
    ports: (2152, 2152),
    proto: UDP,
};

fn ipv4(flow: &Flow, l4: &[u8], fragment: [u8; 2]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend_from_slice(&(20 + l4.len() as u16).to_be_bytes());
    packet.extend_from_slice(&[0x12, 0x34, fragment[0], fragment[1], 64, flow.proto, 0, 0]);
    packet.extend_from_slice(&flow.src.to_be_bytes());
    packet.extend_from_slice(&flow.dst.to_be_bytes());
    packet.extend_from_slice(l4);
    packet
}

fn ethernet(eth_type: u16, payload: &[u8]) -> Vec<u8> {
    [&DST[..], &SRC, &eth_type.to_be_bytes(), payload].concat()
}

/// What the documentation of the types says, put down by itself: `None` for turns.
fn documented_sum(kind: u32, outer: &Flow, inner: Option<&Flow>) -> Option<u32> {
    let flow = match kind {
        6..=10 | 12 => inner.unwrap_or(outer),
        _ => outer,
    };
    let two = flow.src.wrapping_add(flow.dst);
    let ports = u32::from(flow.ports.0) + u32::from(flow.ports.1);
    let five = two.wrapping_add(ports).wrapping_add(flow.proto.into());
    match kind {
        1 => None,
        0 | 4 | 6 | 9 | 11 | 12 => Some(five),
        2 | 7 => Some(two),
        3 | 8 => Some(two.wrapping_add(ports)),
        _ if outer.proto == TCP => Some(five),
        _ => Some(two),
    }
}

#[test]
fn a_thousand_flows_are_placed_as_each_type_says() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = lab.sender();
    for kind in 0..13 {
        let mut dice = Random(100 + u64::from(kind));
        let flows: Vec<Flow> = (0..1_000).map(|_| Flow::random(&mut dice)).collect();
        let rings = members(MEMBERS, kind);
        for (number, flow) in flows.iter().enumerate() {
            // Every third in a tunnel.
            match number % 3 {
                0 => sender.send(&flow.in_gtp(number as u32)),
                _ => sender.send(&flow.frame(number as u32)),
            }
        }
        let placed = placed(&rings, flows.len());
        for (number, flow) in flows.iter().enumerate() {
            let (member, hash) = placed[&(number as u32)];
            let sum = match number % 3 {
                0 => documented_sum(kind, &OUTER, Some(flow)),
                _ => documented_sum(kind, flow, None),
            };
            match sum {
                Some(sum) => assert_eq!(
                    (member, hash),
                    (sum as usize % MEMBERS, sum),
                    "type {kind}, {flow:?}"
                ),
                None => assert_eq!(member, (placed[&0].0 + number) % MEMBERS, "in turns"),
            }
        }
    }
}

/// Type 13: a copy to the place of each address, one where they are the same.
#[test]
fn a_packet_goes_to_the_places_of_both_addresses() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let mut dice = Random(13);
    let flows: Vec<Flow> = (0..1_000).map(|_| Flow::random(&mut dice)).collect();
    let rings = members(MEMBERS, 13);
    let sender = lab.sender();
    for (number, flow) in flows.iter().enumerate() {
        sender.send(&flow.frame(number as u32));
    }
    let place = |address: u32| address as usize % MEMBERS;
    for (member, ring) in rings.iter().enumerate() {
        let own = |flow: &Flow| place(flow.src) == member || place(flow.dst) == member;
        let expected: Vec<u32> = (0..1_000).filter(|n| own(&flows[*n as usize])).collect();
        let seen = std::cell::RefCell::new(Vec::new());
        ring.drain(
            SOON,
            || seen.borrow().len() >= expected.len(),
            |got| seen.borrow_mut().push(number(got.bytes())),
        );
        assert_eq!(seen.into_inner(), expected, "member {member}");
    }
}

#[test]
fn r33_inner_flows_spread_and_both_directions_meet() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let mut dice = Random(33);
    let flows: Vec<Flow> = (0..64).map(|_| Flow::random(&mut dice)).collect();
    let rings = members(MEMBERS, INNER_5);
    let sender = lab.sender();
    for (number, flow) in flows.iter().enumerate() {
        sender.send(&flow.in_gtp(number as u32));
        sender.send(&flow.back().in_gtp(1_000 + number as u32));
    }
    let placed = placed(&rings, 128);
    let mut counts = [0; MEMBERS];
    for number in 0..64 {
        assert_eq!(
            placed[&number].0,
            placed[&(1_000 + number)].0,
            "flow {number}"
        );
        counts[placed[&number].0] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
}

#[test]
fn r34_what_is_not_ip_comes_once_and_to_one_member() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for kind in [FLOW_5, 11] {
        let rings = members(MEMBERS, kind);
        let sender = lab.sender();
        let types = [0x0806, 0x88cc, 0x88b5];
        for number in 0..300u32 {
            let mut payload = vec![0; 46];
            payload[42..].copy_from_slice(&number.to_be_bytes());
            sender.send(&ethernet(types[number as usize % 3], &payload));
        }
        let placed = placed(&rings, 300);
        assert_eq!(placed.len(), 300);
        let members: HashSet<usize> = placed.values().map(|(member, _)| *member).collect();
        assert_eq!(members.len(), 1, "one pair of addresses, type {kind}");
    }
}

#[test]
fn r35_fragments_stay_together() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for kind in [2, FLOW_5] {
        let rings = members(MEMBERS, kind);
        let sender = lab.sender();
        let mut dice = Random(35);
        for pair in 0..60u32 {
            let flow = Flow {
                proto: UDP,
                ..Flow::random(&mut dice)
            };
            let mut first = flow.packet(&[0; 20])[20..].to_vec();
            first.extend_from_slice(&(pair * 2).to_be_bytes());
            sender.send(&ethernet(0x0800, &ipv4(&flow, &first, [0x20, 0])));
            let later = [&[7; 20][..], &(pair * 2 + 1).to_be_bytes()].concat();
            sender.send(&ethernet(0x0800, &ipv4(&flow, &later, [0, 4])));
        }
        let placed = placed(&rings, 120);
        for pair in 0..60 {
            assert_eq!(
                placed[&(pair * 2)],
                placed[&(pair * 2 + 1)],
                "datagram {pair}"
            );
        }
    }
}

#[test]
fn r36_each_packet_to_one_member_whenever_it_joins() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let mut dice = Random(36);
    let flows: Vec<Flow> = (0..200).map(|_| Flow::random(&mut dice)).collect();
    let mut places = Vec::new();
    for after_enable in [false, true] {
        let rings: Vec<Ring> = (0..MEMBERS)
            .map(|_| {
                let ring = open().ring();
                if after_enable {
                    ring.enable();
                }
                assert_eq!(join(&ring, 9, FLOW_5), 0);
                ring.enable();
                ring
            })
            .collect();
        let sender = lab.sender();
        for number in 0..1_000u32 {
            sender.send(&flows[number as usize % flows.len()].frame(number));
        }
        let placed = placed(&rings, 1_000);
        for number in 0..1_000u32 {
            let flow = number % flows.len() as u32;
            assert_eq!(placed[&number].0, placed[&flow].0, "one member for a flow");
        }
        places.push(placed);
    }
    assert_eq!(places[0], places[1]);
}

#[test]
fn r37_flows_spread_evenly() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let mut dice = Random(37);
    let rings = members(MEMBERS, FLOW_5);
    let sender = lab.sender();
    for number in 0..1_000 {
        let flow = Flow {
            proto: UDP,
            ..Flow::random(&mut dice)
        };
        sender.send(&flow.frame(number));
    }
    let mut counts = [0; MEMBERS];
    for (member, _) in placed(&rings, 1_000).values() {
        counts[*member] += 1;
    }
    assert!(
        counts.iter().all(|count| (180..=320).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn r38_seventy_two_members() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let rings = members(72, FLOW_5);
    let mut dice = Random(38);
    let flows: Vec<Flow> = (0..3_600).map(|_| Flow::random(&mut dice)).collect();
    let sender = lab.sender();
    // Read meanwhile: the timer of a ring's blocks goes round such a small ring in less than the time of sending.
    let sending = Worker::start(move || {
        for number in 0..7_200u32 {
            sender.send(&flows[number as usize % flows.len()].frame(number));
            if number % 100 == 99 {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    assert_eq!(placed(&rings, 7_200).len(), 7_200);
    sending.finish(SOON);
}

#[test]
fn beyond_the_limit_of_members_the_error_is_clear() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let small = || Open::on("vb").caplen(64).env("PFRING_RING_MB", "1");
    let mut rings = Vec::new();
    let refused = loop {
        let ring = small().ring();
        assert_eq!(join(&ring, 5, FLOW_5), 0);
        match ring.try_enable() {
            Ok(()) => rings.push(ring),
            Err(errno) => break errno,
        }
        assert!(rings.len() <= 256, "no limit");
    };
    assert_eq!((rings.len(), refused), (256, libc::ENOSPC));
}

#[test]
fn ids_of_other_interfaces_are_other_clusters() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    let rings = members(2, FLOW_5);
    let other = Open::on("vd").ring();
    assert_eq!(join(&other, 7, FLOW_5), 0);
    other.enable();
    let mut dice = Random(1);
    let sender = lab.sender();
    for number in 0..100 {
        sender.send(&Flow::random(&mut dice).frame(number));
    }
    assert_eq!(placed(&rings, 100).len(), 100);
    assert_eq!(other.empty(), 0, "another interface");
}

#[test]
fn bad_arguments_have_their_errors() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = open().ring();
    for (id, kind, expected) in [
        (0, FLOW_5, -1),
        (65_536, FLOW_5, -1),
        (1, 14, abi::PF_RING_ERROR_INVALID_ARGUMENT),
        (1, u32::MAX, abi::PF_RING_ERROR_INVALID_ARGUMENT),
    ] {
        assert_eq!(join(&ring, id, kind), expected, "id {id}, type {kind}");
    }
    assert_eq!(join_as(&ring, 1, 65, 0), -1);
    assert_eq!(leave(&ring), 0, "in no cluster");
    assert_eq!(
        join_as(&ring, 1, 63, abi::CLUSTER_OPTION_RELAXED_DISTRIBUTION),
        0
    );
    assert_eq!(leave(&ring), 0);
    assert_eq!(join(&ring, 2, 1), 0);
    ring.enable();
    assert_eq!(join(&ring, 2, 1), 0, "once more");
    for rc in [join(&ring, 3, 1), leave(&ring)] {
        assert_eq!(rc, abi::PF_RING_ERROR_NOT_SUPPORTED, "once it captures");
    }
    // Type and options of the first member count.
    let second = open().ring();
    assert_eq!(
        join_as(&second, 2, 64, abi::CLUSTER_OPTION_RELAXED_DISTRIBUTION),
        0
    );
    second.enable();
}

/// Members in two processes; one is killed, and the other has all packets from then on.
#[test]
fn the_share_of_a_killed_process_goes_on() {
    const NAME: &str = "the_share_of_a_killed_process_goes_on";
    if child::role().is_some() {
        let _ring = members(1, FLOW_5);
        println!("MEMBER");
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let rings = members(1, FLOW_5);
    let mut process = child::again(NAME, "member")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test starts again");
    let out = BufReader::new(process.stdout.take().expect("stdout is piped"));
    assert!(
        out.lines()
            .map_while(Result::ok)
            .any(|line| line.contains("MEMBER"))
    );
    let sender = lab.sender();
    let mut dice = Random(2);
    let flows: Vec<Flow> = (0..200).map(|_| Flow::random(&mut dice)).collect();
    let send = || {
        for (number, flow) in flows.iter().enumerate() {
            sender.send(&flow.frame(number as u32));
        }
    };
    let evens = |flow: &&Flow| documented_sum(FLOW_5, flow, None).is_some_and(|sum| sum % 2 == 0);
    let own = flows.iter().filter(evens).count();
    send();
    assert_eq!(
        placed(&rings, own).len(),
        own,
        "the other half is the other's"
    );
    process.kill().expect("SIGKILL");
    process.wait().expect("it is gone");
    send();
    assert_eq!(placed(&rings, 200).len(), 200);
}

/// R04's line on clusters: four members on four threads, floods and silences; each probe comes.
fn never_hangs(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let rings: Vec<Arc<Ring>> = members(MEMBERS, FLOW_5).into_iter().map(Arc::new).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let (found, probes) = std::sync::mpsc::channel();
    let readers: Vec<Worker<()>> = rings
        .iter()
        .map(|ring| {
            let (ring, stop, found) = (Arc::clone(ring), Arc::clone(&stop), found.clone());
            Worker::start(move || {
                let mut taken = 0u32;
                while !stop.load(Ordering::Relaxed) {
                    if ring.poll(50) <= 0 {
                        continue;
                    }
                    let got = ring.recv(false);
                    if got.rc == 1 && number(got.bytes()) >= 1_000_000 {
                        found.send(number(got.bytes())).expect("the test waits");
                    }
                    taken += 1;
                    // A reader that stalls now and then, so that the ring overruns.
                    if taken.is_multiple_of(20_000) {
                        std::thread::sleep(Duration::from_millis(100));
                    }
                }
            })
        })
        .collect();
    let sender = lab.sender();
    let mut dice = Random(4);
    let minutes = std::env::var("PFRING_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|text| text.parse().ok()).unwrap_or(20);
    let end = Instant::now() + Duration::from_secs(form.pick(0, minutes * 60));
    let mut round = 0;
    while round < 3 || Instant::now() < end {
        for number in 0..form.pick(30_000, 200_000) {
            sender.send(&Flow::random(&mut dice).frame(number));
        }
        std::thread::sleep(Duration::from_millis(
            form.pick(300, dice.between(0, 5_000)),
        ));
        let probe = 1_000_000 + round;
        sender.send(&Flow::random(&mut dice).frame(probe));
        let came = probes.recv_timeout(form.limit(Duration::from_secs(1)));
        assert_eq!(came, Ok(probe), "round {round}");
        round += 1;
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.finish(SOON);
    }
    eprintln!("cluster: {round} rounds, no hang");
}
