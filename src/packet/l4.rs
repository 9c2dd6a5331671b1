//! Layer 4: TCP, UDP, SCTP, ICMP and the GRE header.
//!
//! What is inside GRE and UDP tunnels is the business of [`tunnel`](super::tunnel).

use super::ip::{GRE, ICMP, ICMPV6, TCP, UDP, ports};
use super::{Facts, be16, be32, bytes, offset, position};

/// Flag bits of TCP that are kept: FIN, SYN, RST, PSH, ACK, URG.
const TCP_FLAGS: u8 = 0x3f;

/// A GRE header of version 0 (RFC 2784, RFC 2890).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gre {
    /// Ethernet type of what is inside.
    pub protocol: u16,
    /// The key, if there is one.
    pub key: Option<u32>,
    /// Where the inner packet begins.
    pub payload: usize,
}

/// Parses the GRE header at `at`; None if it is cut or of another version.
pub fn gre(data: &[u8], at: usize) -> Option<Gre> {
    let flags = be16(data, at)?;
    let protocol = be16(data, at + 2)?;
    if flags & 0x0007 != 0 {
        return None;
    }
    let mut payload = at + 4;
    if flags & 0xc000 != 0 {
        payload += 4; // checksum and routing share one word
    }
    let mut key = None;
    if flags & 0x2000 != 0 {
        key = Some(be32(data, payload)?);
        payload += 4;
    }
    if flags & 0x1000 != 0 {
        payload += 4; // sequence number
    }
    (payload <= data.len()).then_some(Gre {
        protocol,
        key,
        payload,
    })
}

/// Writes what layer 4 says into the facts; gives the level reached, 3 or 4.
///
/// The payload begins at the layer 4 header itself where that header is not looked into: ICMP,
/// SCTP and other protocols, later fragments, a header that is cut, GRE of another version.
pub(super) fn fill(data: &[u8], facts: &mut Facts) -> u8 {
    let at = position(facts.offsets.l4);
    facts.offsets.payload = facts.offsets.l4;
    if facts.later_fragment {
        return 3;
    }
    match facts.flow.proto {
        ICMP | ICMPV6 => {
            if let Some([kind, code]) = bytes(data, at) {
                facts.icmp_type = *kind;
                facts.icmp_code = *code;
            }
            3
        }
        GRE => {
            let Some(gre) = gre(data, at) else { return 3 };
            facts.tunnel.id = gre.key.unwrap_or(super::NO_TUNNEL);
            facts.offsets.payload = offset(gre.payload);
            4
        }
        proto => {
            let Some((src_port, dst_port)) = ports(data, at, proto) else {
                return 3;
            };
            facts.flow.src_port = src_port;
            facts.flow.dst_port = dst_port;
            match proto {
                TCP => fill_tcp(data, at, facts),
                UDP => facts.offsets.payload = offset(at + 8),
                _ => {}
            }
            4
        }
    }
}

/// The caller has made sure of the fixed 20 bytes.
fn fill_tcp(data: &[u8], at: usize, facts: &mut Facts) {
    let Some(header) = bytes::<20>(data, at) else {
        return;
    };
    facts.tcp_seq = be32(header, 4).unwrap_or(0);
    facts.tcp_ack = be32(header, 8).unwrap_or(0);
    facts.tcp_flags = header[13] & TCP_FLAGS;
    let header_len = usize::from(header[12] >> 4) * 4;
    // Options that the snap length cut leave no payload.
    facts.offsets.payload = offset((at + header_len).min(data.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::ip::{Flow, SCTP};
    use crate::packet::samples::{sctp, tcp, udp};
    use crate::packet::{NO_TUNNEL, Offsets};

    /// Facts of a packet whose layer 4 begins at byte 4, and the level reached.
    fn filled(proto: u8, l4: &[u8]) -> (Facts, u8) {
        let data = [&[0; 4], l4].concat();
        let mut facts = Facts {
            flow: Flow {
                proto,
                ..Flow::NONE
            },
            offsets: Offsets {
                l4: 4,
                ..Offsets::default()
            },
            ..Facts::NONE
        };
        let level = fill(&data, &mut facts);
        (facts, level)
    }

    #[test]
    fn tcp_fields() {
        let mut header = tcp(1234, 80, 24);
        header[4..12].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        header[13] = 0xff;
        let (facts, level) = filled(TCP, &header);
        assert_eq!(
            (level, facts.flow.src_port, facts.flow.dst_port),
            (4, 1234, 80)
        );
        assert_eq!((facts.tcp_seq, facts.tcp_ack), (0x0102_0304, 0x0506_0708));
        assert_eq!((facts.tcp_flags, facts.offsets.payload), (0x3f, 4 + 24));
    }

    #[test]
    fn tcp_options_cut() {
        let mut header = tcp(1, 2, 20);
        header[12] = 0xf0;
        let (facts, level) = filled(TCP, &header);
        assert_eq!((level, facts.offsets.payload), (4, 24));
    }

    #[test]
    fn level_and_payload_table() {
        let rows: [(u8, Vec<u8>, u8, i16); 12] = [
            (UDP, udp(1, 2, &[]), 4, 12),
            (UDP, udp(1, 2, &[])[..7].to_vec(), 3, 4),
            (SCTP, sctp(1, 2), 4, 4),
            (TCP, tcp(1, 2, 20)[..19].to_vec(), 3, 4),
            (ICMP, vec![8, 0, 0, 0], 3, 4),
            (50, vec![0; 20], 3, 4),
            (GRE, vec![0, 0, 8, 0], 4, 8),
            (GRE, vec![0x20, 0, 8, 0, 0, 0, 0, 7], 4, 12),
            (
                GRE,
                vec![0xf0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0],
                4,
                20,
            ),
            (GRE, vec![0x00, 1, 8, 0], 3, 4),
            (GRE, vec![0xf0, 0, 8, 0], 3, 4),
            (GRE, vec![0xff, 0xff, 0xff, 0xff], 3, 4),
        ];
        for (proto, l4, level, payload) in rows {
            let (facts, reached) = filled(proto, &l4);
            assert_eq!(
                (reached, facts.offsets.payload),
                (level, payload),
                "{proto}: {l4:x?}"
            );
        }
    }

    #[test]
    fn gre_key_is_the_tunnel_id() {
        assert_eq!(filled(GRE, &[0x20, 0, 8, 0, 0, 0, 1, 2]).0.tunnel.id, 0x102);
        assert_eq!(
            filled(GRE, &[0xb0, 0, 8, 0, 9, 9, 9, 9, 0, 0, 1, 3, 1, 1, 1, 1])
                .0
                .tunnel
                .id,
            0x103
        );
        assert_eq!(filled(GRE, &[0, 0, 8, 0]).0.tunnel.id, NO_TUNNEL);
        assert_eq!(filled(GRE, &[0x20, 0, 8, 0, 1, 1]).0.tunnel.id, NO_TUNNEL);
    }

    #[test]
    fn icmp_type_and_code() {
        for proto in [ICMP, ICMPV6] {
            let (facts, level) = filled(proto, &[3, 4, 0, 0]);
            assert_eq!((facts.icmp_type, facts.icmp_code, level), (3, 4, 3));
        }
        assert_eq!(filled(ICMP, &[3]).0.icmp_type, 0);
    }

    #[test]
    fn later_fragment_has_no_ports() {
        let mut facts = Facts {
            flow: Flow {
                proto: UDP,
                ..Flow::NONE
            },
            offsets: Offsets {
                l4: 4,
                ..Offsets::default()
            },
            later_fragment: true,
            ..Facts::NONE
        };
        assert_eq!(fill(&[1; 64], &mut facts), 3);
        assert_eq!((facts.flow.src_port, facts.offsets.payload), (0, 4));
    }
}
