//! Chunks: rows of a capture file, made of the packets that are there.

mod common;

use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use common::frame::{mark, numbered};
use common::ring::{REENTRANT, RX_ONLY, errno};
use common::{Lab, Open, Ring, Turn, backends};
use pfring::abi::{self, pfring_chunk_info, pfring_chunk_type};
use pfring::capi;

const SOON: Duration = Duration::from_secs(10);

/// One row: its four words, and the bytes.
struct Row {
    sec: u32,
    nsec: u32,
    caplen: u32,
    len: u32,
    bytes: Vec<u8>,
}

/// What pfring_recv_chunk answers, and the bytes of the chunk.
fn chunk(ring: &Ring, wait: bool) -> (i32, Vec<u8>) {
    let mut data: *mut c_void = null_mut();
    let mut info = pfring_chunk_info {
        length: 77,
        r#type: pfring_chunk_type::UNKNOWN_CHUNK_TYPE,
    };
    // SAFETY: an open ring, and places for both results.
    let rc = unsafe {
        capi::pfring_recv_chunk(ring.raw(), &raw mut data, &raw mut info, u8::from(wait))
    };
    if rc != 1 {
        assert!(data.is_null() && info.length == 77, "nothing is written");
        return (rc, Vec::new());
    }
    assert_eq!(info.r#type, pfring_chunk_type::PCAP_NSEC_CHUNK);
    assert!(info.length > 0 && info.length <= 1 << 20);
    // SAFETY: the call returned 1: the chunk has so many bytes until the next call.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), info.length as usize) };
    (rc, bytes.to_vec())
}

fn rows(mut chunk: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    while !chunk.is_empty() {
        let word = |i: usize| u32::from_ne_bytes(chunk[4 * i..4 * i + 4].try_into().unwrap());
        let caplen = word(2);
        let end = 16 + caplen as usize;
        rows.push(Row {
            sec: word(0),
            nsec: word(1),
            caplen,
            len: word(3),
            bytes: chunk[16..end].to_vec(),
        });
        chunk = &chunk[end..];
    }
    rows
}

/// Rows of chunk after chunk, until so many came.
fn collect(ring: &Ring, count: usize) -> (Vec<Row>, usize) {
    let (mut all, mut chunks) = (Vec::new(), 0);
    let end = Instant::now() + SOON;
    while all.len() < count {
        assert!(Instant::now() < end, "{} rows of {count}", all.len());
        let _patience = ring.patience(SOON);
        let (rc, bytes) = chunk(ring, true);
        assert_eq!(rc, 1, "errno {}", errno());
        all.extend(rows(&bytes));
        chunks += 1;
    }
    assert_eq!(chunk(ring, false).0, 0, "no row too many");
    (all, chunks)
}

#[test]
fn rows_have_every_packet_in_order() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    const FRAMES: u32 = 20_000;
    for backend in backends() {
        let ring = Open::on("vb").caplen(100).backend(backend).ring();
        assert_eq!(chunk(&ring, false).0, -12, "not enabled");
        ring.enable();
        assert_eq!(chunk(&ring, false).0, 0, "nothing there");
        let sender = lab.sender();
        sender.numbers_of(0..FRAMES, 200);
        let (rows, chunks) = collect(&ring, FRAMES as usize);
        assert!(
            chunks < FRAMES as usize / 10,
            "{chunks} chunks: packets come together"
        );
        let mut last = (0, 0);
        for (number, row) in (0..).zip(&rows) {
            assert_eq!((row.caplen, row.len), (100, 200));
            assert_eq!(mark(&row.bytes).map(|m| m.number), Some(number));
            assert!(row.nsec < 1_000_000_000 && (row.sec, row.nsec) >= last);
            last = (row.sec, row.nsec);
        }
        assert_eq!(rows[0].bytes[..14], numbered(0, 200)[..14]);
        let stats = ring.stats();
        assert_eq!((stats.recv, stats.drop), (u64::from(FRAMES), 0));
        // Packets one by one again, after chunks.
        sender.number(7);
        assert_eq!(ring.packet(SOON).number(), 7);
    }
}

#[test]
fn filter_and_direction_hold_for_chunks() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb").backend(backend).ring();
        assert_eq!(ring.set_direction(RX_ONLY), 0);
        assert_eq!(ring.set_bpf_filter("ether[18:4] >= 5"), 0);
        ring.enable();
        lab.sender().numbers(0..10);
        let (rows, _) = collect(&ring, 5);
        let numbers: Vec<u32> = rows
            .iter()
            .map(|row| mark(&row.bytes).unwrap().number)
            .collect();
        assert_eq!(numbers, [5, 6, 7, 8, 9]);
    }
}

#[test]
fn a_break_ends_the_wait_and_a_reentrant_ring_lends_none() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    ring.breakloop();
    let _patience = ring.patience(SOON);
    assert_eq!((chunk(&ring, true).0, errno()), (0, libc::EINTR));
    let shared = Open::on("vb").flags(REENTRANT).enabled();
    assert_eq!(chunk(&shared, false).0, -2);
}

/// A file is copied by its chunks: behind a file header they are the file.
#[test]
fn the_chunks_of_a_file_are_its_rows() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples-c/sample.pcap");
    let ring = Open::on(&format!("pcap:{}", sample.display()))
        .caplen(65_535)
        .enabled();
    let mut copied = Vec::new();
    loop {
        match chunk(&ring, true) {
            (1, bytes) => copied.extend(rows(&bytes)),
            (rc, _) => {
                assert_eq!(rc, abi::PF_RING_ERROR_INVALID_ARGUMENT, "end of file");
                break;
            }
        }
    }
    let packets = packets_of(&sample);
    assert_eq!(copied.len(), packets);
}

/// Packets of a file, by pfring_recv.
fn packets_of(file: &Path) -> usize {
    let ring = Open::on(&format!("pcap:{}", file.display()))
        .caplen(65_535)
        .enabled();
    ring.empty()
}
