//! Time stamps by the card: switching them on, and asking when a frame was sent.
//!
//! Kernel Documentation/networking/timestamping.rst.

use std::mem;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use super::netdev::{known, request_for};
use super::packet::PacketSocket;
use super::poll::{Polled, poll};
use super::{clock, ethtool, set_option, socket};
use crate::error::{Error, Result};

// linux/ethtool.h, asm-generic/socket.h and linux/if_packet.h; the libc crate has none of these.
const ETHTOOL_GET_TS_INFO: u32 = 0x41;
const SO_TIMESTAMPING_NEW: libc::c_int = 65;
const PACKET_TIMESTAMP: libc::c_int = 17;

/// What a card can do about stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// It tells when a frame was sent.
    pub sent: bool,
    /// The number of its clock: /dev/ptpN.
    pub clock: Option<u32>,
}

/// Asks the driver of an interface; one that does not answer can do nothing.
///
/// # Errors
///
/// [`Error::NoSuchDevice`].
pub fn support(name: &str) -> Result<Support> {
    let mut info = TsInfo {
        cmd: ETHTOOL_GET_TS_INFO,
        so_timestamping: 0,
        phc_index: -1,
        rest: [0; 8],
    };
    // SAFETY: ETHTOOL_GET_TS_INFO fills a struct ethtool_ts_info.
    let answer = unsafe { ethtool::ethtool(name, "ETHTOOL_GET_TS_INFO", &mut info) };
    if !ethtool::answered(answer)? {
        info.phc_index = -1;
        info.so_timestamping = 0;
    }
    Ok(Support {
        sent: info.so_timestamping & libc::SOF_TIMESTAMPING_TX_HARDWARE != 0,
        clock: u32::try_from(info.phc_index).ok(),
    })
}

/// struct ethtool_ts_info.
#[repr(C)]
struct TsInfo {
    cmd: u32,
    so_timestamping: u32,
    phc_index: i32,
    rest: [u32; 8],
}

const _: () = assert!(mem::size_of::<TsInfo>() == 44);

/// Has the card stamp every frame that comes in, or none, and what is sent, or nothing; None leaves either as
/// it is. This holds for the interface, not for a socket, and stays when the process ends.
///
/// # Errors
///
/// [`Error::NoSuchDevice`]; [`Error::Os`] with EOPNOTSUPP for a card without stamps, ERANGE for one that
/// cannot stamp all frames, EPERM without CAP_NET_ADMIN.
pub fn set_hardware(name: &str, received: Option<bool>, sent: Option<bool>) -> Result<()> {
    let mut config = hardware(name).unwrap_or(libc::hwtstamp_config {
        flags: 0,
        tx_type: libc::HWTSTAMP_TX_OFF as libc::c_int,
        rx_filter: libc::HWTSTAMP_FILTER_NONE as libc::c_int,
    });
    adjust(&mut config, received, sent);
    request(
        name,
        "SIOCSHWTSTAMP",
        libc::SIOCSHWTSTAMP as libc::Ioctl,
        &mut config,
    )
}

fn adjust(config: &mut libc::hwtstamp_config, received: Option<bool>, sent: Option<bool>) {
    match received {
        Some(true) => config.rx_filter = libc::HWTSTAMP_FILTER_ALL as libc::c_int,
        Some(false) => config.rx_filter = libc::HWTSTAMP_FILTER_NONE as libc::c_int,
        None => {}
    }
    match sent {
        // Some other way to stamp what is sent is left alone.
        Some(true) if config.tx_type != libc::HWTSTAMP_TX_OFF as libc::c_int => {}
        Some(true) => config.tx_type = libc::HWTSTAMP_TX_ON as libc::c_int,
        Some(false) => config.tx_type = libc::HWTSTAMP_TX_OFF as libc::c_int,
        None => {}
    }
}

/// What is switched on; None where the driver does not tell.
fn hardware(name: &str) -> Option<libc::hwtstamp_config> {
    let mut config = libc::hwtstamp_config {
        flags: 0,
        tx_type: 0,
        rx_filter: 0,
    };
    let get = libc::SIOCGHWTSTAMP as libc::Ioctl;
    request(name, "SIOCGHWTSTAMP", get, &mut config).ok()?;
    Some(config)
}

fn request(
    name: &str,
    operation: &'static str,
    request: libc::Ioctl,
    config: &mut libc::hwtstamp_config,
) -> Result<()> {
    let mut argument = request_for(name)?;
    argument.ifr_ifru.ifru_data = std::ptr::from_mut(config).cast();
    let socket = socket::control()?;
    // SAFETY: both requests take an ifreq whose pointer leads to a hwtstamp_config.
    unsafe { socket::ioctl(socket.as_fd(), operation, request, &mut argument) }
        .map_err(|error| known(error, name))
}

/// Which clock stamped a frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The card's, as the frame left.
    Card,
    /// The system's, as the frame was given to the driver.
    System,
}

impl PacketSocket {
    /// Gives received frames the card's stamps, where it has made some; the kernel's else.
    ///
    /// # Errors
    ///
    /// `Os` on a kernel that does not know it.
    pub fn take_card_stamps(&self) -> Result<()> {
        let flags =
            (libc::SOF_TIMESTAMPING_RAW_HARDWARE | libc::SOF_TIMESTAMPING_SOFTWARE) as libc::c_int;
        let name = "PACKET_TIMESTAMP";
        set_option(
            name,
            self.owned(),
            libc::SOL_PACKET,
            PACKET_TIMESTAMP,
            &flags,
        )
    }

    /// Has each frame stamped that is sent from now on.
    ///
    /// # Errors
    ///
    /// `Os` on a kernel that does not know it.
    pub fn stamp_sent(&self, by: By) -> Result<()> {
        let source = match by {
            By::Card => libc::SOF_TIMESTAMPING_TX_HARDWARE | libc::SOF_TIMESTAMPING_RAW_HARDWARE,
            By::System => libc::SOF_TIMESTAMPING_TX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE,
        };
        // The stamp comes without the frame.
        let flags = (source | libc::SOF_TIMESTAMPING_OPT_TSONLY) as libc::c_int;
        let name = "SO_TIMESTAMPING";
        set_option(
            name,
            self.owned(),
            libc::SOL_SOCKET,
            SO_TIMESTAMPING_NEW,
            &flags,
        )
    }

    /// When the frame that was sent last left: seconds and nanoseconds of that clock. Waits for `limit_ns`
    /// at most; None when no stamp has come until then.
    pub fn sent_stamp(&self, by: By, limit_ns: u64) -> Option<(i64, i64)> {
        let end = clock::monotonic_ns() + limit_ns;
        loop {
            if let Some(stamp) = take_stamp(self.owned(), by) {
                return Some(stamp);
            }
            let left = end.checked_sub(clock::monotonic_ns())?;
            // What is in the error queue makes a descriptor ready, whatever is asked for.
            match poll(&[self.as_raw_fd()], Some(left)) {
                Polled::Ready | Polled::Interrupted => {}
                Polled::Timeout | Polled::Failed(_) => return take_stamp(self.owned(), by),
            }
        }
    }

    /// Forgets the stamps that nobody has asked for.
    pub fn forget_sent_stamps(&self) {
        while take_error_message(self.owned()).is_some() {}
    }
}

/// struct scm_timestamping64: by the system, not used, by the card.
type Stamps = [[i64; 2]; 3];

/// Takes messages off the error queue up to the first one with such a stamp.
fn take_stamp(fd: &OwnedFd, by: By) -> Option<(i64, i64)> {
    loop {
        let [system, _, card] = take_error_message(fd)?.unwrap_or_default();
        let stamp = match by {
            By::Card => card,
            By::System => system,
        };
        if stamp != [0, 0] {
            return Some((stamp[0], stamp[1]));
        }
    }
}

/// Takes a message off the error queue: the stamps in it, if it has some. None when no message is there.
fn take_error_message(fd: &OwnedFd) -> Option<Option<Stamps>> {
    // Larger than the two messages that come: stamps (64 bytes), and what they are about (48).
    let mut control = [0u64; 32];
    // SAFETY: msghdr is plain pointers and integers; all zeros is a value of it.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = mem::size_of_val(&control) as _;
    let saved = super::errno();
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: the message has no data part, and a control part of the size given.
    let ret = unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut message, flags) };
    super::set_errno(saved);
    if ret < 0 {
        return None;
    }
    let mut stamps = None;
    // SAFETY: the kernel has filled the control part and says how far; the macros stay within that, and
    // a message of this kind is as long as its structure.
    unsafe {
        let mut head = libc::CMSG_FIRSTHDR(&raw const message);
        while let Some(part) = head.as_ref() {
            let is_stamps =
                part.cmsg_level == libc::SOL_SOCKET && part.cmsg_type == SO_TIMESTAMPING_NEW;
            let len = libc::CMSG_LEN(mem::size_of::<Stamps>() as u32) as _;
            if is_stamps && part.cmsg_len >= len {
                stamps = Some(libc::CMSG_DATA(part).cast::<Stamps>().read_unaligned());
            }
            head = libc::CMSG_NXTHDR(&raw const message, part);
        }
    }
    Some(stamps)
}

/// The clock of a card, /dev/ptpN.
#[derive(Debug)]
pub struct CardClock(OwnedFd);

impl CardClock {
    /// Opens the clock of this number.
    ///
    /// # Errors
    ///
    /// [`Error::Os`] with ENOENT where /dev does not have it, EACCES without the right.
    pub fn open(number: u32, to_set: bool) -> Result<Self> {
        let file = std::fs::File::options()
            .read(true)
            .write(to_set)
            .open(format!("/dev/ptp{number}"))
            .map_err(|error| Error::Os("open the clock", error))?;
        Ok(Self(file.into()))
    }

    /// The clock as clock_gettime(2) names it: the descriptor, inverted, with a mark (FD_TO_CLOCKID of the
    /// kernel's testptp.c).
    fn id(&self) -> libc::clockid_t {
        clock_id(self.0.as_raw_fd())
    }

    /// Its time.
    ///
    /// # Errors
    ///
    /// [`Error::Os`].
    pub fn time(&self) -> Result<libc::timespec> {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is writable.
        super::check("clock_gettime", unsafe {
            libc::clock_gettime(self.id(), &raw mut time)
        })?;
        Ok(time)
    }

    /// Sets it.
    ///
    /// # Errors
    ///
    /// [`Error::Os`].
    pub fn set(&self, time: &libc::timespec) -> Result<()> {
        // SAFETY: `time` is readable.
        super::check("clock_settime", unsafe {
            libc::clock_settime(self.id(), time)
        })
        .map(|_| ())
    }

    /// Moves it, forwards or back.
    ///
    /// # Errors
    ///
    /// [`Error::Os`].
    pub fn adjust(&self, by: &libc::timespec, back: bool) -> Result<()> {
        let mut change = adjustment(by, back);
        // SAFETY: `change` is a timex, read and written.
        super::check("clock_adjtime", unsafe {
            libc::clock_adjtime(self.id(), &raw mut change)
        })
        .map(|_| ())
    }
}

fn clock_id(fd: libc::c_int) -> libc::clockid_t {
    const CLOCKFD: libc::clockid_t = 3;
    (!fd << 3) | CLOCKFD
}

/// What clock_adjtime(2) wants: nanoseconds in the place of microseconds, never below zero.
fn adjustment(by: &libc::timespec, back: bool) -> libc::timex {
    const NANOSECONDS: libc::c_uint = 0x2000; // ADJ_NANO
    let (mut sec, mut nsec) = (by.tv_sec, by.tv_nsec);
    if back {
        (sec, nsec) = (-sec, -nsec);
    }
    sec += nsec.div_euclid(1_000_000_000) as libc::time_t;
    // SAFETY: timex is plain integers; all zeros is a value of it.
    let mut change: libc::timex = unsafe { mem::zeroed() };
    change.modes = libc::ADJ_SETOFFSET | NANOSECONDS;
    change.time.tv_sec = sec;
    change.time.tv_usec = nsec.rem_euclid(1_000_000_000) as _;
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_a_card() {
        let asked = |tx_type, rx_filter, received, sent| {
            let mut config = libc::hwtstamp_config {
                flags: 0,
                tx_type,
                rx_filter,
            };
            adjust(&mut config, received, sent);
            (config.tx_type, config.rx_filter)
        };
        assert_eq!(asked(0, 0, Some(true), None), (0, 1));
        assert_eq!(
            asked(2, 12, Some(true), None),
            (2, 1),
            "what is sent is left alone"
        );
        assert_eq!(asked(0, 12, None, Some(true)), (1, 12));
        assert_eq!(asked(2, 12, None, Some(true)), (2, 12));
        assert_eq!(asked(1, 1, Some(false), Some(false)), (0, 0));
    }

    #[test]
    fn clock_numbers_and_adjustments() {
        assert_eq!(clock_id(0), -5);
        assert_eq!(clock_id(3), (!3 << 3) | 3);
        let by = |tv_sec, tv_nsec, back| {
            let change = adjustment(&libc::timespec { tv_sec, tv_nsec }, back);
            assert_eq!(change.modes, 0x2100);
            (change.time.tv_sec, change.time.tv_usec)
        };
        assert_eq!(by(1, 500_000_000, false), (1, 500_000_000));
        assert_eq!(by(1, 500_000_000, true), (-2, 500_000_000));
        assert_eq!(by(2, 0, true), (-2, 0));
        assert_eq!(by(0, 1, true), (-1, 999_999_999));
        assert_eq!(by(0, 0, true), (0, 0));
    }

    #[test]
    fn a_clock_that_is_not_there() {
        let missing = CardClock::open(4_000, false).err();
        assert!(
            matches!(missing, Some(Error::Os(_, error)) if error.raw_os_error() == Some(libc::ENOENT))
        );
    }

    /// The calls on the clock's descriptor, by the number of a descriptor that is no clock.
    #[test]
    fn what_is_no_clock_is_refused() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let clock = CardClock(file.into());
        let time = libc::timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        assert!(clock.time().is_err());
        assert!(clock.set(&time).is_err());
        assert!(clock.adjust(&time, true).is_err());
    }
}

/// What the kernel answers: not for a test under emulation, which passes these calls on to nobody.
#[cfg(test)]
mod live {
    use super::*;
    use crate::sys::netdev::index_of;
    use crate::sys::netdev::tests::{in_private_namespace, ip};

    #[test]
    fn a_veth_can_do_nothing_and_says_so() {
        in_private_namespace(|| {
            ip("link add va type veth peer name vb");
            let nothing = Support {
                sent: false,
                clock: None,
            };
            assert_eq!(support("va").unwrap(), nothing);
            assert_eq!(support("lo").unwrap(), nothing);
            let refused = set_hardware("va", Some(true), None);
            assert!(
                matches!(&refused, Err(Error::Os("SIOCSHWTSTAMP", error))
                    if error.raw_os_error() == Some(libc::EOPNOTSUPP)),
                "{refused:?}"
            );
        });
        for unknown in [
            support("nope0").err(),
            set_hardware("nope0", None, None).err(),
        ] {
            assert!(
                matches!(unknown, Some(Error::NoSuchDevice(_))),
                "{unknown:?}"
            );
        }
    }

    /// The system's stamps come by the same way as the card's, and a veth makes them.
    #[test]
    fn a_frame_that_is_sent_gets_a_stamp() {
        in_private_namespace(|| {
            ip("link add va type veth peer name vb");
            ip("link set va up");
            ip("link set vb up");
            let Ok(socket) = PacketSocket::open() else {
                eprintln!("skipped: no packet socket");
                return;
            };
            socket.stamp_sent(By::System).unwrap();
            let index = index_of("va").unwrap();
            assert_eq!(
                socket.sent_stamp(By::System, 1_000_000),
                None,
                "nothing sent"
            );
            let mut last = 0;
            for round in 0..10 {
                let before = clock::realtime_ns();
                let sent = loop {
                    // A link that has just come up may not be ready.
                    match socket.send_by(&[2; 60], index) {
                        Ok(bytes) => break bytes,
                        Err(_) => std::thread::sleep(std::time::Duration::from_millis(1)),
                    }
                };
                assert_eq!(sent, 60);
                let stamp = socket.sent_stamp(By::System, 1_000_000_000);
                let (sec, nsec) = stamp.expect("a stamp comes");
                let ns = sec as u64 * 1_000_000_000 + nsec as u64;
                assert!(ns >= last && ns <= clock::realtime_ns(), "round {round}");
                assert!(ns + 1_000_000_000 > before, "round {round}");
                last = ns;
            }
            socket.send_by(&[2; 60], index).unwrap();
            socket.send_by(&[2; 60], index).unwrap();
            socket.forget_sent_stamps();
            assert_eq!(socket.sent_stamp(By::System, 1_000_000), None, "forgotten");
            assert_eq!(socket.sent_stamp(By::Card, 1_000_000), None);
        });
    }

    #[test]
    fn a_socket_takes_card_stamps() {
        match PacketSocket::open() {
            Ok(socket) => socket.take_card_stamps().unwrap(),
            Err(_) => eprintln!("skipped: no packet socket"),
        }
    }
}
