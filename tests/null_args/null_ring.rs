//! A NULL ring in every function that takes one. Upstream's value where it has one: -7 for what it
//! dispatches to a module; -2 where upstream would crash.

use std::ffi::{c_char, c_uchar};
use std::ptr::null_mut;

use pfring::abi::{self, cluster_type, filtering_mode, packet_direction, socket_mode};
use pfring::capi;

use crate::answers;

const NONE: *mut abi::pfring = null_mut();

unsafe extern "C" fn never(_: *const abi::pfring_pkthdr, _: *const c_uchar, _: *const c_uchar) {
    panic!("a NULL ring has no packets");
}

pub fn calls() {
    nothing_happens();
    receiving();
    sending();
    settings();
    clusters_and_filters();
    information();
    clocks();
}

fn nothing_happens() {
    answers! {
        capi::pfring_close(NONE) => ();
        capi::pfring_shutdown(NONE) => ();
        capi::pfring_breakloop(NONE) => ();
        capi::pfring_sync_indexes_with_kernel(NONE) => ();
    }
}

fn receiving() {
    let mut header = abi::pfring_pkthdr::zeroed();
    let header = &raw mut header;
    let mut data: *mut c_uchar = null_mut();
    let data = &raw mut data;
    let mut packets = [abi::pfring_packet_info::zeroed(); 4];
    let packets = packets.as_mut_ptr();
    let mut number = 0u32;
    let mut chunk = null_mut();
    for wait in [0, 1] {
        answers! {
            capi::pfring_recv(NONE, data, 0, header, wait) => -2;
            capi::pfring_recv_parsed(NONE, data, 0, header, wait, 4, 0, 0) => -2;
            capi::pfring_recv_burst(NONE, packets, 4, wait) => -2;
            capi::pfring_recv_flow(NONE, null_mut(), wait) => -2;
            capi::pfring_loop(NONE, Some(never), null_mut(), wait) => -2;
            capi::pfring_recv_chunk(NONE, &raw mut chunk, null_mut(), wait) => -7;
        }
    }
    answers! {
        capi::pfring_get_metadata(NONE, data, &raw mut number) => -7;
        capi::pfring_poll(NONE, 0) => -7;
        capi::pfring_poll(NONE, 10) => -7;
        capi::pfring_is_pkt_available(NONE) => -7;
        capi::pfring_next_pkt_time(NONE, null_mut()) => -7;
        capi::pfring_next_pkt_raw_timestamp(NONE, null_mut()) => -7;
        capi::pfring_get_selectable_fd(NONE) => -1;
        capi::pfring_get_num_queued_pkts(NONE) => 0;
        capi::pfring_wait_set_mode(NONE, null_mut()) => -2;
        capi::pfring_wait_set_mode(NONE, c"active".as_ptr()) => -2;
        capi::pfring_wait_get_stats(NONE, null_mut()) => -2;
    }
}

fn sending() {
    let mut frame = [0 as c_char; 60];
    let frame = frame.as_mut_ptr();
    answers! {
        capi::pfring_send(NONE, frame, 60, 1) => -2;
        capi::pfring_send_get_time(NONE, frame, 60, null_mut()) => -2;
        capi::pfring_send_last_rx_packet(NONE, 1) => -7;
        capi::pfring_flush_tx_packets(NONE) => -7;
        capi::pfring_set_tx_watermark(NONE, 1) => -7;
        capi::pfring_set_reflector_device(NONE, c"lo".as_ptr().cast_mut()) => -2;
        capi::pfring_loopback_test(NONE, frame, 60, 60) => -7;
    }
}

fn settings() {
    let name = c"name".as_ptr().cast_mut();
    answers! {
        capi::pfring_enable_ring(NONE) => -7;
        capi::pfring_disable_ring(NONE) => -7;
        capi::pfring_bind(NONE, c"lo".as_ptr().cast_mut()) => -7;
        capi::pfring_set_poll_watermark(NONE, 1) => -7;
        capi::pfring_set_poll_watermark_timeout(NONE, 1) => -7;
        capi::pfring_set_poll_duration(NONE, 1) => -7;
        capi::pfring_set_direction(NONE, packet_direction(1)) => -7;
        capi::pfring_set_socket_mode(NONE, socket_mode(0)) => -7;
        capi::pfring_set_channel_id(NONE, 0) => -7;
        capi::pfring_set_channel_mask(NONE, 1) => -7;
        capi::pfring_set_vlan_id(NONE, 1) => -7;
        capi::pfring_set_application_name(NONE, name) => -7;
        capi::pfring_set_application_stats(NONE, name) => -7;
        capi::pfring_set_bound_dev_name(NONE, name) => -7;
        capi::pfring_set_sampling_rate(NONE, 1) => -7;
        capi::pfring_set_filtering_sampling_rate(NONE, 1) => -7;
        capi::pfring_set_packet_slicing(NONE, abi::packet_slicing_level(2), 0) => -7;
        capi::pfring_set_promisc(NONE, 1) => -2;
        capi::pfring_enable_rss_rehash(NONE) => -7;
        capi::pfring_wait_set_mode(NONE, c"active".as_ptr()) => -2;
        capi::pfring_wait_get_stats(NONE, null_mut()) => -2;
        capi::pfring_set_virtual_device(NONE, null_mut()) => -7;
    }
}

fn clusters_and_filters() {
    let mut length = 0u32;
    let length = &raw mut length;
    let text = c"udp".as_ptr();
    answers! {
        capi::pfring_set_cluster(NONE, 1, cluster_type(0)) => -7;
        capi::pfring_set_cluster_consumer(NONE, 1, 0, cluster_type(0), 0) => -7;
        capi::pfring_remove_from_cluster(NONE) => -7;
        capi::pfring_set_master(NONE, NONE) => -7;
        capi::pfring_set_master_id(NONE, 1) => -7;
        capi::pfring_set_bpf_filter(NONE, text) => -1;
        capi::pfring_remove_bpf_filter(NONE) => -7;
        capi::pfring_set_filtering_mode(NONE, filtering_mode(0)) => -7;
        capi::pfring_toggle_filtering_policy(NONE, 1) => -7;
        capi::pfring_handle_hash_filtering_rule(NONE, null_mut(), 1) => -7;
        capi::pfring_get_hash_filtering_rule_stats(NONE, null_mut(), null_mut(), length) => -7;
        capi::pfring_purge_idle_hash_rules(NONE, 1) => -7;
        capi::pfring_add_filtering_rule(NONE, null_mut()) => -7;
        capi::pfring_remove_filtering_rule(NONE, 1) => -7;
        capi::pfring_get_filtering_rule_stats(NONE, 1, null_mut(), length) => -7;
        capi::pfring_purge_idle_rules(NONE, 1) => -7;
        capi::pfring_search_payload(NONE, text.cast_mut()) => -2;
        capi::pfring_set_default_hw_action(NONE, abi::generic_default_action_type(0)) => -7;
        capi::pfring_add_hw_rule(NONE, null_mut()) => -7;
        capi::pfring_remove_hw_rule(NONE, 1) => -7;
    }
}

fn information() {
    let mut stats = abi::pfring_stat {
        recv: 7,
        drop: 7,
        shunt: 7,
    };
    let mut version = 0u32;
    let mut index = 0;
    let mut mac = [0u8; 6];
    let mut path = [0 as c_char; 64];
    answers! {
        capi::pfring_stats(NONE, &raw mut stats) => -7;
        capi::pfring_version(NONE, &raw mut version) => -7;
        capi::pfring_get_bound_device_address(NONE, mac.as_mut_ptr()) => -7;
        capi::pfring_get_bound_device_ifindex(NONE, &raw mut index) => -7;
        capi::pfring_get_device_ifindex(NONE, c"lo".as_ptr().cast_mut(), &raw mut index) => -7;
        capi::pfring_get_appl_stats_file_name(NONE, path.as_mut_ptr(), 64) => null_mut();
        capi::pfring_get_num_rx_channels(NONE) => 1;
        capi::pfring_get_ring_id(NONE) => (-7i32).cast_unsigned();
        capi::pfring_get_slot_header_len(NONE) => (-7i16).cast_unsigned();
        capi::pfring_get_interface_speed(NONE) => 0;
        capi::pfring_get_link_status(NONE) => -2;
        capi::pfring_get_link_type(NONE) => -7;
        capi::pfring_get_caplen(NONE) => -2;
        capi::pfring_get_mtu_size(NONE) => -2;
        capi::pfring_get_card_settings(NONE, null_mut()) => -2;
    }
    assert_eq!(
        (stats.recv, stats.drop, stats.shunt),
        (7, 7, 7),
        "written only on success"
    );
}

fn clocks() {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let time = &raw mut time;
    answers! {
        capi::pfring_get_device_clock(NONE, time) => -7;
        capi::pfring_set_device_clock(NONE, time) => -7;
        capi::pfring_adjust_device_clock(NONE, time, 1) => -7;
        capi::pfring_enable_hw_timestamp(NONE, c"lo".as_ptr().cast_mut(), 1, 1) => -7;
    }
}
