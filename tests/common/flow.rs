//! UDP frames, each of a flow of its own and with its number in it.

use std::cell::RefCell;
use std::time::Duration;

use super::frame::{ethernet_ipv4, ipv4_udp};
use super::ring::Ring;

const SOON: Duration = Duration::from_secs(5);

/// A UDP frame of a flow of its own.
pub fn flow(number: u32) -> Vec<u8> {
    let port = ((number * 7) as u16) | 1024;
    let packet = ipv4_udp(
        [10, 0, 0, 1],
        [10, 0, (number >> 8) as u8, 2],
        (port, 2000),
        &number.to_be_bytes(),
    );
    ethernet_ipv4(&packet)
}

/// The number in such a frame; None for anything else.
pub fn flow_number(bytes: &[u8]) -> Option<u32> {
    let number = bytes.get(42..46)?;
    (bytes[12..14] == [8, 0]).then(|| u32::from_be_bytes(number.try_into().expect("four bytes")))
}

/// The numbers of flows that come, in order.
pub fn flows(ring: &Ring, expected: usize) -> Vec<u32> {
    let numbers = RefCell::new(Vec::new());
    ring.drain(
        SOON,
        || numbers.borrow().len() >= expected,
        |got| numbers.borrow_mut().extend(flow_number(got.bytes())),
    );
    numbers.into_inner()
}
