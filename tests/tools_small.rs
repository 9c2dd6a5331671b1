//! The small C tools, as built into build/bin (`make tools`): preflect and alldevs.

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::frame::{MIN, numbered, tagged};
use common::ring::RX_ONLY;
use common::{Lab, Open, Turn};

const SOON: Duration = Duration::from_secs(5);

fn tool(name: &str, args: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("build/bin")
        .join(name);
    assert!(path.exists(), "{name} is not built: run `make` first");
    let mut command = Command::new(path);
    command.args(args);
    command
}

fn interrupt(child: &std::process::Child) {
    // SAFETY: kill takes numbers; the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
}

#[test]
fn preflect_passes_every_frame_on_as_it_is() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    let far = lab.a.run(|| Open::on("vc").ring());
    assert_eq!(far.set_direction(RX_ONLY), 0);
    far.enable();
    let mut preflect = tool("preflect", &["-i", "vb", "-o", "vd"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a built tool starts");
    let mut lines = BufReader::new(preflect.stdout.take().expect("stdout is piped")).lines();
    assert_eq!(
        lines.next().expect("a line").expect("text"),
        "Capturing from vb"
    );
    let sender = lab.sender();
    for number in 0..300u32 {
        let frame = numbered(number, MIN + number as usize * 4);
        let frame = if number.is_multiple_of(3) {
            tagged(&frame, &[(0x8100, 7)])
        } else {
            frame
        };
        sender.send(&frame);
        let got = far.packet(SOON);
        assert_eq!(got.bytes(), frame, "frame {number}");
    }
    interrupt(&preflect);
    let last = lines.map_while(Result::ok).last();
    assert_eq!(
        last.as_deref(),
        Some("300 received, 300 sent, 0 refused, 0 cut")
    );
    assert!(preflect.wait().expect("it ends").success());
}

#[test]
fn alldevs_lists_and_ends_on_a_signal() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let once = tool("alldevs", &["-1"])
        .output()
        .expect("a built tool starts");
    let text = String::from_utf8_lossy(&once.stdout).into_owned();
    assert!(once.status.success());
    assert!(
        text.lines()
            .any(|line| line.ends_with(". vb (pf_ring, up)")),
        "{text}"
    );
    let mut again = tool("alldevs", &[])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(again.stdout.take().expect("stdout is piped")).lines();
    assert!(
        lines
            .next()
            .expect("a line")
            .expect("text")
            .starts_with("1. ")
    );
    interrupt(&again);
    assert!(again.wait().expect("it ends").success());
}

#[test]
fn errors_name_the_device_and_the_cause() {
    for (name, args, word) in [
        ("preflect", &["-i", "vb"][..], "-o <device>"),
        ("preflect", &["-i", "no-such-if", "-o", "lo"], "no-such-if"),
        ("alldevs", &["-z"], "z"),
    ] {
        let run = tool(name, args).output().expect("a built tool starts");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(255), "{name} {args:?}: {said}");
        assert!(said.contains(word), "{name} {args:?}: {said}");
    }
}
