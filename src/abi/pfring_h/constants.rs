//! The constants of `pfring.h`, but for those of `by_hand`.

// Sizes and defaults

/// Most bytes of a packet that a ring keeps.
pub const MAX_CAPLEN: u32 = 65600;
/// Milliseconds of one round of a blocking receive, unless set otherwise.
pub const DEFAULT_POLL_DURATION: u16 = 500;
/// Unused.
pub const POLL_SLEEP_STEP: u32 = 10;
/// Unused.
pub const POLL_SLEEP_MIN: u32 = 10;
/// Unused.
pub const POLL_SLEEP_MAX: u32 = 1000;
/// Unused.
pub const POLL_QUEUE_MIN_LEN: u32 = 500;

// Flags of pfring_open(). Those about flows in hardware and ZC are accepted and have no effect.

/// Hardware hashes both directions alike.
pub const PF_RING_ZC_SYMMETRIC_RSS: u32 = 1 << 0;
/// Several threads may receive, or send, on the ring at once.
pub const PF_RING_REENTRANT: u32 = 1 << 1;
/// Fill all of struct pfring_pkthdr.
pub const PF_RING_LONG_HEADER: u32 = 1 << 2;
/// Promiscuous mode until close.
pub const PF_RING_PROMISC: u32 = 1 << 3;
/// Fill the time stamp, also where that costs.
pub const PF_RING_TIMESTAMP: u32 = 1 << 4;
/// Has the card stamp what comes in, where it can.
pub const PF_RING_HW_TIMESTAMP: u32 = 1 << 5;
/// Allow pfring_send_last_rx_packet().
pub const PF_RING_RX_PACKET_BOUNCE: u32 = 1 << 6;
/// Hardware puts everything into queue 0.
pub const PF_RING_ZC_FIXED_RSS_Q_0: u32 = 1 << 7;
/// Take the hardware time stamp off the packet. No effect.
pub const PF_RING_STRIP_HW_TIMESTAMP: u32 = 1 << 8;
/// Leave parsed_pkt alone.
pub const PF_RING_DO_NOT_PARSE: u32 = 1 << 9;
/// No time stamp is needed.
pub const PF_RING_DO_NOT_TIMESTAMP: u32 = 1 << 10;
/// Receive chunks.
pub const PF_RING_CHUNK_MODE: u32 = 1 << 11;
/// The stamp in the IXIA trailer becomes the packet's, and the trailer is cut off.
pub const PF_RING_IXIA_TIMESTAMP: u32 = 1 << 12;
/// Filter in user space.
pub const PF_RING_USERSPACE_BPF: u32 = 1 << 13;
/// Leave the hardware hash alone.
pub const PF_RING_ZC_NOT_REPROGRAM_RSS: u32 = 1 << 14;
/// As PF_RING_IXIA_TIMESTAMP, for the VSS or APCON trailer.
pub const PF_RING_VSS_APCON_TIMESTAMP: u32 = 1 << 15;
/// Hardware hashes addresses only.
pub const PF_RING_ZC_IPONLY_RSS: u32 = 1 << 16;
/// Hardware follows flows.
pub const PF_RING_FLOW_OFFLOAD: u32 = 1 << 17;
/// Hardware follows flows and reports nothing.
pub const PF_RING_FLOW_OFFLOAD_NOUPDATES: u32 = 1 << 18;
/// Keep the frame check sequence.
pub const PF_RING_KEEP_CRC: u32 = 1 << 19;
/// Filter by application protocol: pfring_open() fails with ENOTSUP.
pub const PF_RING_L7_FILTERING: u32 = 1 << 20;
/// Keep the frame check sequence.
pub const PF_RING_DO_NOT_STRIP_FCS: u32 = 1 << 21;
/// Filter sent packets too.
pub const PF_RING_TX_BPF: u32 = 1 << 22;
/// Hardware follows flows inside tunnels.
pub const PF_RING_FLOW_OFFLOAD_TUNNEL: u32 = 1 << 23;
/// Hide packets that a stack: ring injected. No effect: they are like all others.
pub const PF_RING_DISCARD_INJECTED_PKTS: u32 = 1 << 24;
/// As PF_RING_IXIA_TIMESTAMP, for the Arista 7150 trailer; the stamp of a 7280 header, which stays.
pub const PF_RING_ARISTA_TIMESTAMP: u32 = 1 << 25;
/// As PF_RING_IXIA_TIMESTAMP, for the MetaWatch trailer.
pub const PF_RING_METAWATCH_TIMESTAMP: u32 = 1 << 26;
/// Older name of PF_RING_ZC_SYMMETRIC_RSS.
pub const PF_RING_DNA_SYMMETRIC_RSS: u32 = PF_RING_ZC_SYMMETRIC_RSS;
/// Older name of PF_RING_ZC_FIXED_RSS_Q_0.
pub const PF_RING_DNA_FIXED_RSS_Q_0: u32 = PF_RING_ZC_FIXED_RSS_Q_0;
