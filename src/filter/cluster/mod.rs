//! Clusters: which of the rings that share a stream a packet belongs to.
//!
//! A packet's place is a sum over its flow, never with the VLAN, equal for both directions, modulo the number
//! of rings. [`Balance::sum`] adds it up from what the parser found; [`program`] makes the classic program that
//! adds up the same in the kernel.
#![forbid(unsafe_code)]

use crate::packet::Facts;
use crate::packet::hash::address_sum;
use crate::packet::ip::{Flow, TCP};

mod asm;
pub mod program;
mod tunnels;

/// What of a flow is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Addresses.
    Two,
    /// Addresses and ports.
    Four,
    /// Addresses, ports and protocol.
    Five,
    /// As `Five` for TCP, as `Two` for all else.
    FiveIfTcp,
    /// The source address.
    Source,
    /// The destination address.
    Destination,
}

/// How a cluster shares packets out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// One after the other.
    RoundRobin,
    /// By a sum over the flow.
    Flow {
        /// What is summed up.
        parts: Parts,
        /// The flow inside a tunnel counts, where there is one.
        inner: bool,
        /// Packets that are not IP are placed by the sum of their address bytes, and not all at 0.
        macs: bool,
    },
}

impl Balance {
    /// By the number that C has for it (`cluster_type`); None for one that is not known.
    pub fn from_number(number: u32) -> Option<Self> {
        let flow = |parts, inner, macs| Some(Self::Flow { parts, inner, macs });
        match number {
            0 | 4 => flow(Parts::Five, false, false),
            1 => Some(Self::RoundRobin),
            2 => flow(Parts::Two, false, false),
            3 => flow(Parts::Four, false, false),
            5 => flow(Parts::FiveIfTcp, false, false),
            6 | 9 => flow(Parts::Five, true, false),
            7 => flow(Parts::Two, true, false),
            8 => flow(Parts::Four, true, false),
            10 => flow(Parts::FiveIfTcp, true, false),
            11 => flow(Parts::Five, false, true),
            12 => flow(Parts::Five, true, true),
            13 => flow(Parts::Source, false, false),
            _ => None,
        }
    }

    /// For a cluster that gives a packet to two places, how the second is found.
    pub fn second(self) -> Option<Self> {
        match self {
            Self::Flow {
                parts: Parts::Source,
                inner,
                macs,
            } => Some(Self::Flow {
                parts: Parts::Destination,
                inner,
                macs,
            }),
            _ => None,
        }
    }

    /// The sum of a packet that was parsed as deep as tunnels go; 0 for round robin.
    ///
    /// All fragments of a packet have the same: no ports count, and no tunnel is opened.
    pub fn sum(self, facts: &Facts) -> u32 {
        let Self::Flow { parts, inner, macs } = self else {
            return 0;
        };
        let fragment = facts.more_fragments || facts.later_fragment;
        let tunnelled = inner && !fragment && facts.tunnel.flow.ip_version != 0;
        let flow = if tunnelled {
            &facts.tunnel.flow
        } else {
            &facts.flow
        };
        if flow.ip_version == 0 {
            let bytes = facts.dmac.iter().chain(&facts.smac);
            return if macs {
                bytes.map(|byte| u32::from(*byte)).sum()
            } else {
                0
            };
        }
        // As upstream: whether it is TCP is asked of the outer header.
        let tcp = facts.flow.proto == TCP;
        add_up(flow, parts, tcp, !fragment)
    }
}

fn add_up(flow: &Flow, parts: Parts, tcp: bool, with_ports: bool) -> u32 {
    let two = address_sum(&flow.src).wrapping_add(address_sum(&flow.dst));
    let ports = if with_ports {
        u32::from(flow.src_port) + u32::from(flow.dst_port)
    } else {
        0
    };
    let four = two.wrapping_add(ports);
    let five = four.wrapping_add(flow.proto.into());
    match parts {
        Parts::Two => two,
        Parts::Four => four,
        Parts::Five => five,
        Parts::FiveIfTcp if tcp => five,
        Parts::FiveIfTcp => two,
        Parts::Source => address_sum(&flow.src),
        Parts::Destination => address_sum(&flow.dst),
    }
}

#[cfg(test)]
mod tests;
