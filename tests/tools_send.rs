//! pfsend, as built into build/bin (`make tools`): exact counts, the rate asked for, valid
//! checksums, capture files, a clean end on a signal, and errors that name their cause.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::frame::numbered;
use common::pcapfile::{Order, Record, TempFile, pcap};
use common::ring::{RX_ONLY, Ring};
use common::{Form, Lab, Open, Turn, best_of_three, forms, lab};

forms! {
    r72_short_rate_is_kept, r72_full_rate_is_kept => r72;
}

const SOON: Duration = Duration::from_secs(5);
const FAILED: i32 = 255;
const MAGIC: u32 = 0xa1b2_c3d4;
const ETHERNET: u32 = 1;

/// The path of the built tool.
fn tool() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("build/bin/pfsend");
    assert!(path.exists(), "pfsend is not built: run `make` first");
    path
}

/// Starts it in namespace A.
fn start(lab: &Lab, args: &[&str]) -> Child {
    lab.a.run(|| {
        Command::new(tool())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a built tool starts")
    })
}

/// Waits for its end; one that does not end in time is killed and fails the test.
#[track_caller]
fn end(mut child: Child, limit: Duration) -> Output {
    let give_up = Instant::now() + limit;
    while child.try_wait().expect("the child is ours").is_none() {
        if Instant::now() > give_up {
            child.kill().expect("the child is ours");
            panic!("still runs: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("its pipes are ours")
}

#[track_caller]
fn succeeds(lab: &Lab, args: &[&str]) -> String {
    let output = end(start(lab, args), SOON);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("the tool writes text")
}

/// What it says on standard error when it fails.
#[track_caller]
fn fails(lab: &Lab, args: &[&str]) -> String {
    let output = end(start(lab, args), SOON);
    assert_eq!(output.status.code(), Some(FAILED), "{output:?}");
    String::from_utf8(output.stderr).expect("the tool writes text")
}

fn far() -> Ring {
    let ring = Open::on("vb").ring();
    assert_eq!(ring.set_direction(RX_ONLY), 0);
    ring.enable();
    ring
}

/// Frames that the other end of the veth pair got while the tool ran; -n is exact.
fn r72(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    let seconds = form.pick(1, 10);
    for rate in [1_000u64, 10_000, 50_000] {
        let frames = rate * seconds;
        best_of_three(|| {
            let before = lab::rx_packets("vb");
            let child = start(
                &lab,
                &[
                    "-i",
                    "va",
                    "-p",
                    &rate.to_string(),
                    "-n",
                    &frames.to_string(),
                ],
            );
            let arrived = || lab::rx_packets("vb") - before;
            let give_up = Instant::now() + SOON;
            while arrived() == 0 {
                assert!(Instant::now() < give_up, "nothing is sent");
            }
            let first = Instant::now();
            let already = arrived();
            thread::sleep(Duration::from_secs(seconds) * 9 / 10);
            let measured = (arrived() - already) as f64 / first.elapsed().as_secs_f64();

            let output = end(child, Duration::from_secs(seconds) + SOON);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(arrived(), frames, "at {rate} frames/s");
            let share = measured / rate as f64;
            if (share - 1.0).abs() <= 0.05 {
                Ok(())
            } else {
                Err(format!("{measured:.0} frames/s instead of {rate}"))
            }
        });
    }
}

/// As fast as it goes: none too many, none too few.
#[test]
fn sends_exactly_n() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for count in [1, 63, 20_011] {
        let before = lab::rx_packets("vb");
        let text = succeeds(&lab, &["-i", "va", "-n", &count.to_string()]);
        assert!(text.ends_with(&format!("Sent {count} packets\n")), "{text}");
        assert_eq!(lab::rx_packets("vb") - before, count);
    }
}

/// The Internet checksum over bytes that hold a valid one is 0.
fn checksum(parts: &[&[u8]]) -> u16 {
    let bytes = parts.concat();
    let mut sum = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum::<u32>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[test]
fn made_packets_have_valid_checksums() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let far = far();
    succeeds(
        &lab,
        &[
            "-i", "va", "-n", "40", "-V", "0", "-b", "5", "-t", "3", "-l", "101", "-0", "x",
        ],
    );
    for number in 0..40 {
        let got = far.packet(SOON);
        let frame = got.bytes();
        assert_eq!(frame.len(), 101);
        assert_eq!(frame[100], b'x');
        let source = 1 + (number % 5) as u8;
        let udp = if number % 2 == 0 {
            assert_eq!(frame[12..14], [0x08, 0x00]);
            assert_eq!(checksum(&[&frame[14..34]]), 0, "IPv4 header {number}");
            assert_eq!(frame[26..30], [10, 0, 0, source]);
            (&frame[26..34], &frame[34..])
        } else {
            assert_eq!(frame[12..14], [0x86, 0xdd]);
            assert_eq!(frame[34..38], [10, 0, 0, source]);
            (&frame[22..54], &frame[54..])
        };
        let (addresses, udp) = udp;
        let length = [udp[4], udp[5]];
        assert_eq!(usize::from(u16::from_be_bytes(length)), udp.len());
        assert_ne!(udp[6..8], [0, 0]);
        assert_eq!(
            checksum(&[addresses, &[0, 17], &length, udp]),
            0,
            "UDP {number}"
        );
    }
    assert_eq!(far.empty(), 0);
}

#[test]
fn sends_a_file_once() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let records: Vec<Record> = (0..50)
        .map(|number| Record::new(number, 0, numbered(number, 60 + number as usize * 20)))
        .collect();
    let file = TempFile::new(&pcap(Order::Big, MAGIC, ETHERNET, &records));
    let device = file.device();
    let path = device.strip_prefix("pcap:").expect("a file's device");

    let far = far();
    let text = succeeds(&lab, &["-i", "va", "-f", path]);
    assert!(text.contains("Read 50 packets from pcap file"), "{text}");
    for number in 0..50 {
        assert_eq!(
            far.packet(SOON).bytes(),
            numbered(number, 60 + number as usize * 20)
        );
    }
    assert_eq!(far.empty(), 0);
}

#[test]
fn ends_on_a_signal_with_totals() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let before = lab::rx_packets("vb");
        let child = start(&lab, &["-i", "va", "-p", "500"]);
        let give_up = Instant::now() + SOON;
        while lab::rx_packets("vb") - before < 10 {
            assert!(Instant::now() < give_up, "nothing is sent");
        }
        // SAFETY: kill takes numbers; the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let output = end(child, SOON);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let sent = lab::rx_packets("vb") - before;
        assert!(
            text.ends_with(&format!("Sent {sent} packets\n")),
            "{sent}: {text}"
        );
    }
}

#[test]
fn errors_name_device_and_cause() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let text = fails(&lab, &["-i", "nosuch0", "-n", "1"]);
    assert!(
        text.contains("nosuch0") && text.contains("No such device"),
        "{text}"
    );
    let text = fails(&lab, &["-i", "va", "-n", "1", "-l", "9000"]);
    assert!(
        text.contains("va") && text.contains("Message too long"),
        "{text}"
    );
    let text = fails(&lab, &["-i", "va", "-f", "/nonexistent.pcap"]);
    assert!(
        text.contains("/nonexistent.pcap") && text.contains("No such file"),
        "{text}"
    );
    let text = fails(&lab, &["-i", "va", "-p", "fast"]);
    assert!(text.contains("'fast'"), "{text}");
}
