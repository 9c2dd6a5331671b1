//! AF_PACKET rings: a tap on one interface or several, the host's own traffic goes on.

use std::os::fd::RawFd;
use std::sync::Arc;

use crate::backend::{Frame, Glimpse, RxBackend};
use crate::error::Result;
use crate::sys::clock;
use crate::sys::packet::PacketSocket;

mod feed;
pub(in crate::backend) mod meta;
mod pace;
pub mod req;
mod ring;
pub(in crate::backend) mod run;
pub mod v2;
pub mod v3;

pub use feed::Cut;
pub use ring::Wish;
pub use run::{Run, RunFrame};

use feed::Feed;
use ring::Ring;

/// A tap on one or several interfaces, a ring each.
#[derive(Debug)]
pub struct TpacketRx {
    feeds: Vec<Feed>,
    /// How long a frame waits, by its stamp, for an older one of an interface that shows none.
    hold_ns: u64,
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
        let feeds: Vec<Feed> = rings(sockets, wish)?.into_iter().map(Feed::new).collect();
        let fds = feeds.iter().map(Feed::fd).collect();
        Ok(Self {
            feeds,
            hold_ns: 0,
            fds,
        })
    }

    /// Has frames of several interfaces delivered in the order of their stamps: one waits so long while
    /// another interface shows nothing, as an older frame may be on its way to its ring.
    pub fn hold_back(&mut self, hold_ns: u64) {
        if self.feeds.len() > 1 {
            self.hold_ns = hold_ns;
        }
    }

    /// How much longer the oldest frame that shows is to be held back, in nanoseconds; 0: it is not.
    fn held(&self) -> u64 {
        if self.hold_ns == 0 {
            return 0;
        }
        let times = || self.feeds.iter().map(Feed::next_time);
        let Some(oldest) = times().flatten().min() else {
            return 0;
        };
        if times().all(|time| time.is_some()) {
            return 0;
        }
        // A stamp of the future is one of a clock that was set back: not to be waited for.
        match clock::realtime_ns().checked_sub(oldest) {
            Some(age) => self.hold_ns.saturating_sub(age),
            None => 0,
        }
    }

    /// Lets other rings take over, one for each of these sockets, which are in the order of those that
    /// the tap was made with.
    pub fn hand_over(&mut self, others: Self, times: Cut) {
        for (feed, other) in self.feeds.iter_mut().zip(others.feeds) {
            feed.hand_over(other.into_ring(), times);
        }
    }

    /// Bytes of ring memory that were had.
    pub fn bytes(&self) -> u64 {
        self.feeds.iter().map(Feed::bytes).sum()
    }

    /// The interface whose next frame is the oldest.
    fn earliest(&mut self) -> Option<&mut Feed> {
        self.feeds
            .iter_mut()
            .filter_map(|feed| feed.next_time().map(|time| (time, feed)))
            .min_by_key(|(time, _)| *time)
            .map(|(_, feed)| feed)
    }
}

/// A ring for each socket, of the wished bytes together.
fn rings(sockets: &[Arc<PacketSocket>], wish: &Wish) -> Result<Vec<Ring>> {
    let share = Wish {
        bytes: wish.bytes / sockets.len().max(1) as u64,
        ..*wish
    };
    sockets
        .iter()
        .map(|socket| Ring::new(socket, &share))
        .collect()
}

impl RxBackend for TpacketRx {
    #[inline]
    fn next(&mut self) -> Result<Option<Frame>> {
        if let [feed] = self.feeds.as_mut_slice() {
            return Ok(feed.next());
        }
        if self.held() > 0 {
            return Ok(None);
        }
        Ok(self.earliest().and_then(Feed::next))
    }

    fn held_ns(&self) -> u64 {
        self.held()
    }

    fn arm(&mut self) -> bool {
        self.held() > 0
    }

    #[inline]
    fn release(&mut self) {
        for feed in &mut self.feeds {
            feed.release();
        }
    }

    #[inline]
    fn lend_run(&mut self) -> Run {
        match self.feeds.as_mut_slice() {
            [feed] => feed.lend_run(),
            _ => Run::EMPTY,
        }
    }

    #[inline]
    fn return_run(&mut self, run: Run) {
        if let [feed] = self.feeds.as_mut_slice() {
            feed.return_run(run);
        }
    }

    #[inline]
    fn available(&self) -> bool {
        match self.feeds.as_slice() {
            [feed] => feed.available(),
            feeds => feeds.iter().any(Feed::available) && self.held() == 0,
        }
    }

    fn has(&self, packets: u32) -> bool {
        match self.feeds.as_slice() {
            [feed] => feed.has(packets),
            _ => self.queued() >= packets && self.held() == 0,
        }
    }

    fn queued(&self) -> u32 {
        let sum = |sum: u32, feed: &Feed| sum.saturating_add(feed.queued());
        self.feeds.iter().fold(0, sum)
    }

    #[inline]
    fn glimpse(&self) -> Option<Glimpse> {
        match self.feeds.as_slice() {
            [feed] => feed.glimpse(),
            _ => None,
        }
    }

    fn next_time(&self) -> Option<u64> {
        self.feeds.iter().filter_map(Feed::next_time).min()
    }

    fn settle(&mut self) {
        for feed in &mut self.feeds {
            feed.settle();
        }
    }

    fn nap_ns(&mut self) -> u64 {
        match self.feeds.as_slice() {
            [feed] => feed.nap_ns(),
            _ => 0,
        }
    }

    fn fds(&self) -> &[RawFd] {
        &self.fds
    }
}
