//! The functions that read hardware stamps at the end of a packet, with NULL and with packets
//! shorter than what they look for.

use std::ptr::null_mut;

use libc::timespec;
use pfring::abi::pfring_pkthdr;
use pfring::capi;

use crate::answers;

pub fn calls() {
    reading();
    handling();
}

fn reading() {
    let mut packet = [0u8; 64];
    let packet = packet.as_mut_ptr();
    let mut time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let time = &raw mut time;
    let (mut nanos, mut ticks, mut id, mut port) = (0u64, 0u32, 0u16, 0u8);
    let (nanos, ticks) = (&raw mut nanos, &raw mut ticks);
    let (id, port) = (&raw mut id, &raw mut port);
    answers! {
        capi::pfring_read_ixia_hw_timestamp(null_mut(), 64, time) => -2;
        capi::pfring_read_ixia_hw_timestamp(packet, 64, null_mut()) => -2;
        capi::pfring_read_metawatch_hw_timestamp(null_mut(), 64, time) => -2;
        capi::pfring_read_metawatch_hw_timestamp(packet, 64, null_mut()) => -2;
        capi::pfring_read_metawatch_device_info(null_mut(), 64, id, port) => -2;
        capi::pfring_read_metawatch_device_info(packet, 64, null_mut(), port) => -2;
        capi::pfring_read_metawatch_device_info(packet, 64, id, null_mut()) => -2;
        capi::pfring_read_vss_apcon_hw_timestamp(null_mut(), 64, time) => -2;
        capi::pfring_read_vss_apcon_hw_timestamp(packet, 64, null_mut()) => -2;
        capi::pfring_read_arista_7150_keyframe(null_mut(), 64, nanos, ticks) => -2;
        capi::pfring_read_arista_7150_keyframe(packet, 64, null_mut(), ticks) => -2;
        capi::pfring_read_arista_7150_keyframe(packet, 64, nanos, null_mut()) => -2;
        capi::pfring_read_arista_7150_hw_timestamp(null_mut(), 64, nanos) => -2;
        capi::pfring_read_arista_7150_hw_timestamp(packet, 64, null_mut()) => -2;
    }
    // Packets that are too short, down to none.
    for length in 0..4 {
        answers! {
            capi::pfring_read_ixia_hw_timestamp(packet, length, time) <= 0 => true;
            capi::pfring_read_metawatch_hw_timestamp(packet, length, time) <= 0 => true;
            capi::pfring_read_metawatch_device_info(packet, length, id, port) <= 0 => true;
            capi::pfring_read_vss_apcon_hw_timestamp(packet, length, time) <= 0 => true;
            capi::pfring_read_arista_7150_keyframe(packet, length, nanos, ticks) < 0 => true;
            capi::pfring_read_arista_7150_hw_timestamp(packet, length, nanos) <= 0 => true;
        }
    }
}

fn handling() {
    let mut packet = [0u8; 64];
    let packet = packet.as_mut_ptr();
    let mut header = pfring_pkthdr::zeroed();
    header.caplen = 64;
    header.len = 64;
    let whole = &raw mut header;
    answers! {
        capi::pfring_handle_ixia_hw_timestamp(null_mut(), whole) => -2;
        capi::pfring_handle_ixia_hw_timestamp(packet, null_mut()) => -2;
        capi::pfring_handle_metawatch_hw_timestamp(null_mut(), whole) => -2;
        capi::pfring_handle_metawatch_hw_timestamp(packet, null_mut()) => -2;
        capi::pfring_handle_arista_hw_timestamp(null_mut(), whole) => -2;
        capi::pfring_handle_arista_hw_timestamp(packet, null_mut()) => -2;
        capi::pfring_handle_vss_apcon_hw_timestamp(null_mut(), whole) => ();
        capi::pfring_handle_vss_apcon_hw_timestamp(packet, null_mut()) => ();
        capi::pfring_read_arista_7280_hw_timestamp(null_mut(), whole) => -2;
        capi::pfring_read_arista_7280_hw_timestamp(packet, null_mut()) => -2;
    }
    // A header of a packet without a byte, and of one that was cut: nothing is stripped.
    for (caplen, len) in [(0, 0), (3, 3), (40, 64)] {
        header.caplen = caplen;
        header.len = len;
        let header = &raw mut header;
        answers! {
            capi::pfring_handle_ixia_hw_timestamp(packet, header) <= 0 => true;
            capi::pfring_handle_metawatch_hw_timestamp(packet, header) <= 0 => true;
            capi::pfring_handle_arista_hw_timestamp(packet, header) <= 0 => true;
            capi::pfring_handle_vss_apcon_hw_timestamp(packet, header) => ();
            capi::pfring_read_arista_7280_hw_timestamp(packet, header) <= 0 => true;
            (*header).caplen => caplen;
            (*header).len => len;
        }
    }
}
