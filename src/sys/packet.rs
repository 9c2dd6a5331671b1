//! Packet sockets (packet(7)): options, rings, filters, statistics, sending.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::sys::{check, own, set_option};

mod sharing;

pub use sharing::Sharing;

/// The protocol number that means every protocol, as the kernel wants it in an address.
const ALL_PROTOCOLS: u16 = (libc::ETH_P_ALL as u16).to_be();

/// A raw packet socket. It receives nothing before [`bind`](Self::bind).
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
    /// Takes nothing any more, whatever filter it is given.
    retired: AtomicBool,
    drops: DropCounter,
    /// Whether drops count: not while another socket delivers the same frames.
    counts: AtomicBool,
}

/// A program that keeps everything out.
pub const NOTHING: [libc::sock_filter; 1] = [libc::sock_filter {
    code: (libc::BPF_RET | libc::BPF_K) as u16,
    jt: 0,
    jf: 0,
    k: 0,
}];

impl PacketSocket {
    /// Opens a socket that sees link-layer headers.
    ///
    /// # Errors
    ///
    /// `NotPermitted` without CAP_NET_RAW, `Os` otherwise.
    pub fn open() -> Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: socket takes integers.
        match own("socket", unsafe { libc::socket(libc::AF_PACKET, kind, 0) }) {
            Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::EPERM) => {
                Err(Error::NotPermitted("open a packet socket (CAP_NET_RAW)"))
            }
            other => Ok(Self {
                fd: other?,
                retired: AtomicBool::new(false),
                drops: DropCounter::default(),
                counts: AtomicBool::new(true),
            }),
        }
    }

    /// The descriptor itself, for a mapping.
    pub fn owned(&self) -> &OwnedFd {
        &self.fd
    }

    fn set<T: Copy>(&self, operation: &'static str, option: libc::c_int, value: &T) -> Result<()> {
        set_option(operation, &self.fd, libc::SOL_PACKET, option, value)
    }

    /// Selects the ring layout: TPACKET_V2 or TPACKET_V3.
    ///
    /// # Errors
    ///
    /// `Os` when the kernel does not know the version or a ring exists already.
    pub fn set_version(&self, version: libc::c_int) -> Result<()> {
        self.set("PACKET_VERSION", libc::PACKET_VERSION, &version)
    }

    /// Makes the receive ring. A socket of TPACKET_V2 looks at the first four fields only.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`, or `Os` for a geometry that the kernel refuses.
    pub fn set_rx_ring(&self, request: &libc::tpacket_req3) -> Result<()> {
        match self.set("PACKET_RX_RING", libc::PACKET_RX_RING, request) {
            Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::ENOMEM) => {
                Err(Error::OutOfMemory)
            }
            other => other,
        }
    }

    /// Frames that do not fit into a slot are queued whole at the socket besides, if this is not 0.
    ///
    /// # Errors
    ///
    /// `Os` on a kernel that does not know it.
    pub fn set_copy_threshold(&self, value: libc::c_int) -> Result<()> {
        self.set("PACKET_COPY_THRESH", libc::PACKET_COPY_THRESH, &value)
    }

    /// Lets the socket's queue grow to `bytes`, whatever the system's limit is.
    ///
    /// # Errors
    ///
    /// `Os` with EPERM without CAP_NET_ADMIN.
    pub fn force_queue_bytes(&self, bytes: u64) -> Result<()> {
        // The kernel doubles it, to make room for its own bookkeeping.
        let half = libc::c_int::try_from(bytes / 2).unwrap_or(libc::c_int::MAX / 2);
        set_option(
            "SO_RCVBUFFORCE",
            &self.fd,
            libc::SOL_SOCKET,
            libc::SO_RCVBUFFORCE,
            &half,
        )
    }

    /// Takes the next frame out of the socket's queue; its whole length, or None when none is there.
    pub fn take_queued(&self, buffer: &mut [u8]) -> Option<usize> {
        let saved = super::errno();
        // SAFETY: the buffer is writable for its length.
        let ret = unsafe {
            libc::recv(
                self.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                libc::MSG_DONTWAIT | libc::MSG_TRUNC,
            )
        };
        super::set_errno(saved);
        usize::try_from(ret).ok()
    }

    /// Binds to an interface (0: all of them) and starts to receive every protocol.
    ///
    /// An interface that is down can be bound; its frames come once it is up.
    ///
    /// # Errors
    ///
    /// `Os` when the interface is gone.
    pub fn bind(&self, ifindex: i32) -> Result<()> {
        self.bind_to(&link_address(ifindex, ALL_PROTOCOLS))
    }

    /// Binds to an interface for sending only: nothing is received.
    ///
    /// # Errors
    ///
    /// `Os` when the interface is gone.
    pub fn bind_for_sending(&self, ifindex: i32) -> Result<()> {
        self.bind_to(&link_address(ifindex, 0))
    }

    fn bind_to(&self, address: &libc::sockaddr_ll) -> Result<()> {
        // SAFETY: `address` is a valid sockaddr_ll of the size given.
        let ret = unsafe {
            libc::bind(
                self.as_raw_fd(),
                std::ptr::from_ref(address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        check("bind", ret)?;
        // Binding to a link that is down leaves ENETDOWN behind; it is no news to us.
        self.take_error();
        Ok(())
    }

    /// Takes nothing any more. The socket stays, and with it what it has asked of the interface.
    pub fn retire(&self) {
        let nothing = self.attach_filter(&NOTHING);
        self.retired.store(true, Ordering::Relaxed);
        debug_assert!(nothing.is_ok(), "{nothing:?}");
    }

    /// Whether it takes nothing any more.
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    /// Gives its ring back, which must not be mapped.
    pub fn free_ring(&self) {
        // SAFETY: plain integers; all zero is a request for no ring.
        let none: libc::tpacket_req3 = unsafe { std::mem::zeroed() };
        let freed = self.set_rx_ring(&none);
        debug_assert!(freed.is_ok(), "{freed:?}");
    }

    /// Has every frame stamped before the first socket sees it, so that all sockets see one stamp.
    ///
    /// # Errors
    ///
    /// None known.
    pub fn stamp_early(&self) -> Result<()> {
        let on: libc::c_int = 1;
        set_option(
            "SO_TIMESTAMPNS",
            &self.fd,
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            &on,
        )
    }

    /// Attaches a classic BPF program in place of the one before.
    ///
    /// # Errors
    ///
    /// `Os` when the kernel refuses the program.
    pub fn attach_filter(&self, program: &[libc::sock_filter]) -> Result<()> {
        if self.retired.load(Ordering::Relaxed) {
            return Ok(());
        }
        let fprog = libc::sock_fprog {
            len: program
                .len()
                .try_into()
                .map_err(|_| Error::InvalidArgument("filter length"))?,
            filter: program.as_ptr().cast_mut(),
        };
        set_option(
            "SO_ATTACH_FILTER",
            &self.fd,
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            &fprog,
        )
    }

    /// Attaches a program of the kernel's own instruction set in place of the filter before.
    ///
    /// # Errors
    ///
    /// `Os` when the kernel refuses the program.
    pub fn attach_program(&self, program: RawFd) -> Result<()> {
        if self.is_retired() {
            return Ok(());
        }
        let option = libc::SO_ATTACH_BPF;
        set_option(
            "SO_ATTACH_BPF",
            &self.fd,
            libc::SOL_SOCKET,
            option,
            &program,
        )
    }

    /// Stops the kernel from showing this socket what the host sends (Linux 4.20).
    ///
    /// # Errors
    ///
    /// `Os` on an older kernel.
    pub fn ignore_outgoing(&self, on: bool) -> Result<()> {
        self.set(
            "PACKET_IGNORE_OUTGOING",
            libc::PACKET_IGNORE_OUTGOING,
            &libc::c_int::from(on),
        )
    }

    /// Asks for, or gives back, promiscuous mode. The kernel counts the askers and gives it back by
    /// itself when the socket closes.
    ///
    /// # Errors
    ///
    /// `Os` when the interface is gone, or nothing is there to give back.
    pub fn set_promisc(&self, ifindex: i32, on: bool) -> Result<()> {
        let request = libc::packet_mreq {
            mr_ifindex: ifindex,
            mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        if on {
            self.set(
                "PACKET_ADD_MEMBERSHIP",
                libc::PACKET_ADD_MEMBERSHIP,
                &request,
            )
        } else {
            self.set(
                "PACKET_DROP_MEMBERSHIP",
                libc::PACKET_DROP_MEMBERSHIP,
                &request,
            )
        }
    }

    /// Packets lost for want of room, as far as they count. No lock: safe in a signal handler.
    pub fn dropped(&self) -> u64 {
        let reading = self.take_drops();
        let counts = self.counts.load(Ordering::Relaxed);
        self.drops.add(if counts { reading } else { 0 })
    }

    /// Lets drops count from now on, or no longer.
    pub fn count_drops(&self, on: bool) {
        self.dropped();
        self.counts.store(on, Ordering::Relaxed);
    }

    /// Packets lost for want of room since the last call. The kernel counts in 32 bits and starts
    /// again from zero at each reading (packet_mmap.rst). No lock: safe in a signal handler.
    fn take_drops(&self) -> u32 {
        let mut stats = libc::tpacket_stats_v3 {
            tp_packets: 0,
            tp_drops: 0,
            tp_freeze_q_cnt: 0,
        };
        let mut len = size_of::<libc::tpacket_stats_v3>() as libc::socklen_t;
        let saved = super::errno();
        // SAFETY: `stats` is writable for `len` bytes; the kernel writes no more.
        let ret = unsafe {
            libc::getsockopt(
                self.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut stats).cast(),
                &raw mut len,
            )
        };
        super::set_errno(saved);
        if ret == 0 { stats.tp_drops } else { 0 }
    }

    /// Takes the pending error of the socket, so that it no longer makes poll return; 0 if none.
    pub fn take_error(&self) -> i32 {
        let mut error: libc::c_int = 0;
        let mut len = size_of::<libc::c_int>() as libc::socklen_t;
        let saved = super::errno();
        // SAFETY: `error` is writable for `len` bytes.
        unsafe {
            libc::getsockopt(
                self.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_ERROR,
                (&raw mut error).cast(),
                &raw mut len,
            )
        };
        super::set_errno(saved);
        error
    }

    /// Sends one frame, link-layer header included, by the interface that the socket is bound to. Never
    /// blocks. Costs less than naming the interface each time.
    ///
    /// # Errors
    ///
    /// `MessageTooLong`, or `Os` with ENOBUFS when the queue is full, ENETDOWN when the link is
    /// down, and what else send(2) names.
    #[inline]
    pub fn send(&self, frame: &[u8]) -> Result<usize> {
        // SAFETY: `frame` is readable for its length.
        let ret = unsafe {
            libc::send(
                self.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_DONTWAIT,
            )
        };
        sent("send", ret)
    }

    /// As [`send`](Self::send), by any interface.
    ///
    /// # Errors
    ///
    /// As there; `Os` with ENXIO for an interface that does not exist.
    pub fn send_by(&self, frame: &[u8], ifindex: i32) -> Result<usize> {
        let address = link_address(ifindex, ALL_PROTOCOLS);
        // SAFETY: `frame` is readable for its length, `address` is a valid sockaddr_ll.
        let ret = unsafe {
            libc::sendto(
                self.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_DONTWAIT,
                (&raw const address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        sent("sendto", ret)
    }

    /// Sends the first of some frames by the interface that the socket is bound to, as many as there is room for and 64 at most, with
    /// one system call. Never blocks. Gives how many left.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), and not a single frame was sent: the first one is what the error is about.
    pub fn send_many<'a>(&self, frames: impl Iterator<Item = &'a [u8]>) -> Result<usize> {
        // SAFETY: both are plain pointers and integers; all zero is a valid value.
        let (mut parts, mut messages): ([libc::iovec; MOST_SENT], [libc::mmsghdr; MOST_SENT]) =
            unsafe { std::mem::zeroed() };
        let mut count = 0;
        for ((frame, part), message) in frames.zip(&mut parts).zip(&mut messages) {
            *part = libc::iovec {
                iov_base: frame.as_ptr().cast_mut().cast(),
                iov_len: frame.len(),
            };
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
            count += 1;
        }
        // SAFETY: `count` messages were filled; they, their parts and the frames outlive the call, which
        // only reads the frames.
        let ret = unsafe {
            libc::sendmmsg(
                self.as_raw_fd(),
                messages.as_mut_ptr(),
                count,
                libc::MSG_DONTWAIT as _,
            )
        };
        sent("sendmmsg", ret as isize)
    }

    /// Lets frames that are sent go to the driver without a queueing discipline. Taps on this host do
    /// not see them then.
    ///
    /// # Errors
    ///
    /// `Os` where the kernel has no such option.
    pub fn set_qdisc_bypass(&self, on: bool) -> Result<()> {
        let value = libc::c_int::from(on);
        self.set("PACKET_QDISC_BYPASS", libc::PACKET_QDISC_BYPASS, &value)
    }
}

/// The most frames of [`PacketSocket::send_many`].
const MOST_SENT: usize = 64;

/// What a system call that sends has answered.
#[inline]
fn sent(operation: &'static str, ret: isize) -> Result<usize> {
    usize::try_from(ret).map_err(|_| send_error(operation))
}

/// Why sending failed, by errno.
#[cold]
fn send_error(operation: &'static str) -> Error {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EMSGSIZE) => Error::MessageTooLong,
        // A socket buffer that is full is the same to the caller as a full queue.
        Some(libc::EAGAIN) => Error::Os(operation, io::Error::from_raw_os_error(libc::ENOBUFS)),
        _ => Error::Os(operation, error),
    }
}

impl AsRawFd for PacketSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

/// Adds up what the kernel counts in 32 bits and forgets at each reading.
#[derive(Debug, Default)]
struct DropCounter(AtomicU64);

impl DropCounter {
    /// Adds a reading and tells the sum. Each reading of the kernel's counter goes to one caller
    /// only, so none is added twice.
    fn add(&self, reading: u32) -> u64 {
        let reading = u64::from(reading);
        self.0
            .fetch_add(reading, Ordering::SeqCst)
            .wrapping_add(reading)
    }
}

/// The address that names an interface and a protocol, in network byte order.
fn link_address(ifindex: i32, protocol: u16) -> libc::sockaddr_ll {
    libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as libc::c_ushort,
        sll_protocol: protocol,
        sll_ifindex: ifindex,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R40: 64-bit totals although the kernel counts in 32 bits.
    #[test]
    fn r40_drops_add_up_beyond_32_bits() {
        let counter = DropCounter::default();
        counter.add(0xffff_fff0);
        counter.add(0x20);
        assert_eq!(counter.add(0x10), 4_294_967_328);
    }

    /// R40: concurrent readers count nothing twice, and never see the sum go back.
    #[test]
    fn r40_concurrent_readers_count_each_reading_once() {
        let counter = DropCounter::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut last = 0;
                    for _ in 0..1250 {
                        let now = counter.add(3);
                        assert!(now > last);
                        last = now;
                    }
                });
            }
        });
        assert_eq!(counter.add(0), 8 * 1250 * 3);
    }
}
