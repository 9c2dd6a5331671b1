//! What stands behind a `pfring *`: the public struct, which C reads and in part writes, and the
//! private state, in one allocation.
//!
//! We only ever form `&Handle`: pfring_breakloop, pfring_stats and pfring_send may run on another
//! thread while a receive waits. Our truth is in the private fields; the public ones are mirrors.

use std::cell::UnsafeCell;
use std::ffi::CString;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::abi;
use crate::backend::RxAny;
use crate::backend::bpf;
use crate::backend::tpacket::TpacketRx;
use crate::backend::tpacket::req::Layout;
use crate::config;
use crate::config::env::{BackendChoice, Settings};
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::link_type::DLT_EN10MB;
use crate::transmit::Transmitter;
use crate::wait::Waiter;

mod accelerate;
mod ahead;
mod bind;
mod breaks;
mod capture;
mod card;
mod chunk;
mod cluster;
mod empty;
mod filter;
mod fork;
mod forward;
mod half;
mod header;
mod hw_rules;
mod info;
mod obstacles;
mod options;
mod public;
mod published;
mod receive;
mod rules;
mod rx;
mod sampling;
mod selectable;
mod selection;
mod slicing;
mod source;
mod stack;
pub mod trailer;
mod transmit;
mod turn;
mod twice;
mod waiting;

pub use cluster::{ANY_QUEUE, Wish as ClusterWish};
pub use options::{Direction, Mode};
pub use receive::{Lent, Target};

use breaks::Breaks;
use card::Card;
use empty::EmptyCalls;
use filter::FilterSlot;
use forward::Forward;
use half::Half;
use hw_rules::HwRules;
use obstacles::{Obstacle, Obstacles};
use rules::Rules;
use rx::Rx;
use sampling::Sampling;
use selectable::Selectable;
use selection::Selection;
use slicing::Slicing;
use source::{Opened, Source};
use stack::ToHost;
use trailer::Trailers;

/// Bytes of a frame before what the MTU counts.
const ETHERNET_HEADER: usize = 14;

/// A ring. C knows its first field only, as `struct __pfring`.
#[repr(C)]
pub struct Handle {
    public: UnsafeCell<abi::__pfring>,
    rx: Half<Rx>,
    source: Source,
    /// Sends what pfring_send is given; empty where nothing can be sent. A socket of its own, since a packet
    /// socket does not see what it sends itself, and the ring may be asked to.
    tx: OnceLock<Transmitter>,
    forward: Forward,
    sampling: Sampling,
    rules: Rules,
    slicing: Slicing,
    selection: Selection,
    trailers: Trailers,
    card: Card,
    hw_rules: HwRules,
    to_host: ToHost,
    /// What the program asked for.
    options: options::Options,
    settings: Settings,
    filter: FilterSlot,
    breaks: Breaks,
    waiter: Waiter,
    /// Sockets, spare ones too, and the alarm of `breaks`: what a wait in the kernel looks at.
    wait_fds: OnceLock<Vec<RawFd>>,
    /// Whether capture was started; guards starting and stopping.
    lifecycle: Mutex<Lifecycle>,
    /// What other threads may touch of a BPF ring.
    accelerated: OnceLock<Arc<bpf::Tap>>,
    cluster: cluster::Cluster,
    /// Why packets may not be received in the short way.
    obstacles: Obstacles,
    /// How frames lie in the ring; None before capture starts, and for a file.
    layout: Mutex<Option<Layout>>,
    /// Somebody wants a ring of slots.
    wants_slots: AtomicBool,
    /// The spare rings are taking over.
    turning: AtomicBool,
    empty_calls: EmptyCalls,
    /// Packets handed to the program.
    received: AtomicU64,
    poisoned: AtomicBool,
    /// This process is a child that was forked while the ring was open.
    forked: AtomicBool,
    selectable: Selectable,
    device_name: CString,
    application: Mutex<CString>,
    published: Mutex<published::Published>,
}

#[derive(Default)]
struct Lifecycle {
    /// The ring exists and its sockets are bound.
    capturing: bool,
    /// pfring_disable_ring was called: a filter keeps everything out.
    paused: bool,
    /// Rings of slots that may take over from those of blocks. Made when capture starts: making one
    /// takes the kernel tens of milliseconds, and the turn comes in a call that must not block.
    spare: Option<TpacketRx>,
    /// The spare rings have taken over, or are about to.
    turned: bool,
}

const _: () = {
    assert!(std::mem::offset_of!(Handle, public) == 0);
    assert!(size_of::<abi::__pfring>() == 944 && align_of::<abi::__pfring>() == 8);
};

impl Drop for Handle {
    fn drop(&mut self) {
        self.forget_fork();
        if self.is_forked() {
            // What is to be ended, sent or taken away is the parent's.
            return;
        }
        self.shut_down();
        self.remove_hw_rules();
        if self.settings.stats {
            self.print_statistics();
        }
    }
}

impl Handle {
    /// Opens a device: everything but the ring itself, which is made when capture starts.
    ///
    /// # Errors
    ///
    /// As `pfring_open` documents them.
    pub fn open(device: &std::ffi::CStr, caplen: u32, flags: u32) -> Result<Box<Self>> {
        let settings = read_settings()?;
        if flags & abi::PF_RING_L7_FILTERING != 0 {
            return Err(Error::NotSupported("PF_RING_L7_FILTERING"));
        }
        let spec = config::device::parse_bytes(device.to_bytes())?;
        let snaplen = caplen.min(abi::MAX_CAPLEN);
        let promisc = flags & abi::PF_RING_PROMISC != 0;
        let (source, backend) = match Source::open(&spec, snaplen, promisc)? {
            Opened::Tap(source) => (source, None),
            Opened::File(source, rx) => (source, Some(RxAny::File(rx))),
        };
        if settings.backend == BackendChoice::Bpf {
            accelerate::check(&spec, &source)?;
        }
        let breaks = Breaks::new()?;
        let selectable = Selectable::new(&source.fds())?;
        let reentrant = flags & abi::PF_RING_REENTRANT != 0;
        let needs_parse = source.link_type() != DLT_EN10MB || flags & abi::PF_RING_LONG_HEADER != 0;
        let handle = Box::new(Self {
            public: UnsafeCell::new(abi::__pfring::zeroed()),
            rx: Half::new(Rx::new(backend), reentrant),
            source,
            tx: OnceLock::new(),
            forward: Forward::default(),
            sampling: Sampling::default(),
            rules: Rules::new(),
            slicing: Slicing::default(),
            selection: Selection::new(spec.channels),
            trailers: Trailers::new(flags),
            card: Card::default(),
            hw_rules: HwRules::default(),
            to_host: ToHost::new(),
            options: options::Options::new(snaplen, flags),
            waiter: Waiter::new(settings.wait),
            settings,
            filter: FilterSlot::default(),
            breaks,
            wait_fds: OnceLock::new(),
            lifecycle: Mutex::default(),
            accelerated: OnceLock::new(),
            cluster: cluster::Cluster::default(),
            obstacles: Obstacles::new(reentrant, needs_parse),
            layout: Mutex::default(),
            wants_slots: AtomicBool::new(false),
            turning: AtomicBool::new(false),
            empty_calls: EmptyCalls::default(),
            received: AtomicU64::new(0),
            poisoned: AtomicBool::new(false),
            forked: AtomicBool::new(false),
            selectable,
            device_name: CString::new(spec.text.as_bytes()).unwrap_or_default(),
            application: Mutex::default(),
            published: Mutex::default(),
        });
        let trailers = handle.trailers.are_wanted();
        handle.obstacles.set(Obstacle::Trailer, trailers);
        handle.ask_for_card_stamps();
        handle.open_transmitter()?;
        handle.open_way_to_host();
        handle.obstacles.set(Obstacle::Forward, handle.keeps_last());
        handle.publish_open();
        if handle.source.is_stack() {
            handle.set_direction(Direction::Sent)?;
        }
        handle.publish_files();
        handle.watch_for_fork();
        Ok(handle)
    }

    /// Whether the ring was opened by a parent process, before fork.
    pub fn is_forked(&self) -> bool {
        self.forked.load(Ordering::Relaxed)
    }

    /// Why no call on the ring can be answered any more.
    #[inline]
    pub fn check_alive(&self) -> Result<()> {
        if self.is_poisoned() {
            Err(Error::Poisoned)
        } else if self.is_forked() {
            Err(Error::Forked)
        } else {
            Ok(())
        }
    }

    /// Whether a panic was caught on this ring.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Relaxed)
    }

    /// Makes every later call fail: a panic was caught, and the state may be half written.
    pub fn poison(&self) {
        self.poisoned.store(true, Ordering::Relaxed);
        self.obstacles.set(Obstacle::NotReceiving, true);
    }

    /// Ends the waits on this ring: those of now, or else the next one. Safe in a signal handler.
    pub fn break_loop(&self) {
        self.break_flag().store(1, Ordering::SeqCst);
        self.break_flag_ext().store(1, Ordering::SeqCst);
        self.breaks.wake_all();
    }

    /// Takes a pending break: true for one caller.
    fn take_break(&self) -> bool {
        let pending = self.break_flag().swap(0, Ordering::SeqCst) != 0;
        if pending {
            self.break_flag_ext().store(0, Ordering::SeqCst);
            self.breaks.quiet();
        }
        pending
    }

    /// Stops reception and wakes every thread that waits. Safe in a signal handler.
    pub fn shut_down(&self) {
        self.obstacles.set(Obstacle::NotReceiving, true);
        self.break_flag().store(1, Ordering::SeqCst);
        self.break_flag_ext().store(1, Ordering::SeqCst);
        self.shutting_down_flag().store(1, Ordering::SeqCst);
        self.breaks.shut_down();
    }

    /// Packets handed to the program, and packets lost for want of room. Both since open.
    pub fn statistics(&self) -> (u64, u64) {
        (self.received.load(Ordering::Relaxed), self.dropped())
    }

    /// The descriptor for select, poll and epoll, given to a program that will wait on it.
    pub fn selectable_fd(&self) -> RawFd {
        self.selectable.watch()
    }
}

/// Reads the environment and refuses what this build cannot do.
fn read_settings() -> Result<Settings> {
    let settings = Settings::from_env()?;
    log::set_level(settings.log);
    for name in &settings.ignored {
        log::info(format_args!("{name} has no effect in this library"));
    }
    if settings.backend == BackendChoice::Xdp {
        return Err(Error::NotBuilt(
            "PFRING_BACKEND=xdp is not built yet; allowed: auto, tpacket2, tpacket3, bpf".into(),
        ));
    }
    Ok(settings)
}
