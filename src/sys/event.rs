//! eventfd and epoll: a flag that wakes sleepers, and one descriptor that stands for several.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::error::Result;
use crate::sys::{check, own};

/// A descriptor that is readable while it is raised (eventfd(2)).
#[derive(Debug)]
pub struct EventFd(OwnedFd);

impl EventFd {
    /// Makes one that is not raised.
    ///
    /// # Errors
    ///
    /// `Os` when the process has no descriptors left.
    pub fn new() -> Result<Self> {
        // SAFETY: eventfd takes two integers.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        Ok(Self(own("eventfd", fd)?))
    }

    /// Makes the descriptor readable. Safe in a signal handler; keeps errno.
    pub fn raise(&self) {
        let saved = super::errno();
        let one = 1u64;
        // SAFETY: eight readable bytes. A full counter (EAGAIN) is raised already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
        super::set_errno(saved);
    }

    /// Makes the descriptor unreadable; keeps errno.
    pub fn lower(&self) {
        let saved = super::errno();
        let mut count = 0u64;
        // SAFETY: eight writable bytes. Nothing to read (EAGAIN) means that it is lowered already.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
        super::set_errno(saved);
    }
}

impl AsRawFd for EventFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A descriptor that is readable while one of the descriptors in it is (epoll(7)).
///
/// It never shows POLLERR or POLLHUP itself.
#[derive(Debug)]
pub struct Epoll(OwnedFd);

impl Epoll {
    /// Makes an empty set.
    ///
    /// # Errors
    ///
    /// `Os` when the process has no descriptors left.
    pub fn new() -> Result<Self> {
        // SAFETY: epoll_create1 takes an integer.
        Ok(Self(own("epoll_create1", unsafe {
            libc::epoll_create1(libc::EPOLL_CLOEXEC)
        })?))
    }

    /// Adds a descriptor whose readability counts from now on, level triggered.
    ///
    /// # Errors
    ///
    /// `Os` when the descriptor is in the set already or cannot be polled.
    pub fn add(&self, fd: RawFd) -> Result<()> {
        self.control(fd, libc::EPOLLIN as u32)
    }

    /// Adds a descriptor that counts as readable from the moment it becomes so until it no longer is,
    /// or until [`forget`](Self::forget) (edge triggered).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_edge(&self, fd: RawFd) -> Result<()> {
        self.control(fd, (libc::EPOLLIN | libc::EPOLLET) as u32)
    }

    /// Takes the edges seen so far: the set is readable again at the next one only.
    pub fn forget(&self) {
        const MOST: usize = super::poll::MAX_FDS;
        let saved = super::errno();
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; MOST];
        // SAFETY: `events` has room for MOST entries.
        unsafe {
            libc::epoll_wait(
                self.0.as_raw_fd(),
                events.as_mut_ptr(),
                MOST as libc::c_int,
                0,
            );
        }
        super::set_errno(saved);
    }

    fn control(&self, fd: RawFd, events: u32) -> Result<()> {
        let mut event = libc::epoll_event { events, u64: 0 };
        // SAFETY: `event` is valid for the call; the kernel copies it.
        let ret =
            unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
        check("epoll_ctl", ret).map(|_| ())
    }
}

impl AsRawFd for Epoll {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
