//! Interfaces that are bound after the open: pfring_bind.

use std::ffi::CStr;
use std::os::fd::AsRawFd;

use super::obstacles::Obstacle;
use super::{ETHERNET_HEADER, Handle};
use crate::abi;
use crate::config::device::{self, Module, Target};
use crate::error::{Error, Result};
use crate::sys::link_type::DLT_EN10MB;
use crate::sys::packet::PacketSocket;
use crate::transmit::Transmitter;

impl Handle {
    /// Adds the interfaces of a device name to a ring on which capture has not started. One that is enabled
    /// and had none starts with them. The first interface that a ring gets is its main one.
    ///
    /// # Errors
    ///
    /// `BadDeviceName`, also for `none` and where `any` does not stand alone; `NoSuchDevice`, `NotPermitted`;
    /// `NotSupported` for a file and for `stack:`; `TooLate` once capture has started; what enabling fails with.
    pub fn bind(&self, name: &CStr) -> Result<()> {
        let spec = device::parse_bytes(name.to_bytes())?;
        if spec.target == Target::Unbound {
            return Err(Error::BadDeviceName("this names no interface".into()));
        }
        if self.source.is_file() || self.source.is_stack() || spec.module == Module::Stack {
            return Err(Error::NotSupported("binding an interface to this ring"));
        }
        self.add_devices(&spec)?;
        let started = if self.is_enabled() {
            self.start_capture()
        } else {
            Ok(())
        };
        self.describe_bound(spec.text.to_string_lossy().into_owned());
        started
    }

    fn add_devices(&self, spec: &device::DeviceSpec) -> Result<()> {
        let lifecycle = self.lifecycle.lock();
        if lifecycle.capturing {
            return Err(Error::TooLate("capture has started"));
        }
        let before = self.source.fds();
        let promisc = self.options.flags & abi::PF_RING_PROMISC != 0;
        self.source.bind(spec, promisc)?;
        for socket in self.source.sockets() {
            let fd = socket.as_raw_fd();
            if !before.contains(&fd) {
                self.selectable.add(fd)?;
            }
        }
        if let Some(mask) = spec.channels {
            self.selection.set_channels(mask);
        }
        if self.source.link_type() != DLT_EN10MB {
            self.obstacles.set(Obstacle::Header, true);
        }
        self.ask_for_card_stamps();
        self.open_transmitter()?;
        self.publish_device();
        Ok(())
    }

    /// Opens the socket that sends by the main interface, if there is one and it is not open yet.
    pub(super) fn open_transmitter(&self) -> Result<()> {
        let Some(device) = self.source.main() else {
            return Ok(());
        };
        if self.source.is_stack() || self.tx.get().is_some() {
            return Ok(());
        }
        let surely_sent = usize::from(self.source.mtu()) + ETHERNET_HEADER;
        let tx = Transmitter::new(PacketSocket::open()?, device.ifindex, surely_sent)?;
        // One caller at a time: at open, or under the lock of the lifecycle.
        let _ = self.tx.set(tx);
        Ok(())
    }
}
