//! A network namespace of its own, without a name: it lives as long as this guard, the threads in
//! it and their sockets, so nothing is left behind by a panic or a kill.

use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::thread;

/// The namespace that the calling thread is in.
fn current() -> io::Result<OwnedFd> {
    Ok(File::open("/proc/thread-self/ns/net")?.into())
}

fn set_thread(ns: &OwnedFd) -> io::Result<()> {
    // SAFETY: setns takes a descriptor and a constant; it touches no memory of ours.
    match unsafe { libc::setns(ns.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A private network namespace.
pub struct Namespace {
    fd: OwnedFd,
}

/// While it lives, the thread is in a namespace; afterwards it is back where it was. Threads and
/// programs that the thread starts meanwhile are in the namespace for good.
pub struct Entered {
    back: OwnedFd,
    /// Belongs to the thread that made it.
    _thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        set_thread(&self.back).expect("a thread can go back to its namespace");
    }
}

impl Namespace {
    /// Makes one, with lo down and IPv6 off.
    pub fn new() -> io::Result<Namespace> {
        // unshare() acts on the calling thread, so a short-lived one takes the step.
        let made = thread::spawn(|| {
            // SAFETY: unshare takes a constant; it touches no memory of ours.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                return Err(io::Error::last_os_error());
            }
            for which in ["all", "default"] {
                // No such file on a kernel without IPv6, which is as good.
                let _ =
                    std::fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1");
            }
            current()
        });
        let fd = made
            .join()
            .expect("the thread that makes a namespace does not panic")?;
        Ok(Namespace { fd })
    }

    /// Puts the calling thread into the namespace.
    pub fn enter(&self) -> Entered {
        let back = current().expect("/proc shows the namespace of a thread");
        set_thread(&self.fd).expect("a thread can enter a namespace that it made");
        Entered {
            back,
            _thread: PhantomData,
        }
    }

    /// Calls `f` inside the namespace.
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        let _inside = self.enter();
        f()
    }

    /// Runs lines of `ip` commands inside the namespace; panics when one fails.
    #[track_caller]
    pub fn ip(&self, lines: &str) {
        if let Err(text) = self.try_ip(lines) {
            panic!("ip: {text}\n{lines}");
        }
    }

    /// As [`Namespace::ip`], with the message of the command that failed.
    pub fn try_ip(&self, lines: &str) -> Result<(), String> {
        let mut child = self
            .run(|| {
                Command::new("ip")
                    .args(["-batch", "-"])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
            })
            .map_err(|e| format!("cannot run ip (iproute2): {e}"))?;
        let mut stdin = child.stdin.take().expect("stdin is piped");
        stdin
            .write_all(lines.as_bytes())
            .map_err(|e| e.to_string())?;
        drop(stdin);
        let out = child.wait_with_output().map_err(|e| e.to_string())?;
        if out.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&out.stderr).into_owned())
        }
    }

    /// The name by which `ip ... netns NAME` finds this namespace while this process lives.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.fd.as_raw_fd())
    }
}
