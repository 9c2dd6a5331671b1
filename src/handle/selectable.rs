//! The one descriptor that programs wait on with select, poll or epoll: readable while a packet can be
//! read, the same from open to close, never with POLLERR or POLLHUP.
//!
//! It is an epoll descriptor over the sockets and an eventfd. The sockets alone would not do: while a
//! program holds the last packet of a block the kernel still calls the ring readable, and before
//! capture starts it does not. So the sockets count from edge to edge, the edge is forgotten when
//! the last packet is handed out, and the eventfd says what edges cannot.

use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::backend::{RxAny, RxBackend};
use crate::error::Result;
use crate::sys::event::{Epoll, EventFd};

/// A program that has not asked for the descriptor may have read it in the public struct. After so many looks
/// in a row that found nothing it spins, and does not sleep on a descriptor.
const LOOKS_OF_A_SPINNER: u32 = 32;

/// The descriptor, and what makes it readable.
pub(super) struct Selectable {
    epoll: Epoll,
    /// Raised before capture starts, so that a program that enables at its first read gets there;
    /// always for a file; and while a packet came between a look and forgetting the edge.
    readable: EventFd,
    raised: AtomicBool,
    /// Whether a program waits on it, and the sockets have to be forgotten in time.
    watched: AtomicBool,
    has_sockets: AtomicBool,
}

impl Selectable {
    pub(super) fn new(sockets: &[RawFd]) -> Result<Self> {
        let selectable = Self {
            epoll: Epoll::new()?,
            readable: EventFd::new()?,
            raised: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            has_sockets: AtomicBool::new(!sockets.is_empty()),
        };
        selectable.epoll.add(selectable.readable.as_raw_fd())?;
        for fd in sockets {
            selectable.epoll.add_edge(*fd)?;
        }
        selectable.raise(true);
        Ok(selectable)
    }

    /// Adds another socket.
    pub(super) fn add(&self, fd: RawFd) -> Result<()> {
        self.has_sockets.store(true, Relaxed);
        self.epoll.add_edge(fd)
    }

    pub(super) fn fd(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }

    /// The descriptor, for a program that asks for it.
    pub(super) fn watch(&self) -> RawFd {
        self.watched.store(self.has_sockets.load(Relaxed), Relaxed);
        self.fd()
    }

    /// Capture has started: from now on packets make it readable.
    pub(super) fn start(&self) {
        self.raise(false);
    }

    /// Called with the receive half, after packets were taken.
    #[inline]
    pub(super) fn after_take(&self, backend: &mut RxAny) {
        if self.watched.load(Relaxed) && !backend.available() {
            self.forget();
            // What came between the look and forgetting made no new edge.
            let ahead = backend.arm();
            self.raise(ahead || backend.available());
        }
    }

    /// A packet that can be read is in the library's hands.
    pub(super) fn hold(&self) {
        if self.has_sockets.load(Relaxed) {
            self.raise(true);
        }
    }

    /// Called with the receive half, after a look that found nothing: packets that made it readable may
    /// have been rejected.
    #[inline]
    pub(super) fn after_empty(&self, backend: &mut RxAny, empty_looks: u32) {
        if !self.has_sockets.load(Relaxed) {
            return;
        }
        let may_sleep = self.watched.load(Relaxed) || empty_looks < LOOKS_OF_A_SPINNER;
        let ahead = may_sleep && backend.arm();
        if self.raised.load(Relaxed) != ahead {
            self.raise(ahead);
        }
    }

    /// Takes away what made the descriptor readable, when nothing is there to read.
    #[cold]
    pub(super) fn forget(&self) {
        if self.watched.load(Relaxed) {
            self.epoll.forget();
        }
    }

    fn raise(&self, on: bool) {
        if self.raised.swap(on, Relaxed) != on {
            if on {
                self.readable.raise()
            } else {
                self.readable.lower()
            }
        }
    }
}
