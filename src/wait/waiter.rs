//! The five ways to wait.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::poll::Polled;
use crate::wait::{Look, Platform, Request, WaitMode, Watched, Woken};

/// Looks between two readings of the clock while spinning.
const SPINS_PER_CLOCK: u32 = 32;
/// Empty naps in a row after which the nap loop waits in poll instead.
const NAPS_BEFORE_POLL: u32 = 100;
/// Weight of the newest gap in the running mean of gaps: one in this many.
const GAP_WEIGHT: u64 = 4;

/// Waits in one mode, and remembers what adaptive waiting learns. Several threads may wait at once.
#[derive(Debug)]
pub struct Waiter {
    mode: WaitMode,
    /// Running mean of how long a wait took, in nanoseconds.
    mean_gap_ns: AtomicU64,
}

/// Why a spin ended.
enum Spun {
    Woken(Woken),
    BudgetSpent,
}

impl Waiter {
    /// A waiter that has not learned anything yet.
    pub fn new(mode: WaitMode) -> Self {
        Self {
            mode,
            mean_gap_ns: AtomicU64::new(0),
        }
    }

    /// The mode.
    pub fn mode(&self) -> WaitMode {
        self.mode
    }

    /// Waits until `watched` is ready, the wait is broken, or the deadline has passed. Looks before
    /// it waits.
    pub fn wait(
        &self,
        platform: &impl Platform,
        request: &Request<'_>,
        watched: &mut impl Watched,
    ) -> Woken {
        match self.mode {
            WaitMode::Passive => sleep_in_poll(platform, request, watched),
            WaitMode::Active => spin_for_ever(platform, request, watched, Platform::spin),
            WaitMode::Yield => spin_for_ever(platform, request, watched, Platform::yield_now),
            WaitMode::Sleep {
                period_ns,
                slack_ns,
            } => {
                if let Some(ns) = slack_ns {
                    platform.set_slack_ns(ns);
                }
                nap(platform, request, watched, period_ns)
            }
            WaitMode::Adaptive { budget_ns } => self.adapt(platform, request, watched, budget_ns),
        }
    }

    /// Spins for the budget while the gaps between packets have been short of late, then sleeps.
    fn adapt<P: Platform>(
        &self,
        platform: &P,
        request: &Request<'_>,
        watched: &mut impl Watched,
        budget_ns: u64,
    ) -> Woken {
        let begin = platform.now_ns();
        let mean = self.mean_gap_ns.load(Ordering::Relaxed);
        let spun = if mean <= budget_ns {
            spin(
                platform,
                request,
                watched,
                P::spin,
                Some(begin.saturating_add(budget_ns)),
            )
        } else {
            Spun::BudgetSpent
        };
        let woken = match spun {
            Spun::Woken(woken) => woken,
            Spun::BudgetSpent => sleep_in_poll(platform, request, watched),
        };
        if woken == Woken::Ready {
            // A gap of many budgets says no more than one of eight: sleep. Capped, so that a busy
            // stream is believed again after a few packets.
            let gap = (platform.now_ns() - begin).min(budget_ns.saturating_mul(8));
            let mean = mean - mean / GAP_WEIGHT + gap / GAP_WEIGHT;
            self.mean_gap_ns.store(mean, Ordering::Relaxed);
        }
        woken
    }
}

fn expired(request: &Request<'_>, now: u64) -> bool {
    request.deadline_ns.is_some_and(|deadline| now >= deadline)
}

/// Passive: sleeps in the kernel until a descriptor is readable.
fn sleep_in_poll(
    platform: &impl Platform,
    request: &Request<'_>,
    watched: &mut impl Watched,
) -> Woken {
    let mut woken_for_nothing = false;
    loop {
        let (fds, longest) = match watched.look() {
            Look::Ready => return Woken::Ready,
            Look::Broken => return Woken::Broken,
            Look::Partial(ns) => (request.break_fds, ns.min(request.recheck_ns)),
            Look::Nothing => {
                if woken_for_nothing {
                    watched.settle();
                }
                (request.fds, request.recheck_ns)
            }
        };
        let timeout = match request.deadline_ns {
            None => longest,
            Some(deadline) => {
                let now = platform.now_ns();
                if now >= deadline {
                    return Woken::Timeout;
                }
                longest.min(deadline - now)
            }
        };
        match platform.poll(fds, timeout) {
            Polled::Ready => woken_for_nothing = true,
            Polled::Timeout => woken_for_nothing = false,
            Polled::Interrupted if request.until_signal => return on_signal(watched),
            Polled::Interrupted => {}
            Polled::Failed(errno) => return Woken::Failed(errno),
        }
    }
}

/// A signal handler ran: what it may have done (break, or a packet that came at the same time) counts
/// before the signal itself.
fn on_signal(watched: &mut impl Watched) -> Woken {
    match watched.look() {
        Look::Ready => Woken::Ready,
        Look::Broken => Woken::Broken,
        Look::Partial(_) | Look::Nothing => Woken::Interrupted,
    }
}

/// Looks in a loop with a `pause` in between, until `until_ns` at the latest.
fn spin<P: Platform>(
    platform: &P,
    request: &Request<'_>,
    watched: &mut impl Watched,
    pause: impl Fn(&P),
    until_ns: Option<u64>,
) -> Spun {
    loop {
        for _ in 0..SPINS_PER_CLOCK {
            match watched.look() {
                Look::Ready => return Spun::Woken(Woken::Ready),
                Look::Broken => return Spun::Woken(Woken::Broken),
                Look::Partial(_) | Look::Nothing => pause(platform),
            }
        }
        if request.deadline_ns.is_none() && until_ns.is_none() {
            continue;
        }
        let now = platform.now_ns();
        if expired(request, now) {
            return Spun::Woken(Woken::Timeout);
        }
        if until_ns.is_some_and(|until| now >= until) {
            return Spun::BudgetSpent;
        }
    }
}

fn spin_for_ever<P: Platform>(
    platform: &P,
    request: &Request<'_>,
    watched: &mut impl Watched,
    pause: impl Fn(&P),
) -> Woken {
    loop {
        if let Spun::Woken(woken) = spin(platform, request, watched, &pause, None) {
            return woken;
        }
    }
}

/// The loop that many programs write by hand: look, sleep a little, look again. After many empty
/// naps in a row it waits in poll, as idle links should cost nothing.
fn nap(
    platform: &impl Platform,
    request: &Request<'_>,
    watched: &mut impl Watched,
    period_ns: u64,
) -> Woken {
    for _ in 0..NAPS_BEFORE_POLL {
        match watched.look() {
            Look::Ready => return Woken::Ready,
            Look::Broken => return Woken::Broken,
            Look::Partial(_) | Look::Nothing => {}
        }
        let now = platform.now_ns();
        if expired(request, now) {
            return Woken::Timeout;
        }
        let left = request
            .deadline_ns
            .map_or(u64::MAX, |deadline| deadline - now);
        platform.sleep_ns(period_ns.min(left));
    }
    sleep_in_poll(platform, request, watched)
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
        for _ in 0..20 {
            let (polls, spins) = next(20 * US);
            assert_eq!(polls, 0, "a gap below the budget is spun away");
            assert!(spins > 0);
        }
        // A burst ends: at most a few budgets are spun away before sleeping is believed.
        let spun: u32 = (0..20).map(|_| next(10 * MS).1).sum();
        assert!(spun <= 4 * 1_100, "{spun} spins on an idle link");
        let (polls, spins) = next(10 * MS);
        assert!(polls > 0 && spins == 0);
        // And the stream comes back.
        for _ in 0..40 {
            next(20 * US);
        }
        assert_eq!(next(20 * US).0, 0);
    }
}
