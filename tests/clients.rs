//! Programs of others, unchanged: what a binary that knows only the original does on this library.

mod common;

use std::ffi::CString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::frame::{DST, MIN, SRC, mac, mark, numbered};
use common::lab::skip;
use common::{Lab, Open, Turn};

/// A folder with the shared object that cargo built with this test, under the name that programs load.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
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
        let folder = std::env::temp_dir().join(format!("pfring-{name}-{}", std::process::id()));
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
fn r55_masscan_finds_open_ports() {
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
    let folder = Folder::new("masscan");
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

/// What masscan and its like look up after dlopen; one that is missing makes them do without the library.
#[test]
fn r55_every_function_that_scanners_look_up_is_found() {
    let folder = Folder::new("dlopen");
    let path = folder.0.join("libpfring.so");
    let path = CString::new(path.into_os_string().into_encoded_bytes()).expect("a path");
    // SAFETY: the path is a C string; the library's loading runs nothing.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    assert!(!library.is_null(), "dlopen");
    for name in [
        c"pfring_open",
        c"pfring_close",
        c"pfring_enable_ring",
        c"pfring_send",
        c"pfring_recv",
        c"pfring_poll",
        c"pfring_version",
        c"pfring_set_direction",
        c"pfring_set_application_name",
    ] {
        // SAFETY: the library is open, the name is a C string.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        assert!(!found.is_null(), "{name:?}");
    }
}

/// The crate rawsock, which refuses a library that lacks one of 88 functions, finds interfaces, receives,
/// counts and sends.
#[test]
fn rawsock_loads_every_symbol_and_captures() {
    use rawsock::traits::Library;

    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let folder = Folder::new("rawsock");
    let path = folder.0.join("libpfring.so");
    let library = rawsock::pfring::Library::open(path.to_str().expect("a path of plain letters"))
        .expect("all symbols are found");
    assert_eq!(library.version().to_string(), "pfring 8.9.0");
    let interfaces = library.all_interfaces().expect("a list of interfaces");
    // Its own copy of the list's struct is that of version 7, where the link to the next one lay elsewhere.
    assert_eq!(interfaces.first().map(|found| &*found.name), Some("lo"));
    assert!(Library::open_interface(&library, "no-such-if").is_err());
    let mut vb = Library::open_interface(&library, "vb").expect("vb opens");
    lab.sender().numbers(0..10);
    for number in 0..10 {
        let packet = vb.receive().expect("a packet");
        assert_eq!(mark(&packet).map(|mark| mark.number), Some(number));
    }
    let stats = vb.stats().expect("statistics");
    assert_eq!((stats.received, stats.dropped), (10, 0));
    let far = lab.a.run(|| Open::on("va").enabled());
    vb.send(&numbered(77, MIN)).expect("a frame is sent");
    vb.flush();
    assert_eq!(far.numbers(1, Duration::from_secs(2)), [77]);
}
