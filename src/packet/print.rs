//! A parsed packet as one line of text, laid out as pfring_print_parsed_pkt does, and the way such
//! text goes into a C caller's buffer.

use std::fmt::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};

use super::ip::{Addr, GRE, ICMP, SCTP, TCP, UDP};
use super::{Facts, NO_TUNNEL, bytes, ether, position};

/// "Ethernet type" (really an 802.3 length) by which spanning tree is told.
const STP: u16 = 0x27;

/// What a line of text shows.
#[derive(Clone, Copy, Debug)]
pub struct PacketText<'a> {
    /// What was parsed.
    pub facts: &'a Facts,
    /// The hash to show.
    pub hash: u32,
    /// Bytes present.
    pub caplen: u32,
    /// Bytes on the wire.
    pub len: u32,
    /// The packet; only ARP is read from it.
    pub data: &'a [u8],
}

/// Writes text into a caller's buffer as snprintf does: cut to fit, always NUL-terminated (where
/// there is a byte for it). Gives the length of the whole text without the NUL.
pub fn print_to(buf: &mut [u8], text: impl fmt::Display) -> usize {
    let mut out = Bounded { buf, total: 0 };
    // Bounded never fails, and neither do our own Display types.
    let _ = write!(out, "{text}");
    out.finish()
}

struct Bounded<'a> {
    buf: &'a mut [u8],
    /// Bytes of text so far, also those that did not fit.
    total: usize,
}

impl Bounded<'_> {
    fn finish(self) -> usize {
        if let Some(last) = self.buf.len().checked_sub(1) {
            self.buf[self.total.min(last)] = 0;
        }
        self.total
    }
}

impl fmt::Write for Bounded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.buf.get_mut(self.total..).unwrap_or_default();
        for (place, byte) in room.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
        self.total += text.len();
        Ok(())
    }
}

impl fmt::Display for PacketText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.facts;
        write!(f, "[{} -> {}] ", Mac(facts.smac), Mac(facts.dmac))?;
        if facts.offsets.vlan != 0 {
            write!(f, "[vlan {}] ", facts.vlan_id)?;
            if facts.qinq_vlan_id != 0 {
                write!(f, "[QinQ-vlan {}] ", facts.qinq_vlan_id)?;
            }
        }
        match facts.eth_type {
            ether::IPV4 | ether::IPV6 => self.fmt_ip(f)?,
            ether::ARP => self.fmt_arp(f)?,
            STP => f.write_str("[STP]")?,
            other => write!(f, "[eth_type=0x{other:04X}]")?,
        }
        write!(f, " [caplen={}][len={}]", self.caplen, self.len)?;
        let offsets = &facts.offsets;
        write!(f, "[eth_offset={}][l3_offset={}]", offsets.eth, offsets.l3)?;
        write!(
            f,
            "[l4_offset={}][payload_offset={}]",
            offsets.l4, offsets.payload
        )
    }
}

impl PacketText<'_> {
    fn fmt_ip(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.facts;
        // The outer type also says how inner addresses are shown, as upstream.
        let is_v6 = facts.eth_type == ether::IPV6;
        fmt_ends(f, is_v6, &facts.flow)?;
        write!(f, "[l3_proto={}]", Proto(facts.flow.proto))?;
        if facts.tunnel.id != NO_TUNNEL {
            let inner = &facts.tunnel.flow;
            write!(f, "[TEID=0x{:08X}]", facts.tunnel.id)?;
            write!(f, "[tunneled_proto={}]", Proto(inner.proto))?;
            fmt_ends(f, is_v6, inner)?;
        }
        write!(f, "[hash={}]", self.hash)?;
        if facts.flow.proto == TCP {
            write!(f, "[tos={}][tcp_seq_num={}]", facts.tos, facts.tcp_seq)?;
        }
        Ok(())
    }

    /// Addresses that the end of the data cuts are left out.
    fn fmt_arp(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[ARP]")?;
        let at = position(self.facts.offsets.l3);
        let end = |name: &str, at: usize, f: &mut fmt::Formatter<'_>| match (
            bytes(self.data, at),
            bytes::<4>(self.data, at + 6),
        ) {
            (Some(mac), Some(address)) => {
                write!(f, "[{name}={}/{}]", Mac(*mac), Ipv4Addr::from(*address))
            }
            _ => Ok(()),
        };
        end("Sender", at + 8, f)?;
        end("Target", at + 18, f)
    }
}

/// `[IPv4][src:port -> dst:port] `
fn fmt_ends(f: &mut fmt::Formatter<'_>, is_v6: bool, flow: &super::Flow) -> fmt::Result {
    let (src_port, dst_port) = (flow.src_port, flow.dst_port);
    if is_v6 {
        let [src, dst] = [flow.src, flow.dst].map(|a| Inet6(Ipv6Addr::from(as_v6(a))));
        write!(f, "[IPv6][{src}:{src_port} -> {dst}:{dst_port}] ")
    } else {
        let [src, dst] = [flow.src, flow.dst].map(|a| Ipv4Addr::from(as_v4(a)));
        write!(f, "[IPv4][{src}:{src_port} -> {dst}:{dst_port}] ")
    }
}

/// An address as IPv4; an IPv6 address gives what C's union gives there: its first word.
fn as_v4(address: Addr) -> u32 {
    match address {
        Addr::None => 0,
        Addr::V4(address) => address,
        Addr::V6([a, b, c, d, ..]) => u32::from_ne_bytes([a, b, c, d]),
    }
}

/// An address as IPv6; an IPv4 address gives what C's union gives there: its bytes in host order.
fn as_v6(address: Addr) -> [u8; 16] {
    match address {
        Addr::None => [0; 16],
        Addr::V6(address) => address,
        Addr::V4(address) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&address.to_ne_bytes());
            bytes
        }
    }
}

struct Mac([u8; 6]);

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02X}:{b:02X}:{c:02X}:{d:02X}:{e:02X}:{g:02X}")
    }
}

struct Proto(u8);

impl fmt::Display for Proto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            TCP => f.write_str("TCP"),
            UDP => f.write_str("UDP"),
            ICMP => f.write_str("ICMP"),
            GRE => f.write_str("GRE"),
            SCTP => f.write_str("SCTP"),
            other => write!(f, "{other}"),
        }
    }
}

/// An IPv6 address in the form of glibc's inet_ntop, which differs from Rust's in one point:
/// "IPv4-compatible" addresses (six words 0, the seventh not) end in dotted form.
struct Inet6(Ipv6Addr);

impl fmt::Display for Inet6 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.segments() {
            [0, 0, 0, 0, 0, 0, high, low] if high != 0 => {
                write!(
                    f,
                    "::{}",
                    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
                )
            }
            _ => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::hash::hash;
    use crate::packet::samples::*;
    use crate::packet::{Start, parse};

    /// As pfring_print_pkt: level 5, with hash.
    fn line(frame: &[u8]) -> String {
        let (facts, _) = parse(frame, Start::Ethernet, 5);
        let caplen = frame.len() as u32;
        PacketText {
            facts: &facts,
            hash: hash(&facts),
            caplen,
            len: caplen,
            data: frame,
        }
        .to_string()
    }

    const MACS: &str = "[02:00:00:00:00:01 -> 02:00:00:00:00:02] ";

    #[test]
    fn ip_lines() {
        let mut header = tcp(1234, 80, 20);
        header[4..8].copy_from_slice(&7u32.to_be_bytes());
        let mut packet = ipv4(TCP, 0x0a00_0001, 0x0a00_0002, &header);
        packet[1] = 16;
        assert_eq!(
            line(&ethernet(ether::IPV4, &packet)),
            format!(
                "{MACS}[IPv4][10.0.0.1:1234 -> 10.0.0.2:80] [l3_proto=TCP][hash=335545643]\
                 [tos=16][tcp_seq_num=7] [caplen=54][len=54][eth_offset=0][l3_offset=14]\
                 [l4_offset=34][payload_offset=54]"
            )
        );
        let udp6 = ipv6(UDP, &udp(1000, 2000, &[]));
        assert_eq!(
            line(&tagged(&[(0x88a8, 100), (0x8100, 200)], ether::IPV6, &udp6)),
            format!(
                "{MACS}[vlan 100] [QinQ-vlan 200] [IPv6][2001:db8::1:1000 -> 2001:db8::2:2000] \
                 [l3_proto=UDP][hash=1931087469] [caplen=70][len=70][eth_offset=0][l3_offset=22]\
                 [l4_offset=62][payload_offset=70]"
            )
        );
        let ping = ipv4(ICMP, 0x0a00_0001, 0x0a00_0002, &[8, 0, 0, 0]);
        assert_eq!(
            line(&tagged(&[(0x8100, 0)], ether::IPV4, &ping)),
            format!(
                "{MACS}[vlan 0] [IPv4][10.0.0.1:0 -> 10.0.0.2:0] [l3_proto=ICMP][hash=335544324] \
                 [caplen=42][len=42][eth_offset=0][l3_offset=18][l4_offset=38][payload_offset=38]"
            )
        );
    }

    #[test]
    fn tunnel_lines() {
        let inner = ipv4(UDP, 0xc0a8_0101, 0xc0a8_0102, &udp(1000, 2000, &[]));
        let gtp = [&[0x30, 255, 0, 0, 0, 0, 0, 0xab][..], &inner].concat();
        let outer = ipv4(UDP, 0x0a00_0001, 0x0a00_0002, &udp(2152, 2152, &gtp));
        assert!(line(&ethernet(ether::IPV4, &outer)).starts_with(&format!(
            "{MACS}[IPv4][10.0.0.1:2152 -> 10.0.0.2:2152] [l3_proto=UDP][TEID=0x000000AB]\
             [tunneled_proto=UDP][IPv4][192.168.1.1:1000 -> 192.168.1.2:2000] [hash=2169507276] "
        )));
        let keyless = ipv4(
            GRE,
            0x0a00_0001,
            0x0a00_0002,
            &[&[0, 0, 8, 0][..], &inner].concat(),
        );
        assert!(line(&ethernet(ether::IPV4, &keyless)).starts_with(&format!(
            "{MACS}[IPv4][10.0.0.1:0 -> 10.0.0.2:0] [l3_proto=GRE][hash=335544370] [caplen="
        )));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn inner_family_follows_the_outer_type() {
        let inner = ipv6(UDP, &udp(1000, 2000, &[]));
        let keyed = [&[0x20, 0, 0x86, 0xdd, 0, 0, 0, 1][..], &inner].concat();
        let text = line(&ethernet(ether::IPV4, &ipv4(GRE, 1, 2, &keyed)));
        assert!(
            text.contains("[tunneled_proto=UDP][IPv4][184.13.1.32:1000 -> "),
            "{text}"
        );
        let inner = ipv4(UDP, 0x0102_0304, 1, &udp(1000, 2000, &[]));
        let keyed = [&[0x20, 0, 0x08, 0x00, 0, 0, 0, 1][..], &inner].concat();
        let text = line(&ethernet(ether::IPV6, &ipv6(GRE, &keyed)));
        assert!(
            text.contains("[tunneled_proto=UDP][IPv6][403:201:::1000 -> "),
            "{text}"
        );
    }

    #[test]
    fn other_lines() {
        let mut arp = vec![0, 1, 8, 0, 6, 4, 0, 1];
        arp.extend([0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 10, 0, 0, 1]);
        arp.extend([0, 0, 0, 0, 0, 0, 10, 0, 0, 2]);
        let frame = ethernet(ether::ARP, &arp);
        let tail = "[eth_offset=0][l3_offset=14][l4_offset=0][payload_offset=0]";
        assert_eq!(
            line(&frame),
            format!(
                "{MACS}[ARP][Sender=AA:BB:CC:DD:EE:FF/10.0.0.1][Target=00:00:00:00:00:00/10.0.0.2] \
                 [caplen=42][len=42]{tail}"
            )
        );
        assert!(line(&frame[..41]).contains("[ARP][Sender=AA:BB:CC:DD:EE:FF/10.0.0.1] [caplen"));
        assert!(line(&frame[..20]).contains("[ARP] [caplen=20]"));
        assert_eq!(
            line(&ethernet(0x27, &[])),
            format!("{MACS}[STP] [caplen=14][len=14]{tail}")
        );
        let lldp = line(&ethernet(0x88cc, &[]));
        assert_eq!(
            lldp,
            format!("{MACS}[eth_type=0x88CC] [caplen=14][len=14]{tail}")
        );
        assert!(
            line(&[]).starts_with("[00:00:00:00:00:00 -> 00:00:00:00:00:00] [eth_type=0x0000] ")
        );
    }

    #[test]
    fn ipv6_text_is_that_of_inet_ntop() {
        for (address, text) in [
            ("::", "::"),
            ("::1", "::1"),
            ("::1:0", "::0.1.0.0"),
            ("::102:304", "::1.2.3.4"),
            ("::ffff:102:304", "::ffff:1.2.3.4"),
            ("1::2:0:0:0:3", "1:0:0:2::3"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("fe80::ABCD", "fe80::abcd"),
        ] {
            assert_eq!(Inet6(address.parse().unwrap()).to_string(), text);
        }
    }

    #[test]
    fn bounded_as_snprintf() {
        for (len, kept) in [
            (0, &b""[..]),
            (1, b"\0"),
            (4, b"abc\0"),
            (7, b"abcdef\0"),
            (9, b"abcdef\0zz"),
        ] {
            let mut buf = vec![b'z'; len];
            assert_eq!(print_to(&mut buf, "abcdef"), 6);
            assert_eq!(buf, kept);
        }
        let mut buf = [b'z'; 4];
        assert_eq!(print_to(&mut buf, format_args!("{}{}", "abcd", "efgh")), 8);
        assert_eq!(&buf, b"abc\0");
    }
}
