//! What a ring can tell about its device.

use std::ffi::{CStr, CString};

use super::Handle;
use super::source::channels;
use crate::backend::tpacket::req::Layout;
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::{ethtool, netdev};

/// The longest application name, in bytes without the terminator.
const MAX_APPLICATION_NAME: usize = 63;

impl Handle {
    /// Whether PF_RING_DEBUG_TS asks for decoded stamps to be printed.
    pub fn debugs_timestamps(&self) -> bool {
        self.settings.debug_timestamps
    }

    /// The device name as it was given, for messages.
    pub(super) fn name(&self) -> std::borrow::Cow<'_, str> {
        self.device_name.to_string_lossy()
    }

    /// The line of PFRING_STATS=1.
    pub(super) fn print_statistics(&self) {
        let (received, dropped) = self.statistics();
        let mechanism = match *self.layout.lock() {
            Some(Layout::Blocks(_)) => "tpacket3",
            Some(Layout::Slots) => "tpacket2",
            None if self.accelerated.get().is_some() => "bpf",
            None if self.has_interface() => "none",
            None => "file",
        };
        let seen = self.wait_counters();
        // Packets for each time that somebody had to wait.
        let batch = received as f64 / seen.calls.max(1) as f64;
        log::notice(format_args!(
            "stats device={} mechanism={mechanism} mode={} recv={received} drop={dropped} waits={} \
             spins={} polls={} sleeps={} empty_wakeups={} breaks={} asleep_ms={} mean_batch={batch:.1}",
            self.name(),
            self.waiter.mode(),
            seen.calls,
            seen.spins,
            seen.polls,
            seen.sleeps,
            seen.empty_wakeups,
            seen.breaks,
            seen.asleep_ns / 1_000_000,
        ));
    }

    /// Bytes of a packet that are kept at most.
    pub fn snaplen(&self) -> u32 {
        self.options.snaplen
    }

    /// Whether the ring was opened with PF_RING_REENTRANT.
    pub fn is_reentrant(&self) -> bool {
        self.options.reentrant
    }

    /// Whether the ring is for interfaces, and not for a file.
    pub fn has_interface(&self) -> bool {
        !self.source.is_file()
    }

    /// The DLT value of the link-layer header.
    pub fn link_type(&self) -> i32 {
        self.source.link_type()
    }

    /// Bytes of the packet header that a receive fills: 48 or 209.
    pub fn header_len(&self) -> u16 {
        // SAFETY: written once, at open.
        unsafe { (&raw const (*self.public.get()).slot_header_len).read() }
    }

    /// The name of the main interface.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, and for `any`.
    pub fn main_device(&self) -> Result<&str> {
        let device = self
            .source
            .main()
            .ok_or(Error::NotSupported("a ring without an interface"))?;
        Ok(&device.name)
    }

    /// The index of the main interface; 0 for `any`.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, and before an interface is bound.
    pub fn ifindex(&self) -> Result<i32> {
        let device = self.source.devices().next();
        Ok(device
            .ok_or(Error::NotSupported("a ring without an interface"))?
            .ifindex)
    }

    /// The MAC address of the main interface; zeros for `any`.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, `NoSuchDevice` when the interface is gone.
    pub fn mac(&self) -> Result<[u8; 6]> {
        self.ifindex()?;
        self.source
            .main()
            .map_or(Ok([0; 6]), |device| netdev::mac(&device.name))
    }

    /// The MTU of the main interface now; None when it is unknown.
    pub fn mtu(&self) -> Option<u32> {
        netdev::mtu(self.main_device().ok()?).ok()
    }

    /// Whether the main interface has a carrier; true where nobody can tell.
    pub fn has_carrier(&self) -> bool {
        self.main_device()
            .and_then(ethtool::carrier)
            .unwrap_or(true)
    }

    /// Mbit/s of the main interface; 0 when unknown.
    pub fn speed_mbps(&self) -> u32 {
        self.main_device()
            .and_then(ethtool::link_speed_mbps)
            .unwrap_or(0)
    }

    /// Receive queues of the main interface, 1 to 64; 1 when unknown.
    pub fn rx_channels(&self) -> u8 {
        self.main_device().map_or(1, channels) as u8
    }

    /// Asks for promiscuous mode on every interface, or gives it back. Calls are counted: as many
    /// must be given back as were asked for, those of PF_RING_PROMISC included.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, `Os` when there is nothing to give back.
    pub fn set_promisc(&self, on: bool) -> Result<()> {
        self.ifindex()?;
        for device in self.source.devices().filter(|device| device.ifindex != 0) {
            device.socket.set_promisc(device.ifindex, on)?;
        }
        self.publish_promisc(on);
        Ok(())
    }

    /// Names the program that uses the ring: at most 63 bytes.
    ///
    /// # Errors
    ///
    /// `Os` with EINVAL for a longer name.
    pub fn set_application_name(&self, name: &CStr) -> Result<()> {
        if name.to_bytes().len() > MAX_APPLICATION_NAME {
            let error = std::io::Error::from_raw_os_error(libc::EINVAL);
            return Err(Error::Os("application name", error));
        }
        *self.application.lock() = CString::from(name);
        self.describe();
        Ok(())
    }
}
