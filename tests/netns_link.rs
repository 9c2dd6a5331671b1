//! A link that goes down and comes back (R42), and one that is down at open (R43).

mod common;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::usage::cpu_of;
use common::{
    Form, Lab, Open, Ring, Turn, Worker, backends, best_of_three, forms, thrifty_modes, within,
};

forms! {
    r42_the_handle_survives_link_down, r42_full_the_handle_survives_link_down => r42;
    r43_a_device_that_is_down_opens, r43_full_a_device_that_is_down_opens => r43;
}

/// A reader in blocking receives that reports each return value; it ends at the number 999,999.
fn reporting(ring: &Arc<Ring>) -> (Worker<()>, Receiver<Result<u32, i32>>) {
    let (tell, told) = channel();
    let ring = Arc::clone(ring);
    let reader = Worker::start(move || {
        loop {
            let got = ring.recv(true);
            let report = if got.rc == 1 {
                Ok(got.number())
            } else {
                Err(got.rc)
            };
            if report == Ok(LAST) || tell.send(report).is_err() {
                return;
            }
        }
    });
    (reader, told)
}

const LAST: u32 = 999_999;

/// The numbers and the count of errors that come until `count` numbers are there or `limit` is
/// over.
fn collect(told: &Receiver<Result<u32, i32>>, count: usize, limit: Duration) -> (Vec<u32>, usize) {
    let end = Instant::now() + limit;
    let (mut numbers, mut errors) = (Vec::new(), 0);
    while numbers.len() < count {
        match told.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Ok(number)) => numbers.push(number),
            Ok(Err(rc)) => {
                assert!(rc < 0, "nobody broke the reader");
                errors += 1;
            }
            Err(_) => break,
        }
    }
    (numbers, errors)
}

fn r42(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    for backend in backends() {
        let ring = Arc::new(Open::on("vb").backend(backend).enabled());
        let (reader, told) = reporting(&ring);
        for round in 0..form.pick(3, 20) {
            lab.down();
            std::thread::sleep(Duration::from_millis(form.pick(400, 2_000)));
            lab.up();
            let first = round * 10;
            sender.numbers(first..first + 10);
            let (numbers, errors) = collect(&told, 10, form.ms(1_000));
            assert_eq!(
                numbers,
                (first..first + 10).collect::<Vec<_>>(),
                "round {round}"
            );
            assert!(errors <= 1, "{errors} errors in round {round}");
        }
        sender.number(LAST);
        reader.finish(Duration::from_secs(5));
    }
}

fn r43(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    let wall = Duration::from_millis(form.pick(1_000, 5_000));
    for backend in backends() {
        for mode in thrifty_modes() {
            best_of_three(|| {
                lab.down();
                let ring = Arc::new(Open::on("vb").wait(mode).backend(backend).enabled());
                let (reader, told) = reporting(&ring);
                let ((), used) = cpu_of(|| std::thread::sleep(wall));
                let while_down = told.try_iter().count();
                assert!(
                    while_down <= 1,
                    "{while_down} returns while the link is down"
                );
                lab.up();
                sender.numbers(0..10);
                let (numbers, errors) = collect(&told, 10, Duration::from_secs(5));
                assert_eq!(numbers, (0..10).collect::<Vec<_>>(), "the link is up again");
                assert_eq!(errors, 0, "no stale error once the link is up");
                sender.number(LAST);
                reader.finish(Duration::from_secs(5));
                within(
                    &format!("CPU while down in {mode} mode"),
                    used,
                    form.share(0.02, wall),
                )
            });
        }
    }
}

/// A ring that was opened while the interface was down also sends once it is up.
#[test]
fn r43_sends_once_the_link_is_up() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.down();
    let ring = Open::on("vb").enabled();
    let frame = common::frame::numbered(8, 60);
    assert!(
        ring.send(&frame) < 0,
        "nothing is sent while the link is down"
    );
    lab.up();
    let far = lab.a.run(|| Open::on("va").enabled());
    assert_eq!(ring.send(&frame), 60);
    assert_eq!(far.packet(Duration::from_secs(2)).number(), 8);
}
