//! Capture files through `pcap:`: both byte orders (R27), cut files (R28), pcapng (R29), link types
//! (R30), tags (R16, R17), and the end of a file in each way to receive. Needs no rights.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::frame::{ethernet_ipv4, ipv4_udp, numbered, tagged};
use common::pcapfile::{
    ETHERNET, MICRO, NANO, Order, RAW_IP, Record, TempFile, ng_interface, ng_packet, ng_section,
    pcap,
};
use common::ring::LONG_HEADER;
use common::{Open, Ring, Worker};

const SECOND: Duration = Duration::from_secs(1);

/// A file, open and enabled. The file is gone again: the library holds it open.
fn reading(bytes: &[u8], flags: u32) -> Ring {
    let file = TempFile::new(bytes);
    Open::on(&file.device())
        .caplen(65535)
        .flags(flags)
        .enabled()
}

/// What a program sees of a packet: length, kept length, stamp in nanoseconds, bytes.
type Seen = (u32, u32, u64, Vec<u8>);

fn seen(ring: &Ring) -> Option<Seen> {
    let got = ring.recv(true);
    if got.rc != 1 {
        assert_eq!(got.rc, -2, "the end of a file");
        return None;
    }
    let header = got.header;
    let (ts, ns) = (header.ts, header.extended_hdr.timestamp_ns);
    assert_eq!(
        ts.tv_sec as u64 * 1_000_000 + ts.tv_usec as u64,
        ns / 1_000,
        "one stamp, twice"
    );
    Some((header.len, header.caplen, ns, got.bytes().to_vec()))
}

fn all(ring: &Ring) -> Vec<Seen> {
    std::iter::from_fn(|| seen(ring)).collect()
}

/// Three packets of different lengths; the middle one was cut by its capture.
fn three() -> Vec<Record> {
    let mut records = vec![
        Record::new(1_700_000_000, 123_456_789, numbered(0, 60)),
        Record::new(1_700_000_001, 999_999_999, numbered(1, 300)),
        Record::new(1_700_000_002, 0, numbered(2, 1514)),
    ];
    records[1].bytes.truncate(96);
    records
}

fn expected(records: &[Record], unit_ns: u64) -> Vec<Seen> {
    let stamp = |r: &Record| u64::from(r.seconds) * 1_000_000_000 + u64::from(r.nanos);
    records
        .iter()
        .map(|r| {
            (
                r.len,
                r.bytes.len() as u32,
                stamp(r) / unit_ns * unit_ns,
                r.bytes.clone(),
            )
        })
        .collect()
}

#[test]
fn r27_both_byte_orders_read_alike() {
    for order in [Order::Little, Order::Big] {
        for (magic, unit_ns) in [(MICRO, 1_000), (NANO, 1)] {
            let ring = reading(&pcap(order, magic, ETHERNET, &three()), 0);
            assert_eq!(
                all(&ring),
                expected(&three(), unit_ns),
                "{order:?} {magic:#x}"
            );
            assert_eq!(ring.recv(false).rc, -2, "the end stays");
            assert_eq!(ring.link_type(), 1);
            let stats = ring.stats();
            assert_eq!((stats.recv, stats.drop), (3, 0));
        }
    }
}

#[test]
fn r28_a_cut_record_is_a_clean_end() {
    let records = three();
    let whole = pcap(Order::Little, MICRO, ETHERNET, &records);
    let before_last = pcap(Order::Little, MICRO, ETHERNET, &records[..2]).len();
    for cut in before_last..whole.len() {
        let (done, count) = reads_then_ends(&whole[..cut]);
        assert_eq!(count, 2, "cut after {cut} of {} bytes", whole.len());
        assert!(
            done.iter().all(|rc| *rc <= 0),
            "cut after {cut} bytes: {done:?}"
        );
    }
    assert_eq!(reads_then_ends(&whole).1, 3, "not cut");
}

/// Packets of a file, and what eleven calls after them return; each within a second.
fn reads_then_ends(file: &[u8]) -> (Vec<i32>, usize) {
    let ring = Arc::new(reading(file, 0));
    let r = Arc::clone(&ring);
    let reader = Worker::start(move || {
        let mut count = 0;
        loop {
            let rc = r.recv(true).rc;
            if rc != 1 {
                break (
                    std::iter::once(rc)
                        .chain((0..10).map(|_| r.recv(true).rc))
                        .collect(),
                    count,
                );
            }
            count += 1;
        }
    });
    let result = reader.finish(SECOND);
    drop(ring);

    let ring = Arc::new(reading(file, 0));
    let looper = Worker::start(move || {
        let mut count = 0;
        let rc = ring.run_loop(|_, _| count += 1, true);
        (rc, count)
    });
    assert_eq!(
        looper.finish(SECOND),
        (-2, result.1),
        "pfring_loop returns at the end"
    );
    result
}

#[test]
fn r28_what_is_no_capture_file_does_not_open() {
    let good = pcap(Order::Little, MICRO, ETHERNET, &three());
    let mut wrong_magic = good.clone();
    wrong_magic[..4].copy_from_slice(b"ELF\x7f");
    for (name, bytes) in [
        ("empty", &good[..0]),
        ("23 bytes", &good[..23]),
        ("wrong magic", &wrong_magic[..]),
    ] {
        let file = TempFile::new(bytes);
        let errno = Open::on(&file.device())
            .open()
            .err()
            .unwrap_or_else(|| panic!("{name} opens"));
        assert_ne!(errno, 0, "{name}: errno tells that something is wrong");
    }
    let missing = Open::on("pcap:/nonexistent/file.pcap").open().err();
    assert!(
        matches!(missing, Some(libc::ENOENT | libc::ENODEV)),
        "missing: {missing:?}"
    );
}

/// A file with a header and no packet is at its end at once.
#[test]
fn r28_a_file_without_packets_ends_at_once() {
    let (rcs, count) = reads_then_ends(&pcap(Order::Big, MICRO, ETHERNET, &[]));
    assert_eq!((count, rcs), (0, vec![-2; 11]));
}

#[test]
fn r29_pcapng_stamps_are_right() {
    let bytes = numbered(0, 60);
    // Units of nanoseconds, of 2^-20 s, and the default of microseconds.
    let cases = [
        (
            Some(9),
            1_700_000_000_123_456_789,
            1_700_000_000_123_456_789,
        ),
        (
            Some(0x80 | 20),
            (1_700_000_000 << 20) + (1 << 19),
            1_700_000_000_500_000_000,
        ),
        (None, 1_700_000_000_123_456, 1_700_000_000_123_456_000),
    ];
    for order in [Order::Little, Order::Big] {
        for (tsresol, stamp, expected_ns) in cases {
            let file = [
                ng_section(order),
                ng_interface(order, 1, 0xffff_ffff, tsresol),
                ng_packet(order, 0, stamp, 60, &bytes),
            ]
            .concat();
            let got = all(&reading(&file, 0));
            assert_eq!(
                got,
                [(60, 60, expected_ns, bytes.clone())],
                "{order:?} {tsresol:?}"
            );
        }
    }
}

/// Interfaces of one file may count in different units.
#[test]
fn r29_each_pcapng_interface_has_its_own_unit() {
    let order = Order::Little;
    let file = [
        ng_section(order),
        ng_interface(order, 1, 0, Some(9)),
        ng_interface(order, 1, 65535, Some(3)),
        ng_packet(order, 1, 1_700_000_000_250, 60, &numbered(0, 60)),
        ng_packet(order, 0, 1_700_000_001_000_000_007, 60, &numbered(1, 60)),
    ]
    .concat();
    let stamps: Vec<u64> = all(&reading(&file, 0)).into_iter().map(|s| s.2).collect();
    assert_eq!(
        stamps,
        [1_700_000_000_250_000_000, 1_700_000_001_000_000_007]
    );
}

#[test]
fn r30_raw_ip_is_not_parsed_as_ethernet() {
    let packet = ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (1000, 2000), b"");
    let records = [Record::new(1, 0, packet.clone())];
    let ring = reading(&pcap(Order::Little, MICRO, RAW_IP, &records), LONG_HEADER);
    assert_ne!(ring.link_type(), 1, "not Ethernet");
    let got = ring.recv(true);
    assert_eq!((got.rc, got.header.caplen, got.header.len), (1, 28, 28));
    assert_eq!(got.bytes(), packet);
    assert_eq!(got.bytes()[0], 0x45);
    let parsed = got.header.extended_hdr.parsed_pkt;
    assert_eq!(
        { parsed.offset.l3_offset },
        0,
        "the IP header starts the packet"
    );
    let version = parsed.ip_version;
    assert!(
        version == 0 || version == 4,
        "nothing parsed, or as IPv4: {version}"
    );
    if version == 4 {
        assert_eq!(
            ({ parsed.l4_src_port }, { parsed.l4_dst_port }),
            (1000, 2000)
        );
    }
}

#[test]
fn r16_r17_tags_in_a_file() {
    let plain = ethernet_ipv4(&ipv4_udp(
        [10, 0, 0, 1],
        [10, 0, 0, 2],
        (1000, 2000),
        b"tags",
    ));
    let one = tagged(&plain, &[(0x8100, 0x6064)]);
    let two = tagged(&plain, &[(0x88a8, 301), (0x8100, 345)]);
    let records = [&plain, &one, &two].map(|bytes| Record::new(1, 0, bytes.clone()));
    let ring = reading(&pcap(Order::Little, MICRO, ETHERNET, &records), LONG_HEADER);
    let next = || {
        let got = ring.recv(true);
        assert_eq!((got.rc, got.header.len, got.header.caplen), (1, 60, 60));
        let parsed = got.header.extended_hdr.parsed_pkt;
        let offset = parsed.offset;
        (
            got.bytes().to_vec(),
            parsed.vlan_id,
            parsed.qinq_vlan_id,
            offset.vlan_offset,
            offset.l3_offset,
        )
    };
    assert_eq!(next(), (plain, 0, 0, 0, 14));
    let (bytes, vlan, qinq, at, l3) = next();
    assert_eq!((bytes, vlan, qinq, l3), (one, 100, 0, 18));
    assert!(at > 0, "a tag is in the data");
    let (bytes, vlan, qinq, at, l3) = next();
    assert_eq!((bytes, vlan, qinq, l3), (two, 301, 345, 22));
    assert!(at > 0, "tags are in the data");
}

/// Copies, bursts, non-blocking calls, poll and the descriptor see the same packets and the same
/// end.
#[test]
fn every_way_to_receive_reads_a_file() {
    let file = pcap(Order::Little, NANO, ETHERNET, &three());
    let ring = reading(&file, 0);
    assert_eq!(ring.poll(0), 1);
    let mut buffer = [0; 64];
    let got = ring.recv_into(&mut buffer, false);
    assert_eq!((got.rc, got.header.len, got.header.caplen), (1, 60, 60));
    assert_eq!(got.bytes(), numbered(0, 60));
    assert_eq!(got.header.extended_hdr.rx_direction, 1, "received");
    let got = ring.recv_into(&mut buffer, true);
    assert_eq!(
        (got.rc, got.header.len, got.header.caplen),
        (1, 300, 64),
        "cut to the buffer"
    );
    let (rc, _, packets) = ring.burst(8, true);
    assert_eq!((rc, packets.len()), (1, 1));
    assert_eq!((packets[0].len, packets[0].caplen), (1514, 1514));
    assert_eq!(ring.recv_into(&mut buffer, true).rc, -2);
    assert_eq!(ring.burst(8, true).0, -2);

    let ring = reading(&file, 0);
    let mut lens = Vec::new();
    let rc = ring.run_loop(|header, bytes| lens.push((header.len, bytes.len())), true);
    assert_eq!((rc, lens), (-2, vec![(60, 60), (300, 96), (1514, 1514)]));
}

/// The snap length of the ring cuts what a file holds; a filter leaves packets out.
#[test]
fn snap_length_and_filter_apply_to_files() {
    let udp = |port| ethernet_ipv4(&ipv4_udp([10, 0, 0, 1], [10, 0, 0, 2], (9, port), b"data"));
    let records: Vec<Record> = (50..60).map(|port| Record::new(1, 0, udp(port))).collect();
    let file = TempFile::new(&pcap(Order::Big, MICRO, ETHERNET, &records));
    let ring = Open::on(&file.device()).caplen(40).enabled();
    assert_eq!(
        ring.set_bpf_filter("udp dst port 53 or udp dst port 57"),
        0,
        "needs libpcap"
    );
    for port in [53u16, 57] {
        let got = ring.recv(true);
        assert_eq!((got.rc, got.header.len, got.header.caplen), (1, 60, 40));
        assert_eq!(got.bytes()[36..38], port.to_be_bytes());
    }
    assert_eq!(ring.recv(true).rc, -2);
}
