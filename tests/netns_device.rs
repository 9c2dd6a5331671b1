//! Device names and what a ring is bound to: VLANs, none and bind, stack, zc.

mod common;

use std::cell::RefCell;
use std::ffi::CString;
use std::time::Duration;

use common::flow::{flow, flows};
use common::frame::{ethernet_ipv4, ipv4_udp, numbered, tagged};
use common::lab::ifindex;
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
fn a_ring_has_up_to_64_interfaces() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let pairs: String = (0..32)
        .map(|i| format!("link add x{i} type veth peer name y{i}\n"))
        .collect();
    lab.b.ip(&pairs);
    let names: Vec<String> = (0..32).map(|i| format!("x{i},y{i}")).collect();
    let ring = Open::on(&names.join(",")).env("PFRING_RING_MB", "2").ring();
    assert_eq!((bind(&ring, "vb"), errno()), (-2, libc::EINVAL));
    assert_eq!(bind(&ring, "x3"), 0, "it has that one");
    let all = names.join(",") + ",vb";
    assert_eq!(Open::on(&all).open().err(), Some(libc::EINVAL));
    // The last one is waited for as well, and so is a break.
    let most = format!("{},vb", &names.join(",")[3..]);
    let ring = Open::on(&most).env("PFRING_RING_MB", "2").enabled();
    assert_eq!(ring.poll(20), 0);
    lab.sender().numbers(0..10);
    let _patience = ring.patience(SOON);
    assert_eq!(ring.recv(true).number(), 0);
    assert_eq!(ring.numbers(9, SOON).len(), 9);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ring.recv(true).rc);
        std::thread::sleep(Duration::from_millis(50));
        let start = std::time::Instant::now();
        ring.breakloop();
        assert_eq!(waiting.join().unwrap(), 0);
        assert!(
            start.elapsed() < Duration::from_millis(300),
            "before the poll duration"
        );
    });
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
    }
}

fn bind(ring: &Ring, name: &str) -> i32 {
    let name = CString::new(name).unwrap();
    set_errno(0);
    // SAFETY: the handle is valid until drop, the name terminated.
    unsafe { capi::pfring_bind(ring.raw(), name.as_ptr().cast_mut()) }
}

/// How many ask for promiscuous mode of an interface.
fn promiscuity(dev: &str) -> u32 {
    let shown = std::process::Command::new("ip")
        .args(["-d", "-o", "link", "show", dev])
        .output()
        .expect("ip(8)");
    let text = String::from_utf8(shown.stdout).unwrap();
    let (_, rest) = text.split_once("promiscuity ").expect("ip -d shows it");
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn none_is_bound_later() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    for backend in backends() {
        let promisc = abi::PF_RING_PROMISC;
        let ring = Open::on("none").flags(promisc).backend(backend).ring();
        assert_eq!((ring.device_id, ring.mtu), (0, 9000));
        assert_eq!(ring.send(&numbered(1, 60)), -12, "not enabled");
        assert_eq!(bind(&ring, "vb.7"), 0);
        assert_eq!((ring.device_id, ring.mtu), (ifindex("vb"), 1500));
        assert_eq!(bind(&ring, "vd"), 0, "one more");
        assert_eq!([promiscuity("vb"), promiscuity("vd")], [1, 1]);
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
