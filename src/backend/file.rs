//! Capture files: pcap (micro- and nanoseconds, both byte orders) and pcapng, read as a stream.
//!
//! The parsing of headers and blocks is pcap-parser's, on one complete record or block at a time.
//! Finding where the next one ends is ours (`source`): the crate's own readers take a record that
//! contradicts itself for one that needs more data. Frames are copied into memory of the backend
//! (`arena`) and stay valid together until release. Memory is bounded whatever the file's size.
#![deny(unsafe_code)]

mod arena;
mod pcap;
mod pcapng;
mod source;

use std::os::fd::RawFd;
use std::path::Path;

use self::arena::Arena;
use self::pcap::Pcap;
use self::pcapng::Pcapng;
use self::source::Source;
use super::{Checksum, Frame, FrameDirection, RxBackend, Stamp};
use crate::error::{Error, Result};

/// The longest packet, in bytes, as in libpcap (`MAXIMUM_SNAPLEN`): a longer one means that the
/// file is damaged.
const MAX_PACKET: usize = 262_144;

/// What a reader found: where the bytes of a packet lie in the buffer of the source.
struct Packet {
    /// Index of the first byte in the buffer.
    start: usize,
    /// Bytes that the file has of it.
    captured: u32,
    /// Bytes on the wire, as the file says.
    len: u32,
    /// Nanoseconds since 1970.
    ts_ns: u64,
}

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// Why no packet comes any more.
enum End {
    OfFile,
    Bad(String),
}

/// A capture file as a source of frames.
///
/// Frames are marked as received, with interface 0 and unknown checksums. Their length is never
/// below what was captured, whatever the file says. A simple packet block of pcapng has no time:
/// its stamp is 0. A file that ends within a record ends after the last complete one.
///
/// Reading never waits, but for a pipe: it is read like a file, and waits for its writer.
pub struct FileRx {
    source: Source,
    format: Format,
    frames: Arena,
    link_type: i32,
    snaplen: u32,
    end: Option<End>,
}

impl FileRx {
    /// Opens a file and reads up to its first packet. Frames keep at most `snaplen` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Os`] when it cannot be opened or read; [`Error::BadFile`] when it is not a capture
    /// file, or ends before it says what its packets are.
    pub fn open(path: &Path, snaplen: u32) -> Result<FileRx> {
        let mut source = Source::open(path)?;
        let magic = source
            .ahead(4)?
            .and_then(|magic| <[u8; 4]>::try_from(magic).ok());
        let (format, link_type) = match magic {
            None => return Err(bad("it has less than four bytes")),
            Some(pcapng::MAGIC) => {
                let (reader, link_type) = Pcapng::open(&mut source)?;
                (Format::Pcapng(reader), link_type)
            }
            Some(_) => {
                let (reader, link_type) = Pcap::open(&mut source)?;
                (Format::Pcap(reader), link_type)
            }
        };
        Ok(FileRx {
            source,
            format,
            frames: Arena::default(),
            link_type: dlt_of_linktype(link_type),
            snaplen,
            end: None,
        })
    }

    /// What every frame begins with, as a DLT value: 1 is Ethernet, 12 raw IP, 113 Linux cooked.
    pub fn link_type(&self) -> i32 {
        self.link_type
    }

    /// Reads and copies the next packet; None at the end of the file.
    fn read(&mut self) -> Result<Option<Frame>> {
        let packet = match &mut self.format {
            Format::Pcap(reader) => reader.next(&mut self.source)?,
            Format::Pcapng(reader) => reader.next(&mut self.source)?,
        };
        let Some(packet) = packet else {
            return Ok(None);
        };
        let caplen = packet.captured.min(self.snaplen);
        let bytes = self.source.bytes(packet.start, caplen as usize);
        Ok(Some(Frame {
            data: self.frames.copy(bytes),
            caplen,
            len: packet.len.max(packet.captured),
            stamp: Stamp::from_ns(packet.ts_ns),
            ifindex: 0,
            direction: FrameDirection::Received,
            checksum: Checksum::UNKNOWN,
            moved_tci: None,
        }))
    }
}

impl RxBackend for FileRx {
    /// As the trait says; and [`Error::BadFile`] from the first record on that contradicts itself.
    /// After a read error ([`Error::Os`], once) the file counts as ended.
    fn next(&mut self) -> Result<Option<Frame>> {
        match &self.end {
            Some(End::OfFile) => return Err(Error::EndOfFile),
            Some(End::Bad(why)) => return Err(Error::BadFile(why.clone())),
            None => {}
        }
        match self.read() {
            Ok(Some(frame)) => Ok(Some(frame)),
            Ok(None) => {
                self.end = Some(End::OfFile);
                Err(Error::EndOfFile)
            }
            Err(error) => {
                self.end = Some(match &error {
                    Error::BadFile(why) => End::Bad(why.clone()),
                    _ => End::OfFile,
                });
                Err(error)
            }
        }
    }

    fn release(&mut self) {
        self.frames.clear();
    }

    /// Always: a packet or the end of the file is there.
    fn available(&self) -> bool {
        true
    }

    /// 1 until the end has been seen, 0 from then on: how many follow is not known.
    fn queued(&self) -> u32 {
        self.end.is_none().into()
    }

    fn fds(&self) -> &[RawFd] {
        &[]
    }
}

/// The error for a file that contradicts itself.
fn bad(why: impl Into<String>) -> Error {
    Error::BadFile(why.into())
}

/// The DLT value on Linux of a LINKTYPE value, the code that files use. They differ where the DLT
/// value depends on the system (`linktype_to_dlt` of libpcap's pcap-common.c).
fn dlt_of_linktype(link_type: i32) -> i32 {
    match link_type {
        100 => 11, // ATM_RFC1483
        101 => 12, // RAW
        102 => 15, // SLIP_BSDOS
        103 => 16, // PPP_BSDOS
        106 => 19, // ATM_CLIP
        other => other,
    }
}

#[cfg(test)]
mod tests;
