//! The quiet pair: namespaces A and B, joined by veth `va` - `vb`, MTU 1500, IPv6 and ARP off on
//! both ends before they come up, so that an idle link carries no frame at all. `vc` - `vd` is a
//! second such pair, made on request. The test's own thread stays in B.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use super::frame::{DST, SRC, mac};
use super::ns::{Entered, Namespace};
use super::sender::Sender;

/// Whether a test may run beside others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It only counts.
    Shared,
    /// It measures CPU, time or memory: no other test runs meanwhile, not in another binary either.
    Alone,
}

/// A lock on a file in the temporary folder, given back on drop.
pub struct Held {
    _file: File,
}

impl Turn {
    /// Waits for the turn.
    pub fn take(self) -> Held {
        // One for each user: in a shared folder a file of somebody else may not be opened.
        // SAFETY: geteuid takes nothing and cannot fail.
        let user = unsafe { libc::geteuid() };
        let path = std::env::temp_dir().join(format!("pfring-tests-{user}.lock"));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let how = match self {
            Turn::Shared => libc::LOCK_SH,
            Turn::Alone => libc::LOCK_EX,
        };
        // SAFETY: flock takes an open descriptor and a constant; it touches no memory of ours.
        while unsafe { libc::flock(file.as_raw_fd(), how) } != 0 {
            let e = std::io::Error::last_os_error();
            assert_eq!(e.raw_os_error(), Some(libc::EINTR), "flock: {e}");
        }
        Held { _file: file }
    }
}

/// Says on the real stderr, past the capture of the test runner, that a test did not run.
pub fn skip(why: &str) {
    let name = std::thread::current().name().unwrap_or("?").to_owned();
    let _ = writeln!(std::io::stderr(), "SKIP {name}: {why}");
}

/// Two namespaces and what joins them.
pub struct Lab {
    // Dropped in this order: the thread leaves B before B's guard goes, the turn is given back last.
    _inside: Entered,
    pub a: Namespace,
    pub b: Namespace,
    _turn: Held,
}

/// Makes one pair of interfaces, up and without a frame on it.
fn join(a: &Namespace, b: &Namespace, near: &str, far: &str) {
    a.ip(&format!(
        "link add {near} mtu 1500 address {} type veth peer name {far} mtu 1500 address {} netns {}\n\
         link set {near} arp off\n",
        mac(SRC),
        mac(DST),
        b.path()
    ));
    b.ip(&format!("link set {far} arp off\nlink set {far} up\n"));
    a.ip(&format!("link set {near} up\n"));
    a.run(|| wait_running(near));
    b.run(|| wait_running(far));
}

impl Lab {
    /// The pair `va` - `vb`; None, with a line that says why, where the right to make it is missing.
    pub fn quiet(turn: Turn) -> Option<Lab> {
        let turn = turn.take();
        let (a, b) = match (Namespace::new(), Namespace::new()) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(e), _) | (_, Err(e)) => {
                skip(&format!(
                    "no network namespace can be made (CAP_SYS_ADMIN): {e}"
                ));
                return None;
            }
        };
        if let Err(text) = a.try_ip("link set lo down\n") {
            skip(&format!(
                "interfaces cannot be set up (CAP_NET_ADMIN, iproute2): {}",
                text.trim()
            ));
            return None;
        }
        join(&a, &b, "va", "vb");
        let inside = b.enter();
        Some(Lab {
            _inside: inside,
            a,
            b,
            _turn: turn,
        })
    }

    /// Adds the second pair, `vc` in A and `vd` in B.
    pub fn second_pair(&self) {
        join(&self.a, &self.b, "vc", "vd");
    }

    /// A raw sender on `va`.
    pub fn sender(&self) -> Sender {
        Sender::on(&self.a, "va")
    }

    /// Sets the MTU of both ends.
    pub fn mtu(&self, mtu: u32) {
        self.a.ip(&format!("link set va mtu {mtu}\n"));
        self.b.ip(&format!("link set vb mtu {mtu}\n"));
    }

    /// Gives both ends an IPv4 address, 10.9.0.1 on `va` and 10.9.0.2 on `vb`, and tells each the
    /// other's MAC address, so that still no ARP is needed.
    pub fn addresses(&self) {
        for (ns, dev, own, peer, peer_mac) in [
            (&self.a, "va", "10.9.0.1", "10.9.0.2", DST),
            (&self.b, "vb", "10.9.0.2", "10.9.0.1", SRC),
        ] {
            ns.ip(&format!(
                "address add {own}/24 dev {dev}\nneigh add {peer} lladdr {} nud permanent dev {dev}\n",
                mac(peer_mac)
            ));
        }
    }

    /// Takes `vb` down.
    pub fn down(&self) {
        self.b.ip("link set vb down\n");
    }

    /// Takes `vb` up again, and waits until both ends carry frames.
    pub fn up(&self) {
        self.b.ip("link set vb up\n");
        wait_running("vb");
        self.a.run(|| wait_running("va"));
    }
}

/// Index of an interface of the thread's namespace.
pub fn ifindex(dev: &str) -> i32 {
    let name = std::ffi::CString::new(dev).expect("interface names hold no NUL");
    // SAFETY: the name is a NUL-terminated string that outlives the call.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    assert_ne!(index, 0, "no interface {dev}");
    i32::try_from(index).expect("interface indices are positive ints")
}

/// Waits until the kernel calls an interface running: before that it drops what is sent.
pub fn wait_running(dev: &str) {
    let end = Instant::now() + Duration::from_secs(5);
    while !is_running(dev) {
        assert!(Instant::now() < end, "{dev} does not come up");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_running(dev: &str) -> bool {
    // SAFETY: ifreq is plain data; all zero is a valid value.
    let mut req: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in req.ifr_name.iter_mut().zip(dev.bytes()) {
        *to = from as libc::c_char;
    }
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").expect("a UDP socket can be made");
    // SAFETY: the descriptor is open and `req` is a valid ifreq for the length of the call.
    let rc = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS, &raw mut req) };
    assert_eq!(rc, 0, "{dev}: {}", std::io::Error::last_os_error());
    // SAFETY: SIOCGIFFLAGS filled this member of the union.
    let flags = i32::from(unsafe { req.ifr_ifru.ifru_flags });
    flags & libc::IFF_RUNNING != 0
}

/// Packets that an interface of the thread's namespace has received so far.
pub fn rx_packets(dev: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/net/dev").expect("/proc is mounted");
    let line = text
        .lines()
        .find_map(|l| l.trim_start().strip_prefix(dev)?.strip_prefix(':'))
        .unwrap_or_else(|| panic!("no interface {dev}"));
    let packets = line
        .split_whitespace()
        .nth(1)
        .expect("the second counter is packets");
    packets.parse().expect("a counter is a number")
}
