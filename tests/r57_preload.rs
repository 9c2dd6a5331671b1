//! The shared object as a guest in a foreign process (R57): it needs nothing but the C library, and
//! loading it costs nothing and says nothing.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use common::{Form, Turn, best_of_three, forms, within};

forms! {
    r57_preloaded_into_true, r57_full_preloaded_into_true => preloaded;
}

/// The shared object that cargo built with this test: in its folder or the one above.
fn library() -> PathBuf {
    let exe = std::env::current_exe().expect("a test knows its own binary");
    let deps = exe.parent().expect("a binary is in a folder");
    let folders = [Some(deps), deps.parent()];
    let candidates = folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join("libpfring.so"));
    let newest = candidates.filter_map(|path| {
        let changed = Path::metadata(&path).ok()?.modified().ok()?;
        Some((changed, path))
    });
    newest
        .max()
        .expect("cargo builds libpfring.so with the tests")
        .1
}

fn preloaded(form: Form) {
    let _turn = Turn::Alone.take();
    let library = library();
    best_of_three(|| {
        let start = Instant::now();
        let run = Command::new("/bin/true")
            .env("LD_PRELOAD", &library)
            .output()
            .expect("there is a /bin/true");
        let took = start.elapsed();
        assert!(run.status.success(), "{:?}", run.status);
        assert_eq!(String::from_utf8_lossy(&run.stdout), "", "stdout");
        assert_eq!(String::from_utf8_lossy(&run.stderr), "", "stderr");
        within("/bin/true with the library", took, form.ms(100))
    });
}

/// The dynamic section names the C library, the compiler's runtime and the loader at most.
#[test]
fn r57_needs_only_the_c_library() {
    let out = Command::new("readelf")
        .args(["--dynamic", "--wide"])
        .arg(library())
        .output()
        .expect("readelf comes with every C compiler");
    assert!(out.status.success());
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let names = |tag: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| line.contains(&format!("({tag})")));
        lines
            .filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned()))
            .collect()
    };
    assert_eq!(names("SONAME"), ["libpfring.so.8"]);
    let needed = names("NEEDED");
    assert!(!needed.is_empty(), "at least the C library");
    for name in needed {
        let allowed = [
            "libc.",
            "libm.",
            "libgcc_s.",
            "ld-linux",
            "ld-musl",
            "libc.musl",
        ];
        assert!(
            allowed.iter().any(|prefix| name.starts_with(prefix)),
            "needs {name}"
        );
    }
}
