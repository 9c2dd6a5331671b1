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
        assert_eq!(next_time(&ring).0, -7, "which one is next is not known");
        for off in [1, 0] {
            assert_eq!(sample(&ring, off), 0);
            lab.sender().numbers(0..50);
            assert_eq!(ring.numbers(50, SOON).len(), 50);
        }
    }
}
