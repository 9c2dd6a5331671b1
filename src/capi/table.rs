//! The function pointers of the public struct. Some programs test them to learn what a ring can do, and
//! some call them; the library itself never does.

use super::*;
use crate::abi;
use crate::handle::Handle;

/// Fills the pointers of a ring that has just been opened: NULL for what it cannot do.
pub(super) fn fill(handle: &Handle) {
    // SAFETY: nobody else knows the handle yet.
    let ring = unsafe { &mut *handle.public() };
    fill_common(ring);
    if handle.has_interface() {
        fill_interface(ring);
        fill_card(ring, handle);
        if !handle.has_way_to_send() {
            ring.send = None;
        }
    }
}

/// What a capture file can do as well.
fn fill_common(ring: &mut abi::pfring) {
    ring.close = Some(pfring_close);
    ring.stats = Some(pfring_stats);
    ring.recv = Some(pfring_recv);
    ring.recv_burst = Some(pfring_recv_burst);
    ring.recv_chunk = Some(pfring_recv_chunk);
    ring.set_poll_watermark = Some(pfring_set_poll_watermark);
    ring.set_poll_watermark_timeout = Some(pfring_set_poll_watermark_timeout);
    ring.set_poll_duration = Some(pfring_set_poll_duration);
    ring.set_vlan_id = Some(pfring_set_vlan_id);
    ring.set_filtering_sampling_rate = Some(pfring_set_filtering_sampling_rate);
    ring.set_packet_slicing = Some(pfring_set_packet_slicing);
    ring.set_application_name = Some(pfring_set_application_name);
    ring.set_application_stats = Some(pfring_set_application_stats);
    ring.get_appl_stats_file_name = Some(pfring_get_appl_stats_file_name);
    ring.set_bound_dev_name = Some(pfring_set_bound_dev_name);
    ring.get_num_rx_channels = Some(pfring_get_num_rx_channels);
    ring.get_selectable_fd = Some(pfring_get_selectable_fd);
    ring.set_socket_mode = Some(pfring_set_socket_mode);
    ring.get_num_queued_pkts = Some(pfring_get_num_queued_pkts);
    ring.poll = Some(pfring_poll);
    ring.is_pkt_available = Some(pfring_is_pkt_available);
    ring.version = Some(pfring_version);
    ring.get_slot_header_len = Some(pfring_get_slot_header_len);
    ring.loopback_test = Some(pfring_loopback_test);
    ring.enable_ring = Some(pfring_enable_ring);
    ring.disable_ring = Some(pfring_disable_ring);
    ring.shutdown = Some(pfring_shutdown);
    ring.set_bpf_filter = Some(pfring_set_bpf_filter);
    ring.remove_bpf_filter = Some(pfring_remove_bpf_filter);
    ring.handle_hash_filtering_rule = Some(pfring_handle_hash_filtering_rule);
    ring.get_hash_filtering_rule_stats = Some(pfring_get_hash_filtering_rule_stats);
    ring.purge_idle_hash_rules = Some(pfring_purge_idle_hash_rules);
    ring.add_filtering_rule = Some(pfring_add_filtering_rule);
    ring.remove_filtering_rule = Some(pfring_remove_filtering_rule);
    ring.get_filtering_rule_stats = Some(pfring_get_filtering_rule_stats);
    ring.purge_idle_rules = Some(pfring_purge_idle_rules);
    ring.toggle_filtering_policy = Some(pfring_toggle_filtering_policy);
    ring.sync_indexes_with_kernel = Some(pfring_sync_indexes_with_kernel);
    ring.get_link_type = Some(pfring_get_link_type);
}

/// What takes an interface.
fn fill_interface(ring: &mut abi::pfring) {
    ring.set_direction = Some(pfring_set_direction);
    ring.enable_rss_rehash = Some(pfring_enable_rss_rehash);
    ring.set_channel_id = Some(pfring_set_channel_id);
    ring.set_channel_mask = Some(pfring_set_channel_mask);
    ring.bind = Some(pfring_bind);
    ring.remove_from_cluster = Some(pfring_remove_from_cluster);
    ring.send = Some(pfring_send);
    ring.flush_tx_packets = Some(flush_tx_packets);
    ring.get_card_settings = Some(pfring_get_card_settings);
    ring.get_bound_device_address = Some(pfring_get_bound_device_address);
    ring.get_bound_device_ifindex = Some(pfring_get_bound_device_ifindex);
    ring.get_device_ifindex = Some(pfring_get_device_ifindex);
    ring.get_interface_speed = Some(pfring_get_interface_speed);
}

/// What takes a card that can do it.
fn fill_card(ring: &mut abi::pfring, handle: &Handle) {
    if handle.has_card_clock() {
        ring.get_device_clock = Some(pfring_get_device_clock);
        ring.set_device_clock = Some(pfring_set_device_clock);
        ring.adjust_device_clock = Some(pfring_adjust_device_clock);
    }
    if handle.check_sent_stamps().is_ok() {
        ring.send_get_time = Some(pfring_send_get_time);
    }
    if handle.has_hw_rules() {
        ring.add_hw_rule = Some(pfring_add_hw_rule);
        ring.remove_hw_rule = Some(pfring_remove_hw_rule);
    }
}

/// The pointer for flushing answers nothing, the function does.
unsafe extern "C" fn flush_tx_packets(ring: *mut abi::pfring) {
    // SAFETY: the common contract.
    unsafe { pfring_flush_tx_packets(ring) };
}
