//! Interfaces without an Ethernet header (R30, R67), and frames of up to 65,535 bytes behind it, lent and
//! copied.

mod common;

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use common::frame::{ipv4_udp, numbered};
use common::ring::LONG_HEADER;
use common::{Lab, Open, Turn, backends};

const SOON: Duration = Duration::from_secs(5);
/// DLT_RAW and DLT_EN10MB.
const RAW_IP: i32 = 12;
const ETHERNET: i32 = 1;
const DEVICE: &str = "/dev/net/tun";

/// A tun interface `t0` in the namespace of the calling thread: what is written here is received there.
struct Tun(File);

impl Tun {
    fn new(lab: &Lab, mtu: u32) -> Tun {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(DEVICE)
            .expect("/dev/net/tun can be opened");
        // SAFETY: ifreq is plain data; all zero is a valid value.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(b"t0") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: an open descriptor of the device, and a request that outlives the call.
        let rc = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        assert_eq!(rc, 0, "TUNSETIFF: {}", std::io::Error::last_os_error());
        lab.b.ip(&format!("link set t0 mtu {mtu} up"));
        Tun(file)
    }

    fn write(&self, packet: &[u8]) {
        let written = (&self.0).write(packet).expect("the interface is up");
        assert_eq!(written, packet.len());
    }

    /// The next packet that the host sends through the interface.
    fn read(&self) -> Vec<u8> {
        let mut packet = vec![0; 70_000];
        let end = Instant::now() + SOON;
        loop {
            match (&self.0).read(&mut packet) {
                Ok(len) => {
                    packet.truncate(len);
                    return packet;
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                Err(e) => panic!("reading tun: {e}"),
            }
            assert!(Instant::now() < end, "nothing was sent");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn lab() -> Option<Lab> {
    if !Path::new(DEVICE).exists() {
        eprintln!("skipped: no {DEVICE}");
        return None;
    }
    Lab::quiet(Turn::Shared)
}

#[test]
fn r67_tun_gives_and_takes_bare_ip() {
    let Some(lab) = lab() else {
        return;
    };
    let tun = Tun::new(&lab, 1500);
    let sent = ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (1000, 2000), b"");
    assert_eq!(sent.len(), 28);
    for backend in backends() {
        for flags in [0, LONG_HEADER] {
            let ring = Open::on("t0").flags(flags).backend(backend).enabled();
            assert_eq!(ring.link_type(), RAW_IP);
            tun.write(&sent);
            let got = ring.packet(SOON);
            assert_eq!((got.header.len, got.header.caplen), (28, 28));
            assert_eq!(got.bytes(), sent, "no MAC address and no tag");
            let extended = got.header.extended_hdr;
            // The sum of addresses, protocol and ports.
            assert_eq!(
                { extended.pkt_hash },
                0x0a00_0001 + 0x0a00_0002 + 17 + 1000 + 2000
            );
            if flags == LONG_HEADER {
                let parsed = extended.parsed_pkt;
                let offset = parsed.offset;
                assert_eq!((offset.l3_offset, offset.l4_offset), (0, 20));
                assert_eq!((parsed.ip_version, parsed.l3_proto), (4, 17));
                assert_eq!((parsed.l4_src_port, parsed.l4_dst_port), (1000, 2000));
                assert_eq!((parsed.vlan_id, parsed.dmac), (0, [0; 6]));
            }
            assert_eq!(ring.send(&sent), 28);
            assert_eq!(tun.read(), sent, "as it was sent");
        }
    }
}

/// The link type of an Ethernet interface, so that the one above says something.
#[test]
fn r30_link_types_differ() {
    let Some(_lab) = lab() else {
        return;
    };
    assert_eq!(Open::on("vb").ring().link_type(), ETHERNET);
}

#[test]
fn tun_filters_begin_at_the_ip_header() {
    let Some(lab) = lab() else {
        return;
    };
    let tun = Tun::new(&lab, 1500);
    for backend in backends() {
        let ring = Open::on("t0").backend(backend).ring();
        assert_eq!(ring.set_bpf_filter("udp dst port 53"), 0);
        ring.enable();
        for port in [54, 53, 55] {
            tun.write(&ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (1000, port), b""));
        }
        assert_eq!(ring.packet(SOON).bytes()[22..24], [0, 53]);
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(ring.recv(false).rc, 0, "one packet only");
    }
}

#[test]
fn the_largest_ip_packet_comes_whole() {
    let Some(lab) = lab() else {
        return;
    };
    let tun = Tun::new(&lab, 65_535);
    let payload: Vec<u8> = (0..65_535 - 28).map(|i: u32| (i % 249) as u8).collect();
    let large = ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (1, 2), &payload);
    let small = ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (3, 4), b"small");
    assert_eq!(large.len(), 65_535);
    for backend in backends() {
        let ring = Open::on("t0").caplen(65_535).backend(backend).enabled();
        whole_both_ways(&ring, &[large.clone(), small.clone()], |frame| {
            tun.write(frame)
        });
    }
}

#[test]
fn the_largest_ethernet_frame_comes_whole() {
    let Some(lab) = lab() else {
        return;
    };
    lab.mtu(65_521);
    let frames = [numbered(1, 65_535), numbered(2, 60), numbered(3, 40_000)];
    for backend in backends() {
        let ring = Open::on("vb").caplen(65_535).backend(backend).enabled();
        whole_both_ways(&ring, &frames, |frame| lab.sender().send(frame));
    }
}

/// Frames alternate, lent at first and copied then, and come as they were sent.
fn whole_both_ways(ring: &common::Ring, frames: &[Vec<u8>], send: impl Fn(&[u8])) {
    for _ in 0..3 {
        frames.iter().for_each(|frame| send(frame));
        for frame in frames {
            let got = ring.packet(SOON);
            assert_eq!(
                (got.header.len, got.header.caplen),
                (frame.len() as u32, frame.len() as u32)
            );
            assert!(got.bytes() == frame, "lent: {} bytes", frame.len());
        }
    }
    let mut buffer = vec![0; 65_535];
    for frame in frames {
        send(frame);
        let end = Instant::now() + SOON;
        let got = loop {
            let got = ring.recv_into(&mut buffer, false);
            if got.rc != 0 {
                break got;
            }
            assert!(Instant::now() < end, "no packet");
            std::thread::sleep(Duration::from_micros(200));
        };
        assert_eq!((got.rc, got.header.caplen), (1, frame.len() as u32));
        assert!(
            buffer[..frame.len()] == frame[..],
            "copied: {} bytes",
            frame.len()
        );
    }
}
