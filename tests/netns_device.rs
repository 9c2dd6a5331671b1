//! Device names and what a ring is bound to: VLANs, channels, none and bind, stack, zc.

mod common;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::time::Duration;

use common::frame::{DST, SRC, ethernet_ipv4, ipv4_udp, mac, numbered, tagged};
use common::lab::{ifindex, wait_running};
use common::pcapfile::{Order, Record, TempFile, pcap};
use common::ring::{LONG_HEADER, RX_AND_TX, RX_ONLY, TX_ONLY, errno, set_errno};
use common::sender::Sender;
use common::{Form, Lab, Open, Ring, Turn, backends, forms};
use pfring::{abi, capi};

const SOON: Duration = Duration::from_secs(5);
const NOT_SUPPORTED: i32 = -7;

/// A numbered frame with tags.
fn in_vlans(number: u32, ids: &[u16]) -> Vec<u8> {
    let tags: Vec<_> = ids.iter().map(|id| (0x8100, *id)).collect();
    tagged(&numbered(number, 60), &tags)
}

/// Ten frames in VLAN 7, ten in VLAN 8, ten without a tag, ten in VLAN 8 with 7 inside, mixed.
fn send_vlans(sender: &Sender) {
    for i in 0..10 {
        sender.send(&in_vlans(i, &[7]));
        sender.send(&in_vlans(100 + i, &[8]));
        sender.send(&in_vlans(200 + i, &[]));
        sender.send(&in_vlans(300 + i, &[8, 7]));
    }
}

fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

fn ten_from(start: u32) -> Vec<u32> {
    (start..start + 10).collect()
}

#[test]
fn r44_parentheses_are_literal_and_a_dot_is_a_vlan() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.b
        .ip("link add vb.7 type veth peer name vx.7\nlink set vb.7 up\n");
    assert_eq!(Open::on("(vb.7)").ring().device_id, ifindex("vb.7"));
    for backend in backends() {
        let ring = Open::on("vb.7").backend(backend).enabled();
        assert_eq!(ring.device_id, ifindex("vb"));
        send_vlans(&lab.sender());
        let got = sorted(ring.numbers(20, SOON));
        assert_eq!(got, [ten_from(0), ten_from(300)].concat());
    }
}

#[test]
fn vlans_of_lists_any_and_none_at_all() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    let other = Sender::on(&lab.a, "vc");
    let rows: [(&str, &[u32]); 7] = [
        ("vb.8", &[100, 300]),
        ("vb.0", &[200]),
        ("vb.7,vb.8", &[0, 100, 300]),
        ("vb.8,vb", &[0, 100, 200, 300]),
        ("any.7", &[0, 300]),
        ("vd,vb.8", &[100, 300]),
        ("vb.9", &[]),
    ];
    for (name, starts) in rows {
        let ring = Open::on(name).enabled();
        send_vlans(&lab.sender());
        // What the other interface of the list gets is not tested: it is not to come where it is none.
        other.send(&in_vlans(1_000, &[9]));
        let mut expected: Vec<u32> = starts.iter().flat_map(|start| ten_from(*start)).collect();
        if name == "vd,vb.8" {
            expected.push(1_000);
        }
        let got = sorted(ring.numbers(expected.len(), SOON));
        assert_eq!(got, expected, "{name}");
    }
}

/// An interface whose name has a dot is found where there is no other meaning.
#[test]
fn a_dotted_name_without_its_base_is_the_interface() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.b.ip("link add wan.5 type veth peer name wan5\n");
    assert_eq!(Open::on("wan.5").ring().device_id, ifindex("wan.5"));
    assert_eq!(Open::on("wan.6").open().err(), Some(libc::ENODEV));
}

#[test]
fn set_vlan_id_holds_for_queued_packets_too() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let set = |ring: &Ring, id| {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_set_vlan_id(ring.raw(), id) }
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).enabled();
        send_vlans(&lab.sender());
        // The queue has been filled when the last frame can be read.
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(set(&ring, 8), 0);
        send_vlans(&lab.sender());
        let expected = [ten_from(100), ten_from(100), ten_from(300), ten_from(300)].concat();
        assert_eq!(sorted(ring.numbers(40, SOON)), sorted(expected));
        assert_eq!(set(&ring, 0xf000), 0, "12 bits: without a tag");
        send_vlans(&lab.sender());
        assert_eq!(ring.numbers(10, SOON), ten_from(200));
        assert_eq!(ring.set_direction(TX_ONLY), 0);
        set_errno(0);
        assert_eq!((set(&ring, 7), errno()), (-1, libc::EINVAL));
    }
}

#[test]
fn set_vlan_id_holds_for_files() {
    let records = [&[][..], &[7], &[8], &[8, 7]].map(|ids| Record::new(1, 2, in_vlans(9, ids)));
    let file = TempFile::new(&pcap(Order::Little, 0xa1b2_c3d4, 1, &records));
    for (id, expected) in [(0, &[0][..]), (7, &[1, 3]), (8, &[2, 3]), (9, &[])] {
        let ring = Open::on(&file.device()).enabled();
        // SAFETY: the handle is valid until drop.
        assert_eq!(unsafe { capi::pfring_set_vlan_id(ring.raw(), id) }, 0);
        for i in expected {
            assert_eq!(ring.recv(false).bytes(), records[*i].bytes, "VLAN {id}");
        }
        assert_eq!(ring.recv(false).rc, -2, "end of file");
        assert_eq!(set_channel_id(&ring, 0), NOT_SUPPORTED);
    }
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

/// A UDP frame of a flow of its own.
fn flow(number: u32) -> Vec<u8> {
    let port = 1024 + (number * 7) as u16;
    let packet = ipv4_udp(
        [10, 0, 0, 1],
        [10, 0, (number >> 8) as u8, 2],
        (port, 2000),
        &number.to_be_bytes(),
    );
    ethernet_ipv4(&packet)
}

/// The numbers of flows that come, in order.
fn flows(ring: &Ring, expected: usize) -> Vec<u32> {
    let numbers = RefCell::new(Vec::new());
    ring.drain(
        SOON,
        || numbers.borrow().len() >= expected,
        |got| {
            let bytes = got.bytes();
            if bytes.len() >= 46 && bytes[12..14] == [8, 0] {
                let number = u32::from_be_bytes(bytes[42..46].try_into().unwrap());
                numbers.borrow_mut().push(number);
            }
        },
    );
    numbers.into_inner()
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

fn bind(ring: &Ring, name: &str) -> i32 {
    let name = CString::new(name).unwrap();
    set_errno(0);
    // SAFETY: the handle is valid until drop, the name terminated.
    unsafe { capi::pfring_bind(ring.raw(), name.as_ptr().cast_mut()) }
}

#[test]
fn none_is_bound_later() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    for backend in backends() {
        let ring = Open::on("none").backend(backend).ring();
        assert_eq!((ring.device_id, ring.mtu), (0, 9000));
        assert_eq!(ring.send(&numbered(1, 60)), -12, "not enabled");
        assert_eq!(bind(&ring, "vb.7"), 0);
        assert_eq!((ring.device_id, ring.mtu), (ifindex("vb"), 1500));
        assert_eq!(bind(&ring, "vd"), 0, "one more");
        ring.enable();
        assert_eq!((bind(&ring, "lo"), errno()), (-1, libc::EBUSY));
        send_vlans(&lab.sender());
        Sender::on(&lab.a, "vc").numbers(400..410);
        let expected = [ten_from(0), ten_from(300), ten_from(400)].concat();
        assert_eq!(sorted(ring.numbers(30, SOON)), expected);
        assert_eq!(ring.send(&numbered(1, 60)), 60, "by the first");
    }
}

#[test]
fn none_may_be_enabled_before_it_is_bound() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("none").backend(backend).enabled();
        assert_eq!(ring.set_bpf_filter("ether[12:2] = 0x88b5"), 0);
        assert_eq!((ring.recv(false).rc, ring.poll(20)), (0, 0));
        assert_eq!(ring.send(&numbered(1, 60)), NOT_SUPPORTED);
        assert_eq!(ring.readiness(0), 0, "nothing can come");
        for (name, error) in [
            ("none", libc::EINVAL),
            ("", libc::EINVAL),
            ("vb.x", libc::EINVAL),
            ("nosuchdev", libc::ENODEV),
            ("vb,nosuchdev", libc::ENODEV),
        ] {
            assert_eq!((bind(&ring, name), errno()), (-1, error), "{name:?}");
        }
        assert_eq!(bind(&ring, "stack:vb"), NOT_SUPPORTED);
        assert_eq!(bind(&ring, "vb"), 0);
        lab.sender().send(&flow(3));
        lab.sender().numbers(0..10);
        assert!(ring.readiness(2_000) & libc::POLLIN != 0);
        assert_eq!(ring.numbers(10, SOON), ten_from(0));
        assert_eq!((bind(&ring, "lo"), errno()), (-1, libc::EBUSY));
    }
}

#[test]
fn stack_is_what_the_host_sends() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("stack:vb").backend(backend).enabled();
        assert_eq!(ring.direction.0, TX_ONLY);
        for direction in [RX_ONLY, RX_AND_TX] {
            assert_eq!(ring.set_direction(direction), 0);
            assert_eq!(ring.direction.0, TX_ONLY, "it is for nothing else");
        }
        lab.sender().numbers(0..10);
        Sender::here("vb").numbers(10..20);
        assert_eq!(ring.numbers(10, SOON), ten_from(10));
        assert_eq!(bind(&ring, "vb"), NOT_SUPPORTED);
    }
}

/// What a ring of the host's traffic sends comes in by the interface: taps see it as received, and the host's
/// sockets get it.
#[test]
fn what_a_stack_ring_sends_comes_in() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.addresses();
    let ring = Open::on("stack:vb").ring();
    if ring.send.is_none() {
        common::lab::skip("no eBPF program can be loaded (CAP_BPF)");
        return;
    }
    assert_eq!(ring.send(&numbered(1, 60)), -12, "not enabled");
    ring.enable();
    let socket = std::net::UdpSocket::bind("10.9.0.2:2000").unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let tap = Open::on("vb").flags(LONG_HEADER).enabled();
    for number in 0..10u8 {
        let packet = ipv4_udp([10, 9, 0, 1], [10, 9, 0, 2], (1000, 2000), &[number; 4]);
        let mut frame = ethernet_ipv4(&packet);
        if number == 9 {
            frame = tagged(&frame, &[(0x8100, 7)]);
        }
        assert_eq!(ring.send(&frame), frame.len() as i32);
        let got = tap.packet(SOON);
        assert_eq!(got.bytes(), frame);
        let extended = got.header.extended_hdr;
        assert_eq!(
            (extended.rx_direction, extended.if_index),
            (1, ifindex("vb"))
        );
        if number < 9 {
            let mut buffer = [0; 64];
            let (len, from) = socket.recv_from(&mut buffer).unwrap();
            assert_eq!((&buffer[..len], from.port()), (&[number; 4][..], 1000));
        }
    }
    assert_eq!(ring.numbers(0, SOON), [], "it came in and did not leave");
    let peer = lab.a.run(|| Open::on("va").enabled());
    assert_eq!(ring.send(&flow(1)), 60);
    assert_eq!(flows(&peer, 0), [], "nothing goes to the wire");
    assert_eq!(
        ring.send(&numbered(1, 1_519)),
        -2,
        "longer than the MTU and a header"
    );
    let receiving = Open::on("stack:vb").ring();
    // SAFETY: the handle is valid until drop.
    let rc =
        unsafe { capi::pfring_set_socket_mode(receiving.raw(), abi::socket_mode::RECV_ONLY_MODE) };
    assert_eq!(rc, 0);
    receiving.enable();
    assert_eq!(receiving.send(&numbered(1, 60)), NOT_SUPPORTED);
}

/// What takes hardware that a veth is not.
#[test]
fn r66_what_is_not_supported_says_so_and_harms_nothing() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let raw = ring.raw();
    let mut frame = numbered(7, 60);
    let packet = frame.as_mut_ptr().cast();
    let mut time = libc::timespec {
        tv_sec: 1,
        tv_nsec: 2,
    };
    let mut rule = rule();
    let mut chunk = std::ptr::null_mut();
    // SAFETY: plain data; all zero is a valid value.
    let mut info: abi::pfring_chunk_info = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is valid until drop; every pointer leads to what the function wants.
    let answers = unsafe {
        [
            capi::pfring_set_tx_watermark(raw, 4),
            capi::pfring_send_get_time(raw, packet, 60, &raw mut time),
            capi::pfring_add_hw_rule(raw, &raw mut rule),
            capi::pfring_remove_hw_rule(raw, 1),
            capi::pfring_set_default_hw_action(raw, abi::generic_default_action_type(1)),
            capi::pfring_get_device_clock(raw, &raw mut time),
            capi::pfring_set_device_clock(raw, &raw mut time),
            capi::pfring_adjust_device_clock(raw, &raw mut time, -1),
            capi::pfring_recv_chunk(raw, &raw mut chunk, &raw mut info, 0),
            capi::pfring_loopback_test(raw, packet, 60, 60),
            capi::pfring_set_virtual_device(raw, std::ptr::null_mut()),
        ]
    };
    const NO: i32 = NOT_SUPPORTED;
    assert_eq!(answers, [0, NO, NO, NO, NO, NO, NO, NO, 0, 0, NO]);
    assert_eq!((time.tv_sec, time.tv_nsec), (1, 2), "not written");
    assert!(ring.add_hw_rule.is_none() && ring.remove_hw_rule.is_none());
    assert!(ring.get_device_clock.is_none() && ring.send_get_time.is_none());
    assert!(ring.set_channel_id.is_some() && ring.bind.is_some());
    lab.sender().numbers(0..10);
    assert_eq!(ring.numbers(10, SOON), ten_from(0));
    assert_eq!(ring.send(&numbered(1, 60)), 60);
    assert_eq!(ring.numbers(1, SOON), [1]);
}

/// A rule that a card could take.
fn rule() -> abi::hw_filtering_rule {
    // SAFETY: the rule is plain data; all zero is a valid value.
    let mut rule: abi::hw_filtering_rule = unsafe { std::mem::zeroed() };
    rule.rule_family_type = abi::hw_filtering_rule_type::INTEL_82599_FIVE_TUPLE_RULE;
    rule.rule_id = 1;
    rule.rule_family.five_tuple_rule = abi::intel_82599_five_tuple_filter_hw_rule {
        proto: 17,
        s_addr: 0x0a00_0001,
        d_addr: 0x0a00_0002,
        s_port: 1000,
        d_port: 53,
        queue_id: 0,
    };
    rule
}

#[test]
fn stamps_of_a_card_that_has_none() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb,lo")
            .flags(abi::PF_RING_HW_TIMESTAMP)
            .backend(backend)
            .enabled();
        assert_eq!(ring.hw_ts.enable_hw_timestamp, 1, "as it was asked for");
        let enable = |name: &str| {
            let name = CString::new(name).unwrap();
            set_errno(7);
            // SAFETY: the handle is valid until drop, the name terminated.
            let rc = unsafe {
                capi::pfring_enable_hw_timestamp(ring.raw(), name.as_ptr().cast_mut(), 1, 1)
            };
            (rc, errno())
        };
        assert_eq!(enable("vb"), (libc::EOPNOTSUPP, 0));
        assert_eq!(enable("nosuchdev"), (libc::ENODEV, 0));
        let before = common::frame::realtime_ns();
        lab.sender().numbers(0..10);
        for _ in 0..10 {
            let stamp = { ring.packet(SOON).header.extended_hdr.timestamp_ns };
            assert!((before..=common::frame::realtime_ns()).contains(&stamp));
        }
    }
}

forms! {
    r46_zc_opens_like_a_tap, r46_zc_opens_like_a_tap_full => r46;
}

fn r46(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let frames: Vec<u32> = (0..100).collect();
    let mut seen = Vec::new();
    for name in ["zc:vb", "vb"] {
        let ring = Open::on(name).enabled();
        lab.sender().numbers(0..100);
        let got = RefCell::new(Vec::new());
        ring.drain(
            SOON,
            || got.borrow().len() == 100,
            |packet| got.borrow_mut().push(packet.bytes().to_vec()),
        );
        assert_eq!(got.borrow().len(), frames.len(), "{name}");
        seen.push(got.into_inner());
    }
    assert!(seen[0] == seen[1], "the same frames");
    // Longer than the five minutes after which the original stops without a licence.
    let (count, gap) = form.pick(
        (60, Duration::from_millis(50)),
        (420, Duration::from_secs(1)),
    );
    let ring = Open::on("zc:vb").enabled();
    for number in 0..count {
        lab.sender().number(number);
        assert_eq!(ring.packet(SOON).number(), number);
        std::thread::sleep(gap);
    }
    assert_eq!(ring.stats().recv, u64::from(count));
}
