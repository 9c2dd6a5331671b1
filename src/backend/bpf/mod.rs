//! The accelerated tap: a program at the traffic-control hook of an interface copies frames into a BPF ring
//! buffer. The host's own traffic goes on. Takes Linux 6.6, CAP_BPF and CAP_NET_ADMIN.
//!
//! [`Tap`] is what any thread may touch: the programs and the counters. [`BpfRx`] is the reading side.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use libc::sock_filter;
use parking_lot::Mutex;

use crate::backend::{Frame, FrameDirection, Run, RxBackend};
use crate::error::{Error, Result};
use crate::sys::bpf::{self, Hook, Insn};
use crate::sys::clock;
use crate::sys::mmap::Mapping;
use crate::sys::page_size;

mod program;
mod ring;
mod translate;

use program::Shared;
use ring::Ring;

/// The smallest ring: room for some of the longest frames.
const SMALLEST_BYTES: u64 = 1 << 20;
/// The largest ring that the kernel makes.
const LARGEST_BYTES: u64 = 1 << 30;
/// How long a reader that found nothing leaves a busy link alone, where nobody asks for latency: as long
/// as a block of TPACKET_V3 would take.
const NAP_NS: u64 = 10_000_000;
/// Bytes a nanosecond that a flood may bring, so that a nap never fills a large part of the ring.
const FLOOD_BYTES_PER_US: u64 = 600;

const HOOKS: [(Hook, FrameDirection); 2] = [
    (Hook::Ingress, FrameDirection::Received),
    (Hook::Egress, FrameDirection::Sent),
];

/// What is attached to the interfaces, and what program and reader share.
#[derive(Debug)]
pub struct Tap {
    // The mapping goes before the descriptors.
    shared: Mapping,
    shared_fd: OwnedFd,
    ring_fd: RawFd,
    links: Mutex<Vec<Attached>>,
}

#[derive(Debug)]
struct Attached {
    ifindex: i32,
    hook: Hook,
    link: OwnedFd,
}

impl Tap {
    fn shared(&self) -> &Shared {
        // SAFETY: the mapping begins with the one value of the array, which has this layout and is aligned to
        // a page; its fields are only accessed atomically, below.
        unsafe { &*self.shared.base().cast::<Shared>() }
    }

    fn word(field: &u64) -> &AtomicU64 {
        // SAFETY: an aligned word that outlives the borrow; nobody accesses it in another way.
        unsafe { AtomicU64::from_ptr(std::ptr::from_ref(field).cast_mut()) }
    }

    fn sleeps(&self) -> &AtomicU32 {
        // SAFETY: as in `word`.
        unsafe { AtomicU32::from_ptr(std::ptr::from_ref(&self.shared().sleeps).cast_mut()) }
    }

    /// The leap seconds may have been told to the kernel meanwhile.
    fn tell_tai_offset(&self) {
        Self::word(&self.shared().tai_offset_ns).store(clock::tai_offset_ns(), Ordering::Relaxed);
    }

    /// Frames that found no room. Safe in a signal handler.
    pub fn dropped(&self) -> u64 {
        Self::word(&self.shared().dropped).load(Ordering::Relaxed)
    }

    /// Lets a classic program say which frames of an interface are wanted, and how much of them; attaches
    /// to the interface if nothing is attached yet.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a program with what this hook cannot tell, and as [`check_rights`].
    pub fn set_program(&self, ifindex: i32, classic: &[sock_filter]) -> Result<()> {
        let mut links = self.links.lock();
        for (hook, direction) in HOOKS {
            let insns =
                program::assemble(classic, direction, self.shared_fd.as_raw_fd(), self.ring_fd)
                    .ok_or(Error::NotSupported("this filter on a BPF ring"))?;
            let program = load(&insns)?;
            let here = |attached: &&Attached| attached.ifindex == ifindex && attached.hook == hook;
            if let Some(attached) = links.iter().find(here) {
                bpf::update_link(attached.link.as_raw_fd(), &program)?;
                continue;
            }
            links.push(Attached {
                ifindex,
                hook,
                link: attach(&program, ifindex, hook)?,
            });
        }
        Ok(())
    }
}

/// Loads a program; what the verifier has against it goes to the debug log of tests.
fn load(insns: &[Insn]) -> Result<OwnedFd> {
    bpf::load_tc_program(insns).map_err(|error| explain(error, "loading a BPF program"))
}

fn attach(program: &OwnedFd, ifindex: i32, hook: Hook) -> Result<OwnedFd> {
    bpf::attach_tcx(program, ifindex as u32, hook)
        .map_err(|error| explain(error, "attaching a BPF program to an interface"))
}

/// Says what is missing.
fn explain(error: Error, what: &'static str) -> Error {
    match &error {
        Error::Os(_, os) => match os.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => {
                Error::NotPermitted("PFRING_BACKEND=bpf takes CAP_BPF and CAP_NET_ADMIN")
            }
            Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP) => Error::NotBuilt(format!(
                "PFRING_BACKEND=bpf takes Linux 6.6 or newer with tcx: {what} failed: {error}"
            )),
            _ => error,
        },
        _ => error,
    }
}

/// Whether programs can be attached to an interface: a program that passes everything on is there for a
/// moment.
///
/// # Errors
///
/// `NotPermitted`, `NotBuilt` on a kernel without tcx; each names what is missing.
pub fn check_rights(ifindex: i32) -> Result<()> {
    let program = load(&program::nothing())?;
    attach(&program, ifindex, Hook::Ingress).map(drop)
}

/// The reading side.
#[derive(Debug)]
pub struct BpfRx {
    // Detached before the ring goes.
    tap: Arc<Tap>,
    ring: Ring,
    fds: [RawFd; 1],
    snaplen: u32,
    /// How long a reader of a busy link sleeps; 0 where latency is asked for.
    nap_ns: u64,
    /// Frames were taken since the last nap.
    busy: bool,
}

impl BpfRx {
    /// Makes a ring of about `bytes`. Nothing comes before a program is set ([`Tap::set_program`]).
    ///
    /// # Errors
    ///
    /// `OutOfMemory`, `NotPermitted`.
    pub fn new(bytes: u64, snaplen: u32, relaxed: bool) -> Result<Self> {
        let why = |error| explain(error, "making a BPF map");
        let mut bytes = power_of_two_below(bytes.clamp(SMALLEST_BYTES, LARGEST_BYTES));
        let ring = loop {
            match Ring::new(bytes as u32) {
                Err(error) if is_want_of_memory(&error) && bytes > SMALLEST_BYTES => bytes /= 2,
                Err(error) if is_want_of_memory(&error) => return Err(Error::OutOfMemory),
                other => break other.map_err(why)?,
            }
        };
        let shared_fd = bpf::shared_value(size_of::<Shared>() as u32).map_err(why)?;
        let tap = Tap {
            shared: Mapping::new(&shared_fd, page_size())?,
            shared_fd,
            ring_fd: ring.fd(),
            links: Mutex::default(),
        };
        tap.tell_tai_offset();
        let nap_ns = NAP_NS.min(ring.bytes() / 8 * 1000 / FLOOD_BYTES_PER_US);
        Ok(Self {
            fds: [ring.fd()],
            tap: Arc::new(tap),
            ring,
            snaplen,
            nap_ns: if relaxed { nap_ns } else { 0 },
            busy: false,
        })
    }

    /// What other threads may touch.
    pub fn tap(&self) -> Arc<Tap> {
        Arc::clone(&self.tap)
    }

    /// Bytes of ring memory.
    pub fn bytes(&self) -> u64 {
        self.ring.bytes()
    }
}

fn is_want_of_memory(error: &Error) -> bool {
    match error {
        Error::OutOfMemory => true,
        Error::Os(_, os) => os.raw_os_error() == Some(libc::ENOMEM),
        _ => false,
    }
}

fn power_of_two_below(bytes: u64) -> u64 {
    1 << bytes.ilog2()
}

impl RxBackend for BpfRx {
    #[inline]
    fn next(&mut self) -> Result<Option<Frame>> {
        let frame = self.ring.next(self.snaplen);
        self.busy |= frame.is_some();
        Ok(frame)
    }

    #[inline]
    fn lend_run(&mut self) -> Run {
        self.ring.lend(self.snaplen)
    }

    #[inline]
    fn return_run(&mut self, run: Run) {
        self.ring.take_back(&run);
    }

    #[inline]
    fn release(&mut self) {
        self.ring.release();
    }

    #[inline]
    fn available(&self) -> bool {
        self.ring.available()
    }

    fn queued(&self) -> u32 {
        self.ring.count(u32::MAX)
    }

    fn has(&self, packets: u32) -> bool {
        self.ring.count(packets) >= packets
    }

    fn next_time(&self) -> Option<u64> {
        self.ring.next_time()
    }

    fn arm(&mut self) -> bool {
        self.ring.release_all();
        self.tap.tell_tai_offset();
        self.tap.sleeps().store(1, Ordering::SeqCst);
        // Saying that we sleep comes before any look at the ring, the kernel's in poll included.
        std::sync::atomic::fence(Ordering::SeqCst);
        self.ring.is_pending()
    }

    fn nap_ns(&mut self) -> u64 {
        if std::mem::take(&mut self.busy) {
            self.ring.release_all();
            self.nap_ns
        } else {
            0
        }
    }

    fn fds(&self) -> &[RawFd] {
        &self.fds
    }
}

#[cfg(test)]
mod tests;
