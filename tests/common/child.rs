//! A test that needs a process of its own (other rights, clean output) starts its own binary again
//! with one test and a role in the environment.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;

const ROLE: &str = "PFRING_TEST_ROLE";

/// The role that this process was started for, if it is such a child.
pub fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// A command that runs only `test` of this binary, ignored or not, in `role`. It stays in the
/// network namespace of the thread that spawns it.
pub fn again(test: &str, role: &str) -> Command {
    let exe = std::env::current_exe().expect("a test knows its own binary");
    let mut command = Command::new(exe);
    command
        .args([
            "--exact",
            test,
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
            "--quiet",
        ])
        .env(ROLE, role);
    command
}

/// Runs [`again`] to its end; it must succeed. Gives what it wrote to stderr.
#[track_caller]
pub fn passes(test: &str, role: &str) -> String {
    let run = again(test, role).output().expect("the test starts again");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (stdout, stderr) = (text(run.stdout), text(run.stderr));
    assert!(
        run.status.success(),
        "{test} as {role}: {:?}\n{stdout}\n{stderr}",
        run.status
    );
    stderr
}

/// What `f` writes to descriptor 1, whoever writes it. Only for a child with a single test: the
/// descriptor belongs to the whole process.
pub fn stdout_of(f: impl FnOnce()) -> Vec<u8> {
    let name = CString::new("stdout").expect("no NUL");
    // SAFETY: the name is NUL-terminated and outlives the call.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    assert!(fd >= 0, "memfd_create: {}", io::Error::last_os_error());
    // SAFETY: memfd_create gave us this descriptor, nobody else owns it.
    let mut file = unsafe { File::from_raw_fd(fd) };
    flush();
    // SAFETY: dup and dup2 take descriptors; they touch no memory of ours.
    let saved = unsafe { libc::dup(1) };
    assert!(saved >= 0, "dup: {}", io::Error::last_os_error());
    // SAFETY: dup gave us this descriptor, nobody else owns it.
    let saved = unsafe { OwnedFd::from_raw_fd(saved) };
    replace_stdout(&file);
    f();
    flush();
    replace_stdout(&saved);
    let mut written = Vec::new();
    file.rewind()
        .and_then(|()| file.read_to_end(&mut written))
        .expect("a memfd is readable");
    written
}

fn replace_stdout(with: &impl AsRawFd) {
    // SAFETY: dup2 takes two descriptors; it touches no memory of ours.
    let rc = unsafe { libc::dup2(with.as_raw_fd(), 1) };
    assert_eq!(rc, 1, "dup2: {}", io::Error::last_os_error());
}

fn flush() {
    io::Write::flush(&mut io::stdout()).expect("stdout can be flushed");
    // SAFETY: NULL flushes every stream of the C library.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Turns the process into that of an ordinary user; of all rights only `kept` stays (a bit set of
/// capability numbers, 1 << 13 is CAP_NET_RAW).
pub fn become_user(kept: u64) {
    const NOBODY: libc::uid_t = 65534;
    // SAFETY: these calls take numbers; the group list is empty and NULL is allowed for it.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0), 0);
        assert_eq!(libc::setgroups(0, std::ptr::null()), 0);
        assert_eq!(libc::setresgid(NOBODY, NOBODY, NOBODY), 0);
        assert_eq!(libc::setresuid(NOBODY, NOBODY, NOBODY), 0);
    }
    set_capabilities(kept);
}

/// Sets the effective and permitted capabilities of the calling thread (capset(2), version 3).
fn set_capabilities(kept: u64) {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Data {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let header = Header {
        version: 0x2008_0522,
        pid: 0,
    };
    let word = |bits: u64| Data {
        effective: bits as u32,
        permitted: bits as u32,
        inheritable: 0,
    };
    let data = [word(kept & 0xffff_ffff), word(kept >> 32)];
    // SAFETY: header and data have the layout that version 3 asks for, and outlive the call.
    let rc = unsafe { libc::syscall(libc::SYS_capset, &raw const header, &raw const data) };
    assert_eq!(rc, 0, "capset: {}", io::Error::last_os_error());
}
