//! Frames with a 32-bit number and the sender's clock at a fixed place, so that a test counts its
//! own frames and nothing else.

/// Where numbered frames go: the address of `vb`.
pub const DST: [u8; 6] = [2, 0, 0, 0, 0, 2];
/// Where numbered frames come from: the address of `va`.
pub const SRC: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// Ethertype for local experiments (IEEE Std 802).
const EXPERIMENT: u16 = 0x88b5;
const MAGIC: [u8; 4] = *b"pfR1";

/// Shortest Ethernet frame without FCS.
pub const MIN: usize = 60;

/// A MAC address as text.
pub fn mac(address: [u8; 6]) -> String {
    address.map(|b| format!("{b:02x}")).join(":")
}

/// A numbered frame of `len` bytes; the rest is filled with a pattern that depends on the place.
pub fn numbered(number: u32, len: usize) -> Vec<u8> {
    let mut frame: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
    let head = head(number, 0);
    let kept = head.len().min(len);
    frame[..kept].copy_from_slice(&head[..kept]);
    frame
}

fn head(number: u32, sent_ns: u64) -> [u8; 30] {
    let mut head = [0; 30];
    head[..6].copy_from_slice(&DST);
    head[6..12].copy_from_slice(&SRC);
    head[12..14].copy_from_slice(&EXPERIMENT.to_be_bytes());
    head[14..18].copy_from_slice(&MAGIC);
    head[18..22].copy_from_slice(&number.to_be_bytes());
    head[22..30].copy_from_slice(&sent_ns.to_be_bytes());
    head
}

/// Puts a number into a frame made by [`numbered`].
pub fn set_number(frame: &mut [u8], number: u32) {
    frame[18..22].copy_from_slice(&number.to_be_bytes());
}

/// Puts the clock into a frame made by [`numbered`].
pub fn set_stamp(frame: &mut [u8]) {
    frame[22..30].copy_from_slice(&monotonic_ns().to_be_bytes());
}

/// What a numbered frame carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Its number.
    pub number: u32,
    /// CLOCK_MONOTONIC of the sender, 0 where it did not set it.
    pub sent_ns: u64,
}

/// The mark of a numbered frame, past any VLAN tags; None for anything else.
pub fn mark(bytes: &[u8]) -> Option<Mark> {
    let mut at = 12;
    while matches!(bytes.get(at..at + 2)?, [0x81, 0x00] | [0x88, 0xa8]) {
        at += 4;
    }
    let body = bytes.get(at..at + 18)?;
    let ours = bytes[..6] == DST && body[..2] == EXPERIMENT.to_be_bytes() && body[2..6] == MAGIC;
    ours.then(|| Mark {
        number: u32::from_be_bytes(body[6..10].try_into().expect("four bytes")),
        sent_ns: u64::from_be_bytes(body[10..18].try_into().expect("eight bytes")),
    })
}

/// The frame with VLAN tags (TPID, TCI), the outer one first, put after the addresses; its length
/// stays: what no longer fits is cut.
pub fn tagged(frame: &[u8], tags: &[(u16, u16)]) -> Vec<u8> {
    let mut out = frame[..12].to_vec();
    for (tpid, tci) in tags {
        out.extend_from_slice(&tpid.to_be_bytes());
        out.extend_from_slice(&tci.to_be_bytes());
    }
    out.extend_from_slice(&frame[12..]);
    out.truncate(frame.len());
    out
}

/// An IPv4/UDP packet, 28 bytes plus `payload`, with correct checksums.
pub fn ipv4_udp(src: [u8; 4], dst: [u8; 4], ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let udp_len = u16::try_from(8 + payload.len()).expect("a UDP datagram fits 16 bits");
    let mut ip = vec![0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0];
    ip[2..4].copy_from_slice(&(20 + udp_len).to_be_bytes());
    ip.extend_from_slice(&src);
    ip.extend_from_slice(&dst);
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());

    let mut udp = Vec::new();
    udp.extend_from_slice(&ports.0.to_be_bytes());
    udp.extend_from_slice(&ports.1.to_be_bytes());
    udp.extend_from_slice(&udp_len.to_be_bytes());
    udp.extend_from_slice(&[0, 0]);
    udp.extend_from_slice(payload);
    let mut pseudo = [&src[..], &dst[..], &[0, 17], &udp_len.to_be_bytes()[..]].concat();
    pseudo.extend_from_slice(&udp);
    let sum = checksum(&pseudo);
    udp[6..8].copy_from_slice(&if sum == 0 { 0xffff } else { sum }.to_be_bytes());

    [ip, udp].concat()
}

/// An Ethernet frame from `va` to `vb` around an IPv4 packet, padded to [`MIN`] bytes.
pub fn ethernet_ipv4(packet: &[u8]) -> Vec<u8> {
    let mut frame = [&DST[..], &SRC[..], &[8, 0], packet].concat();
    frame.resize(frame.len().max(MIN), 0);
    frame
}

/// The Internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME in nanoseconds.
pub fn realtime_ns() -> u64 {
    clock_ns(libc::CLOCK_REALTIME)
}

fn clock_ns(id: libc::clockid_t) -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid timespec for the length of the call.
    let rc = unsafe { libc::clock_gettime(id, &raw mut now) };
    assert_eq!(rc, 0, "the clock exists");
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A small deterministic generator (xorshift64*), for gaps and sizes that should look random.
pub struct Random(pub u64);

impl Random {
    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        low + (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % (high - low + 1)
    }
}
