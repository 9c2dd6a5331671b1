//! The readers of pcap and pcapng. Input: the file.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;

use pfring::backend::file::FileRx;
use pfring::backend::{AnyFrame, RxBackend};

pub fn run(data: &[u8]) {
    let file = in_memory(data);
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    for (snaplen, keep) in [(65_600, 1), (20, 7)] {
        read(&path, data.len(), snaplen, keep);
    }
}

fn in_memory(data: &[u8]) -> File {
    // SAFETY: a name that ends with NUL, and constants.
    let fd = unsafe { libc::memfd_create(c"fuzz".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(fd >= 0, "memfd_create: {}", std::io::Error::last_os_error());
    // SAFETY: memfd_create gave us this descriptor, nobody else owns it.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(data).expect("memory for the file");
    file
}

/// Reads to the end, with a release after each `keep` frames.
fn read(path: &std::path::Path, size: usize, snaplen: u32, keep: usize) {
    let Ok(mut file) = FileRx::open(path, snaplen) else {
        return;
    };
    let _ = file.link_type();
    let (mut count, mut bytes) = (0usize, 0usize);
    let mut held = Vec::new();
    while let Ok(frame) = file.next() {
        let frame = frame.expect("a file never has nothing yet");
        assert!(file.available() && file.queued() == 1);
        assert!(frame.caplen <= snaplen && frame.caplen <= frame.len);
        count += 1;
        bytes += frame.caplen as usize;
        // A simple packet block of pcapng has 16 bytes besides its packet, and nothing has less.
        assert!(count * 16 + bytes <= size, "{count} frames of {size} bytes");
        // SAFETY: the frame was not given back.
        let sum = checksum(unsafe { frame.bytes() });
        held.push((frame, sum));
        if held.len() == keep {
            for (frame, sum) in held.drain(..) {
                // SAFETY: as above.
                let now = checksum(unsafe { frame.bytes() });
                assert_eq!(now, sum, "a held frame changed");
            }
            file.release();
        }
    }
    assert!(file.next().is_err(), "the end stays");
    assert_eq!(file.queued(), 0);
    assert!(file.fds().is_empty());
}

/// Touches every byte.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
    })
}
