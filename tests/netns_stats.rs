//! Statistics: they add up (R39), and they can be read while another thread is blocked in a
//! receive, and from a signal handler (R41).

mod common;

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::lab::rx_packets;
use common::ring::REENTRANT;
use common::{
    Form, Lab, Open, Outcome, Ring, Turn, Worker, backends, best_of_three, forms, within,
};
use pfring::{abi, capi};

forms! {
    r39_statistics_add_up, r39_full_statistics_add_up => r39;
    r41_statistics_beside_a_blocked_reader, r41_full_statistics_beside_a_blocked_reader => r41;
    r41_statistics_from_a_signal_handler, r41_full_statistics_from_a_signal_handler => r41_signal;
}

fn r39(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        // The default ring keeps all of them, the small one cannot.
        for ring_mb in ["64", "2"] {
            for _ in 0..form.pick(1, 5) {
                let open = Open::on("vb")
                    .backend(backend)
                    .env("PFRING_RING_MB", ring_mb);
                let ring = open.ring();
                assert_eq!(figures(&ring), (0, 0), "zero before enable");
                ring.enable();
                flood_then_drain(&lab, ring);
            }
        }
    }
}

/// recv and drop; shunt is always 0.
fn figures(ring: &Ring) -> (u64, u64) {
    let stats = ring.stats();
    assert_eq!(stats.shunt, 0, "nothing is shunted");
    (stats.recv, stats.drop)
}

fn flood_then_drain(lab: &Lab, ring: Ring) {
    const FRAMES: u32 = 200_000;
    let before = rx_packets("vb");
    let sender = lab.sender();
    let ring = Arc::new(ring);
    let r = Arc::clone(&ring);
    let sending = Worker::start(move || sender.numbers(0..FRAMES));
    let watching = Worker::start(move || {
        let mut last = (0, 0);
        for _ in 0..1_000 {
            let now = figures(&r);
            assert!(now.0 >= last.0 && now.1 >= last.1, "{now:?} after {last:?}");
            last = now;
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    sending.finish(Duration::from_secs(30));
    watching.finish(Duration::from_secs(30));
    assert_eq!(
        rx_packets("vb") - before,
        u64::from(FRAMES),
        "all were sent"
    );
    assert_eq!(figures(&ring).0, 0, "nothing was handed out yet");
    let read = std::cell::Cell::new(0);
    ring.drain(
        Duration::from_secs(10),
        || true,
        |_| read.set(read.get() + 1),
    );
    let first = figures(&ring);
    assert_eq!(first.0, read.get(), "recv is what was read");
    assert_eq!(
        first.0 + first.1,
        u64::from(FRAMES),
        "recv + drop is what was offered"
    );
    assert_eq!(
        (figures(&ring), figures(&ring)),
        (first, first),
        "reading changes nothing"
    );
}

fn r41(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        for flags in [0, REENTRANT] {
            best_of_three(|| beside_a_reader(form, &lab, backend, flags));
        }
    }
}

/// A reader in blocking receives: copies, as a REENTRANT ring asks for.
fn reader(ring: &Arc<Ring>, stop: &Arc<AtomicBool>) -> Worker<u64> {
    let (ring, stop) = (Arc::clone(ring), Arc::clone(stop));
    Worker::start(move || {
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            if ring.recv_into(&mut [0; 2048], true).rc == 1 {
                count += 1;
            }
        }
        count
    })
}

fn beside_a_reader(form: Form, lab: &Lab, backend: Option<&str>, flags: u32) -> Outcome {
    let seconds = form.pick(2, 5);
    let ring = Arc::new(Open::on("vb").flags(flags).backend(backend).enabled());
    let stop = Arc::new(AtomicBool::new(false));
    let reading = reader(&ring, &stop);
    let sender = lab.sender();
    let sending = Worker::start(move || sender.paced(0..10 * seconds, 10));
    let mut slowest = Duration::ZERO;
    let end = Instant::now() + Duration::from_secs(u64::from(seconds));
    while Instant::now() < end {
        let before = Instant::now();
        figures(&ring);
        slowest = slowest.max(before.elapsed());
        std::thread::sleep(Duration::from_millis(1));
    }
    sending.finish(Duration::from_secs(5));
    // Fresh values: the last frame shows within the wait of the reader, without a receive by us.
    let fresh = Instant::now() + Duration::from_secs(2);
    while figures(&ring).0 < u64::from(10 * seconds) && Instant::now() < fresh {
        std::thread::sleep(Duration::from_millis(1));
    }
    let last = figures(&ring);
    stop.store(true, Ordering::Relaxed);
    ring.breakloop();
    let read = reading.finish(Duration::from_secs(5));
    assert_eq!(read, u64::from(10 * seconds), "all frames came");
    assert_eq!(last, (read, 0), "the last value is the number of frames");
    within("slowest pfring_stats", slowest, form.ms(20))
}

/// What the signal handler works on: it may use nothing but atomics.
static HANDLED: AtomicPtr<abi::pfring> = AtomicPtr::new(null_mut());
static CALLS: AtomicU32 = AtomicU32::new(0);
static FAILED: AtomicU32 = AtomicU32::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_alarm(_: libc::c_int) {
    let ring = HANDLED.load(Ordering::Acquire);
    let mut stats = common::ring::Stat {
        recv: 0,
        drop: 0,
        shunt: 0,
    };
    let mut rc = 0;
    if !ring.is_null() {
        // SAFETY: the test stops the signals and clears HANDLED before it closes the ring.
        rc = unsafe { capi::pfring_stats(ring, &raw mut stats) };
    }
    CALLS.fetch_add(1, Ordering::Relaxed);
    FAILED.fetch_add(u32::from(rc != 0), Ordering::Relaxed);
    LAST.store(stats.recv, Ordering::Relaxed);
}

fn r41_signal(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    // SAFETY: sigaction gets a valid handler, which only does what a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_alarm as *const () as libc::sighandler_t;
        assert_eq!(
            libc::sigaction(libc::SIGALRM, &raw const action, null_mut()),
            0
        );
    }
    for backend in backends() {
        for flags in [0, REENTRANT] {
            in_the_handler(form, &lab, backend, flags);
        }
    }
}

/// Signals hit the reader's own thread, blocked or at work.
fn in_the_handler(form: Form, lab: &Lab, backend: Option<&str>, flags: u32) {
    let seconds = form.pick(1, 5);
    let ring = Arc::new(Open::on("vb").flags(flags).backend(backend).enabled());
    let stop = Arc::new(AtomicBool::new(false));
    let (r, s) = (Arc::clone(&ring), Arc::clone(&stop));
    let (tell, told) = std::sync::mpsc::channel();
    let reading = Worker::start(move || {
        // SAFETY: pthread_self takes nothing and cannot fail.
        tell.send(unsafe { libc::pthread_self() })
            .expect("the test listens");
        let mut count = 0u64;
        while !s.load(Ordering::Relaxed) {
            match r.recv_into(&mut [0; 2048], true).rc {
                1 => count += 1,
                0 => {}
                rc => panic!("a signal is no error: {rc}"),
            }
        }
        count
    });
    let thread = told.recv().expect("the reader starts");
    HANDLED.store(ring.raw(), Ordering::Release);
    let sender = lab.sender();
    let frames = 1_000 * seconds;
    let sending = Worker::start(move || sender.paced(0..frames, 1_000));
    let calls = CALLS.load(Ordering::Relaxed);
    let end = Instant::now() + Duration::from_secs(u64::from(seconds)) + Duration::from_millis(200);
    while Instant::now() < end {
        // SAFETY: the reader runs until it is told to stop below.
        assert_eq!(unsafe { libc::pthread_kill(thread, libc::SIGALRM) }, 0);
        std::thread::sleep(Duration::from_millis(1));
    }
    sending.finish(Duration::from_secs(5));
    std::thread::sleep(Duration::from_millis(50));
    stop.store(true, Ordering::Relaxed);
    ring.breakloop();
    let read = reading.finish(Duration::from_secs(5));
    HANDLED.store(null_mut(), Ordering::Release);
    assert_eq!(read, u64::from(frames), "all frames came");
    assert_eq!(LAST.load(Ordering::Relaxed), read, "fresh values");
    assert_eq!(
        FAILED.load(Ordering::Relaxed),
        0,
        "every call in the handler went well"
    );
    let handled = CALLS.load(Ordering::Relaxed) - calls;
    assert!(
        handled > 300 * seconds,
        "{handled} signals reached the reader"
    );
}
