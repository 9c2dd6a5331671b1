//! Receive channels: queues of a veth pair, one by one and together.

mod common;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use common::flow::{flow, flow_number, flows};
use common::frame::{DST, SRC, mac};
use common::lab::wait_running;
use common::pcapfile::{Order, TempFile, pcap};
use common::sender::Sender;
use common::{Lab, Open, Ring, Turn, backends};
use pfring::capi;

const SOON: Duration = Duration::from_secs(5);

fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

fn ten_from(start: u32) -> Vec<u32> {
    (start..start + 10).collect()
}

/// The pair `qa` - `qb` with this many queues of each kind.
fn queued_pair(lab: &Lab, queues: u32) -> Sender {
    let count = format!("numrxqueues {queues} numtxqueues {queues}");
    lab.a.ip(&format!(
        "link add qa {count} address {} type veth peer name qb {count} address {} netns {}\n\
         link set qa arp off\n",
        mac(SRC),
        mac(DST),
        lab.b.path()
    ));
    lab.b.ip("link set qb arp off\nlink set qb up\n");
    lab.a.ip("link set qa up\n");
    wait_running("qb");
    lab.a.run(|| wait_running("qa"));
    Sender::on(&lab.a, "qa")
}

fn open_multichannel(name: &str) -> Vec<Ring> {
    let name = CString::new(name).unwrap();
    let mut raw = [std::ptr::null_mut(); 64];
    // SAFETY: the name is terminated, and there is room for 64 rings.
    let count = unsafe { capi::pfring_open_multichannel(name.as_ptr(), 1536, 0, raw.as_mut_ptr()) };
    assert!(raw[count as usize..].iter().all(|ring| ring.is_null()));
    raw[..count as usize]
        .iter()
        // SAFETY: each is a ring that nobody else has.
        .map(|raw| unsafe { Ring::from_raw(*raw) }.expect("as many rings as it says"))
        .collect()
}

fn num_channels(ring: &Ring) -> u8 {
    // SAFETY: the handle is valid until drop.
    unsafe { capi::pfring_get_num_rx_channels(ring.raw()) }
}

fn set_channel_id(ring: &Ring, id: u32) -> i32 {
    // SAFETY: the handle is valid until drop.
    unsafe { capi::pfring_set_channel_id(ring.raw(), id) }
}

fn set_channel_mask(ring: &Ring, mask: u64) -> i32 {
    // SAFETY: the handle is valid until drop.
    unsafe { capi::pfring_set_channel_mask(ring.raw(), mask) }
}

#[test]
fn r45_all_queues_without_a_suffix_and_each_packet_once_with_one() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = queued_pair(&lab, 4);
    let ring = Open::on("qb").enabled();
    assert_eq!(num_channels(&ring), 4);
    let rings = open_multichannel("zc:qb@7");
    assert_eq!(rings.len(), 4);
    rings.iter().for_each(Ring::enable);
    (0..1_000).for_each(|i| sender.send(&flow(i)));
    assert_eq!(sorted(flows(&ring, 1_000)), (0..1_000).collect::<Vec<_>>());
    let each: Vec<Vec<u32>> = rings.iter().map(|ring| flows(ring, 0)).collect();
    assert_eq!(sorted(each.concat()), (0..1_000).collect::<Vec<_>>());
    let counts: Vec<usize> = each.iter().map(Vec::len).collect();
    assert!(counts.iter().all(|n| *n > 50), "all queues: {counts:?}");
    // Sent frames belong to the first.
    let frame = flow(5);
    assert_eq!(ring.send(&frame), frame.len() as i32);
    for (channel, ring) in rings.iter().enumerate() {
        let expected = usize::from(channel == 0);
        assert_eq!(flows(ring, expected).len(), expected, "channel {channel}");
    }
}

/// Rings of a program that spins turn from blocks to slots while packets flow; each packet still comes by one
/// of them, and once.
#[test]
fn channels_hold_while_rings_turn() {
    const COUNT: u32 = 20_000;
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = queued_pair(&lab, 4);
    let rings = open_multichannel("qb");
    rings.iter().for_each(Ring::enable);
    let sending = AtomicBool::new(true);
    let read = |ring: &Ring| {
        let mut numbers = Vec::new();
        let mut last = Instant::now();
        loop {
            // Decided before the look: this thread may not have run for long.
            let over = !sending.load(SeqCst) && last.elapsed() > Duration::from_millis(300);
            let got = ring.recv(false);
            if got.rc == 1 {
                numbers.extend(flow_number(got.bytes()));
                last = Instant::now();
            } else if over {
                break;
            }
        }
        numbers
    };
    let mut all: Vec<u32> = std::thread::scope(|scope| {
        let readers: Vec<_> = rings
            .iter()
            .map(|ring| scope.spawn(|| read(ring)))
            .collect();
        for number in 0..COUNT {
            sender.send(&flow(number));
            if number % 50 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        sending.store(false, SeqCst);
        let joined = readers.into_iter().map(|reader| reader.join().unwrap());
        joined.flatten().collect()
    });
    all.sort_unstable();
    let lost: u64 = rings.iter().map(|ring| ring.stats().drop).sum();
    assert_eq!(lost, 0);
    assert_eq!(all, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn r45_channel_calls_are_harmless_on_one_queue() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb@0").backend(backend).enabled();
        assert_eq!(num_channels(&ring), 1);
        lab.sender().numbers(0..10);
        assert_eq!(ring.numbers(10, SOON), ten_from(0));
        assert_eq!(set_channel_id(&ring, 0), 0);
        lab.sender().numbers(10..20);
        assert_eq!(ring.numbers(10, SOON), ten_from(10));
        assert_eq!(set_channel_mask(&ring, u64::MAX), 0);
        lab.sender().numbers(20..30);
        assert_eq!(ring.numbers(10, SOON), ten_from(20));
    }
    assert_eq!(open_multichannel("vb").len(), 1);
    assert!(open_multichannel("nosuchdev").is_empty());
}

/// CPUs that this process may use.
fn cpus() -> Vec<usize> {
    // SAFETY: cpu_set_t is plain data, and the call fills it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let rc = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        assert_eq!(rc, 0, "sched_getaffinity");
        (0..libc::CPU_SETSIZE as usize)
            .filter(|cpu| libc::CPU_ISSET(*cpu, &set))
            .collect()
    }
}

/// Keeps the calling thread on one CPU.
fn stay_on(cpu: usize) {
    // SAFETY: cpu_set_t is plain data, and the call only reads it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        let rc = libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        assert_eq!(rc, 0, "sched_setaffinity");
    }
}

/// A sender without a queueing discipline uses the transmit queue with the number of its CPU, and veth hands
/// over that number: so it is known which channel a frame is of.
#[test]
fn a_channel_is_the_queue_of_that_number() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = queued_pair(&lab, 4);
    sender.bypass_queueing();
    let ring = Open::on("qb@").enabled();
    for cpu in cpus().into_iter().take(4) {
        let channel = cpu as u32 % 4;
        let send = |number| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    stay_on(cpu);
                    sender.send(&flow(number));
                });
            });
        };
        for (mask, comes) in [
            (1u64 << channel, true),
            (!(1 << channel), false),
            (0, false),
            (1 << 63 | 1 << channel, true),
            (u64::MAX, true),
        ] {
            assert_eq!(set_channel_mask(&ring, mask), 0);
            send(9);
            let got = flows(&ring, usize::from(comes));
            assert_eq!(got.len(), usize::from(comes), "cpu {cpu} mask {mask:#x}");
        }
        assert_eq!(set_channel_id(&ring, (channel + 1) % 4), 0);
        send(10);
        assert_eq!(set_channel_id(&ring, channel), 0);
        send(11);
        assert_eq!(flows(&ring, 1), [11]);
    }
    assert_eq!(set_channel_id(&ring, 64), -2);
    assert_eq!(set_channel_id(&ring, u32::MAX), 0, "all");
}

#[test]
fn channels_by_the_hash_of_packets() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = queued_pair(&lab, 4);
    for backend in backends() {
        let ring = Open::on("qb@1,3").backend(backend).enabled();
        // SAFETY: the handle is valid until drop.
        assert_eq!(unsafe { capi::pfring_enable_rss_rehash(ring.raw()) }, 0);
        let all = Open::on("qb").enabled();
        (0..200).for_each(|i| sender.send(&flow(i)));
        let hashes = RefCell::new(HashMap::new());
        all.drain(
            SOON,
            || hashes.borrow().len() == 200,
            |got| {
                let number = u32::from_be_bytes(got.bytes()[42..46].try_into().unwrap());
                let hash = got.header.extended_hdr.pkt_hash;
                hashes.borrow_mut().insert(number, hash);
            },
        );
        let hashes = hashes.into_inner();
        let expected: Vec<u32> = (0..200).filter(|i| hashes[i] % 2 == 1).collect();
        assert!(expected.len() > 20 && expected.len() < 180);
        assert_eq!(flows(&ring, expected.len()), expected);
    }
}

#[test]
fn a_file_has_no_channels() {
    let file = TempFile::new(&pcap(Order::Little, 0xa1b2_c3d4, 1, &[]));
    let ring = Open::on(&file.device()).enabled();
    assert_eq!(set_channel_id(&ring, 0), -7);
    assert_eq!(set_channel_mask(&ring, u64::MAX), -7);
    // SAFETY: the handle is valid until drop.
    assert_eq!(unsafe { capi::pfring_enable_rss_rehash(ring.raw()) }, -7);
    assert!(open_multichannel(&file.device()).is_empty());
}
