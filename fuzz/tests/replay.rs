//! The corpora once more, input by input: what the fuzzer found once stays found.

use std::path::{Path, PathBuf};

use pfring_fuzz::{TARGETS, target};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name)
}

/// Runs the corpus of a target.
fn replay(name: &str) {
    let run = target(name).expect("a target");
    let folder = corpus(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    files.sort();
    assert!(files.len() >= 10, "{name}: {} inputs", files.len());
    for file in files {
        let data = std::fs::read(&file).expect("a file of the corpus can be read");
        let failed = std::panic::catch_unwind(|| run(&data)).is_err();
        assert!(!failed, "{}", file.display());
    }
}

#[test]
fn parser() {
    replay("parser");
}

#[test]
fn device() {
    replay("device");
}

#[test]
fn file() {
    replay("file");
}

#[test]
fn block() {
    replay("block");
}

#[test]
fn filter() {
    replay("filter");
}

#[test]
fn rules() {
    replay("rules");
}

#[test]
fn every_target_has_a_corpus_and_a_test() {
    for (name, _) in TARGETS {
        assert!(corpus(name).is_dir(), "{name}");
        let test = format!("fn {name}() {{");
        assert!(include_str!("replay.rs").contains(&test), "{name}");
    }
}
