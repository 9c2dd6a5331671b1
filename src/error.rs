//! One error type for every room, and the one table from it to `PF_RING_ERROR_*` codes and errno.
//!
//! "Nothing there" is not an error inside: it is `Ok(None)`.
#![forbid(unsafe_code)]

use std::{fmt, io};

use crate::abi;

/// The result of a fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong, a variant for each thing that a caller can act on.
#[derive(Debug)]
pub enum Error {
    /// No interface of this name exists.
    NoSuchDevice(String),
    /// A device name that does not follow the grammar; what is wrong with it.
    BadDeviceName(String),
    /// An argument that is NULL, out of range or an unknown enum value; its name.
    InvalidArgument(&'static str),
    /// An environment variable with a value that we do not know; the line to print.
    BadSetting(String),
    /// A setting that names a mechanism that is not built, or that this kernel lacks.
    NotBuilt(String),
    /// The process lacks a capability; what it wanted to do.
    NotPermitted(&'static str),
    /// Memory for a ring could not be had.
    OutOfMemory,
    /// The ring was never enabled, or was disabled.
    NotEnabled,
    /// Stock Linux, this device or this mode cannot do this; what was asked.
    NotSupported(&'static str),
    /// The call comes too late: the ring is enabled, or has what can be set once only.
    TooLate(&'static str),
    /// What was to be removed is not there.
    NotFound(&'static str),
    /// The ring was configured without what this call needs.
    WrongConfiguration(&'static str),
    /// No packet was received yet, or the last one was given back.
    NoPacket,
    /// `pfring_shutdown` was called.
    ShutDown,
    /// `pfring_breakloop` ended the call: 0 with errno EINTR, which is no failure to C.
    Broken,
    /// A capture file has no more packets.
    EndOfFile,
    /// A filter text that does not compile; libpcap's message.
    FilterSyntax(String),
    /// libpcap could not be loaded at run time; the loader's message.
    NoLibpcap(String),
    /// A capture file that cannot be read; what is wrong with it.
    BadFile(String),
    /// A frame longer than the device sends.
    MessageTooLong,
    /// A panic was caught on this ring earlier; it refuses to go on.
    Poisoned,
    /// The ring was opened before fork, by the parent.
    Forked,
    /// A system call failed; its name and the error.
    Os(&'static str, io::Error),
}

const GENERIC: i32 = abi::PF_RING_ERROR_GENERIC;
const INVALID_ARGUMENT: i32 = abi::PF_RING_ERROR_INVALID_ARGUMENT;
const NOT_SUPPORTED: i32 = abi::PF_RING_ERROR_NOT_SUPPORTED;

impl Error {
    /// What a function that returns an int answers.
    pub fn code(&self) -> i32 {
        match self {
            Self::NoSuchDevice(_)
            | Self::BadDeviceName(_)
            | Self::BadSetting(_)
            | Self::NotPermitted(_)
            | Self::OutOfMemory
            | Self::TooLate(_)
            | Self::NotFound(_)
            | Self::ShutDown
            | Self::BadFile(_)
            | Self::Forked
            | Self::Os(..) => GENERIC,
            Self::InvalidArgument(_)
            | Self::EndOfFile
            | Self::FilterSyntax(_)
            | Self::MessageTooLong => INVALID_ARGUMENT,
            Self::NotBuilt(_) | Self::NotSupported(_) | Self::NoLibpcap(_) => NOT_SUPPORTED,
            Self::WrongConfiguration(_) => abi::PF_RING_ERROR_WRONG_CONFIGURATION,
            Self::NotEnabled => abi::PF_RING_ERROR_RING_NOT_ENABLED,
            Self::NoPacket => abi::PF_RING_ERROR_NO_PKT_AVAILABLE,
            Self::Poisoned => abi::PF_RING_ERROR_INVALID_STATUS,
            Self::Broken => 0,
        }
    }

    /// What errno says after the failure.
    pub fn errno(&self) -> i32 {
        match self {
            Self::NoSuchDevice(_) => libc::ENODEV,
            Self::BadDeviceName(_)
            | Self::BadSetting(_)
            | Self::InvalidArgument(_)
            | Self::FilterSyntax(_)
            | Self::WrongConfiguration(_)
            | Self::BadFile(_) => libc::EINVAL,
            Self::NotPermitted(_) => libc::EPERM,
            Self::OutOfMemory => libc::ENOMEM,
            Self::TooLate(_) | Self::Forked => libc::EBUSY,
            Self::NotFound(_) => libc::ENOENT,
            Self::ShutDown => libc::ESHUTDOWN,
            Self::Broken => libc::EINTR,
            Self::EndOfFile => libc::ENODATA,
            Self::MessageTooLong => libc::EMSGSIZE,
            Self::NotBuilt(_) | Self::NotSupported(_) | Self::NoLibpcap(_) => libc::ENOTSUP,
            Self::NotEnabled => libc::EBADFD,
            Self::NoPacket => libc::EAGAIN,
            Self::Poisoned => libc::ENOTRECOVERABLE,
            Self::Os(_, error) => error.raw_os_error().unwrap_or(libc::EIO),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchDevice(name) => write!(f, "no interface \"{}\"", name.escape_debug()),
            Self::BadDeviceName(text)
            | Self::BadSetting(text)
            | Self::NotBuilt(text)
            | Self::BadFile(text) => f.write_str(text),
            Self::InvalidArgument(what) => write!(f, "invalid argument: {what}"),
            Self::NotPermitted(what) => write!(f, "not permitted to {what}"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::NotEnabled => f.write_str("the ring is not enabled"),
            Self::NoPacket => f.write_str("no packet is held"),
            Self::NotSupported(what) => write!(f, "not supported: {what}"),
            Self::TooLate(what) => write!(f, "too late: {what}"),
            Self::NotFound(what) => write!(f, "not there: {what}"),
            Self::WrongConfiguration(what) => write!(f, "wrong configuration: {what}"),
            Self::ShutDown => f.write_str("the ring is shut down"),
            Self::Broken => f.write_str("broken by pfring_breakloop"),
            Self::EndOfFile => f.write_str("end of file"),
            Self::FilterSyntax(text) => write!(f, "filter: {text}"),
            Self::NoLibpcap(text) => write!(f, "libpcap cannot be loaded: {text}"),
            Self::MessageTooLong => f.write_str("the frame is longer than the device sends"),
            Self::Poisoned => f.write_str("the ring failed earlier"),
            Self::Forked => f.write_str("the ring is the parent's: open one after fork"),
            Self::Os(operation, error) => write!(f, "{operation}: {error}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every variant, with what C sees of it.
    #[test]
    fn each_variant_has_its_code_and_errno() {
        let text = String::new;
        let table = [
            (Error::NoSuchDevice(text()), -1, libc::ENODEV),
            (Error::BadDeviceName(text()), -1, libc::EINVAL),
            (Error::InvalidArgument(""), -2, libc::EINVAL),
            (Error::BadSetting(text()), -1, libc::EINVAL),
            (Error::NotBuilt(text()), -7, libc::ENOTSUP),
            (Error::NotPermitted(""), -1, libc::EPERM),
            (Error::OutOfMemory, -1, libc::ENOMEM),
            (Error::NotEnabled, -12, libc::EBADFD),
            (Error::NoPacket, -3, libc::EAGAIN),
            (Error::NotSupported(""), -7, libc::ENOTSUP),
            (Error::TooLate(""), -1, libc::EBUSY),
            (Error::NotFound(""), -1, libc::ENOENT),
            (Error::WrongConfiguration(""), -5, libc::EINVAL),
            (Error::ShutDown, -1, libc::ESHUTDOWN),
            (Error::Broken, 0, libc::EINTR),
            (Error::EndOfFile, -2, libc::ENODATA),
            (Error::FilterSyntax(text()), -2, libc::EINVAL),
            (Error::NoLibpcap(text()), -7, libc::ENOTSUP),
            (Error::BadFile(text()), -1, libc::EINVAL),
            (Error::MessageTooLong, -2, libc::EMSGSIZE),
            (Error::Poisoned, -11, libc::ENOTRECOVERABLE),
            (Error::Forked, -1, libc::EBUSY),
            (
                Error::Os("x", io::Error::from_raw_os_error(libc::ENOBUFS)),
                -1,
                libc::ENOBUFS,
            ),
        ];
        for (error, code, errno) in table {
            assert_eq!((error.code(), error.errno()), (code, errno), "{error:?}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
