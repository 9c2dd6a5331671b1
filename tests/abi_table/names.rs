//! The names of every public type, member, enumeration and constant. A name that the golden tables
//! know and that is missing here fails `abi_layout`, and the other way round.

use std::mem::{MaybeUninit, offset_of};

use ::pfring::abi::*;

use super::{Table, size_behind};

/// The packet header, and protocol headers.
#[rustfmt::skip]
pub fn add_header_types(table: &mut Table) {
    layout! { table;
        pkt_offset {
            eth_offset, vlan_offset, l3_offset, l4_offset, payload_offset
        }
        eth_vlan_hdr {
            h_vlan_id, h_proto
        }
        kcompact_ipv6_hdr {
            payload_len, nexthdr, hop_limit, saddr, daddr
        }
        kcompact_ipv6_opt_hdr {
            nexthdr, hdrlen, padding
        }
        gre_header {
            flags_and_version, proto
        }
        gtp_v1_hdr {
            flags, message_type, payload_len, teid
        }
        gtp_v1_opt_hdr {
            seq_num, npdu_num, next_ext_hdr
        }
        gtp_v1_ext_hdr {
            len
        }
        tunnel_info {
            tunnel_id, tunneled_dmac, tunneled_smac, tunneled_eth_type, tunneled_ip_version,
            tunneled_proto, tunneled_ip_src, tunneled_ip_dst, tunneled_l4_src_port,
            tunneled_l4_dst_port
        }
        mobile_ip_hdr {
            message_type, next_header, reserved
        }
        vxlan_hdr {
            flags, gdp, vni, res
        }
        pkt_parsing_info {
            dmac, smac, eth_type, vlan_id, qinq_vlan_id, ip_version, l3_proto, ip_tos, ip_src,
            ip_dst, l4_src_port, l4_dst_port, icmp_type, icmp_code, tcp, tcp.flags, tcp.seq_num,
            tcp.ack_num, tunnel, last_matched_rule_id, offset
        }
        pfring_extended_pkthdr {
            timestamp_ns, flags, rx_direction, port_id, device_id, if_index, pkt_hash, tx,
            tx.bounce_interface, tx.reserved, process, process.pid, parsed_pkt
        }
        pfring_pkthdr {
            ts, caplen, len, extended_hdr, extended_hdr.timestamp_ns, extended_hdr.flags,
            extended_hdr.rx_direction, extended_hdr.port_id, extended_hdr.device_id,
            extended_hdr.if_index, extended_hdr.pkt_hash, extended_hdr.tx,
            extended_hdr.tx.bounce_interface, extended_hdr.tx.reserved, extended_hdr.process,
            extended_hdr.process.pid, extended_hdr.parsed_pkt, extended_hdr.parsed_pkt.dmac,
            extended_hdr.parsed_pkt.smac, extended_hdr.parsed_pkt.eth_type,
            extended_hdr.parsed_pkt.vlan_id, extended_hdr.parsed_pkt.qinq_vlan_id,
            extended_hdr.parsed_pkt.ip_version, extended_hdr.parsed_pkt.l3_proto,
            extended_hdr.parsed_pkt.ip_tos, extended_hdr.parsed_pkt.ip_src,
            extended_hdr.parsed_pkt.ip_dst, extended_hdr.parsed_pkt.l4_src_port,
            extended_hdr.parsed_pkt.l4_dst_port, extended_hdr.parsed_pkt.icmp_type,
            extended_hdr.parsed_pkt.icmp_code, extended_hdr.parsed_pkt.tcp,
            extended_hdr.parsed_pkt.tcp.flags, extended_hdr.parsed_pkt.tcp.seq_num,
            extended_hdr.parsed_pkt.tcp.ack_num, extended_hdr.parsed_pkt.tunnel,
            extended_hdr.parsed_pkt.tunnel.tunnel_id, extended_hdr.parsed_pkt.tunnel.tunneled_dmac,
            extended_hdr.parsed_pkt.tunnel.tunneled_smac,
            extended_hdr.parsed_pkt.tunnel.tunneled_eth_type,
            extended_hdr.parsed_pkt.tunnel.tunneled_ip_version,
            extended_hdr.parsed_pkt.tunnel.tunneled_proto,
            extended_hdr.parsed_pkt.tunnel.tunneled_ip_src,
            extended_hdr.parsed_pkt.tunnel.tunneled_ip_dst,
            extended_hdr.parsed_pkt.tunnel.tunneled_l4_src_port,
            extended_hdr.parsed_pkt.tunnel.tunneled_l4_dst_port,
            extended_hdr.parsed_pkt.last_matched_rule_id, extended_hdr.parsed_pkt.offset,
            extended_hdr.parsed_pkt.offset.eth_offset, extended_hdr.parsed_pkt.offset.vlan_offset,
            extended_hdr.parsed_pkt.offset.l3_offset, extended_hdr.parsed_pkt.offset.l4_offset,
            extended_hdr.parsed_pkt.offset.payload_offset
        }
    }
}

/// Filter rules, and reports of hardware.
#[rustfmt::skip]
pub fn add_rule_types(table: &mut Table) {
    layout! { table;
        filtering_rule_core_fields {
            if_index, smac, dmac, vlan_id, eth_type, proto, shost, dhost, shost_mask, dhost_mask,
            sport_low, sport_high, dport_low, dport_high, tcp, tcp.flags
        }
        filtering_rule_extended_fields {
            optional_fields, tunnel, tunnel.tunnel_id, tunnel.shost, tunnel.dhost,
            tunnel.shost_mask, tunnel.dhost_mask, payload_pattern
        }
        filtering_internals {
            jiffies_last_match, reflector_dev
        }
        filtering_rule {
            rule_id, rule_action, balance_id, balance_pool, locked, bidirectional, core_fields,
            extended_fields, reflector_device_name, internals, core_fields.if_index,
            core_fields.smac, core_fields.dmac, core_fields.vlan_id, core_fields.eth_type,
            core_fields.proto, core_fields.shost, core_fields.dhost, core_fields.shost_mask,
            core_fields.dhost_mask, core_fields.sport_low, core_fields.sport_high,
            core_fields.dport_low, core_fields.dport_high, core_fields.tcp, core_fields.tcp.flags,
            extended_fields.optional_fields, extended_fields.tunnel,
            extended_fields.tunnel.tunnel_id, extended_fields.tunnel.shost,
            extended_fields.tunnel.dhost, extended_fields.tunnel.shost_mask,
            extended_fields.tunnel.dhost_mask, extended_fields.payload_pattern,
            internals.jiffies_last_match, internals.reflector_dev
        }
        intel_82599_five_tuple_filter_hw_rule {
            proto, s_addr, d_addr, s_port, d_port, queue_id
        }
        intel_82599_perfect_filter_hw_rule {
            vlan_id, proto, s_addr, d_addr, s_port, d_port, queue_id
        }
        silicom_redirector_hw_rule {
            rule_type, rule_port, rule_target_port, vlan_id_low, vlan_id_high, l3_proto, src_addr,
            dst_addr, src_mask, dst_mask, src_port_low, src_port_high, dst_port_low, dst_port_high
        }
        generic_flow_id_hw_rule {
            action, flow_id, thread
        }
        generic_flow_tuple_hw_rule {
            action, src_ip, dst_ip, src_ip_mask, dst_ip_mask, src_port, dst_port, vlan_id,
            ip_version, protocol, interface, queue_id, flow_id
        }
        hw_filtering_rule {
            rule_family_type, rule_id, priority, rule_family, rule_family.five_tuple_rule,
            rule_family.perfect_rule, rule_family.redirector_rule, rule_family.flow_id_rule,
            rule_family.flow_tuple_rule, rule_family.five_tuple_rule.proto,
            rule_family.five_tuple_rule.s_addr, rule_family.five_tuple_rule.d_addr,
            rule_family.five_tuple_rule.s_port, rule_family.five_tuple_rule.d_port,
            rule_family.five_tuple_rule.queue_id, rule_family.perfect_rule.vlan_id,
            rule_family.perfect_rule.proto, rule_family.perfect_rule.s_addr,
            rule_family.perfect_rule.d_addr, rule_family.perfect_rule.s_port,
            rule_family.perfect_rule.d_port, rule_family.perfect_rule.queue_id,
            rule_family.redirector_rule.rule_type, rule_family.redirector_rule.rule_port,
            rule_family.redirector_rule.rule_target_port, rule_family.redirector_rule.vlan_id_low,
            rule_family.redirector_rule.vlan_id_high, rule_family.redirector_rule.l3_proto,
            rule_family.redirector_rule.src_addr, rule_family.redirector_rule.dst_addr,
            rule_family.redirector_rule.src_mask, rule_family.redirector_rule.dst_mask,
            rule_family.redirector_rule.src_port_low, rule_family.redirector_rule.src_port_high,
            rule_family.redirector_rule.dst_port_low, rule_family.redirector_rule.dst_port_high,
            rule_family.flow_id_rule.action, rule_family.flow_id_rule.flow_id,
            rule_family.flow_id_rule.thread, rule_family.flow_tuple_rule.action,
            rule_family.flow_tuple_rule.src_ip, rule_family.flow_tuple_rule.dst_ip,
            rule_family.flow_tuple_rule.src_ip_mask, rule_family.flow_tuple_rule.dst_ip_mask,
            rule_family.flow_tuple_rule.src_port, rule_family.flow_tuple_rule.dst_port,
            rule_family.flow_tuple_rule.vlan_id, rule_family.flow_tuple_rule.ip_version,
            rule_family.flow_tuple_rule.protocol, rule_family.flow_tuple_rule.interface,
            rule_family.flow_tuple_rule.queue_id, rule_family.flow_tuple_rule.flow_id
        }
        pfring_timespec {
            tv_sec, tv_nsec
        }
        pfring_flow_update {
            flow_id, cause, reserved0, reserved1, flags_a, flags_b, packets_a, packets_b, bytes_a,
            bytes_b, last_seen
        }
        generic_flow_update {
            flow_id, ip_version, l4_protocol, tos, tcp_flags, src_ip, dst_ip, vlan_id,
            start_of_flow, reserved, src_port, dst_port, fwd_packets, rev_packets, fwd_bytes,
            rev_bytes, fwd_ts_first, fwd_ts_last, rev_ts_first, rev_ts_last
        }
        generic_flow_feedback {
            action, flow_id
        }
        hw_filtering_device_handler {
            five_tuple_handler, perfect_filter_handler
        }
        hash_filtering_rule {
            rule_id, vlan_id, ip_version, proto, host_peer_a, host_peer_b, port_peer_a, port_peer_b,
            rule_action, reflector_device_name, internals, internals.jiffies_last_match,
            internals.reflector_dev
        }
        hash_filtering_rule_stats {
            r#match, filtered, match_forward, inactivity
        }
        _sw_filtering_hash_bucket {
            rule, r#match, filtered, match_forward, next
        }
    }
}

/// What only the kernel module has a use for.
#[rustfmt::skip]
pub fn add_kernel_types(table: &mut Table) {
    layout! { table;
        flowSlotInfo {
            version, sample_rate, min_num_slots, slot_len, data_len, tot_mem, insert_off,
            kernel_remove_off, tot_pkts, tot_lost, tot_insert, kernel_tot_read, tot_fwd_ok,
            tot_fwd_notok, good_pkt_sent, pkt_send_error, padding, k_padding, tot_read, remove_off,
            u_padding
        }
        zc_dev_callbacks {
            wait_packet, usage_notification, set_time, adjust_time, get_tx_time, control_queue,
            get_stats
        }
        zc_dev_ring_info {
            packet_memory_num_slots, packet_memory_slot_len, descr_packet_memory_tot_len,
            registers_index, stats_index, vector, num_queues
        }
        zc_memory_info {
            rx, tx, phys_card_memory_len, device_model
        }
        zc_dev_info {
            mem_info, channel_id, rx_descr_packet_memory, tx_descr_packet_memory, phys_card_memory,
            dev, hwdev, device_address, packet_waitqueue, interrupt_received, in_use, rx_adapter,
            tx_adapter, callbacks
        }
        zc_dev_mapping {
            operation, device_name, channel_id, device_model
        }
        add_to_cluster {
            cluster_id, queue_id, options, the_type
        }
        virtual_filtering_device_info {
            device_name, device_type, proc_entry
        }
        create_cluster_referee_info {
            cluster_id, recovered
        }
        public_cluster_object_info {
            cluster_id, object_type, object_id
        }
        lock_cluster_object_info {
            cluster_id, object_type, object_id, lock_mask, reserved
        }
    }
}

/// What pfring.h declares.
#[rustfmt::skip]
pub fn add_ring_types(table: &mut Table) {
    layout! { table;
        pfring_card_settings {
            max_packet_size, rx_ring_slots, tx_ring_slots
        }
        pfring_stat {
            recv, drop, shunt
        }
        pfring_chunk_info {
            length, r#type
        }
        pfring_packet_info {
            data, ts, caplen, len, flags, hash
        }
        pfring_bpf_program {
            bf_len, bf_insns
        }
        pfring_if {
            name, system_name, module, module_version, sn, mac, bus_id, bus_id.slot, bus_id.bus,
            bus_id.device, bus_id.function, status, license, license_expiration, next
        }
        __pfring {
            initialized, enabled, long_header, force_timestamp, strip_hw_timestamp, disable_parsing,
            disable_timestamp, ixia_timestamp_enabled, vss_apcon_timestamp_enabled,
            chunk_mode_enabled, userspace_bpf, force_userspace_bpf, zc_device, is_shutting_down,
            socket_default_accept_policy, break_recv_loop_ext, rss_mode, direction, mode,
            userspace_bpf_filter, hw_ts, hw_ts.force_timestamp, hw_ts.is_silicom_hw_timestamp_card,
            hw_ts.enable_hw_timestamp, hw_ts.last_hw_timestamp_head_offset, hw_ts.last_hw_timestamp,
            tx, tx.enabled_rx_packet_send, tx.last_received_hdr, priv_data, close, stats, recv,
            set_poll_watermark, set_poll_watermark_timeout, set_poll_duration, set_tx_watermark,
            set_channel_id, set_channel_mask, set_application_name, set_application_stats,
            get_appl_stats_file_name, set_vlan_id, bind, send, send_get_time, get_num_rx_channels,
            get_card_settings, set_sampling_rate, set_filtering_sampling_rate, set_packet_slicing,
            get_selectable_fd, set_direction, set_socket_mode, set_cluster_consumer,
            remove_from_cluster, set_master_id, set_master, get_ring_id, get_num_queued_pkts,
            get_hash_filtering_rule_stats, handle_hash_filtering_rule, purge_idle_hash_rules,
            add_filtering_rule, remove_filtering_rule, purge_idle_rules, get_filtering_rule_stats,
            toggle_filtering_policy, enable_rss_rehash, poll, is_pkt_available, next_pkt_time,
            next_pkt_raw_timestamp, version, get_bound_device_address, get_bound_device_ifindex,
            get_device_ifindex, get_slot_header_len, set_virtual_device, set_default_hw_action,
            add_hw_rule, remove_hw_rule, loopback_test, enable_ring, disable_ring, shutdown,
            set_bpf_filter, remove_bpf_filter, get_device_clock, set_device_clock,
            adjust_device_clock, sync_indexes_with_kernel, send_last_rx_packet, flush_tx_packets,
            register_zerocopy_tx_ring, recv_chunk, recv_burst, recv_flow, set_bound_dev_name,
            get_metadata, get_interface_speed, get_link_type, rdi, rdi.device_id, rdi.port_id,
            filter_mode, ft_device_type, buffer, slots, device_name, flags, caplen, slot_header_len,
            mtu, sampling_rate, sampling_counter, sampling_rnd_shift, slicing_level,
            slicing_additional_bytes, fd, device_id, slots_info, poll_sleep, poll_duration, promisc,
            ft_enabled, reentrant, break_recv_loop, __padding, num_poll_calls, rx_lock, tx_lock, ft,
            sock_tx, reflector_socket, one_copy_rx_pfring, runtime_manager_thread
        }
        pfring_module_info {
            name, open, findalldevs
        }
        thirdparty_func {
            name, ptr
        }
    }
}

/// Enumerations.
#[rustfmt::skip]
pub fn add_enums(table: &mut Table) {
    enums! { table;
        cluster_client_type, cluster_type, filtering_mode, generic_default_action_type,
        generic_flow_rule_action_type, hw_filtering_rule_command, hw_filtering_rule_type,
        packet_direction, packet_slicing_level, pfring_chunk_type, pfring_device_type,
        pkt_detail_mode, pkt_header_len, rule_action_behaviour, silicom_redirector_rule_type,
        socket_mode, zc_dev_model, zc_dev_operation,
    }
}

/// Constants with a number for their value.
#[rustfmt::skip]
pub fn add_constants(table: &mut Table) {
    constants! { table;
        RING_VERSION_NUM, RING_FLOWSLOT_VERSION, RING_MAGIC_VALUE, MIN_NUM_SLOTS, DEFAULT_NUM_SLOTS,
        DEFAULT_BUCKET_LEN, MAX_NUM_DEVICES, MAX_NUM_RING_SOCKETS, MAX_CLUSTER_QUEUES,
        DEFAULT_MIN_PKT_QUEUED, DEFAULT_POLL_WATERMARK_TIMEOUT, FILTERING_SAMPLING_RATIO,
        SO_ADD_TO_CLUSTER, SO_REMOVE_FROM_CLUSTER, SO_SET_STRING, SO_ADD_FILTERING_RULE,
        SO_REMOVE_FILTERING_RULE, SO_TOGGLE_FILTER_POLICY, SO_SET_SAMPLING_RATE, SO_ACTIVATE_RING,
        SO_RING_BUCKET_LEN, SO_SET_CHANNEL_ID, SO_PURGE_IDLE_HASH_RULES, SO_SET_APPL_NAME,
        SO_SET_PACKET_DIRECTION, SO_SET_MASTER_RING, SO_ADD_HW_FILTERING_RULE,
        SO_DEL_HW_FILTERING_RULE, SO_DISCARD_INJECTED_PKTS, SO_DEACTIVATE_RING,
        SO_SET_POLL_WATERMARK, SO_SET_VIRTUAL_FILTERING_DEVICE, SO_REHASH_RSS_PACKET,
        SO_SET_FILTERING_SAMPLING_RATE, SO_SET_POLL_WATERMARK_TIMEOUT, SO_SET_DEV_TIME,
        SO_ADJ_DEV_TIME, SO_SHUTDOWN_RING, SO_PURGE_IDLE_RULES, SO_SET_SOCKET_MODE,
        SO_USE_SHORT_PKT_HEADER, SO_CONTROL_DEV_QUEUE, SO_ENABLE_RX_PACKET_BOUNCE,
        SO_SET_APPL_STATS, SO_SET_STACK_INJECTION_MODE, SO_CREATE_CLUSTER_REFEREE,
        SO_PUBLISH_CLUSTER_OBJECT, SO_LOCK_CLUSTER_OBJECT, SO_UNLOCK_CLUSTER_OBJECT,
        SO_SET_CUSTOM_BOUND_DEV_NAME, SO_SET_IFF_PROMISC, SO_SET_VLAN_ID, SO_GET_RING_VERSION,
        SO_GET_FILTERING_RULE_STATS, SO_GET_HASH_FILTERING_RULE_STATS, SO_GET_ZC_DEVICE_INFO,
        SO_GET_NUM_RX_CHANNELS, SO_GET_RING_ID, SO_GET_BPF_EXTENSIONS, SO_GET_BOUND_DEVICE_ADDRESS,
        SO_GET_NUM_QUEUED_PKTS, SO_GET_PKT_HEADER_LEN, SO_GET_LOOPBACK_TEST, SO_GET_BUCKET_LEN,
        SO_GET_DEVICE_TYPE, SO_GET_EXTRA_DMA_MEMORY, SO_GET_BOUND_DEVICE_IFINDEX,
        SO_GET_DEVICE_IFINDEX, SO_GET_APPL_STATS_FILE_NAME, SO_GET_LINK_STATUS, SO_GET_DEV_TX_TIME,
        SO_GET_DEV_STATS, SO_SELECT_ZC_DEVICE, PF_RING_ERROR_GENERIC,
        PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NO_PKT_AVAILABLE,
        PF_RING_ERROR_NO_TX_SLOT_AVAILABLE, PF_RING_ERROR_WRONG_CONFIGURATION,
        PF_RING_ERROR_END_OF_DEMO_MODE, PF_RING_ERROR_NOT_SUPPORTED,
        PF_RING_ERROR_INVALID_LIB_VERSION, PF_RING_ERROR_UNKNOWN_ADAPTER,
        PF_RING_ERROR_NOT_ENOUGH_MEMORY, PF_RING_ERROR_INVALID_STATUS,
        PF_RING_ERROR_RING_NOT_ENABLED, PF_RING_ERROR_BAD_IFNAME, PF_RING_ERROR_MOD_NOT_LOADED,
        PF_RING_ERROR_UNABLE_TO_MAP, PF_RING_ERROR_UNABLE_TO_GET_INFO, PF_RING_ERROR_MMAP_FAILURE,
        PF_RING_ERROR_INIT_FAILURE, REFLECTOR_NAME_LEN, ETH_ALEN, REFLECT_PACKET_DEVICE_NONE,
        NEXTHDR_HOP, NEXTHDR_IPV6, NEXTHDR_ROUTING, NEXTHDR_FRAGMENT, NEXTHDR_ESP, NEXTHDR_AUTH,
        NEXTHDR_NONE, NEXTHDR_DEST, NEXTHDR_MOBILITY, GRE_HEADER_CHECKSUM, GRE_HEADER_ROUTING,
        GRE_HEADER_KEY, GRE_HEADER_SEQ_NUM, GRE_HEADER_VERSION, GTP_SIGNALING_PORT, GTP_U_DATA_PORT,
        GTP_VERSION_1, GTP_VERSION_2, GTP_PROTOCOL_TYPE, GTP_FLAGS_VERSION, GTP_FLAGS_VERSION_SHIFT,
        GTP_FLAGS_PROTOCOL_TYPE, GTP_FLAGS_RESERVED, GTP_FLAGS_EXTENSION, GTP_FLAGS_SEQ_NUM,
        GTP_FLAGS_NPDU_NUM, GTP_EXT_HDR_LEN_UNIT_BYTES, NO_TUNNEL_ID, MOBILE_IP_PORT, VXLAN_IP_PORT,
        UNKNOWN_INTERFACE, FAKE_PACKET, PKT_FLAGS_CHECKSUM_OFFLOAD, PKT_FLAGS_CHECKSUM_OK,
        PKT_FLAGS_IP_MORE_FRAG, PKT_FLAGS_IP_FRAG_OFFSET, PKT_FLAGS_VLAN_HWACCEL,
        PKT_FLAGS_FLOW_HIT, PKT_FLAGS_FLOW_MISS, PKT_FLAGS_FLOW_UNHANDLED, MAX_NUM_LIST_ELEMENTS,
        FILTER_TUNNEL_ID_FLAG, FILTERING_RULE_AUTO_RULE_ID, MAGIC_HW_FILTERING_RULE_REQUEST,
        PF_RING_FLOW_UPDATE_CAUSE_SW, PF_RING_FLOW_UPDATE_CAUSE_TIMEOUT,
        PF_RING_FLOW_UPDATE_CAUSE_TCP_TERM, PF_RING_FLOW_UPDATE_CAUSE_PROBE,
        PF_RING_FLOW_UPDATE_CAUSE_UNKNOWN, DEFAULT_RING_HASH_SIZE, RING_MIN_SLOT_SIZE,
        RING_MAX_SLOT_SIZE, PF_RING, SOCK_RING, SIORINGPOLL, IFNAMSIZ, RING_ANY_CHANNEL,
        MAX_NUM_RX_CHANNELS, UNKNOWN_NUM_RX_CHANNELS, RING_ANY_VLAN, RING_NO_VLAN,
        MAX_CLUSTER_TYPE_ID, CLUSTER_OPTION_RELAXED_DISTRIBUTION, MAX_CAPLEN, PAGE_SIZE,
        DEFAULT_POLL_DURATION, POLL_SLEEP_STEP, POLL_SLEEP_MIN, POLL_SLEEP_MAX, POLL_QUEUE_MIN_LEN,
        PF_RING_ZC_SYMMETRIC_RSS, PF_RING_REENTRANT, PF_RING_LONG_HEADER, PF_RING_PROMISC,
        PF_RING_TIMESTAMP, PF_RING_HW_TIMESTAMP, PF_RING_RX_PACKET_BOUNCE, PF_RING_ZC_FIXED_RSS_Q_0,
        PF_RING_STRIP_HW_TIMESTAMP, PF_RING_DO_NOT_PARSE, PF_RING_DO_NOT_TIMESTAMP,
        PF_RING_CHUNK_MODE, PF_RING_IXIA_TIMESTAMP, PF_RING_USERSPACE_BPF,
        PF_RING_ZC_NOT_REPROGRAM_RSS, PF_RING_VSS_APCON_TIMESTAMP, PF_RING_ZC_IPONLY_RSS,
        PF_RING_FLOW_OFFLOAD, PF_RING_FLOW_OFFLOAD_NOUPDATES, PF_RING_KEEP_CRC,
        PF_RING_L7_FILTERING, PF_RING_DO_NOT_STRIP_FCS, PF_RING_TX_BPF, PF_RING_FLOW_OFFLOAD_TUNNEL,
        PF_RING_DISCARD_INJECTED_PKTS, PF_RING_ARISTA_TIMESTAMP, PF_RING_METAWATCH_TIMESTAMP,
        PF_RING_DNA_SYMMETRIC_RSS, PF_RING_DNA_FIXED_RSS_Q_0,
    }
}
