//! All rules of a ring, and the verdict on a packet.

use super::flows::{self, Fetched, FlowKey, Flows, Place};
use super::kernel::{self, Maps, SLOTS, View};
use super::wildcard::Wildcard;
use super::{Action, Counters, Moment, Outside, Packet, Refused, Sending};
use crate::packet::{Facts, parse};
use crate::sys::bpf::Insn;

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
    /// Slots for counts in the kernel that were given out: none is given out twice, since a program that was
    /// replaced may still be counting.
    slots: u32,
    /// Changes with each change that makes another program for the kernel.
    revision: u64,
    /// Rules of flows were added while a packet was judged.
    learned: bool,
    /// The flows of the two packets that come next, and where their rules are; None once rules have changed.
    /// Two, since one packet does not take as long as memory.
    expected: [Option<(FlowKey, Fetched)>; 2],
}

#[derive(Debug)]
struct Counted {
    rule: Wildcard,
    counters: Counters,
    /// Where the kernel counts, if it may.
    slot: Option<u32>,
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
            slots: 0,
            revision: 0,
            learned: false,
            expected: [None; 2],
        }
    }

    /// Whether everything passes.
    pub fn is_open(&self) -> bool {
        self.accepts && self.flows.is_empty() && self.wildcards.is_empty()
    }

    /// Sets the verdict where no rule decides.
    pub fn set_policy(&mut self, accepts: bool) {
        self.revision += u64::from(self.accepts != accepts);
        self.accepts = accepts;
    }

    /// Lets ten of `10 * rate` packets pass that a hash rule drops, the first ten of them; 0: none.
    pub fn set_sampling(&mut self, rate: u32) {
        self.revision += u64::from((self.sampling > 0) != (rate > 0));
        self.sampling = rate;
    }

    /// Adds a hash rule.
    ///
    /// # Errors
    ///
    /// `Exists` where the flow has one.
    pub fn add_flow(&mut self, key: FlowKey, action: Action, now: Moment) -> Result<(), Refused> {
        let before = self.flow_kinds();
        self.expected = [None; 2];
        let added = self.flows.add(key, action, now);
        self.revision += u64::from(before != self.flow_kinds());
        added
    }

    /// Whether there are hash rules, and ones that drop.
    fn flow_kinds(&self) -> (bool, bool) {
        (self.flows.is_empty(), self.flows.dropping() == 0)
    }

    /// Removes a hash rule; false when there is none.
    pub fn remove_flow(&mut self, key: &FlowKey) -> bool {
        let before = self.flow_kinds();
        self.expected = [None; 2];
        let removed = self.flows.remove(key);
        self.revision += u64::from(before != self.flow_kinds());
        removed
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

    /// Removes hash rules that have not matched for longer than so many seconds; calls `gone` with each of them.
    pub fn purge_flows(&mut self, seconds: u16, now: Moment, gone: impl FnMut(&FlowKey)) {
        let before = self.flow_kinds();
        self.expected = [None; 2];
        self.flows.purge(seconds, now, gone);
        self.revision += u64::from(before != self.flow_kinds());
    }

    fn position(&self, id: u16) -> Result<usize, usize> {
        self.wildcards
            .binary_search_by_key(&id, |counted| counted.rule.id)
    }

    /// After the wildcard rules have changed.
    fn look_again(&mut self) {
        self.revision += 1;
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
        let slot = (self.slots < SLOTS).then_some(self.slots);
        self.slots += u32::from(slot.is_some());
        let counted = Counted {
            rule,
            counters,
            slot,
        };
        self.wildcards.insert(at, counted);
        self.look_again();
        Ok(())
    }

    /// Removes a wildcard rule; false when there is none.
    pub fn remove(&mut self, id: u16) -> bool {
        let found = self.position(id);
        if let Ok(at) = found {
            self.wildcards.remove(at);
            self.look_again();
        }
        found.is_ok()
    }

    /// What a wildcard rule has done here, and the slot of what it has done in the kernel.
    pub fn counters(&self, id: u16) -> Option<(Counters, Option<u32>)> {
        let at = self.position(id).ok()?;
        let counted = &self.wildcards[at];
        Some((counted.counters, counted.slot))
    }

    /// Removes wildcard rules that have not matched for longer than so many seconds and are not locked.
    pub fn purge(&mut self, seconds: u16, now: Moment) {
        self.wildcards
            .retain(|counted| counted.rule.locked || !counted.counters.last.is_older(seconds, now));
        self.look_again();
    }

    /// Calls `each` with the slot of each wildcard rule, and when the rule matched last.
    pub fn each_slot(&mut self, mut each: impl FnMut(u32, &mut Moment)) {
        for counted in &mut self.wildcards {
            if let Some(slot) = counted.slot {
                each(slot, &mut counted.counters.last);
            }
        }
    }

    /// Calls `each` with each hash rule: its flow, its action, and when it matched last.
    pub fn each_flow(&mut self, each: impl FnMut(&FlowKey, Action, &mut Moment)) {
        self.flows.each(each);
    }

    /// Changes with each change that makes another program for the kernel.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether hash rules were added while packets were judged, since the last call.
    pub fn take_learned(&mut self) -> bool {
        std::mem::take(&mut self.learned)
    }

    /// The program that lets the kernel drop what the rules drop; None where it could drop nothing.
    pub fn program(&self, frame: kernel::Frame, maps: Maps) -> Option<Vec<Insn>> {
        let wildcards = self.wildcards.iter();
        let wildcards: Vec<_> = wildcards
            .map(|counted| (&counted.rule, counted.slot))
            .collect();
        let view = View {
            has_flows: !self.flows.is_empty(),
            flows_drop: self.sampling == 0 && self.flows.dropping() > 0,
            wildcards: &wildcards,
            accepts: self.accepts,
        };
        kernel::program(&view, frame, maps)
    }

    /// Gets ready for a packet that comes soon: where there are many hash rules, its own is far away.
    #[inline]
    fn expect(&self, data: &[u8]) -> Option<(FlowKey, Fetched)> {
        const NEAR: usize = 256;
        if self.flows.len() <= NEAR {
            return None;
        }
        let key = flows::plain(data)?;
        Some((key, self.flows.fetch(&key)))
    }

    /// The verdict on a packet. Counts, sends and learns as the rules ask for. `soon` are the bytes of the
    /// packet that probably comes two after it, if they can be seen: a hint.
    pub fn judge(
        &mut self,
        packet: &Packet<'_>,
        soon: Option<&[u8]>,
        outside: &mut impl Outside,
    ) -> Verdict {
        let [expected, second] = self.expected;
        let third = soon
            .filter(|_| packet.ethernet)
            .and_then(|soon| self.expect(soon));
        self.expected = [second, third];
        let mut course = Course {
            passes: self.accepts,
            dropper: Dropper::Policy,
            rule: None,
        };
        let decided =
            !self.flows.is_empty() && self.ask_flow(packet, expected, &mut course, outside);
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
        expected: Option<(FlowKey, Fetched)>,
        course: &mut Course,
        outside: &mut impl Outside,
    ) -> bool {
        let Some(key) = FlowKey::of(packet) else {
            return false;
        };
        let found = match expected {
            Some((expected, fetched)) if expected == key => self.flows.find_fetched(&key, fetched),
            _ => self.flows.find(&key),
        };
        let Some(place) = found else {
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
            let Counted { rule, counters, .. } = &mut self.wildcards[at];
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
            self.expected = [None; 2];
            self.learned |= self.flows.add(key, Action::Forward, now).is_ok();
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
