/*
 * Assigns every function of pfring.h to a pointer of its documented C type, so that a wrong
 * prototype does not compile, as C and as C++ alike. When it runs it shows, as TAP, that each of
 * them is there. The types are facts of the interface and are not made from our headers.
 *
 * With WITH_PCAP defined libpcap's header comes first; the filter functions then take its type.
 */
#ifdef WITH_PCAP
#include <pcap.h>
#define FILTER struct bpf_program
#else
#define FILTER struct pfring_bpf_program
#endif

#include <pfring.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#else
extern
#endif
int pfring_read_arista_7280_hw_timestamp(u_char *, struct pfring_pkthdr *);

typedef void (*any_function)(void);

struct entry {
  const char *name;
  any_function function;
};

#define ENTRY(name) {#name, (any_function)f_##name}

int main(void) {
  pfring *(*f_pfring_open)(const char *, u_int32_t, u_int32_t) = pfring_open;
  u_int8_t (*f_pfring_open_multichannel)(const char *, u_int32_t, u_int32_t, pfring **) =
      pfring_open_multichannel;
  void (*f_pfring_shutdown)(pfring *) = pfring_shutdown;
  void (*f_pfring_config)(u_short) = pfring_config;
  int (*f_pfring_loop)(pfring *, pfringProcesssPacket, const u_char *, u_int8_t) = pfring_loop;
  void (*f_pfring_breakloop)(pfring *) = pfring_breakloop;
  void (*f_pfring_close)(pfring *) = pfring_close;
  int (*f_pfring_stats)(pfring *, pfring_stat *) = pfring_stats;
  int (*f_pfring_recv)(pfring *, u_char **, u_int, struct pfring_pkthdr *, u_int8_t) = pfring_recv;
  int (*f_pfring_recv_burst)(pfring *, pfring_packet_info *, u_int8_t, u_int8_t) =
      pfring_recv_burst;
  int (*f_pfring_recv_parsed)(pfring *, u_char **, u_int, struct pfring_pkthdr *,
      u_int8_t, u_int8_t, u_int8_t, u_int8_t) =
      pfring_recv_parsed;
  int (*f_pfring_recv_flow)(pfring *, pfring_flow_update *, u_int8_t) = pfring_recv_flow;
  int (*f_pfring_get_metadata)(pfring *, u_char **, u_int32_t *) = pfring_get_metadata;
  int (*f_pfring_set_poll_watermark)(pfring *, u_int16_t) = pfring_set_poll_watermark;
  int (*f_pfring_set_poll_watermark_timeout)(pfring *, u_int16_t) =
      pfring_set_poll_watermark_timeout;
  int (*f_pfring_set_poll_duration)(pfring *, u_int) = pfring_set_poll_duration;
  int (*f_pfring_set_tx_watermark)(pfring *, u_int16_t) = pfring_set_tx_watermark;
  int (*f_pfring_set_default_hw_action)(pfring *, generic_default_action_type) =
      pfring_set_default_hw_action;
  int (*f_pfring_add_hw_rule)(pfring *, hw_filtering_rule *) = pfring_add_hw_rule;
  int (*f_pfring_remove_hw_rule)(pfring *, u_int16_t) = pfring_remove_hw_rule;
  int (*f_pfring_set_channel_id)(pfring *, u_int32_t) = pfring_set_channel_id;
  int (*f_pfring_set_channel_mask)(pfring *, u_int64_t) = pfring_set_channel_mask;
  int (*f_pfring_set_application_name)(pfring *, char *) = pfring_set_application_name;
  int (*f_pfring_set_application_stats)(pfring *, char *) = pfring_set_application_stats;
  char *(*f_pfring_get_appl_stats_file_name)(pfring *, char *, u_int) =
      pfring_get_appl_stats_file_name;
  int (*f_pfring_set_vlan_id)(pfring *, u_int16_t) = pfring_set_vlan_id;
  int (*f_pfring_bind)(pfring *, char *) = pfring_bind;
  int (*f_pfring_send)(pfring *, char *, u_int, u_int8_t) = pfring_send;
  int (*f_pfring_send_get_time)(pfring *, char *, u_int, struct timespec *) = pfring_send_get_time;
  u_int8_t (*f_pfring_get_num_rx_channels)(pfring *) = pfring_get_num_rx_channels;
  int (*f_pfring_set_sampling_rate)(pfring *, u_int32_t) = pfring_set_sampling_rate;
  int (*f_pfring_set_filtering_sampling_rate)(pfring *, u_int32_t) =
      pfring_set_filtering_sampling_rate;
  int (*f_pfring_set_packet_slicing)(pfring *, packet_slicing_level, u_int32_t) =
      pfring_set_packet_slicing;
  int (*f_pfring_get_selectable_fd)(pfring *) = pfring_get_selectable_fd;
  int (*f_pfring_set_direction)(pfring *, packet_direction) = pfring_set_direction;
  int (*f_pfring_set_socket_mode)(pfring *, socket_mode) = pfring_set_socket_mode;
  int (*f_pfring_set_cluster_consumer)(pfring *, u_int16_t, u_int16_t, cluster_type, u_int32_t) =
      pfring_set_cluster_consumer;
  int (*f_pfring_set_cluster)(pfring *, u_int, cluster_type) = pfring_set_cluster;
  int (*f_pfring_remove_from_cluster)(pfring *) = pfring_remove_from_cluster;
  int (*f_pfring_set_master_id)(pfring *, u_int32_t) = pfring_set_master_id;
  int (*f_pfring_set_master)(pfring *, pfring *) = pfring_set_master;
  u_int32_t (*f_pfring_get_ring_id)(pfring *) = pfring_get_ring_id;
  u_int32_t (*f_pfring_get_num_queued_pkts)(pfring *) = pfring_get_num_queued_pkts;
  int (*f_pfring_handle_hash_filtering_rule)(pfring *, hash_filtering_rule *, u_char) =
      pfring_handle_hash_filtering_rule;
  int (*f_pfring_add_filtering_rule)(pfring *, filtering_rule *) = pfring_add_filtering_rule;
  int (*f_pfring_remove_filtering_rule)(pfring *, u_int16_t) = pfring_remove_filtering_rule;
  int (*f_pfring_purge_idle_hash_rules)(pfring *, u_int16_t) = pfring_purge_idle_hash_rules;
  int (*f_pfring_purge_idle_rules)(pfring *, u_int16_t) = pfring_purge_idle_rules;
  int (*f_pfring_get_hash_filtering_rule_stats)(pfring *, hash_filtering_rule *, char *, u_int *) =
      pfring_get_hash_filtering_rule_stats;
  int (*f_pfring_get_filtering_rule_stats)(pfring *, u_int16_t, char *, u_int *) =
      pfring_get_filtering_rule_stats;
  int (*f_pfring_toggle_filtering_policy)(pfring *, u_int8_t) = pfring_toggle_filtering_policy;
  int (*f_pfring_enable_rss_rehash)(pfring *) = pfring_enable_rss_rehash;
  int (*f_pfring_poll)(pfring *, u_int) = pfring_poll;
  int (*f_pfring_is_pkt_available)(pfring *) = pfring_is_pkt_available;
  int (*f_pfring_next_pkt_time)(pfring *, struct timespec *) = pfring_next_pkt_time;
  int (*f_pfring_next_pkt_raw_timestamp)(pfring *, u_int64_t *) = pfring_next_pkt_raw_timestamp;
  void (*f_pfring_version_noring)(u_int32_t *) = pfring_version_noring;
  int (*f_pfring_version)(pfring *, u_int32_t *) = pfring_version;
  int (*f_pfring_set_reflector_device)(pfring *, char *) = pfring_set_reflector_device;
  int (*f_pfring_get_bound_device_address)(pfring *, u_char *) = pfring_get_bound_device_address;
  u_int16_t (*f_pfring_get_slot_header_len)(pfring *) = pfring_get_slot_header_len;
  int (*f_pfring_get_bound_device_ifindex)(pfring *, int *) = pfring_get_bound_device_ifindex;
  int (*f_pfring_get_device_ifindex)(pfring *, char *, int *) = pfring_get_device_ifindex;
  int (*f_pfring_set_virtual_device)(pfring *, virtual_filtering_device_info *) =
      pfring_set_virtual_device;
  int (*f_pfring_loopback_test)(pfring *, char *, u_int, u_int) = pfring_loopback_test;
  int (*f_pfring_enable_ring)(pfring *) = pfring_enable_ring;
  int (*f_pfring_disable_ring)(pfring *) = pfring_disable_ring;
  int (*f_pfring_set_bpf_filter)(pfring *, const char *) = pfring_set_bpf_filter;
  int (*f_pfring_remove_bpf_filter)(pfring *) = pfring_remove_bpf_filter;
  int (*f_pfring_set_filtering_mode)(pfring *, filtering_mode) = pfring_set_filtering_mode;
  int (*f_pfring_get_device_clock)(pfring *, struct timespec *) = pfring_get_device_clock;
  int (*f_pfring_set_device_clock)(pfring *, struct timespec *) = pfring_set_device_clock;
  int (*f_pfring_adjust_device_clock)(pfring *, struct timespec *, int8_t) =
      pfring_adjust_device_clock;
  void (*f_pfring_sync_indexes_with_kernel)(pfring *) = pfring_sync_indexes_with_kernel;
  int (*f_pfring_send_last_rx_packet)(pfring *, int) = pfring_send_last_rx_packet;
  int (*f_pfring_get_link_status)(pfring *) = pfring_get_link_status;
  int (*f_pfring_get_link_type)(pfring *) = pfring_get_link_type;
  int (*f_pfring_get_caplen)(pfring *) = pfring_get_caplen;
  int (*f_pfring_flush_tx_packets)(pfring *) = pfring_flush_tx_packets;
  int (*f_pfring_search_payload)(pfring *, char *) = pfring_search_payload;
  int (*f_pfring_parse_pkt)(u_char *, struct pfring_pkthdr *, u_int8_t, u_int8_t, u_int8_t) =
      pfring_parse_pkt;
  int (*f_pfring_set_if_promisc)(const char *, int) = pfring_set_if_promisc;
  int (*f_pfring_set_promisc)(pfring *, int) = pfring_set_promisc;
  char *(*f_pfring_format_numbers)(double, char *, u_int, u_int8_t) = pfring_format_numbers;
  int (*f_pfring_enable_hw_timestamp)(pfring *, char *, u_int8_t, u_int8_t) =
      pfring_enable_hw_timestamp;
  int (*f_pfring_get_mtu_size)(pfring *) = pfring_get_mtu_size;
  int (*f_pfring_get_card_settings)(pfring *, pfring_card_settings *) = pfring_get_card_settings;
  int (*f_pfring_print_parsed_pkt)(char *, u_int, const u_char *, const struct pfring_pkthdr *) =
      pfring_print_parsed_pkt;
  int (*f_pfring_print_pkt)(char *, u_int, const u_char *, u_int, u_int) = pfring_print_pkt;
  int (*f_pfring_recv_chunk)(pfring *, void **, pfring_chunk_info *, u_int8_t) = pfring_recv_chunk;
  int (*f_pfring_set_bound_dev_name)(pfring *, char *) = pfring_set_bound_dev_name;
  void (*f_pfring_enable_hw_timestamp_debug)(void) = pfring_enable_hw_timestamp_debug;
  int (*f_pfring_read_ixia_hw_timestamp)(u_char *, u_int32_t, struct timespec *) =
      pfring_read_ixia_hw_timestamp;
  int (*f_pfring_handle_ixia_hw_timestamp)(u_char *, struct pfring_pkthdr *) =
      pfring_handle_ixia_hw_timestamp;
  int (*f_pfring_read_metawatch_hw_timestamp)(u_char *, u_int32_t, struct timespec *) =
      pfring_read_metawatch_hw_timestamp;
  int (*f_pfring_read_metawatch_device_info)(u_char *, u_int32_t, u_int16_t *, u_int8_t *) =
      pfring_read_metawatch_device_info;
  int (*f_pfring_handle_metawatch_hw_timestamp)(u_char *, struct pfring_pkthdr *) =
      pfring_handle_metawatch_hw_timestamp;
  int (*f_pfring_read_arista_7150_keyframe)(u_char *, u_int32_t, u_int64_t *, u_int32_t *) =
      pfring_read_arista_7150_keyframe;
  int (*f_pfring_read_arista_7150_hw_timestamp)(u_char *, u_int32_t, u_int64_t *) =
      pfring_read_arista_7150_hw_timestamp;
  int (*f_pfring_handle_arista_hw_timestamp)(u_char *, struct pfring_pkthdr *) =
      pfring_handle_arista_hw_timestamp;
  int (*f_pfring_read_vss_apcon_hw_timestamp)(u_char *, u_int32_t, struct timespec *) =
      pfring_read_vss_apcon_hw_timestamp;
  void (*f_pfring_handle_vss_apcon_hw_timestamp)(u_char *, struct pfring_pkthdr *) =
      pfring_handle_vss_apcon_hw_timestamp;
  u_int32_t (*f_pfring_get_interface_speed)(pfring *) = pfring_get_interface_speed;
  u_int32_t (*f_pfring_get_ethtool_link_speed)(const char *) = pfring_get_ethtool_link_speed;
  pfring_if_t *(*f_pfring_findalldevs)(void) = pfring_findalldevs;
  void (*f_pfring_freealldevs)(pfring_if_t *) = pfring_freealldevs;
  int (*f_pfring_parse_bpf_filter)(const char *, u_int, FILTER *) = pfring_parse_bpf_filter;
  void (*f_pfring_free_bpf_filter)(FILTER *) = pfring_free_bpf_filter;
  u_int32_t (*f_pfring_bpf_filter)(void *, u_char *, u_int32_t, u_int32_t) = pfring_bpf_filter;
  int32_t (*f_gmt_to_local)(time_t) = gmt_to_local;
  void (*f_pfring_thirdparty_lib_init)(const char *, struct thirdparty_func *) =
      pfring_thirdparty_lib_init;
  int (*f_pfring_read_arista_7280_hw_timestamp)(u_char *, struct pfring_pkthdr *) =
      pfring_read_arista_7280_hw_timestamp;

  const struct entry all[] = {
      ENTRY(pfring_open),
      ENTRY(pfring_open_multichannel),
      ENTRY(pfring_shutdown),
      ENTRY(pfring_config),
      ENTRY(pfring_loop),
      ENTRY(pfring_breakloop),
      ENTRY(pfring_close),
      ENTRY(pfring_stats),
      ENTRY(pfring_recv),
      ENTRY(pfring_recv_burst),
      ENTRY(pfring_recv_parsed),
      ENTRY(pfring_recv_flow),
      ENTRY(pfring_get_metadata),
      ENTRY(pfring_set_poll_watermark),
      ENTRY(pfring_set_poll_watermark_timeout),
      ENTRY(pfring_set_poll_duration),
      ENTRY(pfring_set_tx_watermark),
      ENTRY(pfring_set_default_hw_action),
      ENTRY(pfring_add_hw_rule),
      ENTRY(pfring_remove_hw_rule),
      ENTRY(pfring_set_channel_id),
      ENTRY(pfring_set_channel_mask),
      ENTRY(pfring_set_application_name),
      ENTRY(pfring_set_application_stats),
      ENTRY(pfring_get_appl_stats_file_name),
      ENTRY(pfring_set_vlan_id),
      ENTRY(pfring_bind),
      ENTRY(pfring_send),
      ENTRY(pfring_send_get_time),
      ENTRY(pfring_get_num_rx_channels),
      ENTRY(pfring_set_sampling_rate),
      ENTRY(pfring_set_filtering_sampling_rate),
      ENTRY(pfring_set_packet_slicing),
      ENTRY(pfring_get_selectable_fd),
      ENTRY(pfring_set_direction),
      ENTRY(pfring_set_socket_mode),
      ENTRY(pfring_set_cluster_consumer),
      ENTRY(pfring_set_cluster),
      ENTRY(pfring_remove_from_cluster),
      ENTRY(pfring_set_master_id),
      ENTRY(pfring_set_master),
      ENTRY(pfring_get_ring_id),
      ENTRY(pfring_get_num_queued_pkts),
      ENTRY(pfring_handle_hash_filtering_rule),
      ENTRY(pfring_add_filtering_rule),
      ENTRY(pfring_remove_filtering_rule),
      ENTRY(pfring_purge_idle_hash_rules),
      ENTRY(pfring_purge_idle_rules),
      ENTRY(pfring_get_hash_filtering_rule_stats),
      ENTRY(pfring_get_filtering_rule_stats),
      ENTRY(pfring_toggle_filtering_policy),
      ENTRY(pfring_enable_rss_rehash),
      ENTRY(pfring_poll),
      ENTRY(pfring_is_pkt_available),
      ENTRY(pfring_next_pkt_time),
      ENTRY(pfring_next_pkt_raw_timestamp),
      ENTRY(pfring_version_noring),
      ENTRY(pfring_version),
      ENTRY(pfring_set_reflector_device),
      ENTRY(pfring_get_bound_device_address),
      ENTRY(pfring_get_slot_header_len),
      ENTRY(pfring_get_bound_device_ifindex),
      ENTRY(pfring_get_device_ifindex),
      ENTRY(pfring_set_virtual_device),
      ENTRY(pfring_loopback_test),
      ENTRY(pfring_enable_ring),
      ENTRY(pfring_disable_ring),
      ENTRY(pfring_set_bpf_filter),
      ENTRY(pfring_remove_bpf_filter),
      ENTRY(pfring_set_filtering_mode),
      ENTRY(pfring_get_device_clock),
      ENTRY(pfring_set_device_clock),
      ENTRY(pfring_adjust_device_clock),
      ENTRY(pfring_sync_indexes_with_kernel),
      ENTRY(pfring_send_last_rx_packet),
      ENTRY(pfring_get_link_status),
      ENTRY(pfring_get_link_type),
      ENTRY(pfring_get_caplen),
      ENTRY(pfring_flush_tx_packets),
      ENTRY(pfring_search_payload),
      ENTRY(pfring_parse_pkt),
      ENTRY(pfring_set_if_promisc),
      ENTRY(pfring_set_promisc),
      ENTRY(pfring_format_numbers),
      ENTRY(pfring_enable_hw_timestamp),
      ENTRY(pfring_get_mtu_size),
      ENTRY(pfring_get_card_settings),
      ENTRY(pfring_print_parsed_pkt),
      ENTRY(pfring_print_pkt),
      ENTRY(pfring_recv_chunk),
      ENTRY(pfring_set_bound_dev_name),
      ENTRY(pfring_enable_hw_timestamp_debug),
      ENTRY(pfring_read_ixia_hw_timestamp),
      ENTRY(pfring_handle_ixia_hw_timestamp),
      ENTRY(pfring_read_metawatch_hw_timestamp),
      ENTRY(pfring_read_metawatch_device_info),
      ENTRY(pfring_handle_metawatch_hw_timestamp),
      ENTRY(pfring_read_arista_7150_keyframe),
      ENTRY(pfring_read_arista_7150_hw_timestamp),
      ENTRY(pfring_handle_arista_hw_timestamp),
      ENTRY(pfring_read_vss_apcon_hw_timestamp),
      ENTRY(pfring_handle_vss_apcon_hw_timestamp),
      ENTRY(pfring_get_interface_speed),
      ENTRY(pfring_get_ethtool_link_speed),
      ENTRY(pfring_findalldevs),
      ENTRY(pfring_freealldevs),
      ENTRY(pfring_parse_bpf_filter),
      ENTRY(pfring_free_bpf_filter),
      ENTRY(pfring_bpf_filter),
      ENTRY(gmt_to_local),
      ENTRY(pfring_thirdparty_lib_init),
      ENTRY(pfring_read_arista_7280_hw_timestamp),
  };
  const unsigned int count = sizeof(all) / sizeof(all[0]);
  unsigned int i, missing = 0;

  printf("1..%u\n", count);
  for (i = 0; i < count; i++) {
    int there = all[i].function != 0;
    missing += !there;
    printf("%sok %u - %s\n", there ? "" : "not ", i + 1, all[i].name);
  }
  return missing != 0;
}
