//! The receive half of a ring: the backend, and the run of frames that it has lent out.

use super::ahead::Ahead;
use super::chunk::Rows;
use super::forward::LastPacket;
use crate::backend::{Run, RxAny, RxBackend};

/// What one thread at a time may touch.
pub(super) struct Rx {
    /// None until capture starts. Not to be used while a run is lent.
    backend: Option<RxAny>,
    /// Frames that were lent out, to be taken first.
    run: Run,
    /// Looks in a row that found nothing.
    pub(super) empty_looks: u32,
    /// Kept only while somebody may ask for it.
    pub(super) last: Option<LastPacket>,
    /// The packet that comes next, if it was asked for.
    pub(super) ahead: Ahead,
    /// What pfring_recv_chunk has handed out.
    pub(super) rows: Rows,
}

impl Rx {
    pub(super) fn new(backend: Option<RxAny>) -> Self {
        Self {
            backend,
            run: Run::EMPTY,
            empty_looks: 0,
            last: None,
            ahead: Ahead::default(),
            rows: Rows::default(),
        }
    }

    /// The backend, with all its frames in its own hands.
    #[inline]
    pub(super) fn backend(&mut self) -> Option<&mut RxAny> {
        let backend = self.backend.as_mut()?;
        if self.run.is_lent() {
            backend.return_run(std::mem::replace(&mut self.run, Run::EMPTY));
        }
        Some(backend)
    }

    /// Lets the next frames be taken in the short way, if the backend can.
    #[inline]
    pub(super) fn lend_run(&mut self) {
        if let Some(backend) = self.backend() {
            self.run = backend.lend_run();
        }
    }

    /// The run, empty where none is lent. Frames taken from it are valid together with all taken before,
    /// and another frame is available after each.
    #[inline(always)]
    pub(super) fn run(&mut self) -> &mut Run {
        &mut self.run
    }

    /// Whether a frame, or an end of file, can be taken now.
    #[inline]
    pub(super) fn available(&self) -> bool {
        // A run is never lent with the last frame of its block.
        self.run.is_lent()
            || self.backend.as_ref().is_some_and(RxBackend::available)
            || self.ahead.count() > 0
    }

    /// Packets that can be taken now.
    pub(super) fn queued(&mut self) -> u32 {
        let queued = self.backend().map_or(0, |backend| backend.queued());
        queued.saturating_add(self.ahead.count())
    }

    /// Whether so many packets can be taken now.
    pub(super) fn has(&mut self, packets: u32) -> bool {
        let packets = packets - self.ahead.count().min(packets);
        packets == 0 || self.backend().is_some_and(|backend| backend.has(packets))
    }
}
