//! Opening a ring with settings of its own, and what the settings can be.

use std::ffi::CString;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pfring::capi;

use super::ring::{Ring, errno};

/// Every value of PFRING_WAIT, without its parameters.
pub fn wait_modes() -> [&'static str; 5] {
    ["passive", "active", "adaptive", "sleep", "yield"]
}

/// The modes that must not use a core while nothing comes.
pub fn thrifty_modes() -> [&'static str; 3] {
    ["passive", "adaptive", "sleep"]
}

/// What the library reads from the environment at open.
const SETTINGS: [&str; 7] = [
    "PFRING_WAIT",
    "PFRING_BACKEND",
    "PFRING_RING_MB",
    "PFRING_IDLE_GUARD",
    "PFRING_STATS",
    "PFRING_LOG",
    "PFRING_RUN_DIR",
];

/// Only one thread at a time changes the environment and opens.
fn env_lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a ring is opened: every setting that is not given has its default, whatever the test run
/// itself was started with.
#[derive(Clone)]
pub struct Open {
    device: String,
    caplen: u32,
    flags: u32,
    env: Vec<(&'static str, String)>,
}

impl Open {
    /// Caplen 1536, no flags, no settings.
    pub fn on(device: &str) -> Open {
        Open {
            device: device.to_owned(),
            caplen: 1536,
            flags: 0,
            env: Vec::new(),
        }
    }

    pub fn caplen(mut self, caplen: u32) -> Open {
        self.caplen = caplen;
        self
    }

    pub fn flags(mut self, flags: u32) -> Open {
        self.flags = flags;
        self
    }

    pub fn wait(self, mode: &str) -> Open {
        self.env("PFRING_WAIT", mode)
    }

    /// The mechanism; None leaves the choice to the library.
    pub fn backend(self, backend: Option<&str>) -> Open {
        match backend {
            Some(name) => self.env("PFRING_BACKEND", name),
            None => self,
        }
    }

    pub fn env(mut self, name: &'static str, value: &str) -> Open {
        assert!(
            SETTINGS.contains(&name),
            "{name} is not in the list of settings"
        );
        self.env.push((name, value.to_owned()));
        self
    }

    /// pfring_open; the error is errno.
    pub fn open(&self) -> Result<Ring, i32> {
        let device = CString::new(self.device.as_str()).expect("device names hold no NUL");
        let _alone = env_lock();
        for name in SETTINGS {
            // SAFETY: the lock keeps every other open away, and nothing else in a test process
            // reads or writes the environment behind the back of the standard library.
            unsafe {
                match self.env.iter().find(|(key, _)| *key == name) {
                    Some((_, value)) => std::env::set_var(name, value),
                    None => std::env::remove_var(name),
                }
            }
        }
        // SAFETY: the device name is NUL-terminated and outlives the call.
        let raw = unsafe { capi::pfring_open(device.as_ptr(), self.caplen, self.flags) };
        // SAFETY: a handle of pfring_open that nobody else has.
        unsafe { Ring::from_raw(raw) }.ok_or_else(errno)
    }

    /// An open ring, not enabled.
    #[track_caller]
    pub fn ring(&self) -> Ring {
        self.open().unwrap_or_else(|e| {
            let error = io::Error::from_raw_os_error(e);
            panic!("pfring_open({:?}, {:?}): {error}", self.device, self.env)
        })
    }

    /// An open and enabled ring.
    #[track_caller]
    pub fn enabled(&self) -> Ring {
        let ring = self.ring();
        ring.enable();
        ring
    }
}

/// The mechanisms to run a case on: each that is built, by name; where there is only one, the
/// library's own choice, which is that one.
pub fn backends() -> Vec<Option<&'static str>> {
    static BUILT: OnceLock<Vec<&str>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let opens = |name: &&str| Open::on("lo").backend(Some(name)).open().is_ok();
        ["tpacket2", "tpacket3", "bpf"]
            .into_iter()
            .filter(opens)
            .collect()
    });
    match built.as_slice() {
        [] | [_] => vec![None],
        several => several.iter().copied().map(Some).collect(),
    }
}
