//! What comes from outside the calls: the device name, the environment, and where text goes.
//!
//! Everything here is decided once per `pfring_open`, before any descriptor is made. Nothing here
//! knows sockets or rings; the environment is read through `sys::env`.
#![forbid(unsafe_code)]

pub mod device;
pub mod duration;
pub mod env;
pub mod log;

/// A number in plain digits: no sign, no blank.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
