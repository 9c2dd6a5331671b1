//! The shared library from outside: its exported functions equal `abi/symbols.txt`, its soname is
//! upstream's, it needs nothing but the C library, and every function has its documented C type.
//! Asks binutils (`nm`, `readelf`) and a C compiler.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library that cargo built for this run: beside the test program, whatever the profile.
fn library() -> PathBuf {
    let exe = env::current_exe().expect("the path of this program");
    let path = exe.with_file_name("libpfring.so");
    assert!(path.is_file(), "{} has not been built", path.display());
    path
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a program prints; it must succeed and be silent on stderr.
fn output(command: &mut Command) -> String {
    let out = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success() && errors.is_empty(),
        "{command:?}: {errors}"
    );
    String::from_utf8(out.stdout).expect("text")
}

/// The dynamic symbols that `nm` lists: type letter, name, version.
fn symbols(which: &str) -> Vec<(char, String, String)> {
    let text = output(Command::new("nm").args(["-D", "-P", which]).arg(library()));
    text.lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next().expect("a name");
            let letter = words.next().and_then(|w| w.chars().next()).expect("a type");
            let (name, version) = name.split_once('@').unwrap_or((name, ""));
            (
                letter,
                name.to_owned(),
                version.trim_start_matches('@').to_owned(),
            )
        })
        .collect()
}

#[test]
fn r56_exports_exactly_the_listed_functions() {
    let list = fs::read_to_string(root().join("abi/symbols.txt")).expect("abi/symbols.txt");
    let want: BTreeSet<String> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    assert!(want.len() >= 112, "only {} names", want.len());

    let found = symbols("--defined-only");
    for (letter, name, version) in &found {
        assert_eq!(
            (*letter, version.as_str()),
            ('T', ""),
            "{name} is no plain function"
        );
    }
    let got: BTreeSet<String> = found.into_iter().map(|(_, name, _)| name).collect();
    let missing: Vec<&String> = want.difference(&got).collect();
    let extra: Vec<&String> = got.difference(&want).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing {missing:?}, not listed {extra:?}"
    );
}

#[test]
fn r57_needs_only_the_c_library() {
    let text = output(Command::new("readelf").args(["-d", "-W"]).arg(library()));
    let entries = |tag: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains(tag))
            .filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned()))
            .collect()
    };
    assert_eq!(entries("(SONAME)"), ["libpfring.so.8"]);
    let needed = entries("(NEEDED)");
    assert!(!needed.is_empty());
    for name in &needed {
        let known = ["libc.", "libm.", "libgcc_s.", "ld-"]
            .iter()
            .any(|k| name.starts_with(k));
        assert!(known, "needs {name}");
    }
}

/// glibc and libgcc give each of their symbols a version. What has none must be weak.
#[test]
fn r57_uses_no_symbol_from_elsewhere() {
    let undefined = symbols("--undefined-only");
    assert!(undefined.len() > 20);
    for (letter, name, version) in undefined {
        let known = version.starts_with("GLIBC_") || version.starts_with("GCC_");
        assert!(
            known || (letter == 'w' && version.is_empty()),
            "{letter} {name} {version}"
        );
        // Debian 12, Ubuntu 22.04 and RHEL 9 have that or newer.
        if let Some(minor) = version.strip_prefix("GLIBC_2.") {
            let minor = minor.split('.').next().and_then(|n| n.parse::<u32>().ok());
            assert!(minor.is_some_and(|n| n <= 34), "{name} needs {version}");
        }
    }
}

#[test]
fn r56_every_function_has_its_documented_type() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prototypes");
    // Left over from a run before.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a scratch folder");
    symlink(library(), folder.join("libpfring.so.8")).expect("a link under the soname");

    let program = folder.join("prototypes");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I"]);
    compiler.arg(root().join("include"));
    compiler.arg(root().join("c-tests/prototypes.c"));
    compiler.arg(library()).arg("-o").arg(&program);
    output(&mut compiler);

    let text = output(Command::new(&program).env("LD_LIBRARY_PATH", &folder));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("1..112"));
    assert!(lines.clone().all(|line| line.starts_with("ok ")), "{text}");
    assert_eq!(lines.count(), 112);
}
