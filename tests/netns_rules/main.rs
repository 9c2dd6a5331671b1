//! Filtering rules on live traffic: which packets are delivered, what is counted, what is sent on.

#[path = "../common/mod.rs"]
mod common;

mod call;
mod kernel;
mod reflect;

use std::time::Duration;

use call::*;
use common::frame::{DST, SRC, ethernet_ipv4, ipv4_udp, tagged};
use common::{Lab, Turn, backends};
use pfring::{abi, capi};

#[test]
fn r63_statistics_of_rules_are_true() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = receiving("vb", backend);
        assert_eq!(add(&ring, &rule(7, FORWARD, 53)), (0, 0));
        assert_eq!(add(&ring, &rule(9, DROP, 54)), (0, 0));
        let key = flow(DROP, 1000, 55);
        assert_eq!(handle(&ring, &key, true), (0, 0));
        for _ in 0..5 {
            for dport in [53, 54, 55, 56] {
                lab.sender().send(&udp(1000, dport));
            }
        }
        assert_ports(&ring, &[53, 56].repeat(5));
        assert_eq!(rule_count(&ring, 7), Ok((5, 0, 0)));
        assert_eq!(rule_count(&ring, 9), Ok((5, 5, 0)));
        assert_eq!(flow_count(&ring, &key), Ok((5, 5, 0)));
        assert_eq!(ring.stats().recv, 10, "what rules drop is not received");
        assert_eq!(ring.stats().drop, 0);
        for id in [8, 0, 65_535] {
            assert_eq!(rule_count(&ring, id), Err((-1, libc::EFAULT)));
        }
        let unknown = flow(DROP, 1000, 56);
        assert_eq!(flow_count(&ring, &unknown), Err((-1, libc::EFAULT)));
        let mut short = 27;
        let mut buffer = [0; 28];
        // SAFETY: the handle is open, the buffer has the bytes that its length says.
        let rc = unsafe {
            capi::pfring_get_filtering_rule_stats(
                ring.raw(),
                7,
                buffer.as_mut_ptr(),
                &raw mut short,
            )
        };
        assert_eq!((rc, short), (-2, 27));
    }
}

#[test]
fn r64_drop_rules_and_the_default_policy() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = receiving("vb", backend);
        let send = || {
            for _ in 0..10 {
                lab.sender().send(&udp(1000, 53));
                lab.sender().send(&udp(1000, 54));
            }
        };
        assert_eq!(add(&ring, &rule(1, DROP, 53)), (0, 0));
        send();
        assert_ports(&ring, &[54; 10]);
        assert_eq!(remove(&ring, 1), (0, 0));
        assert_eq!(remove(&ring, 1), (-1, libc::EFAULT));
        policy(&ring, false);
        assert_eq!(add(&ring, &rule(1, FORWARD, 54)), (0, 0));
        send();
        assert_ports(&ring, &[54; 10]);
        assert_eq!(remove(&ring, 1), (0, 0));
        send();
        assert_ports(&ring, &[]);
        policy(&ring, true);
        send();
        assert_ports(&ring, &[53, 54].repeat(10));
    }
}

#[test]
fn the_lowest_id_comes_first() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    for (id, action, dport) in [
        (30, DROP, 0),
        (20, FORWARD, 53),
        (10, CONTINUE, 53),
        (15, STOP, 54),
        (65_535, FORWARD, 0),
    ] {
        assert_eq!(add(&ring, &rule(id, action, dport)), (0, 0));
    }
    assert_eq!(add(&ring, &rule(20, DROP, 0)), (-1, libc::EEXIST));
    for dport in [53, 54, 55] {
        lab.sender().send(&udp(1, dport));
    }
    for (dport, id) in [(53, 20), (54, 15)] {
        let got = ring.packet(SOON);
        let parsed = got.header.extended_hdr.parsed_pkt;
        assert_eq!(
            ({ parsed.l4_dst_port }, { parsed.last_matched_rule_id }),
            (dport, id)
        );
    }
    assert_ports(&ring, &[]);
    let counts = [10, 15, 20, 30, 65_535].map(|id| rule_count(&ring, id).unwrap().0);
    assert_eq!(counts, [1, 1, 1, 1, 0]);
}

#[test]
fn fields_of_a_rule() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    policy(&ring, false);
    let mut by_host = rule(1, FORWARD, 0);
    by_host.core_fields.shost = abi::ip_addr::from_v4(0x0a09_00ff);
    by_host.core_fields.shost_mask = abi::ip_addr::from_v4(0xffff_ff00);
    by_host.core_fields.dport_low = 50;
    by_host.core_fields.dport_high = 59;
    by_host.balance_id = 5;
    let mut changed = by_host;
    // SAFETY: the handle is open, the rule is a whole one.
    let rc = unsafe { capi::pfring_add_filtering_rule(ring.raw(), &raw mut changed) };
    assert_eq!(rc, 0);
    assert_eq!({ changed.core_fields.shost }.v4(), 0x0a09_0000);
    assert_eq!(changed.balance_id, 0);
    let mut by_vlan = rule(2, FORWARD, 0);
    by_vlan.core_fields.vlan_id = 7;
    let mut by_payload = rule(3, FORWARD, 99);
    for (to, from) in by_payload
        .extended_fields
        .payload_pattern
        .iter_mut()
        .zip(b"nothing|PAYLOAD to")
    {
        *to = *from as std::ffi::c_char;
    }
    let mut by_mac = rule(4, FORWARD, 0);
    by_mac.core_fields.smac = DST;
    by_mac.core_fields.dmac = SRC;
    by_mac.core_fields.dport_high = 79;
    by_mac.core_fields.dport_low = 70;
    by_mac.core_fields.sport_low = 70;
    by_mac.core_fields.sport_high = 71;
    by_mac.bidirectional = 1;
    for rule in [&by_vlan, &by_payload] {
        assert_eq!(add(&ring, rule), (0, 0));
    }
    let tagged_as = |id: u16, dport| tagged(&udp(1, dport), &[(0x8100, id)]);
    for frame in [
        udp(1, 49),
        udp(1, 50),
        udp(1, 59),
        udp(1, 60),
        udp(1, 99),
        tagged_as(7, 80),
        tagged_as(8, 81),
        udp(70, 79),
    ] {
        lab.sender().send(&frame);
    }
    assert_ports(&ring, &[50, 59, 99, 80]);
    assert_eq!(add(&ring, &by_mac), (0, 0));
    lab.sender().send(&udp(70, 79));
    lab.sender().send(&udp(71, 70));
    lab.sender().send(&udp(80, 70));
    assert_ports(&ring, &[70]);
}

#[test]
fn hash_rules_match_both_directions_and_nothing_else() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    let key = flow(DROP, 1000, 53);
    assert_eq!(handle(&ring, &key, false), (-1, libc::EFAULT));
    assert_eq!(handle(&ring, &key, true), (0, 0));
    assert_eq!(handle(&ring, &key, true), (-1, libc::EEXIST));
    let mut turned = key;
    (turned.host_peer_a, turned.host_peer_b) = (key.host_peer_b, key.host_peer_a);
    (turned.port_peer_a, turned.port_peer_b) = (53, 1000);
    assert_eq!(handle(&ring, &turned, true), (-1, libc::EEXIST));
    let mut wrong = key;
    wrong.ip_version = 5;
    assert_eq!(handle(&ring, &wrong, true), (-1, libc::EINVAL));
    wrong.ip_version = 4;
    wrong.rule_action = abi::rule_action_behaviour(9);
    wrong.port_peer_a = 1;
    assert_eq!(handle(&ring, &wrong, true).0, -2);
    assert_eq!(handle(&ring, &wrong, false), (-1, libc::EPERM));

    let sender = lab.sender();
    let back = ethernet_ipv4(&ipv4_udp(B, A, (53, 1000), b""));
    for frame in [
        udp(1000, 53),
        udp(1001, 53),
        back,
        udp(53, 1000),
        tagged(&udp(1000, 53), &[(0x8100, 5)]),
    ] {
        sender.send(&frame);
    }
    assert_ports(&ring, &[53, 1000, 53]);
    assert_eq!(flow_count(&ring, &turned), Ok((2, 2, 0)));
    // SAFETY: the handle is open.
    let rc = unsafe { capi::pfring_set_filtering_sampling_rate(ring.raw(), 2) };
    assert_eq!(rc, 0);
    let sampled = flow(DROP, 1000, 57);
    assert_eq!(handle(&ring, &sampled, true), (0, 0));
    for _ in 0..40 {
        sender.send(&udp(1000, 57));
    }
    assert_ports(&ring, &[57; 20]);
    assert_eq!(flow_count(&ring, &sampled), Ok((40, 20, 20)));
    assert_eq!(handle(&ring, &key, false), (0, 0));
    sender.send(&udp(1000, 53));
    assert_ports(&ring, &[53]);
}

#[test]
fn a_learned_flow_passes_what_follows() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    let mut first = rule(1, LEARN, 53);
    first.extended_fields.payload_pattern[..4].copy_from_slice(&named("some")[..4]);
    assert_eq!(add(&ring, &first), (0, 0));
    assert_eq!(add(&ring, &rule(2, DROP, 0)), (0, 0));
    lab.sender().send(&udp(9, 54));
    lab.sender().send(&udp(9, 53));
    lab.sender()
        .send(&ethernet_ipv4(&ipv4_udp(B, A, (53, 9), b"x")));
    assert_ports(&ring, &[53, 9]);
    assert_eq!(flow_count(&ring, &flow(FORWARD, 9, 53)), Ok((1, 0, 0)));
    assert_eq!(rule_count(&ring, 1), Ok((1, 0, 0)));
    assert_eq!(rule_count(&ring, 2), Ok((1, 1, 0)));
}

#[test]
fn idle_rules_are_purged() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    let mut locked = rule(3, CONTINUE, 0);
    locked.locked = 1;
    locked.core_fields.vlan_id = 9;
    for rule in [&rule(1, CONTINUE, 53), &rule(2, CONTINUE, 54), &locked] {
        assert_eq!(add(&ring, rule), (0, 0));
    }
    let [busy, idle] = [55, 56].map(|dport| flow(FORWARD, 1, dport));
    for rule in [&busy, &idle] {
        assert_eq!(handle(&ring, rule, true), (0, 0));
    }
    let purge = |seconds| {
        // SAFETY: the handle is open.
        unsafe {
            assert_eq!(capi::pfring_purge_idle_rules(ring.raw(), seconds), 0);
            assert_eq!(capi::pfring_purge_idle_hash_rules(ring.raw(), seconds), 0);
        }
    };
    std::thread::sleep(Duration::from_millis(1_500));
    lab.sender().send(&udp(1, 53));
    lab.sender().send(&udp(1, 55));
    assert_ports(&ring, &[53, 55]);
    purge(60);
    assert!(rule_count(&ring, 2).is_ok() && flow_count(&ring, &idle).is_ok());
    purge(1);
    let left = [1, 2, 3].map(|id| rule_count(&ring, id).is_ok());
    assert_eq!(left, [true, false, true]);
    assert!(flow_count(&ring, &busy).is_ok() && flow_count(&ring, &idle).is_err());
}

#[test]
fn packets_are_cut_behind_their_headers() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = receiving("vb", backend);
        let slice = |level, more| {
            // SAFETY: the handle is open.
            unsafe {
                capi::pfring_set_packet_slicing(ring.raw(), abi::packet_slicing_level(level), more)
            }
        };
        let frame = udp(1, 2);
        let len = frame.len() as u32;
        for (level, more, caplen) in [
            (2, 0, 14),
            (3, 4, 38),
            (4, 0, 42),
            (4, 5, 47),
            (4, 9999, len),
            (0, 3, len),
        ] {
            assert_eq!(slice(level, more), 0);
            assert_eq!(
                (ring.slicing_level.0, ring.slicing_additional_bytes),
                (level, more)
            );
            lab.sender().send(&frame);
            lab.sender().send(&tagged(&frame, &[(0x8100, 5)]));
            for extra in [0, 4] {
                let got = ring.packet(SOON);
                let cut = (caplen + extra).min(len);
                let expected = if caplen == len { len } else { cut };
                assert_eq!(({ got.header.caplen }, { got.header.len }), (expected, len));
                let whole = if extra == 0 {
                    frame.clone()
                } else {
                    tagged(&frame, &[(0x8100, 5)])
                };
                assert_eq!(got.bytes(), &whole[..expected as usize]);
            }
        }
        assert_eq!(slice(1, 0), -2);
    }
}

/// Rules come and go while another thread receives: no packet is lost, none is judged by half a rule.
#[test]
fn rules_change_while_packets_are_received() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    assert_eq!(add(&ring, &rule(1, DROP, 53)), (0, 0));
    let frames = 3_000;
    std::thread::scope(|scope| {
        let changes = scope.spawn(|| {
            for round in 0..2_000u16 {
                let key = flow(FORWARD, round, 99);
                assert_eq!(handle(&ring, &key, true), (0, 0));
                assert_eq!(add(&ring, &rule(2 + round % 50, CONTINUE, 54)).0, 0);
                assert_eq!(remove(&ring, 2 + round % 50).0, 0);
                if round % 2 == 0 {
                    assert_eq!(handle(&ring, &key, false), (0, 0));
                }
            }
        });
        let sender = lab.sender();
        for _ in 0..frames {
            sender.send(&udp(1, 53));
            sender.send(&udp(1, 54));
        }
        assert_ports(&ring, &vec![54; frames]);
        changes.join().expect("the other thread has no fault");
    });
    assert_eq!(rule_count(&ring, 1), Ok((frames as u64, frames as u64, 0)));
}

/// What cannot be done is refused, and nothing else changes.
#[test]
fn rules_in_hardware_only_are_refused() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    let mode = |mode| {
        // SAFETY: the handle is open.
        unsafe { capi::pfring_set_filtering_mode(ring.raw(), abi::filtering_mode(mode)) }
    };
    assert_eq!(mode(1), 0);
    let key = flow(DROP, 1, 2);
    assert_eq!(add(&ring, &rule(1, DROP, 0)).0, -7);
    assert_eq!(remove(&ring, 1).0, -7);
    assert_eq!(handle(&ring, &key, true).0, -7);
    for software in [0, 2] {
        assert_eq!(mode(software), 0);
        assert_eq!(add(&ring, &rule(1, DROP, 0)), (0, 0));
        assert_eq!(remove(&ring, 1), (0, 0));
    }
}

/// Whatever the way of receiving, rules are asked once for each packet.
#[test]
fn every_way_of_receiving_obeys_rules() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = receiving("vb", backend);
        assert_eq!(add(&ring, &rule(1, DROP, 53)), (0, 0));
        // Not for the kernel: all of it is judged here.
        let mut odd = rule(0, CONTINUE, 0);
        odd.balance_pool = 1;
        assert_eq!(add(&ring, &odd), (0, 0));
        let send = || {
            for dport in [53, 54, 53, 55] {
                lab.sender().send(&udp(1, dport));
            }
            std::thread::sleep(Duration::from_millis(40));
        };
        send();
        let (count, _, packets) = ring.burst(8, true);
        assert!(count > 0);
        let more = if count == 1 { ring.burst(8, true).0 } else { 0 };
        assert_eq!(count + more, 2, "{}", packets.len());
        send();
        let mut ports = Vec::new();
        let rc = ring.run_loop(
            |header, _| {
                ports.push(header.extended_hdr.parsed_pkt.l4_dst_port);
                if ports.len() == 2 {
                    ring.breakloop();
                }
            },
            true,
        );
        assert_eq!((rc, ports), (1, vec![54, 55]));
        send();
        let mut buffer = [0; 1500];
        for dport in [54, 55] {
            let got = ring.recv_into(&mut buffer, true);
            let parsed = got.header.extended_hdr.parsed_pkt;
            assert_eq!((got.rc, { parsed.l4_dst_port }), (1, dport));
            assert_eq!({ parsed.last_matched_rule_id }, 0);
        }
        assert_ports(&ring, &[]);
        assert_eq!(rule_count(&ring, 1), Ok((6, 6, 0)));
        assert_eq!(rule_count(&ring, 0), Ok((12, 0, 0)));
        assert_eq!(ring.stats().recv, 6);
    }
}

/// IPv6 flows and addresses, which the kernel's part of the rules leaves to the library.
#[test]
fn rules_for_ipv6() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let address = |last: u8| {
        let mut address = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        address[15] = last;
        address
    };
    let frame = |src: u8, dport: u16| {
        let mut frame = [
            &DST[..],
            &SRC[..],
            &[0x86, 0xdd, 0x60, 0, 0, 0, 0, 20, UDP, 64],
        ]
        .concat();
        frame.extend(address(src));
        frame.extend(address(9));
        frame.extend(1u16.to_be_bytes());
        frame.extend(dport.to_be_bytes());
        frame.extend([0, 20, 0, 0]);
        frame.extend([7; 12]);
        frame
    };
    let ring = receiving("vb", None);
    let mut key = flow(DROP, 1, 53);
    key.ip_version = 6;
    key.host_peer_a = abi::ip_addr::from_v6(address(9));
    key.host_peer_b = abi::ip_addr::from_v6(address(1));
    (key.port_peer_a, key.port_peer_b) = (53, 1);
    assert_eq!(handle(&ring, &key, true), (0, 0));
    let mut by_net = rule(1, DROP, 0);
    by_net.core_fields.shost = abi::ip_addr::from_v6(address(0xf4));
    by_net.core_fields.shost_mask = abi::ip_addr::from_v6({
        let mut mask = [255; 16];
        mask[15] = 0xf0;
        mask
    });
    assert_eq!(add(&ring, &by_net), (0, 0));
    for (src, dport) in [
        (1, 53),
        (2, 53),
        (1, 54),
        (0xf1, 55),
        (0xff, 56),
        (0xe1, 57),
    ] {
        lab.sender().send(&frame(src, dport));
    }
    assert_ports(&ring, &[53, 54, 57]);
    assert_eq!(flow_count(&ring, &key), Ok((1, 1, 0)));
    assert_eq!(rule_count(&ring, 1), Ok((2, 2, 0)));
}
