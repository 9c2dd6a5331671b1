//! Hand-made frames for the tests of this room: each function wraps a payload into one header.

pub const DMAC: [u8; 6] = [2, 0, 0, 0, 0, 2];
pub const SMAC: [u8; 6] = [2, 0, 0, 0, 0, 1];

/// 2001:db8::1 and 2001:db8::2.
pub const V6_A: [u8; 16] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
pub const V6_B: [u8; 16] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

pub fn ethernet(eth_type: u16, payload: &[u8]) -> Vec<u8> {
    tagged(&[], eth_type, payload)
}

/// An Ethernet frame with tags, each a TPID and a TCI, outermost first.
pub fn tagged(tags: &[(u16, u16)], eth_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = [DMAC, SMAC].concat();
    for (tpid, tci) in tags {
        frame.extend(tpid.to_be_bytes());
        frame.extend(tci.to_be_bytes());
    }
    frame.extend(eth_type.to_be_bytes());
    frame.extend(payload);
    frame
}

pub fn ipv4(proto: u8, src: u32, dst: u32, payload: &[u8]) -> Vec<u8> {
    let total = (20 + payload.len()) as u16;
    let mut packet = vec![0x45, 0];
    packet.extend(total.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, proto, 0, 0]);
    packet.extend(src.to_be_bytes());
    packet.extend(dst.to_be_bytes());
    packet.extend(payload);
    packet
}

/// From [`V6_A`] to [`V6_B`].
pub fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, 64]);
    packet.extend(V6_A);
    packet.extend(V6_B);
    packet.extend(payload);
    packet
}

/// An IPv6 extension header of 8 + 8 * `len` bytes.
pub fn extension(next: u8, len: u8) -> Vec<u8> {
    let mut header = vec![0; 8 + 8 * usize::from(len)];
    header[0] = next;
    header[1] = len;
    header
}

/// An IPv6 fragment header; the offset counts units of 8 bytes.
pub fn fragment6(next: u8, offset: u16, more: bool) -> Vec<u8> {
    let [high, low] = (offset << 3 | u16::from(more)).to_be_bytes();
    vec![next, 0, high, low, 0, 0, 0, 1]
}

pub fn udp(sport: u16, dport: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = [sport.to_be_bytes(), dport.to_be_bytes()].concat();
    packet.extend((8 + payload.len() as u16).to_be_bytes());
    packet.extend([0, 0]);
    packet.extend(payload);
    packet
}

/// A TCP header of `header_len` bytes.
pub fn tcp(sport: u16, dport: u16, header_len: u8) -> Vec<u8> {
    let mut packet = [sport.to_be_bytes(), dport.to_be_bytes()].concat();
    packet.resize(usize::from(header_len), 0);
    packet[12] = (header_len / 4) << 4;
    packet
}

pub fn sctp(sport: u16, dport: u16) -> Vec<u8> {
    let mut packet = [sport.to_be_bytes(), dport.to_be_bytes()].concat();
    packet.resize(12, 0);
    packet
}
