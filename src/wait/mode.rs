//! The wait modes by name: what `PFRING_WAIT` and `pfring_wait_set_mode` accept.
//!
//! Only the choice and its numbers; what each mode does is elsewhere in this room.

use std::fmt;
use std::str::FromStr;

use crate::config::duration::{self, Span};

/// The forms that [`WaitMode::from_str`] accepts, for messages.
pub const SYNTAX: &str = "passive, active, adaptive[:50us], sleep[:1us][,slack=1ns], yield";

/// How long adaptive mode spins unless told: 50 us, in nanoseconds.
pub const DEFAULT_BUDGET_NS: u64 = 50_000;

/// How long sleep mode sleeps between two looks unless told: 1 us, in nanoseconds.
pub const DEFAULT_PERIOD_NS: u64 = 1_000;

/// How a call that may wait does so.
///
/// Spans are nanoseconds, from 1 to [`duration::MAX_NS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitMode {
    /// Sleeps in the kernel until a packet comes.
    #[default]
    Passive,
    /// Looks into the ring again and again.
    Active,
    /// Looks again and again for a while when that is worthwhile, then sleeps in the kernel.
    Adaptive {
        /// The longest time spent looking before it sleeps.
        budget_ns: u64,
    },
    /// Sleeps for a fixed time between two looks.
    Sleep {
        /// The time asked for in each sleep.
        period_ns: u64,
        /// The timer slack to set for the waiting thread; None leaves it alone.
        slack_ns: Option<u64>,
    },
    /// Gives the CPU away between two looks.
    Yield,
}

impl FromStr for WaitMode {
    type Err = String;

    /// Reads one of the forms of [`SYNTAX`].
    ///
    /// # Errors
    ///
    /// One line that names the text and the forms allowed.
    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            format!(
                "\"{}\" is no wait mode; allowed: {SYNTAX}",
                text.escape_debug()
            )
        })
    }
}

fn parse(text: &str) -> Option<WaitMode> {
    let (head, slack) = match text.split_once(',') {
        Some((head, tail)) => (head, Some(tail.strip_prefix("slack=")?)),
        None => (text, None),
    };
    let (name, span) = match head.split_once(':') {
        Some((name, span)) => (name, Some(duration::parse(span)?)),
        None => (head, None),
    };
    match (name, span, slack) {
        ("passive", None, None) => Some(WaitMode::Passive),
        ("active", None, None) => Some(WaitMode::Active),
        ("yield", None, None) => Some(WaitMode::Yield),
        ("adaptive", span, None) => Some(WaitMode::Adaptive {
            budget_ns: span.unwrap_or(DEFAULT_BUDGET_NS),
        }),
        ("sleep", span, slack) => Some(WaitMode::Sleep {
            period_ns: span.unwrap_or(DEFAULT_PERIOD_NS),
            slack_ns: match slack {
                Some(slack) => Some(duration::parse(slack)?),
                None => None,
            },
        }),
        _ => None,
    }
}

impl fmt::Display for WaitMode {
    /// The form that [`WaitMode::from_str`] reads back to the same mode, numbers always written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Passive => f.write_str("passive"),
            Self::Active => f.write_str("active"),
            Self::Yield => f.write_str("yield"),
            Self::Adaptive { budget_ns } => write!(f, "adaptive:{}", Span(budget_ns)),
            Self::Sleep {
                period_ns,
                slack_ns,
            } => {
                write!(f, "sleep:{}", Span(period_ns))?;
                match slack_ns {
                    Some(slack) => write!(f, ",slack={}", Span(slack)),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleep(period_ns: u64, slack_ns: Option<u64>) -> WaitMode {
        WaitMode::Sleep {
            period_ns,
            slack_ns,
        }
    }

    #[test]
    fn every_form_reads_and_shows() {
        let adaptive = |budget_ns| WaitMode::Adaptive { budget_ns };
        for (text, mode, shown) in [
            ("passive", WaitMode::Passive, "passive"),
            ("active", WaitMode::Active, "active"),
            ("yield", WaitMode::Yield, "yield"),
            ("adaptive", adaptive(50_000), "adaptive:50us"),
            ("adaptive:50us", adaptive(50_000), "adaptive:50us"),
            ("adaptive:200", adaptive(200_000), "adaptive:200us"),
            ("adaptive:1ms", adaptive(1_000_000), "adaptive:1ms"),
            ("sleep", sleep(1_000, None), "sleep:1us"),
            ("sleep:10", sleep(10_000, None), "sleep:10us"),
            (
                "sleep,slack=1ns",
                sleep(1_000, Some(1)),
                "sleep:1us,slack=1ns",
            ),
            (
                "sleep:2ms,slack=3us",
                sleep(2_000_000, Some(3_000)),
                "sleep:2ms,slack=3us",
            ),
        ] {
            assert_eq!(text.parse(), Ok(mode));
            assert_eq!(mode.to_string(), shown);
            assert_eq!(shown.parse(), Ok(mode));
        }
    }

    #[test]
    fn other_texts_are_named_in_the_message() {
        for text in [
            "",
            "Passive",
            "passive ",
            "passive:1us",
            "active:1",
            "yield,slack=1ns",
            "adaptive:",
            "adaptive:0",
            "adaptive:x",
            "adaptive:50us,slack=1ns",
            "sleep:",
            "sleep:1us,",
            "sleep:1us,slack=",
            "sleep:1us,slack=0",
            "sleep,slack=1ns,slack=1ns",
            "sleep,1ns",
            "sleep:99999999999999999999",
            "turbo",
        ] {
            let message = text.parse::<WaitMode>().unwrap_err();
            assert!(message.contains(&format!("\"{text}\"")), "{message}");
            assert!(message.contains(SYNTAX), "{message}");
        }
    }

    #[test]
    fn the_message_is_one_line() {
        let message = "a\nb".parse::<WaitMode>().unwrap_err();
        assert!(!message.contains('\n'), "{message}");
    }
}
