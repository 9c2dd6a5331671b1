//! Time stamps in trailers, taken over as packets are received.

mod common;

use std::time::Duration;

use common::frame::{ethernet_ipv4, mark, numbered};
use common::pcapfile::{Order, Record, TempFile, pcap};
use common::ring::{Header, LONG_HEADER, Received};
use common::{Lab, Open, Ring, Turn, backends};
use pfring::abi;

const SOON: Duration = Duration::from_secs(5);
const SEC: u32 = 1_700_000_000;
const NSEC: u32 = 123_456_789;
/// 2023-11-14 22:13:20 UTC and a bit.
const NS: u64 = 1_700_000_000_123_456_789;

/// Seconds that local time is ahead of UTC: what taps write that stamp in local time.
fn local() -> u64 {
    // SAFETY: takes a number.
    unsafe { pfring::capi::gmt_to_local(0) as i64 as u64 }
}

fn stamp() -> [u8; 8] {
    (u64::from(SEC) << 32 | u64::from(NSEC)).to_be_bytes()
}

/// A trailer for each flag, and the time that it says.
fn formats() -> [(u32, Vec<u8>, u64); 3] {
    let utc = NS.wrapping_sub(local().wrapping_mul(1_000_000_000));
    let ixia = [
        &[0x01, 0x08][..],
        &stamp(),
        &[15, 0xaf, 0x12, 0, 0, 0, 0, 0, 0],
    ];
    let metawatch = [&[0, 0, 0, 5][..], &stamp(), &[1, 0x12, 0x34, 7]];
    [
        (abi::PF_RING_IXIA_TIMESTAMP, ixia.concat(), utc),
        (
            abi::PF_RING_VSS_APCON_TIMESTAMP,
            [&stamp()[..], &[0xde, 0xad, 0xbe, 0xef]].concat(),
            utc,
        ),
        (abi::PF_RING_METAWATCH_TIMESTAMP, metawatch.concat(), NS),
    ]
}

fn with(number: u32, trailer: &[u8]) -> Vec<u8> {
    [&numbered(number, 60)[..], trailer].concat()
}

fn is_stamped(header: &Header, ns: u64) {
    assert_eq!({ header.extended_hdr.timestamp_ns }, ns);
    let ts = header.ts;
    assert_eq!(
        (ts.tv_sec as u64, ts.tv_usec as u64),
        (ns / 1_000_000_000, ns % 1_000_000_000 / 1_000)
    );
    assert_eq!(({ header.len }, { header.caplen }), (60, 60));
}

/// Device and port of a header.
fn origin(header: &Header) -> (u16, u8) {
    let extended = header.extended_hdr;
    (extended.device_id, extended.port_id)
}

fn check(got: &Received, number: u32, ns: u64) {
    is_stamped(&got.header, ns);
    assert_eq!(got.bytes(), numbered(number, 60), "without the trailer");
}

/// A packet into a buffer of the caller.
fn copied(ring: &Ring, buffer: &mut [u8]) -> Received {
    assert_eq!(ring.poll(2_000), 1);
    ring.recv_into(buffer, false)
}

#[test]
fn each_format_on_each_way_to_receive() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        for (flag, trailer, ns) in formats() {
            let sender = lab.sender();
            let expected_origin = if flag == abi::PF_RING_METAWATCH_TIMESTAMP {
                (0x1234, 7)
            } else {
                (0, 0)
            };
            for long in [0, LONG_HEADER] {
                let ring = Open::on("vb").flags(flag | long).backend(backend).enabled();
                (0..20).for_each(|i| sender.send(&with(i, &trailer)));
                for i in 0..5 {
                    let got = ring.packet(SOON);
                    check(&got, i, ns);
                    assert_eq!(origin(&got.header), expected_origin);
                }
                let mut buffer = [0; 200];
                for i in 5..8 {
                    check(&copied(&ring, &mut buffer), i, ns);
                }
                let mut left = 10;
                let rc = ring.run_loop(
                    |header, bytes| {
                        is_stamped(header, ns);
                        assert_eq!(origin(header), expected_origin);
                        assert_eq!(mark(bytes).unwrap().number, 18 - left);
                        left -= 1;
                        if left == 0 {
                            ring.breakloop();
                        }
                    },
                    true,
                );
                assert_eq!((rc, left), (1, 0));
                let (count, _, packets) = ring.burst(2, true);
                assert_eq!(count, 2);
                for packet in packets {
                    assert_eq!(packet.ts.tv_sec as u64, ns / 1_000_000_000);
                    assert_eq!((packet.len, packet.caplen), (60, 60));
                }
            }
        }
    }
}

/// What is no whole packet, or has no signature, keeps its stamp and its length.
#[test]
fn packets_without_a_trailer_are_as_they_were() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let [(ixia, trailer, _), _, (metawatch, watch, _)] = formats();
    for backend in backends() {
        let ring = Open::on("vb").flags(ixia).backend(backend).enabled();
        lab.sender().send(&with(1, &watch));
        let got = ring.packet(SOON);
        assert_eq!((got.header.len, got.number()), (76, 1));
        let now = common::frame::realtime_ns();
        let age = now.abs_diff(got.header.extended_hdr.timestamp_ns);
        assert!(age < 2_000_000_000, "the kernel's stamp: {age}");
        for flag in [ixia, metawatch] {
            let ring = Open::on("vb")
                .flags(flag)
                .caplen(70)
                .backend(backend)
                .enabled();
            lab.sender().send(&with(2, &trailer));
            let got = ring.packet(SOON);
            assert_eq!((got.header.len, got.header.caplen), (79, 70), "cut");
            assert_eq!(origin(&got.header), (0, 0));
        }
    }
}

#[test]
fn with_several_flags_the_first_format_counts() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let all = formats().iter().fold(0, |flags, (flag, ..)| flags | flag);
    let ring = Open::on("vb").flags(all).enabled();
    for (i, (_, trailer, ns)) in formats().iter().enumerate() {
        lab.sender().send(&with(i as u32, trailer));
        let got = ring.packet(SOON);
        if i == 0 {
            check(&got, 0, *ns);
        } else {
            assert_eq!(got.header.len as usize, 60 + trailer.len(), "no IXIA");
        }
    }
}

/// A key frame of an Arista 7150: which counter value belongs to which time.
fn key_frame(utc_ns: u64, ticks: u32) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 66, 0, 1, 0, 0, 64, 253, 0, 0];
    packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(u64::from(ticks).to_be_bytes());
    packet.extend(utc_ns.to_be_bytes());
    packet.resize(66, 0);
    let mut frame = ethernet_ipv4(&packet);
    frame[..6].fill(0xff);
    frame
}

#[test]
fn arista_key_frames_are_no_packets() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let sender = lab.sender();
    for backend in backends() {
        let ring = Open::on("vb")
            .flags(abi::PF_RING_ARISTA_TIMESTAMP)
            .backend(backend)
            .enabled();
        sender.send(&key_frame(NS, 1_000));
        sender.send(&with(1, &2_000u32.to_be_bytes()));
        sender.send(&key_frame(NS + 5_000_000_000, 3_000));
        sender.send(&key_frame(NS + 6_000_000_000, 3_000));
        sender.send(&with(2, &3_000u32.to_be_bytes()));
        check(&ring.packet(SOON), 1, NS + 2_857);
        check(&ring.packet(SOON), 2, NS + 6_000_000_000);
        assert_eq!(ring.numbers(0, SOON), []);
        assert_eq!(ring.stats().recv, 2, "key frames do not count");
    }
}

/// The header of an Arista 7280 stands behind the addresses and stays there; also of a packet that is cut.
#[test]
fn arista_7280_headers_stay() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let plain = numbered(5, 100);
    let header = [&[0xd2, 0x8b, 0, 1, 0, 0x10][..], &stamp()].concat();
    let frame = [&plain[..12], &header, &plain[12..]].concat();
    for caplen in [1536, 60] {
        let ring = Open::on("vb")
            .flags(abi::PF_RING_ARISTA_TIMESTAMP)
            .caplen(caplen)
            .enabled();
        lab.sender().send(&frame);
        let got = ring.packet(SOON);
        assert_eq!({ got.header.extended_hdr.timestamp_ns }, NS);
        assert_eq!({ got.header.len }, 114);
        assert_eq!(got.bytes(), &frame[..frame.len().min(caplen as usize)]);
    }
}

#[test]
fn filters_see_the_packet_before_its_trailer_is_cut_off() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let (flag, trailer, ns) = formats()[2].clone();
    for userspace in [0, abi::PF_RING_USERSPACE_BPF] {
        let ring = Open::on("vb").flags(flag | userspace).ring();
        assert_eq!(ring.set_bpf_filter("len = 76"), 0);
        ring.enable();
        lab.sender().send(&numbered(1, 60));
        lab.sender().send(&with(2, &trailer));
        check(&ring.packet(SOON), 2, ns);
    }
}

#[test]
fn trailers_of_a_file() {
    for (flag, trailer, ns) in formats() {
        let records = [0, 1].map(|i| Record::new(5, 6_000, with(i, &trailer)));
        let file = TempFile::new(&pcap(Order::Little, 0xa1b2_c3d4, 1, &records));
        let ring = Open::on(&file.device()).flags(flag).enabled();
        for i in 0..2 {
            let got = ring.recv(false);
            // The zone is that of the file's time, which may differ by an hour or so from today's.
            let utc_of_file = NS.wrapping_sub(zone_at(5).wrapping_mul(1_000_000_000));
            let local_format = flag != abi::PF_RING_METAWATCH_TIMESTAMP;
            check(&got, i, if local_format { utc_of_file } else { ns });
        }
    }
}

fn zone_at(time: i64) -> u64 {
    // SAFETY: takes a number.
    unsafe { pfring::capi::gmt_to_local(time) as i64 as u64 }
}
