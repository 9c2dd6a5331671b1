//! The filtering rules of a ring: changed from any thread, asked by the one that receives.
//!
//! A mutex guards rules and counters. It is held while one packet is judged, and while one rule changes.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

use parking_lot::Mutex;

mod kernel;

use kernel::Kernel;

use super::Handle;
use super::obstacles::Obstacle;
use crate::abi;
use crate::backend::{AnyFrame, Frame, Glimpse, RxAny, RxBackend};
use crate::error::{Error, Result};
use crate::filter::rules::flows::FlowKey;
use crate::filter::rules::wildcard::Wildcard;
use crate::filter::rules::{Action, Counters, Moment, Outside, Packet, Refused, RuleSet, Sending};
use crate::sys::link_type::DLT_EN10MB;
use crate::sys::packet::PacketSocket;
use crate::sys::{clock, netdev};

/// "No rule matched" in `last_matched_rule_id`.
const NO_RULE: i32 = 65_535;
/// Bytes of the two MAC addresses, and of one.
const MACS: usize = 12;
const MAC: usize = 6;

/// The rules of a ring.
pub(super) struct Rules {
    state: Mutex<State>,
    /// Where they are applied: a value of `filtering_mode`.
    mode: AtomicU32,
    /// The wildcard rule that the packet received last has matched last. Written and read by the one thread
    /// at a time that receives.
    last: AtomicI32,
}

struct State {
    set: RuleSet,
    kernel: Kernel,
    outlets: Vec<Outlet>,
}

/// An interface that packets are sent on to.
struct Outlet {
    ifindex: i32,
    socket: PacketSocket,
}

impl Rules {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                set: RuleSet::new(seed()),
                kernel: Kernel::default(),
                outlets: Vec::new(),
            }),
            mode: AtomicU32::new(abi::filtering_mode::SOFTWARE_ONLY.0),
            last: AtomicI32::new(NO_RULE),
        }
    }
}

/// A number that a sender of packets does not know.
fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

fn now() -> Moment {
    Moment::from_ns(clock::coarse_ns())
}

/// What C knows as an errno of a system call.
fn refused(errno: i32) -> Error {
    Error::Os("rule", std::io::Error::from_raw_os_error(errno))
}

impl From<Refused> for Error {
    fn from(why: Refused) -> Self {
        match why {
            Refused::Exists => refused(libc::EEXIST),
        }
    }
}

impl Handle {
    /// Remembers where rules are to be applied, which C may read in the public struct.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for an unknown value.
    pub fn set_filtering_mode(&self, mode: abi::filtering_mode) -> Result<()> {
        if mode.0 > abi::filtering_mode::SOFTWARE_ONLY.0 {
            return Err(Error::InvalidArgument("filtering mode"));
        }
        self.rules.mode.store(mode.0, Relaxed);
        self.publish_filtering_mode(mode);
        Ok(())
    }

    /// There is no hardware that would apply a rule.
    fn check_software(&self) -> Result<()> {
        if self.rules.mode.load(Relaxed) == abi::filtering_mode::HARDWARE_ONLY.0 {
            return Err(Error::NotSupported("rules in hardware only"));
        }
        Ok(())
    }

    /// Changes the rules, and puts them in force.
    fn change<T>(&self, change: impl FnOnce(&mut RuleSet, &mut Kernel) -> Result<T>) -> Result<T> {
        let lifecycle = self.lifecycle.lock();
        let (done, other) = {
            let State { set, kernel, .. } = &mut *self.rules.state.lock();
            let before = (set.revision(), kernel.is_refused());
            let done = change(set, kernel);
            self.obstacles.set(Obstacle::Rules, !set.is_open());
            (done, before != (set.revision(), kernel.is_refused()))
        };
        if other {
            self.attach(&lifecycle)?;
        }
        done
    }

    /// Adds a wildcard rule.
    ///
    /// # Errors
    ///
    /// `Os` with EEXIST where another has its id, with EFAULT for a reflector that cannot be;
    /// `NotSupported` in a mode without software.
    pub fn add_rule(&self, mut rule: Wildcard, reflector: &CStr) -> Result<()> {
        self.check_software()?;
        self.open_outlet(&mut rule.action, reflector)?;
        self.change(|set, _| Ok(set.add(rule, now())?))
    }

    /// Removes a wildcard rule.
    ///
    /// # Errors
    ///
    /// `Os` with EFAULT when there is none; `NotSupported` in a mode without software.
    pub fn remove_rule(&self, id: u16) -> Result<()> {
        self.check_software()?;
        self.change(|set, _| set.remove(id).then_some(()).ok_or(refused(libc::EFAULT)))
    }

    /// Adds the rule of a flow.
    ///
    /// # Errors
    ///
    /// As [`add_rule`](Self::add_rule).
    pub fn add_flow_rule(&self, key: FlowKey, mut action: Action, reflector: &CStr) -> Result<()> {
        self.check_software()?;
        self.open_outlet(&mut action, reflector)?;
        self.change(|set, kernel| {
            set.add_flow(key, action, now())?;
            kernel.add_flow(&key, action);
            Ok(())
        })
    }

    /// Removes the rule of a flow.
    ///
    /// # Errors
    ///
    /// `Os` with EPERM when there is none for this flow, with EFAULT when there is none at all; `NotSupported`
    /// in a mode without software.
    pub fn remove_flow_rule(&self, key: &FlowKey) -> Result<()> {
        self.check_software()?;
        self.change(|set, kernel| {
            if set.flows() == 0 {
                return Err(refused(libc::EFAULT));
            }
            if !set.remove_flow(key) {
                return Err(refused(libc::EPERM));
            }
            kernel.remove_flow(key);
            Ok(())
        })
    }

    /// What a wildcard rule has done, and for how many seconds it has not matched.
    ///
    /// # Errors
    ///
    /// `Os` with EFAULT when there is none.
    pub fn rule_counters(&self, id: u16) -> Result<(Counters, u32)> {
        let state = self.rules.state.lock();
        let (mut counters, slot) = state.set.counters(id).ok_or(refused(libc::EFAULT))?;
        if let Some(slot) = slot {
            state.kernel.count_slot(slot, &mut counters);
        }
        Ok(with_age(counters))
    }

    /// What the rule of a flow has done, and for how many seconds it has not matched.
    ///
    /// # Errors
    ///
    /// `Os` with EFAULT when there is none.
    pub fn flow_rule_counters(&self, key: &FlowKey) -> Result<(Counters, u32)> {
        let state = self.rules.state.lock();
        let counters = state.set.flow_counters(key);
        let mut counters = counters.ok_or(refused(libc::EFAULT))?;
        state.kernel.count_flow(key, &mut counters);
        Ok(with_age(counters))
    }

    /// Removes wildcard rules that have not matched for longer than so many seconds.
    pub fn purge_rules(&self, seconds: u16) {
        let _ = self.change(|set, kernel| {
            set.each_slot(|slot, last| {
                let mut counters = Counters {
                    last: *last,
                    ..Counters::default()
                };
                kernel.count_slot(slot, &mut counters);
                *last = counters.last;
            });
            set.purge(seconds, now());
            Ok(())
        });
    }

    /// Removes rules of flows that have not matched for longer than so many seconds.
    pub fn purge_flow_rules(&self, seconds: u16) {
        let _ = self.change(|set, kernel| {
            set.each_flow(|key, _, last| {
                let mut counters = Counters {
                    last: *last,
                    ..Counters::default()
                };
                kernel.count_flow(key, &mut counters);
                *last = counters.last;
            });
            set.purge_flows(seconds, now(), |key| kernel.remove_flow(key));
            Ok(())
        });
    }

    /// Sets what happens to packets that no rule decides on.
    pub fn set_default_policy(&self, accepts: bool) {
        let _ = self.change(|set, _| {
            set.set_policy(accepts);
            Ok(())
        });
        self.publish_policy(accepts);
    }

    /// Lets one of so many packets pass that the rules of flows drop; 0: none.
    pub fn set_filtering_sampling(&self, rate: u32) {
        let _ = self.change(|set, _| {
            set.set_sampling(rate);
            Ok(())
        });
    }

    /// Finds the interface that an action sends to, and opens a socket for it.
    fn open_outlet(&self, action: &mut Action, name: &CStr) -> Result<()> {
        let Some(sending) = action.sending() else {
            return Ok(());
        };
        let name = name.to_str().map_err(|_| refused(libc::EFAULT))?;
        let ifindex = netdev::index_of(name).map_err(|_| refused(libc::EFAULT))?;
        if self.source.is_file() || self.source.is_unbound() {
            return Err(refused(libc::EFAULT));
        }
        let own = |index: i32| self.source.devices().any(|d| d.ifindex == index);
        if own(ifindex) && !sending.swaps {
            return Err(refused(libc::EFAULT));
        }
        let mut state = self.rules.state.lock();
        let known = state.outlets.iter().position(|o| o.ifindex == ifindex);
        let place = known.unwrap_or(state.outlets.len());
        sending.outlet = u8::try_from(place).map_err(|_| refused(libc::ENOSPC))?;
        if known.is_none() {
            let socket = PacketSocket::open()?;
            socket.bind_for_sending(ifindex)?;
            if own(ifindex) || own(0) {
                // The ring must not see again what it sends: rules would send it for ever.
                socket.set_qdisc_bypass(true)?;
            }
            state.outlets.push(Outlet { ifindex, socket });
        }
        Ok(())
    }

    /// What rules may want to see of a frame that comes soon.
    #[inline]
    pub(super) fn glimpse_for_rules(&self, backend: &RxAny) -> Option<Glimpse> {
        let rules = self.obstacles.has(Obstacle::Rules);
        rules.then(|| backend.glimpse()).flatten()
    }

    /// The verdict of the rules on a frame.
    #[inline(never)]
    pub(super) fn passes_rules(&self, frame: &Frame, soon: Option<Glimpse>) -> bool {
        // SAFETY: the frame was taken from the backend under the receive half, which the caller still
        // holds; nothing was released since, and nobody writes to it.
        let data = unsafe { frame.bytes() };
        let packet = Packet {
            data,
            ethernet: self.source.link_type() == DLT_EN10MB,
            ifindex: frame.ifindex,
        };
        let state = &mut *self.rules.state.lock();
        // SAFETY: nothing was taken or released since it was seen.
        let soon = soon.map(|soon| unsafe { soon.bytes() });
        let mut world = World {
            outlets: &state.outlets,
            packet: &packet,
            whole: frame.caplen == frame.len,
        };
        let verdict = state.set.judge(&packet, soon, &mut world);
        let rule = verdict.rule.map_or(NO_RULE, i32::from);
        self.rules.last.store(rule, Relaxed);
        verdict.passes
    }

    /// Writes which rule has matched the packet received last into a long header.
    ///
    /// # Safety
    ///
    /// As for `write_header`, which was called before.
    #[inline]
    pub(super) unsafe fn write_rule(&self, header: NonNull<abi::pfring_pkthdr>) {
        if self.options.long_header && self.obstacles.has(Obstacle::Rules) {
            let rule = self.rules.last.load(Relaxed);
            // SAFETY: with the flag the caller's structure has all 209 bytes; it is packed, so the field is
            // written unaligned.
            unsafe {
                (*header.as_ptr())
                    .extended_hdr
                    .parsed_pkt
                    .last_matched_rule_id = rule
            };
        }
    }
}

fn with_age(counters: Counters) -> (Counters, u32) {
    (counters, counters.last.age(now()) / 100)
}

/// What rules see of the world while a packet is judged.
struct World<'a> {
    outlets: &'a [Outlet],
    packet: &'a Packet<'a>,
    whole: bool,
}

impl Outside for World<'_> {
    fn now(&mut self) -> Moment {
        now()
    }

    /// A packet that was cut is not sent. The receiver cannot be told when sending fails, and goes on.
    fn send(&mut self, sending: Sending) {
        let Some(outlet) = self.outlets.get(usize::from(sending.outlet)) else {
            return;
        };
        let data = self.packet.data;
        if !self.whole {
            return;
        }
        let _ = if sending.swaps && self.packet.ethernet && data.len() >= MACS {
            let swapped = [&data[MAC..MACS], &data[..MAC], &data[MACS..]].concat();
            outlet.socket.send(&swapped)
        } else {
            outlet.socket.send(data)
        };
    }
}
