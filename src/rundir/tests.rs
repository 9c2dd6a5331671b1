//! Names, rights, and who removes what.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A folder of the test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pfring-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .expect("the folder is there")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("text")
            })
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A process number that no process has: Linux gives out at most 4,194,303 (PID_MAX_LIMIT).
const DEAD: u32 = 4_194_305;

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

#[test]
fn files_are_the_owners_and_go_with_the_ring() {
    let scratch = Scratch::new("owner");
    let mut files = RunFiles::new(&scratch.0, "eth0").unwrap();
    files.describe("Bound Device(s): eth0\n").unwrap();
    files.set_text(b"one").unwrap();
    files.set_text(b"two\n").unwrap();
    let text = files.text_path();
    let name = text.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(name, format!("{}-eth0.{}", process::id(), files.id));
    assert_eq!(fs::read(&text).unwrap(), b"two\n");
    assert_eq!(scratch.names(), [name.clone(), TEXTS.to_owned()]);
    assert_eq!(mode(&text), 0o600);
    assert_eq!(mode(&scratch.0.join(name)), 0o600);
    assert_eq!(mode(&scratch.0), 0o700);
    drop(files);
    assert_eq!(scratch.names(), [TEXTS]);
    assert!(!text.exists());
}

#[test]
fn device_names_stay_in_the_folder() {
    for (device, part) in [
        ("eth0@1-3,eth1", "eth0@1-3,eth1"),
        ("pcap:/tmp/../x y\n.pcap", "pcap:_tmp_.._x_y_.pcap"),
        ("(a.5);`b`", "_a.5___b_"),
        ("\u{fc}", "_"),
    ] {
        assert_eq!(safe(device), part, "{device:?}");
    }
    assert_eq!(safe(&"x".repeat(5_000)).len(), MAX_DEVICE);
}

#[test]
fn what_dead_processes_left_is_swept_and_nothing_else() {
    let scratch = Scratch::new("sweep");
    make_private(&scratch.0.join(TEXTS)).unwrap();
    let put = |name: &str, text: &str| fs::write(scratch.0.join(name), text).unwrap();
    let dead = format!("{DEAD}-eth0.1");
    put(&dead, "Bound Device(s): eth0\n");
    put(&format!("stats/{dead}"), "text");
    put(&format!(".{dead}"), "Bound Device(s)");
    let live = format!("{}-eth0.7", process::id());
    put(&live, "Bound Device(s): eth0\n");
    let others = format!("{DEAD}-notes.2");
    put(&others, "somebody else's file");
    put("readme", "Bound Device(s)");
    let link = format!("{DEAD}-link.3");
    symlink(scratch.0.join(&live), scratch.0.join(&link)).unwrap();
    let files = RunFiles::new(&scratch.0, "eth0").unwrap();
    let mut kept = [live, others, link, "readme".to_owned(), TEXTS.to_owned()];
    kept.sort();
    assert_eq!(scratch.names(), kept);
    assert!(!scratch.0.join(TEXTS).join(&dead).exists());
    drop(files);
    assert_eq!(
        scratch.names(),
        kept,
        "a ring that wrote nothing removes nothing"
    );
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let scratch = Scratch::new("link");
    let mut files = RunFiles::new(&scratch.0, "eth0").unwrap();
    let victim = scratch.0.join("victim");
    fs::write(&victim, "kept").unwrap();
    symlink(&victim, files.text_path()).unwrap();
    let beside = format!(".{}", files.name());
    symlink(&victim, scratch.0.join(TEXTS).join(beside)).unwrap();
    files.set_text(b"new").unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"kept");
    assert_eq!(fs::read(files.text_path()).unwrap(), b"new");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    assert!(RunFiles::new(Path::new("/proc/self/pfring"), "eth0").is_err());
    assert!(RunFiles::new(Path::new("/dev/null/pfring"), "eth0").is_err());
}
