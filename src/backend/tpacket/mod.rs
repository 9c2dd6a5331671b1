//! AF_PACKET rings: a tap on one interface or several, the host's own traffic goes on.

use std::os::fd::RawFd;
use std::sync::Arc;

use crate::backend::{Frame, RxBackend};
use crate::error::Result;
use crate::sys::packet::PacketSocket;

mod meta;
pub mod req;
mod ring;
pub mod v2;
pub mod v3;

pub use ring::Wish;

use ring::Ring;

/// A tap on one or several interfaces, a ring each.
#[derive(Debug)]
pub struct TpacketRx {
    rings: Vec<Ring>,
    fds: Vec<RawFd>,
}

impl TpacketRx {
    /// Makes a ring for each socket, of the wished bytes together. When memory is short the size is
    /// halved, down to the smallest ring. The sockets receive nothing before they are bound.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` when not even the smallest ring fits; `Os` for what else the kernel refuses.
    pub fn new(sockets: &[Arc<PacketSocket>], wish: &Wish) -> Result<Self> {
        let share = Wish {
            bytes: wish.bytes / sockets.len().max(1) as u64,
            ..*wish
        };
        let rings: Result<Vec<Ring>> = sockets.iter().map(|s| Ring::new(s, &share)).collect();
        let rings = rings?;
        let fds = rings.iter().map(Ring::fd).collect();
        Ok(Self { rings, fds })
    }

    /// Bytes of ring memory that were had.
    pub fn bytes(&self) -> u64 {
        self.rings.iter().map(Ring::bytes).sum()
    }

    /// The ring whose next frame is the oldest.
    fn earliest(&mut self) -> Option<&mut Ring> {
        self.rings
            .iter_mut()
            .filter_map(|ring| ring.next_time().map(|time| (time, ring)))
            .min_by_key(|(time, _)| *time)
            .map(|(_, ring)| ring)
    }
}

impl RxBackend for TpacketRx {
    #[inline]
    fn next(&mut self) -> Result<Option<Frame>> {
        if let [ring] = self.rings.as_mut_slice() {
            return Ok(ring.next());
        }
        Ok(self.earliest().and_then(Ring::next))
    }

    #[inline]
    fn release(&mut self) {
        for ring in &mut self.rings {
            ring.release();
        }
    }

    #[inline]
    fn available(&self) -> bool {
        self.rings.iter().any(Ring::available)
    }

    fn has(&self, packets: u32) -> bool {
        match self.rings.as_slice() {
            [ring] => ring.has(packets),
            _ => self.queued() >= packets,
        }
    }

    fn queued(&self) -> u32 {
        let sum = |sum: u32, ring: &Ring| sum.saturating_add(ring.queued());
        self.rings.iter().fold(0, sum)
    }

    fn fds(&self) -> &[RawFd] {
        &self.fds
    }
}
