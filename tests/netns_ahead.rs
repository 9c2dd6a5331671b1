//! Sampling, and a look at the time of the next packet: two rings read in the order of time.

mod common;

use std::time::Duration;

use common::frame::realtime_ns;
use common::ring::{RX_ONLY, Ring};
use common::{Lab, Open, Turn, backends};
use pfring::capi;

const SOON: Duration = Duration::from_secs(3);

fn next_time(ring: &Ring) -> (i32, libc::timespec) {
    // SAFETY: timespec is plain integers.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is open, `time` is writable.
    let rc = unsafe { capi::pfring_next_pkt_time(ring.raw(), &raw mut time) };
    (rc, time)
}

fn next_ns(ring: &Ring) -> (i32, u64) {
    let mut ns = 0;
    // SAFETY: the handle is open, `ns` is writable.
    let rc = unsafe { capi::pfring_next_pkt_raw_timestamp(ring.raw(), &raw mut ns) };
    (rc, ns)
}

fn sample(ring: &Ring, rate: u32) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_set_sampling_rate(ring.raw(), rate) }
}

/// The time told is that of the packet that comes next, and the last packet stays readable.
#[test]
fn the_next_packet_tells_its_time() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).ring();
        assert_eq!(next_time(&ring).0, -12, "not enabled");
        ring.enable();
        assert_eq!(next_time(&ring).0, -3);
        assert_eq!(next_ns(&ring).0, -3);
        let before = realtime_ns();
        lab.sender().numbers(0..20);
        let mut last = ring.packet(SOON);
        for number in 1..20 {
            let (rc, time) = next_time(&ring);
            let (rc_ns, ns) = next_ns(&ring);
            assert_eq!((rc, rc_ns), (0, 0), "packet {number}");
            assert_eq!(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64, ns);
            assert!((before..=realtime_ns()).contains(&ns));
            assert_eq!(
                last.number(),
                number - 1,
                "the last packet is not given back"
            );
            last = ring.packet(SOON);
            assert_eq!({ last.header.extended_hdr.timestamp_ns }, ns);
        }
        assert_eq!(next_time(&ring).0, -3);
    }
}

/// Two interfaces, each a ring, read in the order of time by a look at what comes next.
#[test]
fn two_rings_are_merged_by_time() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    for backend in backends() {
        let rings = ["vb", "vd"].map(|device| {
            let ring = Open::on(device).backend(backend).ring();
            assert_eq!(ring.set_direction(RX_ONLY), 0);
            ring.enable();
            ring
        });
        let (one, two) = (lab.sender(), common::sender::Sender::on(&lab.a, "vc"));
        for number in 0..500 {
            [&one, &two][(number / 7 % 2) as usize].number(number);
        }
        // Every block timer has passed: all is there.
        std::thread::sleep(Duration::from_millis(50));
        for expected in 0..500 {
            let [a, b] = [next_ns(&rings[0]), next_ns(&rings[1])];
            let first = match (a.0, b.0) {
                (0, 0) => usize::from(b.1 < a.1),
                (0, _) => 0,
                (_, 0) => 1,
                _ => panic!("nothing is there before packet {expected}"),
            };
            assert_eq!(rings[first].packet(SOON).number(), expected);
        }
    }
}

/// One packet of each group of ten, the first one, and what is left out counts nowhere.
#[test]
fn sampling_delivers_one_packet_of_each_group() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).ring();
        assert_eq!(sample(&ring, 10), 0);
        ring.enable();
        lab.sender().numbers(0..1_000);
        let got = ring.numbers(100, SOON);
        assert_eq!(got[0], 0);
        for (group, number) in (0u32..).zip(&got) {
            assert_eq!(number / 10, group, "one of each ten: {got:?}");
        }
        assert_eq!(ring.empty(), 0);
        let stats = ring.stats();
        assert_eq!((stats.recv, stats.drop), (100, 0));
        for off in [1, 0] {
            assert_eq!(sample(&ring, off), 0);
            lab.sender().numbers(0..50);
            assert_eq!(ring.numbers(50, SOON).len(), 50);
        }
    }
}

/// Receives all by turns of a look and a receive, as many looks as it takes: each look tells the stamp of
/// what is received next, and the packet before is still there.
#[track_caller]
fn by_looks(ring: &Ring, expected: usize) -> Vec<u32> {
    let mut got: Vec<u32> = Vec::new();
    let mut last: Option<common::ring::Received> = None;
    let end = std::time::Instant::now() + SOON;
    while got.len() < expected && std::time::Instant::now() < end {
        let (rc, ns) = next_ns(ring);
        if let (Some(last), Some(number)) = (&last, got.last()) {
            assert_eq!(last.number(), *number, "not given back by a look");
        }
        if rc == -3 {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        assert_eq!(rc, 0);
        assert_eq!(next_ns(ring), (0, ns), "a second look tells the same");
        assert_eq!((ring.available(), ring.poll(0)), (1, 1));
        assert!(queued(ring) >= 1);
        assert_eq!(ring.readiness(0) & libc::POLLIN, libc::POLLIN);
        let received = ring.recv(false);
        assert_eq!({ received.header.extended_hdr.timestamp_ns }, ns);
        got.push(received.number());
        last = Some(received);
    }
    got
}

fn queued(ring: &Ring) -> u32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_get_num_queued_pkts(ring.raw()) }
}

/// Where the library looks at packets, it finds the next one that is wanted.
#[test]
fn the_next_packet_of_those_that_are_wanted() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let userspace = Open::on("vb").flags(pfring::abi::PF_RING_USERSPACE_BPF);
        let ring = userspace.backend(backend).ring();
        // Numbers with a last digit of 0 to 7 in hexadecimal.
        assert_eq!(ring.set_bpf_filter("ether[21] & 8 = 0"), 0);
        ring.enable();
        lab.sender().numbers(0..1_000);
        let wanted = (0..1_000).filter(|number| number & 8 == 0);
        assert_eq!(by_looks(&ring, 504), wanted.collect::<Vec<u32>>());
        assert_eq!(next_ns(&ring).0, -3);
        assert_eq!((ring.available(), ring.readiness(0)), (0, 0));
        let stats = ring.stats();
        assert_eq!((stats.recv, stats.drop), (504, 0));
    }
}

/// Looks alone, with nothing that is wanted, do not fill the ring.
#[test]
fn looks_give_back_what_is_rejected() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb")
            .flags(pfring::abi::PF_RING_USERSPACE_BPF)
            .env("PFRING_RING_MB", "2")
            .backend(backend)
            .ring();
        assert_eq!(ring.set_bpf_filter("ether[18:4] = 77777"), 0);
        ring.enable();
        let sender = lab.sender();
        for round in 0..400 {
            sender.numbers(round * 100..round * 100 + 100);
            assert_eq!(next_ns(&ring).0, -3);
            std::thread::sleep(Duration::from_micros(300));
        }
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(next_ns(&ring).0, -3);
        sender.number(77_777);
        assert_eq!(by_looks(&ring, 1), [77_777]);
    }
}

/// A packet that was seen comes first on each way to receive.
#[test]
fn a_packet_that_was_seen_comes_first() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).ring();
        assert_eq!(sample(&ring, 2), 0);
        ring.enable();
        lab.sender().numbers(0..100);
        assert_eq!(ring.poll(2_000), 1);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(next_ns(&ring).0, 0);
        let (count, _, packets) = ring.burst(10, false);
        assert_eq!(count, 10);
        assert!(packets[0].ts.tv_sec > 0);
        let (rc, ns) = next_ns(&ring);
        assert_eq!(rc, 0);
        let mut first = None;
        ring.run_loop(
            |header, _| {
                first.get_or_insert(header.extended_hdr.timestamp_ns);
                ring.breakloop();
            },
            true,
        );
        assert_eq!(first, Some(ns));
        assert_eq!(next_ns(&ring).0, 0);
        let mut buffer = [0; 100];
        let copied = ring.recv_into(&mut buffer, true);
        assert_eq!((copied.rc, copied.header.len), (1, 60));
        assert_eq!(next_ns(&ring).0, 0);
        let left = ring.numbers(38, SOON);
        assert!(left.is_sorted() && left.len() == 38, "{left:?}");
        assert_eq!(ring.stats().recv, 50);
    }
}

#[test]
fn the_next_packet_of_a_file() {
    use common::pcapfile::{Order, Record, TempFile, pcap};
    let records: Vec<_> = (0..50)
        .map(|i| Record::new(i, i * 1_000, common::frame::numbered(i, 60)))
        .collect();
    let file = TempFile::new(&pcap(Order::Little, 0xa1b2_c3d4, 1, &records));
    let ring = Open::on(&file.device()).enabled();
    let mut last: Option<common::ring::Received> = None;
    for i in 0..50 {
        assert_eq!(next_ns(&ring), (0, u64::from(i) * 1_000_001_000));
        if let Some(last) = &last {
            assert_eq!(last.number(), i - 1);
        }
        last = Some(ring.recv(false));
        assert_eq!(last.as_ref().unwrap().number(), i);
    }
    assert_eq!(next_ns(&ring).0, -3, "the end");
    assert_eq!(ring.recv(false).rc, -2);
}
