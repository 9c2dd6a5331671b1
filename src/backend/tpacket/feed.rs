//! The ring of one interface, which may be followed by another one while frames flow.
//!
//! A program that turns out to spin is better served by slots than by the blocks that its ring began
//! with. For a while both rings take every frame; each frame is stamped once, before it reaches either
//! (SO_TIMESTAMPNS on both sockets), so a time decides which of the two delivers it: the old one all
//! frames before the cut, the new one all others. None is lost, and none comes twice.

use std::os::fd::RawFd;

use super::ring::Ring;
use super::run::Run;
use crate::backend::{Frame, Glimpse};
use crate::sys::clock;

/// The ring of one interface.
#[derive(Debug)]
pub(super) struct Feed {
    ring: Ring,
    /// None, but for a short time in the life of some rings.
    change: Option<Box<Change>>,
}

/// What goes on besides the ring.
#[derive(Debug)]
enum Change {
    /// Another ring takes over.
    Successor(Successor),
    /// The ring from before is done. A program may still read the packet that it got last, until it gets
    /// another one from this ring (true).
    Old(Ring, bool),
}

/// The ring that takes over, and when.
#[derive(Debug)]
struct Successor {
    ring: Ring,
    times: Cut,
    /// Its drops count, and those of the old ring no longer: the cut is over.
    counts_drops: bool,
    /// The old ring has delivered its last frame.
    old_is_done: bool,
}

/// When a ring takes over from another, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Frames stamped from here on come by the new ring.
    pub at_ns: u64,
    /// From here on the old ring has handed over all frames from before the cut.
    pub settled_ns: u64,
}

impl Feed {
    pub(super) fn new(ring: Ring) -> Self {
        Self { ring, change: None }
    }

    pub(super) fn hand_over(&mut self, ring: Ring, times: Cut) {
        self.change = Some(Box::new(Change::Successor(Successor {
            ring,
            times,
            counts_drops: false,
            old_is_done: false,
        })));
    }

    /// The ring of a feed that is not used yet.
    pub(super) fn into_ring(self) -> Ring {
        self.ring
    }

    pub(super) fn fd(&self) -> RawFd {
        self.ring.fd()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.ring.bytes()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Frame> {
        if self.change.is_some() {
            return self.next_in_change();
        }
        self.ring.next()
    }

    #[cold]
    fn next_in_change(&mut self) -> Option<Frame> {
        let successor = match self.change.as_deref_mut()? {
            Change::Successor(successor) => successor,
            Change::Old(_, may_go) => {
                let frame = self.ring.next();
                *may_go |= frame.is_some();
                return frame;
            }
        };
        let cut = successor.times.at_ns;
        if !successor.old_is_done {
            // Before the look: this thread may be kept from running between the two, and what the old ring
            // gets meanwhile must not be taken for over.
            let now = clock::realtime_ns();
            // What the old ring has from after the cut comes by the new one.
            while let Some(frame) = self.ring.next() {
                if frame.stamp.to_ns() < cut {
                    return Some(frame);
                }
            }
            successor.forget_frames_before_the_cut();
            if now >= cut && !successor.counts_drops {
                successor.counts_drops = true;
                successor.ring.count_drops(true);
                self.ring.count_drops(false);
            }
            if now < successor.times.settled_ns {
                return None;
            }
            successor.old_is_done = true;
        }
        loop {
            let frame = successor.ring.next()?;
            if frame.stamp.to_ns() >= cut {
                return Some(frame);
            }
        }
    }

    /// As [`v3::Walk::lend_run`](super::v3::Walk::lend_run); empty while a ring takes over.
    #[inline]
    pub(super) fn lend_run(&mut self) -> Run {
        match self.change {
            None => self.ring.lend_run(),
            Some(_) => Run::EMPTY,
        }
    }

    pub(super) fn return_run(&mut self, run: Run) {
        self.ring.return_run(run);
    }

    #[inline]
    pub(super) fn release(&mut self) {
        self.ring.release();
        if self.change.is_some() {
            self.release_in_change();
        }
    }

    /// Goes on with a change once nothing of the old ring is lent or to come.
    #[cold]
    fn release_in_change(&mut self) {
        match self.change.take().map(|change| *change) {
            Some(Change::Successor(mut successor)) if successor.old_is_done => {
                successor.ring.release();
                let mut old = std::mem::replace(&mut self.ring, successor.ring);
                old.retire();
                old.discard();
                self.change = Some(Box::new(Change::Old(old, false)));
            }
            Some(Change::Old(old, true)) => old.free(),
            other => self.change = other.map(Box::new),
        }
    }

    /// An old ring may get a last block after its end, when its timer runs out: its descriptor is readable
    /// as long as nobody has taken that.
    pub(super) fn settle(&mut self) {
        if let Some(Change::Old(old, _)) = self.change.as_deref_mut() {
            old.discard();
        }
    }

    fn successor(&self) -> Option<&Successor> {
        match self.change.as_deref() {
            Some(Change::Successor(successor)) => Some(successor),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn available(&self) -> bool {
        match self.successor() {
            None => self.ring.available(),
            Some(successor) if successor.old_is_done => successor.ring.available(),
            // What the old ring has from after the cut comes by the new one, once the old one is done.
            Some(successor) => {
                let time = self.ring.next_time();
                time.is_some_and(|time| time < successor.times.at_ns)
                    || (successor.ring.available()
                        && clock::realtime_ns() >= successor.times.settled_ns)
            }
        }
    }

    pub(super) fn has(&self, frames: u32) -> bool {
        match self.successor() {
            None => self.ring.has(frames),
            Some(_) => self.queued() >= frames,
        }
    }

    /// While one ring follows another, frames that both have may count twice.
    pub(super) fn queued(&self) -> u32 {
        let new = self.successor().map_or(0, |s| s.queued());
        self.ring.queued().saturating_add(new)
    }

    /// As [`Ring::nap_ns`]; 0 while a ring takes over.
    pub(super) fn nap_ns(&self) -> u64 {
        match self.successor() {
            None => self.ring.nap_ns(),
            Some(_) => 0,
        }
    }

    #[inline]
    pub(super) fn glimpse(&self) -> Option<Glimpse> {
        self.change.is_none().then(|| self.ring.glimpse()).flatten()
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        self.ring.next_time().or_else(|| {
            let successor = self.successor()?;
            successor.old_is_done.then(|| successor.ring.next_time())?
        })
    }
}

impl Successor {
    /// Frames from before the cut come by the old ring; here they only take room.
    fn forget_frames_before_the_cut(&mut self) {
        while self
            .ring
            .next_time()
            .is_some_and(|time| time < self.times.at_ns)
        {
            self.ring.next();
            self.ring.release();
        }
    }

    fn queued(&self) -> u32 {
        if self.old_is_done {
            self.ring.queued()
        } else {
            0
        }
    }
}
