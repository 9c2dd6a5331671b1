//! Programs of others, unchanged: what a binary that knows only the original does on this library.

mod common;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::frame::{DST, SRC, mac};
use common::lab::skip;
use common::{Lab, Turn};

/// A folder with the shared object that cargo built with this test, under the name that programs load.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let exe = std::env::current_exe().expect("a test knows its own binary");
        let deps = exe.parent().expect("a binary is in a folder");
        let built = [Some(deps), deps.parent()]
            .into_iter()
            .flatten()
            .map(|folder| folder.join("libpfring.so"))
            .filter_map(|path| Some((Path::metadata(&path).ok()?.modified().ok()?, path)))
            .max()
            .expect("cargo builds libpfring.so with the tests")
            .1;
        let folder = std::env::temp_dir().join(format!("pfring-clients-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the library");
        std::fs::copy(built, folder.join("libpfring.so")).expect("the library is copied");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// masscan, which loads libpfring.so by itself when asked to (and uses it on names such as dna0 only),
/// finds the ports that are open and no other. It looks at a packet only when the call after it finds none,
/// so the rate is one at which each answer comes alone even before the ring has turned to slots.
#[test]
fn masscan_finds_open_ports() {
    if Command::new("masscan").arg("--version").output().is_err() {
        skip("masscan is not installed");
        return;
    }
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.a
        .ip("link set va down\nlink set va name dna0\nlink set dna0 up\n");
    // The scanner has an address that its own kernel does not know, so that no kernel answers for it.
    lab.b.ip("address add 10.9.0.2/24 dev vb\n\
         neigh add 10.9.0.77 lladdr 02:00:00:00:00:01 nud permanent dev vb\n");
    let open: Vec<TcpListener> = (0..3)
        .map(|_| TcpListener::bind("10.9.0.2:0").expect("a listener on vb"))
        .collect();
    let mut ports: Vec<u16> = open
        .iter()
        .map(|listener| listener.local_addr().expect("bound").port())
        .collect();
    ports.sort_unstable();
    let list: Vec<String> = ports.iter().map(u16::to_string).collect();
    let folder = Folder::new();
    let run = lab.a.run(|| {
        Command::new("masscan")
            .args(["10.9.0.2", "--ports", &format!("1-20,{}", list.join(","))])
            .args(["--rate", "50", "--wait", "2", "--interface", "dna0"])
            .args(["--source-ip", "10.9.0.77", "--router-mac", &mac(DST)])
            .args(["--source-mac", &mac(SRC), "--pfring"])
            .env("LD_LIBRARY_PATH", &folder.0)
            .env("PFRING_LOG", "info")
            .output()
            .expect("masscan starts")
    });
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{:?}: {out}{err}", run.status);
    assert!(err.contains("dna0: TPACKET_V"), "our ring was used: {err}");
    let mut found: Vec<u16> = out
        .lines()
        .filter_map(|line| {
            let port = line.split_once("open port ")?.1.split('/').next()?;
            port.parse().ok()
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, ports, "{out}{err}");
}
