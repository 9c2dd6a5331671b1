//! Waiting for packets on a ring: what the room `wait` looks at.

use std::sync::atomic::Ordering;

use super::breaks::Waiting;
use super::{Handle, Rx};
use crate::backend::RxBackend;
use crate::backend::tpacket::req::Layout;
use crate::error::{Error, Result};
use crate::wait::platform::Linux;
use crate::wait::{Look, Platform, Reading, Request, WaitMode, Watched, Woken};

/// A ring that somebody waits for.
struct Watch<'a> {
    handle: &'a Handle,
    entry: Waiting<'a>,
    /// Packets that end the wait.
    want: u32,
    /// How long a packet may wait for the others, and since when one does.
    patience_ns: Option<u64>,
    first_seen_ns: Option<u64>,
    /// The flood was given time to fill some blocks.
    napped: bool,
}

impl Watched for Watch<'_> {
    #[inline]
    fn look(&mut self) -> Look {
        self.handle.turn_if_wanted();
        if self.want <= 1 {
            if self.handle.is_available() {
                return Look::Ready;
            }
        } else {
            if self.handle.has(self.want) {
                return Look::Ready;
            }
            if self.handle.is_available() && !self.is_broken() {
                return self.partial();
            }
        }
        if self.is_broken() {
            return Look::Broken;
        }
        match self.nap_ns() {
            0 => Look::Nothing,
            ns => Look::Partial(ns),
        }
    }

    fn arm(&mut self) {
        self.handle.rx.with(|rx| {
            if let Some(backend) = rx.backend() {
                backend.arm();
            }
        });
    }

    fn settle(&mut self) {
        self.handle.source.settle();
        self.handle.rx.with(|rx| {
            if let Some(backend) = rx.backend() {
                backend.settle();
            }
        });
        self.handle.breaks.quiet();
    }
}

impl Watch<'_> {
    #[inline]
    fn is_broken(&self) -> bool {
        self.entry.is_broken() || self.handle.break_flag().load(Ordering::Relaxed) != 0
    }

    /// How long a frame is still held back, or a flood had best be left alone: that once in a wait, so that its end is not slept through.
    fn nap_ns(&mut self) -> u64 {
        let held_ns = |rx: &mut Rx| rx.backend().map_or(0, |backend| backend.held_ns());
        let held_ns = self.handle.rx.with(held_ns);
        if held_ns > 0 {
            return held_ns;
        }
        if std::mem::replace(&mut self.napped, true) {
            return 0;
        }
        let backend_ns = |rx: &mut Rx| rx.backend().map_or(0, |backend| backend.nap_ns());
        self.handle.rx.with(backend_ns)
    }

    /// Some packets are there, but fewer than wanted.
    fn partial(&mut self) -> Look {
        let pause_ns = self.handle.look_again_ns();
        let Some(patience) = self.patience_ns else {
            return Look::Partial(pause_ns);
        };
        let now = Linux.now_ns();
        let waited = now - *self.first_seen_ns.get_or_insert(now);
        if waited >= patience {
            Look::Ready
        } else {
            Look::Partial(pause_ns.min(patience - waited))
        }
    }
}

impl Handle {
    /// Waits until a packet can be read.
    ///
    /// # Errors
    ///
    /// `Broken` by pfring_breakloop, `ShutDown`, `Os` when poll fails.
    pub(super) fn wait_for_packet(&self) -> Result<()> {
        self.wait(1, None, false).map(|_| ())
    }

    /// pfring_poll: whether packets can be read, waiting up to `ms` milliseconds for as many as the
    /// watermark says (`u32::MAX`: for ever).
    ///
    /// # Errors
    ///
    /// `Broken` by pfring_breakloop, `ShutDown`, `Os` with EINTR when a signal handler ran.
    pub fn poll(&self, ms: u32) -> Result<bool> {
        if ms == 0 {
            return Ok(self.look_once());
        }
        if self.breaks.is_shut() {
            return Err(Error::ShutDown);
        }
        self.count_poll();
        self.start_capture()?;
        self.release();
        // As the original hands it to poll(2): a negative int waits for ever.
        let timeout = i32::try_from(ms).ok();
        let deadline = timeout.map(|ms| Linux.now_ns() + ms as u64 * 1_000_000);
        let want = self.options.watermark().unwrap_or(1);
        Ok(self.wait(want, deadline, true)? || self.is_available())
    }

    /// A look that counts as an empty call when it finds nothing: pfring_poll with 0, and
    /// pfring_is_pkt_available.
    pub fn look_once(&self) -> bool {
        self.is_available() || self.after_empty_call()
    }

    /// True when as many packets as wanted are there, false at the deadline.
    fn wait(&self, want: u32, deadline_ns: Option<u64>, until_signal: bool) -> Result<bool> {
        let alone = [self.breaks.alarm_fd()];
        let request = Request {
            fds: self.wait_fds.get().map_or(&alone[..], Vec::as_slice),
            break_fds: &alone,
            deadline_ns,
            recheck_ns: self.options.poll_duration_ns(),
            until_signal,
        };
        let mut watch = self.watch(want);
        match self.waiter.wait(&Linux, &request, &mut watch) {
            Woken::Ready => Ok(true),
            Woken::Timeout => Ok(false),
            Woken::Broken => {
                drop(watch);
                Err(self.broken())
            }
            Woken::Interrupted => Err(os_error(libc::EINTR)),
            Woken::Failed(errno) => Err(os_error(errno)),
        }
    }

    /// Sleeps until a packet comes, `limit_ns` at most; true when one has. Leaves a break pending.
    pub(super) fn sleep_on_guard(&self, limit_ns: u64) -> bool {
        let Some(fds) = self.wait_fds.get() else {
            return false;
        };
        self.release();
        let request = Request {
            fds,
            break_fds: &fds[fds.len() - 1..],
            deadline_ns: Some(Linux.now_ns() + limit_ns),
            recheck_ns: limit_ns,
            until_signal: true,
        };
        let mut watch = self.watch(1);
        self.waiter.wait_passively(&Linux, &request, &mut watch) == Woken::Ready
    }

    /// Gives back what is lent: while we hold it the kernel says readable at once.
    fn release(&self) {
        self.rx.with(Rx::release);
    }

    fn watch(&self, want: u32) -> Watch<'_> {
        Watch {
            handle: self,
            entry: self.breaks.enter(),
            want,
            patience_ns: self.options.watermark_timeout_ns(),
            first_seen_ns: None,
            napped: false,
        }
    }

    /// Changes how calls on this ring wait, also those that wait now.
    pub fn set_wait_mode(&self, mode: WaitMode) {
        self.waiter.set_mode(mode);
        if mode != WaitMode::Passive {
            self.want_slots();
        }
        self.breaks.nudge();
    }

    /// What waiting has cost so far.
    pub fn wait_counters(&self) -> Reading {
        self.waiter.counters().read()
    }

    /// Whether a packet can be read now.
    #[inline]
    pub fn is_available(&self) -> bool {
        self.rx.with(|rx| rx.available())
    }

    fn has(&self, packets: u32) -> bool {
        self.rx.with(|rx| rx.has(packets))
    }

    /// How long to sleep while packets are there but fewer than the watermark: no wake-up tells when it
    /// is reached.
    fn look_again_ns(&self) -> u64 {
        let layout = match self.accelerated.get() {
            Some(_) => Some(self.choose_layout()),
            None => *self.layout.lock(),
        };
        u64::from(layout.map_or(0, Layout::delay_ms).max(1)) * 1_000_000
    }

    /// Packets that can be read now, as far as the kernel has handed them over.
    pub fn queued(&self) -> u32 {
        self.rx.with(Rx::queued)
    }
}

fn os_error(errno: i32) -> Error {
    Error::Os("ppoll", std::io::Error::from_raw_os_error(errno))
}
