//! pfmerge, as built into build/bin (`make tools`): two interfaces, one stream in the order of the stamps.

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::sender::Sender;
use common::{Lab, Turn, Worker};

const SECOND: u32 = 10_000_000;
const LONG: Duration = Duration::from_secs(20);

fn pfmerge(args: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("build/bin/pfmerge");
    assert!(path.exists(), "pfmerge is not built: run `make` first");
    let mut command = Command::new(path);
    command.args(args);
    command
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr]
        .map(String::from_utf8_lossy)
        .concat()
}

#[test]
fn two_streams_become_one_in_order() {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let frames = 20_000;
    let total = (2 * frames).to_string();
    let mut tool = pfmerge(&["-i", "vb", "-i", "vd", "-q", "-N", &total])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a built tool starts");
    let mut lines = BufReader::new(tool.stdout.take().expect("stdout is piped")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "Merging");
    let senders = [(lab.sender(), 0), (Sender::on(&lab.a, "vc"), SECOND)];
    for worker in senders
        .map(|(sender, first)| Worker::start(move || sender.paced(first..first + frames, 20_000)))
    {
        worker.finish(LONG);
    }
    let last = lines.next().expect("a line").expect("text");
    assert!(tool.wait().expect("it ends").success());
    let expected = format!("Merged {total} packets, ");
    assert!(last.starts_with(&expected), "{last}");
    assert!(
        last.ends_with("2 devices; 0 out of order; 0 dropped"),
        "{last}"
    );
}

#[test]
fn the_stream_is_written_and_a_signal_ends_it() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    let path = std::env::temp_dir().join(format!("pfmerge-{}.pcapng", std::process::id()));
    let file = path.to_str().expect("a path of plain letters");
    let mut tool = pfmerge(&[
        "-i",
        "vb",
        "-i",
        "vd",
        "-w",
        file,
        "-f",
        "ether proto 0x88b5",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .expect("a built tool starts");
    let mut lines = BufReader::new(tool.stdout.take().expect("stdout is piped")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "Merging");
    lab.sender().numbers(0..100);
    Sender::on(&lab.a, "vc").numbers(SECOND..SECOND + 50);
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: kill takes numbers; the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::kill(tool.id() as i32, libc::SIGINT) }, 0);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(tool.wait().expect("it ends").success());
    let last = rest.last().expect("totals");
    assert!(
        last.starts_with("Merged 150 packets, 9000 bytes, from 2 devices; 0 out"),
        "{last}"
    );
    let ring = common::Open::on(&format!("pcap:{file}")).enabled();
    let mut numbers: Vec<u32> = (0..150).map(|_| ring.recv(false).number()).collect();
    numbers.sort_unstable();
    let expected: Vec<u32> = (0..100).chain(SECOND..SECOND + 50).collect();
    assert_eq!(numbers, expected);
    std::fs::remove_file(path).expect("the file is there");
}

#[test]
fn errors_name_the_device_and_the_cause() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for (args, word) in [
        (&["-i", "vb"][..], "at least twice"),
        (&["-i", "vb", "-i", "no-such-if"], "no-such-if"),
        (&["-i", "vb", "-i", "lo", "-f", "no such filter"], "vb"),
        (
            &["-i", "vb", "-i", "lo", "-w", "/no/such/folder/file"],
            "/no/such/folder/file",
        ),
    ] {
        let run = pfmerge(args).output().expect("a built tool starts");
        assert_eq!(run.status.code(), Some(255), "{args:?}: {}", text(&run));
        assert!(text(&run).contains(word), "{args:?}: {}", text(&run));
    }
}
