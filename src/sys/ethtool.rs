//! What the driver of a network interface knows: link, speed, queues.
//!
//! Each call looks into the network namespace of the calling thread, anew: nothing is kept. A
//! driver that does not answer is no failure: each value has a fallback. linux/ethtool.h says what
//! the requests do.

use std::fs;
use std::mem;
use std::os::fd::AsFd;

use super::netdev::{flags, index_of, known, request_for, sysfs};
use super::socket;
use crate::error::{Error, Result};

/// Whether the link is there: frames can come in. False while the interface is down.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`].
pub fn carrier(name: &str) -> Result<bool> {
    let mut value = EthtoolValue {
        cmd: ETHTOOL_GLINK,
        data: 0,
    };
    // SAFETY: ETHTOOL_GLINK fills a struct ethtool_value.
    let answer = unsafe { ethtool(name, "ETHTOOL_GLINK", &mut value) };
    if answered(answer)? {
        return Ok(value.data != 0);
    }
    Ok(flags(name)? & libc::IFF_RUNNING as u16 != 0)
}

/// The speed of the link in Mbit/s; 0 when it is not known.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`].
pub fn link_speed_mbps(name: &str) -> Result<u32> {
    let speed = match link_settings_speed(name)? {
        Some(speed) => speed,
        None => old_settings_speed(name)?.unwrap_or(0),
    };
    // SPEED_UNKNOWN is -1, in 32 bits or in the 16 of the older call.
    Ok(if speed >= 0xffff_0000 || speed == 0xffff {
        0
    } else {
        speed
    })
}

/// None where the driver does not answer this request.
fn link_settings_speed(name: &str) -> Result<Option<u32>> {
    // SAFETY: LinkSettings is plain integers; all zeros is a value of it.
    let mut settings: LinkSettings = unsafe { mem::zeroed() };
    settings.cmd = ETHTOOL_GLINKSETTINGS;
    // The first call, with 0 words, is answered with the number of words wanted, negated; the
    // second is answered with the settings (linux/ethtool.h, struct ethtool_link_settings).
    for _ in 0..2 {
        // SAFETY: the words that the kernel may write, 3 * i8::MAX at most, follow the fixed part.
        let answer = unsafe { ethtool(name, "ETHTOOL_GLINKSETTINGS", &mut settings) };
        if !answered(answer)? {
            return Ok(None);
        }
        if settings.words >= 0 {
            return Ok((settings.words > 0).then_some(settings.speed));
        }
        let Some(words) = settings.words.checked_neg() else {
            return Ok(None);
        };
        settings.cmd = ETHTOOL_GLINKSETTINGS;
        settings.words = words;
    }
    Ok(None)
}

fn old_settings_speed(name: &str) -> Result<Option<u32>> {
    // SAFETY: OldSettings is plain integers; all zeros is a value of it.
    let mut settings: OldSettings = unsafe { mem::zeroed() };
    settings.cmd = ETHTOOL_GSET;
    // SAFETY: ETHTOOL_GSET fills a struct ethtool_cmd.
    let answer = unsafe { ethtool(name, "ETHTOOL_GSET", &mut settings) };
    let speed = u32::from(settings.speed_high) << 16 | u32::from(settings.speed);
    Ok(answered(answer)?.then_some(speed))
}

/// Receive queues in use, at least 1.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`].
pub fn rx_queues(name: &str) -> Result<u32> {
    queues(name, "rx-", |channels| channels.rx_count)
}

/// Transmit queues in use, at least 1.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`].
pub fn tx_queues(name: &str) -> Result<u32> {
    queues(name, "tx-", |channels| channels.tx_count)
}

/// The name of the driver, such as `ixgbe` or `veth`.
///
/// # Errors
///
/// [`Error::NoSuchDevice`], [`Error::Os`], also where the driver does not say.
pub fn driver(name: &str) -> Result<String> {
    // SAFETY: DriverInfo is plain integers; all zeros is a value of it.
    let mut info: DriverInfo = unsafe { mem::zeroed() };
    info.cmd = ETHTOOL_GDRVINFO;
    // SAFETY: ETHTOOL_GDRVINFO fills a struct ethtool_drvinfo.
    unsafe { ethtool(name, "ETHTOOL_GDRVINFO", &mut info) }?;
    let text = info.driver.split(|byte| *byte == 0).next();
    Ok(String::from_utf8_lossy(text.unwrap_or_default()).into_owned())
}

fn queues(name: &str, prefix: &str, own: impl Fn(&Channels) -> u32) -> Result<u32> {
    // SAFETY: Channels is plain integers; all zeros is a value of it.
    let mut channels: Channels = unsafe { mem::zeroed() };
    channels.cmd = ETHTOOL_GCHANNELS;
    // SAFETY: ETHTOOL_GCHANNELS fills a struct ethtool_channels.
    let answer = unsafe { ethtool(name, "ETHTOOL_GCHANNELS", &mut channels) };
    if answered(answer)? {
        let count = own(&channels).saturating_add(channels.combined_count);
        if count > 0 {
            return Ok(count);
        }
    }
    let index = index_of(name)?;
    let Some(folder) = sysfs(name, index) else {
        return Ok(1);
    };
    let count = fs::read_dir(folder.join("queues"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(prefix.as_bytes())
        })
        .count();
    Ok(u32::try_from(count).unwrap_or(u32::MAX).max(1))
}

/// A SIOCETHTOOL request.
///
/// # Safety
///
/// `data` begins with the command and is at least as large as what the kernel writes for it.
pub(super) unsafe fn ethtool<T>(name: &str, operation: &'static str, data: &mut T) -> Result<()> {
    let mut argument = request_for(name)?;
    argument.ifr_ifru.ifru_data = std::ptr::from_mut(data).cast();
    let socket = socket::control()?;
    // SAFETY: SIOCETHTOOL takes an ifreq; what its pointer leads to is the caller's promise.
    unsafe {
        socket::ioctl(
            socket.as_fd(),
            operation,
            libc::SIOCETHTOOL as libc::Ioctl,
            &mut argument,
        )
    }
    .map_err(|error| known(error, name))
}

/// Whether the driver answered; a driver that does not know a request is no failure.
pub(super) fn answered(answer: Result<()>) -> Result<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(Error::Os(..)) => Ok(false),
        Err(error) => Err(error),
    }
}

// linux/ethtool.h; the libc crate has none of it.
const ETHTOOL_GSET: u32 = 0x01;
const ETHTOOL_GDRVINFO: u32 = 0x03;
const ETHTOOL_GLINK: u32 = 0x0a;
const ETHTOOL_GCHANNELS: u32 = 0x3c;
const ETHTOOL_GLINKSETTINGS: u32 = 0x4c;

/// struct ethtool_value.
#[repr(C)]
struct EthtoolValue {
    cmd: u32,
    data: u32,
}

/// struct ethtool_drvinfo.
#[repr(C)]
struct DriverInfo {
    cmd: u32,
    driver: [u8; 32],
    texts: [[u8; 32]; 4],
    reserved: [u8; 12],
    counts: [u32; 5],
}

/// struct ethtool_channels.
#[repr(C)]
struct Channels {
    cmd: u32,
    max: [u32; 4],
    rx_count: u32,
    tx_count: u32,
    other_count: u32,
    combined_count: u32,
}

/// struct ethtool_link_settings with room for the longest masks.
#[repr(C)]
struct LinkSettings {
    cmd: u32,
    speed: u32,
    unused: [u8; 7],
    words: i8,
    unused_too: [u8; 4],
    reserved: [u32; 7],
    masks: [u32; 3 * i8::MAX as usize],
}

/// struct ethtool_cmd.
#[repr(C)]
struct OldSettings {
    cmd: u32,
    modes: [u32; 2],
    speed: u16,
    unused: [u8; 6],
    limits: [u32; 2],
    speed_high: u16,
    unused_too: [u8; 2],
    rest: [u32; 3],
}

const _: () = assert!(mem::offset_of!(LinkSettings, words) == 15);
const _: () = assert!(mem::offset_of!(LinkSettings, masks) == 48);
const _: () = assert!(mem::size_of::<OldSettings>() == 44);
const _: () = assert!(mem::size_of::<Channels>() == 36);
const _: () = assert!(mem::size_of::<DriverInfo>() == 196);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::netdev::tests::{in_private_namespace, ip};

    #[test]
    fn lo_has_a_link_and_no_speed() {
        in_private_namespace(|| {
            assert!(!carrier("lo").unwrap());
            ip("link set lo up");
            assert!(carrier("lo").unwrap());
            assert_eq!(link_speed_mbps("lo").unwrap(), 0);
            assert_eq!(rx_queues("lo").unwrap(), 1);
            assert_eq!(tx_queues("lo").unwrap(), 1);
        });
    }

    #[test]
    fn veth_link_speed_and_queues() {
        in_private_namespace(|| {
            ip("link add va numrxqueues 4 numtxqueues 3 type veth \
                peer name vb numrxqueues 1 numtxqueues 1");
            ip("link set va up");
            assert!(!carrier("va").unwrap(), "the other end is down");
            ip("link set vb up");
            assert!(carrier("va").unwrap());
            assert_eq!(link_speed_mbps("va").unwrap(), 10_000);
            assert_eq!(rx_queues("va").unwrap(), 4);
            assert_eq!(tx_queues("va").unwrap(), 3);
            assert_eq!(rx_queues("vb").unwrap(), 1);
            assert_eq!(driver("va").unwrap(), "veth");
        });
    }

    #[test]
    fn both_forms_of_the_settings_agree() {
        in_private_namespace(|| {
            ip("link add va type veth peer name vb");
            let old = old_settings_speed("va").unwrap();
            assert_eq!(link_settings_speed("va").unwrap(), Some(10_000));
            assert!(old.is_none() || old == Some(10_000), "{old:?}");
        });
    }

    #[test]
    fn an_unknown_interface_is_said_so() {
        fn unknown<T: std::fmt::Debug>(result: Result<T>) {
            assert!(
                matches!(&result, Err(Error::NoSuchDevice(name)) if name == "nope0"),
                "{result:?}"
            );
        }
        unknown(carrier("nope0"));
        unknown(link_speed_mbps("nope0"));
        unknown(rx_queues("nope0"));
        unknown(tx_queues("nope0"));
        unknown(driver("nope0"));
    }
}
