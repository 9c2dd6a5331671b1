//! Numbers out of range, enum values that do not exist, and malformed strings.

use std::ffi::{CString, c_char};
use std::ptr::null_mut;

use pfring::abi::{self, cluster_type, filtering_mode, packet_direction, socket_mode};
use pfring::capi;

use crate::answers;
use crate::common::Open;
use crate::common::frame::numbered;
use crate::common::ring::{Ring, errno};

/// An enum value that no header knows.
const UNKNOWN: u32 = 4_242;

/// Bytes that are no UTF-8.
const NO_TEXT: &std::ffi::CStr = c"\xff\xfe\x80";

pub fn without_a_ring() {
    let mut rings: [*mut abi::pfring; 64] = [null_mut(); 64];
    let mut header = abi::pfring_pkthdr::zeroed();
    header.caplen = 64;
    header.len = 64;
    let mut program = abi::pfring_bpf_program {
        bf_len: 0,
        bf_insns: null_mut(),
    };
    let mut packet = [0u8; 64];
    let long = CString::new("x".repeat(70_000)).expect("no NUL");
    for name in [
        c"",
        c"nosuchdev",
        c"no such dev",
        c"@@@",
        NO_TEXT,
        long.as_c_str(),
    ] {
        answers! {
            capi::pfring_open(name.as_ptr(), 128, 0) => null_mut();
            capi::pfring_open_multichannel(name.as_ptr(), 128, 0, rings.as_mut_ptr()) => 0;
            capi::pfring_get_ethtool_link_speed(name.as_ptr()) => 0;
            capi::pfring_thirdparty_lib_init(name.as_ptr(), null_mut()) => ();
        }
    }
    for name in [c"nosuchdev", c"no such dev", NO_TEXT, long.as_c_str()] {
        answers! { capi::pfring_set_if_promisc(name.as_ptr(), 1) => -2; }
    }
    for text in [
        c"udp port and and",
        c"vlan 5000000000",
        c"((((",
        NO_TEXT,
        long.as_c_str(),
    ] {
        answers! { capi::pfring_parse_bpf_filter(text.as_ptr(), 128, &raw mut program) => -2; }
    }
    // Levels beyond the known ones are the nearest known one: 2 is the least answer.
    for level in [0, 1, 7, 255] {
        answers! {
            capi::pfring_parse_pkt(packet.as_mut_ptr(), &raw mut header, level, 0, 0) >= 2 => true;
        }
    }
    numbers_as_text();
    // A priority that the kernel refuses: the process goes on.
    answers! {
        capi::pfring_config(u16::MAX) => ();
        capi::gmt_to_local(libc::time_t::MAX).abs() <= 86_400 => true;
        capi::gmt_to_local(libc::time_t::MIN).abs() <= 86_400 => true;
    }
}

/// Values that do not fit the caller's buffer are cut, never written beyond it.
fn numbers_as_text() {
    for value in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        -1.0,
        1e12,
        0.5,
    ] {
        for decimals in [0, 1] {
            for length in [1, 2, 5, 32] {
                let mut text = [0x7e as c_char; 40];
                let start = text.as_mut_ptr();
                answers! {
                    capi::pfring_format_numbers(value, start, length, decimals) => start;
                }
                let end = length as usize;
                assert!(
                    text[end..].iter().all(|b| *b == 0x7e),
                    "{value} in {length} bytes"
                );
                assert!(
                    text[..end].contains(&0),
                    "{value} in {length} bytes ends with NUL"
                );
            }
        }
    }
}

pub fn on_an_interface() {
    let ring = Open::on("vb").ring();
    enums(&ring);
    names(&ring);
    ring.enable();
    enums(&ring);
    names(&ring);
    lengths(&ring);
    numbers(&ring);
    assert_eq!(ring.recv(false).rc, 0, "the ring still works");
}

fn enums(ring: &Ring) {
    let raw = ring.raw();
    answers! {
        capi::pfring_set_direction(raw, packet_direction(3)) => -2;
        capi::pfring_set_direction(raw, packet_direction(UNKNOWN)) => -2;
        capi::pfring_set_direction(raw, packet_direction(u32::MAX)) => -2;
        capi::pfring_set_socket_mode(raw, socket_mode(4)) => -2;
        capi::pfring_set_socket_mode(raw, socket_mode(UNKNOWN)) => -2;
        capi::pfring_set_filtering_mode(raw, filtering_mode(UNKNOWN)) < 0 => true;
        capi::pfring_set_cluster(raw, 1, cluster_type(14)) < 0 => true;
        capi::pfring_set_cluster(raw, 1, cluster_type(UNKNOWN)) < 0 => true;
        capi::pfring_set_cluster_consumer(raw, 1, 0, cluster_type(UNKNOWN), 0) < 0 => true;
        capi::pfring_set_packet_slicing(raw, abi::packet_slicing_level(1), 0) < 0 => true;
        capi::pfring_set_packet_slicing(raw, abi::packet_slicing_level(UNKNOWN), 0) < 0 => true;
        capi::pfring_set_default_hw_action(raw, abi::generic_default_action_type(UNKNOWN)) < 0 => true;
    }
}

fn names(ring: &Ring) {
    let raw = ring.raw();
    let mut index = 77;
    let index = &raw mut index;
    let long = CString::new("n".repeat(70_000)).expect("no NUL");
    for name in [c"nosuchdev", c"no such dev", NO_TEXT, long.as_c_str()] {
        let name = name.as_ptr();
        answers! {
            capi::pfring_bind(raw, name.cast_mut()) < 0 => true;
            capi::pfring_set_reflector_device(raw, name.cast_mut()) < 0 => true;
            capi::pfring_get_device_ifindex(raw, name.cast_mut(), index) => -1;
            capi::pfring_set_bpf_filter(raw, name) => -2;
            capi::pfring_enable_hw_timestamp(raw, name.cast_mut(), 1, 1) != 0 => true;
            *index => 77;
        }
    }
    for mode in [
        c"",
        c"lazily",
        c"Passive",
        c"passive:1us",
        c"adaptive:",
        c"adaptive:-1us",
        c"adaptive:1parsec",
        c"sleep:99999999999999999999s",
        c"sleep:1us,slack",
        NO_TEXT,
        long.as_c_str(),
    ] {
        answers! { capi::pfring_wait_set_mode(raw, mode.as_ptr()) => -2; }
    }
    answers! { capi::pfring_set_application_name(raw, long.as_ptr().cast_mut()) => -1; }
    assert_eq!(errno(), libc::EINVAL);
    answers! {
        capi::pfring_set_application_name(raw, NO_TEXT.as_ptr().cast_mut()) => 0;
    }
}

fn lengths(ring: &Ring) {
    let raw = ring.raw();
    let mut frame = numbered(1, 2_000);
    let frame = frame.as_mut_ptr().cast::<c_char>();
    answers! {
        capi::pfring_send(raw, frame, 0, 1) => -2;
        capi::pfring_send(raw, frame, 1_519, 1) => -2;
        capi::pfring_send(raw, frame, u32::MAX, 1) => -2;
        capi::pfring_get_appl_stats_file_name(raw, frame, 0) => null_mut();
    }
}

/// Numbers that are taken as the nearest that makes sense, or refused.
fn numbers(ring: &Ring) {
    let raw = ring.raw();
    answers! {
        capi::pfring_set_poll_watermark(raw, 0) => 0;
        capi::pfring_set_poll_watermark(raw, u16::MAX) => 0;
        capi::pfring_set_poll_watermark_timeout(raw, u16::MAX) => 0;
        capi::pfring_set_poll_watermark_timeout(raw, 0) => 0;
        capi::pfring_set_poll_duration(raw, 0) => 0;
        capi::pfring_set_poll_duration(raw, u32::MAX) => 0;
        capi::pfring_set_cluster(raw, 0, cluster_type(0)) < 0 => true;
        capi::pfring_remove_filtering_rule(raw, u16::MAX) < 0 => true;
        capi::pfring_remove_hw_rule(raw, u16::MAX) < 0 => true;
        capi::pfring_send_last_rx_packet(raw, -1) < 0 => true;
    }
}
