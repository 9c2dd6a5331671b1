//! Is this frame wanted? BPF programs, compiled and run by libpcap, and tests of VLAN and queue for the kernel.
//!
//! Rules, hash rules and sampling will be files of their own here. Nothing in this room knows of
//! descriptors, rings or time.
#![forbid(unsafe_code)]

pub mod bpf;
pub mod select;
