//! One error type for every room, and the one table from it to `PF_RING_ERROR_*` codes and errno.
//!
//! "Nothing there" is not an error inside: it is `Ok(None)`.
#![forbid(unsafe_code)]

use std::io;

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
    /// The call does not fit the state of the ring (already enabled, no filter set, ...).
    WrongState(&'static str),
    /// The ring was configured without what this call needs.
    WrongConfiguration(&'static str),
    /// `pfring_shutdown` was called.
    ShutDown,
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
    /// A system call failed; its name and the error.
    Os(&'static str, io::Error),
}
