//! Rules for the packet filter of a card, by ethtool's n-tuple interface (`ethtool -N`): which queue a flow goes
//! to, or that it is dropped.
//!
//! linux/ethtool.h, struct ethtool_rx_flow_spec; the libc crate has none of it.

use std::mem::{offset_of, size_of};

use super::ethtool;
use crate::error::{Error, Result};

/// An address and the bits of it that count, in the order of the network; none set: any address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masked<const N: usize> {
    /// The address.
    pub address: [u8; N],
    /// Its bits that count.
    pub mask: [u8; N],
}

/// The addresses of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Source and destination, version 4.
    V4(Masked<4>, Masked<4>),
    /// Source and destination, version 6.
    V6(Masked<16>, Masked<16>),
}

/// What happens to the packets of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The card drops them.
    Drop,
    /// They go to this receive queue.
    Queue(u32),
}

/// A flow, and what happens to it. Zeros stand for any protocol, port or VLAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its place in the card's table, by which it is removed.
    pub place: u32,
    /// Source and destination.
    pub addresses: Addresses,
    /// Transport protocol.
    pub protocol: u8,
    /// Source and destination port.
    pub ports: (u16, u16),
    /// VLAN id.
    pub vlan: u16,
    /// What happens.
    pub fate: Fate,
}

/// Whether the card has a filter for such rules.
pub fn is_supported(name: &str) -> bool {
    request(
        name,
        "ETHTOOL_GRXCLSRLCNT",
        ETHTOOL_GRXCLSRLCNT,
        &Spec::NONE,
    )
    .is_ok()
}

/// Adds a rule, or puts it in place of the one that is there.
///
/// # Errors
///
/// [`Error::NotSupported`] for a driver without such rules, and for ports of a protocol that has none;
/// [`Error::NoSuchDevice`]; [`Error::Os`] with EPERM without CAP_NET_ADMIN, and what the driver answers.
pub fn add(name: &str, rule: &Rule) -> Result<()> {
    request(
        name,
        "ETHTOOL_SRXCLSRLINS",
        ETHTOOL_SRXCLSRLINS,
        &Spec::new(rule)?,
    )
}

/// Removes the rule at a place.
///
/// # Errors
///
/// As [`add`]; what the driver answers where no rule is.
pub fn remove(name: &str, place: u32) -> Result<()> {
    let spec = Spec {
        location: place,
        ..Spec::NONE
    };
    request(name, "ETHTOOL_SRXCLSRLDEL", ETHTOOL_SRXCLSRLDEL, &spec)
}

fn request(name: &str, operation: &'static str, cmd: u32, spec: &Spec) -> Result<()> {
    let mut request = Request {
        cmd,
        flow_type: 0,
        data: 0,
        spec: *spec,
        rule_count: 0,
    };
    // SAFETY: these commands take a struct ethtool_rxnfc, and write no rule numbers behind it.
    match unsafe { ethtool::ethtool(name, operation, &mut request) } {
        Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            Err(Error::NotSupported("rules of this card"))
        }
        other => other,
    }
}

const ETHTOOL_GRXCLSRLCNT: u32 = 0x2e;
const ETHTOOL_SRXCLSRLDEL: u32 = 0x31;
const ETHTOOL_SRXCLSRLINS: u32 = 0x32;
const IPV4_FLOW: u32 = 0x0d; // any protocol: IPV4_USER_FLOW
const IPV6_FLOW: u32 = 0x0e;
const WITH_EXTENSION: u32 = 0x8000_0000; // FLOW_EXT
const DROP: u64 = u64::MAX; // RX_CLS_FLOW_DISC
const IP_VERSION_4: u8 = 1; // ETH_RX_NFC_IP4

/// struct ethtool_rxnfc without the list of rules at its end.
#[repr(C)]
struct Request {
    cmd: u32,
    flow_type: u32,
    data: u64,
    spec: Spec,
    rule_count: u32,
}

/// struct ethtool_rx_flow_spec: a flow's fields, then the bits of them that count.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spec {
    flow_type: u32,
    fields: [u8; 52],
    extension: [u8; 20],
    field_masks: [u8; 52],
    extension_masks: [u8; 20],
    ring_cookie: u64,
    location: u32,
}

const _: () = {
    assert!(size_of::<Spec>() == 168 && size_of::<Request>() == 192);
    assert!(offset_of!(Spec, ring_cookie) == 152 && offset_of!(Spec, location) == 160);
};

impl Spec {
    const NONE: Self = Self {
        flow_type: 0,
        fields: [0; 52],
        extension: [0; 20],
        field_masks: [0; 52],
        extension_masks: [0; 20],
        ring_cookie: 0,
        location: 0,
    };

    fn new(rule: &Rule) -> Result<Self> {
        let (any_protocol, behind) = match rule.addresses {
            Addresses::V4(..) => (IPV4_FLOW, 8),
            Addresses::V6(..) => (IPV6_FLOW, 32),
        };
        let with_ports = flow_of(rule.protocol, any_protocol == IPV6_FLOW);
        if with_ports.is_none() && rule.ports != (0, 0) {
            return Err(Error::NotSupported(
                "a rule for ports without a protocol that has some",
            ));
        }
        let mut spec = Self {
            flow_type: with_ports.unwrap_or(any_protocol),
            ring_cookie: match rule.fate {
                Fate::Drop => DROP,
                Fate::Queue(queue) => queue.into(),
            },
            location: rule.place,
            ..Self::NONE
        };
        match rule.addresses {
            Addresses::V4(source, destination) => {
                spec.want(0, &source.address, &source.mask);
                spec.want(4, &destination.address, &destination.mask);
            }
            Addresses::V6(source, destination) => {
                spec.want(0, &source.address, &source.mask);
                spec.want(16, &destination.address, &destination.mask);
            }
        }
        if with_ports.is_some() {
            spec.want_number(behind, rule.ports.0);
            spec.want_number(behind + 2, rule.ports.1);
        } else if any_protocol == IPV4_FLOW {
            // struct ethtool_usrip4_spec: four bytes of layer 4, TOS, version, protocol. The version has no
            // mask, as ethtool(8) asks for it.
            spec.fields[behind + 5] = IP_VERSION_4;
            spec.want_byte(behind + 6, rule.protocol);
        } else {
            // struct ethtool_usrip6_spec: four bytes of layer 4, traffic class, protocol.
            spec.want_byte(behind + 5, rule.protocol);
        }
        if rule.vlan != 0 {
            // struct ethtool_flow_ext: two bytes, a MAC address, the tag's type, its TCI.
            spec.flow_type |= WITH_EXTENSION;
            spec.extension[10..12].copy_from_slice(&rule.vlan.to_be_bytes());
            spec.extension_masks[10..12].copy_from_slice(&0x0fffu16.to_be_bytes());
        }
        Ok(spec)
    }

    fn want(&mut self, at: usize, value: &[u8], mask: &[u8]) {
        for (i, (value, mask)) in value.iter().zip(mask).enumerate() {
            self.fields[at + i] = value & mask;
            self.field_masks[at + i] = *mask;
        }
    }

    /// Wants a port, unless it is 0.
    fn want_number(&mut self, at: usize, number: u16) {
        if number != 0 {
            self.want(at, &number.to_be_bytes(), &[0xff; 2]);
        }
    }

    /// Wants a protocol, unless it is 0.
    fn want_byte(&mut self, at: usize, byte: u8) {
        if byte != 0 {
            self.want(at, &[byte], &[0xff]);
        }
    }
}

/// The kind of flow (TCP_V4_FLOW and so on) of a protocol with ports; None for others.
fn flow_of(protocol: u8, is_v6: bool) -> Option<u32> {
    let v4 = match i32::from(protocol) {
        libc::IPPROTO_TCP => 1,
        libc::IPPROTO_UDP => 2,
        libc::IPPROTO_SCTP => 3,
        _ => return None,
    };
    Some(if is_v6 { v4 + 4 } else { v4 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY_V4: Masked<4> = Masked {
        address: [0; 4],
        mask: [0; 4],
    };

    pub(super) fn rule() -> Rule {
        Rule {
            place: 9,
            addresses: Addresses::V4(
                Masked {
                    address: [10, 0, 0, 1],
                    mask: [255; 4],
                },
                Masked {
                    address: [10, 1, 2, 3],
                    mask: [255, 255, 0, 0],
                },
            ),
            protocol: 17,
            ports: (1000, 0),
            vlan: 0,
            fate: Fate::Queue(3),
        }
    }

    /// The bytes that are not zero, with their places.
    fn set(bytes: &[u8]) -> Vec<(usize, u8)> {
        let all = bytes.iter().copied().enumerate();
        all.filter(|(_, byte)| *byte != 0).collect()
    }

    #[test]
    fn a_flow_with_ports() {
        let spec = Spec::new(&rule()).unwrap();
        assert_eq!((spec.flow_type, spec.ring_cookie, spec.location), (2, 3, 9));
        assert_eq!(spec.fields[..12], [10, 0, 0, 1, 10, 1, 0, 0, 3, 232, 0, 0]);
        assert_eq!(
            spec.field_masks[..12],
            [255, 255, 255, 255, 255, 255, 0, 0, 255, 255, 0, 0]
        );
        assert!(set(&spec.fields[12..]).is_empty() && set(&spec.field_masks[12..]).is_empty());
        assert!(set(&spec.extension).is_empty() && set(&spec.extension_masks).is_empty());
    }

    #[test]
    fn a_vlan_and_a_drop() {
        let spec = Spec::new(&Rule {
            vlan: 0x123,
            fate: Fate::Drop,
            protocol: 6,
            ..rule()
        })
        .unwrap();
        assert_eq!(spec.flow_type, 0x8000_0001);
        assert_eq!(spec.ring_cookie, u64::MAX);
        assert_eq!(set(&spec.extension), [(10, 0x01), (11, 0x23)]);
        assert_eq!(set(&spec.extension_masks), [(10, 0x0f), (11, 0xff)]);
    }

    #[test]
    fn protocols_without_ports() {
        let plain = Rule {
            addresses: Addresses::V4(ANY_V4, ANY_V4),
            protocol: 1,
            ports: (0, 0),
            ..rule()
        };
        let spec = Spec::new(&plain).unwrap();
        assert_eq!(spec.flow_type, 0x0d);
        assert_eq!(set(&spec.fields), [(13, 1), (14, 1)]);
        assert_eq!(set(&spec.field_masks), [(14, 255)]);
        let any = Spec::new(&Rule {
            protocol: 0,
            ..plain
        });
        assert!(set(&any.unwrap().field_masks).is_empty());
        let refused = Spec::new(&Rule {
            ports: (0, 53),
            ..plain
        });
        assert!(matches!(refused, Err(Error::NotSupported(_))));
    }

    #[test]
    fn version_6() {
        let address = Masked {
            address: [0x20; 16],
            mask: [0xff; 16],
        };
        let any = Masked {
            address: [7; 16],
            mask: [0; 16],
        };
        let tcp = Rule {
            addresses: Addresses::V6(address, any),
            protocol: 6,
            ports: (0, 443),
            ..rule()
        };
        let spec = Spec::new(&tcp).unwrap();
        assert_eq!(spec.flow_type, 5);
        assert_eq!(spec.fields[..16], [0x20; 16]);
        assert_eq!(set(&spec.fields[16..]), [(18, 1), (19, 0xbb)]);
        assert_eq!(set(&spec.field_masks[16..]), [(18, 255), (19, 255)]);
        let icmp = Spec::new(&Rule {
            protocol: 58,
            ports: (0, 0),
            ..tcp
        })
        .unwrap();
        assert_eq!(icmp.flow_type, 0x0e);
        assert_eq!(set(&icmp.fields[16..]), [(21, 58)]);
    }
}

/// What the kernel answers: not for a test under emulation, which passes these calls on to nobody.
#[cfg(test)]
mod live {
    use super::tests::rule;
    use super::*;
    use crate::sys::netdev::tests::{in_private_namespace, ip};

    #[test]
    fn a_veth_has_no_rules() {
        in_private_namespace(|| {
            ip("link add va type veth peer name vb");
            assert!(!is_supported("va"));
            for refused in [add("va", &rule()), remove("va", 9)] {
                assert!(
                    matches!(refused, Err(Error::NotSupported(_))),
                    "{refused:?}"
                );
            }
        });
        assert!(matches!(add("nope0", &rule()), Err(Error::NoSuchDevice(_))));
    }
}
