//! The files about an open ring under PFRING_RUN_DIR: what is in them, who can read them, and when they go.

mod common;

use std::ffi::{CStr, CString, c_char};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Lab, Open, Ring, Turn, child};
use pfring::capi;

/// A folder of the test's own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pfring-run-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().expect("a path of letters")
    }

    /// The files directly in it.
    fn files(&self) -> Vec<PathBuf> {
        files_in(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_file()).collect()
}

fn set_text(ring: &Ring, text: &CStr) -> i32 {
    // SAFETY: an open ring and a terminated text, which is only read.
    unsafe { capi::pfring_set_application_stats(ring.raw(), text.as_ptr().cast_mut()) }
}

fn show_as(ring: &Ring, name: &CStr) -> i32 {
    // SAFETY: as above.
    unsafe { capi::pfring_set_bound_dev_name(ring.raw(), name.as_ptr().cast_mut()) }
}

/// The name of the file with the text, if `len` bytes are enough for it.
fn text_file(ring: &Ring, len: usize) -> Option<PathBuf> {
    let mut path = vec![0u8; len];
    let at = path.as_mut_ptr().cast::<c_char>();
    // SAFETY: an open ring and a buffer of `len` bytes.
    let answer = unsafe { capi::pfring_get_appl_stats_file_name(ring.raw(), at, len as u32) };
    if answer.is_null() {
        assert!(path.iter().all(|b| *b == 0), "nothing is written");
        return None;
    }
    assert_eq!(answer, at);
    let end = path.iter().position(|b| *b == 0).expect("room is left");
    Some(PathBuf::from(
        String::from_utf8(path[..end].to_vec()).expect("a path of letters"),
    ))
}

/// The value of a line of the file about the ring.
fn line(file: &Path, name: &str) -> String {
    let text = fs::read_to_string(file).expect("the file about the ring");
    let found = text.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        (key.trim_end() == name).then(|| value.to_owned())
    });
    found.unwrap_or_else(|| panic!("no line {name}:\n{text}"))
}

#[test]
fn the_text_of_the_program_can_be_read_until_close() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let folder = Folder::new("text");
    let ring = Open::on("vb").env("PFRING_RUN_DIR", folder.text()).ring();
    let file = text_file(&ring, 512).expect("there is a folder");
    let start = format!("{}/stats/{}-vb.", folder.text(), std::process::id());
    assert!(file.to_str().unwrap().starts_with(&start), "{file:?}");
    assert_eq!(
        text_file(&ring, file.as_os_str().len()),
        None,
        "no room for a zero"
    );
    assert_eq!(
        text_file(&ring, file.as_os_str().len() + 1).as_ref(),
        Some(&file)
    );
    assert!(!file.exists(), "no text was set yet");
    assert_eq!(set_text(&ring, c"Packets: 1\n"), 0);
    assert_eq!(set_text(&ring, c"Packets: 2\n"), 0);
    assert_eq!(fs::read(&file).unwrap(), b"Packets: 2\n");
    let long = CString::new(vec![b'x'; 5_000]).unwrap();
    assert_eq!(set_text(&ring, &long), 0);
    assert_eq!(fs::read(&file).unwrap().len(), 1_023, "the rest is cut");
    let rights = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(rights, 0o600, "for the same user only");
    drop(ring);
    assert!(!file.exists());
    assert_eq!(folder.files(), [] as [PathBuf; 0]);
}

#[test]
fn the_file_about_a_ring_follows_it() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let folder = Folder::new("about");
    let ring = Open::on("vb").env("PFRING_RUN_DIR", folder.text()).ring();
    let other = Open::on("vb").env("PFRING_RUN_DIR", folder.text()).ring();
    assert_eq!(folder.files().len(), 2, "a file for each ring");
    drop(other);
    let files = folder.files();
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    assert_eq!(line(file, "Bound Device(s)"), "vb");
    assert_eq!(line(file, "Active"), "0");
    // SAFETY: an open ring and a terminated text, which is only read.
    let named =
        unsafe { capi::pfring_set_application_name(ring.raw(), c"a\nb".as_ptr().cast_mut()) };
    assert_eq!(named, 0);
    assert_eq!(line(file, "Appl. Name"), "a b", "one line");
    assert_eq!(show_as(&ring, c"uplink"), 0);
    assert_eq!(line(file, "Bound Device(s)"), "uplink");
    ring.enable();
    assert_eq!(line(file, "Active"), "1");
    assert!(line(file, "Mechanism").starts_with("TPACKET_V"));
    lab.sender().numbers(0..7);
    assert_eq!(ring.numbers(7, Duration::from_secs(5)).len(), 7);
    assert_eq!(set_text(&ring, c"x"), 0);
    assert_eq!(line(file, "Tot Read"), "7");
    assert_eq!(line(file, "Tot Pkt Lost"), "0");
    assert_eq!(ring.disable(), 0);
    assert_eq!(line(file, "Active"), "0");
}

#[test]
fn the_file_about_a_ring_shows_what_was_bound_later() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let folder = Folder::new("bound");
    let ring = Open::on("none").env("PFRING_RUN_DIR", folder.text()).ring();
    let files = folder.files();
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    for (name, shown) in [
        (None, "none"),
        (Some(c"vb.7"), "vb.7"),
        (Some(c"lo"), "vb.7,lo"),
    ] {
        if let Some(name) = name {
            // SAFETY: an open ring and a terminated name, which is only read.
            let rc = unsafe { capi::pfring_bind(ring.raw(), name.as_ptr().cast_mut()) };
            assert_eq!(rc, 0);
        }
        assert_eq!(line(file, "Bound Device(s)"), shown);
    }
}

#[test]
fn switched_off_or_impossible_is_no_obstacle() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    for folder in ["off", "/proc/self/pfring", "/dev/null/pfring"] {
        let ring = Open::on("vb").env("PFRING_RUN_DIR", folder).enabled();
        assert_eq!(text_file(&ring, 512), None, "{folder}");
        assert_eq!(set_text(&ring, c"x"), -7, "{folder}");
        assert_eq!(show_as(&ring, c"x"), -7, "{folder}");
    }
}

/// A process that dies without closing leaves its files; the next open sweeps them.
#[test]
fn a_crash_leaves_nothing_for_long() {
    let Some(_lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    if let Some(folder) = child::role() {
        let ring = Open::on("lo").env("PFRING_RUN_DIR", &folder).ring();
        assert_eq!(set_text(&ring, c"last words"), 0);
        std::process::abort();
    }
    let folder = Folder::new("crash");
    let run = child::again("a_crash_leaves_nothing_for_long", folder.text())
        .output()
        .expect("the test starts again");
    assert!(!run.status.success(), "it was to crash");
    let texts = folder.0.join("stats");
    assert_eq!(
        (folder.files().len(), files_in(&texts).len()),
        (1, 1),
        "left behind"
    );
    let ring = Open::on("lo").env("PFRING_RUN_DIR", folder.text()).ring();
    assert_eq!(
        (folder.files().len(), files_in(&texts).len()),
        (1, 0),
        "its own only"
    );
    drop(ring);
    assert_eq!(folder.files().len(), 0);
}
