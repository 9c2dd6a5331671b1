//! The C tools that forward, record and count, as built into build/bin (`make tools`): exact counts,
//! bytes and order, and a clean end on a signal.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use common::frame::{numbered, tagged};
use common::pcapfile::{Order, Record, pcap};
use common::ring::{RX_ONLY, Ring};
use common::sender::Sender;
use common::worker::Worker;
use common::{Form, Lab, Open, Turn, forms};

forms! {
    pfbridge_loses_nothing, full_pfbridge_loses_nothing => bridge_by_last_packet;
    pfbridge_p_loses_nothing, full_pfbridge_p_loses_nothing => bridge_by_send;
}

const SOON: Duration = Duration::from_secs(5);

/// The path of a built tool.
fn tool(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("build/bin")
        .join(name);
    assert!(path.exists(), "{name} is not built: run `make` first");
    path
}

/// A running tool, killed on drop if it has not ended.
struct Running {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Starts it in the namespace of the thread; stdout and stderr come line by line, as one.
    fn start(name: &str, args: &[&str]) -> Running {
        let mut child = Command::new(tool(name))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a built tool starts");
        let (to, lines) = mpsc::channel();
        let out = child.stdout.take().expect("stdout is piped");
        let err = child.stderr.take().expect("stderr is piped");
        for pipe in [
            Box::new(out) as Box<dyn Read + Send>,
            Box::new(err) as Box<dyn Read + Send>,
        ] {
            let to = to.clone();
            thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let _ = to.send(line);
                }
            });
        }
        Running {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for a line that begins so, and gives the whole line.
    #[track_caller]
    fn line(&mut self, start: &str) -> String {
        let end = Instant::now() + SOON;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.starts_with(start) {
                        return line;
                    }
                }
                Err(e) => panic!("no line {start:?}: {e}\n{}", self.seen.join("\n")),
            }
        }
    }

    fn signal(&self, signal: i32) {
        // SAFETY: kill takes numbers; the child is ours and has not been waited for.
        let rc = unsafe { libc::kill(self.child.id() as i32, signal) };
        assert_eq!(rc, 0, "kill: {}", std::io::Error::last_os_error());
    }

    /// Waits for the end and wants success; gives every line so far.
    #[track_caller]
    fn ends(mut self) -> Vec<String> {
        let end = Instant::now() + SOON;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                break status;
            }
            assert!(Instant::now() < end, "still runs: {:?}", self.seen);
            thread::sleep(Duration::from_millis(5));
        };
        // The readers end with the pipes.
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            self.seen.push(line);
        }
        assert!(status.success(), "{status}\n{}", self.seen.join("\n"));
        std::mem::take(&mut self.seen)
    }

    /// Sends a signal and waits for a good end.
    #[track_caller]
    fn stop(self, signal: i32) -> Vec<String> {
        self.signal(signal);
        self.ends()
    }
}

/// Runs a tool that ends by itself.
fn run(name: &str, args: &[&str]) -> Output {
    Command::new(tool(name))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("a built tool starts")
}

#[track_caller]
fn has(lines: &[String], wanted: &str) {
    assert!(
        lines.iter().any(|line| line == wanted),
        "no line {wanted:?} in\n{}",
        lines.join("\n")
    );
}

fn receiving(device: &str) -> Ring {
    let ring = Open::on(device).ring();
    assert_eq!(ring.set_direction(RX_ONLY), 0);
    ring.enable();
    ring
}

/// Mixed sizes up to a full frame, two of five with tags.
fn frame(number: u32) -> Vec<u8> {
    let plain = numbered(number, [60, 128, 590, 1_500][number as usize % 4]);
    match number % 5 {
        3 => tagged(&plain, &[(0x8100, 42)]),
        4 => tagged(&plain, &[(0x88a8, 3), (0x8100, 8)]),
        _ => plain,
    }
}

fn total_bytes(frames: u32) -> usize {
    (0..frames).map(|number| frame(number).len()).sum()
}

/// About 20,000 a second, which two CPUs can send, pass on and read both ways.
fn send_paced(sender: &Sender, frames: u32) {
    for number in 0..frames {
        if number % 20 == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        sender.send(&frame(number));
    }
}

fn expect(far: &Ring, frames: u32) {
    for number in 0..frames {
        let got = far.packet(SOON);
        assert_eq!(got.number(), number);
        assert_eq!(got.bytes(), frame(number), "frame {number}");
    }
}

fn bridge_by_last_packet(form: Form) {
    bridge(form, &[]);
}

fn bridge_by_send(form: Form) {
    bridge(form, &["-p"]);
}

/// Two of them are a bridge: frames both ways at once keep bytes and order, none is lost or looped.
fn bridge(form: Form, extra: &[&str]) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let frames: u32 = form.pick(5_000, 1_000_000);
    let limit = form.pick(SOON * 10, Duration::from_secs(600));
    let tools = [("vb", "vd"), ("vd", "vb")].map(|(from, to)| {
        let args = [&["-a", from, "-b", to], extra].concat();
        let mut running = Running::start("pfbridge", &args);
        running.line("Forwarding from");
        (running, from, to)
    });
    let ends = [("va", "vc"), ("vc", "va")].map(|(from, to)| {
        let (sender, far) = (Sender::on(&lab.a, from), lab.a.run(|| receiving(to)));
        (
            Worker::start(move || send_paced(&sender, frames)),
            Worker::start(move || {
                expect(&far, frames);
                far
            }),
        )
    });
    let far = ends.map(|(sending, expecting)| {
        sending.finish(limit);
        expecting.finish(limit)
    });
    for (running, from, to) in tools {
        let lines = running.stop(libc::SIGTERM);
        let bytes = total_bytes(frames);
        has(
            &lines,
            &format!("Forwarded {frames} packets, {bytes} bytes from {from} to {to}"),
        );
        has(
            &lines,
            "Not forwarded: 0 lost on receipt, 0 cut, 0 too long, 0 refused",
        );
    }
    for ring in far {
        assert_eq!(ring.empty(), 0, "none is looped");
    }
}

/// A filter, the bridge's rate line, and what is too long for the way out.
#[test]
fn pfbridge_filters_and_counts_what_it_cannot_send() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    lab.mtu(3_000);
    for extra in [&[][..], &["-p"]] {
        let far = lab.a.run(|| receiving("vc"));
        let args = [&["-a", "vb", "-b", "vd", "-f", "greater 100"], extra].concat();
        let mut running = Running::start("pfbridge", &args);
        running.line("Forwarding from");
        let sender = lab.sender();
        for (number, len) in [(0, 60), (1, 200), (2, 2_900), (3, 1_500), (4, 60)] {
            sender.send(&numbered(number, len));
        }
        assert_eq!(far.numbers(2, SOON), [1, 3]);
        running.line("2 pps");
        let lines = running.stop(libc::SIGINT);
        has(&lines, "Forwarded 2 packets, 1700 bytes from vb to vd");
        has(
            &lines,
            "Not forwarded: 0 lost on receipt, 0 cut, 1 too long, 0 refused",
        );
        assert_eq!(far.empty(), 0);
    }
}

/// A folder of this test's own, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = format!("pfring-tools-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        std::fs::create_dir(&path).expect("the temporary folder is writable");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("a UTF-8 path").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The packets of a capture file, as the library's own reader gives them.
fn read_back(path: &str) -> Vec<Vec<u8>> {
    let ring = Open::on(&format!("pcap:{path}")).enabled();
    let mut packets = Vec::new();
    loop {
        let got = ring.recv(true);
        if got.rc < 1 {
            assert_eq!(
                (got.rc, got.errno),
                (-2, libc::ENODATA),
                "the end of {path}"
            );
            return packets;
        }
        packets.push(got.bytes().to_vec());
    }
}

/// Exactly the frames that were sent are in the file, in both formats, ended by a signal or a count.
#[test]
fn pfdump_records_what_is_sent() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let folder = Folder::new("dump");
    let sent: Vec<_> = (0..2_000).map(frame).collect();
    for name in ["a.pcap", "b.pcapng"] {
        let path = folder.file(name);
        let mut running = Running::start("pfdump", &["-i", "vb", "-w", &path, "-s", "0"]);
        running.line("# Device RX channels");
        wait_for_file(&path);
        send_paced(&lab.sender(), 2_000);
        running.line("1 sec pkts");
        let lines = running.stop(libc::SIGINT);
        let bytes = total_bytes(2_000);
        has(
            &lines,
            &format!("Recorded 2000 packets, {bytes} bytes, in 1 file; 0 dropped"),
        );
        assert!(
            read_back(&path) == sent,
            "{name} differs from what was sent"
        );
    }
}

/// The file appears just before the ring is enabled; packets are recorded from then on.
fn wait_for_file(path: &str) {
    let end = Instant::now() + SOON;
    while !Path::new(path).exists() {
        assert!(Instant::now() < end, "{path} does not appear");
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(200));
}

/// By size: no file beyond the limit, no packet lost between two, only the newest are kept. Cut at
/// the snap length.
#[test]
fn pfdump_rotates_by_size_and_time() {
    let folder = Folder::new("rotate");
    let source = folder.file("source.pcap");
    let count = 5_000u32;
    let records: Vec<_> = (0..count)
        .map(|n| Record::new(1_000 + n / 1_000, 0, frame(n)))
        .collect();
    let file = pcap(Order::Little, 0xa1b2_c3d4, 1, &records);
    std::fs::write(&source, file).expect("the folder is writable");
    let device = format!("pcap:{source}");

    // 5,000 packets of 569.5 bytes, with 16 bytes each in pcap: 2.93 MB; padded to 570, with 32 bytes
    // each in pcapng: 3.01 MB.
    for (format, expected) in [("pcap", 3), ("pcapng", 4)] {
        let base = folder.file(format);
        let args = [
            "-i", &device, "-w", &base, "-s", "0", "-C", "1", "-F", format,
        ];
        let done = run("pfdump", &args);
        assert!(done.status.success(), "{done:?}");
        let files: Vec<_> = (1..)
            .map(|index| format!("{base}.{index}"))
            .take_while(|path| Path::new(path).exists())
            .collect();
        assert_eq!(files.len(), expected, "{format}");
        for path in &files {
            let size = std::fs::metadata(path).expect("it exists").len();
            assert!(size <= 1_000_000, "{path}: {size}");
        }
        let all: Vec<_> = files.iter().flat_map(|path| read_back(path)).collect();
        assert!(all.iter().zip(0..count).all(|(got, n)| *got == frame(n)));
        assert_eq!(all.len(), count as usize);
    }

    let base = folder.file("time");
    let args = ["-i", &device, "-w", &base, "-s", "64", "-G", "1", "-W", "2"];
    let done = run("pfdump", &args);
    assert!(done.status.success(), "{done:?}");
    for index in 1..=3 {
        assert!(!Path::new(&format!("{base}.{index}")).exists(), "{index}");
    }
    for (index, first) in [(4, 3_000), (5, 4_000)] {
        let cut: Vec<_> = (first..first + 1_000)
            .map(|n| frame(n)[..frame(n).len().min(64)].to_vec())
            .collect();
        assert!(read_back(&format!("{base}.{index}")) == cut, "file {index}");
    }
}

/// Each tool: help with status 0; wrong use and a missing device end with 255 and say why.
#[test]
fn tools_explain_themselves() {
    for (name, args) in TOOLS {
        let help = run(name, &["-h"]);
        assert!(help.status.success(), "{name} -h");
        let text = String::from_utf8_lossy(&help.stdout).into_owned();
        assert!(text.starts_with(&format!("{name} - ")), "{name}: {text}");
        assert_eq!(run(name, &["-?"]).status.code(), Some(255), "{name} -?");
        if !args.is_empty() {
            let missing = run(name, args);
            assert_eq!(missing.status.code(), Some(255), "{name} {args:?}");
            let text = String::from_utf8_lossy(&missing.stderr).into_owned();
            assert!(text.contains("nosuch0"), "{name}: {text}");
        }
    }
}

/// The tools, and arguments that name a device that does not exist.
const TOOLS: &[(&str, &[&str])] = &[
    ("pfbridge", &["-a", "nosuch0", "-b", "lo"]),
    ("pfdump", &["-i", "nosuch0", "-w", "/dev/null"]),
];
