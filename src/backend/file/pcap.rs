//! The classic format: a header of 24 bytes, then records
//! (<https://www.tcpdump.org/manpages/pcap-savefile.5.txt>).

use pcap_parser::nom::{Err as NomErr, IResult, Needed};
use pcap_parser::{
    LegacyPcapBlock, PcapError, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified,
    parse_pcap_header,
};

use super::source::Source;
use super::{MAX_PACKET, Packet, bad};
use crate::error::Result;

/// Bytes of the file header.
const HEADER: usize = 24;

/// The link type's part of the header field `network`; above it are bits about the FCS.
const LINK_TYPE: i32 = 0x03ff_ffff;

type ParseRecord =
    for<'a> fn(&'a [u8]) -> IResult<&'a [u8], LegacyPcapBlock<'a>, PcapError<&'a [u8]>>;

/// A reader of records.
pub(super) struct Pcap {
    parse: ParseRecord,
    /// Bytes of a record's header.
    header: usize,
    /// Nanoseconds in a unit of a stamp's fraction.
    unit_ns: u64,
}

impl Pcap {
    /// Reads the file header; gives the LINKTYPE value too.
    pub(super) fn open(source: &mut Source) -> Result<(Self, i32)> {
        let Some(start) = source.take(HEADER)? else {
            return Err(bad("it is no pcapng file, and too short for a pcap file"));
        };
        let (_, header) = parse_pcap_header(source.bytes(start, HEADER))
            .map_err(|_| bad("it is neither a pcap nor a pcapng file"))?;
        if header.version_major != 2 {
            let (major, minor) = (header.version_major, header.version_minor);
            return Err(bad(format!("its pcap version is {major}.{minor}, not 2.x")));
        }
        let (parse, record_header): (ParseRecord, _) = if header.is_modified_format() {
            (parse_pcap_frame_modified, 24)
        } else if header.is_bigendian() {
            (parse_pcap_frame_be, 16)
        } else {
            (parse_pcap_frame, 16)
        };
        let unit_ns = if header.is_nanosecond_precision() {
            1
        } else {
            1000
        };
        Ok((
            Self {
                parse,
                header: record_header,
                unit_ns,
            },
            header.network.0 & LINK_TYPE,
        ))
    }

    /// The next packet, or None at the end of the file, be it within a record.
    pub(super) fn next(&mut self, source: &mut Source) -> Result<Option<Packet>> {
        let Some(header) = source.ahead(self.header)? else {
            return Ok(None);
        };
        // Of a header alone the parser says how many bytes must follow.
        let captured = match (self.parse)(header) {
            Ok(_) => 0,
            Err(NomErr::Incomplete(Needed::Size(missing))) => missing.get(),
            Err(_) => return Err(bad("a record has no valid header")),
        };
        if captured > MAX_PACKET {
            return Err(bad(format!("a record claims to hold {captured} bytes")));
        }
        let size = self.header + captured;
        let Some(start) = source.take(size)? else {
            return Ok(None);
        };
        let (_, record) =
            (self.parse)(source.bytes(start, size)).map_err(|_| bad("a record cannot be read"))?;
        Ok(Some(Packet {
            start: start + self.header,
            captured: record.caplen,
            len: record.origlen,
            ts_ns: u64::from(record.ts_sec) * 1_000_000_000
                + u64::from(record.ts_usec) * self.unit_ns,
        }))
    }
}
