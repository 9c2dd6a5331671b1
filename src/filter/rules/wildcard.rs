//! Wildcard rules: what a packet must have to be matched. A field that is 0 or empty asks for nothing.

use super::pattern::Patterns;
use super::{Action, Packet};
use crate::packet::ip::{Addr, TCP};
use crate::packet::{Facts, hash};

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wildcard {
    /// Its place among the rules: the lowest id is looked at first.
    pub id: u16,
    /// What is done.
    pub action: Action,
    /// Stays, however long it does not match.
    pub locked: bool,
    /// Matches the opposite direction as well.
    pub bidirectional: bool,
    /// Matches packets whose hash modulo the second is the first.
    pub balance: Option<(u8, u8)>,
    /// Exactly these TCP flags; only TCP packets are asked.
    pub tcp_flags: u8,
    /// The interface.
    pub ifindex: i32,
    /// The outer VLAN.
    pub vlan_id: u16,
    /// The type behind all tags.
    pub eth_type: u16,
    /// The IP protocol.
    pub proto: u8,
    /// Where it comes from.
    pub src: End,
    /// Where it goes to.
    pub dst: End,
    /// The id of the tunnel.
    pub tunnel_id: Option<u32>,
    /// Source and destination of the tunnel: the destination is held against the packet's own source address,
    /// the source against its destination, as the original does it.
    pub tunnel: [Host; 2],
    /// What the payload must contain.
    pub patterns: Patterns,
}

/// What one end of a packet's way must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// The MAC address.
    pub mac: [u8; 6],
    /// The IP address.
    pub host: Host,
    /// The lowest port; nothing is asked while `port_high` is 0.
    pub port_low: u16,
    /// The highest port.
    pub port_high: u16,
}

/// An address and the bits of it that count. IPv4 in host order in the first word; IPv6 as four words that were
/// loaded from memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// The address.
    pub address: [u32; 4],
    /// The bits.
    pub mask: [u32; 4],
}

impl Host {
    /// A packet that is not IP has the address 0.
    fn matches(&self, address: Addr) -> bool {
        if self.mask[0] == 0 {
            return true;
        }
        let word = |i: usize, word: u32| word & self.mask[i] == self.address[i] & self.mask[i];
        match address {
            Addr::None => word(0, 0),
            Addr::V4(address) => word(0, address),
            Addr::V6(address) => {
                let (words, _) = address.as_chunks();
                words
                    .iter()
                    .enumerate()
                    .all(|(i, bytes)| word(i, u32::from_ne_bytes(*bytes)))
            }
        }
    }
}

impl End {
    fn matches(&self, mac: [u8; 6], address: Addr, port: u16) -> bool {
        (self.mac == [0; 6] || self.mac == mac)
            && self.host.matches(address)
            && (self.port_high == 0 || (self.port_low..=self.port_high).contains(&port))
    }
}

impl Wildcard {
    /// How deep packets have to be parsed for it.
    pub fn depth(&self) -> u8 {
        // The hash is that of the inner flow, where a tunnel has an id.
        if self.tunnel_id.is_some() || self.balance.is_some() {
            5
        } else {
            4
        }
    }

    /// Whether a packet has all that is asked for.
    pub fn matches(&self, packet: &Packet<'_>, facts: &Facts) -> bool {
        let flow = &facts.flow;
        let any_or = |wanted: u16, got: u16| wanted == 0 || wanted == got;
        any_or(self.eth_type, facts.eth_type)
            && any_or(self.proto.into(), flow.proto.into())
            && any_or(self.vlan_id, facts.vlan_id)
            && (self.ifindex == 0 || self.ifindex == packet.ifindex)
            && (self.tcp_flags == 0 || flow.proto != TCP || self.tcp_flags == facts.tcp_flags)
            && self.ends_match(facts)
            && self.tunnel_matches(facts)
            && self
                .balance
                .is_none_or(|(id, pool)| hash::hash(facts) % u32::from(pool) == id.into())
            && (self.patterns.is_empty() || self.patterns.are_in(payload(packet.data, facts)))
    }

    fn ends_match(&self, facts: &Facts) -> bool {
        let flow = &facts.flow;
        let is_from = |end: &End| end.matches(facts.smac, flow.src, flow.src_port);
        let is_to = |end: &End| end.matches(facts.dmac, flow.dst, flow.dst_port);
        is_from(&self.src) && is_to(&self.dst)
            || self.bidirectional && is_from(&self.dst) && is_to(&self.src)
    }

    fn tunnel_matches(&self, facts: &Facts) -> bool {
        let [src, dst] = &self.tunnel;
        self.tunnel_id.is_none_or(|id| id == facts.tunnel.id)
            && dst.matches(facts.flow.src)
            && src.matches(facts.flow.dst)
    }
}

/// The bytes behind the headers; none where no payload begins.
fn payload<'a>(data: &'a [u8], facts: &Facts) -> &'a [u8] {
    match usize::try_from(facts.offsets.payload) {
        Ok(at) if at > 0 => data.get(at..).unwrap_or_default(),
        _ => &[],
    }
}
