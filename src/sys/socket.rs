//! Sockets as owned descriptors, and ioctl with the failure's name.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use crate::error::Result;
use crate::sys::{check, own};

/// Makes a socket; it is closed in programs that the process executes.
///
/// # Errors
///
/// [`Error::Os`](crate::error::Error::Os).
pub fn open(domain: i32, kind: i32, protocol: i32) -> Result<OwnedFd> {
    // SAFETY: no memory is passed.
    own("socket", unsafe {
        libc::socket(domain, kind | libc::SOCK_CLOEXEC, protocol)
    })
}

/// A socket to ask about interfaces of the caller's network namespace.
///
/// Of the family that needs no right and no network protocol; netdevice(7) calls work on any.
///
/// # Errors
///
/// [`Error::Os`](crate::error::Error::Os).
pub fn control() -> Result<OwnedFd> {
    open(libc::AF_UNIX, libc::SOCK_DGRAM, 0)
}

/// ioctl(2) with one argument that the kernel reads and writes.
///
/// # Errors
///
/// [`Error::Os`](crate::error::Error::Os) with `name`.
///
/// # Safety
///
/// - `argument` is of the type that `request` wants.
/// - Pointers inside it are good for what the kernel does with them.
pub unsafe fn ioctl<T>(
    fd: BorrowedFd<'_>,
    name: &'static str,
    request: libc::Ioctl,
    argument: &mut T,
) -> Result<()> {
    // SAFETY: the argument is writable and of the right type (contract above).
    let rc = unsafe { libc::ioctl(fd.as_raw_fd(), request, std::ptr::from_mut(argument)) };
    check(name, rc).map(|_| ())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::error::Error;

    #[test]
    fn a_failure_carries_its_name() {
        assert!(matches!(open(-1, 0, 0), Err(Error::Os("socket", _))));
        let socket = control().unwrap();
        let mut argument = 0u64;
        // SAFETY: no driver knows this request, so the argument is not touched.
        let failed = unsafe { ioctl(socket.as_fd(), "NONE", 0, &mut argument) };
        assert!(matches!(failed, Err(Error::Os("NONE", _))));
    }

    #[test]
    fn the_descriptor_is_not_inherited() {
        let socket = control().unwrap();
        // SAFETY: F_GETFD takes no argument.
        let flags = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFD) };
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    }
}
