//! The part of the rules that the kernel carries out: maps with flows and counts, and the program that uses them.
//!
//! Only a program that counts may drop, so that the statistics of each rule stay true: it needs the right to load
//! programs (CAP_BPF). Without it, and whenever the kernel refuses something, rules are judged here alone.

use crate::abi::PF_RING_USERSPACE_BPF;
use crate::config::log;
use crate::error::Result;
use crate::filter::bpf::Only;
use crate::filter::rules::flows::FlowKey;
use crate::filter::rules::kernel::{
    FATE, FLOW_KEY, Frame, LEAST_SNAPLEN, Maps, SLOTS, add_counts, drops, fate, flow_key,
};
use crate::filter::rules::{Action, Counters, RuleSet};
use crate::handle::{Handle, Lifecycle};
use crate::sys::bpf::socket_filter::{Map, MapKind, SocketProgram};
use crate::sys::link_type::DLT_EN10MB;

/// Flows that the kernel may know of. With more, rules are judged here.
const MOST_FLOWS: u32 = 1 << 16;

/// What the kernel has of the rules.
#[derive(Default)]
pub(super) enum Kernel {
    /// Nothing yet.
    #[default]
    Untried,
    /// Every hash rule for IPv4, and the counts of all rules.
    Maps {
        /// By key.
        flows: Map,
        /// By slot.
        counts: Map,
        /// Nothing is added any more, and no program made: what was counted stays.
        given_up: bool,
    },
    /// Nothing, for good.
    Refused,
}

impl Kernel {
    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Self::Refused | Self::Maps { given_up: true, .. })
    }

    fn refuse(&mut self, why: &crate::error::Error) {
        log::info(format_args!(
            "rules are not carried out in the kernel: {why}"
        ));
        match self {
            Self::Maps { given_up, .. } => *given_up = true,
            Self::Untried | Self::Refused => *self = Self::Refused,
        }
    }

    /// Makes the maps, if there are none, with all flows in them.
    fn start(&mut self, set: &mut RuleSet) -> Result<()> {
        let learned = set.take_learned();
        if matches!(self, Self::Untried) {
            *self = Self::Maps {
                flows: Map::new(MapKind::Hash, FLOW_KEY, FATE, MOST_FLOWS)?,
                counts: Map::new(MapKind::Array, 4, FATE, SLOTS)?,
                given_up: false,
            };
        } else if !learned {
            return Ok(());
        }
        let mut done = Ok(());
        let Self::Maps { flows, .. } = self else {
            return Ok(());
        };
        set.each_flow(|key, action, _| {
            if let Some(key) = flow_key(key)
                && done.is_ok()
                && flows.get(&key, &mut [0; FATE]).is_none()
            {
                done = flows.set(&key, &fate(drops(action)));
            }
        });
        done
    }

    /// Tells of a new hash rule.
    pub(super) fn add_flow(&mut self, key: &FlowKey, action: Action) {
        if !self.is_refused()
            && let (Self::Maps { flows, .. }, Some(key)) = (&*self, flow_key(key))
            && let Err(why) = flows.set(&key, &fate(drops(action)))
        {
            self.refuse(&why);
        }
    }

    /// Tells of a hash rule that is gone.
    pub(super) fn remove_flow(&self, key: &FlowKey) {
        if let (Self::Maps { flows, .. }, Some(key)) = (self, flow_key(key)) {
            flows.remove(&key);
        }
    }

    /// Adds what the kernel has counted for a hash rule.
    pub(super) fn count_flow(&self, key: &FlowKey, counters: &mut Counters) {
        let mut value = [0; FATE];
        if let (Self::Maps { flows, .. }, Some(key)) = (self, flow_key(key))
            && flows.get(&key, &mut value).is_some()
        {
            add_counts(counters, &value);
        }
    }

    /// Adds what the kernel has counted for a wildcard rule.
    pub(super) fn count_slot(&self, slot: u32, counters: &mut Counters) {
        let mut value = [0; FATE];
        if let Self::Maps { counts, .. } = self
            && counts.get(&slot.to_ne_bytes(), &mut value).is_some()
        {
            add_counts(counters, &value);
        }
    }

    /// The program for frames of a kind; None where there is nothing to drop.
    fn program(&mut self, set: &mut RuleSet, frame: Frame) -> Result<Option<SocketProgram>> {
        self.start(set)?;
        let Self::Maps { flows, counts, .. } = self else {
            return Ok(None);
        };
        let maps = Maps {
            flows: flows.fd(),
            counts: counts.fd(),
        };
        let insns = set.program(frame, maps);
        insns.map(|insns| SocketProgram::load(&insns)).transpose()
    }
}

impl Handle {
    /// Gives the rules to the kernel, in place of the program that only tests the direction. What has to be tested
    /// before rules are must be tested there, or not at all.
    pub(in crate::handle) fn attach_rules(&self, lifecycle: &Lifecycle, only: Option<Only>) {
        if self.source.is_file() {
            return;
        }
        let snaplen = self.options.snaplen;
        let fits = snaplen >= LEAST_SNAPLEN && self.source.link_type() == DLT_EN10MB;
        if !fits || self.options.flags & PF_RING_USERSPACE_BPF != 0 {
            return;
        }
        let program = {
            let state = &mut *self.rules.state.lock();
            if state.set.is_open() || state.kernel.is_refused() {
                return;
            }
            match state
                .kernel
                .program(&mut state.set, Frame { only, snaplen })
            {
                Ok(Some(program)) => program,
                Ok(None) => return,
                Err(why) => return state.kernel.refuse(&why),
            }
        };
        for device in self.source.devices() {
            if !self.selection_tests(device).is_empty() {
                continue;
            }
            // Of two sockets that take the same frames none may count, as packets would be counted twice.
            let spare = device.spare.get();
            let socket = match spare.filter(|_| device.socket.is_retired()) {
                Some(spare) => spare,
                None if lifecycle.turned => continue,
                None => &device.socket,
            };
            if let Err(why) = socket.attach_program(program.fd()) {
                log::info(format_args!("rules stay here: {why}"));
            }
        }
    }
}
