//! Every exported function with what a careless program hands in: a NULL ring (R53), NULL in each
//! other pointer place, numbers out of range, enum values that do not exist, malformed strings.
//! Each gives its documented answer, none crashes, and nothing is written to stdout.

#[path = "../common/mod.rs"]
mod common;

mod bad_values;
mod null_pointers;
mod null_ring;
mod trailers;

use common::child;
use common::{Lab, Turn};

/// Checks the answer of each call; the text of the call is the message.
macro_rules! answers {
    ($($call:expr => $expected:expr;)*) => {$(
        // SAFETY: bad pointers are NULL only, which is the case under test; the good ones lead to
        // values that outlive the call.
        let answer = unsafe { $call };
        assert_eq!(answer, $expected, "{}", stringify!($call));
    )*};
}
pub(crate) use answers;

/// Runs `calls` in a child of its own, where nothing else writes to stdout, and wants no byte there.
fn quietly(test: &str, calls: fn()) {
    if child::role().is_some() {
        let written = child::stdout_of(calls);
        assert_eq!(String::from_utf8_lossy(&written), "", "nothing on stdout");
        return;
    }
    child::passes(test, "quiet");
}

#[test]
fn r53_a_null_ring() {
    quietly("r53_a_null_ring", null_ring::calls);
}

#[test]
fn null_pointers_in_calls_without_a_ring() {
    quietly(
        "null_pointers_in_calls_without_a_ring",
        null_pointers::without_a_ring,
    );
}

#[test]
fn null_pointers_with_a_file() {
    quietly("null_pointers_with_a_file", null_pointers::on_a_file);
}

#[test]
fn null_pointers_on_an_interface() {
    let test = "null_pointers_on_an_interface";
    with_lab(test, null_pointers::on_an_interface);
}

#[test]
fn numbers_enums_and_strings_on_an_interface() {
    let test = "numbers_enums_and_strings_on_an_interface";
    with_lab(test, bad_values::on_an_interface);
}

#[test]
fn numbers_enums_and_strings_without_a_ring() {
    quietly(
        "numbers_enums_and_strings_without_a_ring",
        bad_values::without_a_ring,
    );
}

#[test]
fn trailers_with_bad_arguments() {
    quietly("trailers_with_bad_arguments", trailers::calls);
}

/// The child runs in namespace B, next to `vb`.
fn with_lab(test: &str, calls: fn()) {
    if child::role().is_some() {
        return quietly(test, calls);
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    quietly(test, calls);
    drop(lab);
}

/// No exported function is left out: each stands in one of the lists above.
#[test]
fn every_exported_function_is_called() {
    let lists = [
        include_str!("null_ring.rs"),
        include_str!("null_pointers.rs"),
        include_str!("trailers.rs"),
    ]
    .concat();
    let symbols = include_str!("../../abi/symbols.txt");
    let names = symbols
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let missing: Vec<&str> = names
        .filter(|name| !lists.contains(&format!("capi::{name}(")))
        .collect();
    assert!(missing.is_empty(), "not called with NULL: {missing:?}");
}
