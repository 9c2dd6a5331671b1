//! Protocol headers as they lie in a packet.

use super::{in6_addr, kcompact_ipv6_bits};

/// The four bytes that follow a VLAN TPID on the wire.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct eth_vlan_hdr {
    /// Tag control information, network byte order: 3 bits priority, 1 bit DEI, 12 bits id.
    pub h_vlan_id: u16,
    /// EtherType of what follows, network byte order.
    pub h_proto: u16,
}

/// The fixed IPv6 header (RFC 8200, section 3).
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct kcompact_ipv6_hdr {
    /// Flow label, in C a bit field of 24 bits. In Rust this is the whole first word.
    ///
    /// cbindgen:bitfield=24
    pub flow_lbl: u32,
    /// Bits 24 to 27 of the first word.
    ///
    /// cbindgen:bitfield=4
    pub priority: kcompact_ipv6_bits,
    /// Bits 28 to 31 of the first word.
    ///
    /// cbindgen:bitfield=4
    pub version: kcompact_ipv6_bits,
    /// Bytes after this header, network byte order.
    pub payload_len: u16,
    /// Protocol number of the header that follows.
    pub nexthdr: u8,
    /// Remaining hops.
    pub hop_limit: u8,
    /// Source address.
    pub saddr: in6_addr,
    /// Destination address.
    pub daddr: in6_addr,
}

/// Common start of an IPv6 extension header.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct kcompact_ipv6_opt_hdr {
    /// Protocol number of the header that follows.
    pub nexthdr: u8,
    /// Length in units of 8 bytes, the first 8 not counted.
    pub hdrlen: u8,
    /// Options, or filler up to 8 bytes.
    pub padding: [u8; 6],
}

/// The mandatory part of a GRE header (RFC 2784, RFC 2890).
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct gre_header {
    /// GRE_HEADER_* bits and the version, network byte order.
    pub flags_and_version: u16,
    /// EtherType of the payload, network byte order.
    pub proto: u16,
}

/// The mandatory part of a GTP version 1 header (3GPP TS 29.060 and 29.281).
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct gtp_v1_hdr {
    /// GTP_FLAGS_* bits and the version.
    pub flags: u8,
    /// Message type; 255 carries a user packet.
    pub message_type: u8,
    /// Bytes after the 8 mandatory ones, network byte order.
    pub payload_len: u16,
    /// Tunnel endpoint identifier, network byte order.
    pub teid: u32,
}

/// The optional part of a GTP version 1 header, there when an E, S or PN flag is set.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct gtp_v1_opt_hdr {
    /// Sequence number, network byte order.
    pub seq_num: u16,
    /// N-PDU number.
    pub npdu_num: u8,
    /// Type of the first extension header, 0 for none.
    pub next_ext_hdr: u8,
}

/// Start of a GTP version 1 extension header.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct gtp_v1_ext_hdr {
    /// Length in units of GTP_EXT_HDR_LEN_UNIT_BYTES.
    pub len: u8,
}

/// Mobile IP tunnel data header (RFC 3519, section 3.3).
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct mobile_ip_hdr {
    /// Type of message; 4 carries a packet.
    pub message_type: u8,
    /// Protocol number of the packet inside.
    pub next_header: u8,
    /// Zero.
    pub reserved: u16,
}

/// VXLAN header (RFC 7348, section 5).
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct vxlan_hdr {
    /// Bit 3 of the first byte says that vni is valid.
    pub flags: [u8; 2],
    /// Group policy id (an extension), network byte order.
    pub gdp: u16,
    /// Network identifier, network byte order.
    pub vni: [u8; 3],
    /// Reserved.
    pub res: u8,
}
