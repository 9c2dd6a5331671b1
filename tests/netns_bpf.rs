//! The accelerated tap (PFRING_BACKEND=bpf), beside what all backends have in common: what is attached, and for
//! how long; who may attach; that the host's own traffic goes on.

mod common;

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::Stdio;
use std::time::Duration;

use common::frame::{MIN, numbered, tagged};
use common::lab::{ifindex, skip};
use common::ring::PROMISC;
use common::{Lab, Open, Turn, backends, child};

const SOON: Duration = Duration::from_secs(5);
const INGRESS: u32 = 46;
const EGRESS: u32 = 47;

/// The lab; None, with a line, where programs cannot be loaded.
fn lab(turn: Turn) -> Option<Lab> {
    let lab = Lab::quiet(turn)?;
    if !backends().contains(&Some("bpf")) {
        skip("no BPF ring here (Linux 6.6, CAP_BPF, CAP_NET_ADMIN)");
        return None;
    }
    Some(lab)
}

fn tap(device: &str) -> Open {
    Open::on(device).backend(Some("bpf"))
}

/// How many programs are attached to one side of an interface.
fn attached(device: &str, hook: u32) -> u32 {
    const PROG_QUERY: libc::c_int = 16;
    /// The part of `union bpf_attr` that it reads and writes, up to the revision.
    #[repr(C)]
    #[derive(Default)]
    struct Query {
        ifindex: u32,
        attach_type: u32,
        query_flags: u32,
        attach_flags: u32,
        prog_ids: u64,
        count: u32,
        padding: u32,
        prog_attach_flags: u64,
        link_ids: u64,
        link_attach_flags: u64,
        revision: u64,
    }
    let mut query = Query {
        ifindex: ifindex(device) as u32,
        attach_type: hook,
        ..Query::default()
    };
    // SAFETY: `query` is readable and writable for its size and holds no pointer.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            PROG_QUERY,
            &raw mut query,
            size_of::<Query>(),
        )
    };
    assert_eq!(ret, 0, "{}", std::io::Error::last_os_error());
    query.count
}

#[test]
fn programs_are_there_while_the_ring_captures() {
    let Some(_lab) = lab(Turn::Shared) else {
        return;
    };
    let count = || (attached("vb", INGRESS), attached("vb", EGRESS));
    let ring = tap("vb").ring();
    assert_eq!(count(), (0, 0), "before enable");
    ring.enable();
    assert_eq!(count(), (1, 1), "while it captures");
    let second = tap("vb").enabled();
    assert_eq!(count(), (2, 2), "two rings");
    assert_eq!(ring.set_bpf_filter("udp"), 0);
    assert_eq!(count(), (2, 2), "a filter replaces a program");
    drop(ring);
    assert_eq!(count(), (1, 1));
    drop(second);
    assert_eq!(count(), (0, 0), "after close");
}

#[test]
fn a_killed_process_leaves_nothing_attached() {
    const NAME: &str = "a_killed_process_leaves_nothing_attached";
    if child::role().is_some() {
        let _ring = tap("vb").flags(PROMISC).enabled();
        println!("CAPTURING");
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let Some(_lab) = lab(Turn::Shared) else {
        return;
    };
    let mut process = child::again(NAME, "capture")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test starts again");
    let out = BufReader::new(process.stdout.take().expect("stdout is piped"));
    let seen = out.lines().map_while(Result::ok);
    assert!(seen.into_iter().any(|line| line.contains("CAPTURING")));
    assert_eq!(attached("vb", INGRESS), 1);
    process.kill().expect("SIGKILL");
    process.wait().expect("it is gone");
    assert_eq!((attached("vb", INGRESS), attached("vb", EGRESS)), (0, 0));
}

#[test]
fn without_the_rights_the_open_fails_and_says_what_is_missing() {
    const NAME: &str = "without_the_rights_the_open_fails_and_says_what_is_missing";
    const CAP_NET_RAW: u64 = 1 << 13;
    if child::role().is_some() {
        child::become_user(CAP_NET_RAW);
        assert_eq!(tap("vb").open().err(), Some(libc::EPERM));
        assert!(Open::on("vb").open().is_ok(), "a tap of packets needs less");
        return;
    }
    let Some(_lab) = lab(Turn::Shared) else {
        return;
    };
    let said = child::passes(NAME, "user");
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("CAP_BPF"))
        .collect();
    assert!(
        matches!(lines[..], [line] if line.contains("CAP_NET_ADMIN") && line.contains("vb")),
        "{said}"
    );
}

#[test]
fn any_has_no_hook() {
    let Some(_lab) = lab(Turn::Shared) else {
        return;
    };
    assert_eq!(tap("any").open().err(), Some(libc::ENOTSUP));
}

/// R68: the host still answers what is captured.
#[test]
fn r68_the_host_goes_on() {
    let Some(lab) = lab(Turn::Shared) else {
        return;
    };
    lab.a.ip("address add 10.9.0.1/24 dev va\nneigh add 10.9.0.2 lladdr 02:00:00:00:00:02 nud permanent dev va\n");
    lab.b.ip("address add 10.9.0.2/24 dev vb\nneigh add 10.9.0.1 lladdr 02:00:00:00:00:01 nud permanent dev vb\n");
    let ring = tap("vb").enabled();
    let server = UdpSocket::bind("10.9.0.2:7").expect("a server");
    let client = lab
        .a
        .run(|| UdpSocket::bind("10.9.0.1:0").expect("a client"));
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(SOON)).expect("a limit");
    }
    let mut buffer = [0; 64];
    for round in 0..100u8 {
        client
            .send_to(&[round; 20], "10.9.0.2:7")
            .expect("a request");
        let (len, from) = server.recv_from(&mut buffer).expect("it arrives");
        server.send_to(&buffer[..len], from).expect("an answer");
        let (len, _) = client.recv_from(&mut buffer).expect("it comes back");
        assert_eq!(buffer[..len], [round; 20]);
    }
    let (mut requests, mut answers) = (0, 0);
    while requests + answers < 200 {
        let packet = ring.packet(SOON);
        match packet.header.extended_hdr.rx_direction {
            1 => requests += 1,
            _ => answers += 1,
        }
    }
    assert_eq!((requests, answers, ring.empty()), (100, 100, 0));
}

/// Every size class, tagged and not, at its edges.
#[test]
fn frames_of_every_size_are_whole() {
    let Some(lab) = lab(Turn::Shared) else {
        return;
    };
    lab.a.ip("link set va mtu 9216\n");
    lab.b.ip("link set vb mtu 9216\n");
    let ring = tap("vb").caplen(65_535).enabled();
    let sender = lab.sender();
    let edges = [MIN, 64, 128, 256, 512, 1024, 1536, 2304, 4096, 9216];
    let sizes = edges.iter().flat_map(|size| [size - 1, *size, size + 1]);
    for len in sizes.filter(|len| *len >= 20) {
        for tags in [&[][..], &[(0x8100, 0x6064)], &[(0x88a8, 7), (0x8100, 8)]] {
            let frame = tagged(&numbered(1, len), tags);
            sender.send(&frame);
            let packet = ring.packet(SOON);
            assert_eq!(packet.bytes(), frame, "{len} bytes, tags {tags:?}");
            assert_eq!(packet.header.len as usize, len);
        }
    }
    assert_eq!(ring.stats().drop, 0);
}
