//! Software filter rules.

use std::ffi::{c_char, c_ulong};

use super::{REFLECTOR_NAME_LEN, ip_addr, net_device};

/// What happens to a packet that a rule matches.
#[repr(C)]
pub enum RuleActionBehaviourDecl {
    /// Deliver it; no further rule is looked at.
    forward_packet_and_stop_rule_evaluation = 0,
    /// Drop it; no further rule is looked at.
    dont_forward_packet_and_stop_rule_evaluation = 1,
    /// Decide nothing and go on with the next rule.
    execute_action_and_continue_rule_evaluation = 2,
    /// Keep the verdict reached so far; no further rule is looked at.
    execute_action_and_stop_rule_evaluation = 3,
    /// Deliver it and add a hash rule for its flow.
    forward_packet_add_rule_and_stop_rule_evaluation = 4,
    /// Send it on the reflector device, do not deliver it.
    reflect_packet_and_stop_rule_evaluation = 5,
    /// Send it on the reflector device and go on with the next rule.
    reflect_packet_and_continue_rule_evaluation = 6,
    /// As reflect, with source and destination MAC address swapped; do not deliver it.
    bounce_packet_and_stop_rule_evaluation = 7,
    /// As reflect, with source and destination MAC address swapped; go on with the next rule.
    bounce_packet_and_continue_rule_evaluation = 8,
}

c_enum! {
    rule_action_behaviour, RuleActionBehaviourDecl {
        FORWARD_PACKET_AND_STOP_RULE_EVALUATION = forward_packet_and_stop_rule_evaluation,
        DONT_FORWARD_PACKET_AND_STOP_RULE_EVALUATION = dont_forward_packet_and_stop_rule_evaluation,
        EXECUTE_ACTION_AND_CONTINUE_RULE_EVALUATION = execute_action_and_continue_rule_evaluation,
        EXECUTE_ACTION_AND_STOP_RULE_EVALUATION = execute_action_and_stop_rule_evaluation,
        FORWARD_PACKET_ADD_RULE_AND_STOP_RULE_EVALUATION = forward_packet_add_rule_and_stop_rule_evaluation,
        REFLECT_PACKET_AND_STOP_RULE_EVALUATION = reflect_packet_and_stop_rule_evaluation,
        REFLECT_PACKET_AND_CONTINUE_RULE_EVALUATION = reflect_packet_and_continue_rule_evaluation,
        BOUNCE_PACKET_AND_STOP_RULE_EVALUATION = bounce_packet_and_stop_rule_evaluation,
        BOUNCE_PACKET_AND_CONTINUE_RULE_EVALUATION = bounce_packet_and_continue_rule_evaluation,
    }
}

/// The tcp part of filtering_rule_core_fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_filtering_rule_core_fields_tcp {
    /// TCP flags that must be exactly these; 0 for any.
    pub flags: u8,
}

/// What a wildcard rule compares. 0 means any value; addresses (IPv4) and ports are in host byte
/// order.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct filtering_rule_core_fields {
    /// Index of the interface.
    pub if_index: i32,
    /// Source MAC address.
    pub smac: [u8; 6],
    /// Destination MAC address.
    pub dmac: [u8; 6],
    /// Outer VLAN id.
    pub vlan_id: u16,
    /// EtherType.
    pub eth_type: u16,
    /// Transport protocol number.
    pub proto: u8,
    /// Source address.
    pub shost: ip_addr,
    /// Destination address.
    pub dhost: ip_addr,
    /// Bits of the source address that count.
    pub shost_mask: ip_addr,
    /// Bits of the destination address that count.
    pub dhost_mask: ip_addr,
    /// Lowest source port; not looked at while sport_high is 0.
    pub sport_low: u16,
    /// Highest source port; 0 means any port.
    pub sport_high: u16,
    /// Lowest destination port; not looked at while dport_high is 0.
    pub dport_low: u16,
    /// Highest destination port; 0 means any port.
    pub dport_high: u16,
    /// TCP facts, compared on TCP packets only.
    pub tcp: __pfring_filtering_rule_core_fields_tcp,
}

/// The tunnel part of filtering_rule_extended_fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_filtering_rule_extended_fields_tunnel {
    /// Tunnel id, looked at when FILTER_TUNNEL_ID_FLAG is set.
    pub tunnel_id: u32,
    /// Source address.
    pub shost: ip_addr,
    /// Destination address.
    pub dhost: ip_addr,
    /// Bits of the source address that count.
    pub shost_mask: ip_addr,
    /// Bits of the destination address that count.
    pub dhost_mask: ip_addr,
}

/// What a wildcard rule compares beyond the core fields.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct filtering_rule_extended_fields {
    /// FILTER_TUNNEL_ID_FLAG when tunnel.tunnel_id counts.
    pub optional_fields: u16,
    /// The inner packet.
    pub tunnel: __pfring_filtering_rule_extended_fields_tunnel,
    /// Strings, separated by a vertical bar, one of which the payload must contain; case is
    /// ignored. Empty for any payload.
    pub payload_pattern: [c_char; 32],
}

/// Private to the library. Leave it zero.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct filtering_internals {
    /// Time of the last match.
    pub jiffies_last_match: c_ulong,
    /// Unused.
    pub reflector_dev: *mut net_device,
}

/// A wildcard rule. Rules are looked at from the lowest id to the highest.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct filtering_rule {
    /// Id of the rule, unique within a ring.
    pub rule_id: u16,
    /// What to do with a packet that matches.
    pub rule_action: rule_action_behaviour,
    /// With balance_pool, the share that matches: pkt_hash modulo balance_pool equals balance_id.
    pub balance_id: u8,
    /// Number of shares; 0 switches balancing off.
    pub balance_pool: u8,
    /// 1 keeps the rule from being removed as idle.
    pub locked: u8,
    /// 1 matches the opposite direction too.
    pub bidirectional: u8,
    /// What is compared.
    pub core_fields: filtering_rule_core_fields,
    /// What is compared beyond the core fields.
    pub extended_fields: filtering_rule_extended_fields,
    /// Interface for the reflect and bounce actions: at most 7 characters and a zero.
    pub reflector_device_name: [c_char; REFLECTOR_NAME_LEN],
    /// Private to the library. Leave it zero.
    pub internals: filtering_internals,
}

/// A rule for one flow, matched exactly and in both directions. Addresses (IPv4) and ports in host
/// byte order.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct hash_filtering_rule {
    /// Id, for the caller's own use.
    pub rule_id: u16,
    /// Outer VLAN id, 0 for an untagged packet.
    pub vlan_id: u16,
    /// 4 or 6; 0 for anything else.
    pub ip_version: u8,
    /// Transport protocol number.
    pub proto: u8,
    /// Address of one end.
    pub host_peer_a: ip_addr,
    /// Address of the other end.
    pub host_peer_b: ip_addr,
    /// Port of one end.
    pub port_peer_a: u16,
    /// Port of the other end.
    pub port_peer_b: u16,
    /// What to do with a packet that matches.
    pub rule_action: rule_action_behaviour,
    /// Interface for the reflect and bounce actions: at most 7 characters and a zero.
    pub reflector_device_name: [c_char; REFLECTOR_NAME_LEN],
    /// Private to the library. Leave it zero.
    pub internals: filtering_internals,
}

/// Counters of a rule.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct hash_filtering_rule_stats {
    /// Packets that the rule matched.
    pub r#match: u64,
    /// Packets that the rule dropped.
    pub filtered: u64,
    /// Packets that the rule would have dropped and that the filtering sampling rate let pass.
    pub match_forward: u64,
    /// Seconds since the last match.
    pub inactivity: u32,
}

/// An element of a hash rule list. Kernel-side in PF_RING, unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct _sw_filtering_hash_bucket {
    /// The rule.
    pub rule: hash_filtering_rule,
    /// Packets matched.
    pub r#match: u64,
    /// Packets dropped.
    pub filtered: u64,
    /// Packets that the rule would have dropped and that the filtering sampling rate let pass.
    pub match_forward: u64,
    /// The next element.
    pub next: *mut _sw_filtering_hash_bucket,
}

/// Another name of struct _sw_filtering_hash_bucket.
pub type sw_filtering_hash_bucket = _sw_filtering_hash_bucket;
