//! Bytes to facts: what a frame's headers say, its hash, its text, its time stamp trailers.
//!
//! The parser works on plain slices: it never reads past them, never writes to them, allocates
//! nothing, and each of its loops is bounded by the data. What C sees of the facts is made in
//! [`header`], the one file here that knows the ABI's types.
#![forbid(unsafe_code)]

pub mod ether;
pub mod hash;
pub mod header;
pub mod ip;
pub mod l4;
pub mod numbers;
pub mod print;
pub mod trailers;
pub mod tunnel;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use ip::Flow;

/// Headers are looked for in the first bytes of a frame only: as many as the signed 16-bit offsets
/// of the C header can address.
const MAX_HEADER_BYTES: usize = i16::MAX as usize;

/// The tunnel id of a packet that is in no tunnel, or in one without an id.
pub const NO_TUNNEL: u32 = u32::MAX;

/// Bit of [`Facts::fragment_flags`]: more fragments follow (PKT_FLAGS_IP_MORE_FRAG).
pub const MORE_FRAGMENTS: u32 = 1 << 2;

/// Bit of [`Facts::fragment_flags`]: not the first fragment (PKT_FLAGS_IP_FRAG_OFFSET).
pub const LATER_FRAGMENT: u32 = 1 << 3;

/// What a parse found. A field that was not reached is 0, and addresses are [`Addr::None`](ip::Addr::None).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Destination MAC address.
    pub dmac: [u8; 6],
    /// Source MAC address.
    pub smac: [u8; 6],
    /// Ethernet type behind all tags; for raw IP the type that fits the version.
    pub eth_type: u16,
    /// VLAN id of the first (outer) tag.
    pub vlan_id: u16,
    /// VLAN id of the second tag.
    pub qinq_vlan_id: u16,
    /// IP type of service or traffic class.
    pub tos: u8,
    /// Who talks to whom.
    pub flow: Flow,
    /// ICMP or ICMPv6 type.
    pub icmp_type: u8,
    /// ICMP or ICMPv6 code.
    pub icmp_code: u8,
    /// FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32.
    pub tcp_flags: u8,
    /// TCP sequence number.
    pub tcp_seq: u32,
    /// TCP acknowledgement number.
    pub tcp_ack: u32,
    /// What is inside a tunnel.
    pub tunnel: Tunnel,
    /// Where each layer begins.
    pub offsets: Offsets,
    /// Further fragments of this IP packet follow.
    pub more_fragments: bool,
    /// A fragment that is not the first: it holds no layer 4 header.
    pub later_fragment: bool,
}

/// What is inside GTP-U, GRE, VXLAN, MPLS or another IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// TEID, GRE key, VNI or the innermost MPLS label; [`NO_TUNNEL`] if there is none.
    pub id: u32,
    /// Inner destination MAC address (VXLAN).
    pub dmac: [u8; 6],
    /// Inner source MAC address (VXLAN).
    pub smac: [u8; 6],
    /// Ethernet type of the inner packet.
    pub eth_type: u16,
    /// Who talks to whom inside.
    pub flow: Flow,
}

/// Where each layer begins, in bytes from the start of the data: 0 or at most its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// The Ethernet header: always 0 here.
    pub eth: i16,
    /// The TCI of the last VLAN tag; 0 without tags.
    pub vlan: i16,
    /// The header behind Ethernet and tags.
    pub l3: i16,
    /// The header behind IP and its options or extension headers.
    pub l4: i16,
    /// What follows the layer 4 header; equal to `l4` where that header is not looked into.
    pub payload: i16,
}

/// Where a parse begins.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// At an Ethernet header, byte 0.
    Ethernet,
    /// At an IP header, byte 0 (raw IP link types).
    Ip,
    /// Behind what an earlier parse of the same data found: a layer 3 offset skips layer 2, a
    /// layer 4 offset skips layer 3. Offsets outside of the data start anew.
    Resume(&'a Facts),
}

impl Facts {
    /// Nothing known.
    pub const NONE: Facts = Facts {
        dmac: [0; 6],
        smac: [0; 6],
        eth_type: 0,
        vlan_id: 0,
        qinq_vlan_id: 0,
        tos: 0,
        flow: Flow::NONE,
        icmp_type: 0,
        icmp_code: 0,
        tcp_flags: 0,
        tcp_seq: 0,
        tcp_ack: 0,
        tunnel: Tunnel::NONE,
        offsets: Offsets {
            eth: 0,
            vlan: 0,
            l3: 0,
            l4: 0,
            payload: 0,
        },
        more_fragments: false,
        later_fragment: false,
    };

    /// [`MORE_FRAGMENTS`] and [`LATER_FRAGMENT`] of an IPv4 packet; 0 for all others, as upstream.
    #[inline]
    pub fn fragment_flags(&self) -> u32 {
        if self.flow.ip_version != 4 {
            return 0;
        }
        u32::from(self.more_fragments) * MORE_FRAGMENTS
            + u32::from(self.later_fragment) * LATER_FRAGMENT
    }
}

impl Tunnel {
    /// Not in a tunnel.
    pub const NONE: Tunnel = Tunnel {
        id: NO_TUNNEL,
        dmac: [0; 6],
        smac: [0; 6],
        eth_type: 0,
        flow: Flow::NONE,
    };
}

impl Default for Facts {
    fn default() -> Self {
        Self::NONE
    }
}

/// Parses as deep as `level` asks: 2 Ethernet, 3 IP, 4 transport, 5 or more into tunnels.
///
/// Gives the facts and the level that was reached: 2, 3, 4, 5 (IP inside a tunnel) or 6
/// (transport inside a tunnel). ICMP stays at 3 although its type and code are filled in.
pub fn parse(data: &[u8], start: Start<'_>, level: u8) -> (Facts, u8) {
    // Filled in place: copying the facts about costs as much as finding them.
    let mut found = (Facts::NONE, 2);
    found.1 = fill(data, start, level, &mut found.0);
    found
}

/// [`parse`] into facts that are [`Facts::NONE`] before; gives the level that was reached.
fn fill(data: &[u8], start: Start<'_>, level: u8, facts: &mut Facts) -> u8 {
    let data = &data[..data.len().min(MAX_HEADER_BYTES)];
    fill_layer2(data, start, facts);
    if level < 3 {
        return 2;
    }
    if !fill_layer3(data, facts) {
        let inside = if level >= 5 {
            tunnel::fill_mpls(data, facts)
        } else {
            None
        };
        return inside.unwrap_or(2);
    }
    if level < 4 || facts.offsets.l4 == 0 {
        return 3;
    }
    let reached = l4::fill(data, facts);
    let may_hold_more = reached == 4 || tunnel::is_ip_in_ip(facts);
    if level < 5 || !may_hold_more {
        return reached;
    }
    tunnel::fill(data, facts).unwrap_or(reached)
}

/// Layer 2 facts, or those of an earlier parse as far as their offsets fit the data.
fn fill_layer2(data: &[u8], start: Start<'_>, facts: &mut Facts) {
    match start {
        Start::Ethernet => ether::fill(data, facts),
        Start::Ip => facts.eth_type = ip::eth_type_of(data, 0).unwrap_or(0),
        Start::Resume(earlier) => {
            let fits = |at: i16| usize::try_from(at).is_ok_and(|at| at <= data.len());
            let offsets = &earlier.offsets;
            if (offsets.l3 == 0 && offsets.l4 == 0) || !fits(offsets.l3) || !fits(offsets.l4) {
                ether::fill(data, facts);
            } else {
                *facts = *earlier;
                facts.tunnel = Tunnel::NONE;
            }
        }
    }
}

/// Layer 3 facts; false if there is no IP header. An offset of layer 4 that is known already
/// stands, with all that belongs to it; only the fragment bits are read again, since the C header
/// does not carry them.
fn fill_layer3(data: &[u8], facts: &mut Facts) -> bool {
    let found = ip::parse(data, position(facts.offsets.l3), facts.eth_type);
    if let Some(ip) = &found {
        facts.more_fragments = ip.more_fragments;
        facts.later_fragment = ip.later_fragment;
    }
    if facts.offsets.l4 != 0 {
        return true;
    }
    let Some(ip) = found else { return false };
    facts.tos = ip.tos;
    facts.flow = ip.flow;
    facts.offsets.l4 = ip.l4.map_or(0, offset);
    true
}

/// A position in the data as a field of the C header. Data is cut where this would not fit.
fn offset(at: usize) -> i16 {
    i16::try_from(at).unwrap_or(0)
}

/// A field of the C header as a position; negative ones have been refused before.
fn position(at: i16) -> usize {
    usize::try_from(at).unwrap_or(0)
}

/// `N` bytes at `at`, if the data reaches that far.
#[inline]
fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<&[u8; N]> {
    data.get(at..)?.first_chunk()
}

#[inline]
fn be16(data: &[u8], at: usize) -> Option<u16> {
    bytes(data, at).map(|b| u16::from_be_bytes(*b))
}

#[inline]
fn be32(data: &[u8], at: usize) -> Option<u32> {
    bytes(data, at).map(|b| u32::from_be_bytes(*b))
}
