//! Numbers for people: `1'234'567.89`.
//!
//! The rules are those of pfring_format_numbers, oddities included, since tools print with it.

use std::fmt;

use super::print::print_to;

/// Writes `value` with apostrophes between the thousands into a caller's buffer, cut to fit and
/// NUL-terminated; gives the length of the whole text.
///
/// With decimals there are two, rounded below 1000 and cut off from there on. At most 12 digits
/// are shown before the point: what stands above them is lost. A negative value without decimals
/// shows its low 32 bits as an unsigned number.
pub fn format_numbers(value: f64, with_decimals: bool, buf: &mut [u8]) -> usize {
    print_to(
        buf,
        Grouped {
            value,
            with_decimals,
        },
    )
}

/// A number with its thousands grouped.
#[derive(Clone, Copy, Debug)]
pub struct Grouped {
    /// The number.
    pub value: f64,
    /// Whether two decimals follow.
    pub with_decimals: bool,
}

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Grouped {
            value,
            with_decimals,
        } = *self;
        if !value.is_finite() {
            let sign = if value.is_sign_negative() { "-" } else { "" };
            return write!(f, "{sign}{}", if value.is_nan() { "nan" } else { "inf" });
        }
        if value < 1000.0 {
            return if with_decimals {
                write!(f, "{value:.2}")
            } else {
                write!(f, "{}", value as i64 as u32)
            };
        }
        let digits = (value % 1e12) as u64;
        let [ones, thousands, millions, billions] =
            [1, 1_000, 1_000_000, 1_000_000_000].map(|unit| digits / unit % 1000);
        if value < 1e6 {
            write!(f, "{thousands}'{ones:03}")?;
        } else if value < 1e9 {
            write!(f, "{millions}'{thousands:03}'{ones:03}")?;
        } else {
            write!(f, "{billions}'{millions:03}'{thousands:03}'{ones:03}")?;
        }
        if with_decimals {
            write!(f, ".{:02}", (value.fract() * 100.0) as u32)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, with_decimals: bool) -> String {
        Grouped {
            value,
            with_decimals,
        }
        .to_string()
    }

    #[test]
    fn table() {
        let rows = [
            (0.0, "0", "0.00"),
            (0.5, "0", "0.50"),
            (0.125, "0", "0.12"),
            (0.375, "0", "0.38"),
            (7.0, "7", "7.00"),
            (999.0, "999", "999.00"),
            (999.999, "999", "1000.00"),
            (1000.0, "1'000", "1'000.00"),
            (1000.999, "1'000", "1'000.99"),
            (1005.05, "1'005", "1'005.04"),
            (12_345.5, "12'345", "12'345.50"),
            (999_999.999, "999'999", "999'999.99"),
            (1_000_000.0, "1'000'000", "1'000'000.00"),
            (1_234_567.891, "1'234'567", "1'234'567.89"),
            (1_002_003.25, "1'002'003", "1'002'003.25"),
            (1e9, "1'000'000'000", "1'000'000'000.00"),
            (123_456_789_012.5, "123'456'789'012", "123'456'789'012.50"),
            (1e12, "0'000'000'000", "0'000'000'000.00"),
            (1_005_000_000_001.0, "5'000'000'001", "5'000'000'001.00"),
            (-1.0, "4294967295", "-1.00"),
            (-0.5, "0", "-0.50"),
            (-5000.0, "4294962296", "-5000.00"),
            (f64::NAN, "nan", "nan"),
            (f64::INFINITY, "inf", "inf"),
            (f64::NEG_INFINITY, "-inf", "-inf"),
        ];
        for (value, plain, decimals) in rows {
            assert_eq!(text(value, false), plain, "{value}");
            assert_eq!(text(value, true), decimals, "{value}");
        }
    }

    #[test]
    fn cut_to_the_buffer() {
        let mut buf = [0xff; 6];
        assert_eq!(format_numbers(1_234_567.0, false, &mut buf), 9);
        assert_eq!(&buf, b"1'234\0");
        assert_eq!(format_numbers(1.0, false, &mut []), 1);
    }
}
