//! The five ways to wait, on a clock that moves only when somebody waits or spins.

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
