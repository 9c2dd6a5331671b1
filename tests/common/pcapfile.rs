//! Capture files made by the test, byte for byte: pcap (draft-ietf-opsawg-pcap) in both byte orders
//! and resolutions, and pcapng (draft-ietf-opsawg-pcapng).

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Link types (LINKTYPE_* of the tcpdump group's list).
pub const ETHERNET: u32 = 1;
pub const RAW_IP: u32 = 101;

/// Magic numbers of pcap: microseconds, nanoseconds.
pub const MICRO: u32 = 0xa1b2_c3d4;
pub const NANO: u32 = 0xa1b2_3c4d;

/// A file in the temporary folder, removed on drop.
pub struct TempFile(PathBuf);

impl TempFile {
    pub fn new(bytes: &[u8]) -> TempFile {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pfring-test-{}-{number}.pcap", std::process::id());
        let file = TempFile(std::env::temp_dir().join(name));
        std::fs::write(&file.0, bytes).expect("the temporary folder is writable");
        file
    }

    /// The device name that opens it.
    pub fn device(&self) -> String {
        format!(
            "pcap:{}",
            self.0
                .to_str()
                .expect("the temporary folder has a UTF-8 name")
        )
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Writes numbers in one byte order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }

    fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }
}

/// A packet of a file: stamp in seconds and nanoseconds, length on the wire, kept bytes.
#[derive(Clone)]
pub struct Record {
    pub seconds: u32,
    pub nanos: u32,
    pub len: u32,
    pub bytes: Vec<u8>,
}

impl Record {
    pub fn new(seconds: u32, nanos: u32, bytes: Vec<u8>) -> Record {
        Record {
            seconds,
            nanos,
            len: bytes.len() as u32,
            bytes,
        }
    }
}

/// A pcap file.
pub fn pcap(order: Order, magic: u32, linktype: u32, records: &[Record]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(order.u32(magic));
    file.extend(order.u16(2));
    file.extend(order.u16(4));
    for word in [0, 0, 65535, linktype] {
        file.extend(order.u32(word));
    }
    for record in records {
        let fraction = if magic == NANO {
            record.nanos
        } else {
            record.nanos / 1_000
        };
        for word in [
            record.seconds,
            fraction,
            record.bytes.len() as u32,
            record.len,
        ] {
            file.extend(order.u32(word));
        }
        file.extend(&record.bytes);
    }
    file
}

/// A block of pcapng: type, length, padded body, length.
fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = body.len().next_multiple_of(4);
    let length = order.u32(12 + padded as u32);
    let mut block = Vec::new();
    block.extend(order.u32(kind));
    block.extend(length);
    block.extend(body);
    block.resize(8 + padded, 0);
    block.extend(length);
    block
}

/// The start of a pcapng file (Section Header Block).
pub fn ng_section(order: Order) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(order.u32(0x1a2b_3c4d));
    body.extend(order.u16(1));
    body.extend(order.u16(0));
    body.extend([0xff; 8]);
    block(order, 0x0a0d_0d0a, &body)
}

/// An interface of a pcapng file (Interface Description Block); `tsresol` as in its option.
pub fn ng_interface(order: Order, linktype: u16, snaplen: u32, tsresol: Option<u8>) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(order.u16(linktype));
    body.extend(order.u16(0));
    body.extend(order.u32(snaplen));
    if let Some(tsresol) = tsresol {
        body.extend(order.u16(9));
        body.extend(order.u16(1));
        body.extend([tsresol, 0, 0, 0]);
        body.extend([0; 4]);
    }
    block(order, 1, &body)
}

/// A packet of a pcapng file (Enhanced Packet Block); the stamp is in units of its interface.
pub fn ng_packet(order: Order, interface: u32, stamp: u64, len: u32, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let words = [
        interface,
        (stamp >> 32) as u32,
        stamp as u32,
        bytes.len() as u32,
        len,
    ];
    for word in words {
        body.extend(order.u32(word));
    }
    body.extend(bytes);
    block(order, 6, &body)
}
