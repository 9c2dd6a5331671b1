//! Time stamps that capture hardware puts into the packet: trailers of IXIA, VSS/APCON, MetaWatch
//! and Arista 7150, and the header of Arista 7280. All fields are big endian.
//!
//! Only reading here, from slices that hold the whole packet; a packet too short for the trailer
//! has none. Cutting it off and writing the header is [`header`](super::header)'s.

use super::{be16, be32, bytes, ether, ip};

/// Bytes of an IXIA trailer.
pub const IXIA_LEN: usize = 19;
/// Bytes of a VSS/APCON trailer.
pub const VSS_APCON_LEN: usize = 12;
/// Bytes of a MetaWatch (Arista 7130) trailer.
pub const METAWATCH_LEN: usize = 16;
/// Bytes of an Arista 7150 trailer.
pub const ARISTA_7150_LEN: usize = 4;

/// A point in time, as it stands in the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub sec: i64,
    /// Nanoseconds; 1,000,000,000 and more if the packet says so.
    pub nsec: u32,
}

impl Stamp {
    /// From nanoseconds since 1970-01-01 00:00 UTC.
    pub fn from_ns(ns: u64) -> Self {
        // Both fit: u64::MAX / 1e9 is below i64::MAX, and a remainder is below 1e9.
        Stamp {
            sec: (ns / 1_000_000_000) as i64,
            nsec: (ns % 1_000_000_000) as u32,
        }
    }

    /// Nanoseconds since 1970-01-01 00:00 UTC; 0 for times before, the largest number for those
    /// that 64 bits do not reach.
    pub fn as_ns(&self) -> u64 {
        let Ok(sec) = u64::try_from(self.sec) else {
            return 0;
        };
        sec.saturating_mul(1_000_000_000)
            .saturating_add(u64::from(self.nsec))
    }
}

/// Seconds and nanoseconds at `at`, as two 32-bit numbers; `utc_offset` is how many seconds the
/// sender's clock is ahead of UTC.
fn stamp_at(data: &[u8], at: usize, utc_offset: i32) -> Option<Stamp> {
    let sec = i64::from(be32(data, at)?) - i64::from(utc_offset);
    Some(Stamp {
        sec,
        nsec: be32(data, at + 4)?,
    })
}

/// Where a trailer of `len` bytes begins.
fn trailer(data: &[u8], len: usize) -> Option<usize> {
    data.len().checked_sub(len)
}

/// The stamp of an IXIA trailer; None without its signature AF 12.
///
/// The sender writes local time: `utc_offset` (seconds east of UTC) is taken off.
pub fn read_ixia(data: &[u8], utc_offset: i32) -> Option<Stamp> {
    let at = trailer(data, IXIA_LEN)?;
    if be16(data, at + 11)? != 0xaf12 {
        return None;
    }
    stamp_at(data, at + 2, utc_offset)
}

/// The stamp of a VSS or APCON trailer, which has no signature: any 12 bytes are taken for one.
///
/// The sender writes local time: `utc_offset` (seconds east of UTC) is taken off.
pub fn read_vss_apcon(data: &[u8], utc_offset: i32) -> Option<Stamp> {
    stamp_at(data, trailer(data, VSS_APCON_LEN)?, utc_offset)
}

/// What a MetaWatch trailer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaWatch {
    /// When the packet came in.
    pub stamp: Stamp,
    /// Fraction of the nanosecond, in units of 2^-24 ns.
    pub sub_ns: u32,
    /// Which device stamped it.
    pub device_id: u16,
    /// At which of its ports.
    pub port_id: u8,
}

/// A MetaWatch trailer, which has no signature: any 16 bytes are taken for one.
pub fn read_metawatch(data: &[u8]) -> Option<MetaWatch> {
    let at = trailer(data, METAWATCH_LEN)?;
    Some(MetaWatch {
        stamp: stamp_at(data, at + 4, 0)?,
        sub_ns: be32(data, at)? >> 8,
        device_id: be16(data, at + 13)?,
        port_id: *data.get(at + 15)?,
    })
}

/// What an Arista 7150 key frame says: which counter value belongs to which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyFrame {
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    pub utc_ns: u64,
    /// The device's counter at that time, its low 32 bits.
    pub ticks: u32,
}

/// The counter of the 7150, whose low 31 bits stand in each packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arista7150 {
    key: Option<KeyFrame>,
}

impl Arista7150 {
    /// The counter's width in packets.
    const MASK: u32 = 0x7fff_ffff;
    /// Nanoseconds of a tick (350 MHz).
    const TICK_NS: f64 = 2.857;

    /// No key frame seen yet.
    pub const fn new() -> Self {
        Self { key: None }
    }

    /// Takes a key frame: later packets are stamped by it.
    pub fn set_key(&mut self, key: KeyFrame) {
        self.key = Some(key);
    }

    /// The time of a packet whose trailer holds `ticks`, in ns since 1970-01-01 00:00 UTC; 0 as
    /// long as no key frame was seen.
    ///
    /// A counter that is behind the key frame's has wrapped round; upstream then counts one whole
    /// round from the key frame on, and so do we.
    pub fn ns_at(&self, ticks: u32) -> u64 {
        let Some(key) = self.key else { return 0 };
        let since_key = (ticks & Self::MASK)
            .checked_sub(key.ticks & Self::MASK)
            .unwrap_or(Self::MASK);
        key.utc_ns
            .saturating_add((f64::from(since_key) * Self::TICK_NS) as u64)
    }
}

/// The key frame in this packet; None if it is another packet.
///
/// A key frame is sent to the broadcast address, in IPv4 with protocol 253, any tags before it.
pub fn read_arista_7150_key_frame(data: &[u8]) -> Option<KeyFrame> {
    const PROTOCOL: u8 = 253;
    let ether = ether::parse(data)?;
    if ether.dmac != [0xff; 6] || ether.eth_type != ether::IPV4 {
        return None;
    }
    let ip = ip::parse(data, ether.l3, ether.eth_type)?;
    if ip.flow.proto != PROTOCOL || ip.later_fragment {
        return None;
    }
    // ASIC counter (u64), UTC, last sync, time of the key frame, drops (u64 each), device,
    // interface (u16 each), FCS type, reserved (u8 each).
    let payload: &[u8; 46] = bytes(data, ip.l4?)?;
    Some(KeyFrame {
        ticks: be32(payload, 4)?,
        utc_ns: u64::from_be_bytes(*bytes(payload, 8)?),
    })
}

/// The counter in the last four bytes of a packet from an Arista 7150.
pub fn read_arista_7150_ticks(data: &[u8]) -> Option<u32> {
    be32(data, trailer(data, ARISTA_7150_LEN)?)
}

/// The stamp in the header that an Arista 7280 puts behind the MAC addresses (and behind tags).
pub fn read_arista_7280(data: &[u8]) -> Option<Stamp> {
    let mut at = ether::HEADER_LEN - 2;
    // Each round goes forward by 4 bytes.
    while ether::is_tag(be16(data, at)?) {
        at += 4;
    }
    if be16(data, at)? != ether::ARISTA_STAMP {
        return None;
    }
    // Subtype and version (u16 each) stand before it.
    stamp_at(data, at + 6, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::samples::{SMAC, ethernet, ipv4, tagged};

    const SEC: u32 = 1_700_000_000;
    const NSEC: u32 = 123_456_789;

    fn stamp_bytes() -> [u8; 8] {
        (u64::from(SEC) << 32 | u64::from(NSEC)).to_be_bytes()
    }

    /// A frame with this trailer.
    fn with(trailer: &[u8]) -> Vec<u8> {
        [ethernet(0x88b5, &[0; 46]), trailer.to_vec()].concat()
    }

    /// Reading gives `Some` for the frame, and `None` or at least no panic for each shorter one.
    fn survives_cuts<T>(frame: &[u8], trailer_len: usize, read: impl Fn(&[u8]) -> Option<T>) {
        assert!(read(frame).is_some());
        for len in 0..frame.len() {
            let cut: Box<[u8]> = frame[..len].into();
            assert!(read(&cut).is_none() || len >= trailer_len, "{len} bytes");
        }
    }

    #[test]
    fn ixia() {
        let mut trailer = vec![0x01, 0x08];
        trailer.extend(stamp_bytes());
        trailer.extend([15, 0xaf, 0x12, 0, 0, 0, 0, 0, 0]);
        assert_eq!(trailer.len(), IXIA_LEN);
        let frame = with(&trailer);
        let sec = i64::from(SEC);
        assert_eq!(read_ixia(&frame, 0), Some(Stamp { sec, nsec: NSEC }));
        assert_eq!(
            read_ixia(&frame, 3600),
            Some(Stamp {
                sec: sec - 3600,
                nsec: NSEC
            })
        );
        assert_eq!(
            read_ixia(&frame, -3600),
            Some(Stamp {
                sec: sec + 3600,
                nsec: NSEC
            })
        );
        survives_cuts(&frame, frame.len(), |data| read_ixia(data, 0));
        trailer[12] = 0x13;
        assert_eq!(read_ixia(&with(&trailer), 0), None);
    }

    #[test]
    fn vss_apcon() {
        let frame = with(&[&stamp_bytes()[..], &[0xde, 0xad, 0xbe, 0xef]].concat());
        let sec = i64::from(SEC);
        assert_eq!(
            read_vss_apcon(&frame, 7200),
            Some(Stamp {
                sec: sec - 7200,
                nsec: NSEC
            })
        );
        survives_cuts(&frame, VSS_APCON_LEN, |data| read_vss_apcon(data, 0));
    }

    #[test]
    fn metawatch() {
        let mut trailer = vec![0x80, 0, 0, 0x05];
        trailer.extend(stamp_bytes());
        trailer.extend([0x01, 0x12, 0x34, 0x07]);
        let frame = with(&trailer);
        let found = read_metawatch(&frame).unwrap();
        assert_eq!(
            found.stamp,
            Stamp {
                sec: i64::from(SEC),
                nsec: NSEC
            }
        );
        assert_eq!(
            (found.sub_ns, found.device_id, found.port_id),
            (0x80_0000, 0x1234, 7)
        );
        survives_cuts(&frame, METAWATCH_LEN, read_metawatch);
    }

    fn key_frame(tags: &[(u16, u16)], proto: u8) -> Vec<u8> {
        let mut payload = 0xffff_ffff_8000_0010u64.to_be_bytes().to_vec();
        payload.extend(1_700_000_000_000_000_000u64.to_be_bytes());
        payload.resize(46, 0);
        let mut frame = tagged(tags, ether::IPV4, &ipv4(proto, 1, 2, &payload));
        frame[..6].fill(0xff);
        frame
    }

    #[test]
    fn arista_7150_key_frames() {
        let key = KeyFrame {
            utc_ns: 1_700_000_000_000_000_000,
            ticks: 0x8000_0010,
        };
        assert_eq!(read_arista_7150_key_frame(&key_frame(&[], 253)), Some(key));
        let tags = [(0x8100, 5), (0x8100, 6)];
        assert_eq!(
            read_arista_7150_key_frame(&key_frame(&tags, 253)),
            Some(key)
        );
        assert_eq!(read_arista_7150_key_frame(&key_frame(&[], 254)), None);
        let mut unicast = key_frame(&[], 253);
        unicast[..6].copy_from_slice(&SMAC);
        assert_eq!(read_arista_7150_key_frame(&unicast), None);
        let whole = key_frame(&[], 253);
        survives_cuts(&whole, whole.len(), read_arista_7150_key_frame);
    }

    #[test]
    fn arista_7150_ticks_to_time() {
        let mut clock = Arista7150::new();
        assert_eq!(clock.ns_at(5), 0);
        clock.set_key(KeyFrame {
            utc_ns: 1_000,
            ticks: 0x8000_0010,
        });
        assert_eq!(clock.ns_at(0x10), 1_000);
        assert_eq!(clock.ns_at(0x10 + 1000), 1_000 + 2_857);
        assert_eq!(clock.ns_at(0x8000_0010 + 1000), 1_000 + 2_857);
        assert_eq!(clock.ns_at(0x0f), 1_000 + (2_147_483_647.0 * 2.857) as u64);
        let frame = with(&[0, 0, 3, 0xf8]);
        assert_eq!(read_arista_7150_ticks(&frame), Some(1016));
        survives_cuts(&frame, ARISTA_7150_LEN, read_arista_7150_ticks);
    }

    #[test]
    fn arista_7280() {
        let mut header = vec![0, 1, 0, 0x10];
        header.extend(stamp_bytes());
        header.extend([0x08, 0x00]);
        let stamp = Stamp {
            sec: i64::from(SEC),
            nsec: NSEC,
        };
        assert_eq!(
            read_arista_7280(&ethernet(ether::ARISTA_STAMP, &header)),
            Some(stamp)
        );
        let behind = tagged(&[(0x8100, 5)], ether::ARISTA_STAMP, &header);
        assert_eq!(read_arista_7280(&behind), Some(stamp));
        survives_cuts(&behind, behind.len() - 2, read_arista_7280);
        assert_eq!(read_arista_7280(&ethernet(ether::IPV4, &header)), None);
    }

    #[test]
    fn stamps_to_ns_and_back() {
        let stamp = Stamp {
            sec: i64::from(SEC),
            nsec: NSEC,
        };
        assert_eq!(stamp.as_ns(), 1_700_000_000_123_456_789);
        assert_eq!(Stamp::from_ns(stamp.as_ns()), stamp);
        assert_eq!(Stamp { sec: -1, nsec: 5 }.as_ns(), 0);
    }
}
