//! Files made byte by byte, read back; cut, damaged and random ones too.
#![allow(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::pcapng::Clock;
use super::*;
use crate::backend::AnyFrame;

use self::make::{BOTH, LITTLE, MICRO, NANO, Order, three_packets, two_interfaces};

mod damage;
mod make;

/// A file that goes away with its guard.
struct TempFile(PathBuf);

impl TempFile {
    fn new(bytes: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pfring-{}-{number}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const SECOND: u64 = 1_000_000_000;

/// A frame, with its bytes copied out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Got {
    bytes: Vec<u8>,
    len: u32,
    ts_ns: u64,
}

fn got(bytes: &[u8], len: u32, ts_ns: u64) -> Got {
    Got {
        bytes: bytes.to_vec(),
        len,
        ts_ns,
    }
}

/// Copies what a frame shows. The backend must not have released it.
fn copied(frame: &Frame) -> Got {
    assert_eq!(
        (frame.ifindex, frame.direction),
        (0, FrameDirection::Received)
    );
    assert_eq!((frame.checksum, frame.moved_tci), (Checksum::UNKNOWN, None));
    // SAFETY: every caller has the backend alive, has not released since, and writes nothing.
    got(unsafe { frame.bytes() }, frame.len, frame.stamp.to_ns())
}

/// Opens a file of these bytes, which may be deleted once it is open.
fn open(bytes: &[u8]) -> Result<FileRx> {
    FileRx::open(&TempFile::new(bytes).0, 65_535)
}

/// Every packet of a file; fails unless a clean end follows and stays.
fn read_all(bytes: &[u8]) -> Vec<Got> {
    let mut rx = open(bytes).unwrap();
    let mut packets = Vec::new();
    while let Ok(frame) = rx.next() {
        assert_eq!((rx.available(), rx.queued()), (true, 1));
        packets.push(copied(&frame.expect("a file always has a frame or an end")));
        rx.release();
    }
    for _ in 0..10 {
        assert!(matches!(rx.next(), Err(Error::EndOfFile)));
        assert_eq!((rx.available(), rx.queued()), (true, 0));
        rx.release();
    }
    packets
}

/// The error of a file, at open or after its last packet, which stays the same.
fn error_of(bytes: &[u8]) -> String {
    let mut rx = match open(bytes) {
        Ok(rx) => rx,
        Err(Error::BadFile(why)) => return why,
        Err(other) => panic!("{other:?}"),
    };
    while rx.next().is_ok() {
        rx.release();
    }
    let again: Vec<_> = (0..10).map(|_| rx.next().unwrap_err()).collect();
    let Error::BadFile(why) = &again[0] else {
        panic!("{again:?}")
    };
    assert!(
        again
            .iter()
            .all(|error| matches!(error, Error::BadFile(other) if other == why))
    );
    why.clone()
}

#[test]
fn r27_both_byte_orders_read_alike() {
    for (magic, unit_ns) in [(MICRO, 1000), (NANO, 1)] {
        let wanted = [
            got(&[0xaa; 60], 60, 1_700_000_000 * SECOND + 123_456 * unit_ns),
            got(&[0xbb; 13], 1500, 1_700_000_001 * SECOND),
            got(
                &(0..64).collect::<Vec<u8>>(),
                64,
                u64::from(u32::MAX) * SECOND + 999_999 * unit_ns,
            ),
        ];
        for order in BOTH {
            assert_eq!(read_all(&three_packets(order, magic)), wanted);
        }
    }
}

#[test]
fn the_modified_format_of_old_patched_kernels() {
    let mut bytes = LITTLE.pcap_header(0xa1b2_cd34, 1);
    for data in [&[1u8; 20][..], &[], &[2; 7]] {
        let record = LITTLE.record(5, 6, 40, data);
        bytes.extend([&record[..16], &[0; 8], &record[16..]].concat());
    }
    let wanted = [&[1; 20][..], &[], &[2; 7]].map(|data| got(data, 40, 5 * SECOND + 6000));
    assert_eq!(read_all(&bytes), wanted);
}

fn packets_of_two_interfaces() -> [Got; 2] {
    [
        got(&[1; 60], 60, 1_700_000_000_000_001_000),
        got(&[2; 61], 1514, 1_700_000_000_123_456_789),
    ]
}

#[test]
fn r28_a_file_cut_in_its_last_record_ends_cleanly() {
    for order in BOTH {
        let whole = three_packets(order, MICRO);
        let packets = read_all(&whole);
        let last = whole.len() - 16 - 64;
        for cut in last..whole.len() {
            assert_eq!(read_all(&whole[..cut]), packets[..2], "cut at {cut}");
        }
        let whole = two_interfaces(order);
        let last = whole.len() - 32 - 64;
        for cut in last..whole.len() {
            assert_eq!(
                read_all(&whole[..cut]),
                packets_of_two_interfaces()[..1],
                "cut at {cut}"
            );
        }
    }
}

#[test]
fn r28_what_is_no_capture_file_is_refused() {
    let missing = FileRx::open(&std::env::temp_dir().join("pfring-no-such-file"), 1500);
    let Err(Error::Os("open", error)) = missing else {
        panic!("opened a missing file")
    };
    assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    let Err(Error::Os("read", error)) = FileRx::open(&std::env::temp_dir(), 1500) else {
        panic!("opened a folder")
    };
    assert_eq!(error.raw_os_error(), Some(libc::EISDIR));

    let whole = three_packets(LITTLE, MICRO);
    for cut in 0..24 {
        assert!(
            matches!(open(&whole[..cut]), Err(Error::BadFile(_))),
            "cut at {cut}"
        );
    }
    assert_eq!(read_all(&whole[..24]), []);
    for magic in [0, 0xa1b2_c3d5, 0x0a0d_0d0b, u32::MAX] {
        let mut other = whole.clone();
        other[..4].copy_from_slice(&magic.to_le_bytes());
        assert!(
            matches!(open(&other), Err(Error::BadFile(_))),
            "magic {magic:#x}"
        );
    }
    let mut version_3 = whole.clone();
    version_3[4] = 3;
    assert!(error_of(&version_3).contains("version"));

    let whole = two_interfaces(LITTLE);
    for cut in 0..28 + 20 {
        assert!(
            matches!(open(&whole[..cut]), Err(Error::BadFile(_))),
            "cut at {cut}"
        );
    }
    assert_eq!(read_all(&whole[..28 + 20]), []);
}

#[test]
fn r29_pcapng_stamps_are_exact() {
    for order in BOTH {
        assert_eq!(
            read_all(&two_interfaces(order)),
            packets_of_two_interfaces()
        );
        let offset = if order.big {
            100i64.to_be_bytes()
        } else {
            100i64.to_le_bytes()
        };
        let bytes = [
            order.section(),
            order.interface(1, 0xffff_ffff, &[(9, &[0x80 | 10]), (14, &offset)]),
            order.interface(1, 96, &[(14, &offset), (9, &[0])]),
            // After the end of the options come no more.
            order.interface(1, 96, &[(0, &[]), (9, &[9])]),
            order.enhanced(0, 5 * 1024 + 512, 60, &[1; 4]),
            order.enhanced(1, 7, 60, &[2; 4]),
            order.enhanced(2, 7, 60, &[3; 4]),
        ]
        .concat();
        let stamps: Vec<_> = read_all(&bytes).iter().map(|packet| packet.ts_ns).collect();
        assert_eq!(stamps, [105 * SECOND + SECOND / 2, 107 * SECOND, 7_000]);
    }
}

#[test]
fn r29_clocks() {
    let ns = |resolution, offset_s, units| {
        Clock {
            resolution,
            offset_s,
        }
        .to_ns(units)
    };
    for (resolution, units, wanted) in [
        (0, 3, 3 * SECOND),
        (3, 1_700_000_000_123, 1_700_000_000_123 * 1_000_000),
        (6, 1_700_000_000_123_456, 1_700_000_000_123_456_000),
        (9, 1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
        (9, u64::MAX, u64::MAX),
        (12, 1_999_999, 1999),
        (19, u64::MAX, 1_844_674_407),
        (47, u64::MAX, 0),
        (127, u64::MAX, 0),
        (0x80, 3, 3 * SECOND),
        (0x80 | 1, 3, 3 * SECOND / 2),
        (0x80 | 20, 1 << 20, SECOND),
        (0x80 | 63, u64::MAX, 2 * SECOND - 1),
        (0xff, u64::MAX, 0),
    ] {
        assert_eq!(
            ns(resolution, 0, units),
            wanted,
            "resolution {resolution}, {units} units"
        );
    }
    assert_eq!(ns(6, -1, 3_000_000), 2 * SECOND);
    assert_eq!(ns(6, i64::MIN, 3_000_000), 0);
    assert_eq!(ns(0, i64::MAX, u64::MAX), u64::MAX);
}

#[test]
fn r30_the_link_type_is_kept() {
    let packet: Vec<u8> = [0x45, 0, 0, 28].into_iter().chain([7; 24]).collect();
    for order in BOTH {
        for (in_file, dlt) in [(1, 1), (0, 0), (101, 12), (12, 12), (113, 113), (276, 276)] {
            let record = order.record(1, 2, 28, &packet);
            let file = [order.pcap_header(MICRO, in_file), record].concat();
            assert_eq!(open(&file).unwrap().link_type(), dlt);
            assert_eq!(read_all(&file), [got(&packet, 28, SECOND + 2000)]);
            let interface = order.interface(in_file as u16, 0, &[]);
            let block = order.enhanced(0, 1_000_002, 28, &packet);
            let file = [order.section(), interface, block].concat();
            assert_eq!(open(&file).unwrap().link_type(), dlt);
            assert_eq!(read_all(&file), [got(&packet, 28, SECOND + 2000)]);
        }
        // The bits above say how long the FCS is.
        let with_fcs = order.pcap_header(MICRO, 0x4400_0000 | 1);
        assert_eq!(open(&with_fcs).unwrap().link_type(), 1);
    }
}

#[test]
fn every_kind_of_packet_block_is_read_and_the_rest_passed_over() {
    for order in BOTH {
        let bytes = [
            order.section(),
            order.block(4, &[1; 30]),
            order.interface(1, 50, &[]),
            order.block(0x0bad, &[9; 5]),
            // Longer than the buffer.
            order.block(0x4000_0bad, &[9; 200_000]),
            order.enhanced(0, 1, 60, &[1; 60]),
            order.block(5, &[0; 12]),
            order.simple(48, &[2; 48]),
            order.simple(1500, &[3; 52]),
            order.simple(47, &[4; 47]),
            order.old_packet(0, 2_000_000, 1500, &[5; 21]),
            order.block(10, &[0; 3]),
        ]
        .concat();
        let wanted = [
            got(&[1; 60], 60, 1000),
            got(&[2; 48], 48, 0),
            got(&[3; 50], 1500, 0),
            got(&[4; 47], 47, 0),
            got(&[5; 21], 1500, 2 * SECOND),
        ];
        assert_eq!(read_all(&bytes), wanted);
    }
}

#[test]
fn options_after_the_packet_are_not_part_of_it() {
    let mut body = Vec::new();
    for field in [0u32, 0, 5, 5, 5] {
        body.extend(field.to_le_bytes());
    }
    body.extend(b"hello\0\0\0");
    body.extend([1, 0, 3, 0, b'h', b'i', b'!', 0, 0, 0, 0, 0]);
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 0, &[]),
        LITTLE.block(6, &body),
    ]
    .concat();
    assert_eq!(read_all(&bytes), [got(b"hello", 5, 5000)]);
}

#[test]
fn a_new_section_may_have_another_byte_order_and_other_interfaces() {
    let [little, big] = BOTH.map(two_interfaces);
    let bytes = [little.clone(), big, little].concat();
    assert_eq!(
        read_all(&bytes),
        vec![packets_of_two_interfaces(); 3].concat()
    );

    let bytes = [
        two_interfaces(LITTLE),
        BOTH[1].section(),
        BOTH[1].enhanced(0, 1, 4, &[1; 4]),
    ];
    assert!(error_of(&bytes.concat()).contains("interface 0"));
}

#[test]
fn files_that_contradict_themselves_end_in_a_lasting_error() {
    let section = LITTLE.section();
    let interface = LITTLE.interface(1, 0, &[]);
    let head = [&section[..], &interface].concat();
    let with = |block: Vec<u8>| error_of(&[head.clone(), block].concat());
    let patched = |mut block: Vec<u8>, at: usize, value: u32| {
        block[at..at + 4].copy_from_slice(&value.to_le_bytes());
        block
    };
    let packet = || LITTLE.enhanced(0, 1, 60, &[1; 60]);

    assert!(with(LITTLE.enhanced(1, 1, 60, &[1; 60])).contains("interface 1"));
    assert!(with(LITTLE.old_packet(7, 1, 60, &[1; 60])).contains("interface 7"));
    assert!(with(LITTLE.enhanced(0, 1, 300_000, &[1; 300_000])).contains("300000"));
    assert!(with(LITTLE.simple(300_000, &[1; 300_000])).contains("300000"));
    // Longer than the block.
    for captured in [61 + 4, 1000, u32::MAX] {
        assert!(!with(patched(packet(), 20, captured)).is_empty());
        assert!(!with(patched(LITTLE.old_packet(0, 1, 60, &[1; 60]), 20, captured)).is_empty());
    }
    for size in [0, 11, 14, MAX_PACKET as u32 * 1024] {
        assert!(with(patched(packet(), 4, size)).contains(&size.to_string()));
    }
    let last = packet().len() - 4;
    assert!(with(patched(packet(), last, 60)).contains("lengths"));
    assert!(with(LITTLE.block(3, &[])).contains("too short"));
    assert!(with(LITTLE.block(2, &[0; 16])).contains("too short"));
    assert!(with(LITTLE.block(6, &[0; 16])).contains("cannot be read"));
    assert!(with(LITTLE.block(1, &[0; 4])).contains("cannot be read"));
    assert!(with(patched(section.clone(), 8, 1)).contains("byte order"));
    assert!(with(patched(section.clone(), 12, 2)).contains("version"));
    let raw = [
        LITTLE.interface(101, 0, &[]),
        LITTLE.enhanced(1, 1, 4, &[1; 4]),
    ]
    .concat();
    assert!(with(raw).contains("mixes link types"));
    assert!(error_of(&[&section[..], &packet()].concat()).contains("interface 0"));
    assert!(error_of(&section).contains("before it describes an interface"));

    let mut pcap = three_packets(LITTLE, MICRO);
    pcap.extend(LITTLE.record(1, 1, 300_000, &[0; 300_000]));
    assert!(error_of(&pcap).contains("300000"));
    let mut pcap = three_packets(LITTLE, MICRO);
    pcap.extend([0xff; 16]);
    assert!(error_of(&pcap).contains("4294967295"));
}

#[test]
fn the_snap_length_cuts_what_is_kept_and_not_what_is_told() {
    let file = TempFile::new(&three_packets(LITTLE, NANO));
    for (snaplen, caplens) in [
        (0, [0, 0, 0]),
        (1, [1, 1, 1]),
        (20, [20, 13, 20]),
        (60, [60, 13, 60]),
    ] {
        let mut rx = FileRx::open(&file.0, snaplen).unwrap();
        let frames = [(); 3].map(|()| rx.next().unwrap().unwrap());
        assert_eq!(frames.map(|frame| frame.caplen), caplens);
        assert_eq!(frames.map(|frame| frame.len), [60, 1500, 64]);
    }
}

#[test]
fn a_length_below_what_was_captured_is_raised() {
    let bytes = [
        LITTLE.pcap_header(MICRO, 1),
        LITTLE.record(0, 0, 0, &[1; 60]),
    ]
    .concat();
    assert_eq!(read_all(&bytes), [got(&[1; 60], 60, 0)]);
}

#[test]
fn frames_of_a_burst_stay_valid_together_until_release() {
    const BURST: usize = 255;
    let data = |i: usize| vec![i as u8; 1 + 37 * i];
    let mut bytes = LITTLE.pcap_header(MICRO, 1);
    for i in 0..2 * BURST {
        bytes.extend(LITTLE.record(i as u32, 0, 20_000, &data(i)));
    }
    let mut rx = open(&bytes).unwrap();
    for first in [0, BURST] {
        let frames: Vec<_> = (0..BURST).map(|_| rx.next().unwrap().unwrap()).collect();
        assert!(rx.frames.chunks() > 3);
        for (i, frame) in frames.iter().enumerate() {
            // SAFETY: the frame was not released, and no slice of it lives. Its holder may write.
            unsafe { frame.data.as_ptr().write(0xee) };
            let mut wanted = data(first + i);
            wanted[0] = 0xee;
            assert_eq!(copied(frame).bytes, wanted);
        }
        rx.release();
        assert_eq!(rx.frames.chunks(), 1);
    }
    assert!(matches!(rx.next(), Err(Error::EndOfFile)));
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let mut bytes = LITTLE.pcap_header(MICRO, 1);
    for i in 0..20_000 {
        bytes.extend(LITTLE.record(i, 0, 1000, &[i as u8; 500]));
    }
    bytes.extend(LITTLE.record(0, 0, 1000, &[9; MAX_PACKET]));
    let mut rx = FileRx::open(&TempFile::new(&bytes).0, MAX_PACKET as u32).unwrap();
    for i in 0..20_000 {
        let frame = rx.next().unwrap().unwrap();
        assert_eq!((frame.caplen, frame.stamp.to_ns()), (500, i * SECOND));
        rx.release();
        assert_eq!((rx.source.capacity(), rx.frames.chunks()), (64 * 1024, 1));
    }
    assert_eq!(rx.next().unwrap().unwrap().caplen as usize, MAX_PACKET);
    assert_eq!(
        (rx.source.capacity(), rx.frames.chunks()),
        (MAX_PACKET + 16, 1)
    );
}

#[test]
fn the_shipped_sample_has_a_hundred_whole_packets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples-c/sample.pcap");
    let packets = read_all(&fs::read(path).unwrap());
    assert_eq!(packets.len(), 100);
    let mut ts_ns = 1_700_000_000 * SECOND;
    for packet in packets {
        assert!(packet.len as usize == packet.bytes.len() && packet.len >= 60);
        assert_eq!(packet.ts_ns, ts_ns);
        ts_ns += 1_250_000;
    }
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let dir = TempFile::new(b"");
    let path = dir.0.with_extension("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .unwrap();
    assert!(made.success());
    let bytes = three_packets(LITTLE, MICRO);
    let wanted = read_all(&bytes);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(path).unwrap();
            for byte in bytes {
                std::io::Write::write_all(&mut pipe, &[byte]).unwrap();
            }
        }
    });
    let mut rx = FileRx::open(&path, 65_535).unwrap();
    for packet in &wanted {
        assert_eq!(copied(&rx.next().unwrap().unwrap()), *packet);
    }
    assert!(matches!(rx.next(), Err(Error::EndOfFile)));
    writer.join().unwrap();
    fs::remove_file(path).unwrap();
}
