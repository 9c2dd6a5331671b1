//! What a ring is bound to: interfaces with a packet socket each, or a capture file.

use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::backend::file::FileRx;
use crate::config::device::{DeviceSpec, Module, Target};
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::link_type::{DLT_EN10MB, link_type};
use crate::sys::netdev;
use crate::sys::packet::PacketSocket;

/// The device name that stands for every interface.
const ANY: &str = "any";

/// One interface of a ring.
pub(super) struct Device {
    /// Its name, or `any`.
    pub(super) name: String,
    /// Its index; 0 for `any`.
    pub(super) ifindex: i32,
    /// The socket whose ring the frames come by.
    pub(super) socket: Arc<PacketSocket>,
    /// Another one, for a ring that may have to take over; opened when capture starts, since later
    /// the program may have given its rights up.
    pub(super) spare: OnceLock<Arc<PacketSocket>>,
}

/// What a ring is bound to.
pub(super) struct Source {
    /// The interfaces, the main one first; empty for a file.
    pub(super) devices: Vec<Device>,
    /// How a link-layer header looks: a DLT value.
    pub(super) link_type: i32,
    /// Bytes of the largest packet behind the link-layer header.
    pub(super) mtu: u16,
}

/// What opening gives: the source, and for a file the reader.
pub(super) enum Opened {
    /// Interfaces.
    Tap(Source),
    /// A capture file.
    File(Source, FileRx),
}

impl Source {
    /// Opens what a device name asks for.
    pub(super) fn open(spec: &DeviceSpec, snaplen: u32, promisc: bool) -> Result<Opened> {
        match &spec.module {
            Module::File(path) => Self::open_file(path, snaplen, promisc),
            Module::Stack => Err(Error::NotSupported("stack: devices")),
            Module::Exclusive(prefix) => {
                log::info(format_args!(
                    "{prefix} is opened as a tap: the host keeps its packets"
                ));
                Self::open_target(spec, promisc).map(Opened::Tap)
            }
            Module::Tap => Self::open_target(spec, promisc).map(Opened::Tap),
        }
    }

    /// A file first; a name that is no file may be an interface.
    fn open_file(path: &Path, snaplen: u32, promisc: bool) -> Result<Opened> {
        match FileRx::open(path, snaplen) {
            Ok(rx) => {
                let source = Self {
                    devices: Vec::new(),
                    link_type: rx.link_type(),
                    mtu: default_mtu(""),
                };
                Ok(Opened::File(source, rx))
            }
            Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::ENOENT) => {
                let name = path.to_string_lossy().into_owned();
                if netdev::index_of(&name).is_err() {
                    return Err(Error::NoSuchDevice(name));
                }
                Self::open_devices(&[name], promisc).map(Opened::Tap)
            }
            Err(error) => Err(error),
        }
    }

    fn open_target(spec: &DeviceSpec, promisc: bool) -> Result<Self> {
        if spec.channels.is_some() {
            return Err(Error::NotSupported("channels (interface@N)"));
        }
        match &spec.target {
            Target::Any { vlan: None } => Self::open_devices(&[ANY.to_owned()], false),
            Target::Unbound => Err(Error::NotSupported("a ring without an interface (none)")),
            Target::Devices(devices) if devices.iter().all(|device| device.vlan.is_none()) => {
                let names: Vec<String> = devices.iter().map(|d| d.name.clone()).collect();
                Self::open_devices(&names, promisc)
            }
            Target::Any { .. } | Target::Devices(_) => {
                Err(Error::NotSupported("a VLAN by name (interface.N)"))
            }
        }
    }

    fn open_devices(names: &[String], promisc: bool) -> Result<Self> {
        let mut devices: Vec<Device> = Vec::new();
        for name in names {
            let ifindex = if name == ANY {
                0
            } else {
                netdev::index_of(name)?
            };
            if devices.iter().any(|device| device.ifindex == ifindex) {
                continue; // named twice: its packets are still delivered once
            }
            let socket = Arc::new(PacketSocket::open()?);
            if promisc && ifindex != 0 {
                socket.set_promisc(ifindex, true)?;
            }
            devices.push(Device {
                name: name.clone(),
                ifindex,
                socket,
                spare: OnceLock::new(),
            });
        }
        let main = devices.first().map_or(ANY, |device| device.name.as_str());
        let link_type = if main == ANY {
            DLT_EN10MB
        } else {
            link_type(netdev::hardware_type(main)?)
        };
        let mtu = match devices.as_slice() {
            [one] if one.ifindex != 0 => mtu(main),
            _ => default_mtu(main),
        };
        Ok(Self {
            devices,
            link_type,
            mtu,
        })
    }

    /// The interface that sends and that the questions about a device are about.
    pub(super) fn main(&self) -> Option<&Device> {
        self.devices.first().filter(|device| device.ifindex != 0)
    }

    /// The sockets of all interfaces, spare ones included.
    pub(super) fn sockets(&self) -> impl Iterator<Item = &Arc<PacketSocket>> {
        let spares = self.devices.iter().filter_map(|device| device.spare.get());
        self.devices
            .iter()
            .map(|device| &device.socket)
            .chain(spares)
    }

    /// The sockets that capture starts with.
    pub(super) fn first_sockets(&self) -> Vec<Arc<PacketSocket>> {
        self.devices
            .iter()
            .map(|device| Arc::clone(&device.socket))
            .collect()
    }

    /// Opens a spare socket for each interface.
    pub(super) fn open_spares(&self) -> Result<()> {
        for device in &self.devices {
            let socket = Arc::new(PacketSocket::open()?);
            socket.count_drops(false);
            // A second start finds the spare of the first.
            let _ = device.spare.set(socket);
        }
        Ok(())
    }

    /// The spare sockets; empty when there are none.
    pub(super) fn spares(&self) -> Vec<Arc<PacketSocket>> {
        self.devices
            .iter()
            .filter_map(|device| device.spare.get().cloned())
            .collect()
    }

    /// The descriptors of all sockets.
    pub(super) fn fds(&self) -> Vec<RawFd> {
        self.sockets().map(|socket| socket.as_raw_fd()).collect()
    }

    /// Packets that found no room since open. No lock: safe in a signal handler.
    pub(super) fn dropped(&self) -> u64 {
        self.sockets().map(|socket| socket.dropped()).sum()
    }

    /// Takes away the pending errors of the sockets: a link that went down says so once, and is no
    /// end of anything.
    pub(super) fn settle(&self) {
        for socket in self.sockets() {
            socket.take_error();
        }
    }
}

/// The MTU in the 16 bits that the public struct has for it; lo's 65,536 does not fit and becomes
/// 65,535, one that is unknown 9,000 (api of the original, pfring_open).
fn mtu(name: &str) -> u16 {
    match netdev::mtu(name) {
        Ok(mtu) if mtu as u16 != 0 => mtu as u16,
        _ => default_mtu(name),
    }
}

fn default_mtu(name: &str) -> u16 {
    if name == "lo" { u16::MAX } else { 9000 }
}
