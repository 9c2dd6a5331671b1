//! The BPF filter of a ring: in the kernel where that is possible, else on each frame here.

use std::ffi::CStr;

use parking_lot::Mutex;

use super::obstacles::{Obstacle, Obstacles};
use super::{Handle, Lifecycle};
use crate::abi;
use crate::backend::{AnyFrame, Frame, Glimpse};
use crate::config::log;
use crate::error::{Error, Result};
use crate::filter::bpf::{self, Live, Program};
use crate::sys::clock;
use crate::sys::packet::NOTHING;

/// The filter of a ring. Set from any thread while another receives.
#[derive(Default)]
pub(super) struct FilterSlot {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the kernel runs.
    kernel: Option<Program>,
    /// What runs here.
    here: Option<Here>,
    /// What runs on frames that are sent.
    sending: Option<Program>,
}

struct Here {
    program: Program,
    /// Only on frames up to this stamp, in nanoseconds: those that the kernel queued under the
    /// filter before. None: on every frame.
    until_ns: Option<u64>,
    /// Whether the program looks at tags. One that does not is run on frames without the tag that
    /// the kernel had moved, as the kernel does: it matches tagged traffic as well.
    sees_tags: bool,
}

impl Here {
    fn new(program: Program, text: &CStr, until_ns: Option<u64>) -> Self {
        Self {
            program,
            until_ns,
            sees_tags: bpf::mentions_tags(text),
        }
    }

    fn accepts(&self, frame: &Frame, data: &[u8]) -> bool {
        const MACS: usize = 12;
        const TAG: usize = 4;
        if frame.moved_tci.is_none() || self.sees_tags || data.len() < MACS + TAG {
            return self.program.run(data, frame.len) != 0;
        }
        let untagged = [&data[..MACS], &data[MACS + TAG..]].concat();
        self.program.run(&untagged, frame.len - TAG as u32) != 0
    }
}

impl Handle {
    /// Compiles a filter text and puts it in force. An empty text keeps what is in force.
    ///
    /// # Errors
    ///
    /// `FilterSyntax` for a text that does not compile, `NoLibpcap`, `Os` when the kernel refuses.
    pub fn set_bpf_filter(&self, text: &CStr) -> Result<()> {
        if text.to_bytes().trim_ascii().is_empty() {
            return Ok(());
        }
        let (link_type, snaplen) = (self.source.link_type(), self.options.snaplen.max(1));
        if self.filters_sending() {
            self.filter.state.lock().sending = Some(bpf::compile(text, link_type, snaplen)?);
            return Ok(());
        }
        let userspace =
            self.source.is_file() || self.options.flags & abi::PF_RING_USERSPACE_BPF != 0;
        let live = if userspace {
            Live::UserSpace(bpf::compile(text, link_type, snaplen)?)
        } else {
            let device = self.source.main().map(|device| device.name.as_str());
            bpf::compile_live(text, link_type, device, snaplen)?
        };
        // Frames that are queued already were let in by the filter before.
        let recheck = match &live {
            Live::Kernel(_) => bpf::compile(text, link_type, snaplen).ok(),
            Live::UserSpace(_) => None,
        };
        let lifecycle = self.lifecycle.lock();
        let (kernel, here) = match live {
            Live::Kernel(program) => (Some(program), None),
            Live::UserSpace(program) => (None, Some(Here::new(program, text, None))),
        };
        self.filter.replace(
            &self.obstacles,
            State {
                kernel,
                here,
                sending: None,
            },
        );
        if let Err(error) = self.attach(&lifecycle) {
            log::info(format_args!(
                "the kernel refuses the filter ({error}): it runs here"
            ));
            let program = recheck.ok_or(error)?;
            self.filter.replace(
                &self.obstacles,
                State {
                    kernel: None,
                    here: Some(Here::new(program, text, None)),
                    sending: None,
                },
            );
            self.attach(&lifecycle)?;
        } else if let Some(program) =
            recheck.filter(|_| lifecycle.capturing && self.has_system_stamps())
        {
            self.filter.recheck(
                &self.obstacles,
                Here::new(program, text, Some(clock::realtime_ns())),
            );
        }
        self.publish_userspace_filter(self.filter.is_here_for_good());
        Ok(())
    }

    /// With PF_RING_TX_BPF the filter is one of what is sent, and everything is received.
    fn filters_sending(&self) -> bool {
        self.options.flags & abi::PF_RING_TX_BPF != 0
    }

    /// Whether a frame may be sent.
    pub(super) fn may_be_sent(&self, frame: &[u8]) -> bool {
        if !self.filters_sending() {
            return true;
        }
        let state = self.filter.state.lock();
        let accepts = |program: &Program| program.run(frame, frame.len() as u32) != 0;
        state.sending.as_ref().is_none_or(accepts)
    }

    /// Takes the filter away.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is none.
    pub fn remove_bpf_filter(&self) -> Result<()> {
        if self.filters_sending() {
            let program = self.filter.state.lock().sending.take();
            return program.map(|_| ()).ok_or(Error::NotFound("a BPF filter"));
        }
        let lifecycle = self.lifecycle.lock();
        if !self.filter.replace(&self.obstacles, State::default()) {
            return Err(Error::NotFound("a BPF filter"));
        }
        self.publish_userspace_filter(false);
        self.attach(&lifecycle)
    }

    /// Puts the filter in force again, after the direction has changed.
    pub(super) fn apply_filter(&self) -> Result<()> {
        self.attach(&self.lifecycle.lock())
    }

    /// Gives the kernel the program that keeps out what is not wanted and cuts the rest to the snap
    /// length.
    pub(super) fn attach(&self, lifecycle: &Lifecycle) -> Result<()> {
        let only = self.options.direction().only();
        let state = self.filter.state.lock();
        let filter = bpf::wrap(state.kernel.as_ref(), only, self.options.snaplen);
        for device in self.source.devices() {
            let mut program = self.selection_tests(device);
            program.extend_from_slice(&filter);
            let program = if lifecycle.paused {
                &NOTHING[..]
            } else {
                &program
            };
            if let Some(tap) = self.accelerated.get() {
                tap.set_program(device.ifindex, program)?;
                continue;
            }
            for socket in device.sockets() {
                socket.attach_filter(program)?;
            }
        }
        let filters = state.kernel.is_some() || state.here.is_some();
        let here_only = filters || self.obstacles.has(Obstacle::Channel);
        if !lifecycle.paused && !here_only && self.accelerated.get().is_none() {
            self.attach_rules(lifecycle, only);
        }
        Ok(())
    }

    /// Whether a frame is wanted. `soon` is one that comes soon, where it can be seen.
    #[inline]
    pub(super) fn wants(&self, frame: &Frame, soon: Option<Glimpse>) -> bool {
        self.obstacles.wants_all()
            || (!self.obstacles.has(Obstacle::Twice) || !self.is_copy(frame))
                && self.options.direction().accepts(frame.direction)
                && (!self.obstacles.has(Obstacle::Channel) || self.selects(frame))
                && (!self.obstacles.has(Obstacle::Filter) || self.passes_filter(frame))
                && (!self.obstacles.has(Obstacle::Rules) || self.passes_rules(frame, soon))
                && (!self.obstacles.has(Obstacle::Sampling) || self.sampling.takes())
    }

    #[cold]
    fn passes_filter(&self, frame: &Frame) -> bool {
        let mut state = self.filter.state.lock();
        let Some(here) = &state.here else { return true };
        if here
            .until_ns
            .is_some_and(|until| frame.stamp.to_ns() > until)
        {
            state.here = None;
            self.obstacles.set(Obstacle::Filter, false);
            return true;
        }
        // SAFETY: the frame was taken from the backend under the receive half, which the caller
        // still holds; nothing was released since, and nobody writes to it.
        let data = unsafe { frame.bytes() };
        here.accepts(frame, data)
    }
}

impl FilterSlot {
    /// Puts another filter in place. Tells whether there was one.
    fn replace(&self, obstacles: &Obstacles, new: State) -> bool {
        let mut state = self.state.lock();
        let had_one = state.kernel.is_some() || state.here.is_some();
        obstacles.set(Obstacle::Filter, new.here.is_some());
        *state = new;
        had_one
    }

    fn recheck(&self, obstacles: &Obstacles, here: Here) {
        let mut state = self.state.lock();
        state.here = Some(here);
        obstacles.set(Obstacle::Filter, true);
    }

    fn is_here_for_good(&self) -> bool {
        self.state
            .lock()
            .here
            .as_ref()
            .is_some_and(|here| here.until_ns.is_none())
    }
}
