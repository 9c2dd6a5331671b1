//! What the kernel knows of a network interface: index, MTU, address, flags, type, and the list of
//! them all. What the driver knows of it (link, speed, queues) is in `ethtool`.
//!
//! Each call looks into the network namespace of the calling thread, anew: nothing is kept.
//! netdevice(7) says what the requests do.

use std::fs;
use std::io;
use std::mem;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::socket;
use crate::error::{Error, Result};

/// One interface, as [`list`] gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its index.
    pub index: i32,
    /// The first six bytes of its hardware address, zeros if it has none.
    pub mac: [u8; 6],
    /// Whether it is up (IFF_UP), with or without a link.
    pub up: bool,
    /// Its place on its bus, such as `0000:00:1f.6`; None for one without hardware.
    pub bus_id: Option<String>,
}

/// The index of an interface, 1 or more.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`]; so for every call of this file that takes a name.
pub fn index_of(name: &str) -> Result<i32> {
    let request = ask(name, "SIOCGIFINDEX", libc::SIOCGIFINDEX as libc::Ioctl)?;
    // SAFETY: the kernel has filled this member.
    Ok(unsafe { request.ifr_ifru.ifru_ifindex })
}

/// The name of the interface with this index.
///
/// # Errors
///
/// [`Error::NoSuchDevice`] with the index as text, [`Error::Os`].
pub fn name_of(index: i32) -> Result<String> {
    // SAFETY: ifreq is plain data; all zeros is a value of it.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    request.ifr_ifru.ifru_ifindex = index;
    let socket = socket::control()?;
    // SAFETY: this request takes an ifreq.
    unsafe {
        socket::ioctl(
            socket.as_fd(),
            "SIOCGIFNAME",
            libc::SIOCGIFNAME as libc::Ioctl,
            &mut request,
        )
    }
    .map_err(|error| known(error, &format!("index {index}")))?;
    let name: Vec<u8> = request
        .ifr_name
        .iter()
        .map(|&c| c as u8)
        .take_while(|&c| c != 0)
        .collect();
    Ok(String::from_utf8_lossy(&name).into_owned())
}

/// The MTU in bytes, without the link-layer header.
///
/// # Errors
///
/// As [`index_of`].
pub fn mtu(name: &str) -> Result<u32> {
    let request = ask(name, "SIOCGIFMTU", libc::SIOCGIFMTU as libc::Ioctl)?;
    // SAFETY: the kernel has filled this member.
    Ok(unsafe { request.ifr_ifru.ifru_mtu } as u32)
}

/// The first six bytes of the hardware address, zeros if it has none.
///
/// # Errors
///
/// As [`index_of`].
pub fn mac(name: &str) -> Result<[u8; 6]> {
    let data = hardware_address(name)?.sa_data;
    Ok(std::array::from_fn(|i| data[i] as u8))
}

/// The type of its link layer: an ARPHRD_* number.
///
/// # Errors
///
/// As [`index_of`].
pub fn hardware_type(name: &str) -> Result<u16> {
    Ok(hardware_address(name)?.sa_family)
}

fn hardware_address(name: &str) -> Result<libc::sockaddr> {
    let request = ask(name, "SIOCGIFHWADDR", libc::SIOCGIFHWADDR as libc::Ioctl)?;
    // SAFETY: the kernel has filled this member.
    Ok(unsafe { request.ifr_ifru.ifru_hwaddr })
}

/// The IFF_* flags, the low 16 bits of them.
///
/// # Errors
///
/// As [`index_of`].
pub fn flags(name: &str) -> Result<u16> {
    let request = ask(name, "SIOCGIFFLAGS", libc::SIOCGIFFLAGS as libc::Ioctl)?;
    // SAFETY: the kernel has filled this member.
    Ok(unsafe { request.ifr_ifru.ifru_flags } as u16)
}

/// Whether the interface is up (IFF_UP), with or without a link.
///
/// # Errors
///
/// As [`index_of`].
pub fn is_up(name: &str) -> Result<bool> {
    Ok(flags(name)? & libc::IFF_UP as u16 != 0)
}

/// Switches IFF_PROMISC, the flag that `ip link set promisc` shows; gives what it was before.
///
/// The flag belongs to the interface: nobody takes it back when the process ends. Needs
/// CAP_NET_ADMIN where it changes something.
///
/// # Errors
///
/// As [`index_of`].
pub fn set_promisc_flag(name: &str, on: bool) -> Result<bool> {
    let mut request = ask(name, "SIOCGIFFLAGS", libc::SIOCGIFFLAGS as libc::Ioctl)?;
    let promisc = libc::IFF_PROMISC as libc::c_short;
    // SAFETY: the kernel has filled this member.
    let flags = unsafe { request.ifr_ifru.ifru_flags };
    let before = flags & promisc != 0;
    if before != on {
        request.ifr_ifru.ifru_flags = flags ^ promisc;
        let socket = socket::control()?;
        // SAFETY: this request takes an ifreq.
        unsafe {
            socket::ioctl(
                socket.as_fd(),
                "SIOCSIFFLAGS",
                libc::SIOCSIFFLAGS as libc::Ioctl,
                &mut request,
            )
        }
        .map_err(|error| known(error, name))?;
    }
    Ok(before)
}

/// Every interface of the network namespace, in the order of getifaddrs(3), each once.
///
/// # Errors
///
/// [`Error::Os`].
pub fn list() -> Result<Vec<Interface>> {
    let mut head = std::ptr::null_mut();
    // SAFETY: `head` is writable.
    if unsafe { libc::getifaddrs(&raw mut head) } < 0 {
        return Err(Error::Os("getifaddrs", io::Error::last_os_error()));
    }
    let mut found: Vec<Interface> = Vec::new();
    let mut entry = head;
    // SAFETY: the entries are valid until freeifaddrs, the last one's next is NULL; names are
    // terminated; an address of family AF_PACKET is a sockaddr_ll.
    unsafe {
        while let Some(node) = entry.as_ref() {
            entry = node.ifa_next;
            if node.ifa_addr.is_null() || i32::from((*node.ifa_addr).sa_family) != libc::AF_PACKET {
                continue;
            }
            let link = node.ifa_addr.cast::<libc::sockaddr_ll>().read_unaligned();
            if found.iter().any(|other| other.index == link.sll_ifindex) {
                continue;
            }
            let name = std::ffi::CStr::from_ptr(node.ifa_name).to_string_lossy();
            found.push(Interface {
                name: name.into_owned(),
                index: link.sll_ifindex,
                mac: std::array::from_fn(|i| link.sll_addr[i]),
                up: node.ifa_flags & libc::IFF_UP as u32 != 0,
                bus_id: None,
            });
        }
        libc::freeifaddrs(head);
    }
    for interface in &mut found {
        interface.bus_id = bus_id(&interface.name, interface.index);
    }
    Ok(found)
}

fn bus_id(name: &str, index: i32) -> Option<String> {
    let device = fs::read_link(sysfs(name, index)?.join("device")).ok()?;
    Some(device.file_name()?.to_string_lossy().into_owned())
}

/// The interface's folder in /sys; None where /sys shows another network namespace (it shows the
/// one in which it was mounted).
pub(super) fn sysfs(name: &str, index: i32) -> Option<PathBuf> {
    let folder = Path::new("/sys/class/net").join(name);
    let shown: i32 = fs::read_to_string(folder.join("ifindex"))
        .ok()?
        .trim()
        .parse()
        .ok()?;
    (shown == index).then_some(folder)
}

/// A request for this interface; a name that no interface can have is unknown.
pub(super) fn request_for(name: &str) -> Result<libc::ifreq> {
    // The kernel cuts a name at a colon (dev_ioctl), which would find another interface.
    let possible = (1..libc::IFNAMSIZ).contains(&name.len()) && !name.contains(['\0', ':', '/']);
    if !possible {
        return Err(Error::NoSuchDevice(name.into()));
    }
    // SAFETY: ifreq is plain data; all zeros is a value of it.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

/// One of the SIOCGIF* requests that take a name and fill the rest of the ifreq.
fn ask(name: &str, operation: &'static str, request: libc::Ioctl) -> Result<libc::ifreq> {
    let mut argument = request_for(name)?;
    let socket = socket::control()?;
    // SAFETY: these requests take an ifreq.
    unsafe { socket::ioctl(socket.as_fd(), operation, request, &mut argument) }
        .map_err(|error| known(error, name))?;
    Ok(argument)
}

/// "No such device" by its own name, other failures as they are.
pub(super) fn known(error: Error, name: &str) -> Error {
    match error {
        Error::Os(_, os) if matches!(os.raw_os_error(), Some(libc::ENODEV | libc::ENXIO)) => {
            Error::NoSuchDevice(name.into())
        }
        other => other,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::Command;

    use super::*;
    use crate::sys::link_type::{DLT_RAW, link_type};

    /// Runs a test on a thread with a network namespace of its own; says so and does not run it
    /// where the right is missing.
    pub(in crate::sys) fn in_private_namespace(test: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: no memory is passed; only this thread changes its namespace.
                if unsafe { libc::unshare(libc::CLONE_NEWNET) } < 0 {
                    let error = io::Error::last_os_error();
                    eprintln!("skipped: no private network namespace: {error}");
                    return;
                }
                test();
            });
        });
    }

    /// Runs `ip` with these arguments in the namespace of this thread.
    pub(in crate::sys) fn ip(arguments: &str) {
        let done = Command::new("ip")
            .args(arguments.split_whitespace())
            .output()
            .expect("ip(8) is needed by the tests");
        assert!(done.status.success(), "ip {arguments}: {done:?}");
    }

    fn unknown<T: std::fmt::Debug>(result: Result<T>, expected: &str) {
        assert!(
            matches!(&result, Err(Error::NoSuchDevice(name)) if name == expected),
            "{result:?}"
        );
    }

    #[test]
    fn lo() {
        let index = index_of("lo").unwrap();
        assert_eq!(name_of(index).unwrap(), "lo");
        assert!(mtu("lo").unwrap() >= 1_500);
        assert_eq!(mac("lo").unwrap(), [0; 6]);
        assert_eq!(hardware_type("lo").unwrap(), libc::ARPHRD_LOOPBACK);
        assert_ne!(flags("lo").unwrap() & libc::IFF_LOOPBACK as u16, 0);
    }

    #[test]
    fn names_that_no_interface_can_have_are_unknown() {
        for name in [
            "",
            "nope0",
            "lo:1",
            "lo\0",
            "lo/",
            "abcdefghijklmnop",
            "a name longer than any",
        ] {
            unknown(index_of(name), name);
            unknown(mtu(name), name);
            unknown(mac(name), name);
            unknown(flags(name), name);
            unknown(is_up(name), name);
            unknown(hardware_type(name), name);
            unknown(set_promisc_flag(name, false), name);
        }
        unknown(name_of(i32::MAX), "index 2147483647");
        unknown(name_of(0), "index 0");
        unknown(name_of(-1), "index -1");
    }

    #[test]
    fn the_list_has_each_interface_once() {
        in_private_namespace(|| {
            ip("link set lo up");
            ip("link add va address 02:00:00:00:00:01 type veth peer name vb");
            ip("link set va up");
            ip("address add 192.0.2.1/24 dev va");
            ip("address add 192.0.2.2/24 dev va label va:1");
            let list = list().unwrap();
            let mut names: Vec<&str> = list.iter().map(|i| i.name.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["lo", "va", "vb"]);
            for interface in &list {
                assert_eq!(index_of(&interface.name).unwrap(), interface.index);
                assert_eq!(mac(&interface.name).unwrap(), interface.mac);
                assert_eq!(interface.up, interface.name != "vb");
                assert_eq!(interface.bus_id, None);
            }
            let va = list.iter().find(|i| i.name == "va").unwrap();
            assert_eq!(va.mac, [2, 0, 0, 0, 0, 1]);
        });
    }

    #[test]
    fn changes_are_seen_at_once() {
        in_private_namespace(|| {
            ip("link add va mtu 9000 type veth peer name vb");
            assert_eq!(mtu("va").unwrap(), 9_000);
            assert!(!is_up("va").unwrap());
            ip("link set va up mtu 1280");
            assert_eq!(mtu("va").unwrap(), 1_280);
            assert!(is_up("va").unwrap());
            assert_eq!(hardware_type("va").unwrap(), libc::ARPHRD_ETHER);
            ip("link delete va");
            unknown(index_of("va"), "va");
        });
    }

    #[test]
    fn the_promiscuous_flag_is_set_and_given_back() {
        in_private_namespace(|| {
            ip("link add va type veth peer name vb");
            let is_set = || flags("va").unwrap() & libc::IFF_PROMISC as u16 != 0;
            assert!(!set_promisc_flag("va", true).unwrap());
            assert!(is_set());
            assert!(set_promisc_flag("va", true).unwrap());
            assert!(is_set());
            assert!(set_promisc_flag("va", false).unwrap());
            assert!(!is_set());
            assert!(!set_promisc_flag("va", false).unwrap());
        });
    }

    #[test]
    fn a_tun_device_has_no_link_layer() {
        in_private_namespace(|| {
            if !Path::new("/dev/net/tun").exists() {
                eprintln!("skipped: no /dev/net/tun");
                return;
            }
            ip("tuntap add t0 mode tun");
            assert_eq!(link_type(hardware_type("t0").unwrap()), DLT_RAW);
            assert_eq!(mac("t0").unwrap(), [0; 6]);
        });
    }

    #[test]
    fn sysfs_of_another_namespace_is_not_believed() {
        let index = index_of("lo").unwrap();
        assert_eq!(sysfs("lo", index + 1_000), None);
    }
}
