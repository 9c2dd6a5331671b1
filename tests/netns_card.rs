//! What takes hardware that a veth is not: stamps, clocks and rules of a card.

mod common;

use std::ffi::CString;
use std::time::Duration;

use common::frame::numbered;
use common::ring::{errno, set_errno};
use common::{Lab, Open, Turn, backends};
use pfring::{abi, capi};

const SOON: Duration = Duration::from_secs(5);
const NOT_SUPPORTED: i32 = -7;

/// What takes hardware that a veth is not.
#[test]
fn r66_what_is_not_supported_says_so_and_harms_nothing() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = Open::on("vb").enabled();
    let raw = ring.raw();
    let mut frame = numbered(7, 60);
    let packet = frame.as_mut_ptr().cast();
    let mut time = libc::timespec {
        tv_sec: 1,
        tv_nsec: 2,
    };
    let mut rule = rule();
    let mut chunk = std::ptr::null_mut();
    // SAFETY: plain data; all zero is a valid value.
    let mut info: abi::pfring_chunk_info = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is valid until drop; every pointer leads to what the function wants.
    let answers = unsafe {
        [
            capi::pfring_set_tx_watermark(raw, 4),
            capi::pfring_send_get_time(raw, packet, 60, &raw mut time),
            capi::pfring_add_hw_rule(raw, &raw mut rule),
            capi::pfring_remove_hw_rule(raw, 1),
            capi::pfring_set_default_hw_action(raw, abi::generic_default_action_type(1)),
            capi::pfring_get_device_clock(raw, &raw mut time),
            capi::pfring_set_device_clock(raw, &raw mut time),
            capi::pfring_adjust_device_clock(raw, &raw mut time, -1),
            capi::pfring_recv_chunk(raw, &raw mut chunk, &raw mut info, 0),
            capi::pfring_loopback_test(raw, packet, 60, 60),
            capi::pfring_set_virtual_device(raw, std::ptr::null_mut()),
        ]
    };
    const NO: i32 = NOT_SUPPORTED;
    assert_eq!(answers, [0, NO, NO, NO, NO, NO, NO, NO, 0, 0, NO]);
    assert_eq!((time.tv_sec, time.tv_nsec), (1, 2), "not written");
    assert!(ring.add_hw_rule.is_none() && ring.remove_hw_rule.is_none());
    assert!(ring.get_device_clock.is_none() && ring.send_get_time.is_none());
    assert!(ring.set_channel_id.is_some() && ring.bind.is_some());
    lab.sender().numbers(0..10);
    assert_eq!(ring.numbers(10, SOON), (0..10).collect::<Vec<u32>>());
    assert_eq!(ring.send(&numbered(1, 60)), 60);
    assert_eq!(ring.numbers(1, SOON), [1]);
}

/// A rule that a card could take.
fn rule() -> abi::hw_filtering_rule {
    // SAFETY: the rule is plain data; all zero is a valid value.
    let mut rule: abi::hw_filtering_rule = unsafe { std::mem::zeroed() };
    rule.rule_family_type = abi::hw_filtering_rule_type::INTEL_82599_FIVE_TUPLE_RULE;
    rule.rule_id = 1;
    rule.rule_family.five_tuple_rule = abi::intel_82599_five_tuple_filter_hw_rule {
        proto: 17,
        s_addr: 0x0a00_0001,
        d_addr: 0x0a00_0002,
        s_port: 1000,
        d_port: 53,
        queue_id: 0,
    };
    rule
}

#[test]
fn stamps_of_a_card_that_has_none() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for backend in backends() {
        let ring = Open::on("vb,lo")
            .flags(abi::PF_RING_HW_TIMESTAMP)
            .backend(backend)
            .enabled();
        assert_eq!(ring.hw_ts.enable_hw_timestamp, 1, "as it was asked for");
        let enable = |name: &str| {
            let name = CString::new(name).unwrap();
            set_errno(7);
            // SAFETY: the handle is valid until drop, the name terminated.
            let rc = unsafe {
                capi::pfring_enable_hw_timestamp(ring.raw(), name.as_ptr().cast_mut(), 1, 1)
            };
            (rc, errno())
        };
        assert_eq!(enable("vb"), (libc::EOPNOTSUPP, 0));
        assert_eq!(enable("nosuchdev"), (libc::ENODEV, 0));
        let before = common::frame::realtime_ns();
        lab.sender().numbers(0..10);
        for _ in 0..10 {
            let stamp = { ring.packet(SOON).header.extended_hdr.timestamp_ns };
            assert!((before..=common::frame::realtime_ns()).contains(&stamp));
        }
    }
}
