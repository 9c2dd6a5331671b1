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
    /// Folders below `src/` whose files are read, in this order.
    folders: &'static [&'static str],
}

const RECIPES: [Recipe; 2] = [
    Recipe {
        header: "linux/pf_ring.h",
        config: "pf_ring.toml",
        folders: &["abi/pf_ring_h"],
    },
    Recipe {
        header: "pfring.h",
        config: "pfring.toml",
        folders: &["abi/pfring_h", "capi"],
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
    let files = sources(recipe);
    for file in &files {
        let text = fs::read_to_string(file).expect("a source file");
        config.export.include.extend(types(&text));
    }
    let builder = files
        .iter()
        .fold(cbindgen::Builder::new(), |builder, file| {
            builder.with_src(file)
        });
    let bindings = builder
        .with_config(config)
        .generate()
        .expect("readable Rust");
    let mut out = Vec::new();
    bindings.write(&mut out);
    String::from_utf8(out).expect("cbindgen writes UTF-8")
}

/// The files of a recipe, in a fixed order, without those that hold what cbindgen must not see.
fn sources(recipe: &Recipe) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in recipe.folders {
        let folder = root().join("src").join(folder);
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("a source folder")
            .map(|entry| entry.expect("a folder entry").path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
            .filter(|path| path.file_stem().is_some_and(|stem| stem != "by_hand"))
            .collect();
        files.sort();
        all.extend(files);
    }
    all
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
