//! What a receive costs while nothing comes: on a silent link (R01) and on one that went down
//! (R02).

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use common::usage::{cpu, voluntary_switches};
use common::{
    Form, Lab, Open, Outcome, Ring, Turn, Worker, backends, best_of_three, forms, thrifty_modes,
    within,
};

forms! {
    r01_blocked_receive_costs_no_cpu, r01_full_blocked_receive_costs_no_cpu => r01;
    r02_link_down_is_no_busy_loop, r02_full_link_down_is_no_busy_loop => r02;
}

/// A thread in pfring_recv(wait = 1) that counts packets and errors until it is told to stop; it
/// goes on after an error at once, as a careless program does.
struct Reader {
    ring: Arc<Ring>,
    seen: Arc<Seen>,
    thread: Worker<()>,
}

#[derive(Default)]
struct Seen {
    stop: AtomicBool,
    packets: AtomicU32,
    errors: AtomicU32,
}

impl Reader {
    fn start(ring: Ring) -> Reader {
        let ring = Arc::new(ring);
        let seen = Arc::new(Seen::default());
        let (r, s) = (Arc::clone(&ring), Arc::clone(&seen));
        let thread = Worker::start(move || {
            while !s.stop.load(Ordering::Relaxed) {
                match r.recv(true).rc {
                    1 => s.packets.fetch_add(1, Ordering::Relaxed),
                    0 => 0,
                    _ => s.errors.fetch_add(1, Ordering::Relaxed),
                };
            }
        });
        Reader { ring, seen, thread }
    }

    fn stop(self) {
        self.seen.stop.store(true, Ordering::Relaxed);
        self.ring.breakloop();
        self.thread.finish(Duration::from_secs(5));
    }
}

fn r01(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        for mode in thrifty_modes() {
            best_of_three(|| idle_round(form, backend, mode));
        }
    }
}

fn idle_round(form: Form, backend: Option<&str>, mode: &str) -> Outcome {
    let wall = Duration::from_millis(form.pick(1_500, 10_000));
    let share = if mode == "passive" { 0.010 } else { 0.030 };
    let reader = Reader::start(Open::on("vb").wait(mode).backend(backend).enabled());
    // The first look at a new ring is not part of the wait.
    std::thread::sleep(Duration::from_millis(20));
    let (cpu_before, switches_before) = (cpu(), voluntary_switches());
    std::thread::sleep(wall);
    let used = cpu() - cpu_before;
    let switches = voluntary_switches() - switches_before;
    assert_eq!(
        reader.seen.packets.load(Ordering::Relaxed),
        0,
        "the link is silent"
    );
    assert_eq!(
        reader.seen.errors.load(Ordering::Relaxed),
        0,
        "a silent link is no error"
    );
    reader.stop();
    within(
        &format!("CPU in {mode} mode over {wall:?}"),
        used,
        form.share(share, wall),
    )?;
    if mode == "passive" {
        let limit = 30 * wall.as_millis() as u64 / 1000;
        within("voluntary context switches", switches, limit)?;
    }
    Ok(())
}

fn r02(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        best_of_three(|| one_call_while_down(form, &lab, backend));
        for mode in thrifty_modes() {
            best_of_three(|| retries_while_down(form, &lab, backend, mode));
        }
    }
}

/// A single call: it stays blocked, or comes back with an error, and the handle is still good.
fn one_call_while_down(form: Form, lab: &Lab, backend: Option<&str>) -> Outcome {
    let wall = Duration::from_millis(form.pick(1_200, 5_000));
    let ring = Arc::new(Open::on("vb").wait("passive").backend(backend).enabled());
    let r = Arc::clone(&ring);
    let call = Worker::start(move || r.recv(true).rc);
    std::thread::sleep(Duration::from_millis(form.pick(100, 1_000)));
    lab.down();
    let before = cpu();
    std::thread::sleep(wall);
    let used = cpu() - before;
    if call.is_finished() {
        assert!(
            call.finish(Duration::ZERO) < 0,
            "a call that ends at link-down gives an error"
        );
    } else {
        ring.breakloop();
        assert_eq!(call.finish(Duration::from_secs(5)), 0, "broken, no packet");
    }
    lab.up();
    lab.sender().number(7);
    let deadline = Duration::from_secs(2);
    assert_eq!(
        ring.packet(deadline).number(),
        7,
        "the handle works after the link is back"
    );
    within(
        &format!("CPU of a call at link-down over {wall:?}"),
        used,
        form.share(0.02, wall),
    )
}

/// A program that calls again at once after every error.
fn retries_while_down(form: Form, lab: &Lab, backend: Option<&str>, mode: &str) -> Outcome {
    let wall = Duration::from_millis(form.pick(1_200, 5_000));
    let reader = Reader::start(Open::on("vb").wait(mode).backend(backend).enabled());
    std::thread::sleep(Duration::from_millis(form.pick(100, 1_000)));
    lab.down();
    let before = cpu();
    std::thread::sleep(wall);
    let used = cpu() - before;
    lab.up();
    lab.sender().numbers(0..10);
    let mut left = 2_000;
    while reader.seen.packets.load(Ordering::Relaxed) < 10 && left > 0 {
        std::thread::sleep(Duration::from_millis(1));
        left -= 1;
    }
    assert_eq!(
        reader.seen.packets.load(Ordering::Relaxed),
        10,
        "the handle works afterwards"
    );
    reader.stop();
    within(
        &format!("CPU of retries in {mode} mode over {wall:?}"),
        used,
        form.share(0.05, wall),
    )
}
