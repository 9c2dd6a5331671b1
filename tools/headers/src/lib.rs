//! Makes the C headers in `include/` out of `src/abi` and `src/capi` with cbindgen, one run for
//! each header, file by file. `make headers` writes them; the tests of this package compare what
//! is committed with what would be written, and hold it to the Rust types and to compilers.

use std::fs;
use std::path::{Path, PathBuf};

/// A header and what it is made from.
struct Recipe {
    /// Path below `include/`.
    header: &'static str,
    /// The cbindgen settings, below `cbindgen/`.
    config: &'static str,
    /// The files below `src/` that are read, in the order in which the header shows them. What is
    /// not listed is not seen: `by_hand.rs`, and `mod.rs`, whose modules cbindgen would follow.
    files: &'static [&'static str],
}

const RECIPES: [Recipe; 3] = [
    Recipe {
        header: "linux/pf_ring.h",
        config: "pf_ring.toml",
        files: &[
            "abi/pf_ring_h/constants.rs",
            "abi/pf_ring_h/header.rs",
            "abi/pf_ring_h/modes.rs",
            "abi/pf_ring_h/rules.rs",
            "abi/pf_ring_h/hw_rules.rs",
            "abi/pf_ring_h/protocols.rs",
            "abi/pf_ring_h/kernel.rs",
        ],
    },
    Recipe {
        header: "pfring.h",
        config: "pfring.toml",
        files: &[
            "abi/pfring_h/constants.rs",
            "abi/pfring_h/types.rs",
            "abi/pfring_h/handle.rs",
            "capi/open.rs",
            "capi/recv.rs",
            "capi/rules.rs",
            "capi/poll.rs",
            "capi/send.rs",
            "capi/settings.rs",
            "capi/filter.rs",
            "capi/cluster.rs",
            "capi/stats.rs",
            "capi/device.rs",
            "capi/clock.rs",
            "capi/parse.rs",
            "capi/trailer.rs",
            "capi/bpf.rs",
        ],
    },
    Recipe {
        header: "pfring_wait.h",
        config: "pfring_wait.toml",
        files: &["abi/pfring_wait_h.rs", "capi/wait.rs"],
    },
];

/// The top folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes each header: its path below `include/`, and its text.
///
/// # Panics
///
/// When a source or a setting cannot be read.
pub fn generate() -> Vec<(&'static str, String)> {
    RECIPES
        .iter()
        .map(|recipe| (recipe.header, run(recipe)))
        .collect()
}

fn run(recipe: &Recipe) -> String {
    let config = root().join("cbindgen").join(recipe.config);
    let mut config = cbindgen::Config::from_file(config).expect("the cbindgen settings");
    let mut builder = cbindgen::Builder::new();
    for file in recipe.files {
        let path = root().join("src").join(file);
        let text = fs::read_to_string(&path).expect("a source file");
        config.export.include.extend(types(&text));
        builder = builder.with_src(path);
    }
    let bindings = builder
        .with_config(config)
        .generate()
        .expect("readable Rust");
    let mut out = Vec::new();
    bindings.write(&mut out);
    String::from_utf8(out).expect("cbindgen writes UTF-8")
}

/// The public types of a source. cbindgen writes those that a function needs, and those it is told.
fn types(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let rest = line.strip_prefix("pub ")?;
        let rest = ["struct ", "union ", "enum ", "type "]
            .iter()
            .find_map(|word| rest.strip_prefix(word))?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(rest[..end].to_owned())
    })
}
