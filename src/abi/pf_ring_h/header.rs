//! The header that comes with each packet.

use libc::timeval;

use super::{in6_addr, ip_addr, sk_buff};

/// An IP address. Which member counts stands elsewhere, in a field called ip_version.
#[repr(C)]
#[derive(Clone, Copy)]
pub union IpAddrDecl {
    /// IPv6, network byte order.
    pub v6: in6_addr,
    /// IPv4, host byte order.
    pub v4: u32,
}

/// Which part of struct pfring_pkthdr a ring fills.
#[repr(C)]
pub enum PktHeaderLenDecl {
    /// All of it, parsed_pkt too.
    long_pkt_header = 0,
    /// Up to extended_hdr.pkt_hash: the first 48 bytes.
    short_pkt_header = 1,
}

c_enum! {
    pkt_header_len, PktHeaderLenDecl {
        LONG_PKT_HEADER = long_pkt_header,
        SHORT_PKT_HEADER = short_pkt_header,
    }
}

/// Where each header starts, in bytes from the first byte of the packet. A value that does not
/// apply is 0.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pkt_offset {
    /// Ethernet header; 0 unless the capture source puts something before it.
    pub eth_offset: i16,
    /// Last VLAN tag, or 0 when the packet carries none.
    pub vlan_offset: i16,
    /// Network header.
    pub l3_offset: i16,
    /// Transport header.
    pub l4_offset: i16,
    /// First byte after the transport header.
    pub payload_offset: i16,
}

/// What was found inside a tunnel. Addresses and ports are those of the inner packet.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct tunnel_info {
    /// GTP TEID, GRE key or VXLAN VNI in host byte order; NO_TUNNEL_ID when there is none.
    pub tunnel_id: u32,
    /// Inner destination MAC address (VXLAN), else zero.
    pub tunneled_dmac: [u8; 6],
    /// Inner source MAC address (VXLAN), else zero.
    pub tunneled_smac: [u8; 6],
    /// Inner EtherType, host byte order.
    pub tunneled_eth_type: u16,
    /// Inner IP version, 4 or 6; 0 when there is no inner IP packet.
    pub tunneled_ip_version: u8,
    /// Inner transport protocol number.
    pub tunneled_proto: u8,
    /// Inner source address.
    pub tunneled_ip_src: ip_addr,
    /// Inner destination address.
    pub tunneled_ip_dst: ip_addr,
    /// Inner source port, host byte order.
    pub tunneled_l4_src_port: u16,
    /// Inner destination port, host byte order.
    pub tunneled_l4_dst_port: u16,
}

/// The TCP part of struct pkt_parsing_info. Natural alignment: 12 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_pkt_parsing_info_tcp {
    /// TCP flags, FIN in bit 0.
    pub flags: u8,
    /// Sequence number.
    pub seq_num: u32,
    /// Acknowledgement number.
    pub ack_num: u32,
}

/// What the parser learnt of a packet. Numbers are in host byte order, IPv6 addresses and MAC
/// addresses as on the wire.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pkt_parsing_info {
    /// Destination MAC address.
    pub dmac: [u8; 6],
    /// Source MAC address.
    pub smac: [u8; 6],
    /// EtherType, after the VLAN tags.
    pub eth_type: u16,
    /// Id of the outermost VLAN tag, 0 when there is none.
    pub vlan_id: u16,
    /// Id of the second VLAN tag, 0 when there is none.
    pub qinq_vlan_id: u16,
    /// 4 or 6; 0 for anything else.
    pub ip_version: u8,
    /// Protocol number of the transport header.
    pub l3_proto: u8,
    /// IPv4 type of service, or IPv6 traffic class.
    pub ip_tos: u8,
    /// Source address.
    pub ip_src: ip_addr,
    /// Destination address.
    pub ip_dst: ip_addr,
    /// Source port.
    pub l4_src_port: u16,
    /// Destination port.
    pub l4_dst_port: u16,
    /// ICMP type.
    pub icmp_type: u8,
    /// ICMP code.
    pub icmp_code: u8,
    /// TCP facts.
    pub tcp: __pfring_pkt_parsing_info_tcp,
    /// The inner packet.
    pub tunnel: tunnel_info,
    /// Id of the last wildcard rule that matched; FILTERING_RULE_AUTO_RULE_ID when none did.
    pub last_matched_rule_id: i32,
    /// Where the headers start.
    pub offset: pkt_offset,
}

/// The tx part of struct pfring_extended_pkthdr. Natural alignment: 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_pfring_extended_pkthdr_tx {
    /// Index of the interface to send the packet to.
    pub bounce_interface: i32,
    /// Unused.
    pub reserved: *mut sk_buff,
}

/// The process part of struct pfring_extended_pkthdr.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_pfring_extended_pkthdr_process {
    /// Process id, 0 when unknown.
    pub pid: u32,
}

/// What PF_RING adds to the classic packet header.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_extended_pkthdr {
    /// Arrival time in nanoseconds since 1970-01-01 00:00 UTC; 0 when the source has none.
    pub timestamp_ns: u64,
    /// PKT_FLAGS_* bits.
    pub flags: u32,
    /// 1 for a received packet, 0 for a sent one.
    pub rx_direction: u8,
    /// Port of the device that stamped the packet (MetaWatch), else 0.
    pub port_id: u8,
    /// Id of the device that stamped the packet (MetaWatch), else 0.
    pub device_id: u16,
    /// Index of the interface that the packet crossed; UNKNOWN_INTERFACE or FAKE_PACKET are
    /// possible.
    pub if_index: i32,
    /// Flow hash, equal for both directions.
    pub pkt_hash: u32,
    /// For sending the packet on. In the long header only.
    pub tx: __pfring_pfring_extended_pkthdr_tx,
    /// For packets that belong to a process. In the long header only.
    pub process: __pfring_pfring_extended_pkthdr_process,
    /// What the parser learnt. In the long header only.
    pub parsed_pkt: pkt_parsing_info,
}

/// The header that comes with each packet. Its first 24 bytes are those of struct pcap_pkthdr.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_pkthdr {
    /// Arrival time, microseconds.
    pub ts: timeval,
    /// Bytes present.
    pub caplen: u32,
    /// Bytes on the wire, VLAN tags included, frame check sequence not.
    pub len: u32,
    /// The rest.
    pub extended_hdr: pfring_extended_pkthdr,
}
