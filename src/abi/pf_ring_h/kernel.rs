//! What PF_RING's kernel module shares with programs or drivers. Kept for its layout; the library
//! uses none of it.

use std::ffi::{c_char, c_uchar, c_void};

use super::{device, net_device};

/// Driver entry point that waits for a packet; its parameters are the driver's affair.
pub type zc_dev_wait_packet = Option<unsafe extern "C" fn()>;

/// Driver entry point that hears that the device is taken or given back; its parameters are the driver's affair.
pub type zc_dev_notify = Option<unsafe extern "C" fn()>;

/// Driver entry point that sets the clock; its parameters are the driver's affair.
pub type zc_dev_set_time = Option<unsafe extern "C" fn()>;

/// Driver entry point that adjusts the clock; its parameters are the driver's affair.
pub type zc_dev_adjust_time = Option<unsafe extern "C" fn()>;

/// Driver entry point that reads the time of a transmission; its parameters are the driver's affair.
pub type zc_dev_get_tx_time = Option<unsafe extern "C" fn()>;

/// Driver entry point that switches a queue; its parameters are the driver's affair.
pub type zc_dev_control_queue = Option<unsafe extern "C" fn()>;

/// Driver entry point that reads counters; its parameters are the driver's affair.
pub type zc_dev_get_stats = Option<unsafe extern "C" fn()>;

/// Head of the memory that PF_RING's kernel module shares with a program. Kept for its layout: no
/// ring has one here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct flowSlotInfo {
    /// Layout version.
    pub version: u16,
    /// Sampling rate.
    pub sample_rate: u16,
    /// Smallest number of slots.
    pub min_num_slots: u32,
    /// Bytes of a slot, headers included.
    pub slot_len: u32,
    /// Bytes of packet data in a slot.
    pub data_len: u32,
    /// Bytes of the whole.
    pub tot_mem: u64,
    /// Offset of the next slot to fill.
    pub insert_off: u64,
    /// Offset of the next slot to read, kernel side.
    pub kernel_remove_off: u64,
    /// Packets seen.
    pub tot_pkts: u64,
    /// Packets lost.
    pub tot_lost: u64,
    /// Packets queued.
    pub tot_insert: u64,
    /// Packets read, kernel side.
    pub kernel_tot_read: u64,
    /// Packets forwarded.
    pub tot_fwd_ok: u64,
    /// Packets that could not be forwarded.
    pub tot_fwd_notok: u64,
    /// Packets sent.
    pub good_pkt_sent: u64,
    /// Packets that could not be sent.
    pub pkt_send_error: u64,
    /// Filler up to 128 bytes.
    pub padding: [c_char; 24],
    /// Filler up to one page.
    pub k_padding: [c_char; 3968],
    /// Packets read.
    pub tot_read: u64,
    /// Offset of the next slot to read.
    pub remove_off: u64,
    /// Filler up to two pages.
    pub u_padding: [c_char; 4080],
}

/// Driver-side entry points of a zero-copy device. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct zc_dev_callbacks {
    /// Waits for a packet.
    pub wait_packet: zc_dev_wait_packet,
    /// Tells that the device is taken or given back.
    pub usage_notification: zc_dev_notify,
    /// Sets the clock.
    pub set_time: zc_dev_set_time,
    /// Adjusts the clock.
    pub adjust_time: zc_dev_adjust_time,
    /// Reads the time of a transmission.
    pub get_tx_time: zc_dev_get_tx_time,
    /// Switches a queue.
    pub control_queue: zc_dev_control_queue,
    /// Reads counters.
    pub get_stats: zc_dev_get_stats,
}

/// What happens to a zero-copy device mapping.
#[repr(C)]
pub enum ZcDevOperationDecl {
    /// It is added.
    add_device_mapping = 0,
    /// It is removed.
    remove_device_mapping = 1,
}

c_enum! {
    zc_dev_operation, ZcDevOperationDecl {
        ADD_DEVICE_MAPPING = add_device_mapping,
        REMOVE_DEVICE_MAPPING = remove_device_mapping,
    }
}

/// Family of a zero-copy device.
#[repr(C)]
pub enum ZcDevModelDecl {
    /// Intel e1000e.
    intel_e1000e = 0,
    /// Intel igb.
    intel_igb = 1,
    /// Intel ixgbe.
    intel_ixgbe = 2,
    /// Intel 82598.
    intel_ixgbe_82598 = 3,
    /// Intel 82599.
    intel_ixgbe_82599 = 4,
    /// Intel 82580.
    intel_igb_82580 = 5,
    /// Intel e1000.
    intel_e1000 = 6,
    /// Intel 82599 with time stamps.
    intel_ixgbe_82599_ts = 7,
    /// Intel i40e.
    intel_i40e = 8,
    /// Intel ixgbe, virtual function.
    intel_ixgbe_vf = 9,
    /// Intel X550.
    intel_ixgbe_x550 = 10,
    /// Intel ice.
    intel_ice = 11,
    /// Intel i40e, virtual function.
    intel_i40e_vf = 12,
}

c_enum! {
    zc_dev_model, ZcDevModelDecl {
        INTEL_E1000E = intel_e1000e,
        INTEL_IGB = intel_igb,
        INTEL_IXGBE = intel_ixgbe,
        INTEL_IXGBE_82598 = intel_ixgbe_82598,
        INTEL_IXGBE_82599 = intel_ixgbe_82599,
        INTEL_IGB_82580 = intel_igb_82580,
        INTEL_E1000 = intel_e1000,
        INTEL_IXGBE_82599_TS = intel_ixgbe_82599_ts,
        INTEL_I40E = intel_i40e,
        INTEL_IXGBE_VF = intel_ixgbe_vf,
        INTEL_IXGBE_X550 = intel_ixgbe_x550,
        INTEL_ICE = intel_ice,
        INTEL_I40E_VF = intel_i40e_vf,
    }
}

/// Descriptor ring of a zero-copy device. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct zc_dev_ring_info {
    /// Slots.
    pub packet_memory_num_slots: u32,
    /// Bytes of a slot.
    pub packet_memory_slot_len: u32,
    /// Bytes of the descriptors.
    pub descr_packet_memory_tot_len: u32,
    /// Index of its registers.
    pub registers_index: u16,
    /// Index of its counters.
    pub stats_index: u16,
    /// Interrupt vector.
    pub vector: u32,
    /// Queues.
    pub num_queues: u32,
}

/// Memory of a zero-copy device. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct zc_memory_info {
    /// Receive ring.
    pub rx: zc_dev_ring_info,
    /// Transmit ring.
    pub tx: zc_dev_ring_info,
    /// Bytes of card memory.
    pub phys_card_memory_len: u32,
    /// Family of the device.
    pub device_model: zc_dev_model,
}

/// A zero-copy device. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct zc_dev_info {
    /// Its memory.
    pub mem_info: zc_memory_info,
    /// Its channel.
    pub channel_id: u16,
    /// Receive descriptors.
    pub rx_descr_packet_memory: *mut c_void,
    /// Transmit descriptors.
    pub tx_descr_packet_memory: *mut c_void,
    /// Card memory.
    pub phys_card_memory: *mut c_char,
    /// Kernel network device.
    pub dev: *mut net_device,
    /// Kernel device.
    pub hwdev: *mut device,
    /// MAC address.
    pub device_address: [c_uchar; 6],
    /// Kernel wait queue.
    pub packet_waitqueue: *mut c_void,
    /// Interrupt flag.
    pub interrupt_received: *mut u8,
    /// 1 while taken.
    pub in_use: u8,
    /// Driver private.
    pub rx_adapter: *mut c_void,
    /// Driver private.
    pub tx_adapter: *mut c_void,
    /// Driver entry points.
    pub callbacks: zc_dev_callbacks,
}

/// Names a zero-copy device. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct zc_dev_mapping {
    /// Add or remove.
    pub operation: zc_dev_operation,
    /// Interface name.
    pub device_name: [c_char; 16],
    /// Its channel.
    pub channel_id: i32,
    /// Family of the device.
    pub device_model: zc_dev_model,
}

/// Another name of struct flowSlotInfo.
pub type FlowSlotInfo = flowSlotInfo;
