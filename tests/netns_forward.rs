//! Packets that go on to another interface: the reflector device, sending the last packet, a bridge.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use common::frame::{numbered, tagged};
use common::lab::ifindex;
use common::ring::{LONG_HEADER, RX_ONLY, Ring, errno};
use common::sender::Sender;
use common::worker::Worker;
use common::{Form, Lab, Open, Turn, backends, forms};
use pfring::capi;

forms! {
    a_bridge_loses_nothing, full_a_bridge_loses_nothing => bridge;
}

const SOON: Duration = Duration::from_secs(3);
const BOUNCE: u32 = 1 << 6;

fn reflect(ring: &Ring, device: &std::ffi::CStr) -> i32 {
    // SAFETY: the handle is open, the name is NUL-terminated.
    unsafe { capi::pfring_set_reflector_device(ring.raw(), device.as_ptr().cast_mut()) }
}

fn send_last(ring: &Ring, ifindex: i32) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_send_last_rx_packet(ring.raw(), ifindex) }
}

fn receiving(device: &str) -> Ring {
    let ring = Open::on(device).ring();
    assert_eq!(ring.set_direction(RX_ONLY), 0);
    ring.enable();
    ring
}

/// What is received by vb, by receive, burst and loop, leaves by vd: same bytes, tags included.
#[test]
fn the_reflector_sends_what_is_received() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    for backend in backends() {
        let far = lab.a.run(|| receiving("vc"));
        let ring = Open::on("vb").backend(backend).ring();
        assert_eq!(ring.set_direction(RX_ONLY), 0);
        assert_eq!(reflect(&ring, c"vd"), 0);
        assert_eq!((reflect(&ring, c"vd"), errno()), (-1, libc::EBUSY));
        ring.enable();
        let sender = lab.sender();
        sender.numbers(0..10);
        sender.send(&tagged(&numbered(10, 100), &[(0x8100, 5)]));
        sender.send(&tagged(&numbered(11, 1_514), &[(0x88a8, 9), (0x8100, 7)]));
        for number in 0..12 {
            assert_eq!(ring.packet(SOON).number(), number);
        }
        sender.numbers(12..14);
        let mut seen = 0;
        ring.run_loop(
            |_, _| {
                seen += 1;
                if seen == 2 {
                    ring.breakloop();
                }
            },
            true,
        );
        for number in 0..10 {
            assert_eq!(far.packet(SOON).number(), number);
        }
        let one = far.packet(SOON);
        assert_eq!(one.bytes(), tagged(&numbered(10, 100), &[(0x8100, 5)]));
        let two = far.packet(SOON);
        assert_eq!(
            two.bytes(),
            tagged(&numbered(11, 1_514), &[(0x88a8, 9), (0x8100, 7)])
        );
        assert_eq!(far.numbers(2, SOON), [12, 13]);
        assert_eq!(far.empty(), 0);
    }
}

#[test]
fn a_reflector_that_cannot_be_is_refused() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb");
    assert_eq!((reflect(&ring, c"nosuch"), errno()), (-1, libc::ENODEV));
    lab.sender().number(1);
    assert_eq!(ring.packet(SOON).number(), 1, "it goes on without one");
}

/// The last packet goes out by the interface that is named, while it is held.
#[test]
fn the_last_packet_is_sent_on() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    let ring = Open::on("vb").enabled();
    assert_eq!(send_last(&ring, ifindex("vd")), -5, "not asked for at open");
    let ring = Open::on("vb").flags(BOUNCE).enabled();
    assert_eq!(send_last(&ring, ifindex("vd")), -7, "short headers");
    for backend in backends() {
        let far = lab.a.run(|| receiving("vc"));
        let ring = Open::on("vb")
            .flags(BOUNCE | LONG_HEADER)
            .backend(backend)
            .enabled();
        assert_eq!(send_last(&ring, ifindex("vd")), -3, "none yet");
        for number in 0..20 {
            lab.sender().number(number);
            assert_eq!(ring.packet(SOON).number(), number);
            assert_eq!(send_last(&ring, ifindex("vd")), 0);
            assert_eq!(
                send_last(&ring, ifindex("vb")),
                0,
                "not back where it came from"
            );
            assert_eq!(send_last(&ring, 9_999), 0, "nowhere");
        }
        assert_eq!(far.numbers(20, SOON), (0..20).collect::<Vec<_>>());
        assert_eq!(far.empty(), 0);
        assert_eq!(ring.recv(false).rc, 0);
        assert_eq!(send_last(&ring, ifindex("vd")), -3, "given back");
    }
    let ring = Open::on("vb")
        .caplen(64)
        .flags(BOUNCE | LONG_HEADER)
        .enabled();
    lab.sender().send(&numbered(1, 200));
    assert_eq!(ring.packet(SOON).number(), 1);
    assert_eq!(send_last(&ring, ifindex("vd")), -2, "cut");
    assert_eq!(errno(), libc::EMSGSIZE);
}

/// Frames of mixed sizes, with and without tags, go through a bridge of two rings both ways at once:
/// same bytes, same order, none lost, none looped.
fn bridge(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let frames = form.pick(5_000, 1_000_000);
    let stop = Arc::new(AtomicBool::new(false));
    let sides: Vec<_> = [("vb", "vd"), ("vd", "vb")]
        .map(|(from, to)| {
            let (input, output) = (receiving(from), Open::on(to).ring());
            output.enable();
            let stop = Arc::clone(&stop);
            Worker::start(move || pass_on(&input, &output, &stop))
        })
        .into();
    let ends = [("va", "vc"), ("vc", "va")].map(|(from, to)| {
        let (sender, far) = (Sender::on(&lab.a, from), lab.a.run(|| receiving(to)));
        (
            Worker::start(move || send_paced(&sender, frames)),
            Worker::start(move || expect(&far, frames)),
        )
    });
    for (sending, expecting) in ends {
        sending.finish(form.pick(SOON * 10, Duration::from_secs(300)));
        expecting.finish(form.pick(SOON * 10, Duration::from_secs(300)));
    }
    stop.store(true, Relaxed);
    let passed: u32 = sides.into_iter().map(|side| side.finish(SOON)).sum();
    assert_eq!(passed, 2 * frames, "none is looped");
}

fn frame(number: u32) -> Vec<u8> {
    let plain = numbered(number, [60, 128, 590, 1_500][number as usize % 4]);
    match number % 5 {
        3 => tagged(&plain, &[(0x8100, 42)]),
        4 => tagged(&plain, &[(0x88a8, 3), (0x8100, 8)]),
        _ => plain,
    }
}

/// About 40,000 a second: what two CPUs send, pass on and read both ways.
fn send_paced(sender: &Sender, frames: u32) {
    for number in 0..frames {
        if number % 40 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        sender.send(&frame(number));
    }
}

fn pass_on(input: &Ring, output: &Ring, stop: &AtomicBool) -> u32 {
    let mut passed = 0;
    while !stop.load(Relaxed) {
        if input.poll(20) < 1 {
            continue;
        }
        loop {
            let got = input.recv(false);
            if got.rc < 1 {
                break;
            }
            while output.send(got.bytes()) < 0 {
                assert_eq!(errno(), libc::ENOBUFS);
            }
            passed += 1;
        }
    }
    passed
}

fn expect(far: &Ring, frames: u32) {
    for number in 0..frames {
        let got = far.packet(SOON);
        assert_eq!(got.number(), number);
        assert_eq!(got.bytes(), frame(number), "frame {number}");
    }
}
