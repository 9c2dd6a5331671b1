//! What the arguments of a receive mean (R52), threads (R54), the version number (R56), and the
//! small contracts between calls.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use common::frame::numbered;
use common::ring::{LONG_HEADER, REENTRANT, RX_AND_TX, RX_ONLY, TX_ONLY, errno, zeroed_header};
use common::{Form, Lab, Open, Ring, Turn, Worker, backends, forms};
use pfring::{abi, capi};

forms! {
    r54_a_handle_per_thread, r54_full_a_handle_per_thread => r54_own;
    r54_a_shared_reentrant_handle, r54_full_a_shared_reentrant_handle => r54_shared;
}

const SOON: Duration = Duration::from_secs(3);

#[test]
fn r52_without_a_length_the_pointer_is_set() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).enabled();
        lab.sender().send(&numbered(1, 1_000));
        let got = ring.packet(SOON);
        assert!(!got.data.is_null());
        assert_eq!(got.bytes(), numbered(1, 1_000));
    }
}

#[test]
fn r52_with_a_length_the_bytes_are_copied() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    const GUARD: u8 = 0xc3;
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).enabled();
        lab.sender().send(&numbered(1, 1_000));
        assert_eq!(ring.poll(3_000), 1);
        let mut buffer = [GUARD; 32 + 100 + 32];
        let got = ring.recv_into(&mut buffer[32..132], true);
        assert_eq!((got.rc, got.header.caplen, got.header.len), (1, 100, 1_000));
        assert_eq!(buffer[32..132], numbered(1, 1_000)[..100]);
        assert!(
            buffer[..32]
                .iter()
                .chain(&buffer[132..])
                .all(|b| *b == GUARD),
            "outside"
        );
    }
}

#[test]
fn r52_null_pointers_are_refused() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let _patience = ring.patience(Duration::from_secs(20));
    lab.sender().number(1);
    assert_eq!(ring.poll(3_000), 1);
    let mut header = zeroed_header();
    let mut data: *mut u8 = std::ptr::null_mut();
    for wait in [0, 1] {
        // SAFETY: the handle is open; NULL pointers are the case under test.
        unsafe {
            let null = std::ptr::null_mut();
            let rc = capi::pfring_recv(ring.raw(), &raw mut data, 100, &raw mut header, wait);
            assert_eq!(rc, -2, "a length without a buffer");
            assert_eq!(
                capi::pfring_recv(ring.raw(), &raw mut data, 0, null, wait),
                -2,
                "no header"
            );
            let rc = capi::pfring_recv(ring.raw(), std::ptr::null_mut(), 0, &raw mut header, wait);
            assert_eq!(rc, -2, "nowhere to put the pointer");
        }
    }
    assert_eq!(
        ring.recv(true).number(),
        1,
        "a refused call takes no packet"
    );
}

/// A receive that finds nothing leaves header and pointer as they were, and the bytes of the last
/// packet too.
#[test]
fn no_packet_touches_nothing() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    lab.sender().send(&numbered(1, 200));
    let last = ring.packet(SOON);
    let mut header = last.header;
    let mut data = last.data.cast_mut();
    for _ in 0..3 {
        // SAFETY: the handle is open; header and pointer outlive the call.
        let rc = unsafe { capi::pfring_recv(ring.raw(), &raw mut data, 0, &raw mut header, 0) };
        assert_eq!(rc, 0);
    }
    assert_eq!(data.cast_const(), last.data, "the pointer");
    assert_eq!({ header.caplen }, 200, "the header");
    assert_eq!(last.bytes(), numbered(1, 200), "the bytes");
}

/// A burst of no packets is none, also where it may wait and something is queued.
#[test]
fn an_empty_burst_takes_nothing() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Arc::new(Open::on("vb").enabled());
    let _patience = ring.patience(Duration::from_secs(20));
    lab.sender().number(1);
    assert_eq!(ring.poll(3_000), 1);
    for wait in [false, true] {
        let r = Arc::clone(&ring);
        let call = Worker::start(move || r.burst(0, wait).0);
        assert!(call.finish(SOON) <= 0, "wait = {wait}");
    }
    assert_eq!(ring.recv(true).number(), 1);
}

/// Without PF_RING_LONG_HEADER only the first 48 bytes of the caller's header are written.
#[test]
fn the_short_header_stops_at_48_bytes() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    const FILL: u8 = 0xee;
    for (flags, written) in [(0, 48), (LONG_HEADER, 209)] {
        let ring = Open::on("vb").flags(flags).enabled();
        lab.sender().send(&numbered(1, 60));
        assert_eq!(ring.poll(3_000), 1);
        let mut bytes = [FILL; 209 + 16];
        let mut data: *mut u8 = std::ptr::null_mut();
        // SAFETY: the handle is open; `bytes` has room for a header, which needs no alignment.
        let rc = unsafe {
            capi::pfring_recv(ring.raw(), &raw mut data, 0, bytes.as_mut_ptr().cast(), 1)
        };
        assert_eq!(rc, 1);
        assert!(bytes[written..].iter().all(|b| *b == FILL), "flags {flags}");
        assert!(bytes[..24].iter().any(|b| *b != FILL), "flags {flags}");
        // SAFETY: the handle is open.
        let said = unsafe { capi::pfring_get_slot_header_len(ring.raw()) };
        assert_eq!(usize::from(said), written);
    }
}

/// The order of the checks of a receive.
#[test]
fn receives_that_cannot_be() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").flags(REENTRANT).ring();
    assert_eq!(ring.recv(true).rc, -12, "not enabled");
    assert_eq!(ring.send(&numbered(1, 60)), -12, "not enabled");
    let stats = ring.stats();
    assert_eq!((stats.recv, stats.drop), (0, 0), "zero before enable");
    ring.enable();
    ring.enable();
    assert_eq!(ring.recv(true).rc, -2, "zero copy on a shared ring");
    assert_eq!(ring.recv_into(&mut [0; 64], false).rc, 0);
    assert_eq!(ring.disable(), 0);
    assert_eq!(ring.disable(), 0, "twice is harmless");
    assert_eq!(ring.recv_into(&mut [0; 64], true).rc, -12, "disabled");
    ring.enable();
    ring.shutdown();
    assert_eq!(ring.recv_into(&mut [0; 64], true).rc, -1, "shut down");
    assert_eq!(ring.run_loop(|_, _| {}, true), -1, "shut down");
    assert_eq!(ring.send(&numbered(1, 60)), -7, "shut down");
}

#[test]
fn socket_modes_refuse_the_other_way() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let set_mode = |ring: &Ring, mode| {
        // SAFETY: the handle is open.
        unsafe { capi::pfring_set_socket_mode(ring.raw(), abi::socket_mode(mode)) }
    };
    let ring = Open::on("vb").ring();
    assert_eq!(set_mode(&ring, 1), 0, "send only");
    ring.enable();
    assert_eq!(ring.recv(true).rc, -7);
    assert_eq!(ring.run_loop(|_, _| {}, true), -1);
    assert_eq!(ring.send(&numbered(1, 60)), 60);
    assert_eq!(set_mode(&ring, 0), -1, "too late");
    let ring = Open::on("vb").ring();
    assert_eq!(set_mode(&ring, 2), 0, "receive only");
    ring.enable();
    assert_eq!(ring.send(&numbered(1, 60)), -7);
    assert_eq!(ring.recv(false).rc, 0);
}

/// Directions, told apart in the header; own sends are seen by the ring that sent them.
#[test]
fn directions_select_and_tell() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        for (direction, received, sent) in [(RX_AND_TX, 5, 5), (RX_ONLY, 5, 0), (TX_ONLY, 0, 5)] {
            let ring = Open::on("vb").backend(backend).ring();
            assert_eq!(ring.set_direction(direction), 0);
            ring.enable();
            lab.sender().numbers(0..5);
            for number in 10..15 {
                assert_eq!(ring.send(&numbered(number, 60)), 60);
            }
            let seen = std::cell::RefCell::new(Vec::new());
            ring.drain(
                SOON,
                || seen.borrow().len() >= received + sent,
                |got| {
                    let way = got.header.extended_hdr.rx_direction;
                    seen.borrow_mut().push((got.number() < 10, way == 1));
                },
            );
            let seen = seen.into_inner();
            assert!(
                seen.iter().all(|(theirs, rx)| theirs == rx),
                "direction {direction}: {seen:?}"
            );
            let came = seen.iter().filter(|(theirs, _)| *theirs).count();
            assert_eq!(
                (came, seen.len() - came),
                (received, sent),
                "direction {direction}"
            );
        }
    }
}

#[test]
fn frames_that_are_too_long_are_not_sent() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let far = lab.a.run(|| Open::on("va").enabled());
    assert_eq!(ring.send(&vec![2; 9_000]), -2);
    assert_eq!(errno(), libc::EMSGSIZE);
    for (number, len) in [(1, 60), (2, 1_514)] {
        assert_eq!(ring.send(&numbered(number, len)), len as i32);
        let got = far.packet(SOON);
        assert_eq!((got.number(), got.header.len), (number, len as u32));
    }
}

fn r54_own(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    const FRAMES: u32 = 10_000;
    for backend in backends() {
        for _ in 0..form.pick(1, 5) {
            let readers: Vec<_> = (0..8)
                .map(|_| {
                    let ring = Open::on("vb").backend(backend).enabled();
                    Worker::start(move || {
                        (0..FRAMES).all(|expected| ring.recv(true).number() == expected)
                    })
                })
                .collect();
            lab.sender().numbers(0..FRAMES);
            for reader in readers {
                assert!(
                    reader.finish(Duration::from_secs(20)),
                    "each handle reads all, in order"
                );
            }
        }
    }
}

fn r54_shared(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        for _ in 0..form.pick(2, 10) {
            shared_by_four(&lab, backend);
        }
    }
}

fn shared_by_four(lab: &Lab, backend: Option<&str>) {
    const FRAMES: u32 = 10_000;
    let ring = Arc::new(Open::on("vb").flags(REENTRANT).backend(backend).enabled());
    let total = Arc::new(AtomicU32::new(0));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (ring, total) = (Arc::clone(&ring), Arc::clone(&total));
            Worker::start(move || {
                let mut numbers = Vec::new();
                let mut buffer = [0; 2048];
                loop {
                    let got = ring.recv_into(&mut buffer, true);
                    if got.rc != 1 {
                        assert_eq!((got.rc, got.errno), (0, libc::EINTR));
                        return numbers;
                    }
                    assert_eq!(
                        got.bytes()[30..60],
                        numbered(0, 60)[30..60],
                        "a whole frame"
                    );
                    numbers.push(got.number());
                    total.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let sender = lab.sender();
    let sending = Worker::start(move || sender.numbers(0..FRAMES));
    sending.finish(SOON);
    let mut left = 5_000;
    while total.load(Ordering::Relaxed) < FRAMES && left > 0 {
        std::thread::sleep(Duration::from_millis(1));
        left -= 1;
    }
    // One too many would come now.
    std::thread::sleep(Duration::from_millis(60));
    ring.breakloop();
    let mut numbers: Vec<u32> = Vec::new();
    for reader in readers {
        numbers.extend(reader.finish(SOON));
    }
    numbers.sort_unstable();
    assert!(
        numbers.iter().copied().eq(0..FRAMES),
        "{} numbers, each once",
        numbers.len()
    );
    assert_eq!(ring.stats().recv, u64::from(FRAMES));
}

/// One thread sends while another receives on the same handle.
#[test]
fn sending_beside_receiving_needs_no_flag() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Arc::new(Open::on("vb").ring());
    assert_eq!(ring.set_direction(RX_ONLY), 0);
    ring.enable();
    let far = lab.a.run(|| Open::on("va").ring());
    assert_eq!(far.set_direction(RX_ONLY), 0);
    far.enable();
    let r = Arc::clone(&ring);
    let receiving = Worker::start(move || (0..5_000).all(|n| r.recv(true).number() == n));
    let sender = lab.sender();
    let incoming = Worker::start(move || sender.numbers(0..5_000));
    for number in 0..5_000 {
        assert_eq!(ring.send(&numbered(number, 60)), 60);
    }
    incoming.finish(SOON);
    assert!(receiving.finish(SOON), "all come, in order");
    assert!(
        far.numbers(5_000, SOON).iter().copied().eq(0..5_000),
        "all leave, in order"
    );
}

#[test]
fn r56_one_version_number() {
    let mut alone = 0;
    // SAFETY: the pointer is valid for the length of the call.
    unsafe { capi::pfring_version_noring(&raw mut alone) };
    assert_eq!(
        alone, 0x0008_0900,
        "RING_VERSION_NUM of the header we follow"
    );
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").ring();
    let mut version = 0;
    // SAFETY: the handle is open and the pointer valid for the length of the call.
    let rc = unsafe { capi::pfring_version(ring.raw(), &raw mut version) };
    assert_eq!((rc, version), (0, alone));
}
