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
const TOOLS: &[(&str, &[&str])] = &[("pfbridge", &["-a", "nosuch0", "-b", "lo"])];
