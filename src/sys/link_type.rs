//! From the kernel's hardware types (ARPHRD_*, linux/if_arp.h) to link types (DLT_*, pcap).

/// Ethernet.
pub const DLT_EN10MB: i32 = 1;

/// IPv4 or IPv6 without a link-layer header.
pub const DLT_RAW: i32 = 12;

/// The first of the numbers without a public meaning: the frames begin with something, but not
/// with what any other number says.
pub const DLT_USER0: i32 = 147;

/// The link type of the frames that a packet socket of type SOCK_RAW gives for this hardware
/// type.
///
/// The numbers are those of libpcap (pcap-linux.c, map_arphrd_to_dlt); where libpcap would go for
/// its cooked mode, which needs another kind of socket, this is [`DLT_USER0`].
pub fn link_type(hardware_type: u16) -> i32 {
    match hardware_type {
        libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => DLT_EN10MB,
        libc::ARPHRD_NONE
        | libc::ARPHRD_PPP
        | libc::ARPHRD_SLIP
        | libc::ARPHRD_CSLIP
        | libc::ARPHRD_SLIP6
        | libc::ARPHRD_CSLIP6
        | libc::ARPHRD_TUNNEL
        | libc::ARPHRD_TUNNEL6
        | libc::ARPHRD_SIT
        | ARPHRD_RAWIP
        | libc::ARPHRD_IPGRE
        | ARPHRD_IP6GRE => DLT_RAW,
        libc::ARPHRD_IEEE802 | libc::ARPHRD_IEEE802_TR => 6,
        libc::ARPHRD_FDDI => 10,
        libc::ARPHRD_HDLC => 104,
        libc::ARPHRD_IEEE80211 => 105,
        libc::ARPHRD_FRAD => 107,
        libc::ARPHRD_IEEE80211_PRISM => 119,
        libc::ARPHRD_IEEE80211_RADIOTAP => 127,
        libc::ARPHRD_ARCNET => 129,
        libc::ARPHRD_CAN => 227,
        libc::ARPHRD_IEEE802154 => 230,
        ARPHRD_NETLINK => 253,
        ARPHRD_VSOCKMON => 271,
        _ => DLT_USER0,
    }
}

// linux/if_arp.h; the libc crate has these not.
const ARPHRD_RAWIP: u16 = 519;
const ARPHRD_IP6GRE: u16 = 823;
const ARPHRD_NETLINK: u16 = 824;
const ARPHRD_VSOCKMON: u16 = 826;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types() {
        for (hardware, link) in [
            (1, DLT_EN10MB),
            (772, DLT_EN10MB),
            (0xfffe, DLT_RAW),
            (512, DLT_RAW),
            (519, DLT_RAW),
            (768, DLT_RAW),
            (776, DLT_RAW),
            (803, 127),
            (824, 253),
            (32, DLT_USER0),
            (0xffff, DLT_USER0),
        ] {
            assert_eq!(link_type(hardware), link, "{hardware}");
        }
    }
}
