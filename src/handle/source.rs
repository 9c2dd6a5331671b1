//! What a ring is bound to: interfaces with a packet socket each, or a capture file.

use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicU16, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::backend::file::FileRx;
use crate::config::device::{DeviceName, DeviceSpec, Module, Target};
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::link_type::{DLT_EN10MB, link_type};
use crate::sys::packet::PacketSocket;
use crate::sys::{ethtool, netdev};

/// The device name that stands for every interface.
const ANY: &str = "any";
/// How many interfaces a ring can have: a wait looks at two sockets of each.
const MOST_DEVICES: usize = 64;
const _: () = assert!(2 * MOST_DEVICES < crate::sys::poll::MAX_FDS);
/// Channels that a mask can name.
pub(super) const MOST_CHANNELS: u32 = 64;
/// A driver whose frames carry the number of their queue as it is; all others that have several
/// queues carry it plus one (skb_record_rx_queue, which veth does not call).
const COUNTS_FROM_ZERO: &str = "veth";

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
    /// Frames of these VLANs only, 0 for those without a tag; empty: all frames.
    vlans: Mutex<Vec<u16>>,
    /// Receive queues, 1 to 64: channel = queue modulo these, so that each frame is of some channel.
    /// Of `any`, whose interfaces differ, 64.
    pub(super) channels: u32,
    /// Whether the kernel's number of a frame's queue begins at 1.
    pub(super) counts_from_one: bool,
}

impl Device {
    fn open(name: String, ifindex: i32, vlan: Option<u16>, promisc: bool) -> Result<Self> {
        let socket = Arc::new(PacketSocket::open()?);
        if promisc && ifindex != 0 {
            socket.set_promisc(ifindex, true)?;
        }
        let (channels, counts_from_one) = if ifindex == 0 {
            (MOST_CHANNELS, true)
        } else {
            let driver = ethtool::driver(&name).unwrap_or_default();
            (channels(&name), driver != COUNTS_FROM_ZERO)
        };
        Ok(Self {
            name,
            ifindex,
            socket,
            spare: OnceLock::new(),
            vlans: Mutex::new(vlan.into_iter().collect()),
            channels,
            counts_from_one,
        })
    }

    /// The VLANs that its name asks for; empty: all frames.
    pub(super) fn vlans(&self) -> Vec<u16> {
        self.vlans.lock().clone()
    }

    /// Takes the frames of a VLAN too, or all (None).
    fn widen(&self, vlan: Option<u16>) {
        let mut vlans = self.vlans.lock();
        match vlan {
            None => vlans.clear(),
            Some(id) if !vlans.is_empty() && !vlans.contains(&id) => vlans.push(id),
            Some(_) => {}
        }
    }

    /// Its sockets, the spare one included.
    pub(super) fn sockets(&self) -> impl Iterator<Item = &Arc<PacketSocket>> {
        std::iter::once(&self.socket).chain(self.spare.get())
    }
}

/// Receive queues of an interface, 1 to 64; 1 when unknown.
pub(super) fn channels(name: &str) -> u32 {
    ethtool::rx_queues(name)
        .unwrap_or(1)
        .clamp(1, MOST_CHANNELS)
}

/// Where the frames come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Interfaces, or none yet.
    Tap,
    /// An interface, by what the host sends.
    Stack,
    /// A capture file.
    File,
}

/// What a ring is bound to.
pub(super) struct Source {
    kind: Kind,
    /// The interfaces, the main one first. Places are filled in order and never emptied, so that nobody
    /// who looks at them needs a lock.
    places: Box<[OnceLock<Device>]>,
    /// How a link-layer header looks: a DLT value.
    link_type: AtomicI32,
    /// Bytes of the largest packet behind the link-layer header.
    mtu: AtomicU16,
}

/// What opening gives: the source, and for a file the reader.
pub(super) enum Opened {
    /// Interfaces.
    Tap(Source),
    /// A capture file.
    File(Source, FileRx),
}

impl Source {
    fn new(kind: Kind, devices: usize, link_type: i32) -> Self {
        Self {
            kind,
            places: std::iter::repeat_with(OnceLock::new)
                .take(devices)
                .collect(),
            link_type: AtomicI32::new(link_type),
            mtu: AtomicU16::new(default_mtu("")),
        }
    }

    /// Opens what a device name asks for.
    pub(super) fn open(spec: &DeviceSpec, snaplen: u32, promisc: bool) -> Result<Opened> {
        let kind = match &spec.module {
            Module::File(path) => return Self::open_file(path, snaplen, promisc),
            Module::Stack => Kind::Stack,
            Module::Exclusive(prefix) => {
                log::info(format_args!(
                    "{prefix} is opened as a tap: the host keeps its packets"
                ));
                Kind::Tap
            }
            Module::Tap => Kind::Tap,
        };
        Self::open_devices(kind, &names(&spec.target), promisc).map(Opened::Tap)
    }

    /// A file first; a name that is no file may be an interface.
    fn open_file(path: &Path, snaplen: u32, promisc: bool) -> Result<Opened> {
        match FileRx::open(path, snaplen) {
            Ok(rx) => Ok(Opened::File(Self::new(Kind::File, 0, rx.link_type()), rx)),
            Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::ENOENT) => {
                let name = path.to_string_lossy().into_owned();
                if netdev::index_of(&name).is_err() {
                    return Err(Error::NoSuchDevice(name));
                }
                let device = DeviceName { name, vlan: None };
                Self::open_devices(Kind::Tap, &[device], promisc).map(Opened::Tap)
            }
            Err(error) => Err(error),
        }
    }

    fn open_devices(kind: Kind, names: &[DeviceName], promisc: bool) -> Result<Self> {
        let source = Self::new(kind, MOST_DEVICES, DLT_EN10MB);
        source.add(names, promisc)?;
        Ok(source)
    }

    /// Adds what a device name asks for, before capture starts; one caller at a time. All of it or nothing.
    pub(super) fn bind(&self, spec: &DeviceSpec, promisc: bool) -> Result<()> {
        let is_any = |device: &Device| device.ifindex == 0;
        let takes_any = matches!(spec.target, Target::Any { .. });
        if self.devices().any(|device| is_any(device) || takes_any) {
            return Err(Error::BadDeviceName("any stands alone".into()));
        }
        self.add(&names(&spec.target), promisc)
    }

    fn add(&self, names: &[DeviceName], promisc: bool) -> Result<()> {
        let mut new: Vec<Device> = Vec::new();
        let mut wider = Vec::new();
        for wanted in names {
            let (name, ifindex, vlan) = resolve(wanted)?;
            // Named twice: its packets are still delivered once, those of all its VLANs.
            if let Some(device) = new.iter().find(|device| device.ifindex == ifindex) {
                device.widen(vlan);
            } else if let Some(device) = self.devices().find(|d| d.ifindex == ifindex) {
                wider.push((device, vlan));
            } else {
                new.push(Device::open(name, ifindex, vlan, promisc)?);
            }
        }
        let count = self.devices().count();
        if count + new.len() > self.places.len() {
            return Err(Error::InvalidArgument("the number of interfaces"));
        }
        if let (0, Some(main)) = (count, new.first().filter(|main| main.ifindex != 0)) {
            let link_type = link_type(netdev::hardware_type(&main.name)?);
            self.link_type.store(link_type, Relaxed);
        }
        for (device, vlan) in wider {
            device.widen(vlan);
        }
        for (place, device) in self.places[count..].iter().zip(new) {
            let taken = place.set(device);
            debug_assert!(taken.is_ok(), "one caller at a time");
        }
        self.mtu.store(self.read_mtu(), Relaxed);
        Ok(())
    }

    /// The MTU of the one interface; that of several is not known.
    fn read_mtu(&self) -> u16 {
        let Some(main) = self.main() else {
            return default_mtu("");
        };
        if self.devices().count() == 1 {
            mtu(&main.name)
        } else {
            default_mtu(&main.name)
        }
    }

    /// Whether it is a capture file.
    pub(super) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Whether it is what the host sends by an interface (`stack:`).
    pub(super) fn is_stack(&self) -> bool {
        self.kind == Kind::Stack
    }

    /// Whether no interface is bound, and it is no file.
    pub(super) fn is_unbound(&self) -> bool {
        !self.is_file() && self.devices().next().is_none()
    }

    /// How a link-layer header looks: a DLT value.
    #[inline]
    pub(super) fn link_type(&self) -> i32 {
        self.link_type.load(Relaxed)
    }

    /// Bytes of the largest packet behind the link-layer header.
    #[inline]
    pub(super) fn mtu(&self) -> u16 {
        self.mtu.load(Relaxed)
    }

    /// The interfaces, the main one first; none for a file.
    pub(super) fn devices(&self) -> impl Iterator<Item = &Device> {
        self.places.iter().map_while(OnceLock::get)
    }

    /// The interface that sends and that the questions about a device are about.
    pub(super) fn main(&self) -> Option<&Device> {
        self.devices().next().filter(|device| device.ifindex != 0)
    }

    /// The sockets of all interfaces, spare ones included.
    pub(super) fn sockets(&self) -> impl Iterator<Item = &Arc<PacketSocket>> {
        self.devices().flat_map(Device::sockets)
    }

    /// The sockets that capture starts with.
    pub(super) fn first_sockets(&self) -> Vec<Arc<PacketSocket>> {
        self.devices()
            .map(|device| Arc::clone(&device.socket))
            .collect()
    }

    /// Opens a spare socket for each interface.
    pub(super) fn open_spares(&self) -> Result<()> {
        for device in self.devices() {
            let socket = Arc::new(PacketSocket::open()?);
            socket.count_drops(false);
            // A second start finds the spare of the first.
            let _ = device.spare.set(socket);
        }
        Ok(())
    }

    /// The spare sockets; empty when there are none.
    pub(super) fn spares(&self) -> Vec<Arc<PacketSocket>> {
        self.devices()
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

/// The interfaces that a name asks for, `any` as one of them.
fn names(target: &Target) -> Vec<DeviceName> {
    match target {
        Target::Devices(devices) => devices.clone(),
        Target::Any { vlan } => vec![DeviceName {
            name: ANY.to_owned(),
            vlan: *vlan,
        }],
        Target::Unbound => Vec::new(),
    }
}

/// Name, index and VLAN of an interface. `eth0.7` is VLAN 7 of eth0, whatever is called `eth0.7`; where there is
/// no eth0 at all it may be that interface.
fn resolve(wanted: &DeviceName) -> Result<(String, i32, Option<u16>)> {
    let DeviceName { name, vlan } = wanted;
    if name == ANY {
        return Ok((name.clone(), 0, *vlan));
    }
    match (netdev::index_of(name), vlan) {
        (Err(Error::NoSuchDevice(_)), Some(vlan)) => {
            let whole = format!("{name}.{vlan}");
            let ifindex = netdev::index_of(&whole).map_err(|error| match error {
                Error::NoSuchDevice(_) => Error::NoSuchDevice(name.clone()),
                other => other,
            })?;
            Ok((whole, ifindex, None))
        }
        (ifindex, _) => Ok((name.clone(), ifindex?, *vlan)),
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
