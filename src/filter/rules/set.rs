//! All rules of a ring, and the verdict on a packet.

use super::flows::{FlowKey, Flows, Place};
use super::wildcard::Wildcard;
use super::{Action, Counters, Moment, Outside, Packet, Refused, Sending};
use crate::packet::{Facts, parse};

/// Hash rules that wildcard rules may add by themselves: a scan must not fill the memory.
const MOST_LEARNED: usize = 1 << 20;

/// The rules of a ring.
#[derive(Debug)]
pub struct RuleSet {
    flows: Flows,
    /// By id.
    wildcards: Vec<Counted>,
    /// The verdict where no rule decides.
    accepts: bool,
    /// Of so many packets that a hash rule drops one passes; 0: none.
    sampling: u32,
    /// How deep packets have to be parsed for the wildcard rules.
    depth: u8,
}

#[derive(Debug)]
struct Counted {
    rule: Wildcard,
    counters: Counters,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// It is delivered.
    pub passes: bool,
    /// The id of the wildcard rule that matched last.
    pub rule: Option<u16>,
}

/// The rule that is to blame when a packet is dropped.
#[derive(Clone, Copy)]
enum Dropper {
    Policy,
    Flow(Place),
    Wildcard(usize),
}

/// How far the judging of a packet has come.
struct Course {
    passes: bool,
    dropper: Dropper,
    rule: Option<u16>,
}

impl RuleSet {
    /// No rules; everything passes.
    pub fn new(seed: u64) -> Self {
        Self {
            flows: Flows::new(seed),
            wildcards: Vec::new(),
            accepts: true,
            sampling: 0,
            depth: 4,
        }
    }

    /// Whether everything passes.
    pub fn is_open(&self) -> bool {
        self.accepts && self.flows.is_empty() && self.wildcards.is_empty()
    }

    /// Sets the verdict where no rule decides.
    pub fn set_policy(&mut self, accepts: bool) {
        self.accepts = accepts;
    }

    /// Lets ten of `10 * rate` packets pass that a hash rule drops, the first ten of them; 0: none.
    pub fn set_sampling(&mut self, rate: u32) {
        self.sampling = rate;
    }

    /// Adds a hash rule.
    ///
    /// # Errors
    ///
    /// `Exists` where the flow has one.
    pub fn add_flow(&mut self, key: FlowKey, action: Action, now: Moment) -> Result<(), Refused> {
        self.flows.add(key, action, now)
    }

    /// Removes a hash rule; false when there is none.
    pub fn remove_flow(&mut self, key: &FlowKey) -> bool {
        self.flows.remove(key)
    }

    /// Hash rules.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// What a hash rule has done.
    pub fn flow_counters(&self, key: &FlowKey) -> Option<Counters> {
        let place = self.flows.find(key)?;
        Some(self.flows.counters(place))
    }

    /// Removes hash rules that have not matched for longer than so many seconds.
    pub fn purge_flows(&mut self, seconds: u16, now: Moment) {
        self.flows.purge(seconds, now);
    }

    fn position(&self, id: u16) -> Result<usize, usize> {
        self.wildcards
            .binary_search_by_key(&id, |counted| counted.rule.id)
    }

    fn set_depth(&mut self) {
        let depths = self.wildcards.iter().map(|counted| counted.rule.depth());
        self.depth = depths.max().unwrap_or(4);
    }

    /// Adds a wildcard rule.
    ///
    /// # Errors
    ///
    /// `Exists` where another has its id.
    pub fn add(&mut self, rule: Wildcard, now: Moment) -> Result<(), Refused> {
        let Err(at) = self.position(rule.id) else {
            return Err(Refused::Exists);
        };
        let counters = Counters {
            last: now,
            ..Counters::default()
        };
        self.wildcards.insert(at, Counted { rule, counters });
        self.set_depth();
        Ok(())
    }

    /// Removes a wildcard rule; false when there is none.
    pub fn remove(&mut self, id: u16) -> bool {
        let found = self.position(id);
        if let Ok(at) = found {
            self.wildcards.remove(at);
            self.set_depth();
        }
        found.is_ok()
    }

    /// What a wildcard rule has done.
    pub fn counters(&self, id: u16) -> Option<Counters> {
        let at = self.position(id).ok()?;
        Some(self.wildcards[at].counters)
    }

    /// Removes wildcard rules that have not matched for longer than so many seconds and are not locked.
    pub fn purge(&mut self, seconds: u16, now: Moment) {
        self.wildcards
            .retain(|counted| counted.rule.locked || !counted.counters.last.is_older(seconds, now));
        self.set_depth();
    }

    /// The verdict on a packet. Counts, sends and learns as the rules ask for.
    pub fn judge(&mut self, packet: &Packet<'_>, outside: &mut impl Outside) -> Verdict {
        let mut course = Course {
            passes: self.accepts,
            dropper: Dropper::Policy,
            rule: None,
        };
        let decided = !self.flows.is_empty() && self.ask_flow(packet, &mut course, outside);
        if !decided && !self.wildcards.is_empty() {
            self.ask_wildcards(packet, &mut course, outside);
        }
        if !course.passes {
            match course.dropper {
                Dropper::Policy => {}
                Dropper::Flow(place) => self.flows.filtered(place),
                Dropper::Wildcard(at) => self.wildcards[at].counters.filtered += 1,
            }
        }
        Verdict {
            passes: course.passes,
            rule: course.rule,
        }
    }

    /// Holds a packet against the rule of its flow; whether that decides.
    #[inline]
    fn ask_flow(
        &mut self,
        packet: &Packet<'_>,
        course: &mut Course,
        outside: &mut impl Outside,
    ) -> bool {
        let Some(key) = FlowKey::of(packet) else {
            return false;
        };
        let Some(place) = self.flows.find(&key) else {
            return false;
        };
        let (action, before) = self.flows.matched(place, outside.now());
        let sampled = self.sampling > 0 && before % (u64::from(self.sampling) * 10) < 10;
        let mut decided = true;
        let mut passes = sampled;
        match action {
            Action::Forward | Action::Learn => passes = true,
            Action::Drop | Action::Stop => {}
            Action::Continue => (decided, passes) = (false, false),
            Action::Send(sending) => {
                outside.send(sending);
                if sending.goes_on {
                    (decided, passes) = (false, false);
                }
            }
        }
        course.passes = passes;
        course.dropper = Dropper::Flow(place);
        decided
    }

    fn ask_wildcards(
        &mut self,
        packet: &Packet<'_>,
        course: &mut Course,
        outside: &mut impl Outside,
    ) {
        let (facts, _) = parse(packet.data, packet.start(), self.depth);
        for at in 0..self.wildcards.len() {
            let Counted { rule, counters } = &mut self.wildcards[at];
            if !rule.matches(packet, &facts) {
                continue;
            }
            let now = outside.now();
            counters.matched += 1;
            counters.last = now;
            course.rule = Some(rule.id);
            let action = rule.action;
            match action {
                Action::Continue => continue,
                Action::Stop => {}
                Action::Forward => course.passes = true,
                Action::Learn => {
                    course.passes = true;
                    self.learn(&facts, now);
                }
                Action::Drop => course.drop_by(at),
                Action::Send(sending) => {
                    outside.send(sending);
                    if sending.goes_on {
                        course.passes = true;
                        continue;
                    }
                    course.drop_by(at);
                }
            }
            return;
        }
    }

    /// Lets the flow of a packet pass from now on.
    fn learn(&mut self, facts: &Facts, now: Moment) {
        if let Some(key) = FlowKey::of_facts(facts)
            && self.flows.len() < MOST_LEARNED
        {
            // It may have a rule already, which did not decide.
            let _ = self.flows.add(key, Action::Forward, now);
        }
    }
}

impl Course {
    fn drop_by(&mut self, at: usize) {
        self.passes = false;
        self.dropper = Dropper::Wildcard(at);
    }
}

/// The sending that a rule asks for, if it does.
impl Action {
    /// Where packets are sent to, if they are.
    pub fn sending(&mut self) -> Option<&mut Sending> {
        match self {
            Self::Send(sending) => Some(sending),
            _ => None,
        }
    }
}
