//! Rules for the packet filter of the card: what C gives, made into ethtool's n-tuple rules. They are removed
//! with the ring that added them.

use parking_lot::Mutex;

use super::Handle;
use crate::abi::{
    generic_flow_rule_action_type, generic_flow_tuple_hw_rule, hw_filtering_rule,
    hw_filtering_rule_type, ip_addr,
};
use crate::error::{Error, Result};
use crate::sys::ntuple::{self, Addresses, Fate, Masked, Rule};

/// The queue that drops in a rule of Intel's kinds.
const DROP_QUEUE: u16 = u16::MAX;

/// The ids of the rules that a ring has added.
#[derive(Default)]
pub(super) struct HwRules(Mutex<Vec<u16>>);

impl Handle {
    /// Whether the main interface's card has a filter for rules.
    pub fn has_hw_rules(&self) -> bool {
        self.main_device().is_ok_and(ntuple::is_supported)
    }

    /// Adds a rule to the filter of the main interface's card, at the place of its id.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a card without such rules, a rule that it cannot express, and without an
    /// interface; `InvalidArgument` for an unknown kind of rule; `Os` with EPERM without CAP_NET_ADMIN, and
    /// what the driver answers.
    pub fn add_hw_rule(&self, rule: &hw_filtering_rule) -> Result<()> {
        let name = self.main_device()?;
        ntuple::add(name, &translate(rule)?)?;
        let mut ids = self.hw_rules.0.lock();
        if !ids.contains(&{ rule.rule_id }) {
            ids.push(rule.rule_id);
        }
        Ok(())
    }

    /// Removes the rule of this id from the card's filter.
    ///
    /// # Errors
    ///
    /// As [`add_hw_rule`](Self::add_hw_rule).
    pub fn remove_hw_rule(&self, id: u16) -> Result<()> {
        ntuple::remove(self.main_device()?, id.into())?;
        self.hw_rules.0.lock().retain(|known| *known != id);
        Ok(())
    }

    /// Removes the rules that the ring has added.
    pub(super) fn remove_hw_rules(&self) {
        let ids = std::mem::take(&mut *self.hw_rules.0.lock());
        for id in ids {
            // The interface may be gone, or the right to change it.
            let _ = self.remove_hw_rule(id);
        }
    }
}

fn translate(rule: &hw_filtering_rule) -> Result<Rule> {
    let family = rule.rule_family;
    let place = rule.rule_id.into();
    // SAFETY: every member of the union is plain integers, and C says which of them it has filled.
    unsafe {
        match rule.rule_family_type {
            hw_filtering_rule_type::INTEL_82599_FIVE_TUPLE_RULE => {
                let tuple = family.five_tuple_rule;
                Ok(Rule {
                    place,
                    addresses: exact(tuple.s_addr, tuple.d_addr),
                    protocol: tuple.proto,
                    ports: (tuple.s_port, tuple.d_port),
                    vlan: 0,
                    fate: fate_of(tuple.queue_id),
                })
            }
            hw_filtering_rule_type::INTEL_82599_PERFECT_FILTER_RULE => {
                let perfect = family.perfect_rule;
                Ok(Rule {
                    place,
                    addresses: exact(perfect.s_addr, perfect.d_addr),
                    protocol: perfect.proto,
                    ports: (perfect.s_port, perfect.d_port),
                    vlan: perfect.vlan_id,
                    fate: fate_of(perfect.queue_id),
                })
            }
            hw_filtering_rule_type::GENERIC_FLOW_TUPLE_RULE => {
                flow_tuple(place, &family.flow_tuple_rule)
            }
            hw_filtering_rule_type::SILICOM_REDIRECTOR_RULE
            | hw_filtering_rule_type::GENERIC_FLOW_ID_RULE => {
                Err(Error::NotSupported("a rule of this kind"))
            }
            _ => Err(Error::InvalidArgument("kind of rule")),
        }
    }
}

fn fate_of(queue: u16) -> Fate {
    match queue {
        DROP_QUEUE => Fate::Drop,
        queue => Fate::Queue(queue.into()),
    }
}

/// Whole addresses in host byte order; 0: any.
fn exact(source: u32, destination: u32) -> Addresses {
    let address = |address: u32| {
        let mask = if address == 0 { 0 } else { u32::MAX };
        masked(address, mask)
    };
    Addresses::V4(address(source), address(destination))
}

fn masked(address: u32, mask: u32) -> Masked<4> {
    Masked {
        address: address.to_be_bytes(),
        mask: mask.to_be_bytes(),
    }
}

fn flow_tuple(place: u32, tuple: &generic_flow_tuple_hw_rule) -> Result<Rule> {
    let fate = match tuple.action {
        generic_flow_rule_action_type::FLOW_DROP_RULE => Fate::Drop,
        generic_flow_rule_action_type::FLOW_STEER_RULE => Fate::Queue(tuple.queue_id.into()),
        generic_flow_rule_action_type::FLOW_MARK_RULE
        | generic_flow_rule_action_type::FLOW_PASS_RULE
        | generic_flow_rule_action_type::FLOW_UNLEARN_RULE => {
            return Err(Error::NotSupported("this action of a rule"));
        }
        _ => return Err(Error::InvalidArgument("action of a rule")),
    };
    let v6 = |address: ip_addr, mask: ip_addr| Masked {
        address: address.v6_bytes(),
        mask: mask.v6_bytes(),
    };
    let addresses = match tuple.ip_version {
        4 => Addresses::V4(
            masked({ tuple.src_ip }.v4(), { tuple.src_ip_mask }.v4()),
            masked({ tuple.dst_ip }.v4(), { tuple.dst_ip_mask }.v4()),
        ),
        6 => Addresses::V6(
            v6(tuple.src_ip, tuple.src_ip_mask),
            v6(tuple.dst_ip, tuple.dst_ip_mask),
        ),
        _ => return Err(Error::InvalidArgument("IP version of a rule")),
    };
    Ok(Rule {
        place,
        addresses,
        protocol: tuple.protocol,
        ports: (tuple.src_port, tuple.dst_port),
        vlan: tuple.vlan_id,
        fate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{
        __pfring_hw_filtering_rule_family as Family, intel_82599_five_tuple_filter_hw_rule,
        intel_82599_perfect_filter_hw_rule,
    };

    fn rule(kind: hw_filtering_rule_type, rule_family: Family) -> hw_filtering_rule {
        hw_filtering_rule {
            rule_family_type: kind,
            rule_id: 7,
            priority: 0,
            rule_family,
        }
    }

    fn tuple(action: generic_flow_rule_action_type, ip_version: u8) -> generic_flow_tuple_hw_rule {
        generic_flow_tuple_hw_rule {
            action,
            src_ip: ip_addr::from_v4(0x0a00_0001),
            dst_ip: ip_addr::from_v6([9; 16]),
            src_ip_mask: ip_addr::from_v4(0xffff_0000),
            dst_ip_mask: ip_addr::from_v4(0),
            src_port: 0,
            dst_port: 53,
            vlan_id: 5,
            ip_version,
            protocol: 17,
            interface: 0,
            queue_id: 2,
            flow_id: 0,
        }
    }

    const ANY: Masked<4> = Masked {
        address: [0; 4],
        mask: [0; 4],
    };

    #[test]
    fn rules_of_intel() {
        let five_tuple_rule = intel_82599_five_tuple_filter_hw_rule {
            proto: 6,
            s_addr: 0x0a00_0001,
            d_addr: 0,
            s_port: 0,
            d_port: 80,
            queue_id: 3,
        };
        let kind = hw_filtering_rule_type::INTEL_82599_FIVE_TUPLE_RULE;
        let expected = Rule {
            place: 7,
            addresses: Addresses::V4(masked(0x0a00_0001, u32::MAX), ANY),
            protocol: 6,
            ports: (0, 80),
            vlan: 0,
            fate: Fate::Queue(3),
        };
        let got = translate(&rule(kind, Family { five_tuple_rule }));
        assert_eq!(got.unwrap(), expected);
        let perfect_rule = intel_82599_perfect_filter_hw_rule {
            vlan_id: 100,
            proto: 6,
            s_addr: 0x0a00_0001,
            d_addr: 0,
            s_port: 0,
            d_port: 80,
            queue_id: DROP_QUEUE,
        };
        let kind = hw_filtering_rule_type::INTEL_82599_PERFECT_FILTER_RULE;
        let expected = Rule {
            vlan: 100,
            fate: Fate::Drop,
            ..expected
        };
        let got = translate(&rule(kind, Family { perfect_rule }));
        assert_eq!(got.unwrap(), expected);
    }

    #[test]
    fn flows() {
        let steer = generic_flow_rule_action_type::FLOW_STEER_RULE;
        let got = flow_tuple(1, &tuple(steer, 4)).unwrap();
        assert_eq!(got.fate, Fate::Queue(2));
        assert_eq!((got.ports, got.vlan, got.protocol), ((0, 53), 5, 17));
        let Addresses::V4(source, destination) = got.addresses else {
            panic!("{got:?}")
        };
        assert_eq!(source, masked(0x0a00_0001, 0xffff_0000));
        assert_eq!(destination.mask, [0; 4]);
        let drop = generic_flow_rule_action_type::FLOW_DROP_RULE;
        let got = flow_tuple(1, &tuple(drop, 6)).unwrap();
        assert_eq!(got.fate, Fate::Drop);
        let Addresses::V6(_, destination) = got.addresses else {
            panic!("{got:?}")
        };
        assert_eq!(destination.address, [9; 16]);
    }

    #[test]
    fn what_no_card_takes() {
        let pass = generic_flow_rule_action_type::FLOW_PASS_RULE;
        let unknown = generic_flow_rule_action_type(77);
        let flow_tuple_rule = tuple(pass, 4);
        let family = Family { flow_tuple_rule };
        assert!(matches!(
            flow_tuple(1, &flow_tuple_rule),
            Err(Error::NotSupported(_))
        ));
        assert!(matches!(
            flow_tuple(1, &tuple(unknown, 4)),
            Err(Error::InvalidArgument(_))
        ));
        let drop = generic_flow_rule_action_type::FLOW_DROP_RULE;
        assert!(matches!(
            flow_tuple(1, &tuple(drop, 5)),
            Err(Error::InvalidArgument(_))
        ));
        let by_id = hw_filtering_rule_type::GENERIC_FLOW_ID_RULE;
        assert!(matches!(
            translate(&rule(by_id, family)),
            Err(Error::NotSupported(_))
        ));
        assert!(matches!(
            translate(&rule(hw_filtering_rule_type(99), family)),
            Err(Error::InvalidArgument(_))
        ));
    }
}
