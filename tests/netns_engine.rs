//! The wait engine at work: blocks that turn into slots while frames flow, programs that spin and
//! are put to sleep, watermarks, the line of figures at close, frames larger than a slot.

mod common;

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::frame::{Mark, Random, mark, monotonic_ns};
use common::ring::RX_ONLY;
use common::sender::Sender;
use common::usage::cpu_of;
use common::worker::stay_on;
use common::{
    Form, Lab, Open, Outcome, Ring, Turn, Worker, best_of_three, child, forms, udp, within,
};
use pfring::capi;

const LONG: Duration = Duration::from_secs(30);
/// Lone frames sent after each stream.
const LONE: u32 = 20;

forms! {
    spinning_receive_is_given_slots, full_spinning_receive_is_given_slots => spinning_receive;
    spinning_loop_is_given_slots, full_spinning_loop_is_given_slots => spinning_loop;
    another_mode_brings_slots, full_another_mode_brings_slots => another_mode;
    two_interfaces_turn_together, full_two_interfaces_turn_together => two_interfaces;
    guarded_spinners_sleep, full_guarded_spinners_sleep => guarded_spinners;
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn set_mode(ring: &Ring, mode: &std::ffi::CStr) {
    // SAFETY: the handle is open, the text NUL-terminated; both outlive the call.
    let rc = unsafe { capi::pfring_wait_set_mode(ring.raw(), mode.as_ptr()) };
    assert_eq!(rc, 0, "{mode:?}");
}

/// A frame that was received: its mark, and when.
#[derive(Clone, Copy)]
struct Seen {
    mark: Mark,
    at_ns: u64,
}

impl Seen {
    fn of(bytes: &[u8]) -> Seen {
        Seen {
            at_ns: monotonic_ns(),
            mark: mark(bytes).expect("only numbered frames are sent"),
        }
    }

    fn latency(&self) -> Duration {
        Duration::from_nanos(self.at_ns - self.mark.sent_ns)
    }
}

/// How a program reads.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// pfring_recv(wait = 0) again and again.
    Spin,
    /// pfring_loop(wait = 0).
    Loop,
    /// pfring_recv(wait = 1).
    Block,
}

impl Way {
    /// Starts a thread that takes `count` frames.
    fn start(self, ring: &Arc<Ring>, count: usize) -> Worker<Vec<Seen>> {
        let ring = Arc::clone(ring);
        Worker::start(move || {
            let mut seen = Vec::with_capacity(count);
            if let Way::Loop = self {
                let rc = ring.run_loop(
                    |_, bytes| {
                        seen.push(Seen::of(bytes));
                        if seen.len() == count {
                            ring.breakloop();
                        }
                    },
                    false,
                );
                assert_eq!(rc, 1, "broken in the callback");
                return seen;
            }
            let end = Instant::now() + LONG;
            while seen.len() < count {
                let got = ring.recv(matches!(self, Way::Block));
                assert!(got.rc >= 0, "pfring_recv: {}, errno {}", got.rc, got.errno);
                if got.rc == 1 {
                    seen.push(Seen::of(got.bytes()));
                } else if Instant::now() > end {
                    panic!("only {} of {count} frames came", seen.len());
                }
            }
            seen
        })
    }
}

/// Sends lone frames at gaps of 5 to 15 ms, with the clock in them.
fn send_lone(sender: &Sender, first: u32) {
    let mut random = Random(0x5eed);
    for number in first..first + LONE {
        std::thread::sleep(Duration::from_micros(random.between(5_000, 15_000)));
        sender.number(number);
    }
}

/// Most lone frames are seen at once: on a ring of blocks half of them would take more than 5 ms.
fn soon(what: &str, lone: &[Seen]) -> Outcome {
    let late = lone.iter().filter(|s| s.latency() > ms(5)).count();
    within(&format!("late lone frames {what}"), late, 2)
}

/// A stream at `rate` frames a second into a ring that began as one of blocks, of which a second
/// half flows after the reader has started and then `turn` has run; lone frames follow. Each is
/// received once, in order, and the lone ones come soon.
fn streamed(lab: &Lab, way: Way, rate: u32, turn: impl Fn(&Ring)) -> Outcome {
    let what = format!("by {way:?} at {rate} a second");
    let ring = Arc::new(Open::on("vb").enabled());
    let sender = lab.sender();
    let flowing = rate * 6 / 10;
    let total = flowing + LONE;
    let sending = Worker::start(move || {
        sender.paced(0..flowing, rate);
        std::thread::sleep(ms(100));
        send_lone(&sender, flowing);
    });
    std::thread::sleep(ms(100));
    let reading = way.start(&ring, total as usize);
    std::thread::sleep(ms(100));
    turn(&ring);
    sending.finish(LONG);
    let seen = reading.finish(LONG);
    assert!(
        seen.iter().map(|s| s.mark.number).eq(0..total),
        "each once, in order, {what}"
    );
    assert_eq!(ring.recv(false).rc, 0, "none twice, {what}");
    let stats = ring.stats();
    assert_eq!((stats.recv, stats.drop), (u64::from(total), 0), "{what}");
    soon(&what, &seen[flowing as usize..])
}

fn each_rate(form: Form, way: Way, turn: impl Fn(&Ring)) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    for rate in [1_000, 20_000, 100_000] {
        for _ in 0..form.pick(1, 10) {
            best_of_three(|| streamed(&lab, way, rate, &turn));
        }
    }
}

fn spinning_receive(form: Form) {
    each_rate(form, Way::Spin, |_| ());
}

fn spinning_loop(form: Form) {
    each_rate(form, Way::Loop, |_| ());
}

fn another_mode(form: Form) {
    each_rate(form, Way::Block, |ring| set_mode(ring, c"active"));
}

/// Without a change lone frames wait for the timer of the block: what the tests above rely on.
#[test]
fn lone_frames_wait_for_a_block() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let ring = Arc::new(Open::on("vb").enabled());
    let reading = Way::Block.start(&ring, LONE as usize);
    send_lone(&lab.sender(), 0);
    let seen = reading.finish(LONG);
    let late = seen.iter().filter(|s| s.latency() > ms(5)).count();
    assert!(late > 2, "{late} of {LONE} frames took more than 5 ms");
}

/// Frames of the second interface have numbers from here on.
const SECOND: u32 = 1 << 24;

fn two_interfaces(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    for rate in [1_000, 20_000] {
        for _ in 0..form.pick(1, 10) {
            let frames = rate * 6 / 10;
            let ring = Arc::new(Open::on("vb,vd").enabled());
            let senders = [(lab.sender(), 0), (Sender::on(&lab.a, "vc"), SECOND)];
            let sending = senders.map(|(sender, first)| {
                Worker::start(move || sender.paced(first..first + frames, rate))
            });
            std::thread::sleep(ms(100));
            let reading = Way::Spin.start(&ring, 2 * frames as usize);
            for worker in sending {
                worker.finish(LONG);
            }
            let seen = reading.finish(LONG);
            let (second, first): (Vec<u32>, Vec<u32>) = seen
                .iter()
                .map(|s| s.mark.number)
                .partition(|number| *number >= SECOND);
            assert!(first.into_iter().eq(0..frames), "vb, each once, in order");
            let expected = SECOND..SECOND + frames;
            assert!(second.into_iter().eq(expected), "vd, each once, in order");
            assert_eq!(ring.recv(false).rc, 0, "none twice");
            assert_eq!(ring.stats().drop, 0);
        }
    }
}

/// The calls that a program may spin on: whether a packet is there.
type Look = fn(&Ring) -> bool;

/// Spins on `look` for `wall` while 100 frames a second come; all must be received. The share of
/// a core that the process uses, and the latencies, sorted.
fn spin_on(lab: &Lab, open: &Open, look: Look, wall: Duration) -> (f64, Vec<Duration>) {
    let ring = open.enabled();
    let sender = lab.sender();
    let frames = u32::try_from(wall.as_millis() / 10).expect("a short time");
    let sending = Worker::start(move || {
        for number in 0..frames {
            std::thread::sleep(ms(10));
            sender.number(number);
        }
    });
    let start = Instant::now();
    let (seen, cpu) = cpu_of(|| {
        let mut seen = Vec::new();
        while seen.len() < frames as usize && start.elapsed() < wall + LONG {
            if look(&ring) {
                let got = ring.recv(false);
                if got.rc == 1 {
                    seen.push(Seen::of(got.bytes()));
                }
            }
        }
        seen
    });
    let share = cpu.as_secs_f64() / start.elapsed().as_secs_f64();
    sending.finish(LONG);
    assert!(
        seen.iter().map(|s| s.mark.number).eq(0..frames),
        "each frame once, in order"
    );
    let mut latencies: Vec<_> = seen.iter().map(Seen::latency).collect();
    latencies.sort_unstable();
    (share, latencies)
}

fn guarded_spinners(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let wall = ms(form.pick(1_000, 2_000));
    let ways: [(&str, Look); 3] = [
        ("recv(0)", |_| true),
        ("poll(0)", |ring| ring.poll(0) == 1),
        ("is_pkt_available", |ring| ring.available() == 1),
    ];
    let guarded = Open::on("vb").env("PFRING_IDLE_GUARD", "1");
    for (what, look) in ways {
        best_of_three(|| {
            let (share, latencies) = spin_on(&lab, &guarded, look, wall);
            within(&format!("share of a core on {what}"), share, 0.10)?;
            let at = latencies.len() * 95 / 100;
            within(&format!("p95 on {what}"), latencies[at], ms(10))
        });
    }
    let (share, _) = spin_on(&lab, &Open::on("vb"), |_| true, wall);
    assert!(share > 0.25, "without the guard it spins: {share}");
}

/// `PFRING_IDLE_GUARD=N:time`: empty calls after the N-th take that time.
#[test]
fn idle_guard_takes_calls_and_time() {
    let Some(_lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let open = |guard: &str| Open::on("vb").env("PFRING_IDLE_GUARD", guard);
    let thousand_calls = |ring: &Ring| {
        let start = Instant::now();
        for _ in 0..1_000 {
            assert_eq!(ring.recv(false).rc, 0, "the link is silent");
        }
        start.elapsed()
    };
    let slow = thousand_calls(&open("5:200us").enabled());
    assert!(slow >= ms(190), "995 calls of 200 us took {slow:?}");
    for guard in ["2000:5ms", "0"] {
        best_of_three(|| {
            let quick = thousand_calls(&open(guard).enabled());
            within(&format!("1,000 calls with {guard}"), quick, ms(190))
        });
    }
    for guard in ["5:", "5:200xs", "x", "-1", ":1us", "0:1us"] {
        assert_eq!(open(guard).open().err(), Some(libc::EINVAL), "{guard:?}");
    }
}

/// A ring of one mechanism with a watermark of 64 packets.
fn with_watermark(backend: &str) -> Ring {
    let ring = Open::on("vb").backend(Some(backend)).ring();
    assert_eq!(ring.set_poll_watermark(64), 0);
    ring.enable();
    ring
}

/// pfring_poll answers 1; how long it took.
fn poll_takes(ring: &Ring, limit_ms: u32) -> Duration {
    let start = Instant::now();
    assert_eq!(ring.poll(limit_ms), 1, "packets are there");
    start.elapsed()
}

#[test]
fn watermark_is_exact() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    for (backend, limit_ms) in [("tpacket2", 50), ("tpacket3", 200)] {
        best_of_three(|| {
            let ring = with_watermark(backend);
            sender.numbers(0..63);
            let took = poll_takes(&ring, 300);
            assert!(took >= ms(290), "one less than wanted: {took:?}, {backend}");
            sender.numbers(63..64);
            let took = poll_takes(&ring, 1_000);
            let numbers = ring.numbers(64, LONG);
            assert!(numbers.into_iter().eq(0..64), "each once, in order");
            within(&format!("poll with 64 on {backend}"), took, ms(limit_ms))
        });
    }
}

#[test]
fn watermark_timeout_ends_a_poll() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let sender = lab.sender();
    for backend in ["tpacket2", "tpacket3"] {
        best_of_three(|| {
            let ring = with_watermark(backend);
            // SAFETY: the handle is open until the end of the round.
            let rc = unsafe { capi::pfring_set_poll_watermark_timeout(ring.raw(), 50) };
            assert_eq!(rc, 0);
            sender.numbers(0..5);
            let took = poll_takes(&ring, 2_000);
            assert!(took >= ms(45), "before the timeout: {took:?}, {backend}");
            let numbers = ring.numbers(5, LONG);
            assert!(numbers.into_iter().eq(0..5), "each once, in order");
            within(&format!("poll with 5 on {backend}"), took, ms(200))
        });
    }
}

/// `PFRING_STATS=1`: one line on stderr at close, whose packets are those of pfring_stats.
#[test]
fn figures_at_close() {
    const NAME: &str = "figures_at_close";
    if child::role().is_some() {
        return figures_of_a_flooded_ring();
    }
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let run = child::again(NAME, "close").output().expect("it starts");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{stdout}\n{stderr}");
    let lines: Vec<&str> = stderr.lines().collect();
    let [line] = lines[..] else {
        panic!("not one line on stderr:\n{stderr}");
    };
    let (_, figures) = line.split_once("stats ").expect("it says what it is");
    let pairs: Vec<(&str, &str)> = figures
        .split(' ')
        .map(|word| {
            word.split_once('=')
                .unwrap_or_else(|| panic!("{word:?} in {line:?}"))
        })
        .collect();
    let value = |key: &str| pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
    assert_eq!(value("device"), Some("vb"));
    assert_eq!(value("mechanism"), Some("tpacket3"));
    assert_eq!(value("mode"), Some("passive"));
    let told = |key: &str| {
        let word = stdout
            .split_whitespace()
            .find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
        word.expect("the child says what pfring_stats said")
    };
    for key in ["recv", "drop"] {
        assert_ne!(told(key), "0", "the ring was too small for all: {stdout}");
        assert_eq!(value(key), Some(told(key)), "{key} in {line:?}");
    }
}

/// The child: sends more than the ring holds, reads what it holds, says how many, and closes.
fn figures_of_a_flooded_ring() {
    let ring = Open::on("vb")
        .env("PFRING_STATS", "1")
        .env("PFRING_RING_MB", "2")
        .enabled();
    Sender::here("vb").numbers(0..60_000);
    let numbers = ring.numbers(1, LONG);
    let stats = ring.stats();
    assert_eq!(stats.recv, numbers.len() as u64);
    println!(" recv={} drop={} ", stats.recv, stats.drop);
    let written = child::stdout_of(|| drop(ring));
    assert!(written.is_empty(), "closing writes to stdout");
}

/// Frames larger than any slot come whole and in their order, as they do from blocks.
#[test]
fn large_segments_come_whole_in_slots() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.addresses();
    // On one CPU: frames that two CPUs receive at once may reach two sockets in different orders.
    stay_on(0);
    let open = |backend| {
        let ring = Open::on("vb").caplen(65_535).backend(Some(backend)).ring();
        assert_eq!(ring.set_direction(RX_ONLY), 0);
        ring.enable();
        ring
    };
    let (slots, blocks) = (open("tpacket2"), open("tpacket3"));
    let transfer = udp::bulk(&lab.a, &lab.b, 2_000_000);
    let from_slots = whole_frames(&slots, || transfer.is_finished());
    assert_eq!(transfer.finish(LONG), 2_000_000, "the transfer itself");
    let from_blocks = whole_frames(&blocks, || true);
    let longest = from_slots.iter().map(Vec::len).max();
    assert!(longest > Some(20_000), "the longest frame has {longest:?}");
    assert_eq!(from_slots.len(), from_blocks.len(), "as many frames");
    for (number, (slot, block)) in from_slots.iter().zip(&from_blocks).enumerate() {
        assert_eq!(slot.len(), block.len(), "length of frame {number}");
        assert!(slot == block, "bytes of frame {number}");
    }
    assert_eq!((slots.stats().drop, blocks.stats().drop), (0, 0));
}

/// Every frame that comes until `over`; none may be cut.
fn whole_frames(ring: &Ring, over: impl Fn() -> bool) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let cut = Cell::new(0);
    ring.drain(LONG, over, |got| {
        let header = got.header;
        if header.caplen != header.len {
            cut.set(cut.get() + 1);
        }
        frames.push(got.bytes().to_vec());
    });
    assert_eq!(cut.get(), 0, "frames that were cut, of {}", frames.len());
    frames
}

/// A program may read the packet that it got last after calls that found none (masscan does): also when
/// its ring has turned from blocks to slots meanwhile.
#[test]
fn the_last_packet_stays_readable_after_the_turn() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    lab.sender().numbers(0..3);
    for number in 0..2 {
        assert_eq!(ring.packet(LONG).number(), number);
    }
    let last = ring.packet(LONG);
    for round in 0..3 {
        spin_empty(&ring, ms(300));
        assert_eq!(last.number(), 2, "round {round}");
    }
    for number in 3..6 {
        lab.sender().number(number);
        let last = ring.packet(LONG);
        spin_empty(&ring, ms(20));
        assert_eq!(last.number(), number);
    }
}

/// The same for a packet that is larger than a slot.
#[test]
fn a_large_last_packet_stays_readable() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb")
        .caplen(9_216)
        .backend(Some("tpacket2"))
        .enabled();
    lab.mtu(9_000);
    let frame = common::frame::numbered(1, 8_000);
    lab.sender().send(&frame);
    let last = ring.packet(LONG);
    spin_empty(&ring, ms(20));
    assert_eq!(last.bytes(), frame);
}

fn spin_empty(ring: &Ring, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        assert_eq!(ring.recv(false).rc, 0);
    }
}
