//! A differential run: libpcap and this library on one interface see the same traffic of many
//! protocols alike: the same packets, bytes, lengths and stamps, and the same verdicts of filters.

#[path = "../common/mod.rs"]
mod common;

mod libpcap;
mod traffic;

use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use common::frame::numbered;
use common::lab::rx_packets;
use common::sender::Sender;
use common::{Lab, Open, Ring, Turn, backends};
use libpcap::Capture;
use traffic::{FILTERS, mixed};

const SOON: Duration = Duration::from_secs(5);

/// What a program is told of a packet.
#[derive(PartialEq, Eq, Clone, Debug)]
pub struct Seen {
    /// Arrival, nanoseconds since 1970.
    pub ts_ns: u64,
    /// Bytes on the wire.
    pub len: u32,
    /// The bytes that were kept.
    pub bytes: Vec<u8>,
}

/// libpcap and one ring for each mechanism, on `vb`.
struct Both {
    lab: Lab,
    sender: Sender,
    pcap: Capture,
    rings: Vec<(&'static str, Ring)>,
    /// Makes the kernel stamp each frame once, for all sockets.
    _stamped: UdpSocket,
}

impl Both {
    /// None, with a line that says why, where that cannot be.
    fn open(snaplen: u32) -> Option<Both> {
        let lab = Lab::quiet(Turn::Shared)?;
        let stamped = stamp_once();
        let pcap = match Capture::open("vb", snaplen) {
            Ok(pcap) => pcap,
            Err(why) => {
                common::lab::skip(&why);
                return None;
            }
        };
        let rings = backends()
            .into_iter()
            .map(|backend| {
                let ring = Open::on("vb").caplen(snaplen).backend(backend).enabled();
                (backend.unwrap_or("auto"), ring)
            })
            .collect();
        let sender = lab.sender();
        let both = Both {
            lab,
            sender,
            pcap,
            rings,
            _stamped: stamped,
        };
        both.wait_for_common_stamps();
        Some(both)
    }

    /// The kernel begins to stamp a little after it was asked to.
    fn wait_for_common_stamps(&self) {
        let end = Instant::now() + SOON;
        let mut alike = 0;
        while alike < 3 {
            let probe = self.exchange(&[numbered(1, 60)]);
            let same = probe[1..].iter().all(|(_, seen)| *seen == probe[0].1);
            alike = if same { alike + 1 } else { 0 };
            assert!(
                Instant::now() < end,
                "the stamps never became the same: {probe:?}"
            );
        }
    }

    /// Sends frames; what libpcap and each ring saw of them, libpcap first.
    fn exchange(&self, frames: &[Vec<u8>]) -> Vec<(&'static str, Vec<Seen>)> {
        let before = rx_packets("vb");
        for frame in frames {
            self.sender.send(frame);
        }
        let end = Instant::now() + SOON;
        while rx_packets("vb") < before + frames.len() as u64 {
            assert!(Instant::now() < end, "{} never arrive", frames.len());
            std::thread::sleep(Duration::from_micros(200));
        }
        // What has been counted is seen a moment later; a block by its timer, 10 ms.
        let by_pcap = quiet(|| self.pcap.next());
        let mut all = vec![("libpcap", by_pcap)];
        for (name, ring) in &self.rings {
            all.push((name, quiet(|| next(ring))));
        }
        all
    }

    /// The same, and that all saw the same.
    #[track_caller]
    fn agree(&self, case: &str, frames: &[Vec<u8>]) -> Vec<Seen> {
        let mut all = self.exchange(frames);
        let (_, by_pcap) = all.remove(0);
        for (name, by_ring) in all {
            assert_eq!(by_ring.len(), by_pcap.len(), "{case}, {name}: packets");
            for (ours, theirs) in by_ring.iter().zip(&by_pcap) {
                assert_eq!(ours, theirs, "{case}, {name}");
            }
        }
        by_pcap
    }
}

/// Everything that comes until nothing has come for 30 ms.
fn quiet(mut next: impl FnMut() -> Option<Seen>) -> Vec<Seen> {
    const SILENCE: Duration = Duration::from_millis(30);
    let mut all = Vec::new();
    let mut last = Instant::now();
    while last.elapsed() < SILENCE {
        match next() {
            Some(seen) => {
                all.push(seen);
                last = Instant::now();
            }
            None => std::thread::sleep(Duration::from_micros(200)),
        }
        assert!(all.len() < 100_000, "far more than was sent");
    }
    all
}

fn next(ring: &Ring) -> Option<Seen> {
    let got = ring.recv(false);
    assert!(got.rc >= 0, "pfring_recv: {}", got.rc);
    (got.rc == 1).then(|| {
        let header = got.header;
        let micros = header.ts.tv_sec as u64 * 1_000_000 + header.ts.tv_usec as u64;
        let ts_ns = header.extended_hdr.timestamp_ns;
        assert_eq!(ts_ns / 1000, micros, "both stamps of the header");
        Seen {
            ts_ns,
            len: header.len,
            bytes: got.bytes().to_vec(),
        }
    })
}

/// A socket that asks for stamps. As long as there is one, the kernel stamps a frame when it arrives, and
/// not once for each socket that gets it.
fn stamp_once() -> UdpSocket {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a UDP socket can be made");
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open and the value is an int of the size given.
    let rc = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    assert_eq!(rc, 0, "SO_TIMESTAMPNS: {}", std::io::Error::last_os_error());
    socket
}

fn frames() -> Vec<Vec<u8>> {
    mixed().into_iter().map(|(_, frame)| frame).collect()
}

#[test]
fn the_same_packets_bytes_lengths_and_stamps() {
    let protocols = mixed();
    assert!(protocols.len() >= 20, "{} protocols", protocols.len());
    let Some(both) = Both::open(65_535) else {
        return;
    };
    let seen = both.agree("mixed", &frames());
    assert_eq!(seen.len(), protocols.len());
    for (seen, (protocol, sent)) in seen.iter().zip(&protocols) {
        assert_eq!(&seen.bytes, sent, "{protocol}: as on the wire");
        assert_eq!(seen.len as usize, sent.len(), "{protocol}");
    }
    drop(both.lab);
}

#[test]
fn the_same_cut_to_a_snap_length() {
    for snaplen in [40, 96] {
        let Some(both) = Both::open(snaplen) else {
            return;
        };
        let seen = both.agree("cut", &frames());
        assert_eq!(seen.len(), frames().len());
        for (seen, sent) in seen.iter().zip(frames()) {
            assert_eq!(seen.bytes, sent[..sent.len().min(snaplen as usize)]);
            assert_eq!(seen.len as usize, sent.len());
        }
    }
}

#[test]
fn the_same_filter_verdicts() {
    assert!(FILTERS.len() >= 50, "{} filters", FILTERS.len());
    let Some(both) = Both::open(65_535) else {
        return;
    };
    let frames = frames();
    let (mut never, mut always) = (Vec::new(), Vec::new());
    for filter in FILTERS {
        both.pcap.filter(filter);
        for (name, ring) in &both.rings {
            assert_eq!(ring.set_bpf_filter(filter), 0, "{filter}, {name}");
        }
        match both.agree(filter, &frames).len() {
            0 => never.push(filter),
            n if n == frames.len() => always.push(filter),
            _ => {}
        }
    }
    // A filter that lets all or nothing through shows little.
    assert!(
        never.is_empty() && always.is_empty(),
        "never {never:?}, always {always:?}"
    );
}
