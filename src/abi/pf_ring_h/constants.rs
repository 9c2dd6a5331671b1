//! The constants of `linux/pf_ring.h`, but for those of `by_hand`.

use std::ffi::c_int;

// Version

/// The version that this interface follows, as 0x0MMmpp: 8.9.0.
pub const RING_VERSION_NUM: i32 = 0x080900;
/// Version of the packet header layout.
pub const RING_FLOWSLOT_VERSION: i32 = 21;
/// Filler byte of PF_RING's slots.
pub const RING_MAGIC_VALUE: i32 = 0x88;

// Sizes and defaults

/// Fewest slots of a ring.
pub const MIN_NUM_SLOTS: i32 = 512;
/// Slots of a ring unless set otherwise.
pub const DEFAULT_NUM_SLOTS: i32 = 4096;
/// Bytes kept of a packet unless set otherwise.
pub const DEFAULT_BUCKET_LEN: i32 = 128;
/// Most interfaces.
pub const MAX_NUM_DEVICES: i32 = 256;
/// Most rings.
pub const MAX_NUM_RING_SOCKETS: i32 = 512;
/// Queues of a cluster; as a queue number: the lowest free one.
pub const MAX_CLUSTER_QUEUES: u16 = 64;
/// Packets that are queued before a sleeper is woken, unless set otherwise.
pub const DEFAULT_MIN_PKT_QUEUED: u16 = 128;
/// Milliseconds after which fewer packets wake a sleeper too; 0 switches that off.
pub const DEFAULT_POLL_WATERMARK_TIMEOUT: u16 = 0;
/// Factor of pfring_set_filtering_sampling_rate().
pub const FILTERING_SAMPLING_RATIO: u32 = 10;
/// Most elements of a list.
pub const MAX_NUM_LIST_ELEMENTS: i32 = 512;
/// Buckets of a hash rule table.
pub const DEFAULT_RING_HASH_SIZE: i32 = 4096;
/// Bytes of reflector_device_name.
pub const REFLECTOR_NAME_LEN: usize = 8;
/// No reflector device.
pub const REFLECT_PACKET_DEVICE_NONE: i32 = 0;

// Socket family and its ioctl. PF_RING's kernel module answers to them; here they are names only.

/// Protocol family.
pub const PF_RING: i32 = 27;
/// Socket type.
pub const SOCK_RING: i32 = 27;
/// Ioctl.
pub const SIORINGPOLL: i32 = 0x8888;

// Socket options. PF_RING's kernel module answers to them; here they are names only.

/// Joins a cluster.
pub const SO_ADD_TO_CLUSTER: i32 = 99;
/// Leaves a cluster.
pub const SO_REMOVE_FROM_CLUSTER: i32 = 100;
/// Sets a string.
pub const SO_SET_STRING: i32 = 101;
/// Adds a rule.
pub const SO_ADD_FILTERING_RULE: i32 = 102;
/// Removes a rule.
pub const SO_REMOVE_FILTERING_RULE: i32 = 103;
/// Sets the default policy.
pub const SO_TOGGLE_FILTER_POLICY: i32 = 104;
/// Sets the sampling rate.
pub const SO_SET_SAMPLING_RATE: i32 = 105;
/// Starts capture.
pub const SO_ACTIVATE_RING: i32 = 106;
/// Sets the bytes kept of a packet.
pub const SO_RING_BUCKET_LEN: i32 = 107;
/// Chooses channels.
pub const SO_SET_CHANNEL_ID: i32 = 108;
/// Removes idle hash rules.
pub const SO_PURGE_IDLE_HASH_RULES: i32 = 109;
/// Names the program.
pub const SO_SET_APPL_NAME: i32 = 110;
/// Chooses a direction.
pub const SO_SET_PACKET_DIRECTION: i32 = 111;
/// Shares the memory of a ring.
pub const SO_SET_MASTER_RING: i32 = 112;
/// Adds a hardware rule.
pub const SO_ADD_HW_FILTERING_RULE: i32 = 113;
/// Removes a hardware rule.
pub const SO_DEL_HW_FILTERING_RULE: i32 = 114;
/// Hides injected packets.
pub const SO_DISCARD_INJECTED_PKTS: i32 = 115;
/// Stops capture.
pub const SO_DEACTIVATE_RING: i32 = 116;
/// Sets the watermark.
pub const SO_SET_POLL_WATERMARK: i32 = 117;
/// Sets a virtual filtering device.
pub const SO_SET_VIRTUAL_FILTERING_DEVICE: i32 = 118;
/// Spreads over channels by the packet hash.
pub const SO_REHASH_RSS_PACKET: i32 = 119;
/// Sets the sampling rate of dropped packets.
pub const SO_SET_FILTERING_SAMPLING_RATE: i32 = 120;
/// Sets the watermark timeout.
pub const SO_SET_POLL_WATERMARK_TIMEOUT: i32 = 121;
/// Sets the clock of a card.
pub const SO_SET_DEV_TIME: i32 = 122;
/// Adjusts the clock of a card.
pub const SO_ADJ_DEV_TIME: i32 = 123;
/// Stops all waiting.
pub const SO_SHUTDOWN_RING: i32 = 124;
/// Removes idle wildcard rules.
pub const SO_PURGE_IDLE_RULES: i32 = 125;
/// Chooses a mode.
pub const SO_SET_SOCKET_MODE: i32 = 126;
/// Asks for the short packet header.
pub const SO_USE_SHORT_PKT_HEADER: i32 = 127;
/// Switches a device queue.
pub const SO_CONTROL_DEV_QUEUE: i32 = 128;
/// Allows sending received packets on.
pub const SO_ENABLE_RX_PACKET_BOUNCE: i32 = 131;
/// Stores a text of the program.
pub const SO_SET_APPL_STATS: i32 = 133;
/// Sends to the host's own stack.
pub const SO_SET_STACK_INJECTION_MODE: i32 = 134;
/// Makes a cluster referee.
pub const SO_CREATE_CLUSTER_REFEREE: i32 = 135;
/// Publishes a cluster object.
pub const SO_PUBLISH_CLUSTER_OBJECT: i32 = 136;
/// Locks a cluster object.
pub const SO_LOCK_CLUSTER_OBJECT: i32 = 137;
/// Unlocks a cluster object.
pub const SO_UNLOCK_CLUSTER_OBJECT: i32 = 138;
/// Sets the name shown for the interface.
pub const SO_SET_CUSTOM_BOUND_DEV_NAME: i32 = 139;
/// Switches promiscuous mode.
pub const SO_SET_IFF_PROMISC: i32 = 140;
/// Chooses a VLAN.
pub const SO_SET_VLAN_ID: i32 = 141;
/// Tells the version.
pub const SO_GET_RING_VERSION: i32 = 170;
/// Reads the counters of a wildcard rule.
pub const SO_GET_FILTERING_RULE_STATS: i32 = 171;
/// Reads the counters of a hash rule.
pub const SO_GET_HASH_FILTERING_RULE_STATS: i32 = 172;
/// Describes a zero-copy device.
pub const SO_GET_ZC_DEVICE_INFO: i32 = 173;
/// Counts receive channels.
pub const SO_GET_NUM_RX_CHANNELS: i32 = 174;
/// Tells the id of the ring.
pub const SO_GET_RING_ID: i32 = 175;
/// Tells the filter extensions.
pub const SO_GET_BPF_EXTENSIONS: i32 = 176;
/// Tells the MAC address.
pub const SO_GET_BOUND_DEVICE_ADDRESS: i32 = 177;
/// Counts packets that wait to be read.
pub const SO_GET_NUM_QUEUED_PKTS: i32 = 178;
/// Tells the length of the packet header.
pub const SO_GET_PKT_HEADER_LEN: i32 = 179;
/// Tests the path to the kernel.
pub const SO_GET_LOOPBACK_TEST: i32 = 180;
/// Tells the bytes kept of a packet.
pub const SO_GET_BUCKET_LEN: i32 = 181;
/// Tells the kind of device.
pub const SO_GET_DEVICE_TYPE: i32 = 182;
/// Allocates card memory.
pub const SO_GET_EXTRA_DMA_MEMORY: i32 = 183;
/// Tells the interface index.
pub const SO_GET_BOUND_DEVICE_IFINDEX: i32 = 184;
/// Tells the index of a named interface.
pub const SO_GET_DEVICE_IFINDEX: i32 = 185;
/// Tells where the text of the program is.
pub const SO_GET_APPL_STATS_FILE_NAME: i32 = 186;
/// Tells the link status.
pub const SO_GET_LINK_STATUS: i32 = 187;
/// Tells the time of a transmission.
pub const SO_GET_DEV_TX_TIME: i32 = 188;
/// Reads device counters.
pub const SO_GET_DEV_STATS: i32 = 189;
/// Selects a zero-copy device.
pub const SO_SELECT_ZC_DEVICE: i32 = 190;

// Return codes

/// Anything else; errno tells more.
pub const PF_RING_ERROR_GENERIC: c_int = -1;
/// An argument is out of its range, or NULL.
pub const PF_RING_ERROR_INVALID_ARGUMENT: c_int = -2;
/// No packet is there.
pub const PF_RING_ERROR_NO_PKT_AVAILABLE: c_int = -3;
/// No room to send.
pub const PF_RING_ERROR_NO_TX_SLOT_AVAILABLE: c_int = -4;
/// The ring was not set up for this.
pub const PF_RING_ERROR_WRONG_CONFIGURATION: c_int = -5;
/// Never returned here.
pub const PF_RING_ERROR_END_OF_DEMO_MODE: c_int = -6;
/// This ring cannot do it.
pub const PF_RING_ERROR_NOT_SUPPORTED: c_int = -7;
/// Library and kernel differ. Never returned here.
pub const PF_RING_ERROR_INVALID_LIB_VERSION: c_int = -8;
/// Unknown device.
pub const PF_RING_ERROR_UNKNOWN_ADAPTER: c_int = -9;
/// Out of memory.
pub const PF_RING_ERROR_NOT_ENOUGH_MEMORY: c_int = -10;
/// The ring cannot be used any more.
pub const PF_RING_ERROR_INVALID_STATUS: c_int = -11;
/// pfring_enable_ring() has not been called.
pub const PF_RING_ERROR_RING_NOT_ENABLED: c_int = -12;
/// Malformed interface name.
pub const PF_RING_ERROR_BAD_IFNAME: c_int = -13;
/// A kernel part is missing.
pub const PF_RING_ERROR_MOD_NOT_LOADED: c_int = -14;
/// Memory cannot be mapped.
pub const PF_RING_ERROR_UNABLE_TO_MAP: c_int = -15;
/// Device information cannot be read.
pub const PF_RING_ERROR_UNABLE_TO_GET_INFO: c_int = -16;
/// Ring memory cannot be mapped.
pub const PF_RING_ERROR_MMAP_FAILURE: c_int = -17;
/// Set-up failed.
pub const PF_RING_ERROR_INIT_FAILURE: c_int = -18;

// Values of packet header fields

/// if_index: not known.
pub const UNKNOWN_INTERFACE: i32 = -1;
/// if_index: the packet was made up.
pub const FAKE_PACKET: i32 = -2;
/// The checksum has not been filled in yet: hardware would have done it.
pub const PKT_FLAGS_CHECKSUM_OFFLOAD: u32 = 1 << 0;
/// The checksum was verified.
pub const PKT_FLAGS_CHECKSUM_OK: u32 = 1 << 1;
/// An IPv4 fragment that others follow.
pub const PKT_FLAGS_IP_MORE_FRAG: u32 = 1 << 2;
/// An IPv4 fragment that is not the first.
pub const PKT_FLAGS_IP_FRAG_OFFSET: u32 = 1 << 3;
/// The VLAN tag had been taken out of the packet and was put back.
pub const PKT_FLAGS_VLAN_HWACCEL: u32 = 1 << 4;
/// Hardware knows the flow.
pub const PKT_FLAGS_FLOW_HIT: u32 = 1 << 5;
/// Hardware does not know the flow.
pub const PKT_FLAGS_FLOW_MISS: u32 = 1 << 6;
/// Hardware does not follow flows of this kind.
pub const PKT_FLAGS_FLOW_UNHANDLED: u32 = 1 << 7;

// Rules

/// optional_fields: tunnel_id counts.
pub const FILTER_TUNNEL_ID_FLAG: u16 = 1 << 0;
/// Rule id: none, or chosen by the library.
pub const FILTERING_RULE_AUTO_RULE_ID: u16 = 0xFFFF;
/// Marks a hardware rule request.
pub const MAGIC_HW_FILTERING_RULE_REQUEST: i32 = 0x29010020;
/// cause: asked for by software.
pub const PF_RING_FLOW_UPDATE_CAUSE_SW: i32 = 0;
/// cause: the flow was idle.
pub const PF_RING_FLOW_UPDATE_CAUSE_TIMEOUT: i32 = 1;
/// cause: the TCP connection ended.
pub const PF_RING_FLOW_UPDATE_CAUSE_TCP_TERM: i32 = 2;
/// cause: periodic report.
pub const PF_RING_FLOW_UPDATE_CAUSE_PROBE: i32 = 4;
/// cause: unknown.
pub const PF_RING_FLOW_UPDATE_CAUSE_UNKNOWN: i32 = 5;

// Channels, VLANs, clusters

/// Most channels of an interface.
pub const MAX_NUM_RX_CHANNELS: usize = 64;
/// Number of channels when it is not known.
pub const UNKNOWN_NUM_RX_CHANNELS: i32 = 1;
/// Highest cluster_type.
pub const MAX_CLUSTER_TYPE_ID: u32 = 13;
/// A packet that its ring has no room for may go to another ring.
pub const CLUSTER_OPTION_RELAXED_DISTRIBUTION: u32 = 1 << 0;

// Protocol numbers

/// GRE: checksum present.
pub const GRE_HEADER_CHECKSUM: u16 = 0x8000;
/// GRE: routing present.
pub const GRE_HEADER_ROUTING: u16 = 0x4000;
/// GRE: key present.
pub const GRE_HEADER_KEY: u16 = 0x2000;
/// GRE: sequence number present.
pub const GRE_HEADER_SEQ_NUM: u16 = 0x1000;
/// GRE: version.
pub const GRE_HEADER_VERSION: u16 = 0x0007;
/// UDP port of GTP-C.
pub const GTP_SIGNALING_PORT: u16 = 2123;
/// UDP port of GTP-U.
pub const GTP_U_DATA_PORT: u16 = 2152;
/// GTP version 1.
pub const GTP_VERSION_1: u8 = 1;
/// GTP version 2.
pub const GTP_VERSION_2: u8 = 2;
/// GTP, as against GTP prime.
pub const GTP_PROTOCOL_TYPE: u8 = 1;
/// GTP flags: version.
pub const GTP_FLAGS_VERSION: u8 = 0xE0;
/// GTP flags: place of the version.
pub const GTP_FLAGS_VERSION_SHIFT: u8 = 5;
/// GTP flags: protocol type.
pub const GTP_FLAGS_PROTOCOL_TYPE: u8 = 0x10;
/// GTP flags: reserved.
pub const GTP_FLAGS_RESERVED: u8 = 0x08;
/// GTP flags: extension header present.
pub const GTP_FLAGS_EXTENSION: u8 = 0x04;
/// GTP flags: sequence number present.
pub const GTP_FLAGS_SEQ_NUM: u8 = 0x02;
/// GTP flags: N-PDU number present.
pub const GTP_FLAGS_NPDU_NUM: u8 = 0x01;
/// Unit of a GTP extension header's length.
pub const GTP_EXT_HDR_LEN_UNIT_BYTES: usize = 4;
/// UDP port of Mobile IP.
pub const MOBILE_IP_PORT: u16 = 434;
/// UDP port of VXLAN.
pub const VXLAN_IP_PORT: u16 = 4789;
