//! The ring as C programs see it.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

use libc::{pthread_rwlock_t, pthread_t, sockaddr_ll, timespec};

use super::*;
use crate::abi::pf_ring_h::*;

/// The hw_ts part of struct __pfring.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_hw_ts {
    /// 1 when hardware stamps are forced.
    pub force_timestamp: u8,
    /// 1 for a Silicom card that stamps.
    pub is_silicom_hw_timestamp_card: u8,
    /// 1 when opened with PF_RING_HW_TIMESTAMP.
    pub enable_hw_timestamp: u8,
    /// Unused here.
    pub last_hw_timestamp_head_offset: u8,
    /// Unused here.
    pub last_hw_timestamp: timespec,
}

/// The tx part of struct __pfring.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_tx {
    /// 1 when opened with PF_RING_RX_PACKET_BOUNCE.
    pub enabled_rx_packet_send: u8,
    /// Unused here: NULL.
    pub last_received_hdr: *mut pfring_pkthdr,
}

/// The rdi part of struct __pfring.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_rdi {
    /// Redirector device, -1 for none.
    pub device_id: i8,
    /// Redirector port, -1 for none.
    pub port_id: i8,
}

/// A ring. Made by pfring_open() only and freed by pfring_close() only. Programs may read the
/// fields; the library keeps the ones that are not said to be unused in step with what the calls
/// do. Function pointers are NULL for what a ring cannot do.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring {
    /// 1 once the ring is open.
    pub initialized: u8,
    /// 1 between pfring_enable_ring() and pfring_disable_ring().
    pub enabled: u8,
    /// 1 when opened with PF_RING_LONG_HEADER.
    pub long_header: u8,
    /// 1 when opened with PF_RING_TIMESTAMP.
    pub force_timestamp: u8,
    /// 1 when opened with PF_RING_STRIP_HW_TIMESTAMP.
    pub strip_hw_timestamp: u8,
    /// 1 when opened with PF_RING_DO_NOT_PARSE.
    pub disable_parsing: u8,
    /// 1 when opened with PF_RING_DO_NOT_TIMESTAMP.
    pub disable_timestamp: u8,
    /// 1 when opened with PF_RING_IXIA_TIMESTAMP.
    pub ixia_timestamp_enabled: u8,
    /// 1 when opened with PF_RING_VSS_APCON_TIMESTAMP.
    pub vss_apcon_timestamp_enabled: u8,
    /// 1 when opened with PF_RING_CHUNK_MODE.
    pub chunk_mode_enabled: u8,
    /// 1 while a filter runs in user space.
    pub userspace_bpf: u8,
    /// 1 when opened with PF_RING_USERSPACE_BPF.
    pub force_userspace_bpf: u8,
    /// 0: no ring is a PF_RING ZC device here.
    pub zc_device: u8,
    /// 1 after pfring_shutdown().
    pub is_shutting_down: u8,
    /// What happens to a packet that no rule decides on: 1 deliver, 0 drop.
    pub socket_default_accept_policy: u8,
    /// Set by pfring_breakloop().
    pub break_recv_loop_ext: u8,
    /// PF_RING_ZC_*_RSS flags given at open.
    pub rss_mode: u32,
    /// Which packets are delivered.
    pub direction: packet_direction,
    /// What the ring is used for.
    pub mode: socket_mode,
    /// Compiled filter. Unused here.
    pub userspace_bpf_filter: pfring_bpf_program,
    /// Hardware time stamps.
    pub hw_ts: __pfring_hw_ts,
    /// Sending a received packet on.
    pub tx: __pfring_tx,
    /// Private to the library.
    pub priv_data: *mut c_void,
    /// Closes.
    pub close: Option<unsafe extern "C" fn(*mut __pfring)>,
    /// Reads counters.
    pub stats: Option<unsafe extern "C" fn(*mut __pfring, *mut pfring_stat) -> c_int>,
    /// Receives a packet.
    pub recv: Option<
        unsafe extern "C" fn(
            *mut __pfring,
            *mut *mut c_uchar,
            c_uint,
            *mut pfring_pkthdr,
            u8,
        ) -> c_int,
    >,
    /// Sets the watermark.
    pub set_poll_watermark: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Sets the watermark timeout, milliseconds.
    pub set_poll_watermark_timeout: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Sets the poll duration, milliseconds.
    pub set_poll_duration: Option<unsafe extern "C" fn(*mut __pfring, c_uint) -> c_int>,
    /// Sets the transmit watermark.
    pub set_tx_watermark: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Chooses a channel.
    pub set_channel_id: Option<unsafe extern "C" fn(*mut __pfring, u32) -> c_int>,
    /// Chooses channels.
    pub set_channel_mask: Option<unsafe extern "C" fn(*mut __pfring, u64) -> c_int>,
    /// Names the program.
    pub set_application_name: Option<unsafe extern "C" fn(*mut __pfring, *mut c_char) -> c_int>,
    /// Stores a text of the program.
    pub set_application_stats: Option<unsafe extern "C" fn(*mut __pfring, *mut c_char) -> c_int>,
    /// Tells where that text is.
    pub get_appl_stats_file_name:
        Option<unsafe extern "C" fn(*mut __pfring, *mut c_char, c_uint) -> *mut c_char>,
    /// Chooses a VLAN.
    pub set_vlan_id: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Adds an interface.
    pub bind: Option<unsafe extern "C" fn(*mut __pfring, *mut c_char) -> c_int>,
    /// Sends a packet.
    pub send: Option<unsafe extern "C" fn(*mut __pfring, *mut c_char, c_uint, u8) -> c_int>,
    /// Sends a packet and tells when.
    pub send_get_time:
        Option<unsafe extern "C" fn(*mut __pfring, *mut c_char, c_uint, *mut timespec) -> c_int>,
    /// Counts receive channels.
    pub get_num_rx_channels: Option<unsafe extern "C" fn(*mut __pfring) -> u8>,
    /// Tells the settings of the card.
    pub get_card_settings:
        Option<unsafe extern "C" fn(*mut __pfring, *mut pfring_card_settings) -> c_int>,
    /// Sets the sampling rate.
    pub set_sampling_rate: Option<unsafe extern "C" fn(*mut __pfring, u32) -> c_int>,
    /// Sets the sampling rate of dropped packets.
    pub set_filtering_sampling_rate: Option<unsafe extern "C" fn(*mut __pfring, u32) -> c_int>,
    /// Sets how much of a packet is kept.
    pub set_packet_slicing:
        Option<unsafe extern "C" fn(*mut __pfring, packet_slicing_level, u32) -> c_int>,
    /// Tells the descriptor for select() and poll().
    pub get_selectable_fd: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Chooses a direction.
    pub set_direction: Option<unsafe extern "C" fn(*mut __pfring, packet_direction) -> c_int>,
    /// Chooses a mode.
    pub set_socket_mode: Option<unsafe extern "C" fn(*mut __pfring, socket_mode) -> c_int>,
    /// Joins a cluster.
    pub set_cluster_consumer:
        Option<unsafe extern "C" fn(*mut __pfring, u16, u16, cluster_type, u32) -> c_int>,
    /// Leaves a cluster.
    pub remove_from_cluster: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Shares the memory of a ring, by id.
    pub set_master_id: Option<unsafe extern "C" fn(*mut __pfring, u32) -> c_int>,
    /// Shares the memory of a ring.
    pub set_master: Option<unsafe extern "C" fn(*mut __pfring, *mut __pfring) -> c_int>,
    /// Tells the id of the ring.
    pub get_ring_id: Option<unsafe extern "C" fn(*mut __pfring) -> u32>,
    /// Counts packets that wait to be read.
    pub get_num_queued_pkts: Option<unsafe extern "C" fn(*mut __pfring) -> u32>,
    /// Reads the counters of a hash rule.
    pub get_hash_filtering_rule_stats: Option<
        unsafe extern "C" fn(
            *mut __pfring,
            *mut hash_filtering_rule,
            *mut c_char,
            *mut c_uint,
        ) -> c_int,
    >,
    /// Adds or removes a hash rule.
    pub handle_hash_filtering_rule:
        Option<unsafe extern "C" fn(*mut __pfring, *mut hash_filtering_rule, c_uchar) -> c_int>,
    /// Removes idle hash rules.
    pub purge_idle_hash_rules: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Adds a wildcard rule.
    pub add_filtering_rule:
        Option<unsafe extern "C" fn(*mut __pfring, *mut filtering_rule) -> c_int>,
    /// Removes a wildcard rule.
    pub remove_filtering_rule: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Removes idle wildcard rules.
    pub purge_idle_rules: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Reads the counters of a wildcard rule.
    pub get_filtering_rule_stats:
        Option<unsafe extern "C" fn(*mut __pfring, u16, *mut c_char, *mut c_uint) -> c_int>,
    /// Sets the default policy.
    pub toggle_filtering_policy: Option<unsafe extern "C" fn(*mut __pfring, u8) -> c_int>,
    /// Spreads over channels by the packet hash.
    pub enable_rss_rehash: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Waits for packets.
    pub poll: Option<unsafe extern "C" fn(*mut __pfring, c_uint) -> c_int>,
    /// Tells whether a packet can be read.
    pub is_pkt_available: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Tells the time of the next packet.
    pub next_pkt_time: Option<unsafe extern "C" fn(*mut __pfring, *mut timespec) -> c_int>,
    /// Tells the raw stamp of the next packet.
    pub next_pkt_raw_timestamp: Option<unsafe extern "C" fn(*mut __pfring, *mut u64) -> c_int>,
    /// Tells the version.
    pub version: Option<unsafe extern "C" fn(*mut __pfring, *mut u32) -> c_int>,
    /// Tells the MAC address.
    pub get_bound_device_address:
        Option<unsafe extern "C" fn(*mut __pfring, *mut c_uchar) -> c_int>,
    /// Tells the interface index.
    pub get_bound_device_ifindex: Option<unsafe extern "C" fn(*mut __pfring, *mut c_int) -> c_int>,
    /// Tells the index of a named interface.
    pub get_device_ifindex:
        Option<unsafe extern "C" fn(*mut __pfring, *mut c_char, *mut c_int) -> c_int>,
    /// Tells the length of the packet header.
    pub get_slot_header_len: Option<unsafe extern "C" fn(*mut __pfring) -> u16>,
    /// Sets a virtual filtering device.
    pub set_virtual_device:
        Option<unsafe extern "C" fn(*mut __pfring, *mut virtual_filtering_device_info) -> c_int>,
    /// Sets the default action of hardware.
    pub set_default_hw_action:
        Option<unsafe extern "C" fn(*mut __pfring, generic_default_action_type) -> c_int>,
    /// Adds a hardware rule.
    pub add_hw_rule: Option<unsafe extern "C" fn(*mut __pfring, *mut hw_filtering_rule) -> c_int>,
    /// Removes a hardware rule.
    pub remove_hw_rule: Option<unsafe extern "C" fn(*mut __pfring, u16) -> c_int>,
    /// Tests the path to the kernel.
    pub loopback_test:
        Option<unsafe extern "C" fn(*mut __pfring, *mut c_char, c_uint, c_uint) -> c_int>,
    /// Starts capture.
    pub enable_ring: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Stops capture.
    pub disable_ring: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Stops all waiting.
    pub shutdown: Option<unsafe extern "C" fn(*mut __pfring)>,
    /// Sets a filter.
    pub set_bpf_filter: Option<unsafe extern "C" fn(*mut __pfring, *const c_char) -> c_int>,
    /// Removes the filter.
    pub remove_bpf_filter: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Reads the clock of the card.
    pub get_device_clock: Option<unsafe extern "C" fn(*mut __pfring, *mut timespec) -> c_int>,
    /// Sets the clock of the card.
    pub set_device_clock: Option<unsafe extern "C" fn(*mut __pfring, *mut timespec) -> c_int>,
    /// Adjusts the clock of the card.
    pub adjust_device_clock:
        Option<unsafe extern "C" fn(*mut __pfring, *mut timespec, i8) -> c_int>,
    /// Gives read packets back.
    pub sync_indexes_with_kernel: Option<unsafe extern "C" fn(*mut __pfring)>,
    /// Sends the last received packet on.
    pub send_last_rx_packet: Option<unsafe extern "C" fn(*mut __pfring, c_int) -> c_int>,
    /// Sends what is queued.
    pub flush_tx_packets: Option<unsafe extern "C" fn(*mut __pfring)>,
    /// Names a ring for zero-copy sending.
    pub register_zerocopy_tx_ring:
        Option<unsafe extern "C" fn(*mut __pfring, *mut __pfring) -> c_int>,
    /// Receives a chunk.
    pub recv_chunk: Option<
        unsafe extern "C" fn(*mut __pfring, *mut *mut c_void, *mut pfring_chunk_info, u8) -> c_int,
    >,
    /// Receives several packets.
    pub recv_burst:
        Option<unsafe extern "C" fn(*mut __pfring, *mut pfring_packet_info, u8, u8) -> c_int>,
    /// Receives a flow update.
    pub recv_flow:
        Option<unsafe extern "C" fn(*mut __pfring, *mut pfring_flow_update, u8) -> c_int>,
    /// Sets the name shown for the interface.
    pub set_bound_dev_name: Option<unsafe extern "C" fn(*mut __pfring, *mut c_char) -> c_int>,
    /// Reads metadata of the last packet.
    pub get_metadata:
        Option<unsafe extern "C" fn(*mut __pfring, *mut *mut c_uchar, *mut u32) -> c_int>,
    /// Tells the speed, Mbit/s.
    pub get_interface_speed: Option<unsafe extern "C" fn(*mut __pfring) -> u32>,
    /// Tells the DLT_* value.
    pub get_link_type: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Silicom redirector.
    pub rdi: __pfring_rdi,
    /// Where rules are applied.
    pub filter_mode: filtering_mode,
    /// Kind of network device.
    pub ft_device_type: pfring_device_type,
    /// Unused here: NULL.
    pub buffer: *mut c_char,
    /// Unused here: NULL.
    pub slots: *mut c_char,
    /// The device name given to pfring_open(), without a module prefix.
    pub device_name: *mut c_char,
    /// PF_RING_* flags given to pfring_open().
    pub flags: u32,
    /// Most bytes of a packet that are kept.
    pub caplen: u32,
    /// Bytes of struct pfring_pkthdr that a receive fills: 48 or 209.
    pub slot_header_len: u16,
    /// MTU of the interface.
    pub mtu: u16,
    /// One packet in this many is delivered; 1 for all.
    pub sampling_rate: u32,
    /// Unused here.
    pub sampling_counter: u32,
    /// Unused here.
    pub sampling_rnd_shift: u32,
    /// How much of a packet is kept.
    pub slicing_level: packet_slicing_level,
    /// Bytes kept beyond that.
    pub slicing_additional_bytes: u32,
    /// Descriptor for select(), poll() and epoll; constant from open to close.
    pub fd: c_int,
    /// Index of the interface.
    pub device_id: c_int,
    /// Unused here: NULL.
    pub slots_info: *mut flowSlotInfo,
    /// Unused here.
    pub poll_sleep: u32,
    /// Longest wait of one round of a blocking receive, milliseconds.
    pub poll_duration: u16,
    /// 1 when opened with PF_RING_PROMISC.
    pub promisc: u8,
    /// 0: there is no flow table here.
    pub ft_enabled: u8,
    /// 1 when opened with PF_RING_REENTRANT.
    pub reentrant: u8,
    /// Set by pfring_breakloop(); a program may set it too.
    pub break_recv_loop: u8,
    /// Filler.
    pub __padding: u16,
    /// Calls of pfring_poll() that waited.
    pub num_poll_calls: u32,
    /// Unused here: the library has locks of its own.
    pub rx_lock: pthread_rwlock_t,
    /// Unused here: the library has locks of its own.
    pub tx_lock: pthread_rwlock_t,
    /// Unused here: NULL.
    pub ft: *mut c_void,
    /// Unused here.
    pub sock_tx: sockaddr_ll,
    /// Ring that received packets are sent to, or NULL.
    pub reflector_socket: *mut __pfring,
    /// Unused here: NULL.
    pub one_copy_rx_pfring: *mut __pfring,
    /// Unused here.
    pub runtime_manager_thread: pthread_t,
}

/// A ring.
pub type pfring = __pfring;
