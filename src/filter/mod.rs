//! (room filter)

pub mod bpf;
