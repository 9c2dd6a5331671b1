/*
 * pfring.h - packet capture and transmission: the interface of libpfring 8.9.
 *
 * Generated from src/abi/ and src/capi/ by "make headers": edit there, not here.
 */

#ifndef _PFRING_H_
#define _PFRING_H_

#include <stdint.h>
#include <sys/types.h>
#include <sys/time.h>
#include <time.h>
#include <pthread.h>
#include <linux/pf_ring.h>

/* pfring_recv_burst() is there. */
#define PF_RING_API_RECV_BURST

/* Bytes of a page. */
#ifndef PAGE_SIZE
#define PAGE_SIZE 4096
#endif

/* Locks. Strict ISO C hides POSIX's read-write lock: then only its room is known. */
#ifdef PTHREAD_RWLOCK_INITIALIZER
#define pfring_rwlock_t pthread_rwlock_t
#define pfring_rwlock_init pthread_rwlock_init
#define pfring_rwlock_rdlock pthread_rwlock_rdlock
#define pfring_rwlock_wrlock pthread_rwlock_wrlock
#define pfring_rwlock_unlock pthread_rwlock_unlock
#define pfring_rwlock_destroy pthread_rwlock_destroy
#else
typedef struct {
  uint64_t room[7];
} pfring_rwlock_t;
#endif

/* 1 if struct timespec *a is earlier than *b, else 0. */
#define timespec_is_before(a, b)                                                                  \
  ((((a)->tv_sec < (b)->tv_sec) ||                                                                 \
    (((a)->tv_sec == (b)->tv_sec) && ((a)->tv_nsec < (b)->tv_nsec)))                               \
     ? 1                                                                                           \
     : 0)

/* Two system headers define struct sockaddr_ll and cannot be included together, so this one
   includes neither. If one of them came before, its type is taken. */
#if defined(_LINUX_IF_PACKET_H) || defined(__LINUX_IF_PACKET_H) || defined(__NETPACKET_PACKET_H) || \
    defined(_NETPACKET_PACKET_H)
typedef struct sockaddr_ll pfring_sockaddr_ll;
#else
typedef struct pfring_sockaddr_ll {
  uint16_t sll_family;
  uint16_t sll_protocol;
  int32_t sll_ifindex;
  uint16_t sll_hatype;
  uint8_t sll_pkttype;
  uint8_t sll_halen;
  uint8_t sll_addr[8];
} pfring_sockaddr_ll;
#endif

/* A compiled filter, in the layout of libpcap's struct bpf_program: the number of instructions,
   and the instructions (struct bpf_insn), which pfring_free_bpf_filter() or pcap_freecode() frees. */
struct pfring_bpf_program {
  unsigned int bf_len;
  void *bf_insns;
};

/* The same as the filter functions take it: libpcap's type when pcap/bpf.h came before. */
#ifdef BPF_RELEASE
typedef struct bpf_program pfring_filter_program;
#else
typedef struct pfring_bpf_program pfring_filter_program;
#endif

/* Names that stand without a tag, too. */
typedef struct pfring_card_settings pfring_card_settings;
typedef struct pfring_chunk_info pfring_chunk_info;
typedef struct pfring_module_info pfring_module_info;
typedef struct pfring_packet_info pfring_packet_info;
typedef struct pfring_stat pfring_stat;


/**
 * Most bytes of a packet that a ring keeps.
 */
#define MAX_CAPLEN 65600

/**
 * Milliseconds of one round of a blocking receive, unless set otherwise.
 */
#define DEFAULT_POLL_DURATION 500

/**
 * Unused.
 */
#define POLL_SLEEP_STEP 10

/**
 * Unused.
 */
#define POLL_SLEEP_MIN 10

/**
 * Unused.
 */
#define POLL_SLEEP_MAX 1000

/**
 * Unused.
 */
#define POLL_QUEUE_MIN_LEN 500

/**
 * Hardware hashes both directions alike.
 */
#define PF_RING_ZC_SYMMETRIC_RSS (1 << 0)

/**
 * Several threads may receive, or send, on the ring at once.
 */
#define PF_RING_REENTRANT (1 << 1)

/**
 * Fill all of struct pfring_pkthdr.
 */
#define PF_RING_LONG_HEADER (1 << 2)

/**
 * Promiscuous mode until close.
 */
#define PF_RING_PROMISC (1 << 3)

/**
 * Fill the time stamp, also where that costs.
 */
#define PF_RING_TIMESTAMP (1 << 4)

/**
 * Has the card stamp what comes in, where it can.
 */
#define PF_RING_HW_TIMESTAMP (1 << 5)

/**
 * Allow pfring_send_last_rx_packet().
 */
#define PF_RING_RX_PACKET_BOUNCE (1 << 6)

/**
 * Hardware puts everything into queue 0.
 */
#define PF_RING_ZC_FIXED_RSS_Q_0 (1 << 7)

/**
 * Take the hardware time stamp off the packet. No effect.
 */
#define PF_RING_STRIP_HW_TIMESTAMP (1 << 8)

/**
 * Leave parsed_pkt alone.
 */
#define PF_RING_DO_NOT_PARSE (1 << 9)

/**
 * No time stamp is needed.
 */
#define PF_RING_DO_NOT_TIMESTAMP (1 << 10)

/**
 * Receive chunks.
 */
#define PF_RING_CHUNK_MODE (1 << 11)

/**
 * The stamp in the IXIA trailer becomes the packet's, and the trailer is cut off.
 */
#define PF_RING_IXIA_TIMESTAMP (1 << 12)

/**
 * Filter in user space.
 */
#define PF_RING_USERSPACE_BPF (1 << 13)

/**
 * Leave the hardware hash alone.
 */
#define PF_RING_ZC_NOT_REPROGRAM_RSS (1 << 14)

/**
 * As PF_RING_IXIA_TIMESTAMP, for the VSS or APCON trailer.
 */
#define PF_RING_VSS_APCON_TIMESTAMP (1 << 15)

/**
 * Hardware hashes addresses only.
 */
#define PF_RING_ZC_IPONLY_RSS (1 << 16)

/**
 * Hardware follows flows.
 */
#define PF_RING_FLOW_OFFLOAD (1 << 17)

/**
 * Hardware follows flows and reports nothing.
 */
#define PF_RING_FLOW_OFFLOAD_NOUPDATES (1 << 18)

/**
 * Keep the frame check sequence.
 */
#define PF_RING_KEEP_CRC (1 << 19)

/**
 * Filter by application protocol: pfring_open() fails with ENOTSUP.
 */
#define PF_RING_L7_FILTERING (1 << 20)

/**
 * Keep the frame check sequence.
 */
#define PF_RING_DO_NOT_STRIP_FCS (1 << 21)

/**
 * Filter sent packets too.
 */
#define PF_RING_TX_BPF (1 << 22)

/**
 * Hardware follows flows inside tunnels.
 */
#define PF_RING_FLOW_OFFLOAD_TUNNEL (1 << 23)

/**
 * Hide packets that a stack: ring injected. No effect: they are like all others.
 */
#define PF_RING_DISCARD_INJECTED_PKTS (1 << 24)

/**
 * As PF_RING_IXIA_TIMESTAMP, for the Arista 7150 trailer; the stamp of a 7280 header, which stays.
 */
#define PF_RING_ARISTA_TIMESTAMP (1 << 25)

/**
 * As PF_RING_IXIA_TIMESTAMP, for the MetaWatch trailer.
 */
#define PF_RING_METAWATCH_TIMESTAMP (1 << 26)

/**
 * Older name of PF_RING_ZC_SYMMETRIC_RSS.
 */
#define PF_RING_DNA_SYMMETRIC_RSS PF_RING_ZC_SYMMETRIC_RSS

/**
 * Older name of PF_RING_ZC_FIXED_RSS_Q_0.
 */
#define PF_RING_DNA_FIXED_RSS_Q_0 PF_RING_ZC_FIXED_RSS_Q_0

/**
 * Where filter rules are applied.
 */
enum filtering_mode {
  /**
   * In both.
   */
  hardware_and_software = 0,
  /**
   * In hardware; software rules are accepted and not applied.
   */
  hardware_only = 1,
  /**
   * In software.
   */
  software_only = 2,
};

/**
 * Up to which header packets are kept.
 */
enum packet_slicing_level {
  /**
   * Whole packets.
   */
  FULL_PACKET_SLICING = 0,
  /**
   * Up to the Ethernet header.
   */
  L2_SLICING = 2,
  /**
   * Up to the network header.
   */
  L3_SLICING = 3,
  /**
   * Up to the transport header.
   */
  L4_SLICING = 4,
};

/**
 * Format of a chunk of packets.
 */
enum pfring_chunk_type {
  /**
   * pcap, microseconds.
   */
  PCAP_CHUNK = 0,
  /**
   * pcap, nanoseconds.
   */
  PCAP_NSEC_CHUNK = 1,
  /**
   * pcapng, nanoseconds.
   */
  PCAPNG_NSEC_CHUNK = 2,
  /**
   * Anything else.
   */
  UNKNOWN_CHUNK_TYPE = 3,
};

/**
 * The hw_ts part of struct __pfring.
 */
struct __pfring_hw_ts {
  /**
   * 1 when hardware stamps are forced.
   */
  uint8_t force_timestamp;
  /**
   * 1 for a Silicom card that stamps.
   */
  uint8_t is_silicom_hw_timestamp_card;
  /**
   * 1 when opened with PF_RING_HW_TIMESTAMP.
   */
  uint8_t enable_hw_timestamp;
  /**
   * Unused here.
   */
  uint8_t last_hw_timestamp_head_offset;
  /**
   * Unused here.
   */
  struct timespec last_hw_timestamp;
};

/**
 * The tx part of struct __pfring.
 */
struct __pfring_tx {
  /**
   * 1 when opened with PF_RING_RX_PACKET_BOUNCE.
   */
  uint8_t enabled_rx_packet_send;
  /**
   * Unused here: NULL.
   */
  struct pfring_pkthdr *last_received_hdr;
};

/**
 * Counters of a ring since it was opened.
 */
struct pfring_stat {
  /**
   * Packets that the program has read.
   */
  uint64_t recv;
  /**
   * Packets lost for want of room.
   */
  uint64_t drop;
  /**
   * Packets shunted by hardware: always 0 here.
   */
  uint64_t shunt;
};

/**
 * What pfring_get_card_settings() tells of an interface.
 */
struct pfring_card_settings {
  /**
   * Longest frame in bytes: MTU and Ethernet header.
   */
  uint32_t max_packet_size;
  /**
   * Receive descriptors, 0 when unknown.
   */
  uint32_t rx_ring_slots;
  /**
   * Transmit descriptors, 0 when unknown.
   */
  uint32_t tx_ring_slots;
};

/**
 * Describes a chunk of packets.
 */
struct pfring_chunk_info {
  /**
   * Bytes.
   */
  uint32_t length;
  /**
   * Format.
   */
  enum pfring_chunk_type type;
};

/**
 * A packet as pfring_recv_burst() hands it out. Its bytes stay valid until the next receive on the
 * ring.
 */
struct pfring_packet_info {
  /**
   * First byte of the packet.
   */
  unsigned char *data;
  /**
   * Arrival time; zero unless the ring was opened with PF_RING_TIMESTAMP.
   */
  struct timeval ts;
  /**
   * Bytes present.
   */
  uint16_t caplen;
  /**
   * Bytes on the wire.
   */
  uint16_t len;
  /**
   * PKT_FLAGS_* bits.
   */
  uint32_t flags;
  /**
   * Flow hash, 0 when not computed.
   */
  uint32_t hash;
};

/**
 * The rdi part of struct __pfring.
 */
struct __pfring_rdi {
  /**
   * Redirector device, -1 for none.
   */
  int8_t device_id;
  /**
   * Redirector port, -1 for none.
   */
  int8_t port_id;
};

/**
 * A ring. Made by pfring_open() only and freed by pfring_close() only. Programs may read the
 * fields; the library keeps the ones that are not said to be unused in step with what the calls
 * do. Function pointers are NULL for what a ring cannot do.
 */
struct __pfring {
  /**
   * 1 once the ring is open.
   */
  uint8_t initialized;
  /**
   * 1 between pfring_enable_ring() and pfring_disable_ring().
   */
  uint8_t enabled;
  /**
   * 1 when opened with PF_RING_LONG_HEADER.
   */
  uint8_t long_header;
  /**
   * 1 when opened with PF_RING_TIMESTAMP.
   */
  uint8_t force_timestamp;
  /**
   * 1 when opened with PF_RING_STRIP_HW_TIMESTAMP.
   */
  uint8_t strip_hw_timestamp;
  /**
   * 1 when opened with PF_RING_DO_NOT_PARSE.
   */
  uint8_t disable_parsing;
  /**
   * 1 when opened with PF_RING_DO_NOT_TIMESTAMP.
   */
  uint8_t disable_timestamp;
  /**
   * 1 when opened with PF_RING_IXIA_TIMESTAMP.
   */
  uint8_t ixia_timestamp_enabled;
  /**
   * 1 when opened with PF_RING_VSS_APCON_TIMESTAMP.
   */
  uint8_t vss_apcon_timestamp_enabled;
  /**
   * 1 when opened with PF_RING_CHUNK_MODE.
   */
  uint8_t chunk_mode_enabled;
  /**
   * 1 while a filter runs in user space.
   */
  uint8_t userspace_bpf;
  /**
   * 1 when opened with PF_RING_USERSPACE_BPF.
   */
  uint8_t force_userspace_bpf;
  /**
   * 0: no ring is a PF_RING ZC device here.
   */
  uint8_t zc_device;
  /**
   * 1 after pfring_shutdown().
   */
  uint8_t is_shutting_down;
  /**
   * What happens to a packet that no rule decides on: 1 deliver, 0 drop.
   */
  uint8_t socket_default_accept_policy;
  /**
   * Set by pfring_breakloop().
   */
  uint8_t break_recv_loop_ext;
  /**
   * PF_RING_ZC_*_RSS flags given at open.
   */
  uint32_t rss_mode;
  /**
   * Which packets are delivered.
   */
  packet_direction direction;
  /**
   * What the ring is used for.
   */
  socket_mode mode;
  /**
   * Compiled filter. Unused here.
   */
  pfring_filter_program userspace_bpf_filter;
  /**
   * Hardware time stamps.
   */
  struct __pfring_hw_ts hw_ts;
  /**
   * Sending a received packet on.
   */
  struct __pfring_tx tx;
  /**
   * Private to the library.
   */
  void *priv_data;
  /**
   * Closes.
   */
  void (*close)(struct __pfring*);
  /**
   * Reads counters.
   */
  int (*stats)(struct __pfring*, struct pfring_stat*);
  /**
   * Receives a packet.
   */
  int (*recv)(struct __pfring*, unsigned char**, unsigned int, struct pfring_pkthdr*, uint8_t);
  /**
   * Sets the watermark.
   */
  int (*set_poll_watermark)(struct __pfring*, uint16_t);
  /**
   * Sets the watermark timeout, milliseconds.
   */
  int (*set_poll_watermark_timeout)(struct __pfring*, uint16_t);
  /**
   * Sets the poll duration, milliseconds.
   */
  int (*set_poll_duration)(struct __pfring*, unsigned int);
  /**
   * Sets the transmit watermark.
   */
  int (*set_tx_watermark)(struct __pfring*, uint16_t);
  /**
   * Chooses a channel.
   */
  int (*set_channel_id)(struct __pfring*, uint32_t);
  /**
   * Chooses channels.
   */
  int (*set_channel_mask)(struct __pfring*, uint64_t);
  /**
   * Names the program.
   */
  int (*set_application_name)(struct __pfring*, char*);
  /**
   * Stores a text of the program.
   */
  int (*set_application_stats)(struct __pfring*, char*);
  /**
   * Tells where that text is.
   */
  char *(*get_appl_stats_file_name)(struct __pfring*, char*, unsigned int);
  /**
   * Chooses a VLAN.
   */
  int (*set_vlan_id)(struct __pfring*, uint16_t);
  /**
   * Adds an interface.
   */
  int (*bind)(struct __pfring*, char*);
  /**
   * Sends a packet.
   */
  int (*send)(struct __pfring*, char*, unsigned int, uint8_t);
  /**
   * Sends a packet and tells when.
   */
  int (*send_get_time)(struct __pfring*, char*, unsigned int, struct timespec*);
  /**
   * Counts receive channels.
   */
  uint8_t (*get_num_rx_channels)(struct __pfring*);
  /**
   * Tells the settings of the card.
   */
  int (*get_card_settings)(struct __pfring*, struct pfring_card_settings*);
  /**
   * Sets the sampling rate.
   */
  int (*set_sampling_rate)(struct __pfring*, uint32_t);
  /**
   * Sets the sampling rate of dropped packets.
   */
  int (*set_filtering_sampling_rate)(struct __pfring*, uint32_t);
  /**
   * Sets how much of a packet is kept.
   */
  int (*set_packet_slicing)(struct __pfring*, enum packet_slicing_level, uint32_t);
  /**
   * Tells the descriptor for select() and poll().
   */
  int (*get_selectable_fd)(struct __pfring*);
  /**
   * Chooses a direction.
   */
  int (*set_direction)(struct __pfring*, packet_direction);
  /**
   * Chooses a mode.
   */
  int (*set_socket_mode)(struct __pfring*, socket_mode);
  /**
   * Joins a cluster.
   */
  int (*set_cluster_consumer)(struct __pfring*, uint16_t, uint16_t, cluster_type, uint32_t);
  /**
   * Leaves a cluster.
   */
  int (*remove_from_cluster)(struct __pfring*);
  /**
   * Shares the memory of a ring, by id.
   */
  int (*set_master_id)(struct __pfring*, uint32_t);
  /**
   * Shares the memory of a ring.
   */
  int (*set_master)(struct __pfring*, struct __pfring*);
  /**
   * Tells the id of the ring.
   */
  uint32_t (*get_ring_id)(struct __pfring*);
  /**
   * Counts packets that wait to be read.
   */
  uint32_t (*get_num_queued_pkts)(struct __pfring*);
  /**
   * Reads the counters of a hash rule.
   */
  int (*get_hash_filtering_rule_stats)(struct __pfring*, hash_filtering_rule*, char*, unsigned int*);
  /**
   * Adds or removes a hash rule.
   */
  int (*handle_hash_filtering_rule)(struct __pfring*, hash_filtering_rule*, unsigned char);
  /**
   * Removes idle hash rules.
   */
  int (*purge_idle_hash_rules)(struct __pfring*, uint16_t);
  /**
   * Adds a wildcard rule.
   */
  int (*add_filtering_rule)(struct __pfring*, filtering_rule*);
  /**
   * Removes a wildcard rule.
   */
  int (*remove_filtering_rule)(struct __pfring*, uint16_t);
  /**
   * Removes idle wildcard rules.
   */
  int (*purge_idle_rules)(struct __pfring*, uint16_t);
  /**
   * Reads the counters of a wildcard rule.
   */
  int (*get_filtering_rule_stats)(struct __pfring*, uint16_t, char*, unsigned int*);
  /**
   * Sets the default policy.
   */
  int (*toggle_filtering_policy)(struct __pfring*, uint8_t);
  /**
   * Spreads over channels by the packet hash.
   */
  int (*enable_rss_rehash)(struct __pfring*);
  /**
   * Waits for packets.
   */
  int (*poll)(struct __pfring*, unsigned int);
  /**
   * Tells whether a packet can be read.
   */
  int (*is_pkt_available)(struct __pfring*);
  /**
   * Tells the time of the next packet.
   */
  int (*next_pkt_time)(struct __pfring*, struct timespec*);
  /**
   * Tells the raw stamp of the next packet.
   */
  int (*next_pkt_raw_timestamp)(struct __pfring*, uint64_t*);
  /**
   * Tells the version.
   */
  int (*version)(struct __pfring*, uint32_t*);
  /**
   * Tells the MAC address.
   */
  int (*get_bound_device_address)(struct __pfring*, unsigned char*);
  /**
   * Tells the interface index.
   */
  int (*get_bound_device_ifindex)(struct __pfring*, int*);
  /**
   * Tells the index of a named interface.
   */
  int (*get_device_ifindex)(struct __pfring*, char*, int*);
  /**
   * Tells the length of the packet header.
   */
  uint16_t (*get_slot_header_len)(struct __pfring*);
  /**
   * Sets a virtual filtering device.
   */
  int (*set_virtual_device)(struct __pfring*, virtual_filtering_device_info*);
  /**
   * Sets the default action of hardware.
   */
  int (*set_default_hw_action)(struct __pfring*, generic_default_action_type);
  /**
   * Adds a hardware rule.
   */
  int (*add_hw_rule)(struct __pfring*, hw_filtering_rule*);
  /**
   * Removes a hardware rule.
   */
  int (*remove_hw_rule)(struct __pfring*, uint16_t);
  /**
   * Tests the path to the kernel.
   */
  int (*loopback_test)(struct __pfring*, char*, unsigned int, unsigned int);
  /**
   * Starts capture.
   */
  int (*enable_ring)(struct __pfring*);
  /**
   * Stops capture.
   */
  int (*disable_ring)(struct __pfring*);
  /**
   * Stops all waiting.
   */
  void (*shutdown)(struct __pfring*);
  /**
   * Sets a filter.
   */
  int (*set_bpf_filter)(struct __pfring*, const char*);
  /**
   * Removes the filter.
   */
  int (*remove_bpf_filter)(struct __pfring*);
  /**
   * Reads the clock of the card.
   */
  int (*get_device_clock)(struct __pfring*, struct timespec*);
  /**
   * Sets the clock of the card.
   */
  int (*set_device_clock)(struct __pfring*, struct timespec*);
  /**
   * Adjusts the clock of the card.
   */
  int (*adjust_device_clock)(struct __pfring*, struct timespec*, int8_t);
  /**
   * Gives read packets back.
   */
  void (*sync_indexes_with_kernel)(struct __pfring*);
  /**
   * Sends the last received packet on.
   */
  int (*send_last_rx_packet)(struct __pfring*, int);
  /**
   * Sends what is queued.
   */
  void (*flush_tx_packets)(struct __pfring*);
  /**
   * Names a ring for zero-copy sending.
   */
  int (*register_zerocopy_tx_ring)(struct __pfring*, struct __pfring*);
  /**
   * Receives a chunk.
   */
  int (*recv_chunk)(struct __pfring*, void**, struct pfring_chunk_info*, uint8_t);
  /**
   * Receives several packets.
   */
  int (*recv_burst)(struct __pfring*, struct pfring_packet_info*, uint8_t, uint8_t);
  /**
   * Receives a flow update.
   */
  int (*recv_flow)(struct __pfring*, pfring_flow_update*, uint8_t);
  /**
   * Sets the name shown for the interface.
   */
  int (*set_bound_dev_name)(struct __pfring*, char*);
  /**
   * Reads metadata of the last packet.
   */
  int (*get_metadata)(struct __pfring*, unsigned char**, uint32_t*);
  /**
   * Tells the speed, Mbit/s.
   */
  uint32_t (*get_interface_speed)(struct __pfring*);
  /**
   * Tells the DLT_* value.
   */
  int (*get_link_type)(struct __pfring*);
  /**
   * Silicom redirector.
   */
  struct __pfring_rdi rdi;
  /**
   * Where rules are applied.
   */
  enum filtering_mode filter_mode;
  /**
   * Kind of network device.
   */
  pfring_device_type ft_device_type;
  /**
   * Unused here: NULL.
   */
  char *buffer;
  /**
   * Unused here: NULL.
   */
  char *slots;
  /**
   * The device name given to pfring_open(), without a module prefix.
   */
  char *device_name;
  /**
   * PF_RING_* flags given to pfring_open().
   */
  uint32_t flags;
  /**
   * Most bytes of a packet that are kept.
   */
  uint32_t caplen;
  /**
   * Bytes of struct pfring_pkthdr that a receive fills: 48 or 209.
   */
  uint16_t slot_header_len;
  /**
   * MTU of the interface.
   */
  uint16_t mtu;
  /**
   * One packet in this many is delivered; 1 for all.
   */
  uint32_t sampling_rate;
  /**
   * Unused here.
   */
  uint32_t sampling_counter;
  /**
   * Unused here.
   */
  uint32_t sampling_rnd_shift;
  /**
   * How much of a packet is kept.
   */
  enum packet_slicing_level slicing_level;
  /**
   * Bytes kept beyond that.
   */
  uint32_t slicing_additional_bytes;
  /**
   * Descriptor for select(), poll() and epoll; constant from open to close.
   */
  int fd;
  /**
   * Index of the interface.
   */
  int device_id;
  /**
   * Unused here: NULL.
   */
  struct flowSlotInfo *slots_info;
  /**
   * Unused here.
   */
  uint32_t poll_sleep;
  /**
   * Longest wait of one round of a blocking receive, milliseconds.
   */
  uint16_t poll_duration;
  /**
   * 1 when opened with PF_RING_PROMISC.
   */
  uint8_t promisc;
  /**
   * 0: there is no flow table here.
   */
  uint8_t ft_enabled;
  /**
   * 1 when opened with PF_RING_REENTRANT.
   */
  uint8_t reentrant;
  /**
   * Set by pfring_breakloop(); a program may set it too.
   */
  uint8_t break_recv_loop;
  /**
   * Filler.
   */
  uint16_t __padding;
  /**
   * Calls of pfring_poll() that waited.
   */
  uint32_t num_poll_calls;
  /**
   * Unused here: the library has locks of its own.
   */
  pfring_rwlock_t rx_lock;
  /**
   * Unused here: the library has locks of its own.
   */
  pfring_rwlock_t tx_lock;
  /**
   * Unused here: NULL.
   */
  void *ft;
  /**
   * Unused here.
   */
  pfring_sockaddr_ll sock_tx;
  /**
   * Ring that received packets are sent to, or NULL.
   */
  struct __pfring *reflector_socket;
  /**
   * Unused here: NULL.
   */
  struct __pfring *one_copy_rx_pfring;
  /**
   * Unused here.
   */
  pthread_t runtime_manager_thread;
};

/**
 * A ring.
 */
typedef struct __pfring pfring;

/**
 * What pfring_loop() calls for each packet.
 *
 * @param h the packet header, valid during the call
 * @param p the first byte of the packet, valid during the call
 * @param user_bytes what was given to pfring_loop()
 */
typedef void (*pfringProcesssPacket)(const struct pfring_pkthdr *h,
                                     const unsigned char *p,
                                     const unsigned char *user_bytes);

/**
 * The bus_id part of struct pfring_if.
 */
struct __pfring_pfring_if_bus_id {
  /**
   * PCI domain.
   */
  int slot;
  /**
   * PCI bus.
   */
  int bus;
  /**
   * PCI device.
   */
  int device;
  /**
   * PCI function.
   */
  int function;
};

/**
 * An element of the list that pfring_findalldevs() makes. Everything in it is freed by
 * pfring_freealldevs().
 */
struct pfring_if {
  /**
   * Name to open the interface with.
   */
  char *name;
  /**
   * Name of the interface.
   */
  char *system_name;
  /**
   * Capture module, such as "pf_ring".
   */
  char *module;
  /**
   * Version of the module, or NULL.
   */
  char *module_version;
  /**
   * Serial number of the card, or NULL.
   */
  char *sn;
  /**
   * MAC address.
   */
  char mac[6];
  /**
   * Place on the PCI bus, all 0 when it has none.
   */
  struct __pfring_pfring_if_bus_id bus_id;
  /**
   * 1 when the interface is up, else 0.
   */
  int status;
  /**
   * Always 0.
   */
  int license;
  /**
   * Always 0.
   */
  time_t license_expiration;
  /**
   * The next element, NULL at the end.
   */
  struct pfring_if *next;
};

/**
 * An element of the table that pfring_thirdparty_lib_init() fills; an element with name NULL ends
 * it.
 */
struct thirdparty_func {
  /**
   * Name of the function to look up.
   */
  const char *name;
  /**
   * The function, NULL until it is found.
   */
  void (*ptr)(void);
};

/**
 * A capture module.
 */
struct pfring_module_info {
  /**
   * Prefix of the device name.
   */
  char *name;
  /**
   * Opens a ring.
   */
  int (*open)(struct __pfring*);
  /**
   * Lists interfaces.
   */
  struct pfring_if *(*findalldevs)(void);
};

/**
 * An element of the interface list.
 */
typedef struct pfring_if pfring_if_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a device for capture and sending. The ring is made disabled: set direction, mode and
 * watermark, then call pfring_enable_ring().
 *
 * Device names:
 *  - `eth0`; `eth0,eth1`: several on one ring, the first is the main one; `any`: all interfaces
 *  - `eth0.100`: VLAN 100 of eth0, by the outer tag or the one behind it, `eth0.0` what has no tag;
 *    `(eth0.100)`: the interface of that name (parentheses quote any text)
 *  - `eth0@1`, `eth0@0-3,5`: what came by these receive channels (queues), 0 to 63; `eth0@`: none
 *  - `none`: no interface yet, see pfring_bind()
 *  - `stack:eth0`: what the host itself sends by eth0; what the ring sends comes in there
 *  - `pcap:FILE`: a capture file in pcap or pcapng format, needs no rights
 *  - `zc:eth0` and `xdp:eth0` open a tap like `eth0`
 *
 * An interface that is down opens, and delivers once its link is up.
 *
 * A ring does not cross fork: in a child that is forked every call on it fails with errno EBUSY, -1 where an int
 * is given, but for pfring_close(), which leaves the parent's ring alone. A child opens rings of its own.
 *
 * Defaults: both directions, sending and receiving, poll duration 500 ms, no watermark.
 *
 * @param device_name  name of the device
 * @param caplen       most bytes of a packet to keep, 0 to 65600; more counts as 65600
 * @param flags        PF_RING_* flags, combined by |
 * @return the ring, to be given to pfring_close(), with errno 0; or NULL with errno: EINVAL (no or
 *         malformed name, bad setting in the environment), ENODEV (no such interface or file),
 *         EPERM (CAP_NET_RAW is missing), ENOMEM, ENOTSUP (what this library cannot do)
 */
pfring *pfring_open(const char *device_name,
                    uint32_t caplen,
                    uint32_t flags);

/**
 * Opens one ring for each receive channel of a device: `eth0@0`, `eth0@1` and so on. Together they deliver
 * each packet once; what the host sends comes by the first. The rings are not enabled.
 *
 * @param device_name  name of the device; channels in it are ignored
 * @param caplen       as in pfring_open()
 * @param flags        as in pfring_open()
 * @param ring         array of 64 pointers that the rings are written to
 * @return how many rings were opened, each to be given to pfring_close(); 0 with errno as
 *         pfring_open() sets it, ENOTSUP for a file, EINVAL for NULL
 */
uint8_t pfring_open_multichannel(const char *device_name,
                                 uint32_t caplen,
                                 uint32_t flags,
                                 pfring **ring);

/**
 * Starts capture and lets packets be received and sent. A break from before is forgotten. Enabling
 * twice is no error.
 *
 * @param ring  the ring
 * @return 0; -1 with errno: ENOMEM (no memory for the ring), ENODEV (the interface is gone),
 *         ESHUTDOWN; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_enable_ring(pfring *ring);

/**
 * Stops capture. Packets that are queued already stay for a later pfring_enable_ring().
 *
 * @param ring  the ring
 * @return 0, also when it was disabled already; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_disable_ring(pfring *ring);

/**
 * Ends reception for good and wakes every thread that waits on the ring. Safe in a signal handler and
 * from any thread. Afterwards receiving gives -1 and sending PF_RING_ERROR_NOT_SUPPORTED; the
 * ring still has to be closed.
 *
 * @param ring  the ring, or NULL
 */
void pfring_shutdown(pfring *ring);

/**
 * Closes a ring and frees all that belongs to it: its memory, its sockets, promiscuous mode. No other
 * thread may use the ring any more.
 *
 * @param ring  the ring, or NULL
 */
void pfring_close(pfring *ring);

/**
 * Adds an interface to a ring, before capture starts. A ring that was opened as `none` may be enabled first:
 * it starts when it is bound, by the thread that receives. The first interface of a ring is its main one.
 * Channels in the name are those of the whole ring.
 *
 * @param ring         the ring
 * @param device_name  name of the interface, in the grammar of pfring_open()
 * @return 0; -1 with errno: EINVAL (NULL, `none`, malformed), ENODEV (no such interface), EBUSY (capture
 *         has started), EPERM, ENOMEM; PF_RING_ERROR_NOT_SUPPORTED for NULL, for a file and for `stack:`
 */
int pfring_bind(pfring *ring,
                char *device_name);

/**
 * Receives one packet.
 *
 * With buffer_len 0 the packet is lent: `*buffer` is set to its bytes, which may be written to and
 * stay valid until the next receive on the ring. With buffer_len > 0 at most that many bytes are
 * copied to `*buffer`, and hdr->caplen is what was copied. hdr->len is the length on the wire
 * without FCS; VLAN tags are in the bytes and in both lengths. When no packet is returned, header
 * and buffer are left alone.
 *
 * @param ring             the ring, enabled
 * @param buffer           where the pointer to the bytes is, or is written to
 * @param buffer_len       bytes at `*buffer`, or 0
 * @param hdr              filled: 48 bytes, or all 209 with PF_RING_LONG_HEADER
 * @param wait_for_packet  0: never blocks, in any wait mode; else waits for a packet or a break
 * @return 1 a packet; 0 none, or with errno EINTR a wait that pfring_breakloop() ended;
 *         PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_NOT_SUPPORTED in send-only mode;
 *         PF_RING_ERROR_INVALID_ARGUMENT for NULL, for lending from a PF_RING_REENTRANT ring, and at
 *         the end of a capture file (errno ENODATA); -1 after pfring_shutdown()
 */
int pfring_recv(pfring *ring,
                unsigned char **buffer,
                unsigned int buffer_len,
                struct pfring_pkthdr *hdr,
                uint8_t wait_for_packet);

/**
 * Receives one packet and parses it: pfring_recv(), then pfring_parse_pkt().
 *
 * @param ring             the ring, enabled
 * @param buffer           as in pfring_recv()
 * @param buffer_len       as in pfring_recv()
 * @param hdr              all 209 bytes are used, whatever the flags of the ring
 * @param wait_for_packet  as in pfring_recv()
 * @param level            as in pfring_parse_pkt()
 * @param add_timestamp    as in pfring_parse_pkt()
 * @param add_hash         as in pfring_parse_pkt()
 * @return the level that was reached, 2 to 6; 0 and negative as pfring_recv()
 */
int pfring_recv_parsed(pfring *ring,
                       unsigned char **buffer,
                       unsigned int buffer_len,
                       struct pfring_pkthdr *hdr,
                       uint8_t wait_for_packet,
                       uint8_t level,
                       uint8_t add_timestamp,
                       uint8_t add_hash);

/**
 * Hands packets to a function until the ring is broken. A ring that was never enabled starts by itself.
 *
 * No lock is held while the function runs; it may call the ring, pfring_breakloop() included. The
 * bytes are lent until it returns. The loop may be called again after a break.
 *
 * @param ring             the ring
 * @param looper           called with header, bytes and user_bytes for each packet
 * @param user_bytes       handed through
 * @param wait_for_packet  0: spins while no packet is there; else waits as the wait mode says
 * @return 0 (errno EINTR) when a break ended a wait, 1 when it came between two packets; at the end of
 *         a capture file PF_RING_ERROR_INVALID_ARGUMENT (errno ENODATA); -1 in send-only mode; else as
 *         pfring_recv()
 */
int pfring_loop(pfring *ring,
                pfringProcesssPacket looper,
                const unsigned char *user_bytes,
                uint8_t wait_for_packet);

/**
 * Makes the waits on a ring end: those of now, or else the next one that would begin. Queued packets
 * come first. Safe in a signal handler, from any thread, and in the function of pfring_loop().
 *
 * @param ring  the ring, or NULL
 */
void pfring_breakloop(pfring *ring);

/**
 * Receives several packets, lent until the next call. Waits only while none is there.
 *
 * @param ring             the ring, enabled
 * @param packets          array that is filled from its start
 * @param num_packets      entries of the array
 * @param wait_for_packet  as in pfring_recv()
 * @return packets received, 0 to num_packets; else as pfring_recv(), but PF_RING_REENTRANT is allowed
 */
int pfring_recv_burst(pfring *ring,
                      struct pfring_packet_info *packets,
                      uint8_t num_packets,
                      uint8_t wait_for_packet);

/**
 * Receives the packets that are there, as many as fit into a chunk of 1 MiB, as the rows of a capture file
 * with nanoseconds: write a file header, then chunk after chunk. Each row is seconds, nanoseconds, bytes
 * present and bytes on the wire (32 bits each, in the byte order of the machine) and the bytes themselves.
 * PF_RING_CHUNK_MODE need not be set.
 *
 * @param ring             the ring; not one with PF_RING_REENTRANT
 * @param chunk            where the pointer to the chunk is written to: memory of the library, valid until
 *                         the next call
 * @param chunk_info       filled: bytes of the chunk, PCAP_NSEC_CHUNK
 * @param wait_for_packet  as in pfring_recv()
 * @return 1 for a chunk; 0, and nothing is written, as in pfring_recv(); PF_RING_ERROR_INVALID_ARGUMENT for
 *         NULL chunk or chunk_info, at the end of a file, and for a ring with PF_RING_REENTRANT;
 *         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring; else as pfring_recv()
 */
int pfring_recv_chunk(pfring *ring,
                      void **chunk,
                      struct pfring_chunk_info *chunk_info,
                      uint8_t wait_for_packet);

/**
 * Receives an update of a flow that hardware keeps. No stock Linux device does.
 *
 * @param ring             the ring
 * @param flow             filled
 * @param wait_for_packet  as in pfring_recv()
 * @return PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_INVALID_ARGUMENT for NULL and for a
 *         PF_RING_REENTRANT ring; else PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_recv_flow(pfring *ring, pfring_flow_update *flow, uint8_t wait_for_packet);

/**
 * Gives metadata that hardware adds to the last packet. No stock Linux device does.
 *
 * @param ring          the ring
 * @param metadata      where the pointer is written to
 * @param metadata_len  where the length in bytes is written to
 * @return PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_get_metadata(pfring *ring, unsigned char **metadata, uint32_t *metadata_len);

/**
 * Tells the time of the next packet without taking it; the packet received last stays valid. Does not wait. So
 * a program that reads several rings takes their packets in the order of time.
 *
 * @param ring  the ring, enabled
 * @param ts    filled: seconds and nanoseconds since 1970
 * @return 0; PF_RING_ERROR_NO_PKT_AVAILABLE when no packet is there; PF_RING_ERROR_RING_NOT_ENABLED;
 *         PF_RING_ERROR_INVALID_ARGUMENT for a NULL ts; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_next_pkt_time(pfring *ring,
                         struct timespec *ts);

/**
 * Tells the stamp of the next packet without taking it, as pfring_next_pkt_time().
 *
 * @param ring          the ring, enabled
 * @param timestamp_ns  filled: nanoseconds since 1970
 * @return as pfring_next_pkt_time()
 */
int pfring_next_pkt_raw_timestamp(pfring *ring, uint64_t *timestamp_ns);

/**
 * Chooses where rules are applied. There is no hardware here that would apply them: hardware_and_software is
 * as software_only, and with hardware_only no rule can be added or removed.
 *
 * @param ring  the ring
 * @param mode  hardware_and_software, hardware_only or software_only (default)
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for
 *         NULL
 */
int pfring_set_filtering_mode(pfring *ring,
                              enum filtering_mode mode);

/**
 * Adds or removes the rule of a flow. Rules may be changed at any time, by any thread. A packet is held
 * against the BPF filter first, then against the rule of its flow; after the actions execute_action_and_continue,
 * reflect_packet_and_continue and bounce_packet_and_continue also against the wildcard rules, and if none of
 * these decides it is dropped. execute_action_and_stop drops it as well.
 *
 * @param ring         the ring
 * @param rule_to_add  the flow, and what happens to its packets in both directions. VLAN, protocol, addresses
 *                     and ports are compared exactly; there is no "any"
 * @param add_rule     0 removes, else adds
 * @return 0; -1 with errno: EINVAL for a NULL rule or an IP version other than 4 and 6; EEXIST when the flow has
 *         a rule; EFAULT for a reflector device that does not exist or is the ring's own (bounce actions may
 *         name that), and when there is no rule to remove at all; EPERM when there is none for this flow.
 *         PF_RING_ERROR_INVALID_ARGUMENT for an unknown action; PF_RING_ERROR_NOT_SUPPORTED with hardware_only
 *         and for a NULL ring
 */
int pfring_handle_hash_filtering_rule(pfring *ring,
                                      hash_filtering_rule *rule_to_add,
                                      unsigned char add_rule);

/**
 * Adds a wildcard rule. A packet is held against the rules from the lowest id to the highest, until one decides;
 * the default policy is what happens if none does. Rules may be changed at any time, by any thread; packets
 * that are queued already are held against them too.
 *
 * @param ring         the ring
 * @param rule_to_add  the rule. On success bits of its IPv4 addresses that its masks do not cover are cleared,
 *                     and a balance_id above balance_pool becomes 0
 * @return 0; -1 with errno: EINVAL for a NULL rule; EEXIST when there is a rule with this id; EFAULT for a reflector
 *         device that does not exist or is the ring's own (bounce actions may name that).
 *         PF_RING_ERROR_INVALID_ARGUMENT for an unknown action; PF_RING_ERROR_NOT_SUPPORTED with hardware_only
 *         and for a NULL ring
 */
int pfring_add_filtering_rule(pfring *ring,
                              filtering_rule *rule_to_add);

/**
 * Removes a wildcard rule.
 *
 * @param ring     the ring
 * @param rule_id  id of the rule
 * @return 0; -1 with errno EFAULT when there is none; PF_RING_ERROR_NOT_SUPPORTED with hardware_only and for a NULL
 *         ring
 */
int pfring_remove_filtering_rule(pfring *ring,
                                 uint16_t rule_id);

/**
 * Removes hash rules that no packet has matched for longer than a time; one that none ever matched counts from
 * when it was added.
 *
 * @param ring            the ring
 * @param inactivity_sec  seconds
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_purge_idle_hash_rules(pfring *ring,
                                 uint16_t inactivity_sec);

/**
 * Removes wildcard rules that no packet has matched for longer than a time, but for those with `locked`; one
 * that none ever matched counts from when it was added.
 *
 * @param ring            the ring
 * @param inactivity_sec  seconds
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_purge_idle_rules(pfring *ring,
                            uint16_t inactivity_sec);

/**
 * Reads the counters of a hash rule.
 *
 * @param ring       the ring
 * @param rule       the rule: its flow counts
 * @param stats      a struct hash_filtering_rule_stats, filled
 * @param stats_len  bytes of stats, at least 28; becomes 28
 * @return 0; -1 with errno EFAULT when the flow has no rule, EINVAL for an IP version other than 4 and 6;
 *         PF_RING_ERROR_INVALID_ARGUMENT for NULL and for too few bytes; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_get_hash_filtering_rule_stats(pfring *ring,
                                         hash_filtering_rule *rule,
                                         char *stats,
                                         unsigned int *stats_len);

/**
 * Reads the counters of a wildcard rule.
 *
 * @param ring       the ring
 * @param rule_id    id of the rule
 * @param stats      a struct hash_filtering_rule_stats, filled
 * @param stats_len  bytes of stats, at least 28; becomes 28
 * @return 0; -1 with errno EFAULT when there is no such rule; PF_RING_ERROR_INVALID_ARGUMENT for NULL and for too
 *         few bytes; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_get_filtering_rule_stats(pfring *ring,
                                    uint16_t rule_id,
                                    char *stats,
                                    unsigned int *stats_len);

/**
 * Sets what happens to packets that no rule decides on.
 *
 * @param ring                         the ring
 * @param rules_default_accept_policy  0 drop, else deliver (default)
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_toggle_filtering_policy(pfring *ring, uint8_t rules_default_accept_policy);

/**
 * Waits until packets can be read: as many as the watermark says, or one if none was set.
 *
 * @param ring           the ring; one that was never enabled starts capture by itself
 * @param wait_duration  milliseconds to wait at most; 0: looks and returns; above INT_MAX: no limit
 * @return 1 when packets are there, also fewer than the watermark once the time is over; 0 when none
 *         is, or with errno EINTR when pfring_breakloop() ended the wait; -1 with errno EINTR when a
 *         signal handler ran, ESHUTDOWN after pfring_shutdown(); PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_poll(pfring *ring,
                unsigned int wait_duration);

/**
 * Tells whether a packet can be read now. Takes nothing.
 *
 * @param ring  the ring, enabled or not
 * @return 1 or 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_is_pkt_available(pfring *ring);

/**
 * Tells the descriptor for select(), poll() and epoll: readable while a packet can be read, and before
 * the ring is enabled. It stays the same until pfring_close(), never shows POLLERR or POLLHUP, and
 * belongs to the ring. Read packets with wait_for_packet 0 until none is left before waiting again.
 *
 * @param ring  the ring
 * @return the descriptor; -1 for NULL
 */
int pfring_get_selectable_fd(pfring *ring);

/**
 * Sets how many packets must be queued before pfring_poll() returns early.
 *
 * @param ring       the ring
 * @param watermark  packets; 0 counts as 1, more than 2048 as 2048
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_set_poll_watermark(pfring *ring, uint16_t watermark);

/**
 * Sets how long a packet waits for the watermark at most.
 *
 * @param ring               the ring
 * @param poll_watermark_ms  milliseconds; 0: no limit but that of the poll itself (default)
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_set_poll_watermark_timeout(pfring *ring, uint16_t poll_watermark_ms);

/**
 * Sets the longest sleep of a blocking receive between two looks into the ring. A receive is not ended
 * by it, and no packet waits for it.
 *
 * @param ring      the ring
 * @param duration  milliseconds, 1 to 65535 (default 500); less or more counts as the nearest
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_set_poll_duration(pfring *ring,
                             unsigned int duration);

/**
 * Counts packets that can be read now, as far as the kernel has handed them over.
 *
 * @param ring  the ring
 * @return packets; 0 for NULL
 */
uint32_t pfring_get_num_queued_pkts(pfring *ring);

/**
 * Does nothing: the indexes of this library's rings are always in step with the kernel's.
 *
 * @param ring  the ring, or NULL
 */
void pfring_sync_indexes_with_kernel(pfring *ring);

/**
 * Sends one frame by the main interface. Never blocks. A frame of a `stack:` ring comes in by it instead, as if
 * the card had received it: up to 3072 bytes, Linux 5.18, CAP_BPF and CAP_NET_ADMIN at the open.
 *
 * A frame that is sent alone leaves at once. In a stream of frames (microseconds apart) frames are sent
 * in batches unless flush_packet is set: each leaves with a later one, with pfring_flush_tx_packets(),
 * with pfring_close(), or after some milliseconds by itself. In send-only mode no tap on this host sees
 * what is sent (PACKET_QDISC_BYPASS).
 *
 * @param ring          the ring, enabled
 * @param pkt           the frame from its link-layer header on, without FCS
 * @param pkt_len       bytes, 1 to MTU + 18
 * @param flush_packet  not 0: the frame, and all before it, leave with this call
 * @return bytes sent; 0 for a frame that a filter rejects on a ring with PF_RING_TX_BPF; PF_RING_ERROR_INVALID_ARGUMENT for NULL, no bytes, or too many (errno
 *         EMSGSIZE); PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_NOT_SUPPORTED in receive-only
 *         mode, after pfring_shutdown(), for a file and for `any`, and where a `stack:` ring cannot send; -1 with errno: ENOBUFS (queue
 *         full: try again), ENETDOWN, ENXIO (the interface is gone)
 */
int pfring_send(pfring *ring,
                char *pkt,
                unsigned int pkt_len,
                uint8_t flush_packet);

/**
 * Sends one frame at once and tells when the card sent it, by the card's clock. Waits for that, 0.1 s at most.
 * For cards that stamp what they send (`ethtool -T`), and with CAP_NET_ADMIN, as it is switched on at the first
 * call. Written by the kernel's documentation and tried with the system's stamps only, for want of such a card.
 *
 * @param ring     the ring, enabled
 * @param pkt      as in pfring_send()
 * @param pkt_len  as in pfring_send()
 * @param ts       filled
 * @return as pfring_send(); -1 with errno ETIMEDOUT when the frame was sent and no time came;
 *         PF_RING_ERROR_NOT_SUPPORTED for a card without such stamps; PF_RING_ERROR_INVALID_ARGUMENT for
 *         NULL
 */
int pfring_send_get_time(pfring *ring,
                         char *pkt,
                         unsigned int pkt_len,
                         struct timespec *ts);

/**
 * Sends the frames that pfring_send() left in a batch.
 *
 * @param ring  the ring
 * @return 0 all have left; -1 with errno: ENOBUFS (the rest waits: try again), ENETDOWN, ENXIO;
 *         PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_flush_tx_packets(pfring *ring);

/**
 * Sets how many frames of a stream leave together.
 *
 * @param ring       the ring
 * @param watermark  frames, 1 (each leaves at once) to 64, the default; others count as the nearest
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL and for what is no interface
 */
int pfring_set_tx_watermark(pfring *ring, uint16_t watermark);

/**
 * Sends the packet that was received last, at once and whole, by another interface. To be called before the
 * next receive, which gives the packet back.
 *
 * @param ring             the ring, opened with PF_RING_RX_PACKET_BOUNCE and PF_RING_LONG_HEADER
 * @param tx_interface_id  index of the interface; that of the packet, and one that does not exist, are
 *                         left alone
 * @return 0; PF_RING_ERROR_WRONG_CONFIGURATION without PF_RING_RX_PACKET_BOUNCE;
 *         PF_RING_ERROR_NO_PKT_AVAILABLE before the first packet and after it was given back;
 *         PF_RING_ERROR_INVALID_ARGUMENT with errno EMSGSIZE for a packet that the snap length cut or
 *         that is too long for the interface; PF_RING_ERROR_NOT_SUPPORTED for NULL, with
 *         PF_RING_REENTRANT, without PF_RING_LONG_HEADER, and for a file; -1 with errno: ENOBUFS, ENETDOWN
 */
int pfring_send_last_rx_packet(pfring *ring,
                               int tx_interface_id);

/**
 * Sends every packet that is received from now on by another device, too: as many bytes as were captured.
 * What cannot be sent is not told. The device is opened in promiscuous mode and closed with the ring.
 *
 * @param ring         the ring
 * @param device_name  name of the device; may be set once
 * @return 0; -1 for a NULL name, for a second device (errno EBUSY), and with the errno of pfring_open()
 *         for a device that cannot be opened; PF_RING_ERROR_INVALID_ARGUMENT for a NULL ring
 */
int pfring_set_reflector_device(pfring *ring,
                                char *device_name);

/**
 * Chooses the packets that are delivered. May be called at any time: queued packets of the other
 * direction are skipped.
 *
 * @param ring       the ring
 * @param direction  rx_and_tx_direction (default), rx_only_direction or tx_only_direction
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for
 *         NULL and for a file
 */
int pfring_set_direction(pfring *ring, packet_direction direction);

/**
 * Chooses what the ring is used for, before it is enabled.
 *
 * @param ring  the ring
 * @param mode  send_and_recv_mode (default), send_only_mode, recv_only_mode or
 *              management_only_mode; a file knows recv_only_mode only
 * @return 0; -1 with errno EBUSY when the ring is enabled, EINVAL for a file;
 *         PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_set_socket_mode(pfring *ring, socket_mode mode);

/**
 * Names the program that uses the ring.
 *
 * @param ring  the ring
 * @param name  the name, at most 63 bytes; copied
 * @return 0; -1 with errno EINVAL for a longer name; PF_RING_ERROR_INVALID_ARGUMENT for a NULL
 *         name; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_set_application_name(pfring *ring, char *name);

/**
 * Stores a text about the program in a file of its own, where others of the same user can read it. The file
 * goes when the ring is closed.
 *
 * @param ring   the ring
 * @param stats  the text; at most 1023 bytes of it are kept
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED where there is no folder for such files (PFRING_RUN_DIR);
 *         -1 with errno when the file cannot be written; PF_RING_ERROR_INVALID_ARGUMENT for NULL stats;
 *         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_set_application_stats(pfring *ring,
                                 char *stats);

/**
 * Tells the file that pfring_set_application_stats() writes to, whether it has done so yet or not.
 *
 * @param ring      the ring
 * @param path      buffer for the name, which is written without a terminator: fill it with zeros before
 * @param path_len  bytes of the buffer: more than the name has
 * @return path; NULL when the buffer is too small, where there is no folder for such files
 *         (PFRING_RUN_DIR), and for NULL
 */
char *pfring_get_appl_stats_file_name(pfring *ring,
                                      char *path,
                                      unsigned int path_len);

/**
 * Sets the name that is shown for the interface in the file about the ring. Nothing else uses it.
 *
 * @param ring             the ring
 * @param custom_dev_name  the name; at most 31 bytes of it are kept
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED where there is no folder for such files (PFRING_RUN_DIR) and
 *         for a NULL ring; PF_RING_ERROR_INVALID_ARGUMENT for a NULL name
 */
int pfring_set_bound_dev_name(pfring *ring,
                              char *custom_dev_name);

/**
 * Asks for promiscuous mode on the interfaces of a ring, or gives it back. Calls are counted, that
 * of PF_RING_PROMISC included; what was not given back is given back at pfring_close().
 *
 * @param ring            the ring
 * @param enable_promisc  0 gives back, else asks
 * @return 0; -1 with errno when nothing is there to give back (EADDRNOTAVAIL) or the interface is
 *         gone (ENODEV); PF_RING_ERROR_NOT_SUPPORTED for a file; PF_RING_ERROR_INVALID_ARGUMENT
 *         for NULL
 */
int pfring_set_promisc(pfring *ring, int enable_promisc);

/**
 * Chooses one receive channel (a queue of the card) in place of those that the device name gives. Packets that
 * are queued already are still delivered.
 *
 * @param ring        the ring
 * @param channel_id  index of the channel, 0 to 63; (u_int32_t)-1 for all
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another index; -1 with errno when the kernel refuses;
 *         PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
 */
int pfring_set_channel_id(pfring *ring,
                          uint32_t channel_id);

/**
 * Chooses receive channels (queues of the card) in place of those that the device name gives. Packets that
 * are queued already are still delivered. What the host sends is of channel 0.
 *
 * @param ring          the ring
 * @param channel_mask  bit n stands for channel n; RING_ANY_CHANNEL: all; 0: nothing is captured
 * @return 0; -1 with errno when the kernel refuses; PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
 */
int pfring_set_channel_mask(pfring *ring,
                            uint64_t channel_mask);

/**
 * Lets a packet's channel be its pkt_hash modulo the number of receive channels of the main interface, and not
 * the queue that it came by. Packets of other channels are then dropped by the library and not by the
 * kernel, which takes time.
 *
 * @param ring  the ring
 * @return 0; -1 with errno when the kernel refuses; PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
 */
int pfring_enable_rss_rehash(pfring *ring);

/**
 * Chooses one VLAN for all interfaces of the ring, in place of those that the device name gives. Packets that
 * are queued already are held against it as well. There is no way back to all VLANs.
 *
 * @param ring     the ring
 * @param vlan_id  id of the outer tag or of the one behind it, 12 bits of it count; 0: packets without
 *                 a tag
 * @return 0; -1 with errno: EINVAL on a ring for sent packets only; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_set_vlan_id(pfring *ring,
                       uint16_t vlan_id);

/**
 * Delivers one packet in so many of those that pass the filter: the first one, then one of each group, at
 * a place that changes. The others are not counted as received, nor as dropped.
 *
 * @param ring  the ring
 * @param rate  packets of a group; 0 and 1: every packet
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_set_sampling_rate(pfring *ring,
                             uint32_t rate);

/**
 * Lets some of the packets pass that hash rules drop: of each 10 * rate packets that such a rule matches,
 * the first ten. They are counted as match_forward of the rule. A rule after which wildcard rules are looked
 * at is not sampled.
 *
 * @param ring  the ring
 * @param rate  one packet of so many passes; 0: none
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_set_filtering_sampling_rate(pfring *ring,
                                       uint32_t rate);

/**
 * Cuts packets behind their headers: of what is received, caplen becomes the end of the header of a layer
 * and some more bytes; len stays. A packet without such a header is cut behind the one before it. The hash and
 * the parsed fields of a packet are those of what is left. Rules and filters see whole packets.
 *
 * @param ring              the ring
 * @param level             the layer; FULL_PACKET_SLICING: packets are not cut
 * @param additional_bytes  bytes to keep behind the header
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for an unknown level; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_set_packet_slicing(pfring *ring,
                              enum packet_slicing_level level,
                              uint32_t additional_bytes);

/**
 * Tells of a device that a program emulates. Not supported.
 *
 * @param ring  the ring
 * @param info  the device
 * @return PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_set_virtual_device(pfring *ring, virtual_filtering_device_info *info);

/**
 * Gives the whole process the real-time policy SCHED_FIFO. Only the first call has an effect. Where the
 * right (CAP_SYS_NICE) is missing the policy stays as it is, and PFRING_LOG=error tells so.
 *
 * @param cpu_percentage  the priority, 1 to 99
 */
void pfring_config(unsigned short cpu_percentage);

/**
 * Switches the promiscuous flag of interfaces on or off, as `ip link set promisc` does: uncounted, and
 * not given back by itself. Needs CAP_NET_ADMIN.
 *
 * @param device       names separated by `,` or `;`; from an `@` on a name is ignored
 * @param set_promisc  0 off, else on
 * @return the flag before (0 or 256) of the last interface; -1 with errno when it cannot be changed;
 *         PF_RING_ERROR_INVALID_ARGUMENT for an unknown interface; -3 for NULL
 */
int pfring_set_if_promisc(const char *device,
                          int set_promisc);

/**
 * Sets the filter of a ring, in the language of tcpdump (pcap-filter(7)). May be called at any
 * time; packets that are queued already are held against it too. An empty text keeps the filter in
 * force. Needs libpcap at run time. `vlan` matches live, although the kernel moves tags out of the
 * frames.
 *
 * @param ring           the ring
 * @param filter_buffer  the text
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or a text that does not compile
 *         (PFRING_LOG=error tells why); PF_RING_ERROR_NOT_SUPPORTED without libpcap; -1 for a NULL
 *         ring
 */
int pfring_set_bpf_filter(pfring *ring, const char *filter_buffer);

/**
 * Takes the filter away.
 *
 * @param ring  the ring
 * @return 0; -1 with errno ENOENT when there is none; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_remove_bpf_filter(pfring *ring);

/**
 * Searches packets for a string. The original does not do it either.
 *
 * @param ring              the ring
 * @param string_to_search  the string
 * @return PF_RING_ERROR_INVALID_ARGUMENT
 */
int pfring_search_payload(pfring *ring, char *string_to_search);

/**
 * Sets what hardware does with packets that no rule decides on. No hardware rules here.
 *
 * @param ring    the ring
 * @param action  the action
 * @return PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_set_default_hw_action(pfring *ring, generic_default_action_type action);

/**
 * Adds a rule to the filter of the main interface's card, as `ethtool -N` does, at the place of its rule_id: a
 * flow goes to a queue, or is dropped (queue_id 65535 of Intel's kinds, flow_drop_rule). Needs CAP_NET_ADMIN and a
 * card with n-tuple filters. The rule is removed with pfring_close(). Kinds: intel_82599_five_tuple_rule,
 * intel_82599_perfect_filter_rule (proto is the transport protocol), generic_flow_tuple_rule with
 * flow_drop_rule and flow_steer_rule (to queue_id). Written by linux/ethtool.h and not tried on hardware.
 *
 * @param ring  the ring
 * @param rule  the rule; its priority is not used
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a card without such filters, for other kinds and actions, for
 *         a file and for a NULL ring; PF_RING_ERROR_INVALID_ARGUMENT for a NULL rule and for unknown
 *         values; -1 with errno: EPERM, and what the driver answers
 */
int pfring_add_hw_rule(pfring *ring,
                       hw_filtering_rule *rule);

/**
 * Removes a rule from the filter of the main interface's card.
 *
 * @param ring     the ring
 * @param rule_id  id of the rule
 * @return 0; -1 with errno: EPERM, and what the driver answers where there is no such rule;
 *         PF_RING_ERROR_NOT_SUPPORTED for a card without such filters, for a file and for NULL
 */
int pfring_remove_hw_rule(pfring *ring, uint16_t rule_id);

/**
 * Joins a cluster: the rings in it, of this process and of others, share the packets of their interface. May
 * be called before the ring is enabled and after. Clusters of different interfaces are apart, whatever their
 * ids. The same as pfring_set_cluster_consumer with queue 64 and no options.
 *
 * A packet goes to the ring whose place is `sum % rings`, and carries the sum as its pkt_hash: of addresses, ports
 * and protocol as the type says, never with the VLAN, equal for both directions. All fragments of a packet are
 * placed by their addresses and protocol. The places of rings that are closed, or whose process has ended,
 * are taken by the others. Type and options of the ring that came first count.
 *
 * @param ring        the ring
 * @param cluster_id  id of the cluster, 1 to 65,535
 * @param the_type    how packets are shared
 * @return 0; -1 with errno EINVAL for id 0 or one above 65,535, ENOSPC for the 257th ring, EINVAL when another
 *         program has a fanout group of the same number; PF_RING_ERROR_INVALID_ARGUMENT for an unknown type;
 *         PF_RING_ERROR_NOT_SUPPORTED for NULL, a file, PFRING_BACKEND=bpf, and once the ring captures
 *         for another cluster and for cluster_per_flow_ip_with_dup_tuple
 */
int pfring_set_cluster(pfring *ring,
                       unsigned int cluster_id,
                       cluster_type the_type);

/**
 * As pfring_set_cluster, with a queue and options.
 *
 * @param ring        the ring
 * @param cluster_id  id of the cluster, from 1
 * @param queue_id    the queue, 0 to 63, or 64 for any. Rings have places in the order in which they join, which
 *                    is that of the queues if they join in that order
 * @param the_type    how packets are shared
 * @param options     CLUSTER_OPTION_RELAXED_DISTRIBUTION: a packet whose ring is full may go to another one
 * @return as pfring_set_cluster; -1 with errno EINVAL for a queue above 64
 */
int pfring_set_cluster_consumer(pfring *ring,
                                uint16_t cluster_id,
                                uint16_t queue_id,
                                cluster_type the_type,
                                uint32_t options);

/**
 * Leaves the cluster. Once the ring captures it stays in it until it is closed.
 *
 * @param ring  the ring
 * @return 0, also without a cluster; PF_RING_ERROR_NOT_SUPPORTED for NULL, and for a ring that captures
 */
int pfring_remove_from_cluster(pfring *ring);

/**
 * Shares the memory of another ring. Not supported.
 *
 * @param ring       the ring
 * @param master_id  id of the other ring
 * @return PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_set_master_id(pfring *ring, uint32_t master_id);

/**
 * Shares the memory of another ring. Not supported.
 *
 * @param ring    the ring
 * @param master  the other ring
 * @return PF_RING_ERROR_NOT_SUPPORTED
 */
int pfring_set_master(pfring *ring, pfring *master);

/**
 * Tells the id of a ring. Not supported yet.
 *
 * @param ring  the ring
 * @return (uint32_t) PF_RING_ERROR_NOT_SUPPORTED
 */
uint32_t pfring_get_ring_id(pfring *ring);

/**
 * Reads the counters: 64 bits, since pfring_open(), not reset by reading. Safe in a signal handler
 * and from any thread.
 *
 * @param ring   the ring
 * @param stats  filled: recv = packets handed to the program, drop = packets that found no room in
 *               the ring, shunt = 0
 * @return 0, also before the ring is enabled; PF_RING_ERROR_INVALID_ARGUMENT for NULL stats;
 *         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_stats(pfring *ring, struct pfring_stat *stats);

/**
 * Tells the version whose interface this library follows.
 *
 * @param ring     the ring
 * @param version  filled: 0x0MMmpp, as RING_VERSION_NUM
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL version; PF_RING_ERROR_NOT_SUPPORTED for a
 *         NULL ring
 */
int pfring_version(pfring *ring, uint32_t *version);

/**
 * Tells the version as pfring_version() does, without a ring.
 *
 * @param version  filled; NULL does nothing
 */
void pfring_version_noring(uint32_t *version);

/**
 * Tells the MAC address of the main interface.
 *
 * @param ring         the ring
 * @param mac_address  six bytes, filled; zeros for `any`
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL address; PF_RING_ERROR_NOT_SUPPORTED for a
 *         file or a NULL ring; -1 with errno ENODEV when the interface is gone
 */
int pfring_get_bound_device_address(pfring *ring, unsigned char *mac_address);

/**
 * Tells the index of the main interface.
 *
 * @param ring      the ring
 * @param if_index  filled; 0 for `any`
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL index; PF_RING_ERROR_NOT_SUPPORTED for a
 *         file or a NULL ring
 */
int pfring_get_bound_device_ifindex(pfring *ring, int *if_index);

/**
 * Tells the index of any interface.
 *
 * @param ring         the ring
 * @param device_name  name of the interface
 * @param if_index     filled
 * @return 0; -1 with errno ENODEV for an unknown interface; PF_RING_ERROR_INVALID_ARGUMENT for a
 *         NULL pointer; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
 */
int pfring_get_device_ifindex(pfring *ring, char *device_name, int *if_index);

/**
 * Tells whether the main interface has a carrier.
 *
 * @param ring  the ring
 * @return 1, also where nobody can tell; 0 without a carrier; PF_RING_ERROR_INVALID_ARGUMENT for
 *         NULL
 */
int pfring_get_link_status(pfring *ring);

/**
 * Tells how the link-layer header of the packets looks.
 *
 * @param ring  the ring
 * @return a DLT_* value of libpcap: 1 Ethernet (also for `any` and lists), 12 bare IP, others for
 *         files; PF_RING_ERROR_NOT_SUPPORTED for NULL
 */
int pfring_get_link_type(pfring *ring);

/**
 * Tells how many bytes of a packet are kept at most.
 *
 * @param ring  the ring
 * @return bytes; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_get_caplen(pfring *ring);

/**
 * Tells the MTU of the main interface as it is now.
 *
 * @param ring  the ring
 * @return bytes, 0 when unknown; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_get_mtu_size(pfring *ring);

/**
 * Tells the longest frame of the main interface. Numbers of descriptors are not known (0).
 *
 * @param ring      the ring
 * @param settings  filled
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_get_card_settings(pfring *ring, struct pfring_card_settings *settings);

/**
 * Counts the receive channels of the main interface.
 *
 * @param ring  the ring
 * @return 1 to 64; 1 when unknown and for NULL
 */
uint8_t pfring_get_num_rx_channels(pfring *ring);

/**
 * Tells the speed of the main interface.
 *
 * @param ring  the ring
 * @return Mbit/s; 0 when unknown and for NULL
 */
uint32_t pfring_get_interface_speed(pfring *ring);

/**
 * Tells how many bytes of struct pfring_pkthdr a receive fills.
 *
 * @param ring  the ring
 * @return 48, or 209 with PF_RING_LONG_HEADER; 65529 for NULL
 */
uint16_t pfring_get_slot_header_len(pfring *ring);

/**
 * Fills a buffer with the bytes 0, 1, 2 and so on, as the original has its kernel do.
 *
 * @param ring        the ring
 * @param buffer      buffer
 * @param buffer_len  bytes of the buffer
 * @param test_len    bytes to fill, at most buffer_len
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL buffer; PF_RING_ERROR_NOT_SUPPORTED for a
 *         NULL ring
 */
int pfring_loopback_test(pfring *ring, char *buffer, uint32_t buffer_len, uint32_t test_len);

/**
 * Tells the speed of any interface.
 *
 * @param ifname  name of the interface; what stands before a `:` is ignored
 * @return Mbit/s; 0 when unknown, for an unknown interface and for NULL
 */
uint32_t pfring_get_ethtool_link_speed(const char *ifname);

/**
 * Lists every interface of the network namespace.
 *
 * @return the first element, to be freed by pfring_freealldevs() only; NULL with errno on failure
 */
struct pfring_if *pfring_findalldevs(void);

/**
 * Frees a list of pfring_findalldevs().
 *
 * @param list  the first element; NULL does nothing
 */
void pfring_freealldevs(struct pfring_if *list);

/**
 * Loads a library and looks functions up in it. What cannot be found stays NULL.
 *
 * @param lib_name  name or path, as for dlopen()
 * @param funcs     elements whose ptr is NULL are looked up; one with name NULL ends the array
 */
void pfring_thirdparty_lib_init(const char *lib_name, struct thirdparty_func *funcs);

/**
 * Reads the clock of the main interface's card (its PTP clock, /dev/ptpN).
 *
 * @param ring  the ring
 * @param ts    filled
 * @return 0; PF_RING_ERROR_NOT_SUPPORTED for a card without a clock, without an interface and for a NULL
 *         ring; -1 with errno: EACCES, ENOENT (no device file); PF_RING_ERROR_INVALID_ARGUMENT for NULL ts
 */
int pfring_get_device_clock(pfring *ring,
                            struct timespec *ts);

/**
 * Sets the clock of the main interface's card.
 *
 * @param ring  the ring
 * @param ts    the time
 * @return as pfring_get_device_clock(); -1 with errno EINVAL for what is no time
 */
int pfring_set_device_clock(pfring *ring, struct timespec *ts);

/**
 * Moves the clock of the main interface's card.
 *
 * @param ring    the ring
 * @param offset  by how much
 * @param sign    negative: back
 * @return as pfring_get_device_clock(); -1 with errno EOPNOTSUPP for a clock that cannot be moved
 */
int pfring_adjust_device_clock(pfring *ring, struct timespec *offset, int8_t sign);

/**
 * Switches the time stamps of an interface's card on or off. This holds for the interface, and stays when the
 * ring is closed. If the interface is one of the ring's, its packets get these stamps from now on, as with
 * PF_RING_HW_TIMESTAMP.
 *
 * @param ring         the ring
 * @param device_name  name of the interface
 * @param enable_rx    0 off, else on: of every packet that comes in
 * @param enable_tx    0 off, else on
 * @return 0; the positive errno of a request that the kernel refuses: EOPNOTSUPP (a card without stamps),
 *         ERANGE (one that cannot stamp all packets), EPERM, ENODEV (no such interface);
 *         PF_RING_ERROR_INVALID_ARGUMENT for a NULL name; PF_RING_ERROR_NOT_SUPPORTED for a file and for a
 *         NULL ring
 */
int pfring_enable_hw_timestamp(pfring *ring,
                               char *device_name,
                               unsigned char enable_rx,
                               unsigned char enable_tx);

/**
 * Tells how far local time is from UTC.
 *
 * @param t  a time in seconds since 1970-01-01 00:00 UTC; 0: now
 * @return seconds east of UTC at that time
 */
int32_t gmt_to_local(time_t t);

/**
 * Parses an Ethernet frame into its header. The packet is not changed.
 *
 * Zero hdr->extended_hdr.parsed_pkt before; or leave there what an earlier call found in the same
 * packet: with l3_offset set layer 2 is not parsed again, with l4_offset set layer 3 neither.
 *
 * @param pkt            bytes of the frame
 * @param hdr            caplen says how many; extended_hdr.parsed_pkt is filled
 * @param level          2 Ethernet and tags, 3 IP, 4 TCP, UDP and others, 5 tunnels
 * @param add_timestamp  not 0: hdr->ts is set to now if its seconds are 0
 * @param add_hash       not 0: pkt_hash is set if it is 0
 * @return the level that was reached, 2 to 6; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_parse_pkt(unsigned char *pkt,
                     struct pfring_pkthdr *hdr,
                     uint8_t level,
                     uint8_t add_timestamp,
                     uint8_t add_hash);

/**
 * Prints a packet by what its header says.
 *
 * @param buff      buffer for the text, which is cut to fit and ends with a zero byte
 * @param buff_len  bytes of the buffer
 * @param p         bytes of the packet, hdr->caplen of them
 * @param h         header with extended_hdr.parsed_pkt filled
 * @return characters of the whole text, as snprintf(); PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_print_parsed_pkt(char *buff,
                            unsigned int buff_len,
                            const unsigned char *p,
                            const struct pfring_pkthdr *h);

/**
 * Parses an Ethernet frame and prints it, as pfring_print_parsed_pkt() does.
 *
 * @param buff      as in pfring_print_parsed_pkt()
 * @param buff_len  as in pfring_print_parsed_pkt()
 * @param p         bytes of the packet
 * @param len       bytes on the wire
 * @param caplen    bytes at p
 * @return as pfring_print_parsed_pkt()
 */
int pfring_print_pkt(char *buff,
                     unsigned int buff_len,
                     const unsigned char *p,
                     unsigned int len,
                     unsigned int caplen);

/**
 * Prints a number with apostrophes between its thousands: 1'234'567.89.
 *
 * @param val           the number
 * @param buf           buffer for the text, which is cut to fit and ends with a zero byte
 * @param buf_len       bytes of the buffer
 * @param add_decimals  not 0: two decimals
 * @return buf; NULL for a NULL buffer
 */
char *pfring_format_numbers(double val, char *buf, unsigned int buf_len, uint8_t add_decimals);

/**
 * Prints decoded time stamps on stderr from now on, as the environment variable PF_RING_DEBUG_TS does.
 */
void pfring_enable_hw_timestamp_debug(void);

/**
 * Reads the stamp that an IXIA tap appended.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param ts          filled; zero without the format's signature
 * @return bytes of the trailer: 19, or 0 without it; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_ixia_hw_timestamp(unsigned char *buffer, uint32_t buffer_len, struct timespec *ts);

/**
 * Takes the stamp that an IXIA tap appended into the header and cuts it off.
 *
 * @param buffer  bytes of the packet, whole
 * @param hdr     ts, timestamp_ns, caplen and len are changed
 * @return 0, also without the format's signature; -1 for a packet that is not whole;
 *         PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_handle_ixia_hw_timestamp(unsigned char *buffer, struct pfring_pkthdr *hdr);

/**
 * Reads the stamp that a VSS or APCON tap appended. The format has no signature.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param ts          filled
 * @return bytes of the trailer: 12; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_vss_apcon_hw_timestamp(unsigned char *buffer,
                                       uint32_t buffer_len,
                                       struct timespec *ts);

/**
 * Takes the stamp that a VSS or APCON tap appended into the header and cuts it off. A packet that is not
 * whole is left alone.
 *
 * @param buffer  bytes of the packet, whole
 * @param hdr     ts, timestamp_ns, caplen and len are changed
 */
void pfring_handle_vss_apcon_hw_timestamp(unsigned char *buffer,
                                          struct pfring_pkthdr *hdr);

/**
 * Reads the stamp that a MetaWatch device (Arista 7130) appended. The format has no signature.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param ts          filled
 * @return bytes of the trailer: 16; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_metawatch_hw_timestamp(unsigned char *buffer,
                                       uint32_t buffer_len,
                                       struct timespec *ts);

/**
 * Reads where a MetaWatch device (Arista 7130) took the packet.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param device_id   filled
 * @param port_id     filled
 * @return bytes of the trailer: 16; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_metawatch_device_info(unsigned char *buffer,
                                      uint32_t buffer_len,
                                      uint16_t *device_id,
                                      uint8_t *port_id);

/**
 * Takes the stamp that a MetaWatch device (Arista 7130) appended into the header and cuts it off.
 *
 * @param buffer  bytes of the packet, whole
 * @param hdr     ts, timestamp_ns, device_id, port_id, caplen and len are changed
 * @return 0; -1 for a packet that is not whole; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_handle_metawatch_hw_timestamp(unsigned char *buffer, struct pfring_pkthdr *hdr);

/**
 * Reads a key frame of an Arista 7150, which ties its tick counter to UTC, and keeps it for the stamps
 * that follow.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param ns          filled: UTC in nanoseconds since 1970
 * @param ticks       filled: the counter at that time
 * @return 0; -1 for another packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_arista_7150_keyframe(unsigned char *buffer,
                                     uint32_t buffer_len,
                                     uint64_t *ns,
                                     uint32_t *ticks);

/**
 * Reads the stamp that an Arista 7150 appended, by the key frame seen last.
 *
 * @param buffer      bytes of the packet
 * @param buffer_len  how many
 * @param ns          filled: UTC in nanoseconds since 1970; 0 before any key frame
 * @return bytes of the trailer: 4; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_read_arista_7150_hw_timestamp(unsigned char *buffer, uint32_t buffer_len, uint64_t *ns);

/**
 * Takes the stamp that an Arista 7150 appended into the header and cuts it off, or learns from a key frame.
 *
 * @param buffer  bytes of the packet, whole
 * @param hdr     ts, timestamp_ns, caplen and len are changed
 * @return 0 a stamp; 1 a key frame, which is no packet for the program; -1 for a packet that is not
 *         whole; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_handle_arista_hw_timestamp(unsigned char *buffer,
                                      struct pfring_pkthdr *hdr);

/**
 * Compiles a filter text for Ethernet frames. Needs libpcap at run time.
 *
 * @param filter_buffer  the text, in the language of tcpdump
 * @param caplen         bytes that an accepted packet is worth
 * @param filter         filled; to be freed by pfring_free_bpf_filter() or libpcap's pcap_freecode()
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or a text that does not compile;
 *         PF_RING_ERROR_NOT_SUPPORTED without libpcap
 */
int pfring_parse_bpf_filter(const char *filter_buffer,
                            unsigned int caplen,
                            pfring_filter_program *filter);

/**
 * Frees a program of pfring_parse_bpf_filter(). Freeing it twice does no harm.
 *
 * @param filter  the program; NULL does nothing
 */
void pfring_free_bpf_filter(pfring_filter_program *filter);

/**
 * Runs a program on a packet. Needs libpcap at run time.
 *
 * @param bf_insns  instructions, as in the member bf_insns
 * @param pkt_data  bytes that were captured
 * @param caplen    how many
 * @param len       bytes on the wire
 * @return bytes of the packet to keep; 0: it does not match, or there is no libpcap, or no packet
 */
uint32_t pfring_bpf_filter(void *bf_insns, unsigned char *pkt_data, uint32_t caplen, uint32_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* Enumerations whose name stands without a tag, too. */
typedef enum filtering_mode filtering_mode;
typedef enum packet_slicing_level packet_slicing_level;
typedef enum pfring_chunk_type pfring_chunk_type;

#endif /* _PFRING_H_ */
