//! Files about an open ring, in a folder of the user: what `/proc/net/pf_ring` shows with the original.
//!
//! `FOLDER/<pid>-<device>.<id>` describes the ring, `FOLDER/stats/` has a file of the same name with the
//! text of the program. Files are replaced as a whole, are for their owner only, and go with the ring; those
//! of a process that died are swept by the next ring that is opened. Plain files: no thread, no descriptor
//! that stays open.
#![forbid(unsafe_code)]

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// What every file about a ring begins with: a file that does not is not ours to sweep.
pub const FIRST_WORDS: &str = "Bound Device(s)";
/// The folder of the programs' texts.
const TEXTS: &str = "stats";
/// Most bytes of a device name in a file name.
const MAX_DEVICE: usize = 64;

/// The files of one ring.
#[derive(Debug)]
pub struct RunFiles {
    folder: PathBuf,
    device: String,
    id: u32,
    /// The process that the files were last written by: a child after fork(2) has its own.
    pid: u32,
}

impl Drop for RunFiles {
    /// Removes the files, unless they belong to a parent process.
    fn drop(&mut self) {
        if self.pid == process::id() {
            let name = self.name();
            remove_both(&self.folder, &name);
        }
    }
}

impl RunFiles {
    /// Makes the folder where it is missing, and sweeps what dead processes left there.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made.
    pub fn new(folder: &Path, device: &str) -> io::Result<Self> {
        static NEXT_ID: AtomicU32 = AtomicU32::new(1);
        make_private(&folder.join(TEXTS))?;
        sweep(folder);
        Ok(Self {
            folder: folder.to_owned(),
            device: safe(device),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            pid: process::id(),
        })
    }

    /// Replaces the description of the ring, which is to begin with [`FIRST_WORDS`].
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn describe(&mut self, text: &str) -> io::Result<()> {
        debug_assert!(text.starts_with(FIRST_WORDS));
        self.pid = process::id();
        replace(&self.folder, &self.name(), text.as_bytes())
    }

    /// Replaces the text of the program.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set_text(&mut self, text: &[u8]) -> io::Result<()> {
        self.pid = process::id();
        replace(&self.folder.join(TEXTS), &self.name(), text)
    }

    /// The file with the text of the program, whether it was written yet or not.
    pub fn text_path(&self) -> PathBuf {
        self.folder.join(TEXTS).join(self.name())
    }

    fn name(&self) -> String {
        format!("{}-{}.{}", process::id(), self.device, self.id)
    }
}

/// A device name as part of a file name: no slash, no blank, nothing that a shell or a terminal minds.
fn safe(device: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@,:._-".contains(c);
    device
        .chars()
        .take(MAX_DEVICE)
        .map(|c| if plain(c) { c } else { '_' })
        .collect()
}

fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes a file beside the one meant and moves it there, so that a reader never sees half of a text. A
/// link that somebody put there is replaced, not followed.
fn replace(folder: &Path, name: &str, text: &[u8]) -> io::Result<()> {
    let beside = folder.join(format!(".{name}"));
    // One that a process of the same number left behind.
    let _ = fs::remove_file(&beside);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| file.write_all(text))
        .and_then(|()| fs::rename(&beside, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn remove_both(folder: &Path, name: &str) {
    // What is not there, or no longer ours to remove, is left to the next sweep.
    let _ = fs::remove_file(folder.join(TEXTS).join(name));
    let _ = fs::remove_file(folder.join(name));
}

/// Removes the files of rings whose process is gone.
fn sweep(folder: &Path) {
    // Without /proc nobody can tell who is alive.
    if !Path::new("/proc/self").exists() {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            continue;
        };
        let dead = pid_of(name).is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists());
        if dead && describes_a_ring(&entry.path()) {
            remove_both(folder, name);
        }
    }
}

/// The process of a file name; None for a name that no ring has.
fn pid_of(name: &str) -> Option<u32> {
    let (pid, rest) = name.strip_prefix('.').unwrap_or(name).split_once('-')?;
    let (_, id) = rest.rsplit_once('.')?;
    id.parse::<u32>().ok()?;
    pid.parse().ok()
}

fn describes_a_ring(path: &Path) -> bool {
    let mut start = [0; FIRST_WORDS.len()];
    // Neither follows a link nor waits for a pipe's writer.
    let is_file = fs::symlink_metadata(path).is_ok_and(|of| of.is_file());
    is_file
        && fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == FIRST_WORDS.as_bytes()
}

#[cfg(test)]
mod tests;
