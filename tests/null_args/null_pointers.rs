//! NULL in each pointer place but the ring: a function that needs what should be there answers
//! -2, or the failure of its family.

use std::ffi::c_char;
use std::ptr::{null, null_mut};

use pfring::abi;
use pfring::capi;

use crate::answers;
use crate::common::Open;
use crate::common::frame::numbered;
use crate::common::pcapfile::{ETHERNET, MICRO, Order, Record, TempFile, pcap};
use crate::common::ring::{Ring, errno, set_errno};

pub fn without_a_ring() {
    let mut rings: [*mut abi::pfring; 64] = [null_mut(); 64];
    let mut header = abi::pfring_pkthdr::zeroed();
    header.caplen = 64;
    header.len = 64;
    let mut program = abi::pfring_bpf_program {
        bf_len: 0,
        bf_insns: null_mut(),
    };
    let mut text = [0 as c_char; 64];
    set_errno(0);
    answers! { capi::pfring_open(null(), 128, 0) => null_mut(); }
    assert_eq!(errno(), libc::EINVAL);
    answers! {
        capi::pfring_open_multichannel(null(), 128, 0, rings.as_mut_ptr()) => 0;
        capi::pfring_open_multichannel(c"lo".as_ptr(), 128, 0, null_mut()) => 0;
        capi::pfring_version_noring(null_mut()) => ();
        capi::pfring_parse_pkt(null_mut(), &raw mut header, 4, 0, 0) => -2;
        capi::pfring_parse_pkt([0u8; 64].as_mut_ptr(), null_mut(), 4, 0, 0) => -2;
        capi::pfring_set_if_promisc(null(), 1) => -3;
        capi::pfring_format_numbers(1.0, null_mut(), 0, 0) => null_mut();
        capi::pfring_print_parsed_pkt(null_mut(), 64, [0u8; 64].as_ptr(), &raw const header) => -2;
        capi::pfring_print_parsed_pkt(text.as_mut_ptr(), 64, null(), &raw const header) => -2;
        capi::pfring_print_parsed_pkt(text.as_mut_ptr(), 64, [0u8; 64].as_ptr(), null()) => -2;
        capi::pfring_print_pkt(null_mut(), 64, [0u8; 64].as_ptr(), 64, 64) => -2;
        capi::pfring_print_pkt(text.as_mut_ptr(), 64, null(), 64, 64) => -2;
        capi::pfring_get_ethtool_link_speed(null()) => 0;
        capi::pfring_freealldevs(null_mut()) => ();
        capi::pfring_parse_bpf_filter(null(), 128, &raw mut program) => -2;
        capi::pfring_parse_bpf_filter(c"udp".as_ptr(), 128, null_mut()) => -2;
        capi::pfring_free_bpf_filter(null_mut()) => ();
        capi::pfring_free_bpf_filter(&raw mut program) => ();
        capi::pfring_bpf_filter(null_mut(), [0u8; 64].as_mut_ptr(), 64, 64) => 0;
        capi::pfring_thirdparty_lib_init(null(), null_mut()) => ();
        capi::pfring_thirdparty_lib_init(c"libc.so.6".as_ptr(), null_mut()) => ();
        capi::pfring_enable_hw_timestamp_debug() => ();
    }
    // No pointer to be NULL: these must only not crash.
    answers! {
        capi::gmt_to_local(0) % 60 => 0;
        capi::pfring_config(0) => ();
    }
    // SAFETY: the list is freed by its own function, once.
    unsafe {
        let devices = capi::pfring_findalldevs();
        assert!(!devices.is_null(), "there is always lo");
        capi::pfring_freealldevs(devices);
    }
}

/// A file needs no rights, and gives packets at once.
pub fn on_a_file() {
    let records: Vec<Record> = (0..8).map(|n| Record::new(1, 0, numbered(n, 60))).collect();
    let file = TempFile::new(&pcap(Order::Little, MICRO, ETHERNET, &records));
    let ring = Open::on(&file.device()).enabled();
    receiving(&ring);
    described(&ring);
    named(&ring);
    assert_eq!(
        ring.recv(true).number(),
        0,
        "none of the refused calls took a packet"
    );
}

pub fn on_an_interface() {
    let ring = Open::on("vb").enabled();
    receiving(&ring);
    described(&ring);
    named(&ring);
    sending(&ring);
    filters(&ring);
    clocks(&ring);
}

fn receiving(ring: &Ring) {
    let raw = ring.raw();
    let mut header = abi::pfring_pkthdr::zeroed();
    let header = &raw mut header;
    let mut data: *mut u8 = null_mut();
    let data = &raw mut data;
    for wait in [0, 1] {
        answers! {
            capi::pfring_recv(raw, null_mut(), 0, header, wait) => -2;
            capi::pfring_recv(raw, data, 0, null_mut(), wait) => -2;
            capi::pfring_recv(raw, data, 100, header, wait) => -2;
            capi::pfring_recv_parsed(raw, null_mut(), 0, header, wait, 4, 0, 0) => -2;
            capi::pfring_recv_parsed(raw, data, 0, null_mut(), wait, 4, 0, 0) => -2;
            capi::pfring_recv_parsed(raw, data, 100, header, wait, 4, 0, 0) => -2;
            capi::pfring_recv_burst(raw, null_mut(), 4, wait) => -2;
            capi::pfring_recv_flow(raw, null_mut(), wait) => -7;
            capi::pfring_recv_chunk(raw, null_mut(), null_mut(), wait) => -2;
            capi::pfring_loop(raw, None, null(), wait) => -2;
        }
    }
    answers! {
        capi::pfring_get_metadata(raw, null_mut(), null_mut()) => -7;
        capi::pfring_next_pkt_time(raw, null_mut()) => -2;
        capi::pfring_next_pkt_raw_timestamp(raw, null_mut()) => -2;
    }
}

/// Functions that write what they know to where the program says.
fn described(ring: &Ring) {
    let raw = ring.raw();
    let mut index = 0;
    answers! {
        capi::pfring_stats(raw, null_mut()) => -2;
        capi::pfring_wait_get_stats(raw, null_mut()) => -2;
        capi::pfring_version(raw, null_mut()) => -2;
        capi::pfring_get_bound_device_address(raw, null_mut()) => -2;
        capi::pfring_get_bound_device_ifindex(raw, null_mut()) => -2;
        capi::pfring_get_device_ifindex(raw, null_mut(), &raw mut index) => -2;
        capi::pfring_get_device_ifindex(raw, c"lo".as_ptr().cast_mut(), null_mut()) => -2;
        capi::pfring_get_card_settings(raw, null_mut()) => -2;
        capi::pfring_get_appl_stats_file_name(raw, null_mut(), 64) => null_mut();
        capi::pfring_wait_get_stats(raw, null_mut()) => -2;
    }
}

/// Functions that take a name.
fn named(ring: &Ring) {
    let raw = ring.raw();
    answers! {
        capi::pfring_set_application_name(raw, null_mut()) => -2;
        capi::pfring_wait_set_mode(raw, null()) => -2;
        capi::pfring_set_application_stats(raw, null_mut()) => -2;
        capi::pfring_set_bound_dev_name(raw, null_mut()) => -2;
        capi::pfring_bind(raw, null_mut()) => -1;
        capi::pfring_set_bpf_filter(raw, null()) => -2;
        capi::pfring_search_payload(raw, null_mut()) => -2;
        capi::pfring_wait_set_mode(raw, null()) => -2;
        capi::pfring_wait_set_mode(raw, c"turbo".as_ptr()) => -2;
    }
}

fn sending(ring: &Ring) {
    let raw = ring.raw();
    answers! {
        capi::pfring_send(raw, null_mut(), 60, 1) => -2;
        capi::pfring_send_get_time(raw, null_mut(), 60, null_mut()) => -7;
        capi::pfring_loopback_test(raw, null_mut(), 60, 60) => -2;
        capi::pfring_set_reflector_device(raw, null_mut()) => -1;
        capi::pfring_set_virtual_device(raw, null_mut()) => -7;
        capi::pfring_set_master(raw, null_mut()) => -7;
    }
}

fn filters(ring: &Ring) {
    let raw = ring.raw();
    let mut length = 0u32;
    answers! {
        capi::pfring_handle_hash_filtering_rule(raw, null_mut(), 1) => -1;
        capi::pfring_add_filtering_rule(raw, null_mut()) => -1;
        capi::pfring_get_hash_filtering_rule_stats(raw, null_mut(), null_mut(), &raw mut length) => -2;
        capi::pfring_get_hash_filtering_rule_stats(raw, null_mut(), null_mut(), null_mut()) => -2;
        capi::pfring_get_filtering_rule_stats(raw, 1, null_mut(), null_mut()) => -2;
        capi::pfring_add_hw_rule(raw, null_mut()) => -2;
    }
}

fn clocks(ring: &Ring) {
    let raw = ring.raw();
    answers! {
        capi::pfring_get_device_clock(raw, null_mut()) => -7;
        capi::pfring_set_device_clock(raw, null_mut()) => -7;
        capi::pfring_adjust_device_clock(raw, null_mut(), 1) => -7;
        capi::pfring_enable_hw_timestamp(raw, null_mut(), 1, 1) => -2;
    }
}
