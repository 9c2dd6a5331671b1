//! The five ways to wait.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::sys::poll::Polled;
use crate::wait::{Counters, Look, Platform, Request, WaitMode, Watched, Woken};

/// Looks between two readings of the clock while spinning.
const SPINS_PER_CLOCK: u32 = 32;
/// Empty naps in a row after which the nap loop waits in poll instead.
const NAPS_BEFORE_POLL: u32 = 100;
/// Weight of the newest gap in the running mean of gaps: one in this many.
const GAP_WEIGHT: u64 = 4;
/// Budgets that adaptive waiting spins away between two sleeps: it bounds the CPU that a steady stream
/// costs, while most of its packets still find somebody looking.
const BUDGETS_PER_SLEEP: u64 = 2;

/// Waits in a mode that may be changed at any time, and remembers what adaptive waiting learns.
/// Several threads may wait at once.
#[derive(Debug)]
pub struct Waiter {
    mode: Mutex<WaitMode>,
    /// Counts changes of the mode: a wait that sees another count begins again.
    changes: AtomicU32,
    /// Running mean of how long a wait took, in nanoseconds.
    mean_gap_ns: AtomicU64,
    /// Time spun since the last sleep, in nanoseconds.
    spun_ns: AtomicU64,
    counters: Counters,
}

/// One wait on one platform, until the mode changes.
struct Round<'a, P> {
    waiter: &'a Waiter,
    platform: &'a P,
    request: &'a Request<'a>,
    changes: u32,
}

/// Why a round ended.
enum End {
    Woken(Woken),
    /// The time to spin is over.
    BudgetSpent,
    /// Another mode was set.
    ModeChanged,
}

impl Waiter {
    /// A waiter that has not learned anything yet.
    pub fn new(mode: WaitMode) -> Self {
        Self {
            mode: Mutex::new(mode),
            changes: AtomicU32::new(0),
            mean_gap_ns: AtomicU64::new(0),
            spun_ns: AtomicU64::new(0),
            counters: Counters::default(),
        }
    }

    /// The mode.
    pub fn mode(&self) -> WaitMode {
        *self.mode.lock()
    }

    /// Changes the mode. Waits that go on take it over at their next look; somebody has to wake those
    /// that sleep.
    pub fn set_mode(&self, mode: WaitMode) {
        *self.mode.lock() = mode;
        self.changes.fetch_add(1, Relaxed);
    }

    /// What waiting has cost so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Waits until `watched` is ready, the wait is broken, or the deadline has passed. Looks before
    /// it waits.
    pub fn wait(
        &self,
        platform: &impl Platform,
        request: &Request<'_>,
        watched: &mut impl Watched,
    ) -> Woken {
        Counters::add(&self.counters.calls, 1);
        let woken = loop {
            let round = Round {
                waiter: self,
                platform,
                request,
                changes: self.changes.load(Relaxed),
            };
            if let End::Woken(woken) = round.run(self.mode(), watched) {
                break woken;
            }
        };
        Counters::add(&self.counters.breaks, u64::from(woken == Woken::Broken));
        woken
    }

    /// Waits in poll, whatever the mode is.
    pub fn wait_passively(
        &self,
        platform: &impl Platform,
        request: &Request<'_>,
        watched: &mut impl Watched,
    ) -> Woken {
        loop {
            let round = Round {
                waiter: self,
                platform,
                request,
                changes: self.changes.load(Relaxed),
            };
            if let End::Woken(woken) = round.sleep_in_poll(watched) {
                return woken;
            }
        }
    }
}

impl<P: Platform> Round<'_, P> {
    fn run(&self, mode: WaitMode, watched: &mut impl Watched) -> End {
        match mode {
            WaitMode::Passive => self.sleep_in_poll(watched),
            WaitMode::Active => self.spin(watched, P::spin, None),
            WaitMode::Yield => self.spin(watched, P::yield_now, None),
            WaitMode::Sleep {
                period_ns,
                slack_ns,
            } => {
                if let Some(ns) = slack_ns {
                    self.platform.set_slack_ns(ns);
                }
                self.nap(watched, period_ns)
            }
            WaitMode::Adaptive { budget_ns } => self.adapt(watched, budget_ns),
        }
    }

    fn mode_changed(&self) -> bool {
        self.waiter.changes.load(Relaxed) != self.changes
    }

    /// Spins for the budget while the gaps between packets have been short of late, then sleeps. After
    /// some budgets spun away in a row it sleeps once in any case.
    fn adapt(&self, watched: &mut impl Watched, budget_ns: u64) -> End {
        let (waiter, begin) = (self.waiter, self.platform.now_ns());
        let mean = waiter.mean_gap_ns.load(Relaxed);
        let spun_before = waiter.spun_ns.load(Relaxed);
        let worth_it = mean <= budget_ns && spun_before < budget_ns * BUDGETS_PER_SLEEP;
        let mut end = if worth_it {
            let until = begin.saturating_add(budget_ns);
            let end = self.spin(watched, P::spin, Some(until));
            let spun = self.platform.now_ns() - begin;
            waiter.spun_ns.store(spun_before + spun, Relaxed);
            end
        } else {
            End::BudgetSpent
        };
        if matches!(end, End::BudgetSpent) {
            waiter.spun_ns.store(0, Relaxed);
            end = self.sleep_in_poll(watched);
        }
        if let End::Woken(Woken::Ready) = end {
            // A gap of many budgets says no more than one of eight: sleep. Capped, so that a busy
            // stream is believed again after a few packets.
            let gap = (self.platform.now_ns() - begin).min(budget_ns.saturating_mul(8));
            let mean = mean - mean / GAP_WEIGHT + gap / GAP_WEIGHT;
            waiter.mean_gap_ns.store(mean, Relaxed);
        }
        end
    }

    /// Passive: sleeps in the kernel until a descriptor is readable.
    fn sleep_in_poll(&self, watched: &mut impl Watched) -> End {
        let (request, counters) = (self.request, &self.waiter.counters);
        let mut woken_for_nothing = false;
        loop {
            if self.mode_changed() {
                return End::ModeChanged;
            }
            let (fds, longest) = match watched.look() {
                Look::Ready => return End::Woken(Woken::Ready),
                Look::Broken => return End::Woken(Woken::Broken),
                Look::Partial(ns) => (request.break_fds, ns.min(request.recheck_ns)),
                Look::Nothing => {
                    if woken_for_nothing {
                        Counters::add(&counters.empty_wakeups, 1);
                        watched.settle();
                    }
                    watched.arm();
                    (request.fds, request.recheck_ns)
                }
            };
            let begin = self.platform.now_ns();
            let timeout = match request.deadline_ns {
                None => longest,
                Some(deadline) if begin >= deadline => return End::Woken(Woken::Timeout),
                Some(deadline) => longest.min(deadline - begin),
            };
            let polled = self.platform.poll(fds, timeout);
            Counters::add(&counters.polls, 1);
            Counters::add(&counters.asleep_ns, self.platform.now_ns() - begin);
            match polled {
                Polled::Ready => woken_for_nothing = true,
                Polled::Timeout => woken_for_nothing = false,
                Polled::Interrupted if request.until_signal => return on_signal(watched),
                Polled::Interrupted => {}
                Polled::Failed(errno) => return End::Woken(Woken::Failed(errno)),
            }
        }
    }

    /// Looks in a loop with a `pause` in between, until `until_ns` at the latest.
    fn spin(&self, watched: &mut impl Watched, pause: impl Fn(&P), until_ns: Option<u64>) -> End {
        let mut looks = 0;
        let end = loop {
            if let Some(end) = self.look_often(watched, &pause, &mut looks) {
                break end;
            }
            if self.mode_changed() {
                break End::ModeChanged;
            }
            if self.request.deadline_ns.is_none() && until_ns.is_none() {
                continue;
            }
            let now = self.platform.now_ns();
            if self.expired(now) {
                break End::Woken(Woken::Timeout);
            }
            if until_ns.is_some_and(|until| now >= until) {
                break End::BudgetSpent;
            }
        };
        Counters::add(&self.waiter.counters.spins, looks);
        end
    }

    fn look_often(
        &self,
        watched: &mut impl Watched,
        pause: &impl Fn(&P),
        looks: &mut u64,
    ) -> Option<End> {
        for _ in 0..SPINS_PER_CLOCK {
            match watched.look() {
                Look::Ready => return Some(End::Woken(Woken::Ready)),
                Look::Broken => return Some(End::Woken(Woken::Broken)),
                Look::Partial(_) | Look::Nothing => pause(self.platform),
            }
            *looks += 1;
        }
        None
    }

    /// The loop that many programs write by hand: look, sleep a little, look again. After many empty
    /// naps in a row it waits in poll, as idle links should cost nothing.
    fn nap(&self, watched: &mut impl Watched, period_ns: u64) -> End {
        let counters = &self.waiter.counters;
        for _ in 0..NAPS_BEFORE_POLL {
            match watched.look() {
                Look::Ready => return End::Woken(Woken::Ready),
                Look::Broken => return End::Woken(Woken::Broken),
                Look::Partial(_) | Look::Nothing => {}
            }
            if self.mode_changed() {
                return End::ModeChanged;
            }
            let now = self.platform.now_ns();
            if self.expired(now) {
                return End::Woken(Woken::Timeout);
            }
            let left = self.request.deadline_ns.map_or(u64::MAX, |end| end - now);
            self.platform.sleep_ns(period_ns.min(left));
            Counters::add(&counters.sleeps, 1);
            Counters::add(&counters.asleep_ns, self.platform.now_ns() - now);
        }
        self.sleep_in_poll(watched)
    }

    fn expired(&self, now: u64) -> bool {
        self.request
            .deadline_ns
            .is_some_and(|deadline| now >= deadline)
    }
}

/// A signal handler ran: what it may have done (break, or a packet that came at the same time) counts
/// before the signal itself.
fn on_signal(watched: &mut impl Watched) -> End {
    End::Woken(match watched.look() {
        Look::Ready => Woken::Ready,
        Look::Broken => Woken::Broken,
        Look::Partial(_) | Look::Nothing => Woken::Interrupted,
    })
}

#[cfg(test)]
mod tests;
