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
mod tests {
    use std::cell::{Cell, RefCell};
    use std::os::fd::RawFd;

    use super::*;

    const MS: u64 = 1_000_000;
    const US: u64 = 1_000;
    const SOURCE: RawFd = 3;
    const BREAK: RawFd = 4;

    /// A world whose clock moves only when somebody waits or spins.
    #[derive(Default)]
    struct Fake {
        now: Cell<u64>,
        ready_at: Cell<Option<u64>>,
        broken_at: Cell<Option<u64>>,
        signal_at: Cell<Option<u64>>,
        error: Cell<bool>,
        polls: RefCell<Vec<(usize, u64)>>,
        naps: Cell<u32>,
        spins: Cell<u32>,
        yields: Cell<u32>,
        slack: Cell<u64>,
        settled: Cell<u32>,
    }

    impl Fake {
        fn due(&self, at: &Cell<Option<u64>>) -> bool {
            at.get().is_some_and(|at| self.now.get() >= at)
        }
    }

    impl Platform for Fake {
        fn now_ns(&self) -> u64 {
            self.now.get()
        }
        fn poll(&self, fds: &[RawFd], timeout_ns: u64) -> Polled {
            assert!(self.polls.borrow().len() < 10_000, "a wait that never ends");
            self.polls.borrow_mut().push((fds.len(), timeout_ns));
            if self.error.get() && fds.contains(&SOURCE) {
                return Polled::Ready;
            }
            let end = self.now.get() + timeout_ns;
            let source = if fds.contains(&SOURCE) {
                self.ready_at.get()
            } else {
                None
            };
            let events = [
                (source, false),
                (self.broken_at.get(), false),
                (self.signal_at.get(), true),
            ];
            let first = events
                .iter()
                .filter_map(|(at, signal)| at.map(|at| (at, *signal)))
                .min();
            match first {
                Some((at, signal)) if at <= end => {
                    self.now.set(at.max(self.now.get()));
                    if signal {
                        self.signal_at.set(None);
                        return Polled::Interrupted;
                    }
                    Polled::Ready
                }
                _ => {
                    self.now.set(end);
                    Polled::Timeout
                }
            }
        }
        fn sleep_ns(&self, ns: u64) {
            self.naps.set(self.naps.get() + 1);
            // What a nap of 1 us really takes.
            self.now.set(self.now.get() + ns + 55 * US);
        }
        fn set_slack_ns(&self, ns: u64) {
            self.slack.set(ns);
        }
        fn yield_now(&self) {
            self.yields.set(self.yields.get() + 1);
            self.now.set(self.now.get() + US);
        }
        fn spin(&self) {
            self.spins.set(self.spins.get() + 1);
            self.now.set(self.now.get() + 50);
        }
    }

    struct View<'a>(&'a Fake);

    impl Watched for View<'_> {
        fn look(&mut self) -> Look {
            if self.0.due(&self.0.ready_at) {
                Look::Ready
            } else if self.0.due(&self.0.broken_at) {
                Look::Broken
            } else {
                Look::Nothing
            }
        }
        fn settle(&mut self) {
            self.0.error.set(false);
            self.0.settled.set(self.0.settled.get() + 1);
        }
    }

    fn request(deadline_ns: Option<u64>) -> Request<'static> {
        Request {
            fds: &[SOURCE, BREAK],
            break_fds: &[BREAK],
            deadline_ns,
            recheck_ns: 500 * MS,
            until_signal: false,
        }
    }

    fn modes() -> [WaitMode; 5] {
        [
            WaitMode::Passive,
            WaitMode::Active,
            WaitMode::Adaptive { budget_ns: 50 * US },
            WaitMode::Sleep {
                period_ns: US,
                slack_ns: None,
            },
            WaitMode::Yield,
        ]
    }

    #[test]
    fn every_mode_ends_on_ready_break_and_deadline() {
        for mode in modes() {
            let fake = Fake::default();
            fake.ready_at.set(Some(3 * MS));
            let woken = Waiter::new(mode).wait(&fake, &request(None), &mut View(&fake));
            assert_eq!(woken, Woken::Ready, "{mode:?}");
            assert!(
                fake.now.get() >= 3 * MS && fake.now.get() < 4 * MS,
                "{mode:?}"
            );

            let fake = Fake::default();
            fake.broken_at.set(Some(3 * MS));
            let woken = Waiter::new(mode).wait(&fake, &request(None), &mut View(&fake));
            assert_eq!(woken, Woken::Broken, "{mode:?}");

            let fake = Fake::default();
            let woken = Waiter::new(mode).wait(&fake, &request(Some(7 * MS)), &mut View(&fake));
            assert_eq!(woken, Woken::Timeout, "{mode:?}");
            assert!(
                fake.now.get() >= 7 * MS && fake.now.get() < 8 * MS,
                "{mode:?}"
            );
        }
    }

    #[test]
    fn what_is_there_already_costs_no_wait() {
        for mode in modes() {
            let fake = Fake::default();
            fake.ready_at.set(Some(0));
            let woken = Waiter::new(mode).wait(&fake, &request(Some(0)), &mut View(&fake));
            assert_eq!(woken, Woken::Ready, "{mode:?}");
            assert!(
                fake.polls.borrow().is_empty() && fake.naps.get() == 0,
                "{mode:?}"
            );
        }
    }

    #[test]
    fn passive_sleeps_and_rechecks() {
        let fake = Fake::default();
        fake.ready_at.set(Some(1200 * MS));
        let waiter = Waiter::new(WaitMode::Passive);
        assert_eq!(
            waiter.wait(&fake, &request(None), &mut View(&fake)),
            Woken::Ready
        );
        assert_eq!(*fake.polls.borrow(), vec![(2, 500 * MS); 3]);
        assert_eq!(fake.spins.get(), 0);
    }

    #[test]
    fn a_link_error_does_not_make_a_busy_loop() {
        let fake = Fake::default();
        fake.error.set(true);
        fake.ready_at.set(Some(900 * MS));
        let waiter = Waiter::new(WaitMode::Passive);
        assert_eq!(
            waiter.wait(&fake, &request(None), &mut View(&fake)),
            Woken::Ready
        );
        assert_eq!(fake.settled.get(), 1);
        assert!(fake.polls.borrow().len() <= 4);
    }

    #[test]
    fn a_signal_ends_only_the_wait_that_asked_for_it() {
        let fake = Fake::default();
        fake.signal_at.set(Some(MS));
        fake.ready_at.set(Some(2 * MS));
        let waiter = Waiter::new(WaitMode::Passive);
        assert_eq!(
            waiter.wait(&fake, &request(None), &mut View(&fake)),
            Woken::Ready
        );

        let fake = Fake::default();
        fake.signal_at.set(Some(MS));
        let asked = Request {
            until_signal: true,
            ..request(None)
        };
        assert_eq!(
            waiter.wait(&fake, &asked, &mut View(&fake)),
            Woken::Interrupted
        );
        assert_eq!(fake.now.get(), MS);
    }

    /// Less than the watermark is there: the wait leaves the readable source alone and looks again.
    #[test]
    fn partial_waits_for_the_break_alone() {
        struct Filling<'a>(&'a Fake);
        impl Watched for Filling<'_> {
            fn look(&mut self) -> Look {
                if self.0.now.get() >= 35 * MS {
                    Look::Ready
                } else {
                    Look::Partial(10 * MS)
                }
            }
            fn settle(&mut self) {}
        }
        let fake = Fake::default();
        let waiter = Waiter::new(WaitMode::Passive);
        assert_eq!(
            waiter.wait(&fake, &request(None), &mut Filling(&fake)),
            Woken::Ready
        );
        assert_eq!(*fake.polls.borrow(), vec![(1, 10 * MS); 4]);
    }

    #[test]
    fn naps_give_way_to_poll_on_an_idle_link() {
        let fake = Fake::default();
        fake.ready_at.set(Some(10_000 * MS));
        let mode = WaitMode::Sleep {
            period_ns: US,
            slack_ns: Some(1),
        };
        assert_eq!(
            Waiter::new(mode).wait(&fake, &request(None), &mut View(&fake)),
            Woken::Ready
        );
        assert_eq!(fake.naps.get(), NAPS_BEFORE_POLL);
        assert_eq!(fake.slack.get(), 1);
        assert!(fake.polls.borrow().len() <= 21);
    }

    #[test]
    fn slack_is_left_alone_unless_asked() {
        let fake = Fake::default();
        let mode = WaitMode::Sleep {
            period_ns: US,
            slack_ns: None,
        };
        Waiter::new(mode).wait(&fake, &request(Some(MS)), &mut View(&fake));
        assert_eq!(fake.slack.get(), 0);
    }

    #[test]
    fn yield_gives_the_cpu_away() {
        let fake = Fake::default();
        fake.ready_at.set(Some(MS));
        Waiter::new(WaitMode::Yield).wait(&fake, &request(None), &mut View(&fake));
        assert!(fake.yields.get() > 500 && fake.polls.borrow().is_empty());
    }

    #[test]
    fn adaptive_spins_on_short_gaps_and_sleeps_on_long_ones() {
        let fake = Fake::default();
        let waiter = Waiter::new(WaitMode::Adaptive { budget_ns: 50 * US });
        let next = |gap: u64| {
            fake.ready_at.set(Some(fake.now.get() + gap));
            let before = (fake.polls.borrow().len(), fake.spins.get());
            assert_eq!(
                waiter.wait(&fake, &request(None), &mut View(&fake)),
                Woken::Ready
            );
            (
                fake.polls.borrow().len() - before.0,
                fake.spins.get() - before.1,
            )
        };
        let mut spun_away = 0;
        for _ in 0..24 {
            let (polls, spins) = next(20 * US);
            assert!((polls > 0) != (spins > 0), "one or the other");
            spun_away += u32::from(spins > 0);
        }
        // Five gaps of 20 us are spun away, then one is slept through.
        assert_eq!(spun_away, 20, "most gaps below the budget are spun away");
        // A burst ends: at most a few budgets are spun away before sleeping is believed.
        let spun: u32 = (0..20).map(|_| next(10 * MS).1).sum();
        assert!(spun <= 2 * 1_100, "{spun} spins on an idle link");
        let (polls, spins) = next(10 * MS);
        assert!(polls > 0 && spins == 0);
        // And the stream comes back.
        for _ in 0..40 {
            next(20 * US);
        }
        assert!((0..6).filter(|_| next(20 * US).0 == 0).count() >= 4);
    }

    /// A mode set while a thread waits is taken over at its next look.
    #[test]
    fn a_new_mode_is_taken_over_while_waiting() {
        struct Turning<'a>(&'a Fake, &'a Waiter);
        impl Watched for Turning<'_> {
            fn look(&mut self) -> Look {
                if self.0.now.get() >= MS && self.1.mode() == WaitMode::Active {
                    self.1.set_mode(WaitMode::Passive);
                }
                if self.0.now.get() >= 600 * MS {
                    Look::Ready
                } else {
                    Look::Nothing
                }
            }
            fn settle(&mut self) {}
        }
        let fake = Fake::default();
        let waiter = Waiter::new(WaitMode::Active);
        let woken = waiter.wait(&fake, &request(None), &mut Turning(&fake, &waiter));
        assert_eq!(woken, Woken::Ready);
        assert!(
            fake.spins.get() < 30_000,
            "it stopped to spin after a millisecond"
        );
        assert_eq!(fake.polls.borrow().len(), 2);
    }

    #[test]
    fn counters_tell_what_waiting_cost() {
        let fake = Fake::default();
        fake.ready_at.set(Some(700 * MS));
        let waiter = Waiter::new(WaitMode::Passive);
        waiter.wait(&fake, &request(None), &mut View(&fake));
        let seen = waiter.counters().read();
        assert_eq!(
            (seen.calls, seen.polls, seen.spins, seen.sleeps),
            (1, 2, 0, 0)
        );
        assert_eq!(seen.asleep_ns, 700 * MS);

        let fake = Fake::default();
        fake.broken_at.set(Some(MS));
        let waiter = Waiter::new(WaitMode::Active);
        waiter.wait(&fake, &request(None), &mut View(&fake));
        let seen = waiter.counters().read();
        assert_eq!((seen.calls, seen.breaks, seen.polls), (1, 1, 0));
        assert_eq!(seen.spins, u64::from(fake.spins.get()));
    }
}
