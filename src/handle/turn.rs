//! Turning a ring of blocks into one of slots while packets flow: for a program that spins, or that
//! asks for another wait mode.

use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::Relaxed;

use super::Handle;
use super::obstacles::Obstacle;
use crate::backend::RxAny;
use crate::backend::tpacket::req::Layout;
use crate::backend::tpacket::{Cut, TpacketRx};
use crate::config::log;
use crate::error::Result;
use crate::sys::clock;

/// How long both rings take frames before the cut: the kernel begins to stamp frames early some
/// milliseconds after it was asked to (net_enable_timestamp defers to a worker).
const OVERLAP_NS: u64 = 50_000_000;
/// How long after the cut the last block of the old ring is awaited: its timer, and as much again.
const SETTLE_NS: u64 = 20_000_000;

impl Handle {
    /// Asks for slots. The thread that receives brings it about, as it alone may touch the rings.
    pub(super) fn want_slots(&self) {
        self.wants_slots.store(true, Relaxed);
    }

    /// The layout has just been chosen by all that was asked for so far.
    pub(super) fn forget_wanted_slots(&self) {
        self.wants_slots.store(false, Relaxed);
    }

    /// Called by the thread that receives, with no borrow of the receive half.
    #[inline]
    pub(super) fn turn_if_wanted(&self) {
        if self.wants_slots.load(Relaxed) {
            self.turn();
        }
        if self.turning.load(Relaxed) {
            self.end_turn();
        }
    }

    /// Gives the rules back to the kernel once the old sockets take nothing any more.
    #[cold]
    fn end_turn(&self) {
        if !self
            .source
            .devices()
            .all(|device| device.socket.is_retired())
        {
            return;
        }
        let Some(lifecycle) = self.lifecycle.try_lock() else {
            return;
        };
        self.turning.store(false, Relaxed);
        if self.obstacles.has(Obstacle::Rules)
            && let Err(error) = self.attach(&lifecycle)
        {
            log::info(format_args!("{}: {error}", self.name()));
        }
    }

    #[cold]
    fn turn(&self) {
        let Some(mut lifecycle) = self.lifecycle.try_lock() else {
            return;
        };
        self.wants_slots.store(false, Relaxed);
        // Which ring delivers a frame is decided by comparing its stamp with the system's clock.
        if lifecycle.paused || !self.has_system_stamps() {
            return;
        }
        let Some(rings) = lifecycle.spare.take() else {
            return;
        };
        lifecycle.turned = true;
        match self
            .attach(&lifecycle)
            .and_then(|()| self.start_slots(rings))
        {
            Ok(()) => {
                self.turning.store(true, Relaxed);
                log::info(format_args!("{}: turns to TPACKET_V2", self.name()));
            }
            Err(error) => log::info(format_args!("{}: stays TPACKET_V3: {error}", self.name())),
        }
    }

    /// System calls that take microseconds, all of them.
    fn start_slots(&self, rings: TpacketRx) -> Result<()> {
        for device in self.source.devices() {
            device.socket.stamp_early()?;
            if let Some(spare) = device.spare.get() {
                spare.stamp_early()?;
                spare.bind(device.ifindex)?;
                self.selectable.add(spare.as_raw_fd())?;
            }
        }
        let at_ns = clock::realtime_ns() + OVERLAP_NS;
        let times = Cut {
            at_ns,
            settled_ns: at_ns + SETTLE_NS,
        };
        self.rx.with(|rx| {
            if let Some(RxAny::Tap(tap)) = rx.backend() {
                tap.hand_over(rings, times);
            }
        });
        self.layout.lock().replace(Layout::Slots);
        Ok(())
    }
}
