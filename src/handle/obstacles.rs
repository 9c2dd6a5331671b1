//! What keeps packets from being received in the short way: one word, so that one look tells all.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed, Ordering::SeqCst};

/// A reason. Each is set and cleared by one part of the handle.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Obstacle {
    /// Not enabled, poisoned, shut down, or made to send only: pfring_recv has to check first.
    NotReceiving = 1,
    /// Access takes a lock.
    Reentrant = 2,
    /// One direction only is wanted.
    Direction = 4,
    /// A filter has to look at frames here.
    Filter = 8,
    /// The packet header takes more than the hash of an Ethernet frame.
    Header = 16,
    /// Packets go on to another interface.
    Forward = 32,
    /// One packet in so many is wanted.
    Sampling = 64,
}

/// The reasons that hold now. Set from any thread, and from signal handlers.
pub(super) struct Obstacles(AtomicU8);

impl Obstacles {
    /// Before the ring is enabled.
    pub(super) fn new(reentrant: bool, needs_parse: bool) -> Self {
        let obstacles = Self(AtomicU8::new(Obstacle::NotReceiving as u8));
        obstacles.set(Obstacle::Reentrant, reentrant);
        obstacles.set(Obstacle::Header, needs_parse);
        obstacles
    }

    pub(super) fn set(&self, reason: Obstacle, holds: bool) {
        if holds {
            self.0.fetch_or(reason as u8, SeqCst);
        } else {
            self.0.fetch_and(!(reason as u8), SeqCst);
        }
    }

    /// Whether none holds.
    #[inline(always)]
    pub(super) fn none(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    #[inline(always)]
    pub(super) fn has(&self, reason: Obstacle) -> bool {
        self.0.load(Relaxed) & reason as u8 != 0
    }

    /// Whether frames are wanted whatever they are, and by their reader alone.
    #[inline(always)]
    pub(super) fn wants_all(&self) -> bool {
        const LOOKS: u8 = Obstacle::Direction as u8
            | Obstacle::Filter as u8
            | Obstacle::Forward as u8
            | Obstacle::Sampling as u8;
        self.0.load(Relaxed) & LOOKS == 0
    }
}
