/*
 * linux/pf_ring.h - packet header, filter rules, modes and return codes of libpfring 8.9.
 *
 * Generated from src/abi/ by "make headers": edit there, not here.
 */

#ifndef __RING_H
#define __RING_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/time.h>
#include <netinet/in.h>

#define RING_MAGIC
#define RING_USE_SOCKADDR_LL

/* The version that this interface follows, as text. */
#define RING_VERSION "8.9.0"

/* Bytes of a MAC address. */
#ifndef ETH_ALEN
#define ETH_ALEN 6
#endif

/* Bytes of an interface name, the zero included. */
#ifndef IFNAMSIZ
#define IFNAMSIZ 16
#endif

/* The IPv6 address ::. */
#ifndef IN6ADDR_ANY_INIT
#define IN6ADDR_ANY_INIT { { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } } }
#endif

/* Protocol numbers of IPv6 extension headers. */
#ifndef NEXTHDR_HOP
#define NEXTHDR_HOP 0
#endif
#ifndef NEXTHDR_IPV6
#define NEXTHDR_IPV6 41
#endif
#ifndef NEXTHDR_ROUTING
#define NEXTHDR_ROUTING 43
#endif
#ifndef NEXTHDR_FRAGMENT
#define NEXTHDR_FRAGMENT 44
#endif
#ifndef NEXTHDR_ESP
#define NEXTHDR_ESP 50
#endif
#ifndef NEXTHDR_AUTH
#define NEXTHDR_AUTH 51
#endif
#ifndef NEXTHDR_NONE
#define NEXTHDR_NONE 59
#endif
#ifndef NEXTHDR_DEST
#define NEXTHDR_DEST 60
#endif
#ifndef NEXTHDR_MOBILITY
#define NEXTHDR_MOBILITY 135
#endif

/* tunnel_id of a packet without a tunnel. */
#define NO_TUNNEL_ID 0xFFFFFFFF

/* Channel mask: all. */
#define RING_ANY_CHANNEL ((uint64_t)-1)

/* VLAN filter: all packets; untagged packets. */
#define RING_ANY_VLAN ((uint16_t)-1)
#define RING_NO_VLAN ((uint16_t)0)

/* Bytes of the smallest and the largest slot: header and a frame of 60 or 1514 bytes. */
#define RING_MIN_SLOT_SIZE (60 + sizeof(struct pfring_pkthdr))
#define RING_MAX_SLOT_SIZE (1514 + sizeof(struct pfring_pkthdr))

/* The smaller and the larger of two values; each may be evaluated twice. */
#ifndef __cplusplus
#ifndef min_val
#define min_val(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max_val
#define max_val(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif

/* Names that stand without a tag, too. */
typedef struct filtering_internals filtering_internals;
typedef struct filtering_rule filtering_rule;
typedef struct filtering_rule_core_fields filtering_rule_core_fields;
typedef struct filtering_rule_extended_fields filtering_rule_extended_fields;
typedef struct generic_flow_feedback generic_flow_feedback;
typedef struct generic_flow_id_hw_rule generic_flow_id_hw_rule;
typedef struct generic_flow_tuple_hw_rule generic_flow_tuple_hw_rule;
typedef struct generic_flow_update generic_flow_update;
typedef struct hash_filtering_rule hash_filtering_rule;
typedef struct hash_filtering_rule_stats hash_filtering_rule_stats;
typedef struct hw_filtering_device_handler hw_filtering_device_handler;
typedef struct hw_filtering_rule hw_filtering_rule;
typedef struct intel_82599_five_tuple_filter_hw_rule intel_82599_five_tuple_filter_hw_rule;
typedef struct intel_82599_perfect_filter_hw_rule intel_82599_perfect_filter_hw_rule;
typedef struct pfring_flow_update pfring_flow_update;
typedef struct silicom_redirector_hw_rule silicom_redirector_hw_rule;
typedef struct tunnel_info tunnel_info;
typedef struct virtual_filtering_device_info virtual_filtering_device_info;
typedef struct zc_dev_callbacks zc_dev_callbacks;
typedef struct zc_dev_info zc_dev_info;
typedef struct zc_dev_mapping zc_dev_mapping;
typedef struct zc_dev_ring_info zc_dev_ring_info;
typedef struct zc_memory_info zc_memory_info;
typedef union ip_addr ip_addr;


/**
 * The version that this interface follows, as 0x0MMmpp: 8.9.0.
 */
#define RING_VERSION_NUM 526592

/**
 * Version of the packet header layout.
 */
#define RING_FLOWSLOT_VERSION 21

/**
 * Filler byte of PF_RING's slots.
 */
#define RING_MAGIC_VALUE 136

/**
 * Fewest slots of a ring.
 */
#define MIN_NUM_SLOTS 512

/**
 * Slots of a ring unless set otherwise.
 */
#define DEFAULT_NUM_SLOTS 4096

/**
 * Bytes kept of a packet unless set otherwise.
 */
#define DEFAULT_BUCKET_LEN 128

/**
 * Most interfaces.
 */
#define MAX_NUM_DEVICES 256

/**
 * Most rings.
 */
#define MAX_NUM_RING_SOCKETS 512

/**
 * Queues of a cluster; as a queue number: the lowest free one.
 */
#define MAX_CLUSTER_QUEUES 64

/**
 * Packets that are queued before a sleeper is woken, unless set otherwise.
 */
#define DEFAULT_MIN_PKT_QUEUED 128

/**
 * Milliseconds after which fewer packets wake a sleeper too; 0 switches that off.
 */
#define DEFAULT_POLL_WATERMARK_TIMEOUT 0

/**
 * Factor of pfring_set_filtering_sampling_rate().
 */
#define FILTERING_SAMPLING_RATIO 10

/**
 * Most elements of a list.
 */
#define MAX_NUM_LIST_ELEMENTS 512

/**
 * Buckets of a hash rule table.
 */
#define DEFAULT_RING_HASH_SIZE 4096

/**
 * Bytes of reflector_device_name.
 */
#define REFLECTOR_NAME_LEN 8

/**
 * No reflector device.
 */
#define REFLECT_PACKET_DEVICE_NONE 0

/**
 * Protocol family.
 */
#define PF_RING 27

/**
 * Socket type.
 */
#define SOCK_RING 27

/**
 * Ioctl.
 */
#define SIORINGPOLL 34952

/**
 * Joins a cluster.
 */
#define SO_ADD_TO_CLUSTER 99

/**
 * Leaves a cluster.
 */
#define SO_REMOVE_FROM_CLUSTER 100

/**
 * Sets a string.
 */
#define SO_SET_STRING 101

/**
 * Adds a rule.
 */
#define SO_ADD_FILTERING_RULE 102

/**
 * Removes a rule.
 */
#define SO_REMOVE_FILTERING_RULE 103

/**
 * Sets the default policy.
 */
#define SO_TOGGLE_FILTER_POLICY 104

/**
 * Sets the sampling rate.
 */
#define SO_SET_SAMPLING_RATE 105

/**
 * Starts capture.
 */
#define SO_ACTIVATE_RING 106

/**
 * Sets the bytes kept of a packet.
 */
#define SO_RING_BUCKET_LEN 107

/**
 * Chooses channels.
 */
#define SO_SET_CHANNEL_ID 108

/**
 * Removes idle hash rules.
 */
#define SO_PURGE_IDLE_HASH_RULES 109

/**
 * Names the program.
 */
#define SO_SET_APPL_NAME 110

/**
 * Chooses a direction.
 */
#define SO_SET_PACKET_DIRECTION 111

/**
 * Shares the memory of a ring.
 */
#define SO_SET_MASTER_RING 112

/**
 * Adds a hardware rule.
 */
#define SO_ADD_HW_FILTERING_RULE 113

/**
 * Removes a hardware rule.
 */
#define SO_DEL_HW_FILTERING_RULE 114

/**
 * Hides injected packets.
 */
#define SO_DISCARD_INJECTED_PKTS 115

/**
 * Stops capture.
 */
#define SO_DEACTIVATE_RING 116

/**
 * Sets the watermark.
 */
#define SO_SET_POLL_WATERMARK 117

/**
 * Sets a virtual filtering device.
 */
#define SO_SET_VIRTUAL_FILTERING_DEVICE 118

/**
 * Spreads over channels by the packet hash.
 */
#define SO_REHASH_RSS_PACKET 119

/**
 * Sets the sampling rate of dropped packets.
 */
#define SO_SET_FILTERING_SAMPLING_RATE 120

/**
 * Sets the watermark timeout.
 */
#define SO_SET_POLL_WATERMARK_TIMEOUT 121

/**
 * Sets the clock of a card.
 */
#define SO_SET_DEV_TIME 122

/**
 * Adjusts the clock of a card.
 */
#define SO_ADJ_DEV_TIME 123

/**
 * Stops all waiting.
 */
#define SO_SHUTDOWN_RING 124

/**
 * Removes idle wildcard rules.
 */
#define SO_PURGE_IDLE_RULES 125

/**
 * Chooses a mode.
 */
#define SO_SET_SOCKET_MODE 126

/**
 * Asks for the short packet header.
 */
#define SO_USE_SHORT_PKT_HEADER 127

/**
 * Switches a device queue.
 */
#define SO_CONTROL_DEV_QUEUE 128

/**
 * Allows sending received packets on.
 */
#define SO_ENABLE_RX_PACKET_BOUNCE 131

/**
 * Stores a text of the program.
 */
#define SO_SET_APPL_STATS 133

/**
 * Sends to the host's own stack.
 */
#define SO_SET_STACK_INJECTION_MODE 134

/**
 * Makes a cluster referee.
 */
#define SO_CREATE_CLUSTER_REFEREE 135

/**
 * Publishes a cluster object.
 */
#define SO_PUBLISH_CLUSTER_OBJECT 136

/**
 * Locks a cluster object.
 */
#define SO_LOCK_CLUSTER_OBJECT 137

/**
 * Unlocks a cluster object.
 */
#define SO_UNLOCK_CLUSTER_OBJECT 138

/**
 * Sets the name shown for the interface.
 */
#define SO_SET_CUSTOM_BOUND_DEV_NAME 139

/**
 * Switches promiscuous mode.
 */
#define SO_SET_IFF_PROMISC 140

/**
 * Chooses a VLAN.
 */
#define SO_SET_VLAN_ID 141

/**
 * Tells the version.
 */
#define SO_GET_RING_VERSION 170

/**
 * Reads the counters of a wildcard rule.
 */
#define SO_GET_FILTERING_RULE_STATS 171

/**
 * Reads the counters of a hash rule.
 */
#define SO_GET_HASH_FILTERING_RULE_STATS 172

/**
 * Describes a zero-copy device.
 */
#define SO_GET_ZC_DEVICE_INFO 173

/**
 * Counts receive channels.
 */
#define SO_GET_NUM_RX_CHANNELS 174

/**
 * Tells the id of the ring.
 */
#define SO_GET_RING_ID 175

/**
 * Tells the filter extensions.
 */
#define SO_GET_BPF_EXTENSIONS 176

/**
 * Tells the MAC address.
 */
#define SO_GET_BOUND_DEVICE_ADDRESS 177

/**
 * Counts packets that wait to be read.
 */
#define SO_GET_NUM_QUEUED_PKTS 178

/**
 * Tells the length of the packet header.
 */
#define SO_GET_PKT_HEADER_LEN 179

/**
 * Tests the path to the kernel.
 */
#define SO_GET_LOOPBACK_TEST 180

/**
 * Tells the bytes kept of a packet.
 */
#define SO_GET_BUCKET_LEN 181

/**
 * Tells the kind of device.
 */
#define SO_GET_DEVICE_TYPE 182

/**
 * Allocates card memory.
 */
#define SO_GET_EXTRA_DMA_MEMORY 183

/**
 * Tells the interface index.
 */
#define SO_GET_BOUND_DEVICE_IFINDEX 184

/**
 * Tells the index of a named interface.
 */
#define SO_GET_DEVICE_IFINDEX 185

/**
 * Tells where the text of the program is.
 */
#define SO_GET_APPL_STATS_FILE_NAME 186

/**
 * Tells the link status.
 */
#define SO_GET_LINK_STATUS 187

/**
 * Tells the time of a transmission.
 */
#define SO_GET_DEV_TX_TIME 188

/**
 * Reads device counters.
 */
#define SO_GET_DEV_STATS 189

/**
 * Selects a zero-copy device.
 */
#define SO_SELECT_ZC_DEVICE 190

/**
 * Anything else; errno tells more.
 */
#define PF_RING_ERROR_GENERIC -1

/**
 * An argument is out of its range, or NULL.
 */
#define PF_RING_ERROR_INVALID_ARGUMENT -2

/**
 * No packet is there.
 */
#define PF_RING_ERROR_NO_PKT_AVAILABLE -3

/**
 * No room to send.
 */
#define PF_RING_ERROR_NO_TX_SLOT_AVAILABLE -4

/**
 * The ring was not set up for this.
 */
#define PF_RING_ERROR_WRONG_CONFIGURATION -5

/**
 * Never returned here.
 */
#define PF_RING_ERROR_END_OF_DEMO_MODE -6

/**
 * This ring cannot do it.
 */
#define PF_RING_ERROR_NOT_SUPPORTED -7

/**
 * Library and kernel differ. Never returned here.
 */
#define PF_RING_ERROR_INVALID_LIB_VERSION -8

/**
 * Unknown device.
 */
#define PF_RING_ERROR_UNKNOWN_ADAPTER -9

/**
 * Out of memory.
 */
#define PF_RING_ERROR_NOT_ENOUGH_MEMORY -10

/**
 * The ring cannot be used any more.
 */
#define PF_RING_ERROR_INVALID_STATUS -11

/**
 * pfring_enable_ring() has not been called.
 */
#define PF_RING_ERROR_RING_NOT_ENABLED -12

/**
 * Malformed interface name.
 */
#define PF_RING_ERROR_BAD_IFNAME -13

/**
 * A kernel part is missing.
 */
#define PF_RING_ERROR_MOD_NOT_LOADED -14

/**
 * Memory cannot be mapped.
 */
#define PF_RING_ERROR_UNABLE_TO_MAP -15

/**
 * Device information cannot be read.
 */
#define PF_RING_ERROR_UNABLE_TO_GET_INFO -16

/**
 * Ring memory cannot be mapped.
 */
#define PF_RING_ERROR_MMAP_FAILURE -17

/**
 * Set-up failed.
 */
#define PF_RING_ERROR_INIT_FAILURE -18

/**
 * if_index: not known.
 */
#define UNKNOWN_INTERFACE -1

/**
 * if_index: the packet was made up.
 */
#define FAKE_PACKET -2

/**
 * The checksum has not been filled in yet: hardware would have done it.
 */
#define PKT_FLAGS_CHECKSUM_OFFLOAD (1 << 0)

/**
 * The checksum was verified.
 */
#define PKT_FLAGS_CHECKSUM_OK (1 << 1)

/**
 * An IPv4 fragment that others follow.
 */
#define PKT_FLAGS_IP_MORE_FRAG (1 << 2)

/**
 * An IPv4 fragment that is not the first.
 */
#define PKT_FLAGS_IP_FRAG_OFFSET (1 << 3)

/**
 * The VLAN tag had been taken out of the packet and was put back.
 */
#define PKT_FLAGS_VLAN_HWACCEL (1 << 4)

/**
 * Hardware knows the flow.
 */
#define PKT_FLAGS_FLOW_HIT (1 << 5)

/**
 * Hardware does not know the flow.
 */
#define PKT_FLAGS_FLOW_MISS (1 << 6)

/**
 * Hardware does not follow flows of this kind.
 */
#define PKT_FLAGS_FLOW_UNHANDLED (1 << 7)

/**
 * optional_fields: tunnel_id counts.
 */
#define FILTER_TUNNEL_ID_FLAG (1 << 0)

/**
 * Rule id: none, or chosen by the library.
 */
#define FILTERING_RULE_AUTO_RULE_ID 65535

/**
 * Marks a hardware rule request.
 */
#define MAGIC_HW_FILTERING_RULE_REQUEST 687931424

/**
 * cause: asked for by software.
 */
#define PF_RING_FLOW_UPDATE_CAUSE_SW 0

/**
 * cause: the flow was idle.
 */
#define PF_RING_FLOW_UPDATE_CAUSE_TIMEOUT 1

/**
 * cause: the TCP connection ended.
 */
#define PF_RING_FLOW_UPDATE_CAUSE_TCP_TERM 2

/**
 * cause: periodic report.
 */
#define PF_RING_FLOW_UPDATE_CAUSE_PROBE 4

/**
 * cause: unknown.
 */
#define PF_RING_FLOW_UPDATE_CAUSE_UNKNOWN 5

/**
 * Most channels of an interface.
 */
#define MAX_NUM_RX_CHANNELS 64

/**
 * Number of channels when it is not known.
 */
#define UNKNOWN_NUM_RX_CHANNELS 1

/**
 * Highest cluster_type.
 */
#define MAX_CLUSTER_TYPE_ID 13

/**
 * A packet that its ring has no room for may go to another ring.
 */
#define CLUSTER_OPTION_RELAXED_DISTRIBUTION (1 << 0)

/**
 * GRE: checksum present.
 */
#define GRE_HEADER_CHECKSUM 32768

/**
 * GRE: routing present.
 */
#define GRE_HEADER_ROUTING 16384

/**
 * GRE: key present.
 */
#define GRE_HEADER_KEY 8192

/**
 * GRE: sequence number present.
 */
#define GRE_HEADER_SEQ_NUM 4096

/**
 * GRE: version.
 */
#define GRE_HEADER_VERSION 7

/**
 * UDP port of GTP-C.
 */
#define GTP_SIGNALING_PORT 2123

/**
 * UDP port of GTP-U.
 */
#define GTP_U_DATA_PORT 2152

/**
 * GTP version 1.
 */
#define GTP_VERSION_1 1

/**
 * GTP version 2.
 */
#define GTP_VERSION_2 2

/**
 * GTP, as against GTP prime.
 */
#define GTP_PROTOCOL_TYPE 1

/**
 * GTP flags: version.
 */
#define GTP_FLAGS_VERSION 224

/**
 * GTP flags: place of the version.
 */
#define GTP_FLAGS_VERSION_SHIFT 5

/**
 * GTP flags: protocol type.
 */
#define GTP_FLAGS_PROTOCOL_TYPE 16

/**
 * GTP flags: reserved.
 */
#define GTP_FLAGS_RESERVED 8

/**
 * GTP flags: extension header present.
 */
#define GTP_FLAGS_EXTENSION 4

/**
 * GTP flags: sequence number present.
 */
#define GTP_FLAGS_SEQ_NUM 2

/**
 * GTP flags: N-PDU number present.
 */
#define GTP_FLAGS_NPDU_NUM 1

/**
 * Unit of a GTP extension header's length.
 */
#define GTP_EXT_HDR_LEN_UNIT_BYTES 4

/**
 * UDP port of Mobile IP.
 */
#define MOBILE_IP_PORT 434

/**
 * UDP port of VXLAN.
 */
#define VXLAN_IP_PORT 4789

/**
 * Which part of struct pfring_pkthdr a ring fills.
 */
enum pkt_header_len {
  /**
   * All of it, parsed_pkt too.
   */
  long_pkt_header = 0,
  /**
   * Up to extended_hdr.pkt_hash: the first 48 bytes.
   */
  short_pkt_header = 1,
};

/**
 * Which packets a ring delivers.
 */
enum packet_direction {
  /**
   * Received and sent ones.
   */
  rx_and_tx_direction = 0,
  /**
   * Received ones.
   */
  rx_only_direction = 1,
  /**
   * Sent ones.
   */
  tx_only_direction = 2,
};

/**
 * What a ring is used for.
 */
enum socket_mode {
  /**
   * Sending and receiving.
   */
  send_and_recv_mode = 0,
  /**
   * Sending; receiving is refused.
   */
  send_only_mode = 1,
  /**
   * Receiving; sending is refused.
   */
  recv_only_mode = 2,
  /**
   * Neither: asking for counters and settings.
   */
  management_only_mode = 3,
};

/**
 * How much detail a flow export holds.
 */
enum pkt_detail_mode {
  /**
   * A record for each flow.
   */
  pkt_detail_flow = 0,
  /**
   * Flows added up.
   */
  pkt_detail_aggregation = 1,
};

/**
 * How a cluster spreads packets over its rings. The hash is a sum, equal for both directions;
 * without a hashable header the packet goes to queue 0.
 */
enum cluster_type {
  /**
   * By addresses, ports and protocol.
   */
  cluster_per_flow = 0,
  /**
   * In turn.
   */
  cluster_round_robin = 1,
  /**
   * By addresses.
   */
  cluster_per_flow_2_tuple = 2,
  /**
   * By addresses and ports.
   */
  cluster_per_flow_4_tuple = 3,
  /**
   * By addresses, ports and protocol.
   */
  cluster_per_flow_5_tuple = 4,
  /**
   * TCP by addresses, ports and protocol; anything else by addresses.
   */
  cluster_per_flow_tcp_5_tuple = 5,
  /**
   * As cluster_per_flow, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow = 6,
  /**
   * As cluster_per_flow_2_tuple, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow_2_tuple = 7,
  /**
   * As cluster_per_flow_4_tuple, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow_4_tuple = 8,
  /**
   * As cluster_per_flow_5_tuple, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow_5_tuple = 9,
  /**
   * As cluster_per_flow_tcp_5_tuple, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow_tcp_5_tuple = 10,
  /**
   * IP by addresses, ports and protocol; anything else by MAC addresses.
   */
  cluster_per_flow_ip_5_tuple = 11,
  /**
   * As cluster_per_flow_ip_5_tuple, on the inner headers of a tunnel.
   */
  cluster_per_inner_flow_ip_5_tuple = 12,
  /**
   * By source address and by destination address: a copy to each of the two rings if they
   * differ.
   */
  cluster_per_flow_ip_with_dup_tuple = 13,
};

/**
 * Role of a program in a cluster.
 */
enum cluster_client_type {
  /**
   * Reads packets.
   */
  cluster_slave = 0,
  /**
   * Spreads packets.
   */
  cluster_master = 1,
};

/**
 * Kind of network device.
 */
enum pfring_device_type {
  /**
   * Any.
   */
  standard_nic_family = 0,
  /**
   * Intel 82599.
   */
  intel_82599_family = 1,
};

/**
 * What happens to a packet that a rule matches.
 */
enum rule_action_behaviour {
  /**
   * Deliver it; no further rule is looked at.
   */
  forward_packet_and_stop_rule_evaluation = 0,
  /**
   * Drop it; no further rule is looked at.
   */
  dont_forward_packet_and_stop_rule_evaluation = 1,
  /**
   * Decide nothing and go on with the next rule.
   */
  execute_action_and_continue_rule_evaluation = 2,
  /**
   * Keep the verdict reached so far; no further rule is looked at.
   */
  execute_action_and_stop_rule_evaluation = 3,
  /**
   * Deliver it and add a hash rule for its flow.
   */
  forward_packet_add_rule_and_stop_rule_evaluation = 4,
  /**
   * Send it on the reflector device, do not deliver it.
   */
  reflect_packet_and_stop_rule_evaluation = 5,
  /**
   * Send it on the reflector device and go on with the next rule.
   */
  reflect_packet_and_continue_rule_evaluation = 6,
  /**
   * As reflect, with source and destination MAC address swapped; do not deliver it.
   */
  bounce_packet_and_stop_rule_evaluation = 7,
  /**
   * As reflect, with source and destination MAC address swapped; go on with the next rule.
   */
  bounce_packet_and_continue_rule_evaluation = 8,
};

/**
 * What a Silicom redirector does with a packet.
 */
enum silicom_redirector_rule_type {
  /**
   * Drop it.
   */
  drop_rule = 0,
  /**
   * Send it to the target port.
   */
  redirect_rule = 1,
  /**
   * Copy it to the target port.
   */
  mirror_rule = 2,
};

/**
 * What hardware does with a packet that no rule matches.
 */
enum generic_default_action_type {
  /**
   * Pass it.
   */
  default_pass = 0,
  /**
   * Drop it.
   */
  default_drop = 1,
};

/**
 * What hardware does with the packets of a flow.
 */
enum generic_flow_rule_action_type {
  /**
   * Drop them.
   */
  flow_drop_rule = 0,
  /**
   * Mark them.
   */
  flow_mark_rule = 1,
  /**
   * Pass them.
   */
  flow_pass_rule = 2,
  /**
   * Steer them to a port or queue.
   */
  flow_steer_rule = 3,
  /**
   * Forget the flow.
   */
  flow_unlearn_rule = 4,
};

/**
 * Which member of hw_filtering_rule.rule_family counts.
 */
enum hw_filtering_rule_type {
  /**
   * five_tuple_rule.
   */
  intel_82599_five_tuple_rule = 0,
  /**
   * perfect_rule.
   */
  intel_82599_perfect_filter_rule = 1,
  /**
   * redirector_rule.
   */
  silicom_redirector_rule = 2,
  /**
   * flow_id_rule.
   */
  generic_flow_id_rule = 3,
  /**
   * flow_tuple_rule.
   */
  generic_flow_tuple_rule = 4,
};

/**
 * What to do with a hardware rule.
 */
enum hw_filtering_rule_command {
  /**
   * Add it.
   */
  add_hw_rule = 0,
  /**
   * Remove it.
   */
  remove_hw_rule = 1,
};

/**
 * What happens to a zero-copy device mapping.
 */
enum zc_dev_operation {
  /**
   * It is added.
   */
  add_device_mapping = 0,
  /**
   * It is removed.
   */
  remove_device_mapping = 1,
};

/**
 * Family of a zero-copy device.
 */
enum zc_dev_model {
  /**
   * Intel e1000e.
   */
  intel_e1000e = 0,
  /**
   * Intel igb.
   */
  intel_igb = 1,
  /**
   * Intel ixgbe.
   */
  intel_ixgbe = 2,
  /**
   * Intel 82598.
   */
  intel_ixgbe_82598 = 3,
  /**
   * Intel 82599.
   */
  intel_ixgbe_82599 = 4,
  /**
   * Intel 82580.
   */
  intel_igb_82580 = 5,
  /**
   * Intel e1000.
   */
  intel_e1000 = 6,
  /**
   * Intel 82599 with time stamps.
   */
  intel_ixgbe_82599_ts = 7,
  /**
   * Intel i40e.
   */
  intel_i40e = 8,
  /**
   * Intel ixgbe, virtual function.
   */
  intel_ixgbe_vf = 9,
  /**
   * Intel X550.
   */
  intel_ixgbe_x550 = 10,
  /**
   * Intel ice.
   */
  intel_ice = 11,
  /**
   * Intel i40e, virtual function.
   */
  intel_i40e_vf = 12,
};

/**
 * An IP address. Which member counts stands elsewhere, in a field called ip_version.
 */
union ip_addr {
  /**
   * IPv6, network byte order.
   */
  struct in6_addr v6;
  /**
   * IPv4, host byte order.
   */
  uint32_t v4;
};

/**
 * Where each header starts, in bytes from the first byte of the packet. A value that does not
 * apply is 0.
 */
struct __attribute__((packed)) pkt_offset {
  /**
   * Ethernet header; 0 unless the capture source puts something before it.
   */
  int16_t eth_offset;
  /**
   * Last VLAN tag, or 0 when the packet carries none.
   */
  int16_t vlan_offset;
  /**
   * Network header.
   */
  int16_t l3_offset;
  /**
   * Transport header.
   */
  int16_t l4_offset;
  /**
   * First byte after the transport header.
   */
  int16_t payload_offset;
};

/**
 * What was found inside a tunnel. Addresses and ports are those of the inner packet.
 */
struct __attribute__((packed)) tunnel_info {
  /**
   * GTP TEID, GRE key or VXLAN VNI in host byte order; NO_TUNNEL_ID when there is none.
   */
  uint32_t tunnel_id;
  /**
   * Inner destination MAC address (VXLAN), else zero.
   */
  uint8_t tunneled_dmac[6];
  /**
   * Inner source MAC address (VXLAN), else zero.
   */
  uint8_t tunneled_smac[6];
  /**
   * Inner EtherType, host byte order.
   */
  uint16_t tunneled_eth_type;
  /**
   * Inner IP version, 4 or 6; 0 when there is no inner IP packet.
   */
  uint8_t tunneled_ip_version;
  /**
   * Inner transport protocol number.
   */
  uint8_t tunneled_proto;
  /**
   * Inner source address.
   */
  ip_addr tunneled_ip_src;
  /**
   * Inner destination address.
   */
  ip_addr tunneled_ip_dst;
  /**
   * Inner source port, host byte order.
   */
  uint16_t tunneled_l4_src_port;
  /**
   * Inner destination port, host byte order.
   */
  uint16_t tunneled_l4_dst_port;
};

/**
 * The TCP part of struct pkt_parsing_info. Natural alignment: 12 bytes.
 */
struct __pfring_pkt_parsing_info_tcp {
  /**
   * TCP flags, FIN in bit 0.
   */
  uint8_t flags;
  /**
   * Sequence number.
   */
  uint32_t seq_num;
  /**
   * Acknowledgement number.
   */
  uint32_t ack_num;
};

/**
 * What the parser learnt of a packet. Numbers are in host byte order, IPv6 addresses and MAC
 * addresses as on the wire.
 */
struct __attribute__((packed)) pkt_parsing_info {
  /**
   * Destination MAC address.
   */
  uint8_t dmac[6];
  /**
   * Source MAC address.
   */
  uint8_t smac[6];
  /**
   * EtherType, after the VLAN tags.
   */
  uint16_t eth_type;
  /**
   * Id of the outermost VLAN tag, 0 when there is none.
   */
  uint16_t vlan_id;
  /**
   * Id of the second VLAN tag, 0 when there is none.
   */
  uint16_t qinq_vlan_id;
  /**
   * 4 or 6; 0 for anything else.
   */
  uint8_t ip_version;
  /**
   * Protocol number of the transport header.
   */
  uint8_t l3_proto;
  /**
   * IPv4 type of service, or IPv6 traffic class.
   */
  uint8_t ip_tos;
  /**
   * Source address.
   */
  ip_addr ip_src;
  /**
   * Destination address.
   */
  ip_addr ip_dst;
  /**
   * Source port.
   */
  uint16_t l4_src_port;
  /**
   * Destination port.
   */
  uint16_t l4_dst_port;
  /**
   * ICMP type.
   */
  uint8_t icmp_type;
  /**
   * ICMP code.
   */
  uint8_t icmp_code;
  /**
   * TCP facts.
   */
  struct __pfring_pkt_parsing_info_tcp tcp;
  /**
   * The inner packet.
   */
  struct tunnel_info tunnel;
  /**
   * Id of the last wildcard rule that matched; FILTERING_RULE_AUTO_RULE_ID when none did.
   */
  int32_t last_matched_rule_id;
  /**
   * Where the headers start.
   */
  struct pkt_offset offset;
};

/**
 * The tx part of struct pfring_extended_pkthdr. Natural alignment: 16 bytes.
 */
struct __pfring_pfring_extended_pkthdr_tx {
  /**
   * Index of the interface to send the packet to.
   */
  int32_t bounce_interface;
  /**
   * Unused.
   */
  struct sk_buff *reserved;
};

/**
 * The process part of struct pfring_extended_pkthdr.
 */
struct __pfring_pfring_extended_pkthdr_process {
  /**
   * Process id, 0 when unknown.
   */
  uint32_t pid;
};

/**
 * What PF_RING adds to the classic packet header.
 */
struct __attribute__((packed)) pfring_extended_pkthdr {
  /**
   * Arrival time in nanoseconds since 1970-01-01 00:00 UTC; 0 when the source has none.
   */
  uint64_t timestamp_ns;
  /**
   * PKT_FLAGS_* bits.
   */
  uint32_t flags;
  /**
   * 1 for a received packet, 0 for a sent one.
   */
  uint8_t rx_direction;
  /**
   * Port of the device that stamped the packet (MetaWatch), else 0.
   */
  uint8_t port_id;
  /**
   * Id of the device that stamped the packet (MetaWatch), else 0.
   */
  uint16_t device_id;
  /**
   * Index of the interface that the packet crossed; UNKNOWN_INTERFACE or FAKE_PACKET are
   * possible.
   */
  int32_t if_index;
  /**
   * Flow hash, equal for both directions.
   */
  uint32_t pkt_hash;
  /**
   * For sending the packet on. In the long header only.
   */
  struct __pfring_pfring_extended_pkthdr_tx tx;
  /**
   * For packets that belong to a process. In the long header only.
   */
  struct __pfring_pfring_extended_pkthdr_process process;
  /**
   * What the parser learnt. In the long header only.
   */
  struct pkt_parsing_info parsed_pkt;
};

/**
 * The header that comes with each packet. Its first 24 bytes are those of struct pcap_pkthdr.
 */
struct __attribute__((packed)) pfring_pkthdr {
  /**
   * Arrival time, microseconds.
   */
  struct timeval ts;
  /**
   * Bytes present.
   */
  uint32_t caplen;
  /**
   * Bytes on the wire, VLAN tags included, frame check sequence not.
   */
  uint32_t len;
  /**
   * The rest.
   */
  struct pfring_extended_pkthdr extended_hdr;
};

/**
 * Argument of SO_ADD_TO_CLUSTER.
 */
struct __attribute__((packed)) add_to_cluster {
  /**
   * Id of the cluster.
   */
  uint16_t cluster_id;
  /**
   * Queue to take; MAX_CLUSTER_QUEUES for the lowest free one.
   */
  uint16_t queue_id;
  /**
   * CLUSTER_OPTION_* bits.
   */
  uint32_t options;
  /**
   * How packets are spread.
   */
  enum cluster_type the_type;
};

/**
 * Argument of SO_CREATE_CLUSTER_REFEREE. Unused here.
 */
struct __attribute__((packed)) create_cluster_referee_info {
  /**
   * Id of the cluster.
   */
  uint32_t cluster_id;
  /**
   * 1 if the referee existed before.
   */
  uint32_t recovered;
};

/**
 * Argument of SO_PUBLISH_CLUSTER_OBJECT. Unused here.
 */
struct __attribute__((packed)) public_cluster_object_info {
  /**
   * Id of the cluster.
   */
  uint32_t cluster_id;
  /**
   * Kind of object.
   */
  uint32_t object_type;
  /**
   * Id of the object.
   */
  uint32_t object_id;
};

/**
 * Argument of SO_LOCK_CLUSTER_OBJECT. Unused here.
 */
struct __attribute__((packed)) lock_cluster_object_info {
  /**
   * Id of the cluster.
   */
  uint32_t cluster_id;
  /**
   * Kind of object.
   */
  uint32_t object_type;
  /**
   * Id of the object.
   */
  uint32_t object_id;
  /**
   * Which locks to take.
   */
  uint32_t lock_mask;
  /**
   * Unused.
   */
  uint32_t reserved;
};

/**
 * Names a device that filters in hardware. Unused here.
 */
struct __attribute__((packed)) virtual_filtering_device_info {
  /**
   * Name of the device.
   */
  char device_name[16];
  /**
   * Kind of device.
   */
  enum pfring_device_type device_type;
  /**
   * Kernel side.
   */
  struct proc_dir_entry *proc_entry;
};

/**
 * The tcp part of filtering_rule_core_fields.
 */
struct __pfring_filtering_rule_core_fields_tcp {
  /**
   * TCP flags that must be exactly these; 0 for any.
   */
  uint8_t flags;
};

/**
 * What a wildcard rule compares. 0 means any value; addresses (IPv4) and ports are in host byte
 * order.
 */
struct __attribute__((packed)) filtering_rule_core_fields {
  /**
   * Index of the interface.
   */
  int32_t if_index;
  /**
   * Source MAC address.
   */
  uint8_t smac[6];
  /**
   * Destination MAC address.
   */
  uint8_t dmac[6];
  /**
   * Outer VLAN id.
   */
  uint16_t vlan_id;
  /**
   * EtherType.
   */
  uint16_t eth_type;
  /**
   * Transport protocol number.
   */
  uint8_t proto;
  /**
   * Source address.
   */
  ip_addr shost;
  /**
   * Destination address.
   */
  ip_addr dhost;
  /**
   * Bits of the source address that count.
   */
  ip_addr shost_mask;
  /**
   * Bits of the destination address that count.
   */
  ip_addr dhost_mask;
  /**
   * Lowest source port; not looked at while sport_high is 0.
   */
  uint16_t sport_low;
  /**
   * Highest source port; 0 means any port.
   */
  uint16_t sport_high;
  /**
   * Lowest destination port; not looked at while dport_high is 0.
   */
  uint16_t dport_low;
  /**
   * Highest destination port; 0 means any port.
   */
  uint16_t dport_high;
  /**
   * TCP facts, compared on TCP packets only.
   */
  struct __pfring_filtering_rule_core_fields_tcp tcp;
};

/**
 * The tunnel part of filtering_rule_extended_fields.
 */
struct __pfring_filtering_rule_extended_fields_tunnel {
  /**
   * Tunnel id, looked at when FILTER_TUNNEL_ID_FLAG is set.
   */
  uint32_t tunnel_id;
  /**
   * Source address.
   */
  ip_addr shost;
  /**
   * Destination address.
   */
  ip_addr dhost;
  /**
   * Bits of the source address that count.
   */
  ip_addr shost_mask;
  /**
   * Bits of the destination address that count.
   */
  ip_addr dhost_mask;
};

/**
 * What a wildcard rule compares beyond the core fields.
 */
struct __attribute__((packed)) filtering_rule_extended_fields {
  /**
   * FILTER_TUNNEL_ID_FLAG when tunnel.tunnel_id counts.
   */
  uint16_t optional_fields;
  /**
   * The inner packet.
   */
  struct __pfring_filtering_rule_extended_fields_tunnel tunnel;
  /**
   * Strings, separated by a vertical bar, one of which the payload must contain; case is
   * ignored. Empty for any payload.
   */
  char payload_pattern[32];
};

/**
 * Private to the library. Leave it zero.
 */
struct __attribute__((packed)) filtering_internals {
  /**
   * Time of the last match.
   */
  unsigned long jiffies_last_match;
  /**
   * Unused.
   */
  struct net_device *reflector_dev;
};

/**
 * A wildcard rule. Rules are looked at from the lowest id to the highest.
 */
struct __attribute__((packed)) filtering_rule {
  /**
   * Id of the rule, unique within a ring.
   */
  uint16_t rule_id;
  /**
   * What to do with a packet that matches.
   */
  enum rule_action_behaviour rule_action;
  /**
   * With balance_pool, the share that matches: pkt_hash modulo balance_pool equals balance_id.
   */
  uint8_t balance_id;
  /**
   * Number of shares; 0 switches balancing off.
   */
  uint8_t balance_pool;
  /**
   * 1 keeps the rule from being removed as idle.
   */
  uint8_t locked;
  /**
   * 1 matches the opposite direction too.
   */
  uint8_t bidirectional;
  /**
   * What is compared.
   */
  struct filtering_rule_core_fields core_fields;
  /**
   * What is compared beyond the core fields.
   */
  struct filtering_rule_extended_fields extended_fields;
  /**
   * Interface for the reflect and bounce actions: at most 7 characters and a zero.
   */
  char reflector_device_name[REFLECTOR_NAME_LEN];
  /**
   * Private to the library. Leave it zero.
   */
  struct filtering_internals internals;
};

/**
 * A rule for one flow, matched exactly and in both directions. Addresses (IPv4) and ports in host
 * byte order.
 */
struct __attribute__((packed)) hash_filtering_rule {
  /**
   * Id, for the caller's own use.
   */
  uint16_t rule_id;
  /**
   * Outer VLAN id, 0 for an untagged packet.
   */
  uint16_t vlan_id;
  /**
   * 4 or 6; 0 for anything else.
   */
  uint8_t ip_version;
  /**
   * Transport protocol number.
   */
  uint8_t proto;
  /**
   * Address of one end.
   */
  ip_addr host_peer_a;
  /**
   * Address of the other end.
   */
  ip_addr host_peer_b;
  /**
   * Port of one end.
   */
  uint16_t port_peer_a;
  /**
   * Port of the other end.
   */
  uint16_t port_peer_b;
  /**
   * What to do with a packet that matches.
   */
  enum rule_action_behaviour rule_action;
  /**
   * Interface for the reflect and bounce actions: at most 7 characters and a zero.
   */
  char reflector_device_name[REFLECTOR_NAME_LEN];
  /**
   * Private to the library. Leave it zero.
   */
  struct filtering_internals internals;
};

/**
 * Counters of a rule.
 */
struct __attribute__((packed)) hash_filtering_rule_stats {
  /**
   * Packets that the rule matched.
   */
  uint64_t match;
  /**
   * Packets that the rule dropped.
   */
  uint64_t filtered;
  /**
   * Packets that the rule would have dropped and that the filtering sampling rate let pass.
   */
  uint64_t match_forward;
  /**
   * Seconds since the last match.
   */
  uint32_t inactivity;
};

/**
 * An element of a hash rule list. Kernel-side in PF_RING, unused here.
 */
struct __attribute__((packed)) _sw_filtering_hash_bucket {
  /**
   * The rule.
   */
  struct hash_filtering_rule rule;
  /**
   * Packets matched.
   */
  uint64_t match;
  /**
   * Packets dropped.
   */
  uint64_t filtered;
  /**
   * Packets that the rule would have dropped and that the filtering sampling rate let pass.
   */
  uint64_t match_forward;
  /**
   * The next element.
   */
  struct _sw_filtering_hash_bucket *next;
};

/**
 * Another name of struct _sw_filtering_hash_bucket.
 */
typedef struct _sw_filtering_hash_bucket sw_filtering_hash_bucket;

/**
 * Kernel-side entry point for five-tuple rules; its parameters are the driver's affair.
 */
typedef void (*five_tuple_rule_handler)(void);

/**
 * Kernel-side entry point for perfect filter rules; its parameters are the driver's affair.
 */
typedef void (*perfect_filter_hw_rule_handler)(void);

/**
 * Five-tuple filter of an Intel 82599. Addresses and ports in host byte order, 0 for any.
 */
struct __attribute__((packed)) intel_82599_five_tuple_filter_hw_rule {
  /**
   * Transport protocol number.
   */
  uint8_t proto;
  /**
   * Source IPv4 address.
   */
  uint32_t s_addr;
  /**
   * Destination IPv4 address.
   */
  uint32_t d_addr;
  /**
   * Source port.
   */
  uint16_t s_port;
  /**
   * Destination port.
   */
  uint16_t d_port;
  /**
   * Receive queue to steer to.
   */
  uint16_t queue_id;
};

/**
 * Perfect filter of an Intel 82599. Addresses and ports in host byte order, 0 for any.
 */
struct __attribute__((packed)) intel_82599_perfect_filter_hw_rule {
  /**
   * VLAN id.
   */
  uint16_t vlan_id;
  /**
   * EtherType of the payload, network byte order.
   */
  uint8_t proto;
  /**
   * Source IPv4 address.
   */
  uint32_t s_addr;
  /**
   * Destination IPv4 address.
   */
  uint32_t d_addr;
  /**
   * Source port.
   */
  uint16_t s_port;
  /**
   * Destination port.
   */
  uint16_t d_port;
  /**
   * Receive queue to steer to.
   */
  uint16_t queue_id;
};

/**
 * Rule of a Silicom redirector.
 */
struct __attribute__((packed)) silicom_redirector_hw_rule {
  /**
   * What to do.
   */
  enum silicom_redirector_rule_type rule_type;
  /**
   * Port that the packet came in on.
   */
  uint8_t rule_port;
  /**
   * Port that it goes to.
   */
  uint8_t rule_target_port;
  /**
   * Lowest VLAN id.
   */
  uint16_t vlan_id_low;
  /**
   * Highest VLAN id.
   */
  uint16_t vlan_id_high;
  /**
   * Protocol number of the transport header.
   */
  uint8_t l3_proto;
  /**
   * Source address.
   */
  ip_addr src_addr;
  /**
   * Destination address.
   */
  ip_addr dst_addr;
  /**
   * Bits of the source address that count.
   */
  uint32_t src_mask;
  /**
   * Bits of the destination address that count.
   */
  uint32_t dst_mask;
  /**
   * Lowest source port.
   */
  uint16_t src_port_low;
  /**
   * Highest source port.
   */
  uint16_t src_port_high;
  /**
   * Lowest destination port.
   */
  uint16_t dst_port_low;
  /**
   * Highest destination port.
   */
  uint16_t dst_port_high;
};

/**
 * Hardware rule for a flow known by its id.
 */
struct __attribute__((packed)) generic_flow_id_hw_rule {
  /**
   * What to do.
   */
  enum generic_flow_rule_action_type action;
  /**
   * Id of the flow.
   */
  uint64_t flow_id;
  /**
   * Thread of the flow.
   */
  uint32_t thread;
};

/**
 * Hardware rule for a flow known by its addresses and ports.
 */
struct __attribute__((packed)) generic_flow_tuple_hw_rule {
  /**
   * What to do.
   */
  enum generic_flow_rule_action_type action;
  /**
   * Source address.
   */
  ip_addr src_ip;
  /**
   * Destination address.
   */
  ip_addr dst_ip;
  /**
   * Bits of the source address that count.
   */
  ip_addr src_ip_mask;
  /**
   * Bits of the destination address that count.
   */
  ip_addr dst_ip_mask;
  /**
   * Source port.
   */
  uint16_t src_port;
  /**
   * Destination port.
   */
  uint16_t dst_port;
  /**
   * VLAN id.
   */
  uint16_t vlan_id;
  /**
   * 4 or 6; 0 for anything else.
   */
  uint8_t ip_version;
  /**
   * Transport protocol number.
   */
  uint8_t protocol;
  /**
   * Interface to steer to.
   */
  uint8_t interface;
  /**
   * Queue to steer to.
   */
  uint8_t queue_id;
  /**
   * Id of the flow.
   */
  uint64_t flow_id;
};

/**
 * The rule_family member of hw_filtering_rule.
 */
union __pfring_hw_filtering_rule_family {
  /**
   * Intel 82599, five-tuple filter.
   */
  struct intel_82599_five_tuple_filter_hw_rule five_tuple_rule;
  /**
   * Intel 82599, perfect filter.
   */
  struct intel_82599_perfect_filter_hw_rule perfect_rule;
  /**
   * Silicom redirector.
   */
  struct silicom_redirector_hw_rule redirector_rule;
  /**
   * A flow known by its id.
   */
  struct generic_flow_id_hw_rule flow_id_rule;
  /**
   * A flow known by its addresses and ports.
   */
  struct generic_flow_tuple_hw_rule flow_tuple_rule;
};

/**
 * A rule for the filter of a network card.
 */
struct __attribute__((packed)) hw_filtering_rule {
  /**
   * Which member of rule_family counts.
   */
  enum hw_filtering_rule_type rule_family_type;
  /**
   * Id of the rule.
   */
  uint16_t rule_id;
  /**
   * Order among hardware rules.
   */
  uint16_t priority;
  /**
   * The rule itself.
   */
  union __pfring_hw_filtering_rule_family rule_family;
};

/**
 * Seconds and nanoseconds in 32 bits each.
 */
struct __attribute__((packed)) pfring_timespec {
  /**
   * Seconds.
   */
  uint32_t tv_sec;
  /**
   * Nanoseconds.
   */
  uint32_t tv_nsec;
};

/**
 * Counters of a flow that hardware follows. The suffixes a and b are the two directions.
 */
struct __attribute__((packed)) pfring_flow_update {
  /**
   * Id of the flow.
   */
  uint64_t flow_id;
  /**
   * PF_RING_FLOW_UPDATE_CAUSE_* value: why the update was sent.
   */
  uint8_t cause;
  /**
   * Unused.
   */
  uint8_t reserved0;
  /**
   * Unused.
   */
  uint16_t reserved1;
  /**
   * Flags, direction a.
   */
  uint16_t flags_a;
  /**
   * Flags, direction b.
   */
  uint16_t flags_b;
  /**
   * Packets, direction a.
   */
  uint32_t packets_a;
  /**
   * Packets, direction b.
   */
  uint32_t packets_b;
  /**
   * Bytes, direction a.
   */
  uint64_t bytes_a;
  /**
   * Bytes, direction b.
   */
  uint64_t bytes_b;
  /**
   * Time of the last packet.
   */
  struct pfring_timespec last_seen;
};

/**
 * Counters, addresses and times of a flow that hardware follows.
 */
struct __attribute__((packed)) generic_flow_update {
  /**
   * Id of the flow.
   */
  uint32_t flow_id;
  /**
   * 4 or 6; 0 for anything else.
   */
  uint8_t ip_version;
  /**
   * Transport protocol number.
   */
  uint8_t l4_protocol;
  /**
   * IPv4 type of service.
   */
  uint8_t tos;
  /**
   * TCP flags seen.
   */
  uint8_t tcp_flags;
  /**
   * Source address.
   */
  ip_addr src_ip;
  /**
   * Destination address.
   */
  ip_addr dst_ip;
  /**
   * VLAN id.
   */
  uint16_t vlan_id;
  /**
   * 1 at the start of a flow.
   */
  uint8_t start_of_flow;
  /**
   * Unused.
   */
  uint8_t reserved;
  /**
   * Source port.
   */
  uint16_t src_port;
  /**
   * Destination port.
   */
  uint16_t dst_port;
  /**
   * Packets, forward.
   */
  uint32_t fwd_packets;
  /**
   * Packets, backward.
   */
  uint32_t rev_packets;
  /**
   * Bytes, forward.
   */
  uint64_t fwd_bytes;
  /**
   * Bytes, backward.
   */
  uint64_t rev_bytes;
  /**
   * First packet, forward.
   */
  struct pfring_timespec fwd_ts_first;
  /**
   * Last packet, forward.
   */
  struct pfring_timespec fwd_ts_last;
  /**
   * First packet, backward.
   */
  struct pfring_timespec rev_ts_first;
  /**
   * Last packet, backward.
   */
  struct pfring_timespec rev_ts_last;
};

/**
 * Tells hardware what to do with a flow.
 */
struct __attribute__((packed)) generic_flow_feedback {
  /**
   * What to do.
   */
  enum generic_flow_rule_action_type action;
  /**
   * Id of the flow.
   */
  uint32_t flow_id;
};

/**
 * Driver-side entry points for hardware rules. Unused in user space.
 */
struct __attribute__((packed)) hw_filtering_device_handler {
  /**
   * For five-tuple filters.
   */
  five_tuple_rule_handler five_tuple_handler;
  /**
   * For perfect filters.
   */
  perfect_filter_hw_rule_handler perfect_filter_handler;
};

/**
 * The four bytes that follow a VLAN TPID on the wire.
 */
struct __attribute__((packed)) eth_vlan_hdr {
  /**
   * Tag control information, network byte order: 3 bits priority, 1 bit DEI, 12 bits id.
   */
  uint16_t h_vlan_id;
  /**
   * EtherType of what follows, network byte order.
   */
  uint16_t h_proto;
};

/**
 * The fixed IPv6 header (RFC 8200, section 3).
 */
struct __attribute__((packed)) kcompact_ipv6_hdr {
  /**
   * Flow label, in C a bit field of 24 bits. In Rust this is the whole first word.
   *
   */
  uint32_t flow_lbl: 24;
  /**
   * Bits 24 to 27 of the first word.
   *
   */
  uint32_t priority: 4;
  /**
   * Bits 28 to 31 of the first word.
   *
   */
  uint32_t version: 4;
  /**
   * Bytes after this header, network byte order.
   */
  uint16_t payload_len;
  /**
   * Protocol number of the header that follows.
   */
  uint8_t nexthdr;
  /**
   * Remaining hops.
   */
  uint8_t hop_limit;
  /**
   * Source address.
   */
  struct in6_addr saddr;
  /**
   * Destination address.
   */
  struct in6_addr daddr;
};

/**
 * Common start of an IPv6 extension header.
 */
struct __attribute__((packed)) kcompact_ipv6_opt_hdr {
  /**
   * Protocol number of the header that follows.
   */
  uint8_t nexthdr;
  /**
   * Length in units of 8 bytes, the first 8 not counted.
   */
  uint8_t hdrlen;
  /**
   * Options, or filler up to 8 bytes.
   */
  uint8_t padding[6];
};

/**
 * The mandatory part of a GRE header (RFC 2784, RFC 2890).
 */
struct __attribute__((packed)) gre_header {
  /**
   * GRE_HEADER_* bits and the version, network byte order.
   */
  uint16_t flags_and_version;
  /**
   * EtherType of the payload, network byte order.
   */
  uint16_t proto;
};

/**
 * The mandatory part of a GTP version 1 header (3GPP TS 29.060 and 29.281).
 */
struct __attribute__((packed)) gtp_v1_hdr {
  /**
   * GTP_FLAGS_* bits and the version.
   */
  uint8_t flags;
  /**
   * Message type; 255 carries a user packet.
   */
  uint8_t message_type;
  /**
   * Bytes after the 8 mandatory ones, network byte order.
   */
  uint16_t payload_len;
  /**
   * Tunnel endpoint identifier, network byte order.
   */
  uint32_t teid;
};

/**
 * The optional part of a GTP version 1 header, there when an E, S or PN flag is set.
 */
struct __attribute__((packed)) gtp_v1_opt_hdr {
  /**
   * Sequence number, network byte order.
   */
  uint16_t seq_num;
  /**
   * N-PDU number.
   */
  uint8_t npdu_num;
  /**
   * Type of the first extension header, 0 for none.
   */
  uint8_t next_ext_hdr;
};

/**
 * Start of a GTP version 1 extension header.
 */
struct __attribute__((packed)) gtp_v1_ext_hdr {
  /**
   * Length in units of GTP_EXT_HDR_LEN_UNIT_BYTES.
   */
  uint8_t len;
};

/**
 * Mobile IP tunnel data header (RFC 3519, section 3.3).
 */
struct __attribute__((packed)) mobile_ip_hdr {
  /**
   * Type of message; 4 carries a packet.
   */
  uint8_t message_type;
  /**
   * Protocol number of the packet inside.
   */
  uint8_t next_header;
  /**
   * Zero.
   */
  uint16_t reserved;
};

/**
 * VXLAN header (RFC 7348, section 5).
 */
struct __attribute__((packed)) vxlan_hdr {
  /**
   * Bit 3 of the first byte says that vni is valid.
   */
  uint8_t flags[2];
  /**
   * Group policy id (an extension), network byte order.
   */
  uint16_t gdp;
  /**
   * Network identifier, network byte order.
   */
  uint8_t vni[3];
  /**
   * Reserved.
   */
  uint8_t res;
};

/**
 * Driver entry point that waits for a packet; its parameters are the driver's affair.
 */
typedef void (*zc_dev_wait_packet)(void);

/**
 * Driver entry point that hears that the device is taken or given back; its parameters are the driver's affair.
 */
typedef void (*zc_dev_notify)(void);

/**
 * Driver entry point that sets the clock; its parameters are the driver's affair.
 */
typedef void (*zc_dev_set_time)(void);

/**
 * Driver entry point that adjusts the clock; its parameters are the driver's affair.
 */
typedef void (*zc_dev_adjust_time)(void);

/**
 * Driver entry point that reads the time of a transmission; its parameters are the driver's affair.
 */
typedef void (*zc_dev_get_tx_time)(void);

/**
 * Driver entry point that switches a queue; its parameters are the driver's affair.
 */
typedef void (*zc_dev_control_queue)(void);

/**
 * Driver entry point that reads counters; its parameters are the driver's affair.
 */
typedef void (*zc_dev_get_stats)(void);

/**
 * Head of the memory that PF_RING's kernel module shares with a program. Kept for its layout: no
 * ring has one here.
 */
struct __attribute__((packed)) flowSlotInfo {
  /**
   * Layout version.
   */
  uint16_t version;
  /**
   * Sampling rate.
   */
  uint16_t sample_rate;
  /**
   * Smallest number of slots.
   */
  uint32_t min_num_slots;
  /**
   * Bytes of a slot, headers included.
   */
  uint32_t slot_len;
  /**
   * Bytes of packet data in a slot.
   */
  uint32_t data_len;
  /**
   * Bytes of the whole.
   */
  uint64_t tot_mem;
  /**
   * Offset of the next slot to fill.
   */
  uint64_t insert_off;
  /**
   * Offset of the next slot to read, kernel side.
   */
  uint64_t kernel_remove_off;
  /**
   * Packets seen.
   */
  uint64_t tot_pkts;
  /**
   * Packets lost.
   */
  uint64_t tot_lost;
  /**
   * Packets queued.
   */
  uint64_t tot_insert;
  /**
   * Packets read, kernel side.
   */
  uint64_t kernel_tot_read;
  /**
   * Packets forwarded.
   */
  uint64_t tot_fwd_ok;
  /**
   * Packets that could not be forwarded.
   */
  uint64_t tot_fwd_notok;
  /**
   * Packets sent.
   */
  uint64_t good_pkt_sent;
  /**
   * Packets that could not be sent.
   */
  uint64_t pkt_send_error;
  /**
   * Filler up to 128 bytes.
   */
  char padding[24];
  /**
   * Filler up to one page.
   */
  char k_padding[3968];
  /**
   * Packets read.
   */
  uint64_t tot_read;
  /**
   * Offset of the next slot to read.
   */
  uint64_t remove_off;
  /**
   * Filler up to two pages.
   */
  char u_padding[4080];
};

/**
 * Driver-side entry points of a zero-copy device. Unused here.
 */
struct __attribute__((packed)) zc_dev_callbacks {
  /**
   * Waits for a packet.
   */
  zc_dev_wait_packet wait_packet;
  /**
   * Tells that the device is taken or given back.
   */
  zc_dev_notify usage_notification;
  /**
   * Sets the clock.
   */
  zc_dev_set_time set_time;
  /**
   * Adjusts the clock.
   */
  zc_dev_adjust_time adjust_time;
  /**
   * Reads the time of a transmission.
   */
  zc_dev_get_tx_time get_tx_time;
  /**
   * Switches a queue.
   */
  zc_dev_control_queue control_queue;
  /**
   * Reads counters.
   */
  zc_dev_get_stats get_stats;
};

/**
 * Descriptor ring of a zero-copy device. Unused here.
 */
struct __attribute__((packed)) zc_dev_ring_info {
  /**
   * Slots.
   */
  uint32_t packet_memory_num_slots;
  /**
   * Bytes of a slot.
   */
  uint32_t packet_memory_slot_len;
  /**
   * Bytes of the descriptors.
   */
  uint32_t descr_packet_memory_tot_len;
  /**
   * Index of its registers.
   */
  uint16_t registers_index;
  /**
   * Index of its counters.
   */
  uint16_t stats_index;
  /**
   * Interrupt vector.
   */
  uint32_t vector;
  /**
   * Queues.
   */
  uint32_t num_queues;
};

/**
 * Memory of a zero-copy device. Unused here.
 */
struct __attribute__((packed)) zc_memory_info {
  /**
   * Receive ring.
   */
  struct zc_dev_ring_info rx;
  /**
   * Transmit ring.
   */
  struct zc_dev_ring_info tx;
  /**
   * Bytes of card memory.
   */
  uint32_t phys_card_memory_len;
  /**
   * Family of the device.
   */
  enum zc_dev_model device_model;
};

/**
 * A zero-copy device. Unused here.
 */
struct __attribute__((packed)) zc_dev_info {
  /**
   * Its memory.
   */
  struct zc_memory_info mem_info;
  /**
   * Its channel.
   */
  uint16_t channel_id;
  /**
   * Receive descriptors.
   */
  void *rx_descr_packet_memory;
  /**
   * Transmit descriptors.
   */
  void *tx_descr_packet_memory;
  /**
   * Card memory.
   */
  char *phys_card_memory;
  /**
   * Kernel network device.
   */
  struct net_device *dev;
  /**
   * Kernel device.
   */
  struct device *hwdev;
  /**
   * MAC address.
   */
  unsigned char device_address[6];
  /**
   * Kernel wait queue.
   */
  void *packet_waitqueue;
  /**
   * Interrupt flag.
   */
  uint8_t *interrupt_received;
  /**
   * 1 while taken.
   */
  uint8_t in_use;
  /**
   * Driver private.
   */
  void *rx_adapter;
  /**
   * Driver private.
   */
  void *tx_adapter;
  /**
   * Driver entry points.
   */
  struct zc_dev_callbacks callbacks;
};

/**
 * Names a zero-copy device. Unused here.
 */
struct __attribute__((packed)) zc_dev_mapping {
  /**
   * Add or remove.
   */
  enum zc_dev_operation operation;
  /**
   * Interface name.
   */
  char device_name[16];
  /**
   * Its channel.
   */
  int32_t channel_id;
  /**
   * Family of the device.
   */
  enum zc_dev_model device_model;
};

/**
 * Another name of struct flowSlotInfo.
 */
typedef struct flowSlotInfo FlowSlotInfo;

/* Enumerations whose name stands without a tag, too. */
typedef enum cluster_client_type cluster_client_type;
typedef enum cluster_type cluster_type;
typedef enum generic_default_action_type generic_default_action_type;
typedef enum generic_flow_rule_action_type generic_flow_rule_action_type;
typedef enum hw_filtering_rule_command hw_filtering_rule_command;
typedef enum hw_filtering_rule_type hw_filtering_rule_type;
typedef enum packet_direction packet_direction;
typedef enum pfring_device_type pfring_device_type;
typedef enum pkt_detail_mode pkt_detail_mode;
typedef enum pkt_header_len pkt_header_len;
typedef enum rule_action_behaviour rule_action_behaviour;
typedef enum silicom_redirector_rule_type silicom_redirector_rule_type;
typedef enum socket_mode socket_mode;
typedef enum zc_dev_model zc_dev_model;
typedef enum zc_dev_operation zc_dev_operation;

/* Short names of members: an address or a type of service under the name of its IP version. */
#define ipv4_tos ip_tos
#define ipv6_tos ip_tos
#define ipv4_src ip_src.v4
#define ipv4_dst ip_dst.v4
#define ipv6_src ip_src.v6
#define ipv6_dst ip_dst.v6
#define host4_low host_low.v4
#define host4_high host_high.v4
#define host6_low host_low.v6
#define host6_high host_high.v6
#define host4_peer_a host_peer_a.v4
#define host4_peer_b host_peer_b.v4
#define host6_peer_a host_peer_a.v6
#define host6_peer_b host_peer_b.v6

#endif /* __RING_H */
