//! Letting frames come in by an interface, as if its card had received them.
//!
//! An eBPF program of type XDP that passes everything is run on the frame, "live" (kernel
//! Documentation/bpf/bpf_prog_run.rst, Linux 5.18): what it passes goes to the network stack as received by the
//! interface that the run names. The program is attached to nothing.

use std::os::fd::OwnedFd;

use super::bpf::{self, Insn};
use super::page_size;
use crate::error::{Error, Result};

/// r0 = XDP_PASS; exit.
const PASS_ALL: [Insn; 2] = [insn(0xb7, 2), insn(0x95, 0)];

const fn insn(code: u8, immediate: i32) -> Insn {
    Insn {
        code,
        registers: 0,
        offset: 0,
        immediate,
    }
}

/// Bytes of a page that a live frame leaves to the kernel: its own structure, headroom and the shared
/// information at the end (net/bpf/test_run.c).
const RESERVED: usize = 1024;
/// The shortest frame that may be run: an Ethernet header.
const SHORTEST: usize = 14;

/// What lets frames come in. Needs CAP_BPF and CAP_NET_ADMIN when it is made, and nothing later.
#[derive(Debug)]
pub struct Injector {
    program: OwnedFd,
}

impl Injector {
    /// Loads the program.
    ///
    /// # Errors
    ///
    /// [`Error::Os`] with EPERM without the right, and on a kernel without eBPF.
    pub fn new() -> Result<Self> {
        Ok(Self {
            program: bpf::load_xdp_program(&PASS_ALL)?,
        })
    }

    /// The longest frame that can come in.
    pub fn longest() -> usize {
        page_size() - RESERVED
    }

    /// Lets one frame, Ethernet header included, come in by an interface.
    ///
    /// # Errors
    ///
    /// [`Error::MessageTooLong`] beyond [`longest`](Self::longest); [`Error::InvalidArgument`] for less than a
    /// header; [`Error::Os`] with ENODEV when the interface is gone, EINVAL before Linux 5.18.
    pub fn inject(&self, frame: &[u8], ifindex: i32) -> Result<()> {
        if frame.len() < SHORTEST {
            return Err(Error::InvalidArgument("packet length"));
        }
        if frame.len() > Self::longest() {
            return Err(Error::MessageTooLong);
        }
        bpf::run_live(&self.program, frame, ifindex)
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::time::Duration;

    use super::*;
    use crate::sys::netdev::index_of;
    use crate::sys::netdev::tests::{in_private_namespace, ip};

    /// A UDP datagram to 10.9.0.2 port 5000, from 10.9.0.1, in an Ethernet frame to the address given.
    fn datagram(to: [u8; 6], payload: &[u8]) -> Vec<u8> {
        let total = (28 + payload.len()) as u16;
        let mut packet = vec![0x45, 0];
        packet.extend(total.to_be_bytes());
        packet.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2]);
        let sum: u32 = packet
            .chunks(2)
            .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]))
            .sum();
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        packet.extend([0x13, 0x87, 0x13, 0x88]);
        packet.extend((8 + payload.len() as u16).to_be_bytes());
        packet.extend([0, 0]);
        packet.extend(payload);
        [&to[..], &[2, 0, 0, 0, 0, 9], &[8, 0], &packet].concat()
    }

    #[test]
    fn the_host_receives_what_comes_in() {
        in_private_namespace(|| {
            let injector = match Injector::new() {
                Ok(injector) => injector,
                Err(error) => {
                    eprintln!("skipped: {error}");
                    return;
                }
            };
            ip("link add va type veth peer name vb address 02:00:00:00:00:02");
            ip("address add 10.9.0.2/24 dev vb");
            ip("link set va up");
            ip("link set vb up");
            let index = index_of("vb").unwrap();
            let socket = UdpSocket::bind("10.9.0.2:5000").unwrap();
            socket
                .set_read_timeout(Some(Duration::from_secs(2)))
                .unwrap();
            let mut buffer = [0; 4096];
            for len in [1, 100, 1400, Injector::longest() - 42] {
                let payload = vec![len as u8; len];
                let frame = datagram([2, 0, 0, 0, 0, 2], &payload);
                injector.inject(&frame, index).unwrap();
                let (got, from) = socket.recv_from(&mut buffer).unwrap();
                assert_eq!(from.to_string(), "10.9.0.1:4999");
                assert!(buffer[..got] == payload[..], "{len} bytes");
            }
            let long = vec![0; Injector::longest() + 1];
            assert!(matches!(
                injector.inject(&long, index),
                Err(Error::MessageTooLong)
            ));
            assert!(injector.inject(&[0; 13], index).is_err());
            let gone = injector.inject(&[0; 60], 9_999).err();
            assert!(matches!(gone, Some(Error::Os(..))), "{gone:?}");
        });
    }
}
