//! ppoll(2) on a few descriptors.

use std::os::fd::RawFd;

/// Most descriptors that one call looks at: two of each interface of a ring, and one more.
pub const MAX_FDS: usize = 129;

/// How a poll ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled {
    /// At least one descriptor is readable or has an error.
    Ready,
    /// The time is over.
    Timeout,
    /// A signal handler ran.
    Interrupted,
    /// The call itself failed, with this errno.
    Failed(i32),
}

/// Waits until one of `fds` is readable or `timeout_ns` has passed (None: for ever). Looks at the
/// first [`MAX_FDS`] descriptors. Keeps errno.
pub fn poll(fds: &[RawFd], timeout_ns: Option<u64>) -> Polled {
    let saved = super::errno();
    let mut set = [libc::pollfd {
        fd: -1,
        events: 0,
        revents: 0,
    }; MAX_FDS];
    let count = fds.len().min(MAX_FDS);
    for (entry, fd) in set.iter_mut().zip(fds) {
        *entry = libc::pollfd {
            fd: *fd,
            events: libc::POLLIN,
            revents: 0,
        };
    }
    let limit = timeout_ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    });
    let limit_ptr = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `count` entries of `set` are initialised; `limit_ptr` is NULL or points to `limit`.
    let ret = unsafe {
        libc::ppoll(
            set.as_mut_ptr(),
            count as libc::nfds_t,
            limit_ptr,
            std::ptr::null(),
        )
    };
    let errno = super::errno();
    super::set_errno(saved);
    match ret {
        0 => Polled::Timeout,
        n if n > 0 => Polled::Ready,
        _ if errno == libc::EINTR => Polled::Interrupted,
        _ => Polled::Failed(errno),
    }
}
