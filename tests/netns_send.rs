//! Sending: batches lose, double and turn around nothing, and nothing is left unsent.

mod common;

use std::time::{Duration, Instant};

use common::frame::numbered;
use common::ring::{RX_ONLY, Ring, errno};
use common::usage::threads;
use common::{Lab, Open, Turn};
use pfring::capi;

const SOON: Duration = Duration::from_secs(3);
const FLUSH: u8 = 1;

/// A ring that sends on va, and one that receives on vb.
fn pair(lab: &Lab) -> (Ring, Ring) {
    let far = Open::on("vb").ring();
    assert_eq!(far.set_direction(RX_ONLY), 0);
    far.enable();
    (lab.a.run(|| Open::on("va").enabled()), far)
}

fn send(ring: &Ring, number: u32, len: usize, flush: u8) -> i32 {
    let mut frame = numbered(number, len);
    // SAFETY: the handle is open, the frame is readable for its length.
    unsafe { capi::pfring_send(ring.raw(), frame.as_mut_ptr().cast(), len as u32, flush) }
}

/// Sends until there is room.
fn insist(ring: &Ring, number: u32, len: usize, flush: u8) {
    let give_up = Instant::now() + SOON;
    loop {
        let sent = send(ring, number, len, flush);
        if sent == len as i32 {
            return;
        }
        assert_eq!((sent, errno()), (-1, libc::ENOBUFS), "frame {number}");
        assert!(Instant::now() < give_up, "no room for frame {number}");
    }
}

fn flush(ring: &Ring) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_flush_tx_packets(ring.raw()) }
}

fn set_tx_watermark(ring: &Ring, frames: u16) -> i32 {
    // SAFETY: the handle is open.
    unsafe { capi::pfring_set_tx_watermark(ring.raw(), frames) }
}

fn upto(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// A stream of frames of mixed sizes, flushed and not: each arrives once, in order, and all of them
/// although nobody flushes the last ones.
#[test]
fn a_stream_arrives_whole_and_in_order() {
    const FRAMES: u32 = 20_000;
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (ring, far) = pair(&lab);
    for number in 0..FRAMES {
        let len = [60, 64, 590, 1_514][number as usize % 4];
        insist(&ring, number, len, u8::from(number % 1_000 == 999));
    }
    assert_eq!(far.numbers(FRAMES as usize, SOON), upto(FRAMES));
    assert_eq!(far.empty(), 0, "none comes twice");
}

/// The end of a stream leaves by itself while the program does something else, and the thread that sees
/// to it goes with the ring.
#[test]
fn the_end_of_a_stream_leaves_by_itself() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let before = threads();
    let (ring, far) = pair(&lab);
    for round in 0..20 {
        for number in 0..50 {
            insist(&ring, round * 50 + number, 60, 0);
        }
        let want: Vec<u32> = (round * 50..round * 50 + 50).collect();
        assert_eq!(far.numbers(50, SOON), want);
    }
    assert!(threads() <= before + 1, "one thread at most");
    drop(ring);
    assert_eq!(threads(), before);
}

/// A lone frame leaves with its call, whatever the flush flag says.
#[test]
fn a_lone_frame_leaves_at_once() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let before = threads();
    let (ring, far) = pair(&lab);
    for number in 0..20 {
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(send(&ring, number, 60, 0), 60);
    }
    assert_eq!(far.numbers(20, SOON), upto(20));
    assert_eq!(threads(), before, "nothing had to wait");
}

/// Flush, a flushed frame and the end of the ring send what waits, in order.
#[test]
fn what_waits_leaves_when_it_is_told_to() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (ring, far) = pair(&lab);
    for number in 0..40 {
        insist(&ring, number, 60, 0);
    }
    assert_eq!(flush(&ring), 0);
    assert_eq!(flush(&ring), 0, "nothing waits");
    for number in 40..80 {
        insist(&ring, number, 60, 0);
    }
    insist(&ring, 80, 60, FLUSH);
    for number in 81..120 {
        insist(&ring, number, 60, 0);
    }
    drop(ring);
    assert_eq!(far.numbers(120, SOON), upto(120));
    assert_eq!(far.empty(), 0);
}

#[test]
fn a_watermark_of_one_lets_no_frame_wait() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let before = threads();
    let (ring, far) = pair(&lab);
    assert_eq!(set_tx_watermark(&ring, 1), 0);
    for number in 0..1_000 {
        insist(&ring, number, 60, 0);
    }
    assert_eq!(threads(), before);
    for mark in [0, 7, 64, u16::MAX] {
        assert_eq!(set_tx_watermark(&ring, mark), 0);
    }
    for number in 1_000..2_000 {
        insist(&ring, number, 60, 0);
    }
    assert_eq!(far.numbers(2_000, SOON), upto(2_000));
}

/// A link that is down is told, and nothing of it is sent later.
#[test]
fn a_link_that_is_down_is_told() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (ring, far) = pair(&lab);
    lab.a.ip("link set va down");
    assert_eq!((send(&ring, 1, 60, FLUSH), errno()), (-1, libc::ENETDOWN));
    let refused = (0..500).filter(|_| send(&ring, 2, 60, 0) < 0).count();
    assert!(refused > 0, "a stream is told as well");
    let _ = flush(&ring);
    lab.a.ip("link set va up");
    let give_up = Instant::now() + SOON;
    while send(&ring, 3, 60, FLUSH) != 60 {
        assert!(Instant::now() < give_up, "the link does not come back");
    }
    assert_eq!(far.packet(SOON).number(), 3);
}

/// A frame that is too long is refused before and after a stream, which goes on.
#[test]
fn r65_long_frames_are_refused_in_a_stream() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (ring, far) = pair(&lab);
    for number in 0..100 {
        insist(&ring, number, [60, 1_514][number as usize % 2], 0);
        if number % 10 == 0 {
            assert_eq!(send(&ring, 7, 9_000, 0), -2);
            assert_eq!(errno(), libc::EMSGSIZE);
            assert!(send(&ring, 7, 1_515, 0) < 0, "one byte too many");
        }
    }
    assert_eq!(far.numbers(100, SOON), upto(100));
    // Between the MTU's frame and room for a tag the kernel decides.
    assert!(send(&ring, 7, 1_515, FLUSH) < 0);
    assert_eq!(send(&ring, 100, 60, FLUSH), 60);
    assert_eq!(far.packet(SOON).number(), 100);
}

/// With PF_RING_TX_BPF the filter is one of what is sent; what is received is not filtered.
#[test]
fn a_filter_of_what_is_sent() {
    const TX_BPF: u32 = 1 << 22;
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (_, far) = pair(&lab);
    let ring = lab.a.run(|| Open::on("va").flags(TX_BPF).enabled());
    assert_eq!(ring.set_bpf_filter("no such words"), -2);
    assert_eq!(ring.set_bpf_filter("len <= 100"), 0);
    assert_eq!(send(&ring, 1, 60, FLUSH), 60);
    assert_eq!(send(&ring, 2, 200, FLUSH), 0);
    assert_eq!(send(&ring, 3, 100, FLUSH), 100);
    assert_eq!(far.numbers(2, SOON), [1, 3]);
    assert_eq!(far.send(&numbered(4, 300)), 300);
    let back = ring.numbers(3, SOON);
    assert!(back.contains(&4), "received unfiltered: {back:?}");
    assert_eq!(ring.remove_bpf_filter(), 0);
    assert!(ring.remove_bpf_filter() < 0);
    assert_eq!(send(&ring, 5, 200, FLUSH), 200);
    assert_eq!(far.packet(SOON).number(), 5);
}

/// Sent from several threads: each frame arrives once.
#[test]
fn several_threads_send() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let far = Open::on("vb").enabled();
    let ring = lab
        .a
        .run(|| Open::on("va").flags(common::ring::REENTRANT).enabled());
    std::thread::scope(|scope| {
        for part in 0..4u32 {
            let ring = &ring;
            scope.spawn(move || {
                for number in part * 2_000..(part + 1) * 2_000 {
                    insist(ring, number, 60, u8::from(number % 3 == 0));
                }
            });
        }
    });
    let mut got = far.numbers(8_000, SOON);
    got.sort_unstable();
    assert_eq!(got, upto(8_000));
}
