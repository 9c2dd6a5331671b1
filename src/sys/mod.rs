//! The only callers of libc: descriptors, system calls and mappings with safe functions around them.
//!
//! Nothing here knows what a ring, a packet or a C handle is for; errors carry the name of the
//! call that failed.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::error::{Error, Result};

pub mod bpf;
pub mod clock;
pub mod dl;
pub mod env;
pub mod ethtool;
pub mod event;
pub mod inject;
pub mod libpcap;
pub mod link_type;
pub mod mmap;
pub mod netdev;
pub mod ntuple;
pub mod packet;
pub mod poll;
pub mod socket;
pub mod stamps;
pub mod stderr;
pub mod thread;

/// Turns -1 with errno into an error that names the call.
pub(crate) fn check(operation: &'static str, ret: libc::c_int) -> Result<libc::c_int> {
    if ret < 0 {
        Err(Error::Os(operation, io::Error::last_os_error()))
    } else {
        Ok(ret)
    }
}

/// Owns the descriptor that a system call returned, or reports its error.
pub(crate) fn own(operation: &'static str, ret: RawFd) -> Result<OwnedFd> {
    let fd = check(operation, ret)?;
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sets a socket option whose value is a plain C structure or integer.
pub(crate) fn set_option<T: Copy>(
    operation: &'static str,
    fd: &OwnedFd,
    level: libc::c_int,
    name: libc::c_int,
    value: &T,
) -> Result<()> {
    // SAFETY: `value` is readable for its whole size, and the kernel copies it before it returns.
    let ret = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            level,
            name,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    check(operation, ret).map(|_| ())
}

/// The size of a memory page of the running kernel, in bytes.
pub fn page_size() -> usize {
    // SAFETY: sysconf only reads.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Memory that could be had without swapping, in bytes; None where the kernel does not say.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kib| kib * 1024)
}

/// Sets errno of this thread.
pub fn set_errno(value: i32) {
    // SAFETY: the C library gives each thread an errno of its own, valid for its whole life.
    unsafe { *libc::__errno_location() = value };
}

/// Reads errno of this thread.
pub fn errno() -> i32 {
    // SAFETY: as in `set_errno`.
    unsafe { *libc::__errno_location() }
}
