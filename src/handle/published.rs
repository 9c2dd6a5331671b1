//! What others can read about a ring while it is open: the files of `rundir`.
//!
//! The description is written at open, enable and disable and whenever the program sets a name or its text;
//! programs that show counters set their text about once a second. Nothing here may fail a call for
//! anything but the text itself.

use std::ffi::CStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

use super::{Direction, Handle, Mode};
use crate::abi;
use crate::backend::tpacket::req::Layout;
use crate::config::log;
use crate::error::{Error, Result};
use crate::rundir::{FIRST_WORDS, RunFiles};

/// Most bytes of the program's text that are kept.
const MAX_TEXT: usize = 1_023;
/// Most bytes of the name that is shown for the interface.
const MAX_SHOWN_NAME: usize = 31;

/// What is published of a ring.
#[derive(Default)]
pub(super) struct Published {
    /// None where PFRING_RUN_DIR is off or the folder cannot be had.
    files: Option<RunFiles>,
    /// The name that is shown for the interface, if the program chose one.
    shown_name: Option<String>,
    /// Names of interfaces that were bound after the open.
    bound: Vec<String>,
}

impl Published {
    /// What is shown as the name of the interface.
    fn name(&self, opened: &str) -> String {
        let opened = Some(opened).filter(|name| *name != "none" || self.bound.is_empty());
        let names = opened
            .into_iter()
            .chain(self.bound.iter().map(String::as_str));
        let names = || names.collect::<Vec<_>>().join(",");
        self.shown_name.clone().unwrap_or_else(names)
    }
}

impl Handle {
    /// Makes the files of a ring that has just been opened.
    pub(super) fn publish_files(&self) {
        let Some(folder) = &self.settings.run_dir else {
            return;
        };
        match RunFiles::new(folder, &self.name()) {
            Ok(files) => self.published.lock().files = Some(files),
            Err(error) => log::info(format_args!(
                "{} cannot be used, nothing is shown there: {error}",
                folder.display()
            )),
        }
        self.describe();
    }

    /// Shows an interface that was bound after the open.
    pub(super) fn describe_bound(&self, name: String) {
        self.published.lock().bound.push(name);
        self.describe();
    }

    /// Brings the description up to date.
    pub(super) fn describe(&self) {
        let mut published = self.published.lock();
        let shown = published.name(&self.name());
        let Some(files) = &mut published.files else {
            return;
        };
        let text = self.description(&shown);
        if let Err(error) = files.describe(&text) {
            log::debug(format_args!("the file about {}: {error}", self.name()));
        }
    }

    /// The lines of the description, `name : value` each; names that the original has are its.
    fn description(&self, shown_name: &str) -> String {
        let (received, dropped) = self.statistics();
        let mechanism = match *self.layout.lock() {
            Some(Layout::Blocks(_)) => "TPACKET_V3",
            Some(Layout::Slots) => "TPACKET_V2",
            None if self.has_interface() => "none yet",
            None => "file",
        };
        let mode = match self.options.mode() {
            Mode::SendAndReceive => "RX+TX",
            Mode::SendOnly => "TX only",
            Mode::ReceiveOnly => "RX only",
            Mode::ManagementOnly => "Management",
        };
        let direction = match self.options.direction() {
            Direction::Both => "RX+TX",
            Direction::Received => "RX only",
            Direction::Sent => "TX only",
        };
        let watermark = self.options.watermark();
        let mut text = String::new();
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            let value = value.to_string().replace(char::is_control, " ");
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:<23}: {value}");
        };
        line(FIRST_WORDS, &shown_name);
        line("Active", &u8::from(self.is_enabled()));
        line("Breed", &"Standard");
        line("Appl. Name", &self.application.lock().to_string_lossy());
        line("Socket Mode", &mode);
        line("Capture Direction", &direction);
        line("Slot Version", &abi::RING_FLOWSLOT_VERSION);
        line("Bucket Len", &self.snaplen());
        line("Poll Pkt Watermark", &watermark.unwrap_or(1));
        line("Tot Packets", &received.saturating_add(dropped));
        line("Tot Pkt Lost", &dropped);
        line("Tot Read", &received);
        line("Mechanism", &mechanism);
        line("Wait Mode", &self.waiter.mode());
        text
    }

    /// Stores the program's text where others can read it: its first 1,023 bytes.
    ///
    /// # Errors
    ///
    /// `NotSupported` where there is no folder, `Os` when the file cannot be written.
    pub fn set_application_text(&self, text: &CStr) -> Result<()> {
        let text = text.to_bytes();
        let text = &text[..text.len().min(MAX_TEXT)];
        self.with_files(|files| {
            files
                .set_text(text)
                .map_err(|error| Error::Os("the file of the application's statistics", error))
        })?;
        self.describe();
        Ok(())
    }

    /// Writes the name of the file with the program's text to `path`, without a terminator.
    ///
    /// # Errors
    ///
    /// `NotSupported` where there is no folder, `InvalidArgument` when `path` is too short for the name and a
    /// terminator.
    pub fn write_text_path(&self, path: &mut [u8]) -> Result<()> {
        let name = self.with_files(|files| Ok(files.text_path()))?;
        let name = name.as_os_str().as_bytes();
        if name.len() >= path.len() {
            return Err(Error::InvalidArgument("bytes of the path"));
        }
        path[..name.len()].copy_from_slice(name);
        Ok(())
    }

    /// Sets the name that the description shows for the interface: its first 31 bytes.
    ///
    /// # Errors
    ///
    /// `NotSupported` where there is no folder.
    pub fn set_shown_name(&self, name: &CStr) -> Result<()> {
        let name = name.to_bytes();
        let name = String::from_utf8_lossy(&name[..name.len().min(MAX_SHOWN_NAME)]).into_owned();
        {
            let mut published = self.published.lock();
            if published.files.is_none() {
                return Err(NO_FOLDER);
            }
            published.shown_name = Some(name);
        }
        self.describe();
        Ok(())
    }

    fn with_files<T>(&self, work: impl FnOnce(&mut RunFiles) -> Result<T>) -> Result<T> {
        match &mut self.published.lock().files {
            Some(files) => work(files),
            None => Err(NO_FOLDER),
        }
    }
}

const NO_FOLDER: Error = Error::NotSupported("files about a ring without a folder for them");
