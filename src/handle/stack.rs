//! The other side of an interface: what a `stack:` ring sends comes in there, as if the card had received it.

use std::sync::OnceLock;

use super::Handle;
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::inject::Injector;
use crate::sys::link_type::DLT_EN10MB;

/// What lets frames come in; empty for a ring that is none of the host's own traffic, and without the right.
pub(super) type ToHost = OnceLock<Injector>;

impl Handle {
    /// Gets ready to let frames come in, while the program has its rights. That it cannot is told when it is
    /// wanted.
    pub(super) fn open_way_to_host(&self) {
        if !self.source.is_stack() || self.source.link_type() != DLT_EN10MB {
            return;
        }
        match Injector::new() {
            Ok(injector) => {
                let _ = self.to_host.set(injector);
            }
            Err(error) => log::info(format_args!(
                "{}: frames cannot be sent to the host: {error}",
                self.name()
            )),
        }
    }

    /// Whether the ring can send at all.
    pub fn has_way_to_send(&self) -> bool {
        !self.source.is_stack() || self.to_host.get().is_some()
    }

    /// Lets a frame come in by the main interface. Gives its bytes.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); `NotSupported` without the right (CAP_BPF, CAP_NET_ADMIN), before Linux 5.18,
    /// and for an interface without Ethernet header; `MessageTooLong` for what does not fit into a page.
    #[cold]
    pub(super) fn send_to_host(&self, frame: &[u8]) -> Result<usize> {
        const NO_WAY: Error = Error::NotSupported("sending to the host");
        self.check_length(frame.len())?;
        if !self.is_enabled() {
            return Err(Error::NotEnabled);
        }
        let (Some(injector), Some(device)) = (self.to_host.get(), self.source.main()) else {
            return Err(NO_WAY);
        };
        if !self.options.mode().sends() || self.breaks.is_shut() {
            return Err(NO_WAY);
        }
        if !self.may_be_sent(frame) {
            return Ok(0);
        }
        match injector.inject(frame, device.ifindex) {
            Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::EINVAL) => Err(NO_WAY),
            other => other.map(|()| frame.len()),
        }
    }
}
