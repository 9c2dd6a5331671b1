//! The functions about rules, as a C program calls them, and rules and frames to call them with.

use std::time::Duration;

use pfring::abi::{self, filtering_rule, hash_filtering_rule, hash_filtering_rule_stats};
use pfring::capi;

use crate::common::Open;
use crate::common::frame::{ethernet_ipv4, ipv4_udp};
use crate::common::ring::{LONG_HEADER, RX_ONLY, Ring, errno, set_errno};

pub const SOON: Duration = Duration::from_secs(3);
pub const A: [u8; 4] = [10, 9, 0, 1];
pub const B: [u8; 4] = [10, 9, 0, 2];
pub const UDP: u8 = 17;

pub const FORWARD: u32 = 0;
pub const DROP: u32 = 1;
pub const CONTINUE: u32 = 2;
pub const STOP: u32 = 3;
pub const LEARN: u32 = 4;
pub const REFLECT: u32 = 5;
pub const REFLECT_ON: u32 = 6;
pub const BOUNCE: u32 = 7;

/// A UDP frame from A to B.
pub fn udp(sport: u16, dport: u16) -> Vec<u8> {
    ethernet_ipv4(&ipv4_udp(A, B, (sport, dport), b"some payload to look at"))
}

pub fn named(device: &str) -> [std::ffi::c_char; 8] {
    let mut name = [0; 8];
    for (to, from) in name.iter_mut().zip(device.bytes()) {
        *to = from as std::ffi::c_char;
    }
    name
}

/// A wildcard rule for UDP packets to a port; 0: any packet.
pub fn rule(id: u16, action: u32, dport: u16) -> filtering_rule {
    // SAFETY: plain data; all zero is a valid rule.
    let mut rule: filtering_rule = unsafe { std::mem::zeroed() };
    rule.rule_id = id;
    rule.rule_action = abi::rule_action_behaviour(action);
    if dport != 0 {
        rule.core_fields.proto = UDP;
        rule.core_fields.dport_low = dport;
        rule.core_fields.dport_high = dport;
    }
    rule
}

/// The hash rule for a flow of [`udp`].
pub fn flow(action: u32, sport: u16, dport: u16) -> hash_filtering_rule {
    // SAFETY: plain data; all zero is a valid rule.
    let mut rule: hash_filtering_rule = unsafe { std::mem::zeroed() };
    rule.ip_version = 4;
    rule.proto = UDP;
    rule.host_peer_a = abi::ip_addr::from_v4(u32::from_be_bytes(A));
    rule.host_peer_b = abi::ip_addr::from_v4(u32::from_be_bytes(B));
    rule.port_peer_a = sport;
    rule.port_peer_b = dport;
    rule.rule_action = abi::rule_action_behaviour(action);
    rule
}

/// The answer of a call, with errno after a failure.
pub fn answer(rc: i32) -> (i32, i32) {
    (rc, if rc == -1 { errno() } else { 0 })
}

pub fn add(ring: &Ring, rule: &filtering_rule) -> (i32, i32) {
    let mut rule = *rule;
    // SAFETY: the handle is open, the rule is a whole one.
    answer(unsafe { capi::pfring_add_filtering_rule(ring.raw(), &raw mut rule) })
}

pub fn remove(ring: &Ring, id: u16) -> (i32, i32) {
    // SAFETY: the handle is open.
    answer(unsafe { capi::pfring_remove_filtering_rule(ring.raw(), id) })
}

pub fn handle(ring: &Ring, rule: &hash_filtering_rule, adds: bool) -> (i32, i32) {
    let mut rule = *rule;
    // SAFETY: the handle is open, the rule is a whole one.
    answer(unsafe {
        capi::pfring_handle_hash_filtering_rule(ring.raw(), &raw mut rule, adds.into())
    })
}

pub fn policy(ring: &Ring, accepts: bool) {
    // SAFETY: the handle is open.
    let rc = unsafe { capi::pfring_toggle_filtering_policy(ring.raw(), accepts.into()) };
    assert_eq!(rc, 0);
    assert_eq!(ring.socket_default_accept_policy, u8::from(accepts));
}

/// Matched, filtered and passed, of a buffer that is larger than need be.
pub type Count = Result<(u64, u64, u64), (i32, i32)>;

pub fn count(call: impl FnOnce(*mut std::ffi::c_char, *mut u32) -> i32) -> Count {
    let mut buffer = [0x55_u8; 64];
    let mut len = 64;
    set_errno(0);
    match answer(call(buffer.as_mut_ptr().cast(), &raw mut len)) {
        (0, _) => {
            assert_eq!(len, 28);
            assert!(buffer[28..].iter().all(|&b| b == 0x55), "28 bytes, no more");
            // SAFETY: the call has filled a structure without padding.
            let stats: hash_filtering_rule_stats =
                unsafe { buffer.as_ptr().cast::<hash_filtering_rule_stats>().read() };
            assert!({ stats.inactivity } < 60);
            Ok((stats.r#match, stats.filtered, stats.match_forward))
        }
        failed => {
            assert_eq!(len, 64);
            assert!(buffer.iter().all(|&b| b == 0x55));
            Err(failed)
        }
    }
}

pub fn rule_count(ring: &Ring, id: u16) -> Count {
    // SAFETY: the handle is open, the buffer has the bytes that its length says.
    count(|buffer, len| unsafe {
        capi::pfring_get_filtering_rule_stats(ring.raw(), id, buffer, len)
    })
}

pub fn flow_count(ring: &Ring, rule: &hash_filtering_rule) -> Count {
    let mut rule = *rule;
    // SAFETY: as above.
    count(|buffer, len| unsafe {
        capi::pfring_get_hash_filtering_rule_stats(ring.raw(), &raw mut rule, buffer, len)
    })
}

pub fn receiving(device: &str, backend: Option<&str>) -> Ring {
    let ring = Open::on(device).backend(backend).flags(LONG_HEADER).ring();
    assert_eq!(ring.set_direction(RX_ONLY), 0);
    ring.enable();
    ring
}

/// The destination ports of what is delivered: `expected` and no more.
#[track_caller]
pub fn assert_ports(ring: &Ring, expected: &[u16]) {
    let ports = std::cell::RefCell::new(Vec::new());
    ring.drain(
        SOON,
        || ports.borrow().len() >= expected.len(),
        |got| {
            ports
                .borrow_mut()
                .push(got.header.extended_hdr.parsed_pkt.l4_dst_port)
        },
    );
    assert_eq!(ports.into_inner(), expected);
}
