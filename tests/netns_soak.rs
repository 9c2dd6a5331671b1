//! Overruns, stalls and silences in turn: the next packet always comes (R04).
//!
//! The full form goes on for twenty minutes on each ring layout, and takes the wait modes in turn;
//! PFRING_SOAK_MINUTES makes it shorter or longer.

mod common;

use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::frame::Random;
use common::lab::rx_packets;
use common::{Form, Lab, Open, Ring, Turn, Worker, forms, wait_modes};
use pfring::capi;

forms! {
    r04_no_hang_on_slots, r04_full_no_hang_on_slots => slots;
    r04_no_hang_on_blocks, r04_full_no_hang_on_blocks => blocks;
}

const FLOOD: u32 = 200_000;
/// The number of a probe: beyond those of a flood.
const PROBE: u32 = 1_000_000;

fn slots(form: Form) {
    soak(form, "tpacket2");
}

fn blocks(form: Form) {
    soak(form, "tpacket3");
}

fn soak(form: Form, backend: &str) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let open = Open::on("vb")
        .backend(Some(backend))
        .env("PFRING_RING_MB", "2");
    let ring = Arc::new(open.enabled());
    let minutes = std::env::var("PFRING_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|text| text.parse().ok()).unwrap_or(20);
    let end = Instant::now() + Duration::from_secs(form.pick(0, minutes * 60));
    let mut dice = Random(4);
    let mut round = 0;
    while round < wait_modes().len() || Instant::now() < end {
        let mode = wait_modes()[round % wait_modes().len()];
        set_mode(&ring, mode);
        let what = format!("{backend}, {mode}, round {round}");
        let stall = form.pick(300, dice.between(1_000, 3_000));
        flood_and_drain(&lab, &ring, Duration::from_millis(stall), &what);
        std::thread::sleep(Duration::from_millis(
            form.pick(200, dice.between(0, 5_000)),
        ));
        probe(&lab, &ring, &what);
        round += 1;
    }
    eprintln!("{backend}: {round} rounds, no hang");
}

fn set_mode(ring: &Ring, mode: &str) {
    let spec = CString::new(mode).expect("no NUL");
    // SAFETY: the handle is open, the text is terminated.
    let rc = unsafe { capi::pfring_wait_set_mode(ring.raw(), spec.as_ptr()) };
    assert_eq!(rc, 0, "{mode}");
}

/// Floods the ring while its reader sleeps, then reads what it kept; all is accounted for.
fn flood_and_drain(lab: &Lab, ring: &Ring, stall: Duration, what: &str) {
    let before = (rx_packets("vb"), ring.stats());
    let sender = lab.sender();
    let flood = Worker::start(move || sender.numbers(0..FLOOD));
    std::thread::sleep(stall);
    // The reader may be quicker than the flood: it reads until the flood is over and nothing is left.
    let mut last = None;
    let limit = Instant::now() + Duration::from_secs(30);
    loop {
        let over = flood.is_finished();
        let received = ring.recv(false);
        if received.rc == 1 {
            let number = received.number();
            assert!(last < Some(number), "{what}: {number} after {last:?}");
            last = Some(number);
        } else if over && ring.poll(100) == 0 {
            break;
        }
        assert!(Instant::now() < limit, "{what}: the flood never ends");
    }
    flood.finish(Duration::from_secs(10));
    let after = ring.stats();
    let accounted = after.recv - before.1.recv + after.drop - before.1.drop;
    assert_eq!(
        rx_packets("vb") - before.0,
        accounted,
        "{what}: recv + drop"
    );
}

/// One lone frame has to end a blocked receive within a second.
fn probe(lab: &Lab, ring: &Arc<Ring>, what: &str) {
    let reader = Arc::clone(ring);
    let waiting = Worker::start(move || {
        let received = reader.recv(true);
        (received.rc, (received.rc == 1).then(|| received.number()))
    });
    std::thread::sleep(Duration::from_millis(20));
    lab.sender().number(PROBE);
    let begin = Instant::now();
    while !waiting.is_finished() {
        assert!(begin.elapsed() < Duration::from_secs(1), "{what}: a hang");
        std::thread::sleep(Duration::from_millis(1));
    }
    let answer = waiting.finish(Duration::from_secs(1));
    assert_eq!(answer, (1, Some(PROBE)), "{what}");
}
