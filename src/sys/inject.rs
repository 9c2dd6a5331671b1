//! Letting frames come in by an interface, as if its card had received them.
//!
//! An eBPF program of type XDP that passes everything is run on the frame, "live" (kernel
//! Documentation/bpf/bpf_prog_run.rst, Linux 5.18): what it passes goes to the network stack as received by the
//! interface that the run names. The program is attached to nothing.

use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};

use super::{check, own, page_size};
use crate::error::{Error, Result};

// linux/bpf.h; the libc crate has none of it.
const BPF_PROG_LOAD: libc::c_int = 5;
const BPF_PROG_RUN: libc::c_int = 10;
const BPF_PROG_TYPE_XDP: u32 = 6;
const LIVE_FRAMES: u32 = 1 << 1; // BPF_F_TEST_XDP_LIVE_FRAMES
/// r0 = XDP_PASS; exit.
const PASS_ALL: [u64; 2] = [0x0000_0002_0000_00b7, 0x95];

/// Bytes of a page that a live frame leaves to the kernel: its own structure, headroom and the shared
/// information at the end (net/bpf/test_run.c).
const RESERVED: usize = 1024;
/// The shortest frame that may be run: an Ethernet header.
const SHORTEST: usize = 14;

/// The part of union bpf_attr for BPF_PROG_LOAD that is used.
#[repr(C)]
#[derive(Default)]
struct LoadAttr {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log: [u32; 2],
    log_buf: u64,
    rest: [u32; 8],
}

/// The part of union bpf_attr for BPF_PROG_RUN.
#[repr(C)]
#[derive(Default)]
struct RunAttr {
    prog_fd: u32,
    retval: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
    ctx_size_in: u32,
    ctx_size_out: u32,
    ctx_in: u64,
    ctx_out: u64,
    flags: u32,
    cpu: u32,
    batch_size: u32,
    padding: u32,
}

/// struct xdp_md.
#[repr(C)]
#[derive(Default)]
struct XdpContext {
    data: u32,
    data_end: u32,
    data_meta: u32,
    ingress_ifindex: u32,
    rx_queue_index: u32,
    egress_ifindex: u32,
}

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
        let attr = LoadAttr {
            prog_type: BPF_PROG_TYPE_XDP,
            insn_cnt: PASS_ALL.len() as u32,
            insns: PASS_ALL.as_ptr() as u64,
            license: c"Dual MIT/GPL".as_ptr() as u64,
            ..LoadAttr::default()
        };
        // SAFETY: instructions and licence are readable, and live longer than the call.
        let fd = unsafe { bpf(BPF_PROG_LOAD, &attr) };
        Ok(Self {
            program: own("BPF_PROG_LOAD", fd)?,
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
        let context = XdpContext {
            data_end: frame.len() as u32,
            ingress_ifindex: ifindex as u32,
            ..XdpContext::default()
        };
        let attr = RunAttr {
            prog_fd: self.program.as_raw_fd() as u32,
            data_size_in: frame.len() as u32,
            data_in: frame.as_ptr() as u64,
            repeat: 1,
            ctx_size_in: size_of::<XdpContext>() as u32,
            ctx_in: (&raw const context) as u64,
            flags: LIVE_FRAMES,
            ..RunAttr::default()
        };
        // SAFETY: frame and context are readable, and live longer than the call; a live run writes nothing
        // back.
        check("BPF_PROG_RUN", unsafe { bpf(BPF_PROG_RUN, &attr) }).map(|_| ())
    }
}

/// bpf(2).
///
/// # Safety
///
/// - `attr` is what the command wants, its pointers are good for what the kernel does with them.
unsafe fn bpf<T>(command: libc::c_int, attr: &T) -> libc::c_int {
    // SAFETY: the attribute is readable for its size; the rest is the caller's promise.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attr),
            size_of::<T>(),
        )
    };
    ret as libc::c_int
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
