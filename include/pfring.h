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
   and the instructions (struct bpf_insn), which only pfring_free_bpf_filter() frees. */
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
 * Ask the card for time stamps.
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
 * Take the hardware time stamp off the packet.
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
 * Read the IXIA trailer.
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
 * Read the VSS or APCON trailer.
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
 * Hide packets that a stack: ring injected.
 */
#define PF_RING_DISCARD_INJECTED_PKTS (1 << 24)

/**
 * Read the Arista 7150 trailer or 7280 header.
 */
#define PF_RING_ARISTA_TIMESTAMP (1 << 25)

/**
 * Read the MetaWatch trailer.
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
 * An element of the interface list.
 */
typedef struct pfring_if pfring_if_t;

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

/* Enumerations whose name stands without a tag, too. */
typedef enum filtering_mode filtering_mode;
typedef enum packet_slicing_level packet_slicing_level;
typedef enum pfring_chunk_type pfring_chunk_type;

#endif /* _PFRING_H_ */
