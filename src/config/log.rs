//! The lines that the library prints: on stderr, one write(2) each, beginning with `pfring: `.
//!
//! [`error`], [`info`] and [`debug`] obey `PFRING_LOG`; [`notice`] is for what a user must always
//! be told: an open that fails by our settings, a step down of mechanism or ring size, the
//! statistics at close. Nothing is ever printed on stdout.
#![forbid(unsafe_code)]

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::sys::stderr;

/// How much is printed; each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Notices only.
    #[default]
    Off,
    /// What failed, and why.
    Error,
    /// What was chosen at open and enable.
    Info,
    /// Everything, for a bug report.
    Debug,
}

impl Level {
    /// Reads `off`, `error`, `info` or `debug`; None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "error" => Some(Self::Error),
            "info" => Some(Self::Info),
            "debug" => Some(Self::Debug),
            _ => None,
        }
    }
}

/// One level for the process: the one of the latest open.
static LEVEL: AtomicU8 = AtomicU8::new(Level::Off as u8);

/// Sets the level, for the whole process.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Whether lines of this level are printed now: to save the work of making one.
pub fn enabled(level: Level) -> bool {
    level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Prints a line in any case.
#[cold]
pub fn notice(text: fmt::Arguments<'_>) {
    stderr::write(line(text).as_bytes());
}

/// Prints a line if the level is at least [`Level::Error`].
#[cold]
pub fn error(text: fmt::Arguments<'_>) {
    print(Level::Error, text);
}

/// Prints a line if the level is at least [`Level::Info`].
#[cold]
pub fn info(text: fmt::Arguments<'_>) {
    print(Level::Info, text);
}

/// Prints a line if the level is [`Level::Debug`].
#[cold]
pub fn debug(text: fmt::Arguments<'_>) {
    print(Level::Debug, text);
}

fn print(level: Level, text: fmt::Arguments<'_>) {
    if enabled(level) {
        notice(text);
    }
}

/// The text as one line: control characters, such as those of a device name, become blanks.
fn line(text: fmt::Arguments<'_>) -> String {
    let mut line = String::from("pfring: ");
    // A Display that gives up half way: the line ends there.
    let _ = line.write_fmt(text);
    let mut line = line.replace(char::is_control, " ");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_by_name() {
        for (text, level) in [
            ("off", Some(Level::Off)),
            ("error", Some(Level::Error)),
            ("info", Some(Level::Info)),
            ("debug", Some(Level::Debug)),
            ("Info", None),
            ("trace", None),
            ("", None),
        ] {
            assert_eq!(Level::parse(text), level, "{text}");
        }
    }

    #[test]
    fn a_level_includes_those_before_it() {
        let order = [Level::Error, Level::Info, Level::Debug];
        for set in [Level::Off, Level::Error, Level::Info, Level::Debug] {
            set_level(set);
            for level in order {
                assert_eq!(enabled(level), level <= set, "{level:?} at {set:?}");
            }
        }
        set_level(Level::Off);
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(
            line(format_args!("open \"{}\": {}", "a\nb\x1b[1m", 7)),
            "pfring: open \"a b [1m\": 7\n"
        );
    }
}
