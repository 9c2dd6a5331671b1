//! What a frame looks like in the program's hands: VLAN tags (R15 to R17), lengths and large frames
//! (R18, R19), checksum flags (R26) and VLAN filters (R62).

mod common;

use std::time::Duration;

use common::frame::{MIN, ethernet_ipv4, ipv4_udp, numbered, tagged};
use common::ring::{CHECKSUM_OFFLOAD, Header, LONG_HEADER};
use common::{Lab, Open, Ring, Turn, backends, udp};

const SOON: Duration = Duration::from_secs(2);

/// 802.1Q and 802.1ad.
const C_TAG: u16 = 0x8100;
const S_TAG: u16 = 0x88a8;

fn lengths(header: &Header) -> (u32, u32) {
    (header.len, header.caplen)
}

/// vlan_id, qinq_vlan_id, vlan_offset and l3_offset of a long header.
fn vlans(header: &Header) -> (u16, u16, i16, i16) {
    let parsed = header.extended_hdr.parsed_pkt;
    let offset = parsed.offset;
    (
        parsed.vlan_id,
        parsed.qinq_vlan_id,
        offset.vlan_offset,
        offset.l3_offset,
    )
}

/// An IPv4/UDP frame with tags, 60 bytes in all.
fn tagged_ipv4(tags: &[(u16, u16)]) -> Vec<u8> {
    tagged(
        &ethernet_ipv4(&ipv4_udp(
            [10, 0, 0, 1],
            [10, 0, 0, 2],
            (1000, 2000),
            b"tags",
        )),
        tags,
    )
}

#[test]
fn r15_the_tag_is_in_the_frame() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sent = tagged_ipv4(&[(C_TAG, 0x6064)]);
    for backend in backends() {
        for flags in [0, LONG_HEADER] {
            let ring = Open::on("vb").flags(flags).backend(backend).enabled();
            lab.sender().send(&sent);
            let got = ring.packet(SOON);
            assert_eq!(lengths(&got.header), (60, 60));
            assert_eq!(got.bytes(), sent, "as on the wire");
            if flags == LONG_HEADER {
                assert_eq!(vlans(&got.header).0, 100);
            }
        }
    }
}

/// The tag counts against the snap length like any other byte.
#[test]
fn r15_the_tag_fits_a_short_caplen() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sent = tagged(&numbered(1, 1000), &[(C_TAG, 0x6064)]);
    for caplen in [14, 16, 18, 64, 100] {
        let ring = Open::on("vb").caplen(caplen).enabled();
        lab.sender().send(&sent);
        let got = ring.packet(SOON);
        assert_eq!(lengths(&got.header), (1000, caplen));
        assert_eq!(got.bytes(), &sent[..caplen as usize]);
    }
}

#[test]
fn r16_both_tags_are_in_the_frame() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sent = tagged_ipv4(&[(S_TAG, 301), (C_TAG, 345)]);
    for backend in backends() {
        let ring = Open::on("vb").flags(LONG_HEADER).backend(backend).enabled();
        lab.sender().send(&sent);
        let got = ring.packet(SOON);
        assert_eq!(lengths(&got.header), (60, 60));
        assert_eq!(
            got.bytes()[12..20],
            [0x88, 0xa8, 0x01, 0x2d, 0x81, 0x00, 0x01, 0x59]
        );
        assert_eq!(got.bytes(), sent, "as on the wire");
        let (vlan, qinq, _, l3) = vlans(&got.header);
        assert_eq!((vlan, qinq, l3), (301, 345, 22));
    }
}

#[test]
fn r17_vlan_offset_tells_of_a_tag_in_the_data() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").flags(LONG_HEADER).backend(backend).enabled();
        let received = |tags: &[(u16, u16)]| {
            lab.sender().send(&tagged_ipv4(tags));
            vlans(&ring.packet(SOON).header)
        };
        assert_eq!(received(&[]), (0, 0, 0, 14), "no tag");
        let (vlan, qinq, offset, l3) = received(&[(C_TAG, 7)]);
        assert_eq!((vlan, qinq, l3), (7, 0, 18));
        assert!(offset > 0, "one tag");
        // A tag of VLAN 0 only carries a priority, but it is in the data.
        let (vlan, _, offset, l3) = received(&[(C_TAG, 0xe000)]);
        assert_eq!((vlan, l3), (0, 18));
        assert!(offset > 0, "a priority tag is a tag");
        assert_eq!(
            received(&[]),
            (0, 0, 0, 14),
            "nothing stays from the frame before"
        );
    }
}

#[test]
fn r18_large_segments_are_cut_to_the_buffer() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.addresses();
    const GUARD: u8 = 0xa5;
    for backend in backends() {
        let ring = Open::on("vb").caplen(1518).backend(backend).enabled();
        let transfer = udp::bulk(&lab.a, &lab.b, 400_000);
        let mut longest = 0;
        let mut buffer = vec![GUARD; 64 + 1518 + 64];
        let mut silent = 0;
        while silent < 200 {
            let got = ring.recv_into(&mut buffer[64..64 + 1518], false);
            assert!(got.rc >= 0, "pfring_recv: {}", got.rc);
            if got.rc == 0 {
                silent = if transfer.is_finished() {
                    silent + 1
                } else {
                    0
                };
                std::thread::sleep(Duration::from_micros(500));
                continue;
            }
            let (len, caplen) = lengths(&got.header);
            assert_eq!(caplen, len.min(1518));
            longest = longest.max(len);
            let outside = buffer[..64].iter().chain(&buffer[64 + 1518..]);
            assert!(
                outside.into_iter().all(|b| *b == GUARD),
                "a byte outside the buffer changed"
            );
        }
        assert_eq!(transfer.finish(SOON), 400_000, "the transfer itself");
        assert!(
            longest > 20_000,
            "segmentation offload: the longest frame has {longest} bytes"
        );
    }
}

#[test]
fn r19_jumbo_frames_are_cut_and_reported() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.mtu(9000);
    let sent = [60, 9014, 60, 9014, 60];
    for backend in backends() {
        for (caplen, kept) in [(1518, 1518), (9216, 9014)] {
            let ring = Open::on("vb").caplen(caplen).backend(backend).enabled();
            for (number, len) in (0..).zip(sent) {
                lab.sender().send(&numbered(number, len));
            }
            for (number, len) in (0..).zip(sent) {
                let got = ring.packet(SOON);
                let expected = if len == 60 { 60 } else { kept };
                assert_eq!(got.number(), number, "in order");
                assert_eq!(lengths(&got.header), (len as u32, expected));
                assert_eq!(got.bytes(), &numbered(number, len)[..expected as usize]);
            }
            assert_eq!(ring.recv(false).rc, 0, "five frames");
        }
    }
}

/// The next packet with the destination port, and its checksum flag.
fn not_filled_in(ring: &Ring, port: u16) -> bool {
    loop {
        let got = ring.packet(SOON);
        let flags = got.header.extended_hdr.flags;
        if got.bytes().get(36..38) == Some(&port.to_be_bytes()) {
            return flags & CHECKSUM_OFFLOAD != 0;
        }
    }
}

#[test]
fn r26_unfinished_checksums_are_marked() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.addresses();
    let complete = ethernet_ipv4(&ipv4_udp(
        [10, 9, 0, 1],
        [10, 9, 0, 2],
        (4000, 4001),
        b"whole",
    ));
    // A program at the traffic-control hook is not told: docs/compat.md says so of the BPF ring.
    for backend in backends().into_iter().filter(|name| *name != Some("bpf")) {
        let open = |dev: &str| Open::on(dev).flags(LONG_HEADER).backend(backend).enabled();
        let near = lab.a.run(|| open("va"));
        let far = open("vb");
        let socket = udp::bound(&lab.a, "10.9.0.1:0");
        socket
            .send_to(b"partial", "10.9.0.2:4002")
            .expect("a datagram leaves A");
        assert!(not_filled_in(&near, 4002), "on the sending side");
        assert!(not_filled_in(&far, 4002), "on the receiving side");
        lab.sender().send(&complete);
        assert!(!not_filled_in(&near, 4001), "complete, on the sending side");
        assert!(
            !not_filled_in(&far, 4001),
            "complete, on the receiving side"
        );
    }
}

#[test]
fn r62_vlan_filters_work_live() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        for before_enable in [true, false] {
            let ring = Open::on("vb").backend(backend).ring();
            if !before_enable {
                ring.enable();
            }
            assert_eq!(
                ring.set_bpf_filter("vlan 1000"),
                0,
                "the filter is taken (needs libpcap)"
            );
            if before_enable {
                ring.enable();
            }
            let sender = lab.sender();
            for number in 0..10 {
                sender.send(&tagged(&numbered(number, MIN), &[(C_TAG, 1000)]));
                sender.send(&tagged(&numbered(100 + number, MIN), &[(C_TAG, 7)]));
                sender.send(&numbered(200 + number, MIN));
            }
            assert_eq!(ring.numbers(10, SOON), (0..10).collect::<Vec<_>>());
        }
    }
}

/// A filter that is replaced or removed applies to what comes afterwards.
#[test]
fn filters_can_be_replaced_and_removed() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let sender = lab.sender();
    let udp = |port| ethernet_ipv4(&ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (9, port), b""));
    let ports = |limit: usize| {
        let mut ports = Vec::new();
        while ports.len() < limit {
            let bytes = ring.packet(SOON).bytes().to_vec();
            ports.push(u16::from_be_bytes([bytes[36], bytes[37]]));
        }
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(ring.recv(false).rc, 0, "no more than {limit}");
        ports
    };
    assert_eq!(ring.set_bpf_filter("udp dst port 53"), 0);
    sender.send(&udp(53));
    sender.send(&udp(54));
    assert_eq!(ports(1), [53]);
    assert_eq!(ring.set_bpf_filter("udp dst port 54"), 0);
    sender.send(&udp(53));
    sender.send(&udp(54));
    assert_eq!(ports(1), [54]);
    assert!(
        ring.set_bpf_filter("no such word") < 0,
        "a text that does not compile"
    );
    assert_eq!(ring.remove_bpf_filter(), 0);
    sender.send(&udp(53));
    sender.send(&udp(54));
    assert_eq!(ports(2), [53, 54]);
}
