//! The block format: sections with interfaces, each with a clock of its own
//! (<https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html>).

use pcap_parser::{
    InterfaceDescriptionBlock, OptionCode, parse_enhancedpacketblock_be,
    parse_enhancedpacketblock_le, parse_interfacedescriptionblock_be,
    parse_interfacedescriptionblock_le, parse_sectionheaderblock,
};

use super::source::Source;
use super::{MAX_PACKET, Packet, bad};
use crate::error::Result;

/// The first bytes of a file, the same in both byte orders.
pub(super) const MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
/// Obsolete, but old files have it.
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// The shortest block: type, length, length.
const MIN_BLOCK: usize = 12;

/// The longest block that is read in one piece, as in libpcap (`INITIAL_MAX_BLOCKSIZE`). Blocks
/// that do not matter here are passed over, however long.
const MAX_BLOCK: usize = 16 * 1024 * 1024;

/// The most interfaces of a section: keeps memory bounded.
const MAX_INTERFACES: usize = 65_536;

/// How an interface counts time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// `if_tsresol`: units per second as a power of 10, or of 2 with the top bit set.
    pub(super) resolution: u8,
    /// `if_tsoffset`: seconds to add.
    pub(super) offset_s: i64,
}

impl Clock {
    /// A stamp in nanoseconds since 1970, rounded down; what does not fit is the nearest that does.
    pub(super) fn to_ns(self, units: u64) -> u64 {
        let units = u128::from(units);
        let exponent = u32::from(self.resolution & 0x7f);
        let ns = if self.resolution & 0x80 != 0 {
            (units * 1_000_000_000) >> exponent
        } else if exponent <= 9 {
            units * 10u128.pow(9 - exponent)
        } else {
            10u128
                .checked_pow(exponent - 9)
                .map_or(0, |divisor| units / divisor)
        };
        let offset_ns = i128::from(self.offset_s) * 1_000_000_000;
        // Below 2^64 * 10^9, so it fits an i128.
        (ns as i128 + offset_ns).clamp(0, i128::from(u64::MAX)) as u64
    }
}

struct Interface {
    link_type: i32,
    snaplen: u32,
    clock: Clock,
}

/// What a block was.
enum Step {
    End,
    Packet(Packet),
    Interface,
    Other,
}

/// A reader of blocks.
pub(super) struct Pcapng {
    big_endian: bool,
    /// Those of this section.
    interfaces: Vec<Interface>,
    /// That of the first interface of the file: a packet of another one is an error. `open` sets
    /// it at the first interface.
    link_type: i32,
}

impl Pcapng {
    /// Reads up to the first interface; gives its LINKTYPE value too.
    pub(super) fn open(source: &mut Source) -> Result<(Self, i32)> {
        let mut reader = Self {
            big_endian: false,
            interfaces: Vec::new(),
            link_type: -1,
        };
        loop {
            match reader.step(source)? {
                Step::Interface => break,
                Step::Other => {}
                Step::Packet(_) => return Err(bad("a packet comes before any interface")),
                Step::End => return Err(bad("it ends before it describes an interface")),
            }
        }
        reader.link_type = reader.interfaces[0].link_type;
        let link_type = reader.link_type;
        Ok((reader, link_type))
    }

    /// The next packet, or None at the end of the file, be it within a block.
    pub(super) fn next(&mut self, source: &mut Source) -> Result<Option<Packet>> {
        loop {
            match self.step(source)? {
                Step::End => return Ok(None),
                Step::Packet(packet) => return Ok(Some(packet)),
                Step::Interface | Step::Other => {}
            }
        }
    }

    /// Reads one block.
    fn step(&mut self, source: &mut Source) -> Result<Step> {
        let Some(head) = source.ahead(MIN_BLOCK)? else {
            return Ok(Step::End);
        };
        if head[..4] == MAGIC {
            self.big_endian = match &head[8..12] {
                [0x1a, 0x2b, 0x3c, 0x4d] => true,
                [0x4d, 0x3c, 0x2b, 0x1a] => false,
                _ => return Err(bad("a section header has no byte order")),
            };
        }
        let kind = self.u32_at(head, 0);
        let size = self.u32_at(head, 4) as usize;
        if size < MIN_BLOCK || !size.is_multiple_of(4) {
            return Err(bad(format!("a block claims to have {size} bytes")));
        }
        if !matches!(
            kind,
            SECTION_HEADER | INTERFACE_DESCRIPTION | PACKET | SIMPLE_PACKET | ENHANCED_PACKET
        ) {
            return Ok(if source.skip(size)? {
                Step::Other
            } else {
                Step::End
            });
        }
        if size > MAX_BLOCK {
            return Err(bad(format!("a block claims to have {size} bytes")));
        }
        let Some(start) = source.take(size)? else {
            return Ok(Step::End);
        };
        let block = source.bytes(start, size);
        if self.u32_at(block, size - 4) as usize != size {
            return Err(bad("the two lengths of a block differ"));
        }
        match kind {
            SECTION_HEADER => self.section(block),
            INTERFACE_DESCRIPTION => self.interface(block),
            ENHANCED_PACKET => self.enhanced_packet(block, start),
            SIMPLE_PACKET => self.simple_packet(block, start),
            _ => self.old_packet(block, start),
        }
    }

    fn section(&mut self, block: &[u8]) -> Result<Step> {
        let (_, header) =
            parse_sectionheaderblock(block).map_err(|_| bad("a section header cannot be read"))?;
        if header.major_version != 1 {
            return Err(bad(format!(
                "its pcapng version is {}, not 1",
                header.major_version
            )));
        }
        self.interfaces.clear();
        Ok(Step::Other)
    }

    fn interface(&mut self, block: &[u8]) -> Result<Step> {
        let parse = if self.big_endian {
            parse_interfacedescriptionblock_be
        } else {
            parse_interfacedescriptionblock_le
        };
        let (_, description) =
            parse(block).map_err(|_| bad("an interface description cannot be read"))?;
        if self.interfaces.len() == MAX_INTERFACES {
            return Err(bad(format!("it has more than {MAX_INTERFACES} interfaces")));
        }
        self.interfaces.push(Interface {
            link_type: description.linktype.0,
            snaplen: description.snaplen,
            clock: self.clock(&description),
        });
        Ok(Step::Interface)
    }

    /// The options about time. The crate has them decoded too, but (0.17) no power of 2, and the
    /// offset always as little-endian.
    fn clock(&self, description: &InterfaceDescriptionBlock) -> Clock {
        let mut clock = Clock {
            resolution: 6,
            offset_s: 0,
        };
        for option in &description.options {
            match (option.code, option.as_bytes().unwrap_or_default()) {
                (OptionCode::EndOfOpt, _) => break,
                (OptionCode::IfTsresol, [resolution, ..]) => clock.resolution = *resolution,
                (OptionCode::IfTsoffset, &[a, b, c, d, e, f, g, h, ..]) => {
                    let bytes = [a, b, c, d, e, f, g, h];
                    clock.offset_s = if self.big_endian {
                        i64::from_be_bytes(bytes)
                    } else {
                        i64::from_le_bytes(bytes)
                    };
                }
                _ => {}
            }
        }
        clock
    }

    fn enhanced_packet(&self, block: &[u8], start: usize) -> Result<Step> {
        let parse = if self.big_endian {
            parse_enhancedpacketblock_be
        } else {
            parse_enhancedpacketblock_le
        };
        let (_, packet) = parse(block).map_err(|_| bad("a packet block cannot be read"))?;
        let interface = self.interface_of_packet(packet.if_id)?;
        let units = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
        check_length(packet.caplen)?;
        Ok(Step::Packet(Packet {
            start: start + 28,
            captured: packet.caplen,
            len: packet.origlen,
            ts_ns: interface.clock.to_ns(units),
        }))
    }

    /// Its captured length is not written: it is the packet's, cut by the snap length.
    fn simple_packet(&self, block: &[u8], start: usize) -> Result<Step> {
        let Some(room) = block.len().checked_sub(16) else {
            return Err(bad("a simple packet block is too short"));
        };
        let interface = self.interface_of_packet(0)?;
        let len = self.u32_at(block, 8);
        let limit = if interface.snaplen == 0 {
            u32::MAX
        } else {
            interface.snaplen
        };
        let captured = len.min(limit).min(room as u32);
        check_length(captured)?;
        Ok(Step::Packet(Packet {
            start: start + 12,
            captured,
            len,
            ts_ns: 0,
        }))
    }

    /// The packet block that enhanced packet blocks replaced (appendix of the draft); the crate
    /// does not know it.
    fn old_packet(&self, block: &[u8], start: usize) -> Result<Step> {
        let Some(room) = block.len().checked_sub(32) else {
            return Err(bad("a packet block is too short"));
        };
        let id = if self.big_endian {
            u16::from_be_bytes([block[8], block[9]])
        } else {
            u16::from_le_bytes([block[8], block[9]])
        };
        let interface = self.interface_of_packet(id.into())?;
        let units = u64::from(self.u32_at(block, 12)) << 32 | u64::from(self.u32_at(block, 16));
        let captured = self.u32_at(block, 20);
        if captured as usize > room {
            return Err(bad("a packet is longer than its block"));
        }
        check_length(captured)?;
        Ok(Step::Packet(Packet {
            start: start + 28,
            captured,
            len: self.u32_at(block, 24),
            ts_ns: interface.clock.to_ns(units),
        }))
    }

    fn interface_of_packet(&self, id: u32) -> Result<&Interface> {
        let Some(interface) = self.interfaces.get(id as usize) else {
            return Err(bad(format!(
                "a packet names interface {id}, which is not described"
            )));
        };
        if interface.link_type != self.link_type {
            let (other, first) = (interface.link_type, self.link_type);
            return Err(bad(format!(
                "it mixes link types: {first}, and {other} on interface {id}"
            )));
        }
        Ok(interface)
    }

    /// A number of the section's byte order. The caller checked that it lies in the block.
    fn u32_at(&self, block: &[u8], at: usize) -> u32 {
        let bytes = [block[at], block[at + 1], block[at + 2], block[at + 3]];
        if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }
}

/// Refuses a packet that no capture has.
fn check_length(captured: u32) -> Result<()> {
    if captured as usize > MAX_PACKET {
        return Err(bad(format!("a packet claims to hold {captured} bytes")));
    }
    Ok(())
}
