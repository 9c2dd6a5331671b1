//! `libpfring.so`: the C ABI of libpfring 8.9 on stock Linux, without a kernel module.
//!
//! A map of the rooms, from the C caller down to the kernel:
//!
//! - [`abi`]: C's view of the data: struct layouts, constants, enums. No logic.
//! - [`capi`]: the exported functions. Each body is one short expression.
//! - [`handle`]: what stands behind a `pfring *`: the public struct and our private state.
//! - [`backend`]: sources and sinks of frames: AF_PACKET rings, capture files, memory.
//! - [`wait`]: how a call that may wait does so: passive, active, adaptive, sleep, yield.
//! - [`filter`]: is this frame wanted?
//! - [`packet`]: bytes to facts: parser, hash, text.
//! - [`rundir`]: files about an open ring, which others can read.
//! - [`config`]: device names and environment variables.
//! - [`sys`]: the only callers of libc.
//! - [`error`]: one error type, and the one table from it to C codes and errno.

pub mod abi;
pub mod backend;
pub mod capi;
pub mod config;
pub mod error;
pub mod filter;
pub mod handle;
pub mod packet;
pub mod rundir;
pub mod sys;
pub mod transmit;
pub mod wait;
