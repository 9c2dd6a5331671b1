//! The exported functions, a file per family. Each body is one short expression: what it takes from C
//! is checked here, what it does is in [`handle`](crate::handle) and the pure rooms.
//!
//! # What every function asks of its C caller
//!
//! - A `pfring *` is NULL, or came from pfring_open and was not closed.
//! - A string is NULL or ends with a zero byte; a buffer is NULL or has the bytes that its length
//!   says; any other pointer is NULL or points to a whole object, aligned unless it is packed.
//! - One thread at a time receives, and one sends, unless the ring was opened with
//!   PF_RING_REENTRANT. pfring_breakloop, pfring_shutdown, pfring_stats and the setters may be
//!   called from any thread at any time, the first three from a signal handler too. Nothing may be
//!   called during or after pfring_close.
//!
//! # What every function keeps
//!
//! - It never unwinds into C: a caught panic poisons the ring, and every later call fails.
//! - Out-parameters are written only on success; nothing is written to stdout.
//! - A failure sets errno.
#![allow(clippy::missing_safety_doc)] // stands once, above: cbindgen would copy it everywhere

mod boundary;
mod strings;

pub mod bpf;
pub mod clock;
pub mod cluster;
pub mod device;
pub mod filter;
pub mod open;
pub mod parse;
pub mod poll;
pub mod recv;
pub mod rules;
pub mod send;
pub mod settings;
pub mod stats;
pub mod table;
pub mod trailer;
pub mod wait;

pub use bpf::*;
pub use clock::*;
pub use cluster::*;
pub use device::*;
pub use filter::*;
pub use open::*;
pub use parse::*;
pub use poll::*;
pub use recv::*;
pub use rules::*;
pub use send::*;
pub use settings::*;
pub use stats::*;
pub use trailer::*;
pub use wait::*;
