//! Records that calls take and fill.

use std::ffi::{c_char, c_int, c_uchar};

use libc::{time_t, timeval};

use super::__pfring;
use crate::abi::pf_ring_h::*;

/// Where filter rules are applied.
#[repr(C)]
pub enum FilteringModeDecl {
    /// In both.
    hardware_and_software = 0,
    /// In hardware; software rules are accepted and not applied.
    hardware_only = 1,
    /// In software.
    software_only = 2,
}

c_enum! {
    filtering_mode, FilteringModeDecl {
        HARDWARE_AND_SOFTWARE = hardware_and_software,
        HARDWARE_ONLY = hardware_only,
        SOFTWARE_ONLY = software_only,
    }
}

/// Up to which header packets are kept.
#[repr(C)]
pub enum PacketSlicingLevelDecl {
    /// Whole packets.
    FULL_PACKET_SLICING = 0,
    /// Up to the Ethernet header.
    L2_SLICING = 2,
    /// Up to the network header.
    L3_SLICING = 3,
    /// Up to the transport header.
    L4_SLICING = 4,
}

c_enum! {
    packet_slicing_level, PacketSlicingLevelDecl {
        FULL_PACKET_SLICING = FULL_PACKET_SLICING,
        L2_SLICING = L2_SLICING,
        L3_SLICING = L3_SLICING,
        L4_SLICING = L4_SLICING,
    }
}

/// Format of a chunk of packets.
#[repr(C)]
pub enum PfringChunkTypeDecl {
    /// pcap, microseconds.
    PCAP_CHUNK = 0,
    /// pcap, nanoseconds.
    PCAP_NSEC_CHUNK = 1,
    /// pcapng, nanoseconds.
    PCAPNG_NSEC_CHUNK = 2,
    /// Anything else.
    UNKNOWN_CHUNK_TYPE = 3,
}

c_enum! {
    pfring_chunk_type, PfringChunkTypeDecl {
        PCAP_CHUNK = PCAP_CHUNK,
        PCAP_NSEC_CHUNK = PCAP_NSEC_CHUNK,
        PCAPNG_NSEC_CHUNK = PCAPNG_NSEC_CHUNK,
        UNKNOWN_CHUNK_TYPE = UNKNOWN_CHUNK_TYPE,
    }
}

/// What pfring_get_card_settings() tells of an interface.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_card_settings {
    /// Longest frame in bytes: MTU and Ethernet header.
    pub max_packet_size: u32,
    /// Receive descriptors, 0 when unknown.
    pub rx_ring_slots: u32,
    /// Transmit descriptors, 0 when unknown.
    pub tx_ring_slots: u32,
}

/// Counters of a ring since it was opened.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_stat {
    /// Packets that the program has read.
    pub recv: u64,
    /// Packets lost for want of room.
    pub drop: u64,
    /// Packets shunted by hardware: always 0 here.
    pub shunt: u64,
}

/// Describes a chunk of packets.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_chunk_info {
    /// Bytes.
    pub length: u32,
    /// Format.
    pub r#type: pfring_chunk_type,
}

/// A packet as pfring_recv_burst() hands it out. Its bytes stay valid until the next receive on the
/// ring.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_packet_info {
    /// First byte of the packet.
    pub data: *mut c_uchar,
    /// Arrival time; zero unless the ring was opened with PF_RING_TIMESTAMP.
    pub ts: timeval,
    /// Bytes present.
    pub caplen: u16,
    /// Bytes on the wire.
    pub len: u16,
    /// PKT_FLAGS_* bits.
    pub flags: u32,
    /// Flow hash, 0 when not computed.
    pub hash: u32,
}

/// The bus_id part of struct pfring_if.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __pfring_pfring_if_bus_id {
    /// PCI domain.
    pub slot: c_int,
    /// PCI bus.
    pub bus: c_int,
    /// PCI device.
    pub device: c_int,
    /// PCI function.
    pub function: c_int,
}

/// An element of the list that pfring_findalldevs() makes. Everything in it is freed by
/// pfring_freealldevs().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_if {
    /// Name to open the interface with.
    pub name: *mut c_char,
    /// Name of the interface.
    pub system_name: *mut c_char,
    /// Capture module, such as "pf_ring".
    pub module: *mut c_char,
    /// Version of the module, or NULL.
    pub module_version: *mut c_char,
    /// Serial number of the card, or NULL.
    pub sn: *mut c_char,
    /// MAC address.
    pub mac: [c_char; 6],
    /// Place on the PCI bus, all 0 when it has none.
    pub bus_id: __pfring_pfring_if_bus_id,
    /// 1 when the interface is up, else 0.
    pub status: c_int,
    /// Always 0.
    pub license: c_int,
    /// Always 0.
    pub license_expiration: time_t,
    /// The next element, NULL at the end.
    pub next: *mut pfring_if,
}

/// A capture module.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_module_info {
    /// Prefix of the device name.
    pub name: *mut c_char,
    /// Opens a ring.
    pub open: Option<unsafe extern "C" fn(*mut __pfring) -> c_int>,
    /// Lists interfaces.
    pub findalldevs: Option<unsafe extern "C" fn() -> *mut pfring_if>,
}

/// An element of the table that pfring_thirdparty_lib_init() fills; an element with name NULL ends
/// it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct thirdparty_func {
    /// Name of the function to look up.
    pub name: *const c_char,
    /// The function, NULL until it is found.
    pub ptr: Option<unsafe extern "C" fn()>,
}

/// An element of the interface list.
pub type pfring_if_t = pfring_if;

/// What pfring_loop() calls for each packet.
///
/// @param h the packet header, valid during the call
/// @param p the first byte of the packet, valid during the call
/// @param user_bytes what was given to pfring_loop()
pub type pfringProcesssPacket = Option<
    unsafe extern "C" fn(h: *const pfring_pkthdr, p: *const c_uchar, user_bytes: *const c_uchar),
>;
