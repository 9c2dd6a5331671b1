//! Holds docs/compat.md to the source: every exported function has one row, and is called "not
//! supported" exactly when its body answers so.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What marks an exported function in the source, once blanks are single.
const EXPORT: &str = "pub unsafe extern \"C\" fn ";

/// Functions that give another answer than `unsupported(...)` although they do nothing: the first
/// has to answer with an unsigned number, the second with the code that the original has for it.
const OTHER_ANSWER: [&str; 2] = ["pfring_get_ring_id", "pfring_search_payload"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("src/capi")).expect("src/capi");
    folder
        .map(|entry| entry.expect("an entry of src/capi").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
        .collect()
}

/// Each exported function, and whether it answers "not supported" whatever it is given.
fn functions() -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source file");
        let code: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(str::split_whitespace)
            .collect();
        let code = code.join(" ");
        // The text from one export to the next: its own body, and private functions after it.
        for part in code.split(EXPORT).skip(1) {
            let name = part.split('(').next().expect("a name").to_owned();
            let answers: Vec<&str> = part
                .split("unsupported(")
                .skip(1)
                .map(|rest| rest.split('"').nth(1).expect("unsupported takes a name"))
                .collect();
            for answer in &answers {
                assert_eq!(*answer, name, "{}: who answers?", path.display());
            }
            let nothing = !answers.is_empty() || OTHER_ANSWER.contains(&name.as_str());
            assert!(
                found.insert(name.clone(), nothing).is_none(),
                "{name} is exported twice"
            );
        }
    }
    found
}

/// Function and status of each row of the tables under "Functions".
fn rows() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("docs/compat.md")).expect("docs/compat.md");
    let (_, functions) = text.split_once("\n## Functions\n").expect("the section");
    let (functions, _) = functions.split_once("\n## ").expect("the section after it");
    let mut rows = Vec::new();
    for line in functions.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, status, _] = cells[..] else {
            panic!("three cells are wanted: {line}");
        };
        rows.push((name.trim_matches('`').to_owned(), status.to_owned()));
    }
    rows
}

#[test]
fn every_function_has_one_row_in_compat_md() {
    let mut rows: Vec<String> = rows().into_iter().map(|(name, _)| name).collect();
    rows.sort();
    let exported: Vec<String> = functions().into_keys().collect();
    assert!(exported.len() >= 112, "{exported:?}");
    assert_eq!(rows, exported);
}

#[test]
fn compat_md_says_not_supported_where_the_source_does() {
    let functions = functions();
    for (name, status) in rows() {
        assert!(
            ["full", "limited", "not supported"].contains(&status.as_str()),
            "{name}: \"{status}\" is no status"
        );
        let nothing = functions.get(&name).copied();
        assert_eq!(nothing, Some(status == "not supported"), "{name}: {status}");
    }
}
