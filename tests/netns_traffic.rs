//! What comes, how often and in what order: ring set-up (R20, R22), direction and duplicates (R23,
//! R24), stamps and order (R25), and a long stream without loss.

mod common;

use std::time::Duration;

use common::child;
use common::frame::{numbered, realtime_ns};
use common::lab::rx_packets;
use common::ring::{RX_AND_TX, RX_ONLY, TX_ONLY};
use common::sender::Sender;
use common::usage::mapped_rings;
use common::{Form, Lab, Open, Ring, Turn, Worker, backends, forms, udp};

forms! {
    r20_any_caplen_and_mtu, r20_full_any_caplen_and_mtu => r20;
    r25_order_and_stamps, r25_full_order_and_stamps => r25;
    stream_of_100k_a_second, full_stream_of_100k_a_second => paced_stream;
    unpaced_stream_adds_up, full_unpaced_stream_adds_up => unpaced_stream;
}

const SOON: Duration = Duration::from_secs(3);

const CAPLENS: [u32; 20] = [
    14, 60, 64, 68, 96, 100, 128, 1500, 1514, 1518, 1536, 2000, 2048, 4096, 9000, 9014, 9216,
    16384, 65535, 65600,
];
const MTUS: [u32; 7] = [68, 576, 1280, 1300, 1365, 1500, 9000];

fn r20(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = lab.sender();
    for backend in backends() {
        for mtu in MTUS {
            lab.mtu(mtu);
            let len = mtu + 14;
            // Both forms go through all pairs; a small ring has the same geometry per frame.
            for caplen in CAPLENS {
                let mut open = Open::on("vb").caplen(caplen).backend(backend);
                if form == Form::Short {
                    open = open.env("PFRING_RING_MB", "8");
                }
                let ring = open.enabled();
                let sent = numbered(1, len as usize);
                sender.send(&sent);
                let got = ring.packet(SOON);
                let (full, kept) = (got.header.len, got.header.caplen);
                assert_eq!(
                    (full, kept),
                    (len, caplen.min(len)),
                    "caplen {caplen}, MTU {mtu}"
                );
                assert_eq!(
                    got.bytes(),
                    &sent[..kept as usize],
                    "caplen {caplen}, MTU {mtu}"
                );
                assert_eq!(
                    ring.recv(false).rc,
                    0,
                    "one frame, caplen {caplen}, MTU {mtu}"
                );
            }
        }
    }
}

/// R22: a ring larger than the machine gives is smaller with a notice, or refused with ENOMEM.
#[test]
fn r22_huge_rings_are_met_or_told() {
    const NAME: &str = "r22_huge_rings_are_met_or_told";
    if let Some(megabytes) = child::role() {
        return huge_ring(&megabytes);
    }
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for asked_mb in [4u64 << 10, 8 << 10, 1 << 20] {
        let run = child::again(NAME, &asked_mb.to_string())
            .output()
            .expect("the test starts again");
        let stdout = String::from_utf8_lossy(&run.stdout);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.success(),
            "{asked_mb} MB: {:?}\n{stdout}\n{stderr}",
            run.status
        );
        let word = |key: &str| {
            let at = stdout.split_whitespace().find_map(|w| w.strip_prefix(key));
            at.map(|text| text.parse::<u64>().expect("a number"))
        };
        if let Some(errno) = word("errno=") {
            assert_eq!(errno, libc::ENOMEM as u64, "{asked_mb} MB refused");
            continue;
        }
        let got_mb = word("ring=").expect("the child says what it got") >> 20;
        if got_mb < asked_mb {
            let told = |line: &str| {
                let numbers: Vec<&str> = line.split(|c: char| !c.is_ascii_digit()).collect();
                numbers.contains(&asked_mb.to_string().as_str())
                    && numbers.contains(&got_mb.to_string().as_str())
            };
            let lines: Vec<_> = stderr.lines().filter(|line| told(line)).collect();
            assert_eq!(
                lines.len(),
                1,
                "{got_mb} for {asked_mb} MB, stderr:\n{stderr}"
            );
        }
    }
    drop(lab);
}

/// The child of R22: opens, enables, and says what it got.
fn huge_ring(megabytes: &str) {
    let ring = match Open::on("vb").env("PFRING_RING_MB", megabytes).open() {
        Ok(ring) => ring,
        Err(errno) => return println!(" errno={errno} "),
    };
    if let Err(errno) = ring.try_enable() {
        return println!(" errno={errno} ");
    }
    assert!(mapped_rings() > 0, "an enabled ring is mapped");
    println!(" ring={} ", mapped_rings());
}

#[test]
fn r23_loopback_counts_are_clean() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.b.ip("link set lo up\n");
    let receiver = udp::bound(&lab.b, "127.0.0.1:0");
    let address = receiver
        .local_addr()
        .expect("a bound socket has an address");
    for backend in backends() {
        for (direction, expected) in [(RX_ONLY, 100), (TX_ONLY, 100), (RX_AND_TX, 200)] {
            let ring = Open::on("lo").backend(backend).ring();
            assert_eq!(ring.set_direction(direction), 0);
            ring.enable();
            let sender = udp::bound(&lab.b, "127.0.0.1:0");
            for _ in 0..100 {
                sender.send_to(b"loop", address).expect("a datagram on lo");
            }
            let seen = std::cell::RefCell::new(Vec::new());
            ring.drain(
                SOON,
                || seen.borrow().len() >= expected,
                |got| {
                    if got.bytes().get(36..38) == Some(&address.port().to_be_bytes()) {
                        seen.borrow_mut().push(got.header.extended_hdr.rx_direction);
                    }
                },
            );
            let seen = seen.into_inner();
            let received = seen.iter().filter(|d| **d == 1).count();
            assert_eq!(seen.len(), expected, "direction {direction}");
            let expected = if direction == TX_ONLY { 0 } else { 100 };
            assert_eq!(received, expected, "received, direction {direction}");
        }
    }
}

/// Exactly the numbers 0 to 999, each once, in order.
#[track_caller]
fn exactly_1000(ring: &Ring, sender: &Sender, what: &str) {
    sender.numbers(0..1_000);
    let numbers = ring.numbers(1_000, SOON);
    assert_eq!(numbers.len(), 1_000, "{what}");
    assert!(
        numbers.iter().copied().eq(0..1_000),
        "each once, in order: {what}"
    );
}

#[test]
fn r24_each_frame_once() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let open = |dev: &str| Open::on(dev).backend(backend).enabled();
        let sender = lab.sender();
        exactly_1000(&open("vb"), &sender, "vb");
        exactly_1000(&lab.a.run(|| open("va")), &sender, "va, the sending side");

        let (first, second) = (open("vb"), open("vb"));
        exactly_1000(&first, &sender, "vb, with a second ring");
        assert_eq!(
            second.numbers(1_000, SOON).len(),
            1_000,
            "the second ring sees the same"
        );
    }
}

#[test]
fn r24_each_frame_once_on_ifb() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.b.ip("link add ifb0 type ifb\nlink set ifb0 up\n");
    for backend in backends() {
        let ring = Open::on("ifb0").backend(backend).enabled();
        exactly_1000(&ring, &Sender::here("ifb0"), "ifb, the sending side");
    }
}

#[test]
fn r24_each_frame_once_below_other_devices() {
    for (device, lines) in [
        (
            "bridge",
            "link add br0 type bridge\nlink set vb master br0\nlink set br0 up\n",
        ),
        (
            "macvlan",
            "link add link vb name mv0 type macvlan mode bridge\nlink set mv0 up\n",
        ),
    ] {
        let Some(lab) = Lab::quiet(Turn::Shared) else {
            return;
        };
        lab.b.ip(lines);
        for backend in backends() {
            let ring = Open::on("vb").backend(backend).enabled();
            exactly_1000(&ring, &lab.sender(), &format!("vb below a {device}"));
        }
    }
}

fn r25(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let frames = 100_000;
    for backend in backends() {
        for _ in 0..form.pick(1, 5) {
            let ring = Open::on("vb").backend(backend).enabled();
            let sender = lab.sender();
            let sending = Worker::start(move || sender.numbers(0..frames));
            let mut count = 0;
            let mut last_ns = 0;
            while count < frames {
                let got = ring.packet(SOON);
                assert_eq!(got.number(), count, "strictly increasing, none missing");
                let (ts, ns) = (got.header.ts, got.header.extended_hdr.timestamp_ns);
                assert_eq!(ts.tv_sec as u64 * 1_000_000 + ts.tv_usec as u64, ns / 1_000);
                assert!(ns >= last_ns, "stamps do not go back");
                assert!(
                    realtime_ns().abs_diff(ns) < 2_000_000_000,
                    "stamps are wall clock"
                );
                last_ns = ns;
                count += 1;
            }
            sending.finish(SOON);
            assert_eq!(ring.recv(false).rc, 0, "none twice");
            assert_eq!(ring.stats().drop, 0);
        }
    }
}

/// 100,000 frames a second: all counted, none dropped, each once, in order. The reader uses the
/// blocking zero-copy receive, and once each of the other ways to receive.
fn paced_stream(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let frames = 100_000;
    for backend in backends() {
        for _ in 0..form.pick(1, 5) {
            for way in [Way::Zero, Way::Copy, Way::Burst, Way::Loop] {
                let ring = Open::on("vb").backend(backend).enabled();
                let before = rx_packets("vb");
                let sender = lab.sender();
                let sending = Worker::start(move || sender.paced(0..frames, 100_000));
                let numbers = way.receive(ring, frames as usize);
                sending.finish(SOON);
                assert_eq!(
                    rx_packets("vb") - before,
                    u64::from(frames),
                    "all were sent"
                );
                assert!(
                    numbers.iter().copied().eq(0..frames),
                    "each once, in order, by {way:?}"
                );
            }
        }
    }
}

/// The four ways to receive.
#[derive(Clone, Copy, Debug)]
enum Way {
    Zero,
    Copy,
    Burst,
    Loop,
}

impl Way {
    /// Takes `count` numbered frames with blocking calls; the statistics must agree.
    fn receive(self, ring: Ring, count: usize) -> Vec<u32> {
        let reading = Worker::start(move || {
            let mut numbers = Vec::with_capacity(count);
            let mut buffer = [0; 2048];
            match self {
                Way::Zero => {
                    while numbers.len() < count {
                        numbers.push(ring.recv(true).number());
                    }
                }
                Way::Copy => {
                    while numbers.len() < count {
                        numbers.push(ring.recv_into(&mut buffer, true).number());
                    }
                }
                Way::Burst => burst_numbers(&ring, count, &mut numbers),
                Way::Loop => loop_numbers(&ring, count, &mut numbers),
            }
            let stats = ring.stats();
            assert_eq!((stats.recv, stats.drop), (count as u64, 0), "by {self:?}");
            numbers
        });
        reading.finish(Duration::from_secs(30))
    }
}

fn burst_numbers(ring: &Ring, count: usize, numbers: &mut Vec<u32>) {
    while numbers.len() < count {
        let (rc, errno, packets) = ring.burst(32, true);
        assert!(
            (1..=32).contains(&rc),
            "pfring_recv_burst: {rc}, errno {errno}"
        );
        for packet in &packets {
            // SAFETY: descriptors stay valid until the next burst call, with caplen bytes each.
            let bytes =
                unsafe { std::slice::from_raw_parts(packet.data, usize::from(packet.caplen)) };
            numbers.push(common::frame::mark(bytes).expect("a numbered frame").number);
        }
    }
}

fn loop_numbers(ring: &Ring, count: usize, numbers: &mut Vec<u32>) {
    let rc = ring.run_loop(
        |_, bytes| {
            numbers.push(common::frame::mark(bytes).expect("a numbered frame").number);
            if numbers.len() == count {
                ring.breakloop();
            }
        },
        true,
    );
    assert_eq!(rc, 1, "broken in the callback");
}

/// As fast as the link takes them: received plus dropped is what was sent, none twice, in order.
fn unpaced_stream(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let frames = form.pick(300_000, 3_000_000);
    for backend in backends() {
        // The second ring is so small that it must drop.
        for ring_mb in ["64", "2"] {
            let ring = Open::on("vb")
                .backend(backend)
                .env("PFRING_RING_MB", ring_mb)
                .enabled();
            let before = rx_packets("vb");
            let sender = lab.sender();
            let sending = Worker::start(move || sender.numbers(0..frames));
            let mut received = 0u64;
            let mut last = None;
            let mut silent = 0;
            while silent < 200 {
                let got = ring.recv(false);
                assert!(got.rc >= 0, "pfring_recv: {}, errno {}", got.rc, got.errno);
                if got.rc == 0 {
                    silent = if sending.is_finished() { silent + 1 } else { 0 };
                    std::thread::sleep(Duration::from_micros(500));
                    continue;
                }
                let number = Some(got.number());
                assert!(number > last, "{number:?} after {last:?}");
                last = number;
                received += 1;
            }
            sending.finish(SOON);
            let sent = rx_packets("vb") - before;
            let stats = ring.stats();
            assert_eq!(stats.recv, received, "recv is what was handed out");
            assert_eq!(
                stats.recv + stats.drop,
                sent,
                "recv + drop is what was sent"
            );
            assert_eq!(
                sent,
                u64::from(frames),
                "the link lost nothing before the tap"
            );
        }
    }
}
