//! How long calls wait: never when told not to (R05, R08), until something happens when told to
//! (R06), as long as asked and no longer (R07, R10), and how soon a lone packet comes out (R09).

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::frame::{Random, monotonic_ns};
use common::usage::cpu_of;
use common::{
    Form, Lab, Open, Outcome, Ring, Turn, Worker, backends, best_of_three, forms, thrifty_modes,
    wait_modes, within,
};

forms! {
    r05_no_wait_never_blocks, r05_full_no_wait_never_blocks => r05;
    r06_blocking_receive_has_no_timer, r06_full_blocking_receive_has_no_timer => r06;
    r07_poll_waits_as_long_as_asked, r07_full_poll_waits_as_long_as_asked => r07;
    r08_poll_zero_is_a_look, r08_full_poll_zero_is_a_look => r08;
    r09_lone_packets_come_soon, r09_full_lone_packets_come_soon => r09;
    r10_watermark_delays_but_never_withholds, r10_full_watermark_delays_but_never_withholds => r10;
}

/// Runs a measurement for every mechanism and every mode of a list.
fn each_mode(modes: &[&str], mut measure: impl FnMut(Open, &str) -> Outcome) {
    for backend in backends() {
        for mode in modes {
            best_of_three(|| measure(Open::on("vb").wait(mode).backend(backend), mode));
        }
    }
}

/// Calls `f` a thousand times and compares the slowest call and the mean with their limits.
fn thousand_calls(
    what: &str,
    slowest_limit: Duration,
    mean_limit: Option<Duration>,
    mut f: impl FnMut(),
) -> Outcome {
    const CALLS: u32 = 1_000;
    let mut slowest = Duration::ZERO;
    let start = Instant::now();
    for _ in 0..CALLS {
        let before = Instant::now();
        f();
        slowest = slowest.max(before.elapsed());
    }
    let mean = start.elapsed() / CALLS;
    within(&format!("slowest {what}"), slowest, slowest_limit)?;
    mean_limit.map_or(Ok(()), |limit| within(&format!("mean {what}"), mean, limit))
}

fn r05(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    each_mode(&wait_modes(), |open, mode| {
        let ring = open.enabled();
        let what = format!("recv(wait = 0) in {mode} mode");
        thousand_calls(
            &what,
            form.ms(5),
            Some(form.limit(Duration::from_micros(50))),
            || {
                assert_eq!(ring.recv(false).rc, 0, "the link is silent");
            },
        )
    });
}

fn r06(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    each_mode(&wait_modes(), |open, mode| {
        let ring = Arc::new(open.enabled());
        assert_eq!(ring.set_poll_duration(50), 0);
        let r = Arc::clone(&ring);
        let call = Worker::start(move || r.recv(true).rc);
        std::thread::sleep(Duration::from_millis(form.pick(700, 3_000)));
        assert!(
            !call.is_finished(),
            "recv(wait = 1) came back from a silent link in {mode} mode"
        );
        let sent = Instant::now();
        sender.number(1);
        let (rc, done) = call.finish_timed(Duration::from_secs(5));
        assert_eq!(rc, 1, "the packet ends the wait");
        within(
            &format!("packet after the wait in {mode} mode"),
            done - sent,
            form.ms(50),
        )
    });
}

fn r07(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let lengths: &[(u32, u32)] = form.pick(
        &[(10, 10), (100, 3), (600, 1)],
        &[(10, 20), (100, 20), (1_000, 20)],
    );
    each_mode(&wait_modes(), |open, mode| {
        let ring = open.enabled();
        for &(ms, calls) in lengths {
            for _ in 0..calls {
                let start = Instant::now();
                let rc = ring.poll(ms);
                let took = start.elapsed();
                assert_eq!(rc, 0, "pfring_poll({ms}) on a silent link in {mode} mode");
                let least = Duration::from_millis(u64::from(ms) - 1);
                assert!(
                    took >= least,
                    "pfring_poll({ms}) in {mode} mode came back after {took:?}"
                );
                let limit = Duration::from_millis(u64::from(ms)) + form.ms(30);
                within(&format!("pfring_poll({ms}) in {mode} mode"), took, limit)?;
            }
        }
        Ok(())
    });
}

fn r08(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    each_mode(&wait_modes(), |open, mode| {
        let ring = open.enabled();
        thousand_calls(&format!("poll(0) in {mode} mode"), form.ms(5), None, || {
            assert_eq!(ring.poll(0), 0, "the link is silent");
        })?;
        sender.number(1);
        let deadline = Instant::now() + Duration::from_secs(2);
        while ring.poll(0) == 0 {
            assert!(
                Instant::now() < deadline,
                "poll(0) never sees the packet in {mode} mode"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..3 {
            assert_eq!(ring.poll(0), 1, "a look takes nothing");
            assert_eq!(ring.available(), 1, "the same by pfring_is_pkt_available");
        }
        assert_eq!(ring.recv(false).number(), 1);
        assert_eq!(ring.poll(0), 0, "nothing is left");
        assert_eq!(ring.available(), 0, "nothing is left");
        Ok(())
    });
}

fn r09(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let frames = form.pick(60, 500);
    for backend in backends() {
        best_of_three(|| {
            let ring = Open::on("vb").backend(backend).wait("passive").ring();
            // Before enable: a ring of a given mechanism cannot be made anew for a later wish.
            assert_eq!(ring.set_poll_watermark(1), 0);
            ring.enable();
            watermark_one(form, &lab, &ring, frames)
        });
        best_of_three(|| {
            let ring = Open::on("vb").backend(backend).enabled();
            let (latencies, _) = lone_frames(&lab, &ring, frames);
            let slowest = latencies[latencies.len() - 1];
            within("slowest with no settings", slowest, form.ms(20))
        });
    }
    best_of_three(|| {
        let ring = Open::on("vb").wait("passive").enabled();
        assert_eq!(ring.set_poll_watermark(1), 0, "late, but not too late");
        watermark_one(form, &lab, &ring, frames)
    });
}

/// The limits on lone packets that a watermark of 1 promises.
fn watermark_one(form: Form, lab: &Lab, ring: &Ring, frames: u32) -> Outcome {
    let (latencies, busy) = lone_frames(lab, ring, frames);
    let (median, p99) = (latencies.len() / 2, latencies.len() * 99 / 100);
    within("median with watermark 1", latencies[median], form.ms(2))?;
    within("p99 with watermark 1", latencies[p99], form.ms(10))?;
    within(
        "share of a core with watermark 1",
        busy,
        form.pick(0.5, 0.1),
    )
}

/// Sends frames with gaps of 5 to 50 ms; gives the sorted latencies from the sender's clock to the
/// return of recv(wait = 1), and the share of a core that was used meanwhile.
fn lone_frames(lab: &Lab, ring: &Ring, frames: u32) -> (Vec<Duration>, f64) {
    let sender = lab.sender();
    let sending = Worker::start(move || {
        let mut random = Random(0x5eed);
        for number in 0..frames {
            std::thread::sleep(Duration::from_millis(random.between(5, 50)));
            sender.number(number);
        }
    });
    // The longest gap, and a second for the rest.
    let _patience = ring.patience(Duration::from_millis(50) * frames + secs(1));
    let start = Instant::now();
    let (mut latencies, cpu) = cpu_of(|| {
        (0..frames)
            .map(|expected| {
                let got = ring.recv(true);
                let now = monotonic_ns();
                assert_eq!(got.number(), expected, "each lone frame, in order");
                let sent = got.mark().expect("a numbered frame").sent_ns;
                Duration::from_nanos(now - sent)
            })
            .collect::<Vec<_>>()
    });
    let busy = cpu.as_secs_f64() / start.elapsed().as_secs_f64();
    sending.finish(Duration::from_secs(5));
    latencies.sort_unstable();
    (latencies, busy)
}

fn r10(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    each_mode(&thrifty_modes(), |open, mode| {
        let ring = open.enabled();
        assert_eq!(ring.set_poll_watermark(128), 0);
        sender.numbers(0..5);
        let start = Instant::now();
        assert_eq!(
            ring.poll(1_000),
            1,
            "queued packets are reported at the deadline, {mode} mode"
        );
        let took = start.elapsed();
        for expected in 0..5 {
            assert_eq!(ring.recv(false).number(), expected);
        }
        assert_eq!(ring.recv(false).rc, 0, "nothing more");
        within(
            "pfring_poll(1000) below the watermark",
            took,
            secs(1) + form.ms(30),
        )?;

        let _patience = ring.patience(secs(10));
        sender.numbers(5..10);
        for expected in 5..10 {
            let start = Instant::now();
            let got = ring.recv(true);
            let took = start.elapsed();
            assert_eq!(got.number(), expected);
            within(
                "recv(wait = 1) below the watermark",
                took,
                ms(500) + form.ms(20),
            )?;
        }
        Ok(())
    });
}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Once the watermark is reached, poll comes back at once.
#[test]
fn poll_returns_at_the_watermark() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    each_mode(&wait_modes(), |open, mode| {
        let ring = open.enabled();
        assert_eq!(ring.set_poll_watermark(16), 0);
        sender.numbers(0..64);
        let start = Instant::now();
        assert_eq!(ring.poll(2_000), 1);
        let took = start.elapsed();
        assert_eq!(ring.numbers(64, secs(2)), (0..64).collect::<Vec<_>>());
        within(
            &format!("poll above the watermark in {mode} mode"),
            took,
            ms(250),
        )
    });
}

/// A program that never set a watermark gets its poll back as soon as a packet can be read.
#[test]
fn poll_without_a_watermark_returns_at_the_first_packet() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    each_mode(&wait_modes(), |open, mode| {
        let ring = open.enabled();
        sender.number(3);
        let start = Instant::now();
        assert_eq!(ring.poll(2_000), 1);
        let took = start.elapsed();
        assert_eq!(ring.recv(false).number(), 3);
        within(
            &format!("poll with one packet in {mode} mode"),
            took,
            ms(250),
        )
    });
}

/// A poll duration and a watermark of zero are one millisecond and one packet, not a spin.
#[test]
fn zero_poll_duration_and_watermark_do_not_spin() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    let wall = secs(1);
    each_mode(&["passive"], |open, _| {
        let ring = Arc::new(open.enabled());
        assert_eq!(ring.set_poll_duration(0), 0);
        assert_eq!(ring.set_poll_watermark(0), 0);
        let r = Arc::clone(&ring);
        let call = Worker::start(move || r.recv(true).rc);
        let ((), used) = cpu_of(|| std::thread::sleep(wall));
        assert!(!call.is_finished(), "a silent link gives nothing");
        sender.number(1);
        assert_eq!(call.finish(secs(5)), 1);
        within("CPU with zero settings over 1 s", used, wall / 4)
    });
}

/// A watermark of 1 that comes late turns the ring from blocks to slots: a packet that arrives
/// meanwhile is delivered all the same, whenever it comes.
#[test]
fn a_late_watermark_strands_no_packet() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for round in 0..24 {
        let ring = Open::on("vb").enabled();
        let _patience = ring.patience(secs(5));
        assert_eq!(ring.set_poll_watermark(1), 0);
        let sender = lab.sender();
        // The turn begins with the wait of the reader.
        let sending = Worker::start(move || {
            std::thread::sleep(Duration::from_micros(2_500) * round);
            sender.number(round);
        });
        assert_eq!(ring.recv(true).number(), round);
        sending.finish(secs(5));
    }
}
