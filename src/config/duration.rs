//! Spans of time as users write them: `50us`, `1ms`, `2s`, `100ns`; a bare number is microseconds.
//!
//! Kept in nanoseconds. A span is never zero and never longer than [`MAX_NS`], so that sums of a
//! few of them cannot overflow.
#![forbid(unsafe_code)]

use std::fmt;

/// The longest span that is taken: one hour, in nanoseconds.
pub const MAX_NS: u64 = 3_600 * 1_000_000_000;

const UNITS: [(&str, u64); 4] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];

/// Reads a span of 1 ns to one hour; the result is in nanoseconds. None for anything else.
pub fn parse(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let scale = match &text[digits.len()..] {
        "" => 1_000,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let ns = digits.parse::<u64>().ok()?.checked_mul(scale)?;
    (1..=MAX_NS).contains(&ns).then_some(ns)
}

/// A span in nanoseconds that prints in the largest unit that shows it exactly.
///
/// [`parse`] reads the text back to the same span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub u64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = UNITS
            .iter()
            .rev()
            .find(|(_, scale)| self.0 != 0 && self.0.is_multiple_of(*scale))
            .unwrap_or(&UNITS[0]);
        write!(f, "{}{unit}", self.0 / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        for (text, ns) in [
            ("50", 50_000),
            ("50us", 50_000),
            ("1ns", 1),
            ("7ms", 7_000_000),
            ("2s", 2_000_000_000),
            ("3600s", MAX_NS),
            ("0001us", 1_000),
        ] {
            assert_eq!(parse(text), Some(ns), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "us",
            "0",
            "0ns",
            "-1",
            "+1",
            "1.5us",
            " 1us",
            "1us ",
            "1 us",
            "1m",
            "1h",
            "1US",
            "1usus",
            "3601s",
            "18446744073709551615",
            "18446744073709551616",
            "99999999999999999999s",
            "1\u{b5}s",
            "\u{661}us",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_largest_exact_unit_is_shown() {
        for (ns, text) in [
            (0, "0ns"),
            (1, "1ns"),
            (1_500, "1500ns"),
            (50_000, "50us"),
            (1_000_000, "1ms"),
            (60_000_000_000, "60s"),
        ] {
            assert_eq!(Span(ns).to_string(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_reads_back(ns in 1..=MAX_NS) {
            proptest::prop_assert_eq!(parse(&Span(ns).to_string()), Some(ns));
        }
    }
}
