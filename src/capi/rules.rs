//! Filtering rules.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint};

use super::boundary::{out, with_ring};
use crate::abi::{
    FILTER_TUNNEL_ID_FLAG, PF_RING_ERROR_NOT_SUPPORTED, filtering_mode, filtering_rule,
    hash_filtering_rule, hash_filtering_rule_stats, ip_addr, pfring, rule_action_behaviour,
};
use crate::error::{Error, Result};
use crate::filter::rules::flows::FlowKey;
use crate::filter::rules::pattern::Patterns;
use crate::filter::rules::wildcard::{End, Host, Wildcard};
use crate::filter::rules::{Action, Counters, Sending};
use crate::packet::ip::{Addr, Flow};

/// Chooses where rules are applied. There is no hardware here that would apply them: hardware_and_software is
/// as software_only, and with hardware_only no rule can be added or removed.
///
/// @param ring  the ring
/// @param mode  hardware_and_software, hardware_only or software_only (default)
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for
///         NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_filtering_mode(
    ring: *mut pfring,
    mode: filtering_mode,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_filtering_mode(mode).map(|()| 0)
        })
    }
}
/// Adds or removes the rule of a flow. Rules may be changed at any time, by any thread. A packet is held
/// against the BPF filter first, then against the rule of its flow; after the actions execute_action_and_continue,
/// reflect_packet_and_continue and bounce_packet_and_continue also against the wildcard rules, and if none of
/// these decides it is dropped. execute_action_and_stop drops it as well.
///
/// @param ring         the ring
/// @param rule_to_add  the flow, and what happens to its packets in both directions. VLAN, protocol, addresses
///                     and ports are compared exactly; there is no "any"
/// @param add_rule     0 removes, else adds
/// @return 0; -1 with errno: EINVAL for a NULL rule or an IP version other than 4 and 6; EEXIST when the flow has
///         a rule; EFAULT for a reflector device that does not exist or is the ring's own (bounce actions may
///         name that), and when there is no rule to remove at all; EPERM when there is none for this flow.
///         PF_RING_ERROR_INVALID_ARGUMENT for an unknown action; PF_RING_ERROR_NOT_SUPPORTED with hardware_only
///         and for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_handle_hash_filtering_rule(
    ring: *mut pfring,
    rule_to_add: *mut hash_filtering_rule,
    add_rule: c_uchar,
) -> c_int {
    // SAFETY: the common contract; the structure is packed and read as a whole.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let rule = rule_pointer(rule_to_add)?.read();
            let key = flow_key(&rule)?;
            if add_rule == 0 {
                return handle.remove_flow_rule(&key).map(|()| 0);
            }
            let reflector = device_name(&rule.reflector_device_name);
            let action = action(rule.rule_action)?;
            handle.add_flow_rule(key, action, &reflector).map(|()| 0)
        })
    }
}
/// Adds a wildcard rule. A packet is held against the rules from the lowest id to the highest, until one decides;
/// the default policy is what happens if none does. Rules may be changed at any time, by any thread; packets
/// that are queued already are held against them too.
///
/// @param ring         the ring
/// @param rule_to_add  the rule. On success bits of its IPv4 addresses that its masks do not cover are cleared,
///                     and a balance_id above balance_pool becomes 0
/// @return 0; -1 with errno: EINVAL for a NULL rule; EEXIST when there is a rule with this id; EFAULT for a reflector
///         device that does not exist or is the ring's own (bounce actions may name that).
///         PF_RING_ERROR_INVALID_ARGUMENT for an unknown action; PF_RING_ERROR_NOT_SUPPORTED with hardware_only
///         and for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_add_filtering_rule(
    ring: *mut pfring,
    rule_to_add: *mut filtering_rule,
) -> c_int {
    // SAFETY: the common contract; the structure is packed, and read and written as a whole.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = rule_pointer(rule_to_add)?;
            let rule = normal(place.read());
            let reflector = device_name(&rule.reflector_device_name);
            handle.add_rule(wildcard(&rule)?, &reflector)?;
            place.write(rule);
            Ok(0)
        })
    }
}
/// Removes a wildcard rule.
///
/// @param ring     the ring
/// @param rule_id  id of the rule
/// @return 0; -1 with errno EFAULT when there is none; PF_RING_ERROR_NOT_SUPPORTED with hardware_only and for a NULL
///         ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_remove_filtering_rule(ring: *mut pfring, rule_id: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.remove_rule(rule_id).map(|()| 0)
        })
    }
}
/// Removes hash rules that no packet has matched for longer than a time; one that none ever matched counts from
/// when it was added.
///
/// @param ring            the ring
/// @param inactivity_sec  seconds
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_purge_idle_hash_rules(
    ring: *mut pfring,
    inactivity_sec: u16,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.purge_flow_rules(inactivity_sec);
            Ok(0)
        })
    }
}
/// Removes wildcard rules that no packet has matched for longer than a time, but for those with `locked`; one
/// that none ever matched counts from when it was added.
///
/// @param ring            the ring
/// @param inactivity_sec  seconds
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_purge_idle_rules(ring: *mut pfring, inactivity_sec: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.purge_rules(inactivity_sec);
            Ok(0)
        })
    }
}
/// Reads the counters of a hash rule.
///
/// @param ring       the ring
/// @param rule       the rule: its flow counts
/// @param stats      a struct hash_filtering_rule_stats, filled
/// @param stats_len  bytes of stats, at least 28; becomes 28
/// @return 0; -1 with errno EFAULT when the flow has no rule, EINVAL for an IP version other than 4 and 6;
///         PF_RING_ERROR_INVALID_ARGUMENT for NULL and for too few bytes; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_hash_filtering_rule_stats(
    ring: *mut pfring,
    rule: *mut hash_filtering_rule,
    stats: *mut c_char,
    stats_len: *mut c_uint,
) -> c_int {
    // SAFETY: the common contract; the structures are packed, and read and written as a whole.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let rule = out(rule, "rule")?.read();
            let place = StatsPlace::new(stats, stats_len)?;
            place.write(handle.flow_rule_counters(&flow_key(&rule)?)?);
            Ok(0)
        })
    }
}
/// Reads the counters of a wildcard rule.
///
/// @param ring       the ring
/// @param rule_id    id of the rule
/// @param stats      a struct hash_filtering_rule_stats, filled
/// @param stats_len  bytes of stats, at least 28; becomes 28
/// @return 0; -1 with errno EFAULT when there is no such rule; PF_RING_ERROR_INVALID_ARGUMENT for NULL and for too
///         few bytes; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_filtering_rule_stats(
    ring: *mut pfring,
    rule_id: u16,
    stats: *mut c_char,
    stats_len: *mut c_uint,
) -> c_int {
    // SAFETY: the common contract; the structure is packed and written as a whole.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = StatsPlace::new(stats, stats_len)?;
            place.write(handle.rule_counters(rule_id)?);
            Ok(0)
        })
    }
}
/// Sets what happens to packets that no rule decides on.
///
/// @param ring                         the ring
/// @param rules_default_accept_policy  0 drop, else deliver (default)
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_toggle_filtering_policy(
    ring: *mut pfring,
    rules_default_accept_policy: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_default_policy(rules_default_accept_policy != 0);
            Ok(0)
        })
    }
}

/// An argument that the original refuses with -1, and not with its code for invalid arguments.
fn invalid() -> Error {
    Error::Os("rule", std::io::Error::from_raw_os_error(libc::EINVAL))
}

fn rule_pointer<T>(rule: *mut T) -> Result<std::ptr::NonNull<T>> {
    std::ptr::NonNull::new(rule).ok_or_else(invalid)
}

/// Where counters go to.
struct StatsPlace {
    stats: std::ptr::NonNull<hash_filtering_rule_stats>,
    len: std::ptr::NonNull<c_uint>,
}

impl StatsPlace {
    /// # Safety
    ///
    /// - The pointers are NULL or as the common contract has it.
    unsafe fn new(stats: *mut c_char, len: *mut c_uint) -> Result<Self> {
        let stats = out(stats, "stats")?.cast::<hash_filtering_rule_stats>();
        let len = out(len, "stats_len")?;
        // SAFETY: a whole integer, by the contract of this function.
        if (unsafe { len.read() } as usize) < size_of::<hash_filtering_rule_stats>() {
            return Err(Error::InvalidArgument("stats_len"));
        }
        Ok(Self { stats, len })
    }

    /// # Safety
    ///
    /// - The pointers still are as for [`new`](Self::new).
    unsafe fn write(self, (counters, inactivity): (Counters, u32)) {
        let stats = hash_filtering_rule_stats {
            r#match: counters.matched,
            filtered: counters.filtered,
            match_forward: counters.passed,
            inactivity,
        };
        // SAFETY: there are enough bytes (`new` looked), and the structure is packed.
        unsafe {
            self.stats.write(stats);
            self.len.write(size_of_val(&stats) as c_uint);
        }
    }
}

fn action(value: rule_action_behaviour) -> Result<Action> {
    use rule_action_behaviour as A;
    let send = |swaps, goes_on| {
        Action::Send(Sending {
            outlet: 0,
            swaps,
            goes_on,
        })
    };
    Ok(match value {
        A::FORWARD_PACKET_AND_STOP_RULE_EVALUATION => Action::Forward,
        A::DONT_FORWARD_PACKET_AND_STOP_RULE_EVALUATION => Action::Drop,
        A::EXECUTE_ACTION_AND_CONTINUE_RULE_EVALUATION => Action::Continue,
        A::EXECUTE_ACTION_AND_STOP_RULE_EVALUATION => Action::Stop,
        A::FORWARD_PACKET_ADD_RULE_AND_STOP_RULE_EVALUATION => Action::Learn,
        A::REFLECT_PACKET_AND_STOP_RULE_EVALUATION => send(false, false),
        A::REFLECT_PACKET_AND_CONTINUE_RULE_EVALUATION => send(false, true),
        A::BOUNCE_PACKET_AND_STOP_RULE_EVALUATION => send(true, false),
        A::BOUNCE_PACKET_AND_CONTINUE_RULE_EVALUATION => send(true, true),
        _ => return Err(Error::InvalidArgument("rule action")),
    })
}

/// The name in a field of a rule, which may lack its terminator.
fn device_name(field: &[c_char]) -> std::ffi::CString {
    let mut bytes: Vec<u8> = field.iter().map(|&c| c as u8).collect();
    bytes.push(0);
    CStr::from_bytes_until_nul(&bytes)
        .map(CStr::to_owned)
        .unwrap_or_default()
}

fn flow_key(rule: &hash_filtering_rule) -> Result<FlowKey> {
    let address = |address: ip_addr| match rule.ip_version {
        4 => Ok(Addr::V4(address.v4())),
        6 => Ok(Addr::V6(address.v6_bytes())),
        _ => Err(invalid()),
    };
    let flow = Flow {
        ip_version: rule.ip_version,
        proto: rule.proto,
        src: address(rule.host_peer_a)?,
        dst: address(rule.host_peer_b)?,
        src_port: rule.port_peer_a,
        dst_port: rule.port_peer_b,
    };
    Ok(FlowKey::new(rule.vlan_id, &flow))
}

/// A rule without what has no effect, as the original leaves it.
fn normal(mut rule: filtering_rule) -> filtering_rule {
    let core = &mut rule.core_fields;
    let masked = |mut address: ip_addr, mask: ip_addr| {
        address.0[0] &= mask.0[0];
        address
    };
    core.shost = masked(core.shost, core.shost_mask);
    core.dhost = masked(core.dhost, core.dhost_mask);
    if rule.balance_id > rule.balance_pool {
        rule.balance_id = 0;
    }
    rule
}

fn wildcard(rule: &filtering_rule) -> Result<Wildcard> {
    let (core, extended) = (&rule.core_fields, &rule.extended_fields);
    let tunnel = extended.tunnel;
    let host = |address: ip_addr, mask: ip_addr| Host {
        address: address.0,
        mask: mask.0,
    };
    let asks_for_id = extended.optional_fields & FILTER_TUNNEL_ID_FLAG != 0;
    let pattern: Vec<u8> = extended
        .payload_pattern
        .iter()
        .map(|&c| c as u8)
        .take_while(|&c| c != 0)
        .collect();
    Ok(Wildcard {
        id: rule.rule_id,
        action: action(rule.rule_action)?,
        locked: rule.locked != 0,
        bidirectional: rule.bidirectional != 0,
        balance: (rule.balance_pool > 0).then_some((rule.balance_id, rule.balance_pool)),
        tcp_flags: core.tcp.flags,
        ifindex: core.if_index,
        vlan_id: core.vlan_id,
        eth_type: core.eth_type,
        proto: core.proto,
        src: End {
            mac: core.smac,
            host: host(core.shost, core.shost_mask),
            port_low: core.sport_low,
            port_high: core.sport_high,
        },
        dst: End {
            mac: core.dmac,
            host: host(core.dhost, core.dhost_mask),
            port_low: core.dport_low,
            port_high: core.dport_high,
        },
        tunnel_id: asks_for_id.then_some(tunnel.tunnel_id),
        tunnel: [
            host(tunnel.shost, tunnel.shost_mask),
            host(tunnel.dhost, tunnel.dhost_mask),
        ],
        patterns: Patterns::new(&pattern),
    })
}
