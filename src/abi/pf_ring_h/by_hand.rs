//! What the header generator does not see. The C side of all this is written by hand in
//! `cbindgen/pf_ring.toml`: constants that system headers define too and that therefore need a
//! guard, constants whose C type must be kept, and types that belong to system headers or to the
//! kernel.

use std::ffi::CStr;

use super::*;

/// The version that this interface follows, as text.
pub const RING_VERSION: &CStr = c"8.9.0";

// Sizes and defaults

/// Bytes of the smallest slot: header and a 60-byte frame.
pub const RING_MIN_SLOT_SIZE: u64 = 60 + size_of::<pfring_pkthdr>() as u64;
/// Bytes of the largest slot: header and a 1514-byte frame.
pub const RING_MAX_SLOT_SIZE: u64 = 1514 + size_of::<pfring_pkthdr>() as u64;
/// Bytes of a MAC address.
pub const ETH_ALEN: usize = 6;
/// Bytes of an interface name, the zero included.
pub const IFNAMSIZ: usize = 16;

// Values of packet header fields

/// tunnel_id of a packet without a tunnel.
pub const NO_TUNNEL_ID: u32 = 0xFFFF_FFFF;

// Channels, VLANs, clusters

/// Channel mask: all.
pub const RING_ANY_CHANNEL: u64 = u64::MAX;
/// VLAN filter: all packets.
pub const RING_ANY_VLAN: u16 = 0xFFFF;
/// VLAN filter: untagged packets.
pub const RING_NO_VLAN: u16 = 0;

// Protocol numbers

/// IPv6 hop-by-hop options.
pub const NEXTHDR_HOP: u8 = 0;
/// IPv6 in IPv6.
pub const NEXTHDR_IPV6: u8 = 41;
/// IPv6 routing header.
pub const NEXTHDR_ROUTING: u8 = 43;
/// IPv6 fragment header.
pub const NEXTHDR_FRAGMENT: u8 = 44;
/// Encapsulating security payload.
pub const NEXTHDR_ESP: u8 = 50;
/// Authentication header.
pub const NEXTHDR_AUTH: u8 = 51;
/// Nothing follows.
pub const NEXTHDR_NONE: u8 = 59;
/// IPv6 destination options.
pub const NEXTHDR_DEST: u8 = 60;
/// IPv6 mobility header.
pub const NEXTHDR_MOBILITY: u8 = 135;

// Types

/// C's `struct in6_addr`: four words in network byte order.
///
/// The type of the libc crate is not used: it is `repr(align)`, which a packed type must not hold.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct in6_addr(pub [u32; 4]);

/// C's union `ip_addr`, see [`IpAddrDecl`]: an IPv4 address in host byte order, or an IPv6 address
/// in network byte order. Which one it is stands elsewhere, in a field called `ip_version`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ip_addr(pub [u32; 4]);

const _: () = assert!(size_of::<ip_addr>() == size_of::<IpAddrDecl>());
const _: () = assert!(align_of::<ip_addr>() == align_of::<IpAddrDecl>());

impl ip_addr {
    /// An IPv4 address, given in host byte order. The other twelve bytes are zero.
    pub const fn from_v4(v4: u32) -> Self {
        Self([v4, 0, 0, 0])
    }

    /// An IPv6 address, given as the bytes of the wire.
    pub const fn from_v6(v6: [u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = v6;
        Self([
            u32::from_ne_bytes([a, b, c, d]),
            u32::from_ne_bytes([e, f, g, h]),
            u32::from_ne_bytes([i, j, k, l]),
            u32::from_ne_bytes([m, n, o, p]),
        ])
    }

    /// The IPv4 address in host byte order.
    pub const fn v4(self) -> u32 {
        self.0[0]
    }

    /// The IPv6 address as four words loaded from memory.
    pub const fn v6(self) -> in6_addr {
        in6_addr(self.0)
    }

    /// The IPv6 address as the bytes of the wire.
    pub fn v6_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for (four, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            four.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}

/// The C bit fields of [`kcompact_ipv6_hdr`] that share a word with the first one. It takes no room.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kcompact_ipv6_bits;

impl kcompact_ipv6_hdr {
    /// C's bit field `flow_lbl`: the low 24 bits of the first word.
    pub const fn flow_lbl_bits(&self) -> u32 {
        self.flow_lbl & 0x00ff_ffff
    }

    /// C's bit field `priority`.
    pub const fn priority_bits(&self) -> u32 {
        self.flow_lbl >> 24 & 0xf
    }

    /// C's bit field `version`.
    pub const fn version_bits(&self) -> u32 {
        self.flow_lbl >> 28
    }
}

/// Makes types of the kernel that only pointers name.
macro_rules! opaque {
    ($($name:ident)+) => {$(
        #[doc = concat!("The kernel's `struct ", stringify!($name), "`. Never looked into.")]
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name {
            _private: [u8; 0],
        }
    )+};
}

opaque! { device net_device proc_dir_entry sk_buff }

zeroed! {
    add_to_cluster, eth_vlan_hdr, filtering_internals, kcompact_ipv6_hdr, filtering_rule, filtering_rule_core_fields,
    filtering_rule_extended_fields, generic_flow_update, hash_filtering_rule,
    hash_filtering_rule_stats, hw_filtering_rule, pfring_extended_pkthdr, pfring_flow_update,
    pfring_pkthdr, pkt_offset, pkt_parsing_info, tunnel_info,
}
