//! What keeps packets from being received in the short way: one word, so that one look tells all.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

/// A reason. Each is set and cleared by one part of the handle.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(super) enum Obstacle {
    /// Not enabled, poisoned, shut down, or made to send only: pfring_recv has to check first.
    NotReceiving = 1 << 0,
    /// Access takes a lock.
    Reentrant = 1 << 1,
    /// One direction only is wanted.
    Direction = 1 << 2,
    /// A filter has to look at frames here.
    Filter = 1 << 3,
    /// The packet header takes more than the hash of an Ethernet frame.
    Header = 1 << 4,
    /// Packets go on to another interface.
    Forward = 1 << 5,
    /// One packet in so many is wanted.
    Sampling = 1 << 6,
    /// A channel or a VLAN is wanted, and frames have to be looked at here.
    Channel = 1 << 7,
    /// A packet was seen before it is received.
    Ahead = 1 << 8,
    /// Packets have a trailer with a time stamp.
    Trailer = 1 << 9,
    /// There are rules, or packets that no rule decides on are dropped.
    Rules = 1 << 10,
    /// Packets are cut behind their headers.
    Slicing = 1 << 11,
    /// The hash of a packet is its place in a cluster.
    Cluster = 1 << 12,
    /// A packet may come by two sockets.
    Twice = 1 << 13,
}

/// The reasons that hold now. Set from any thread, and from signal handlers.
pub(super) struct Obstacles(AtomicU32);

impl Obstacles {
    /// Before the ring is enabled.
    pub(super) fn new(reentrant: bool, needs_parse: bool) -> Self {
        let obstacles = Self(AtomicU32::new(Obstacle::NotReceiving as u32));
        obstacles.set(Obstacle::Reentrant, reentrant);
        obstacles.set(Obstacle::Header, needs_parse);
        obstacles
    }

    pub(super) fn set(&self, reason: Obstacle, holds: bool) {
        if holds {
            self.0.fetch_or(reason as u32, SeqCst);
        } else {
            self.0.fetch_and(!(reason as u32), SeqCst);
        }
    }

    /// Whether none holds.
    #[inline(always)]
    pub(super) fn none(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    #[inline(always)]
    pub(super) fn has(&self, reason: Obstacle) -> bool {
        self.0.load(Relaxed) & reason as u32 != 0
    }

    /// Whether frames are wanted whatever they are, and by their reader alone.
    #[inline(always)]
    pub(super) fn wants_all(&self) -> bool {
        const LOOKS: u32 = Obstacle::Direction as u32
            | Obstacle::Filter as u32
            | Obstacle::Forward as u32
            | Obstacle::Sampling as u32
            | Obstacle::Channel as u32
            | Obstacle::Ahead as u32
            | Obstacle::Trailer as u32
            | Obstacle::Rules as u32
            | Obstacle::Slicing as u32
            | Obstacle::Twice as u32;
        self.0.load(Relaxed) & LOOKS == 0
    }
}
