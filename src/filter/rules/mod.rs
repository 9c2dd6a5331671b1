//! Filtering rules: what is done with a packet that is of a flow (hash rules), or that has some properties
//! (wildcard rules).
//!
//! A packet is held against the rule of its flow first, then against the wildcard rules from the lowest id to
//! the highest, until one of them decides; the default policy is the verdict that this begins with. Nothing
//! here sends, waits or knows a clock: [`Outside`] is asked.

pub mod flows;
pub mod kernel;
pub mod pattern;
mod set;
pub mod wildcard;

pub use set::{RuleSet, Verdict};

use crate::packet::Start;

/// What becomes of a packet that a rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// It passes; no more rules.
    #[default]
    Forward,
    /// It is dropped; no more rules.
    Drop,
    /// On with the next rule. (A hash rule: it is to be dropped, unless a wildcard rule decides.)
    Continue,
    /// The verdict so far holds; no more rules. (A hash rule: it is dropped.)
    Stop,
    /// It passes, and so does its whole flow from now on, by a hash rule; no more rules.
    Learn,
    /// It is sent by another interface.
    Send(Sending),
}

/// How a packet is sent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sending {
    /// Where, by a number that [`Outside`] knows.
    pub outlet: u8,
    /// With the two MAC addresses swapped.
    pub swaps: bool,
    /// Whether more rules are looked at. Else it is dropped.
    pub goes_on: bool,
}

/// A packet that is judged.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its bytes, as far as they were kept, tags in place.
    pub data: &'a [u8],
    /// Whether it begins with an Ethernet or an IP header.
    pub ethernet: bool,
    /// Index of the interface it crossed.
    pub ifindex: i32,
}

impl Packet<'_> {
    pub(crate) fn start(&self) -> Start<'static> {
        if self.ethernet {
            Start::Ethernet
        } else {
            Start::Ip
        }
    }
}

/// What rules need of the world.
pub trait Outside {
    /// The time: hundredths of a second, from any start. Wraps.
    fn now(&mut self) -> Moment;
    /// Sends the packet that is being judged.
    fn send(&mut self, sending: Sending);
}

/// A time in hundredths of a second, which wraps after 497 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment(pub u32);

impl Moment {
    /// From a clock in nanoseconds.
    pub fn from_ns(ns: u64) -> Self {
        Self((ns / 10_000_000) as u32)
    }

    /// How long it is ago, in hundredths of a second.
    pub fn age(self, now: Self) -> u32 {
        // A reading of another thread may be a little ahead.
        match now.0.wrapping_sub(self.0) {
            ahead if ahead > u32::MAX / 2 => 0,
            age => age,
        }
    }

    /// The later of two.
    pub fn later(self, other: Self) -> Self {
        if self.age(other) > 0 { other } else { self }
    }

    /// Whether it is longer ago than so many seconds.
    pub fn is_older(self, seconds: u16, now: Self) -> bool {
        self.age(now) > u32::from(seconds) * 100
    }
}

/// What a rule has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that it matched.
    pub matched: u64,
    /// Packets that were dropped by it.
    pub filtered: u64,
    /// Packets that it would have dropped, but for the sampling of what is filtered.
    pub passed: u64,
    /// When it matched last, or was added.
    pub last: Moment,
}

/// Why a rule cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is one already, with this id or of this flow.
    Exists,
}

#[cfg(test)]
mod tests;
