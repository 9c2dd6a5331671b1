/*
 * Every exported function with NULL: no crash, the documented answer, nothing on stdout.
 *
 * A NULL ring answers what upstream answers where it has an answer (PF_RING_ERROR_NOT_SUPPORTED
 * from most), and PF_RING_ERROR_INVALID_ARGUMENT where upstream crashes.
 */
#include <errno.h>

#include <pfring.h>
#include <pfring_wait.h>

#include "frames.h"
#include "functions.h"
#include "tap.h"

#define NOT_SUPPORTED PF_RING_ERROR_NOT_SUPPORTED
#define INVALID PF_RING_ERROR_INVALID_ARGUMENT

static const char *called[256];
static size_t called_count;

static void note_call(const char *name)
{
    if (called_count < sizeof(called) / sizeof(called[0]))
        called[called_count++] = name;
}

static int was_called(const char *name)
{
    size_t i;

    for (i = 0; i < called_count; i++)
        if (strcmp(called[i], name) == 0)
            return 1;
    return 0;
}

/* The value is known; only its sign is; it is no result at all. */
#define GIVES(want, name, ...) (note_call(#name), is_int(name(__VA_ARGS__), want, #name))
#define FAILS(name, ...) (note_call(#name), is_negative(name(__VA_ARGS__), #name))
#define NOTHING(name, ...) \
    (note_call(#name), ok(name(__VA_ARGS__) <= 0, "%s finds nothing", #name))
#define RETURNS(name, ...) (note_call(#name), name(__VA_ARGS__), ok(1, "%s returns", #name))
#define GIVES_NULL(name, ...) (note_call(#name), ok(name(__VA_ARGS__) == NULL, "%s gives NULL", #name))

static void null_ring_open(void)
{
    pfring *rings[64];

    errno = 0;
    GIVES_NULL(pfring_open, NULL, 1500, PF_RING_PROMISC);
    is_int(errno, EINVAL, "pfring_open sets errno");
    memset(rings, 0, sizeof(rings));
    GIVES(0, pfring_open_multichannel, NULL, 1500, 0, rings);
    RETURNS(pfring_shutdown, NULL);
    RETURNS(pfring_breakloop, NULL);
    RETURNS(pfring_close, NULL);
    FAILS(pfring_bind, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_enable_ring, NULL);
    GIVES(NOT_SUPPORTED, pfring_disable_ring, NULL);
    RETURNS(pfring_config, 0);
}

static void null_ring_receive(void)
{
    GIVES(INVALID, pfring_loop, NULL, NULL, NULL, 0);
    GIVES(INVALID, pfring_recv, NULL, NULL, 0, NULL, 0);
    GIVES(INVALID, pfring_recv_burst, NULL, NULL, 0, 0);
    GIVES(INVALID, pfring_recv_parsed, NULL, NULL, 0, NULL, 0, 4, 0, 0);
    GIVES(INVALID, pfring_recv_flow, NULL, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_recv_chunk, NULL, NULL, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_get_metadata, NULL, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_next_pkt_time, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_next_pkt_raw_timestamp, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_poll, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_is_pkt_available, NULL);
    FAILS(pfring_get_selectable_fd, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_poll_watermark, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_set_poll_watermark_timeout, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_set_poll_duration, NULL, 1);
    GIVES(0, pfring_get_num_queued_pkts, NULL);
    RETURNS(pfring_sync_indexes_with_kernel, NULL);
}

static void null_ring_send(void)
{
    GIVES(INVALID, pfring_send, NULL, NULL, 0, 0);
    GIVES(INVALID, pfring_send_get_time, NULL, NULL, 0, NULL);
    GIVES(NOT_SUPPORTED, pfring_send_last_rx_packet, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_flush_tx_packets, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_tx_watermark, NULL, 1);
    FAILS(pfring_set_reflector_device, NULL, NULL);
}

static void null_ring_settings(void)
{
    GIVES(NOT_SUPPORTED, pfring_set_channel_id, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_set_channel_mask, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_set_application_name, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_application_stats, NULL, NULL);
    GIVES_NULL(pfring_get_appl_stats_file_name, NULL, NULL, 0);
    GIVES(NOT_SUPPORTED, pfring_set_vlan_id, NULL, 0);
    FAILS(pfring_set_sampling_rate, NULL, 1);
    FAILS(pfring_set_filtering_sampling_rate, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_set_packet_slicing, NULL, FULL_PACKET_SLICING, 0);
    GIVES(NOT_SUPPORTED, pfring_set_direction, NULL, rx_only_direction);
    GIVES(NOT_SUPPORTED, pfring_set_socket_mode, NULL, recv_only_mode);
    GIVES(NOT_SUPPORTED, pfring_enable_rss_rehash, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_virtual_device, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_bound_dev_name, NULL, NULL);
    GIVES(INVALID, pfring_set_promisc, NULL, 1);
    GIVES(-3, pfring_set_if_promisc, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_set_cluster, NULL, 1, cluster_per_flow);
    GIVES(NOT_SUPPORTED, pfring_set_cluster_consumer, NULL, 1, 0, cluster_per_flow, 0);
    GIVES(NOT_SUPPORTED, pfring_remove_from_cluster, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_master, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_master_id, NULL, 1);
}

static void null_ring_filters(void)
{
    FAILS(pfring_handle_hash_filtering_rule, NULL, NULL, 1);
    FAILS(pfring_add_filtering_rule, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_remove_filtering_rule, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_purge_idle_hash_rules, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_purge_idle_rules, NULL, 1);
    GIVES(NOT_SUPPORTED, pfring_get_hash_filtering_rule_stats, NULL, NULL, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_get_filtering_rule_stats, NULL, 1, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_toggle_filtering_policy, NULL, 1);
    FAILS(pfring_set_filtering_mode, NULL, software_only);
    FAILS(pfring_search_payload, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_default_hw_action, NULL, default_pass);
    FAILS(pfring_add_hw_rule, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_remove_hw_rule, NULL, 1);
    GIVES(-1, pfring_set_bpf_filter, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_remove_bpf_filter, NULL);
    GIVES(-2, pfring_parse_bpf_filter, NULL, 1500, NULL);
    RETURNS(pfring_free_bpf_filter, NULL);
    GIVES(0, pfring_bpf_filter, NULL, NULL, 0, 0);
}

static void null_ring_facts(void)
{
    GIVES(NOT_SUPPORTED, pfring_stats, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_version, NULL, NULL);
    RETURNS(pfring_version_noring, NULL);
    GIVES(1, pfring_get_num_rx_channels, NULL);
    GIVES((u_int32_t)NOT_SUPPORTED, pfring_get_ring_id, NULL);
    GIVES((u_int16_t)NOT_SUPPORTED, pfring_get_slot_header_len, NULL);
    GIVES(NOT_SUPPORTED, pfring_get_bound_device_address, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_get_bound_device_ifindex, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_get_device_ifindex, NULL, NULL, NULL);
    GIVES(INVALID, pfring_get_link_status, NULL);
    FAILS(pfring_get_link_type, NULL);
    GIVES(INVALID, pfring_get_caplen, NULL);
    GIVES(INVALID, pfring_get_mtu_size, NULL);
    GIVES(INVALID, pfring_get_card_settings, NULL, NULL);
    GIVES(0, pfring_get_interface_speed, NULL);
    GIVES(0, pfring_get_ethtool_link_speed, NULL);
    GIVES(NOT_SUPPORTED, pfring_loopback_test, NULL, NULL, 0, 0);
    GIVES(NOT_SUPPORTED, pfring_get_device_clock, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_set_device_clock, NULL, NULL);
    GIVES(NOT_SUPPORTED, pfring_adjust_device_clock, NULL, NULL, 1);
    FAILS(pfring_enable_hw_timestamp, NULL, NULL, 1, 0);
}

static void null_ring_waiting(void)
{
    pfring_wait_stats stats;

    memset(&stats, 0x5a, sizeof(stats));
    GIVES(INVALID, pfring_wait_set_mode, NULL, NULL);
    GIVES(INVALID, pfring_wait_set_mode, NULL, "active");
    GIVES(INVALID, pfring_wait_get_stats, NULL, NULL);
    GIVES(INVALID, pfring_wait_get_stats, NULL, &stats);
    ok(stats.calls == 0x5a5a5a5a5a5a5a5aull, "no figures are written without a ring");
}

/* Functions that take no ring. */
static void null_helpers(void)
{
    pfring_if_t *devices = pfring_findalldevs();

    note_call("pfring_findalldevs");
    ok(devices != NULL, "pfring_findalldevs finds lo at least");
    RETURNS(pfring_freealldevs, devices);
    RETURNS(pfring_freealldevs, NULL);
    ok(gmt_to_local(0) > -86400 && gmt_to_local(0) < 86400, "gmt_to_local is less than a day");
    note_call("gmt_to_local");
    RETURNS(pfring_thirdparty_lib_init, NULL, NULL);

    FAILS(pfring_parse_pkt, NULL, NULL, 4, 0, 0);
    GIVES_NULL(pfring_format_numbers, 1.0, NULL, 0, 0);
    FAILS(pfring_print_parsed_pkt, NULL, 0, NULL, NULL);
    FAILS(pfring_print_pkt, NULL, 0, NULL, 0, 0);

    NOTHING(pfring_read_ixia_hw_timestamp, NULL, 0, NULL);
    NOTHING(pfring_handle_ixia_hw_timestamp, NULL, NULL);
    NOTHING(pfring_read_metawatch_hw_timestamp, NULL, 0, NULL);
    NOTHING(pfring_read_metawatch_device_info, NULL, 0, NULL, NULL);
    NOTHING(pfring_handle_metawatch_hw_timestamp, NULL, NULL);
    NOTHING(pfring_read_arista_7150_keyframe, NULL, 0, NULL, NULL);
    NOTHING(pfring_read_arista_7150_hw_timestamp, NULL, 0, NULL);
    NOTHING(pfring_handle_arista_hw_timestamp, NULL, NULL);
    NOTHING(pfring_read_vss_apcon_hw_timestamp, NULL, 0, NULL);
    RETURNS(pfring_handle_vss_apcon_hw_timestamp, NULL, NULL);
    RETURNS(pfring_enable_hw_timestamp_debug);
}

/* Exported, but not declared by upstream's header either. */
extern
#ifdef __cplusplus
    "C"
#endif
    int
    pfring_read_arista_7280_hw_timestamp(u_char *data, struct pfring_pkthdr *hdr);

static void all_were_called(void)
{
    int missing = 0;

#define CHECK(name)                                  \
    if (!was_called(#name)) {                        \
        diag("%s is not called by this test", #name); \
        missing++;                                   \
    }
    FUNCTIONS(CHECK)
#undef CHECK
    is_int(missing, 0, "every exported function was called");
}

int main(void)
{
    watch_stdout();
    alarm(60);
    null_ring_open();
    null_ring_receive();
    null_ring_send();
    null_ring_settings();
    null_ring_filters();
    null_ring_facts();
    null_ring_waiting();
    null_helpers();
    NOTHING(pfring_read_arista_7280_hw_timestamp, NULL, NULL);
    all_were_called();
    return done();
}
