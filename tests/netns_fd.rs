//! The selectable descriptor: silent while there is nothing (R13), readable while a packet can be
//! read (R14), and the same from open to close.

mod common;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use common::{
    Form, Lab, Open, Outcome, Ring, Turn, Worker, backends, best_of_three, forms, wait_modes,
    within,
};

forms! {
    r13_no_false_readiness, r13_full_no_false_readiness => r13;
    r14_readable_when_a_packet_can_be_read, r14_full_readable_when_a_packet_can_be_read => r14;
}

const POLLIN: i16 = libc::POLLIN;

fn r13(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        for mode in wait_modes() {
            let ring = Open::on("vb").wait(mode).backend(backend).enabled();
            lab.sender().numbers(0..1_000);
            let numbers = ring.numbers(1_000, Duration::from_secs(5));
            assert_eq!(numbers, (0..1_000).collect::<Vec<_>>());
            assert_eq!(
                strays(&ring),
                0,
                "readable with nothing to read, {mode} mode"
            );
            let wall = Duration::from_millis(form.pick(1_000, 5_000));
            let wakeups = wakeups(&ring, wall);
            assert!(
                wakeups <= 10,
                "{wakeups} wake-ups on a silent link, {mode} mode"
            );
        }
    }
}

/// How often of a hundred looks the descriptor is readable; a first stray is cleared by a receive.
fn strays(ring: &Ring) -> usize {
    if ring.readiness(0) != 0 {
        assert_eq!(ring.recv(false).rc, 0, "nothing is left");
    }
    (0..100).filter(|_| ring.readiness(0) != 0).count()
}

/// Wake-ups of a poll loop on a silent link.
fn wakeups(ring: &Ring, wall: Duration) -> usize {
    let end = Instant::now() + wall;
    let mut count = 0;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        if ring.readiness(left.as_millis() as i32 + 1) == 0 {
            continue;
        }
        count += 1;
        assert_eq!(ring.recv(false).rc, 0, "the link is silent");
        if count > 1_000 {
            break;
        }
    }
    count
}

fn r14(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for backend in backends() {
        for (name, wait, rounds) in [
            ("poll", by_poll as Wait, 200),
            ("select", by_select, form.pick(50, 200)),
            ("epoll", by_epoll, form.pick(50, 200)),
        ] {
            best_of_three(|| rounds_of(form, &lab, backend, name, wait, rounds));
        }
    }
}

/// Waits up to a second for a descriptor to become readable.
type Wait = fn(i32) -> bool;

fn rounds_of(
    form: Form,
    lab: &Lab,
    backend: Option<&str>,
    name: &str,
    wait: Wait,
    rounds: u32,
) -> Outcome {
    let ring = Open::on("vb").backend(backend).ring();
    let fd = ring.descriptor();
    assert!(fd >= 0, "there is a descriptor before enable");
    assert_eq!(ring.set_poll_watermark(1), 0);
    ring.enable();
    let sender = lab.sender();
    for number in 0..rounds {
        let waiting = Worker::start(move || wait(fd));
        std::thread::sleep(Duration::from_millis(2));
        let sent = Instant::now();
        sender.number(number);
        let (readable, done) = waiting.finish_timed(Duration::from_secs(5));
        assert!(readable, "{name} wakes up, round {number}");
        assert_eq!(ring.recv(false).number(), number, "recv right after {name}");
        assert_eq!(ring.descriptor(), fd, "the descriptor stays the same");
        within(
            &format!("{name} after a frame"),
            done.saturating_duration_since(sent),
            form.ms(20),
        )?;
        assert_eq!(ring.recv(false).rc, 0, "one frame, one packet");
    }
    Ok(())
}

fn by_poll(fd: i32) -> bool {
    let mut poll = libc::pollfd {
        fd,
        events: POLLIN,
        revents: 0,
    };
    // SAFETY: one valid pollfd, for the length of the call.
    let rc = unsafe { libc::poll(&raw mut poll, 1, 1_000) };
    rc == 1 && poll.revents == POLLIN
}

fn by_select(fd: i32) -> bool {
    let mut timeout = libc::timeval {
        tv_sec: 1,
        tv_usec: 0,
    };
    // SAFETY: fd_set is plain data; FD_SET and select get valid pointers, and the descriptor is
    // below FD_SETSIZE in a test process.
    unsafe {
        let mut set: libc::fd_set = std::mem::zeroed();
        libc::FD_SET(fd, &raw mut set);
        let none = std::ptr::null_mut();
        libc::select(fd + 1, &raw mut set, none, none, &raw mut timeout) == 1
            && libc::FD_ISSET(fd, &raw const set)
    }
}

fn by_epoll(fd: i32) -> bool {
    // SAFETY: epoll_create1 takes a constant; it touches no memory of ours.
    let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    assert!(epoll >= 0, "epoll_create1: {}", io::Error::last_os_error());
    // SAFETY: epoll_create1 gave us this descriptor, nobody else owns it.
    let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
    let mut event = libc::epoll_event {
        events: libc::EPOLLIN as u32,
        u64: 77,
    };
    // SAFETY: both descriptors are open and the event is valid for the length of the call.
    let rc = unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
    assert_eq!(rc, 0, "epoll_ctl: {}", io::Error::last_os_error());
    let mut got = libc::epoll_event { events: 0, u64: 0 };
    // SAFETY: room for one event, for the length of the call.
    let rc = unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut got, 1, 1_000) };
    let (events, data) = (got.events, got.u64);
    rc == 1 && events == libc::EPOLLIN as u32 && data == 77
}

/// Packets that the library has already seen keep the descriptor readable, down to the last one.
#[test]
fn readable_until_the_last_packet_is_taken() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for mode in wait_modes() {
        let ring = Open::on("vb").wait(mode).enabled();
        lab.sender().numbers(0..20);
        assert_eq!(ring.readiness(2_000), POLLIN);
        // All of them have come once the block timer is over.
        std::thread::sleep(Duration::from_millis(100));
        for expected in 0..20 {
            assert_eq!(ring.readiness(0), POLLIN, "{expected} taken, {mode} mode");
            assert_eq!(ring.recv(false).number(), expected);
        }
        assert_eq!(ring.recv(false).rc, 0);
        assert_eq!(ring.readiness(0), 0, "all taken, {mode} mode");
    }
}

/// Before enable the descriptor shows readable, so that a program that enables at its first read
/// gets there; the member of the handle is the same descriptor.
#[test]
fn readable_before_enable() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").ring();
    assert_eq!(ring.readiness(0), POLLIN, "not enabled yet");
    assert_eq!(ring.descriptor(), ring.fd, "the member of the handle");
    assert_eq!(ring.recv(false).rc, -12, "not enabled yet");
    let before = ring.fd;
    ring.enable();
    assert_eq!(ring.recv(false).rc, 0);
    assert_eq!(ring.readiness(0), 0, "enabled, and the link is silent");
    lab.sender().number(1);
    assert_eq!(ring.readiness(2_000), POLLIN);
    assert_eq!(ring.recv(false).number(), 1);
    assert_eq!(ring.fd, before, "the descriptor stays the same");
}

/// A link that goes down and comes back is no event on the descriptor.
#[test]
fn no_error_events_at_link_down() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).enabled();
        assert_eq!(ring.recv(false).rc, 0);
        lab.down();
        for _ in 0..50 {
            let events = ring.readiness(4);
            assert_eq!(
                events & (libc::POLLERR | libc::POLLHUP),
                0,
                "no error event"
            );
            if events & POLLIN != 0 {
                assert!(ring.recv(false).rc <= 0, "nothing came");
            }
        }
        assert_eq!(ring.readiness(0), 0, "silent while down");
        lab.up();
        lab.sender().number(4);
        assert_eq!(ring.readiness(2_000), POLLIN);
        assert_eq!(ring.packet(Duration::from_secs(1)).number(), 4);
    }
}
