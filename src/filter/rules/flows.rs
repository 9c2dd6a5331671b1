//! Hash rules: flows that are matched exactly, in both directions.
//!
//! A flat table without pointers. Eight tags of 16 bits make a group; a lookup that finds nothing reads one
//! group, which for 10,000 flows is a place in 32 KiB. A flow that is found costs one cache line more: its
//! key and its counters lie together.

use super::{Action, Counters, Moment, Packet, Refused, kernel};
use crate::packet::ip::{Addr, Flow, TCP, UDP};
use crate::packet::{Facts, ether, parse};
use crate::sys::mmap::prefetch;

/// Tags of a group.
const GROUP: usize = 8;
/// No flow was ever here: a lookup ends.
const EMPTY: u16 = 0;
/// A flow was taken out of a full group: a lookup goes on.
const GONE: u16 = 1;

/// A flow, the same for both directions.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct FlowKey {
    /// The addresses of the two ends, the lower end first.
    ends: [[u64; 2]; 2],
    /// Their ports, VLAN, protocol and IP version.
    rest: u64,
}

impl PartialEq for FlowKey {
    /// Word by word, without a branch for each.
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let [[a, b], [c, d]] = self.ends;
        let [[e, f], [g, h]] = other.ends;
        (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h) | (self.rest ^ other.rest) == 0
    }
}

/// One end of a flow.
type End = ([u64; 2], u16);

impl FlowKey {
    /// The flow between two ends in a VLAN (0: none).
    pub fn new(vlan: u16, flow: &Flow) -> Self {
        let a = (words(flow.src), flow.src_port);
        let b = (words(flow.dst), flow.dst_port);
        Self::between(vlan, flow.ip_version, flow.proto, a, b)
    }

    /// As [`new`](Self::new) for IPv4, kept in registers: this is the common case.
    #[inline(always)]
    fn v4(proto: u8, src: (u32, u16), dst: (u32, u16)) -> Self {
        let end = |(address, port): (u32, u16)| u64::from(address) << 16 | u64::from(port);
        let (a, b) = (end(src), end(dst));
        let (low, high) = (a.min(b), a.max(b));
        let ports = low << 48 | (high & 0xffff) << 32;
        Self {
            ends: [[low >> 16, 0], [high >> 16, 0]],
            rest: ports | u64::from(proto) << 8 | 4,
        }
    }

    #[inline]
    fn between(vlan: u16, ip_version: u8, proto: u8, a: End, b: End) -> Self {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let rest = u64::from(low.1) << 48
            | u64::from(high.1) << 32
            | u64::from(vlan) << 16
            | u64::from(proto) << 8
            | u64::from(ip_version);
        Self {
            ends: [low.0, high.0],
            rest,
        }
    }

    /// The flow that was parsed; None for what is no IP packet.
    pub fn of_facts(facts: &Facts) -> Option<Self> {
        (facts.flow.ip_version != 0).then(|| Self::new(facts.vlan_id, &facts.flow))
    }

    /// The flow of a packet; None for what is no IP packet.
    #[inline]
    pub fn of(packet: &Packet<'_>) -> Option<Self> {
        if packet.ethernet
            && let Some(key) = plain(packet.data)
        {
            return Some(key);
        }
        Self::of_facts(&parse(packet.data, packet.start(), 4).0)
    }

    /// As the kernel's program makes it, for IPv4.
    pub(super) fn kernel_words(&self) -> Option<[u64; 3]> {
        let end = |i: usize, port: u64| self.ends[i][0] << 16 | port & 0xffff;
        let rest = self.rest & 0xffff_ffff;
        (self.rest as u8 == 4).then(|| [end(0, self.rest >> 48), end(1, self.rest >> 32), rest])
    }

    #[inline]
    fn hash(&self, seed: u64) -> u64 {
        let [low, high] = &self.ends;
        let mut hash = mix(low[0] ^ seed, high[0] ^ 0x9e37_79b9_7f4a_7c15) ^ self.rest;
        if self.rest as u8 == 6 {
            hash = mix(hash ^ low[1], high[1] ^ 0xd6e8_feb8_6659_fd93);
        }
        mix(hash ^ seed.rotate_left(32), 0xa076_1d64_78bd_642f)
    }
}

/// What [`FlowKey::of`] gives for untagged TCP and UDP without IP options, by loads at fixed places; None for all
/// others.
#[inline(always)]
pub(super) fn plain(data: &[u8]) -> Option<FlowKey> {
    let head: &[u8; ether::HEADER_LEN + 20 + 20] = data.first_chunk()?;
    let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let word = |at: usize| u32::from(half(at)) << 16 | u32::from(half(at + 2));
    let proto = head[23];
    let is_v4 = word(12) & 0xffff_ff00 == u32::from(ether::IPV4) << 16 | 0x4500;
    if is_v4 && half(20) & 0x1fff == 0 && matches!(proto, TCP | UDP) {
        let (src, dst) = ((word(26), half(34)), (word(30), half(36)));
        return Some(FlowKey::v4(proto, src, dst));
    }
    if half(12) == ether::IPV6 {
        return plain_v6(data);
    }
    None
}

fn plain_v6(data: &[u8]) -> Option<FlowKey> {
    let head: &[u8; ether::HEADER_LEN + 40 + 20] = data.first_chunk()?;
    if head[14] >> 4 != 6 || !matches!(head[20], TCP | UDP) {
        return None;
    }
    let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let [a, b] = [22, 38].map(|at| {
        let address = head[at..].first_chunk().copied().unwrap_or_default();
        words(Addr::V6(address))
    });
    let (a, b) = ((a, half(54)), (b, half(56)));
    Some(FlowKey::between(0, 6, head[20], a, b))
}

#[inline]
fn words(address: Addr) -> [u64; 2] {
    match address {
        Addr::None => [0; 2],
        Addr::V4(address) => [address.into(), 0],
        Addr::V6(address) => {
            let whole = u128::from_be_bytes(address);
            [(whole >> 64) as u64, whole as u64]
        }
    }
}

/// Both halves of a product, folded into one.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// One cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Entry {
    key: FlowKey,
    matched: u64,
    filtered: u64,
    last: Moment,
    action: Action,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// The place of a rule, until the next one is added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

/// What is known of the place of a rule before it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// There is no rule.
    Nowhere,
    /// If there is one it is probably here.
    At(Place),
    /// Nothing.
    Unknown,
}

/// The rules.
#[derive(Debug)]
pub struct Flows {
    /// Keeps senders from choosing flows that fall together.
    seed: u64,
    groups: Vec<[u16; GROUP]>,
    /// As many as tags.
    entries: Vec<Entry>,
    /// Rules that drop and ask no others.
    dropping: usize,
    /// Tags that are not EMPTY, and those of them that are GONE.
    used: usize,
    gone: usize,
}

impl Flows {
    /// No rules.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            groups: Vec::new(),
            entries: Vec::new(),
            dropping: 0,
            used: 0,
            gone: 0,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.used - self.gone
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used == self.gone
    }

    /// How many of them drop and ask no others.
    pub fn dropping(&self) -> usize {
        self.dropping
    }

    /// The groups in which a flow may be, and its tag.
    #[inline]
    fn way(&self, key: &FlowKey) -> (usize, u16) {
        let hash = key.hash(self.seed);
        let tag = ((hash >> 48) as u16).max(GONE + 1);
        (hash as usize & (self.groups.len() - 1), tag)
    }

    /// Where the rule of a flow is.
    #[inline]
    pub fn find(&self, key: &FlowKey) -> Option<Place> {
        if self.groups.is_empty() {
            return None;
        }
        let (mut at, tag) = self.way(key);
        loop {
            let group = &self.groups[at];
            let mut hits = places_of(group, tag);
            while hits != 0 {
                let place = at * GROUP + hits.trailing_zeros() as usize;
                if self.entries[place].key == *key {
                    return Some(Place(place));
                }
                hits &= hits - 1;
            }
            // Never all groups: some of their places are always empty.
            if places_of(group, EMPTY) != 0 {
                return None;
            }
            at = (at + 1) & (self.groups.len() - 1);
        }
    }

    /// Where the rule of a flow probably is, and its line of memory is on its way into the cache.
    #[inline]
    pub fn fetch(&self, key: &FlowKey) -> Fetched {
        if self.groups.is_empty() {
            return Fetched::Unknown;
        }
        let (at, tag) = self.way(key);
        let group = &self.groups[at];
        let hits = places_of(group, tag);
        if hits != 0 {
            let place = at * GROUP + hits.trailing_zeros() as usize;
            prefetch((&raw const self.entries[place]).cast());
            Fetched::At(Place(place))
        } else if places_of(group, EMPTY) != 0 {
            Fetched::Nowhere
        } else {
            Fetched::Unknown
        }
    }

    /// As [`find`](Self::find), for a flow that was fetched; nothing was added or removed since.
    #[inline]
    pub fn find_fetched(&self, key: &FlowKey, fetched: Fetched) -> Option<Place> {
        match fetched {
            Fetched::Nowhere => None,
            Fetched::At(place) if self.entries[place.0].key == *key => Some(place),
            Fetched::At(_) | Fetched::Unknown => self.find(key),
        }
    }

    /// Adds the rule of a flow.
    ///
    /// # Errors
    ///
    /// `Exists`.
    pub fn add(&mut self, key: FlowKey, action: Action, now: Moment) -> Result<(), Refused> {
        if self.find(&key).is_some() {
            return Err(Refused::Exists);
        }
        // At most seven of eight places are taken.
        if (self.used + 1) * 8 > self.entries.len() * 7 {
            self.rebuild(self.len() + 1);
        }
        self.dropping += usize::from(kernel::drops(action));
        self.put(Entry {
            key,
            action,
            last: now,
            ..Entry::default()
        });
        Ok(())
    }

    /// Puts an entry where the way of its key has room.
    fn put(&mut self, entry: Entry) {
        let (mut at, tag) = self.way(&entry.key);
        loop {
            let group = &mut self.groups[at];
            if let Some(i) = group.iter().position(|&tag| tag <= GONE) {
                if group[i] == GONE {
                    self.gone -= 1;
                } else {
                    self.used += 1;
                }
                group[i] = tag;
                self.entries[at * GROUP + i] = entry;
                return;
            }
            at = (at + 1) & (self.groups.len() - 1);
        }
    }

    /// Makes the table again, a third to two thirds full with so many rules.
    fn rebuild(&mut self, rules: usize) {
        let groups = (rules * 3 / 2).div_ceil(GROUP).next_power_of_two();
        let old_groups = std::mem::replace(&mut self.groups, vec![[EMPTY; GROUP]; groups]);
        let entries = vec![Entry::default(); groups * GROUP];
        let old_entries = std::mem::replace(&mut self.entries, entries);
        (self.used, self.gone) = (0, 0);
        let tags = old_groups.iter().flatten();
        for (_, entry) in tags.zip(old_entries).filter(|(tag, _)| **tag > GONE) {
            self.put(entry);
        }
    }

    /// Removes the rule of a flow; false when there is none.
    pub fn remove(&mut self, key: &FlowKey) -> bool {
        let place = self.find(key);
        if let Some(Place(place)) = place {
            self.clear(place);
        }
        place.is_some()
    }

    fn clear(&mut self, place: usize) {
        self.dropping -= usize::from(kernel::drops(self.entries[place].action));
        let group = &mut self.groups[place / GROUP];
        // Nothing was ever put behind a group with an empty place.
        if places_of(group, EMPTY) != 0 {
            group[place % GROUP] = EMPTY;
            self.used -= 1;
        } else {
            group[place % GROUP] = GONE;
            self.gone += 1;
        }
    }

    /// Removes rules that have not matched for longer than so many seconds; calls `gone` with each of them.
    pub fn purge(&mut self, seconds: u16, now: Moment, mut gone: impl FnMut(&FlowKey)) {
        for place in 0..self.entries.len() {
            let live = self.groups[place / GROUP][place % GROUP] > GONE;
            if live && self.entries[place].last.is_older(seconds, now) {
                gone(&self.entries[place].key);
                self.clear(place);
            }
        }
    }

    /// Calls `each` with each rule: its flow, its action, and when it matched last.
    pub fn each(&mut self, mut each: impl FnMut(&FlowKey, Action, &mut Moment)) {
        let tags = self.groups.iter().flatten();
        for (_, entry) in tags.zip(&mut self.entries).filter(|(tag, _)| **tag > GONE) {
            each(&entry.key, entry.action, &mut entry.last);
        }
    }

    /// Counts a match: what the rule does, and how often it had matched before.
    #[inline]
    pub fn matched(&mut self, Place(place): Place, now: Moment) -> (Action, u64) {
        let entry = &mut self.entries[place];
        let before = entry.matched;
        entry.matched += 1;
        entry.last = now;
        (entry.action, before)
    }

    /// Counts a packet that the rule has dropped.
    #[inline]
    pub fn filtered(&mut self, Place(place): Place) {
        self.entries[place].filtered += 1;
    }

    /// What a rule has done.
    pub fn counters(&self, Place(place): Place) -> Counters {
        let entry = &self.entries[place];
        let drops = match entry.action {
            Action::Drop | Action::Stop => true,
            Action::Send(sending) => !sending.goes_on,
            Action::Forward | Action::Learn | Action::Continue => false,
        };
        Counters {
            matched: entry.matched,
            filtered: entry.filtered,
            passed: if drops {
                entry.matched - entry.filtered
            } else {
                0
            },
            last: entry.last,
        }
    }
}

/// Bit n: place n of the group has this tag.
#[inline]
fn places_of(group: &[u16; GROUP], tag: u16) -> u32 {
    let mut found = 0;
    for (i, &other) in group.iter().enumerate() {
        found |= u32::from(other == tag) << i;
    }
    found
}

#[cfg(test)]
mod tests;
