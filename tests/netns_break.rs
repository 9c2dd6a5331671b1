//! The break: it wakes whoever waits (R11), is harmless otherwise, and costs no packet (R12).

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::ring::REENTRANT;
use common::{
    Form, Lab, Open, Ring, Turn, Worker, backends, best_of_three, forms, wait_modes, within,
};

forms! {
    r11_break_ends_loop_and_recv, r11_full_break_ends_loop_and_recv => r11;
    r11_break_ends_all_threads, r11_full_break_ends_all_threads => r11_threads;
    r12_break_is_harmless, r12_full_break_is_harmless => r12;
    r12_shutdown_wakes_a_reader, r12_full_shutdown_wakes_a_reader => r12_shutdown;
}

const GIVE_UP: Duration = Duration::from_secs(5);

/// A call that waits, as return value and errno.
type Call = fn(&Ring) -> (i32, i32);

fn looping(ring: &Ring) -> (i32, i32) {
    (
        ring.run_loop(|_, _| panic!("the link is silent"), true),
        libc::EINTR,
    )
}

fn receiving(ring: &Ring) -> (i32, i32) {
    let got = ring.recv(true);
    (got.rc, got.errno)
}

fn polling(ring: &Ring) -> (i32, i32) {
    let rc = ring.poll(20_000);
    (rc, common::ring::errno())
}

fn bursting(ring: &Ring) -> (i32, i32) {
    let (rc, errno, _) = ring.burst(8, true);
    (rc, errno)
}

const CALLS: [(&str, Call); 4] = [
    ("pfring_loop", looping),
    ("pfring_recv", receiving),
    ("pfring_poll", polling),
    ("pfring_recv_burst", bursting),
];

/// Starts `call` on a thread, breaks it after `delay`, and checks value, errno and time.
fn broken(
    form: Form,
    ring: &Arc<Ring>,
    (name, call): (&str, Call),
    delay: Duration,
) -> common::Outcome {
    let r = Arc::clone(ring);
    let thread = Worker::start(move || call(&r));
    std::thread::sleep(delay);
    let start = Instant::now();
    ring.breakloop();
    let (result, done) = thread.finish_timed(GIVE_UP);
    assert_eq!(result, (0, libc::EINTR), "{name} after a break");
    within(
        &format!("{name} after a break"),
        done.saturating_duration_since(start),
        form.ms(100),
    )
}

fn r11(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let (rounds, delay) = form.pick((3, 40), (50, 500));
    let delay = Duration::from_millis(delay);
    for backend in backends() {
        for mode in wait_modes() {
            let ring = Arc::new(Open::on("vb").wait(mode).backend(backend).enabled());
            // So long that a wake-up by the timer cannot pass for one by the break.
            assert_eq!(ring.set_poll_duration(20_000), 0);
            for (index, call) in CALLS.into_iter().enumerate() {
                // The case asks for loop and recv; a few rounds will do for the other two.
                let rounds = if index < 2 { rounds } else { rounds.min(5) };
                for _ in 0..rounds {
                    best_of_three(|| broken(form, &ring, call, delay));
                }
            }
        }
    }
}

fn r11_threads(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        for mode in wait_modes() {
            for _ in 0..form.pick(2, 10) {
                best_of_three(|| four_threads(form, mode, backend));
            }
        }
    }
}

fn four_threads(form: Form, mode: &str, backend: Option<&str>) -> common::Outcome {
    let open = Open::on("vb").flags(REENTRANT).wait(mode).backend(backend);
    let ring = Arc::new(open.enabled());
    assert_eq!(ring.set_poll_duration(20_000), 0);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let r = Arc::clone(&ring);
            Worker::start(move || r.recv_into(&mut [0; 2048], true).rc)
        })
        .collect();
    std::thread::sleep(Duration::from_millis(form.pick(60, 500)));
    let start = Instant::now();
    ring.breakloop();
    for thread in threads {
        let (rc, done) = thread.finish_timed(GIVE_UP);
        assert_eq!(rc, 0, "each of the threads is broken, in {mode} mode");
        let took = done.saturating_duration_since(start);
        within(
            &format!("one of four threads in {mode} mode"),
            took,
            form.ms(100),
        )?;
    }
    Ok(())
}

/// A break that comes just before the call ends that call, and only that one.
#[test]
fn r11_break_before_the_call_is_not_lost() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for mode in wait_modes() {
        for (name, call) in CALLS {
            let ring = Arc::new(Open::on("vb").wait(mode).enabled());
            ring.breakloop();
            let r = Arc::clone(&ring);
            let result = Worker::start(move || call(&r)).finish(GIVE_UP);
            assert_eq!(
                result,
                (0, libc::EINTR),
                "{name} after a break, {mode} mode"
            );
            lab.sender().number(5);
            let got = {
                let r = Arc::clone(&ring);
                Worker::start(move || r.recv(true).number())
            };
            assert_eq!(
                got.finish(GIVE_UP),
                5,
                "the break was for one call, {mode} mode"
            );
        }
    }
}

/// A pending break does not touch calls that would not block: they give what is queued.
#[test]
fn break_lets_queued_packets_go_first() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let _patience = ring.patience(Duration::from_secs(20));
    lab.sender().numbers(0..5);
    assert_eq!(ring.poll(2_000), 1);
    std::thread::sleep(Duration::from_millis(100));
    ring.breakloop();
    for expected in 0..5 {
        assert_eq!(
            ring.recv(true).number(),
            expected,
            "queued packets come first"
        );
    }
    let got = ring.recv(true);
    assert_eq!((got.rc, got.errno), (0, libc::EINTR), "then the break");
}

/// The selectable descriptor stays silent at a break.
#[test]
fn break_does_not_make_the_descriptor_readable() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    assert_eq!(ring.recv(false).rc, 0);
    ring.breakloop();
    for _ in 0..20 {
        assert_eq!(ring.readiness(5), 0, "a break is nothing to read");
    }
}

/// Enable forgets a break from before.
#[test]
fn enable_clears_a_stale_break() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Arc::new(Open::on("vb").ring());
    ring.breakloop();
    ring.enable();
    let r = Arc::clone(&ring);
    let call = Worker::start(move || r.recv(true).number());
    std::thread::sleep(Duration::from_millis(100));
    assert!(
        !call.is_finished(),
        "the break was before the ring was enabled"
    );
    lab.sender().number(9);
    assert_eq!(call.finish(GIVE_UP), 9);
}

/// A loop that is broken inside its callback returns 1, at once.
#[test]
fn loop_broken_in_its_callback_returns_one() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for wait in [false, true] {
        let ring = Arc::new(Open::on("vb").enabled());
        let r = Arc::clone(&ring);
        let call = Worker::start(move || {
            let mut numbers = Vec::new();
            let rc = r.run_loop(
                |_, bytes| {
                    numbers.push(common::frame::mark(bytes).expect("a numbered frame").number);
                    if numbers.len() == 3 {
                        r.breakloop();
                    }
                },
                wait,
            );
            (rc, numbers)
        });
        lab.sender().numbers(0..5);
        assert_eq!(call.finish(GIVE_UP), (1, vec![0, 1, 2]), "wait = {wait}");
        assert_eq!(
            ring.packet(GIVE_UP).number(),
            3,
            "the others are still there"
        );
        assert_eq!(
            ring.packet(GIVE_UP).number(),
            4,
            "the others are still there"
        );
    }
}

fn r12(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    for backend in backends() {
        for mode in wait_modes() {
            let ring = Arc::new(Open::on("vb").wait(mode).backend(backend).enabled());
            for round in 0..form.pick(3, 20) {
                idle_breaks_cost_no_packet(&ring, &sender, round);
                blocked_then_ten(form, &ring, &sender);
            }
        }
    }
}

/// Three breaks with nobody waiting; then one packet, which at most the second call delivers.
fn idle_breaks_cost_no_packet(ring: &Arc<Ring>, sender: &common::sender::Sender, number: u32) {
    for _ in 0..3 {
        ring.breakloop();
    }
    let r = Arc::clone(ring);
    let call = Worker::start(move || {
        let got = r.recv(true);
        if got.rc != 1 {
            return r.recv(true).number();
        }
        // The packet was quicker than this thread: it comes first, and the break ends the next wait.
        let number = got.number();
        assert_eq!(r.recv(true).rc, 0, "the break still stands");
        number
    });
    std::thread::sleep(Duration::from_millis(20));
    sender.number(number);
    assert_eq!(
        call.finish(Duration::from_secs(1)),
        number,
        "a stale break costs no packet"
    );
}

/// A blocked call is broken; then ten packets come as if nothing had been.
fn blocked_then_ten(form: Form, ring: &Arc<Ring>, sender: &common::sender::Sender) {
    best_of_three(|| broken(form, ring, CALLS[1], Duration::from_millis(30)));
    sender.numbers(100..110);
    let r = Arc::clone(ring);
    let call = Worker::start(move || (0..10).map(|_| r.recv(true).number()).collect::<Vec<_>>());
    assert_eq!(call.finish(GIVE_UP), (100..110).collect::<Vec<_>>());
}

fn r12_shutdown(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for mode in wait_modes() {
        for (name, call) in CALLS {
            best_of_three(|| {
                let ring = Arc::new(Open::on("vb").wait(mode).enabled());
                assert_eq!(ring.set_poll_duration(20_000), 0);
                let r = Arc::clone(&ring);
                let thread = Worker::start(move || call(&r).0);
                std::thread::sleep(Duration::from_millis(form.pick(40, 300)));
                let start = Instant::now();
                ring.shutdown();
                let (rc, done) = thread.finish_timed(GIVE_UP);
                assert!(rc <= 0, "{name} gives no packet at shutdown");
                assert_eq!(
                    ring.recv(true).rc,
                    -1,
                    "a ring that was shut down gives nothing more"
                );
                drop(ring);
                let took = done.saturating_duration_since(start);
                within(
                    &format!("{name} at shutdown in {mode} mode"),
                    took,
                    form.ms(200),
                )
            });
        }
    }
}
