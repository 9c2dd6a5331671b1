//! The life of a handle: which rights it needs (R47), what a failed open tells (R48), and that
//! nothing is left behind (R49, R50).

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use common::child;
use common::frame::numbered;
use common::ring::PROMISC;
use common::usage::{descriptors, rss, threads};
use common::{Form, Lab, Open, Turn, forms};

forms! {
    r49_open_and_close_a_thousand_times, r49_full_open_and_close_a_thousand_times => r49;
    r50_failed_opens_leave_nothing, r50_full_failed_opens_leave_nothing => r50_opens;
    r50_filters_leave_nothing, r50_full_filters_leave_nothing => r50_filters;
}

const SOON: Duration = Duration::from_secs(3);
const CAP_NET_RAW: u64 = 1 << 13;

#[test]
fn r47_net_raw_is_enough() {
    if child::role().is_some() {
        return ten_each_way_as_user();
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let far = lab.a.run(|| Open::on("va").ring());
    assert_eq!(far.set_direction(common::ring::RX_ONLY), 0);
    far.enable();
    let mut command = child::again("r47_net_raw_is_enough", "user");
    let mut user = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test starts again");
    let mut say = user.stdin.take().expect("stdin is piped");
    let mut lines = BufReader::new(user.stdout.take().expect("stdout is piped")).lines();
    let mut wait_for = |word: &str| {
        let mut seen = lines.by_ref().map_while(Result::ok);
        assert!(
            seen.any(|line| line.contains(word)),
            "the user's process never says {word}"
        );
    };
    for _ in ["without PROMISC", "with PROMISC"] {
        wait_for("LISTENING");
        lab.sender().numbers(0..10);
        wait_for("RECEIVED");
        assert_eq!(
            far.numbers(10, SOON),
            (100..110).collect::<Vec<_>>(),
            "ten were sent"
        );
        writeln!(say, "next").expect("the user's process listens");
    }
    drop(say);
    wait_for("DONE");
    assert!(user.wait().expect("the user's process ends").success());
}

/// The child of R47: an ordinary user with CAP_NET_RAW alone, in B.
fn ten_each_way_as_user() {
    child::become_user(CAP_NET_RAW);
    for flags in [0, PROMISC] {
        let ring = Open::on("vb").flags(flags).enabled();
        println!("LISTENING");
        assert_eq!(ring.numbers(10, SOON), (0..10).collect::<Vec<_>>());
        for number in 100..110 {
            assert_eq!(ring.send(&numbered(number, 60)), 60);
        }
        println!("RECEIVED");
        let mut line = String::new();
        std::io::stdin()
            .read_line(&mut line)
            .expect("the parent speaks");
        assert_eq!(line, "next\n");
    }
    println!("DONE");
}

#[test]
fn r47_no_right_no_ring() {
    const NAME: &str = "r47_no_right_no_ring";
    if child::role().is_some() {
        child::become_user(0);
        assert_eq!(Open::on("vb").open().err(), Some(libc::EPERM));
        assert_eq!(Open::on("any").open().err(), Some(libc::EPERM));
        return;
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    child::passes(NAME, "user");
    drop(lab);
}

#[test]
fn r48_errno_names_the_cause() {
    const NAME: &str = "r48_errno_names_the_cause";
    if child::role().is_some() {
        let written = child::stdout_of(failing_opens);
        assert_eq!(String::from_utf8_lossy(&written), "", "nothing on stdout");
        return;
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    child::passes(NAME, "quiet");
    drop(lab);
}

fn failing_opens() {
    let errno = |device: &str| Open::on(device).open().err().expect("the open fails");
    assert_eq!(errno("nosuchdev"), libc::ENODEV, "missing interface");
    assert_eq!(
        errno("vb,nosuchdev"),
        libc::ENODEV,
        "one of a list is missing"
    );
    assert_eq!(
        errno("nosuchdev,vb"),
        libc::ENODEV,
        "one of a list is missing"
    );
    assert_eq!(errno(""), libc::EINVAL, "empty name");
    for bad in [
        "vb.x",
        "a-name-that-is-far-too-long",
        "(vb",
        ",",
        " ",
        "v/b",
    ] {
        let errno = errno(bad);
        assert!(
            [libc::EINVAL, libc::ENODEV].contains(&errno),
            "{bad:?}: errno {errno}"
        );
    }
    for bad in [
        "vb@64", "vb@2-1", "vb.4095", "any,vb", "none@0", "pcap:", "vb@1x",
    ] {
        assert_eq!(errno(bad), libc::EINVAL, "{bad:?}");
    }
    for missing in [
        "nosuch.7",
        "nosuch@0",
        "stack:nosuch",
        "zc:nosuch@1",
        "nt:vb",
    ] {
        assert_eq!(errno(missing), libc::ENODEV, "{missing:?}");
    }
    let bad_setting = |name, value| Open::on("vb").env(name, value).open().err();
    assert_eq!(bad_setting("PFRING_WAIT", "lazily"), Some(libc::EINVAL));
    assert_eq!(bad_setting("PFRING_BACKEND", "magic"), Some(libc::EINVAL));
    assert_eq!(bad_setting("PFRING_RING_MB", "many"), Some(libc::EINVAL));
    // SAFETY: NULL is the case under test.
    let raw = unsafe { pfring::capi::pfring_open(std::ptr::null(), 128, 0) };
    assert!(raw.is_null(), "NULL as a name");
    assert_eq!(common::ring::errno(), libc::EINVAL, "NULL as a name");
    common::ring::set_errno(libc::EPIPE);
    let ring = Open::on("vb").ring();
    assert_eq!(common::ring::errno(), 0, "errno is 0 after a good open");
    drop(ring);
}

/// Descriptors, threads and resident memory.
fn footprint() -> (usize, usize, u64) {
    (descriptors(), threads(), rss())
}

/// Runs `rounds` rounds after a tenth as many to warm up, and compares the footprint.
fn leaves_nothing(rounds: u32, growth_limit: u64, mut round: impl FnMut(u32)) {
    (0..rounds / 10).for_each(&mut round);
    let before = footprint();
    (0..rounds).for_each(&mut round);
    let after = footprint();
    assert_eq!(
        (after.0, after.1),
        (before.0, before.1),
        "descriptors and threads"
    );
    let growth = after.2.saturating_sub(before.2);
    assert!(
        growth <= growth_limit,
        "memory grew by {growth} bytes in {rounds} rounds"
    );
}

fn r49(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let (first, second) = (lab.sender(), common::sender::Sender::on(&lab.a, "vc"));
    leaves_nothing(form.pick(150, 1_000), 2 << 20, |round| {
        let two = round % 2 == 1;
        let ring = Open::on(if two { "vb,vd" } else { "vb" }).enabled();
        let sender = if two { &second } else { &first };
        sender.number(round);
        assert_eq!(ring.packet(SOON).number(), round);
    });
}

fn r50_opens(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    leaves_nothing(form.pick(3_000, 10_000), 1 << 20, |_| {
        assert_eq!(Open::on("nosuchdev").open().err(), Some(libc::ENODEV));
    });
}

fn r50_filters(form: Form) {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    leaves_nothing(form.pick(3_000, 10_000), 1 << 20, |round| {
        if round % 2 == 1 {
            assert_eq!(
                ring.set_bpf_filter("udp port and and"),
                -2,
                "an invalid filter"
            );
        } else {
            assert_eq!(ring.set_bpf_filter("udp dst port 53 and host 10.0.0.1"), 0);
            assert_eq!(ring.remove_bpf_filter(), 0);
        }
    });
}

/// Every handle gives its promiscuity back.
#[test]
fn promiscuous_mode_is_counted_and_given_back() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let promiscuity = || {
        let out = std::process::Command::new("ip")
            .args(["-details", "link", "show", "vb"])
            .output()
            .expect("ip runs");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let mut words = text.split_whitespace().skip_while(|w| *w != "promiscuity");
        words
            .nth(1)
            .expect("ip tells the promiscuity")
            .parse::<u32>()
            .expect("a number")
    };
    assert_eq!(promiscuity(), 0);
    let first = Open::on("vb").flags(PROMISC).enabled();
    let second = Open::on("vb").flags(PROMISC).enabled();
    let count = promiscuity();
    assert!(count >= 1, "promiscuous");
    drop(first);
    assert!(promiscuity() >= 1, "still promiscuous for the second ring");
    drop(second);
    assert_eq!(promiscuity(), 0, "given back");
    drop(lab);
}
