//! Filters: BPF, hardware rules.

use std::ffi::{c_char, c_int};

use super::boundary::{out, unsupported, with_ring};
use super::strings;
use crate::abi::{
    PF_RING_ERROR_GENERIC, PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NOT_SUPPORTED,
    generic_default_action_type, hw_filtering_rule, pfring,
};
use crate::error::Error;

/// Sets the filter of a ring, in the language of tcpdump (pcap-filter(7)). May be called at any
/// time; packets that are queued already are held against it too. An empty text keeps the filter in
/// force. Needs libpcap at run time. `vlan` matches live, although the kernel moves tags out of the
/// frames.
///
/// @param ring           the ring
/// @param filter_buffer  the text
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or a text that does not compile
///         (PFRING_LOG=error tells why); PF_RING_ERROR_NOT_SUPPORTED without libpcap; -1 for a NULL
///         ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_bpf_filter(
    ring: *mut pfring,
    filter_buffer: *const c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_GENERIC, |handle| {
            handle
                .set_bpf_filter(strings::string(filter_buffer, "filter")?)
                .map(|()| 0)
        })
    }
}
/// Takes the filter away.
///
/// @param ring  the ring
/// @return 0; -1 with errno ENOENT when there is none; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_remove_bpf_filter(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.remove_bpf_filter().map(|()| 0)
        })
    }
}
/// Searches packets for a string. The original does not do it either.
///
/// @param ring              the ring
/// @param string_to_search  the string
/// @return PF_RING_ERROR_INVALID_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_search_payload(
    ring: *mut pfring,
    string_to_search: *mut c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |_| {
            let _ = string_to_search;
            Err(Error::InvalidArgument("a payload search"))
        })
    }
}
/// Sets what hardware does with packets that no rule decides on. No hardware rules here.
///
/// @param ring    the ring
/// @param action  the action
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_default_hw_action(
    ring: *mut pfring,
    action: generic_default_action_type,
) -> c_int {
    let _ = action;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_default_hw_action")
        })
    }
}
/// Adds a rule to the filter of the main interface's card, as `ethtool -N` does, at the place of its rule_id: a
/// flow goes to a queue, or is dropped (queue_id 65535 of Intel's kinds, flow_drop_rule). Needs CAP_NET_ADMIN and a
/// card with n-tuple filters. The rule is removed with pfring_close(). Kinds: intel_82599_five_tuple_rule,
/// intel_82599_perfect_filter_rule (proto is the transport protocol), generic_flow_tuple_rule with
/// flow_drop_rule and flow_steer_rule (to queue_id). Written by linux/ethtool.h and not tried on hardware.
///
/// @param ring  the ring
/// @param rule  the rule; its priority is not used
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a card without such filters, for other kinds and actions, for
///         a file and for a NULL ring; PF_RING_ERROR_INVALID_ARGUMENT for a NULL rule and for unknown
///         values; -1 with errno: EPERM, and what the driver answers
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_add_hw_rule(
    ring: *mut pfring,
    rule: *mut hw_filtering_rule,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let rule = out(rule, "rule")?.read_unaligned();
            handle.add_hw_rule(&rule).map(|()| 0)
        })
    }
}
/// Removes a rule from the filter of the main interface's card.
///
/// @param ring     the ring
/// @param rule_id  id of the rule
/// @return 0; -1 with errno: EPERM, and what the driver answers where there is no such rule;
///         PF_RING_ERROR_NOT_SUPPORTED for a card without such filters, for a file and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_remove_hw_rule(ring: *mut pfring, rule_id: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.remove_hw_rule(rule_id).map(|()| 0)
        })
    }
}
