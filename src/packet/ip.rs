//! Layer 3: IPv4 (RFC 791) and IPv6 with its extension headers (RFC 8200).
//!
//! Lengths inside the headers are never trusted beyond the data: a header that reaches past the
//! end gives no layer 4 offset.

use super::{be16, bytes, ether};

/// Protocol number of ICMP.
pub const ICMP: u8 = 1;
/// Protocol number of IPv4 inside IP (RFC 2003).
pub const IPV4_INSIDE: u8 = 4;
/// Protocol number of IPv6 inside IP (RFC 2473, RFC 4213).
pub const IPV6_INSIDE: u8 = 41;
/// Protocol number of TCP.
pub const TCP: u8 = 6;
/// Protocol number of UDP.
pub const UDP: u8 = 17;
/// Protocol number of GRE.
pub const GRE: u8 = 47;
/// Protocol number of ICMPv6.
pub const ICMPV6: u8 = 58;
/// Protocol number of SCTP.
pub const SCTP: u8 = 132;

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const NO_NEXT_HEADER: u8 = 59;
const DESTINATION: u8 = 60;

/// An IP address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addr {
    /// Not known.
    #[default]
    None,
    /// IPv4 in host order, as the C header holds it.
    V4(u32),
    /// IPv6 in network order, as it lies in the packet.
    V6([u8; 16]),
}

/// Who talks to whom: the addresses, the protocol and its ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// 4, 6, or 0 if there is no IP header.
    pub ip_version: u8,
    /// IP protocol behind all extension headers; 0 also for "no next header".
    pub proto: u8,
    /// Source address.
    pub src: Addr,
    /// Destination address.
    pub dst: Addr,
    /// Source port, host order; 0 where the protocol has none.
    pub src_port: u16,
    /// Destination port, host order; 0 where the protocol has none.
    pub dst_port: u16,
}

impl Flow {
    /// Nothing known.
    pub const NONE: Flow = Flow {
        ip_version: 0,
        proto: 0,
        src: Addr::None,
        dst: Addr::None,
        src_port: 0,
        dst_port: 0,
    };
}

/// What an IP header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// Version, protocol and addresses; the ports are not looked for here.
    pub flow: Flow,
    /// Type of service or traffic class, 8 bits.
    pub tos: u8,
    /// Where layer 4 begins; None if the data ends before.
    pub l4: Option<usize>,
    /// Further fragments follow.
    pub more_fragments: bool,
    /// Not the first fragment: no layer 4 header in it.
    pub later_fragment: bool,
}

/// The Ethernet type that fits the version of the IP header at `at`; None if it is no IP header.
pub fn eth_type_of(data: &[u8], at: usize) -> Option<u16> {
    match data.get(at)? >> 4 {
        4 => Some(ether::IPV4),
        6 => Some(ether::IPV6),
        _ => None,
    }
}

/// Parses the IP header at `at`.
///
/// None if `eth_type` is not IP, if the version does not fit it, if the fixed part is cut, or if
/// an IPv4 header claims fewer than 20 bytes.
pub fn parse(data: &[u8], at: usize, eth_type: u16) -> Option<Ip> {
    if eth_type_of(data, at)? != eth_type {
        return None;
    }
    if eth_type == ether::IPV4 {
        parse_v4(data, at)
    } else {
        parse_v6(data, at)
    }
}

fn parse_v4(data: &[u8], at: usize) -> Option<Ip> {
    let header: &[u8; 20] = bytes(data, at)?;
    let header_len = usize::from(header[0] & 0x0f) * 4;
    if header_len < header.len() {
        return None;
    }
    let address = |i: usize| Addr::V4(be32_of(header, i));
    let fragment = u16::from_be_bytes([header[6], header[7]]);
    let l4 = at + header_len;
    Some(Ip {
        flow: Flow {
            ip_version: 4,
            proto: header[9],
            src: address(12),
            dst: address(16),
            ..Flow::NONE
        },
        tos: header[1],
        l4: (l4 <= data.len()).then_some(l4),
        more_fragments: fragment & 0x2000 != 0,
        later_fragment: fragment & 0x1fff != 0,
    })
}

fn be32_of(header: &[u8; 20], i: usize) -> u32 {
    u32::from_be_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]])
}

fn parse_v6(data: &[u8], at: usize) -> Option<Ip> {
    let header: &[u8; 40] = bytes(data, at)?;
    let mut ip = Ip {
        flow: Flow {
            ip_version: 6,
            proto: header[6],
            src: Addr::V6(*bytes(header, 8)?),
            dst: Addr::V6(*bytes(header, 24)?),
            ..Flow::NONE
        },
        tos: header[0] << 4 | header[1] >> 4,
        l4: None,
        more_fragments: false,
        later_fragment: false,
    };
    skip_extension_headers(data, at + header.len(), &mut ip);
    Some(ip)
}

/// Walks the extension headers from `at` on; sets the protocol, the layer 4 offset and the
/// fragment bits.
///
/// An extension header that is cut ends the walk: its own number stays as the protocol, and there
/// is no layer 4 offset. AH, ESP and mobility count as layer 4, as upstream. A later fragment ends
/// the walk too: what follows is not a header.
fn skip_extension_headers(data: &[u8], mut at: usize, ip: &mut Ip) {
    // Each round goes forward by at least 8 bytes.
    loop {
        match ip.flow.proto {
            HOP_BY_HOP | ROUTING | DESTINATION => {
                let Some(&[next, len]) = bytes(data, at) else {
                    return;
                };
                at += 8 + usize::from(len) * 8;
                if at > data.len() {
                    return;
                }
                ip.flow.proto = next;
            }
            FRAGMENT => {
                let Some(&[next, _, high, low, ..]) = bytes::<8>(data, at) else {
                    return;
                };
                let fragment = u16::from_be_bytes([high, low]);
                ip.more_fragments = fragment & 1 != 0;
                ip.later_fragment = fragment & 0xfff8 != 0;
                ip.flow.proto = next;
                at += 8;
                if ip.later_fragment {
                    break;
                }
            }
            NO_NEXT_HEADER => {
                ip.flow.proto = 0;
                break;
            }
            _ => break,
        }
    }
    ip.l4 = Some(at);
}

/// The first two 16-bit words of a layer 4 header, which are its ports in TCP, UDP and SCTP.
///
/// None for another protocol, or if the fixed part of that protocol's header is cut.
pub fn ports(data: &[u8], at: usize, proto: u8) -> Option<(u16, u16)> {
    let header_len = match proto {
        TCP => 20,
        UDP => 8,
        SCTP => 12,
        _ => return None,
    };
    let header = data.get(at..at + header_len)?;
    Some((be16(header, 0)?, be16(header, 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::samples::{V6_A, V6_B, extension, fragment6, ipv4, ipv6};

    fn v6(packet: &[u8]) -> Ip {
        parse(packet, 0, ether::IPV6).unwrap()
    }

    #[test]
    fn ipv4_fields() {
        let mut packet = ipv4(UDP, 0x0a00_0001, 0x0a00_0002, &[0; 8]);
        packet[1] = 0xb8;
        let ip = parse(&packet, 0, ether::IPV4).unwrap();
        assert_eq!((ip.flow.ip_version, ip.flow.proto, ip.tos), (4, UDP, 0xb8));
        assert_eq!(
            (ip.flow.src, ip.flow.dst),
            (Addr::V4(0x0a00_0001), Addr::V4(0x0a00_0002))
        );
        assert_eq!(
            (ip.l4, ip.more_fragments, ip.later_fragment),
            (Some(20), false, false)
        );
    }

    #[test]
    fn ipv4_header_lengths() {
        for (ihl, len, l4) in [
            (3, 40, None),
            (0, 40, None),
            (4, 40, None),
            (5, 40, Some(Some(20))),
            (15, 40, Some(None)),
            (15, 60, Some(Some(60))),
            (5, 19, None),
            (5, 20, Some(Some(20))),
        ] {
            let mut packet = vec![0u8; len];
            packet[0] = 0x40 | ihl;
            let found = parse(&packet, 0, ether::IPV4).map(|ip| ip.l4);
            assert_eq!(found, l4, "IHL {ihl} in {len} bytes");
        }
    }

    #[test]
    fn ipv4_fragments() {
        for (word, more, later) in [
            (0x0000u16, false, false),
            (0x4000, false, false),
            (0x2000, true, false),
            (0x2001, true, true),
            (0x1fff, false, true),
        ] {
            let mut packet = ipv4(UDP, 1, 2, &[0; 8]);
            packet[6..8].copy_from_slice(&word.to_be_bytes());
            let ip = parse(&packet, 0, ether::IPV4).unwrap();
            assert_eq!(
                (ip.more_fragments, ip.later_fragment),
                (more, later),
                "{word:#x}"
            );
        }
    }

    #[test]
    fn version_and_type_must_agree() {
        let packet = ipv4(TCP, 1, 2, &[0; 40]);
        assert_eq!(parse(&packet, 0, ether::IPV6), None);
        assert_eq!(parse(&packet, 0, ether::ARP), None);
        assert_eq!(parse(&[], 0, ether::IPV4), None);
        assert_eq!(eth_type_of(&[0x60], 0), Some(ether::IPV6));
        assert_eq!(eth_type_of(&[0x50], 0), None);
    }

    #[test]
    fn ipv6_fields() {
        let mut packet = ipv6(TCP, &[0; 20]);
        packet[0] = 0x6b;
        packet[1] = 0x8f;
        let ip = v6(&packet);
        assert_eq!((ip.flow.ip_version, ip.flow.proto, ip.tos), (6, TCP, 0xb8));
        assert_eq!((ip.flow.src, ip.flow.dst), (Addr::V6(V6_A), Addr::V6(V6_B)));
        assert_eq!(ip.l4, Some(40));
    }

    #[test]
    fn ipv6_extension_table() {
        let chain = |parts: &[Vec<u8>]| parts.concat();
        // first next header, what follows, protocol, layer 4 offset, later fragment
        let rows = [
            (
                0,
                chain(&[extension(43, 0), extension(60, 1), extension(TCP, 0)]),
                TCP,
                Some(72),
                false,
            ),
            (
                44,
                chain(&[fragment6(UDP, 0, true), vec![0; 8]]),
                UDP,
                Some(48),
                false,
            ),
            (
                44,
                chain(&[fragment6(UDP, 185, false), vec![0; 8]]),
                UDP,
                Some(48),
                true,
            ),
            (
                44,
                chain(&[fragment6(0, 185, false), vec![0; 8]]),
                0,
                Some(48),
                true,
            ),
            (59, vec![], 0, Some(40), false),
            (0, extension(59, 0), 0, Some(48), false),
            (51, vec![0; 24], 51, Some(40), false),
            (50, vec![0; 24], 50, Some(40), false),
            (135, vec![0; 8], 135, Some(40), false),
            (60, vec![TCP, 255, 0, 0], 60, None, false),
            (43, vec![TCP], 43, None, false),
            (44, vec![UDP, 0, 0], 44, None, false),
            (0, vec![], 0, None, false),
        ];
        for (next, rest, proto, l4, later) in rows {
            let ip = v6(&ipv6(next, &rest));
            assert_eq!(
                (ip.flow.proto, ip.l4, ip.later_fragment),
                (proto, l4, later),
                "{next} {rest:?}"
            );
        }
        let first = v6(&ipv6(44, &fragment6(UDP, 0, true)));
        assert!(first.more_fragments);
    }

    #[test]
    fn ports_need_the_whole_fixed_header() {
        let header = [
            0x04, 0xd2, 0x00, 0x50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        for (proto, len) in [(TCP, 20), (UDP, 8), (SCTP, 12)] {
            assert_eq!(ports(&header[..len], 0, proto), Some((1234, 80)));
            assert_eq!(ports(&header[..len - 1], 0, proto), None);
        }
        assert_eq!(ports(&header, 0, ICMP), None);
    }
}
