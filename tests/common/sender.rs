//! A raw packet socket that sends: single frames, numbered bursts as fast as the link takes them,
//! and numbered frames at a steady rate.

use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use super::frame::{MIN, numbered, set_number, set_stamp};
use super::lab::ifindex;
use super::ns::Namespace;

/// Frames of one sendmmsg call.
const BATCH: usize = 64;

/// Sends raw frames out of one interface; may move to another thread.
pub struct Sender {
    fd: OwnedFd,
}

impl Sender {
    /// A sender on an interface of a namespace.
    pub fn on(ns: &Namespace, dev: &str) -> Sender {
        ns.run(|| Sender::here(dev))
    }

    /// A sender on an interface of the thread's own namespace.
    pub fn here(dev: &str) -> Sender {
        // Protocol 0: the socket takes no received packet.
        // SAFETY: socket takes constants; it touches no memory of ours.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        assert!(fd >= 0, "packet socket: {}", io::Error::last_os_error());
        // SAFETY: socket gave us this descriptor, nobody else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: sockaddr_ll is plain data; all zero is a valid value.
        let mut to: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        to.sll_family = libc::AF_PACKET as u16;
        to.sll_ifindex = ifindex(dev);
        // SAFETY: the address is a valid sockaddr_ll of the size given, for the length of the call.
        let rc = unsafe {
            libc::bind(
                fd.as_raw_fd(),
                (&raw const to).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        assert_eq!(rc, 0, "bind to {dev}: {}", io::Error::last_os_error());
        Sender { fd }
    }

    /// Frames go to the driver at once, by the transmit queue of the CPU that sends.
    pub fn bypass_queueing(&self) {
        let on: libc::c_int = 1;
        // SAFETY: the descriptor is open, and the value is an int for the length of the call.
        let rc = unsafe {
            libc::setsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_QDISC_BYPASS,
                (&raw const on).cast(),
                size_of::<libc::c_int>() as libc::socklen_t,
            )
        };
        assert_eq!(rc, 0, "PACKET_QDISC_BYPASS: {}", io::Error::last_os_error());
    }

    /// Sends one frame.
    #[track_caller]
    pub fn send(&self, frame: &[u8]) {
        let sent = self.try_send(frame).unwrap_or_else(|e| panic!("send: {e}"));
        assert_eq!(sent, frame.len(), "a packet socket sends whole frames");
    }

    /// Sends one frame; the error is the kernel's.
    pub fn try_send(&self, frame: &[u8]) -> io::Result<usize> {
        loop {
            // SAFETY: the frame is readable for its length, for the length of the call.
            let n =
                unsafe { libc::send(self.fd.as_raw_fd(), frame.as_ptr().cast(), frame.len(), 0) };
            if let Ok(n) = usize::try_from(n) {
                return Ok(n);
            }
            let e = io::Error::last_os_error();
            if !is_full(&e) {
                return Err(e);
            }
            std::thread::yield_now();
        }
    }

    /// Sends one numbered frame of 60 bytes, with the clock in it.
    pub fn number(&self, number: u32) {
        let mut frame = numbered(number, MIN);
        set_stamp(&mut frame);
        self.send(&frame);
    }

    /// Sends numbered frames of 60 bytes as fast as the link takes them.
    pub fn numbers(&self, range: Range<u32>) {
        self.numbers_of(range, MIN);
    }

    /// Sends numbered frames of `len` bytes as fast as the link takes them.
    pub fn numbers_of(&self, range: Range<u32>, len: usize) {
        let mut burst = Burst::new(len);
        let mut next = range.start;
        while next < range.end {
            let count = BATCH.min((range.end - next) as usize);
            burst.fill(next, count);
            self.burst(&mut burst, count);
            next += count as u32;
        }
    }

    /// Sends numbered frames of 60 bytes at `rate` a second, catching up after a stall of the
    /// sender with bursts of at most 64.
    pub fn paced(&self, range: Range<u32>, rate: u32) {
        let mut burst = Burst::new(MIN);
        let start = Instant::now();
        let mut next = range.start;
        while next < range.end {
            let due = (start.elapsed().as_secs_f64() * f64::from(rate)) as u32 + 1;
            let count = due
                .min(range.end - range.start)
                .saturating_sub(next - range.start);
            if count == 0 {
                let ahead = f64::from(next - range.start) / f64::from(rate);
                let sleep = ahead - start.elapsed().as_secs_f64();
                std::thread::sleep(
                    Duration::from_secs_f64(sleep.max(0.0)).max(Duration::from_micros(20)),
                );
                continue;
            }
            let count = BATCH.min(count as usize);
            burst.fill(next, count);
            self.burst(&mut burst, count);
            next += count as u32;
        }
    }

    /// Sends the first `count` frames of a burst, each exactly once: what the kernel refuses for
    /// want of room is offered again.
    fn burst(&self, burst: &mut Burst, count: usize) {
        let mut done = 0;
        while done < count {
            let mut iov: Vec<libc::iovec> = burst.frames[done..count]
                .iter_mut()
                .map(|f| libc::iovec {
                    iov_base: f.as_mut_ptr().cast(),
                    iov_len: f.len(),
                })
                .collect();
            let mut messages: Vec<libc::mmsghdr> = iov
                .iter_mut()
                .map(|v| {
                    // SAFETY: mmsghdr is plain data; all zero is a valid value.
                    let mut m: libc::mmsghdr = unsafe { std::mem::zeroed() };
                    m.msg_hdr.msg_iov = v;
                    m.msg_hdr.msg_iovlen = 1;
                    m
                })
                .collect();
            // SAFETY: messages, iov and frames live until after the call and are of the lengths given.
            let n = unsafe {
                libc::sendmmsg(
                    self.fd.as_raw_fd(),
                    messages.as_mut_ptr(),
                    messages.len() as libc::c_uint,
                    0,
                )
            };
            if let Ok(n) = usize::try_from(n) {
                done += n;
            } else {
                let e = io::Error::last_os_error();
                assert!(is_full(&e), "sendmmsg: {e}");
                std::thread::yield_now();
            }
        }
    }
}

/// Whether the kernel only wants us to try again.
fn is_full(e: &io::Error) -> bool {
    matches!(
        e.raw_os_error(),
        Some(libc::ENOBUFS | libc::EAGAIN | libc::EINTR)
    )
}

/// Frames of one length that are sent together.
struct Burst {
    frames: Vec<Vec<u8>>,
}

impl Burst {
    fn new(len: usize) -> Burst {
        Burst {
            frames: vec![numbered(0, len); BATCH],
        }
    }

    fn fill(&mut self, first: u32, count: usize) {
        for (frame, number) in self.frames[..count].iter_mut().zip(first..) {
            set_number(frame, number);
        }
    }
}
