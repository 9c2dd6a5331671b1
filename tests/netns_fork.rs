//! R51: a ring does not cross fork. In the child every call on it fails at once, the parent goes on undisturbed,
//! and a ring that the child opens itself works.

mod common;

use std::time::{Duration, Instant};

use common::frame::{MIN, numbered};
use common::ring::PROMISC;
use common::{Lab, Open, Ring, Turn, backends};
use pfring::capi;

const SOON: Duration = Duration::from_secs(5);

/// Runs `work` in a child; whether it returned true within a second. No assertion in there: the child has this
/// thread alone, and must not unwind into the test runner.
fn child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child makes calls of the library and system calls only, and ends by _exit.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork: {}", std::io::Error::last_os_error());
    if pid == 0 {
        let code = if work() { 0 } else { 1 };
        // SAFETY: ends the child without its parent's destructors.
        unsafe { libc::_exit(code) };
    }
    let end = Instant::now() + SOON;
    let mut status = 0;
    loop {
        // SAFETY: `status` is writable.
        let done = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
        if done == pid {
            return libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        }
        if Instant::now() > end {
            // SAFETY: our child, which is still there.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, &raw mut status, 0);
            }
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Every way of receiving, waiting and sending is refused: negative, with EBUSY.
fn all_refused(ring: &Ring) -> bool {
    let refused = |rc: i32| rc < 0 && common::ring::errno() == libc::EBUSY;
    let mut buffer = [0; 128];
    let frame = numbered(1, MIN);
    let received = [
        ring.recv(true),
        ring.recv(false),
        ring.recv_into(&mut buffer, true),
    ];
    received.iter().all(|got| got.rc < 0 && got.errno == libc::EBUSY)
        && ring.burst(4, true).0 < 0
        && refused(ring.poll(1_000))
        && refused(ring.available())
        && refused(ring.run_loop(|_, _| (), true))
        && refused(ring.send(&frame))
        // SAFETY: the handle is open.
        && refused(unsafe { capi::pfring_flush_tx_packets(ring.raw()) })
}

#[test]
fn r51_a_child_is_refused_and_the_parent_goes_on() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").flags(PROMISC).backend(backend).enabled();
        let sender = lab.sender();
        sender.number(0);
        assert_eq!(ring.numbers(1, SOON), [0], "{backend:?}");
        for round in 0..10u32 {
            let began = Instant::now();
            assert!(child(|| all_refused(&ring)), "{backend:?}, round {round}");
            assert!(began.elapsed() < SOON);
            let first = 1 + round * 5;
            sender.numbers(first..first + 5);
            let expected: Vec<u32> = (first..first + 5).collect();
            assert_eq!(
                ring.numbers(5, SOON),
                expected,
                "{backend:?}: the parent's own"
            );
        }
    }
}

#[test]
fn closing_in_the_child_leaves_the_parent_alone() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").flags(PROMISC).enabled();
    let far = lab.a.run(|| Open::on("va").ring());
    assert_eq!(far.set_direction(common::ring::RX_ONLY), 0);
    far.enable();
    // Frames that wait in a batch, and the thread that looks after them.
    for number in 0..20 {
        assert_eq!(ring.send(&numbered(number, MIN)), MIN as i32);
    }
    let closed = child(|| {
        // SAFETY: the child's copy of the handle, which it does not use again.
        unsafe { capi::pfring_close(ring.raw()) };
        true
    });
    assert!(closed);
    assert_eq!(
        far.numbers(20, SOON),
        (0..20).collect::<Vec<_>>(),
        "each once"
    );
    // The ring sees what it sends.
    assert_eq!(ring.numbers(20, SOON), (0..20).collect::<Vec<_>>());
    lab.sender().numbers(100..110);
    assert_eq!(ring.numbers(10, SOON), (100..110).collect::<Vec<_>>());
    for number in 20..40 {
        assert_eq!(ring.send(&numbered(number, MIN)), MIN as i32);
    }
    assert_eq!(far.numbers(20, SOON), (20..40).collect::<Vec<_>>());
}

#[test]
fn a_ring_that_the_child_opens_works() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let _parents = Open::on("vb").enabled();
    let sender = lab.sender();
    let received = child(|| {
        let Ok(own) = Open::on("vb").open() else {
            return false;
        };
        if own.try_enable().is_err() {
            return false;
        }
        sender.numbers(0..5);
        let end = Instant::now() + Duration::from_secs(3);
        let mut count = 0;
        while count < 5 && Instant::now() < end {
            count += i32::from(own.recv(false).rc == 1);
        }
        count == 5
    });
    assert!(received);
}
