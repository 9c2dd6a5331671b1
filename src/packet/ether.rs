//! Layer 2: the Ethernet header, any number of VLAN tags, and Arista's time stamp header.
//!
//! Rules: IEEE 802.1Q for the tags (TPIDs 0x8100, 0x88a8 and the older 0x9100), the 7280's
//! documentation for type 0xd28b.

use super::{Facts, be16, bytes, offset};

/// Ethernet type of IPv4.
pub const IPV4: u16 = 0x0800;
/// Ethernet type of IPv6.
pub const IPV6: u16 = 0x86dd;
/// Ethernet type of ARP.
pub const ARP: u16 = 0x0806;
/// Ethernet type of MPLS, unicast.
pub const MPLS: u16 = 0x8847;
/// Ethernet type of MPLS with an upstream-assigned label (multicast).
pub const MPLS_MULTICAST: u16 = 0x8848;
/// Ethernet type of the time stamp header of the Arista 7280.
pub const ARISTA_STAMP: u16 = 0xd28b;

/// Bytes of an Ethernet header.
pub const HEADER_LEN: usize = 14;
/// Bytes of Arista's header behind its Ethernet type: subtype, version, seconds, nanoseconds and
/// the real type.
pub const ARISTA_STAMP_LEN: usize = 14;
/// Bytes of a VLAN tag.
const TAG_LEN: usize = 4;

/// What layer 2 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ether {
    /// Destination MAC address.
    pub dmac: [u8; 6],
    /// Source MAC address.
    pub smac: [u8; 6],
    /// The type behind the last tag that is whole.
    pub eth_type: u16,
    /// Id of the first tag, else 0.
    pub vlan_id: u16,
    /// Id of the second tag, else 0.
    pub qinq_vlan_id: u16,
    /// Where the TCI of the last tag lies (C's `struct eth_vlan_hdr`), else 0.
    pub vlan_offset: usize,
    /// Where layer 3 begins.
    pub l3: usize,
}

/// Whether an Ethernet type says that a VLAN tag follows.
#[inline]
pub fn is_tag(eth_type: u16) -> bool {
    matches!(eth_type, 0x8100 | 0x88a8 | 0x9100)
}

/// Parses layer 2; None if the data is shorter than an Ethernet header.
///
/// A tag that is cut by the end of the data is not taken: its TPID stays as the type.
pub fn parse(data: &[u8]) -> Option<Ether> {
    let mut ether = Ether {
        dmac: *bytes(data, 0)?,
        smac: *bytes(data, 6)?,
        eth_type: be16(data, 12)?,
        vlan_id: 0,
        qinq_vlan_id: 0,
        vlan_offset: 0,
        l3: HEADER_LEN,
    };
    let mut tags = 0u32;
    // Each round goes forward by at least TAG_LEN bytes.
    loop {
        if is_tag(ether.eth_type) {
            let Some([tci_high, tci_low, type_high, type_low]) = bytes(data, ether.l3) else {
                break;
            };
            let id = u16::from_be_bytes([*tci_high, *tci_low]) & 0x0fff;
            match tags {
                0 => ether.vlan_id = id,
                1 => ether.qinq_vlan_id = id,
                _ => {}
            }
            tags += 1;
            ether.vlan_offset = ether.l3;
            ether.eth_type = u16::from_be_bytes([*type_high, *type_low]);
            ether.l3 += TAG_LEN;
        } else if ether.eth_type == ARISTA_STAMP {
            let Some(real) = be16(data, ether.l3 + ARISTA_STAMP_LEN - 2) else {
                break;
            };
            ether.eth_type = real;
            ether.l3 += ARISTA_STAMP_LEN;
        } else {
            break;
        }
    }
    Some(ether)
}

/// Writes what layer 2 says into the facts; leaves them alone if there is no whole header.
pub(super) fn fill(data: &[u8], facts: &mut Facts) {
    let Some(ether) = parse(data) else { return };
    facts.dmac = ether.dmac;
    facts.smac = ether.smac;
    facts.eth_type = ether.eth_type;
    facts.vlan_id = ether.vlan_id;
    facts.qinq_vlan_id = ether.qinq_vlan_id;
    facts.offsets.vlan = offset(ether.vlan_offset);
    facts.offsets.l3 = offset(ether.l3);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::samples::{DMAC, SMAC, ethernet, tagged};

    #[test]
    fn reads_addresses_and_type() {
        let ether = parse(&ethernet(IPV4, &[])).unwrap();
        assert_eq!((ether.dmac, ether.smac), (DMAC, SMAC));
        assert_eq!((ether.eth_type, ether.l3, ether.vlan_offset), (IPV4, 14, 0));
        assert_eq!((ether.vlan_id, ether.qinq_vlan_id), (0, 0));
    }

    #[test]
    fn tag_table() {
        // tags, then: vlan_id, qinq_vlan_id, vlan_offset, l3, type
        type Row<'a> = (&'a [(u16, u16)], u16, u16, usize, usize);
        let rows: [Row; 5] = [
            (&[(0x8100, 0x6064)], 100, 0, 14, 18),
            (&[(0x88a8, 301), (0x8100, 345)], 301, 345, 18, 22),
            (&[(0x9100, 7), (0x9100, 8), (0x8100, 9)], 7, 8, 22, 26),
            (&[(0x8100, 0xf000), (0x8100, 5)], 0, 5, 18, 22),
            (
                &[(0x8100, 1), (0x8100, 2), (0x8100, 3), (0x8100, 4)],
                1,
                2,
                26,
                30,
            ),
        ];
        for (tags, vlan, qinq, vlan_offset, l3) in rows {
            let ether = parse(&tagged(tags, IPV6, &[0; 8])).unwrap();
            assert_eq!(
                (ether.vlan_id, ether.qinq_vlan_id),
                (vlan, qinq),
                "{tags:x?}"
            );
            assert_eq!(
                (ether.vlan_offset, ether.l3),
                (vlan_offset, l3),
                "{tags:x?}"
            );
            assert_eq!(ether.eth_type, IPV6, "{tags:x?}");
        }
    }

    #[test]
    fn a_cut_tag_leaves_its_tpid() {
        let whole = tagged(&[(0x8100, 1), (0x88a8, 2)], IPV4, &[]);
        for cut in 18..22 {
            let ether = parse(&whole[..cut]).unwrap();
            assert_eq!(
                (ether.eth_type, ether.l3, ether.vlan_id),
                (0x88a8, 18, 1),
                "{cut} bytes"
            );
        }
        for cut in 0..14 {
            assert_eq!(parse(&whole[..cut]), None, "{cut} bytes");
        }
    }

    #[test]
    fn arista_stamp_is_skipped_also_behind_a_tag() {
        let mut stamp = vec![0, 1, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 2, 0x08, 0x00];
        let plain = parse(&ethernet(ARISTA_STAMP, &stamp)).unwrap();
        assert_eq!((plain.eth_type, plain.l3, plain.vlan_offset), (IPV4, 28, 0));
        let behind = parse(&tagged(&[(0x8100, 9)], ARISTA_STAMP, &stamp)).unwrap();
        assert_eq!(
            (behind.eth_type, behind.l3, behind.vlan_offset),
            (IPV4, 32, 14)
        );
        stamp.pop();
        let cut = parse(&ethernet(ARISTA_STAMP, &stamp)).unwrap();
        assert_eq!((cut.eth_type, cut.l3), (ARISTA_STAMP, 14));
    }
}
