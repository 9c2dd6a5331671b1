//! The settings from outside the program: every environment variable that the library knows.
//!
//! Read once per open, with secure_getenv. A variable that is empty counts as not set; a value
//! that is not known fails the open, with one line that names what is allowed.
#![forbid(unsafe_code)]

use std::ffi::{CStr, OsStr, OsString};
use std::path::PathBuf;

use super::number;
use crate::config::duration;
use crate::config::log::Level;
use crate::error::{Error, Result};
use crate::sys;
use crate::wait::mode::{self, WaitMode};

/// Ring memory when `PFRING_RING_MB` is not set, in MiB.
pub const DEFAULT_RING_MB: u32 = 64;

/// The most that `PFRING_RING_MB` can ask for, in MiB: 16 TiB.
pub const MAX_RING_MB: u32 = 1 << 24;

/// Which kernel mechanism carries the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// The library chooses by wait mode and watermark.
    #[default]
    Auto,
    /// AF_PACKET with TPACKET_V2.
    Tpacket2,
    /// AF_PACKET with TPACKET_V3.
    Tpacket3,
    /// A BPF ring buffer.
    Bpf,
    /// AF_XDP.
    Xdp,
}

/// `PFRING_IDLE_GUARD`: makes a program that spins on empty non-blocking calls sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleGuard {
    /// Empty calls in a row, from 1, after which each further one sleeps.
    pub empty_calls: u32,
    /// The longest such sleep in nanoseconds.
    pub sleep_ns: u64,
}

impl IdleGuard {
    /// What the value `1` means.
    pub const DEFAULT: Self = Self {
        empty_calls: 1_000,
        sleep_ns: 5_000_000,
    };
}

/// The settings of one open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `PFRING_WAIT`: how a call that may wait does so.
    pub wait: WaitMode,
    /// `PFRING_BACKEND`.
    pub backend: BackendChoice,
    /// `PFRING_RING_MB`: ring memory in MiB, 1 to [`MAX_RING_MB`]; None where nothing was asked
    /// for. A request, not yet held against the machine's memory.
    pub ring_mb: Option<u32>,
    /// `PFRING_IDLE_GUARD`: None is off.
    pub idle_guard: Option<IdleGuard>,
    /// `PFRING_STATS`: print a line of figures at close.
    pub stats: bool,
    /// `PFRING_LOG`.
    pub log: Level,
    /// `PFRING_RUN_DIR`: the folder of the files about open rings; None is off.
    pub run_dir: Option<PathBuf>,
    /// `PF_RING_DEBUG_TS` is set: print decoded hardware timestamps.
    pub debug_timestamps: bool,
    /// Variables of the original that are set and have no effect here; worth a log line.
    pub ignored: Vec<&'static str>,
}

impl Default for Settings {
    /// What holds when no variable is set.
    fn default() -> Self {
        Self {
            wait: WaitMode::default(),
            backend: BackendChoice::default(),
            ring_mb: None,
            idle_guard: None,
            stats: false,
            log: Level::Off,
            run_dir: Some("/run/pfring".into()),
            debug_timestamps: false,
            ignored: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the environment of the process.
    ///
    /// # Errors
    ///
    /// [`Error::BadSetting`] with the line to print, for the first value that is not known.
    pub fn from_env() -> Result<Self> {
        Self::from_lookup(sys::env::secure_get)
    }

    /// Ring memory in bytes: what was asked for, else the default.
    pub fn ring_bytes(&self) -> u64 {
        u64::from(self.ring_mb.unwrap_or(DEFAULT_RING_MB)) << 20
    }

    fn from_lookup(lookup: impl Fn(&CStr) -> Option<OsString>) -> Result<Self> {
        let get = |name: &CStr| lookup(name).filter(|value| !value.is_empty());
        let set = |name: &CStr| lookup(name).is_some();
        let default = Self::default();
        let run_dir = match get(c"PFRING_RUN_DIR") {
            Some(folder) if folder == "off" => None,
            Some(folder) => Some(folder.into()),
            None => match get(c"XDG_RUNTIME_DIR").map(PathBuf::from) {
                // Relative paths are to be ignored: XDG Base Directory Specification, "Basics".
                Some(base) if base.is_absolute() => Some(base.join("pfring")),
                _ => default.run_dir,
            },
        };
        let ignored = [
            (c"PF_RING_FT_CONF", "PF_RING_FT_CONF"),
            (c"PF_RING_RUNTIME_MANAGER", "PF_RING_RUNTIME_MANAGER"),
        ];
        Ok(Self {
            wait: read(get, c"PFRING_WAIT", mode::SYNTAX, |text| text.parse().ok())?
                .unwrap_or(default.wait),
            backend: read(get, c"PFRING_BACKEND", BACKENDS, parse_backend)?
                .unwrap_or(default.backend),
            ring_mb: read(get, c"PFRING_RING_MB", RING_SIZES, parse_ring_mb)?,
            idle_guard: read(get, c"PFRING_IDLE_GUARD", IDLE_GUARDS, parse_idle_guard)?.flatten(),
            stats: read(get, c"PFRING_STATS", "0, 1", parse_switch)?.unwrap_or(default.stats),
            log: read(get, c"PFRING_LOG", "off, error, info, debug", Level::parse)?
                .unwrap_or(default.log),
            run_dir,
            debug_timestamps: set(c"PF_RING_DEBUG_TS"),
            ignored: ignored
                .into_iter()
                .filter_map(|(name, text)| set(name).then_some(text))
                .collect(),
        })
    }
}

const BACKENDS: &str = "auto, tpacket2, tpacket3, bpf, xdp";
const RING_SIZES: &str = "a whole number of MiB from 1 to 16777216";
const IDLE_GUARDS: &str = "0 (off), 1 (= 1000:5000us), N, N:TIME such as 1000:5000us";

/// The value of a variable through `parse`, None where it is not set.
fn read<T>(
    get: impl Fn(&CStr) -> Option<OsString>,
    name: &CStr,
    allowed: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(value) = get(name) else {
        return Ok(None);
    };
    match value.to_str().and_then(parse) {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(Error::BadSetting(format!(
            "{}=\"{}\" is not known; allowed: {allowed}",
            name.to_string_lossy(),
            shown(&value)
        ))),
    }
}

/// A value as a message shows it: on one line, at most 60 characters of it.
fn shown(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    let mut shown: String = text.chars().take(60).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown.escape_debug().collect()
}

fn parse_backend(text: &str) -> Option<BackendChoice> {
    match text {
        "auto" => Some(BackendChoice::Auto),
        "tpacket2" => Some(BackendChoice::Tpacket2),
        "tpacket3" => Some(BackendChoice::Tpacket3),
        "bpf" => Some(BackendChoice::Bpf),
        "xdp" => Some(BackendChoice::Xdp),
        _ => None,
    }
}

fn parse_ring_mb(text: &str) -> Option<u32> {
    number(text).filter(|mb| (1..=MAX_RING_MB).contains(mb))
}

/// Some(None) is off.
fn parse_idle_guard(text: &str) -> Option<Option<IdleGuard>> {
    let default = IdleGuard::DEFAULT;
    match text.split_once(':') {
        Some((calls, time)) => Some(Some(IdleGuard {
            empty_calls: number(calls).filter(|calls| *calls > 0)?,
            sleep_ns: duration::parse(time)?,
        })),
        None => Some(match number(text)? {
            0 => None,
            1 => Some(default),
            empty_calls => Some(IdleGuard {
                empty_calls,
                ..default
            }),
        }),
    }
}

fn parse_switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn settings(variables: &[(&CStr, &str)]) -> Result<Settings> {
        Settings::from_lookup(|name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.into())
        })
    }

    fn with(name: &CStr, value: &str) -> Settings {
        settings(&[(name, value)]).unwrap_or_else(|e| panic!("{name:?}={value}: {e:?}"))
    }

    #[test]
    fn nothing_set_is_the_default() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.ring_bytes(), 64 << 20);
        assert_eq!(settings.run_dir, Some("/run/pfring".into()));
    }

    #[test]
    fn an_empty_value_counts_as_not_set() {
        let names = [
            c"PFRING_WAIT",
            c"PFRING_BACKEND",
            c"PFRING_RING_MB",
            c"PFRING_IDLE_GUARD",
            c"PFRING_STATS",
            c"PFRING_LOG",
            c"PFRING_RUN_DIR",
            c"XDG_RUNTIME_DIR",
        ];
        assert_eq!(
            settings(&names.map(|name| (name, ""))).unwrap(),
            Settings::default()
        );
    }

    #[test]
    fn wait_and_backend() {
        assert_eq!(with(c"PFRING_WAIT", "active").wait, WaitMode::Active);
        assert_eq!(
            with(c"PFRING_WAIT", "sleep:3us,slack=1ns").wait,
            WaitMode::Sleep {
                period_ns: 3_000,
                slack_ns: Some(1)
            }
        );
        for (text, choice) in [
            ("auto", BackendChoice::Auto),
            ("tpacket2", BackendChoice::Tpacket2),
            ("tpacket3", BackendChoice::Tpacket3),
            ("bpf", BackendChoice::Bpf),
            ("xdp", BackendChoice::Xdp),
        ] {
            assert_eq!(with(c"PFRING_BACKEND", text).backend, choice);
        }
    }

    #[test]
    fn r22_huge_ring_sizes_are_requests_that_do_not_overflow() {
        for (text, bytes) in [
            ("1", 1 << 20),
            ("4096", 4 << 30),
            ("8192", 8 << 30),
            ("1048576", 1 << 40),
            ("16777216", 16 << 40),
        ] {
            assert_eq!(with(c"PFRING_RING_MB", text).ring_bytes(), bytes);
        }
    }

    #[test]
    fn idle_guard() {
        let guard = |empty_calls, sleep_ns| {
            Some(IdleGuard {
                empty_calls,
                sleep_ns,
            })
        };
        for (text, expected) in [
            ("0", None),
            ("1", guard(1_000, 5_000_000)),
            ("2", guard(2, 5_000_000)),
            ("1:200", guard(1, 200_000)),
            ("500:1ms", guard(500, 1_000_000)),
        ] {
            assert_eq!(with(c"PFRING_IDLE_GUARD", text).idle_guard, expected);
        }
    }

    #[test]
    fn switches_and_folders() {
        assert!(with(c"PFRING_STATS", "1").stats);
        assert!(!with(c"PFRING_STATS", "0").stats);
        assert_eq!(with(c"PFRING_LOG", "debug").log, Level::Debug);
        assert_eq!(with(c"PFRING_RUN_DIR", "off").run_dir, None);
        assert_eq!(with(c"PFRING_RUN_DIR", "/a/b").run_dir, Some("/a/b".into()));
        assert_eq!(
            with(c"XDG_RUNTIME_DIR", "/run/user/7").run_dir,
            Some("/run/user/7/pfring".into())
        );
        assert_eq!(
            with(c"XDG_RUNTIME_DIR", "relative").run_dir,
            Some("/run/pfring".into())
        );
        let both = [(c"XDG_RUNTIME_DIR", "/x"), (c"PFRING_RUN_DIR", "/y")];
        assert_eq!(settings(&both).unwrap().run_dir, Some("/y".into()));
    }

    #[test]
    fn variables_of_the_original() {
        let found = settings(&[
            (c"PF_RING_RUNTIME_MANAGER", "list"),
            (c"PF_RING_FT_CONF", ""),
            (c"PF_RING_DEBUG_TS", "1"),
        ])
        .unwrap();
        assert_eq!(
            found.ignored,
            ["PF_RING_FT_CONF", "PF_RING_RUNTIME_MANAGER"]
        );
        assert!(found.debug_timestamps);
    }

    #[test]
    fn an_unknown_value_is_named_with_what_is_allowed() {
        for (name, value, allowed) in [
            (c"PFRING_WAIT", "turbo", "passive"),
            (c"PFRING_WAIT", "adaptive:99999999999999999999", "adaptive"),
            (c"PFRING_BACKEND", "dpdk", "tpacket3"),
            (c"PFRING_BACKEND", "AUTO", "auto"),
            (c"PFRING_RING_MB", "0", "1 to 16777216"),
            (c"PFRING_RING_MB", "-1", "1 to 16777216"),
            (c"PFRING_RING_MB", "64MB", "1 to 16777216"),
            (c"PFRING_RING_MB", "16777217", "1 to 16777216"),
            (c"PFRING_RING_MB", "4294967360", "1 to 16777216"),
            (c"PFRING_RING_MB", "99999999999999999999", "1 to 16777216"),
            (c"PFRING_IDLE_GUARD", "on", "1000:5000us"),
            (c"PFRING_IDLE_GUARD", "0:5us", "1000:5000us"),
            (c"PFRING_IDLE_GUARD", "5:", "1000:5000us"),
            (c"PFRING_IDLE_GUARD", "5:0", "1000:5000us"),
            (c"PFRING_IDLE_GUARD", "5000000000", "1000:5000us"),
            (c"PFRING_STATS", "yes", "0, 1"),
            (c"PFRING_LOG", "verbose", "off, error"),
        ] {
            let Err(Error::BadSetting(line)) = settings(&[(name, value)]) else {
                panic!("{name:?}={value}");
            };
            let name = name.to_str().unwrap();
            assert!(line.starts_with(&format!("{name}=\"{value}\"")), "{line}");
            assert!(line.contains(allowed), "{line}");
        }
    }

    #[test]
    fn the_message_stays_a_short_line() {
        let long = "x\n".repeat(10_000);
        let Err(Error::BadSetting(line)) = settings(&[(c"PFRING_LOG", &long)]) else {
            panic!();
        };
        assert!(!line.contains('\n') && line.len() < 300, "{line}");
        let broken = Settings::from_lookup(|name| {
            (name == c"PFRING_WAIT").then(|| OsStr::from_bytes(b"\xff").to_owned())
        });
        assert!(matches!(broken, Err(Error::BadSetting(_))));
    }
}
