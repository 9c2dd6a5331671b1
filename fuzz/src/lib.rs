//! Fuzz targets: functions that take any bytes and panic where something that must hold does not.
//!
//! Each has its corpus in `corpus/<name>/`. The script `fuzz` runs libFuzzer on one and measures the
//! line coverage of the corpora; `tests/replay.rs` runs the corpora as a test.

mod block;
mod device;
mod file;
mod filter;
mod input;
mod parser;
mod rules;

/// A target: its name, and what is done with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 6] = [
    ("parser", parser::run),
    ("device", device::run),
    ("file", file::run),
    ("block", block::run),
    ("filter", filter::run),
    ("rules", rules::run),
];

/// The function of a target.
pub fn target(name: &str) -> Option<fn(&[u8])> {
    TARGETS
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, run)| *run)
}
