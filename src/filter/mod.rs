//! Is this frame wanted? BPF programs, compiled and run by libpcap; tests of VLAN and queue for the kernel; rules.
//!
//! Nothing in this room knows of descriptors, rings or time.
#![forbid(unsafe_code)]

pub mod bpf;
pub mod cluster;
pub mod rules;
pub mod select;
