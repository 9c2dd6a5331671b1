//! Golden tables against Rust types: every row of `abi/layout.tsv` and `abi/constants.tsv` has its
//! counterpart in `pfring::abi`, and every name in there has its row.

mod abi_table;

use std::collections::BTreeSet;
use std::path::Path;

use ::pfring::abi::{RING_VERSION, kcompact_ipv6_hdr};
use abi_table::{golden, rust};

fn rows(file: &str) -> Vec<Vec<String>> {
    golden(Path::new(env!("CARGO_MANIFEST_DIR")), file)
}

fn number(text: &str) -> i128 {
    text.parse().unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

/// Type name without `struct`, as Rust has it.
fn bare(name: &str) -> &str {
    name.strip_prefix("struct ").unwrap_or(name)
}

#[test]
fn r56_layout_table_equals_rust_types() {
    let table = rust();
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    for row in rows("layout.tsv") {
        let name = bare(&row[1]);
        let (key, want, got) = match row[0].as_str() {
            "type" => (
                name.to_owned(),
                (number(&row[2]), number(&row[3])),
                table.types.get(name).map(|p| (p.0 as i128, p.1 as i128)),
            ),
            "member" => {
                let key = format!("{name}.{}", row[2]);
                let got = table.member(&key).map(|p| (p.0 as i128, p.1 as i128));
                (key, (number(&row[3]), number(&row[4])), got)
            }
            "value" => {
                let key = format!("{name}.{}", row[2]);
                let got = table.values.get(&key).map(|v| (*v, 0));
                (key, (number(&row[3]), 0), got)
            }
            "bits" => {
                let key = format!("{name}.{}", row[2]);
                let got = bits(&key).map(|b| (b.0.into(), b.1.into()));
                (key, (number(&row[6]), number(&row[4])), got)
            }
            kind => panic!("unknown kind of row: {kind}"),
        };
        if got != Some(want) {
            wrong.push(format!("{key}: want {want:?}, Rust has {got:?}"));
        }
        assert!(known.insert(key.clone()), "two rows for {key}");
    }
    let unknown = table.names().filter(|name| !known.contains(*name));
    wrong.extend(unknown.map(|name| format!("{name}: no row")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known.len() > 780, "only {} rows", known.len());
}

/// First bit and number of bits of a bit field, found out by setting every bit in turn.
fn bits(key: &str) -> Option<(u32, u32)> {
    let read = match key {
        "kcompact_ipv6_hdr.flow_lbl" => kcompact_ipv6_hdr::flow_lbl_bits,
        "kcompact_ipv6_hdr.priority" => kcompact_ipv6_hdr::priority_bits,
        "kcompact_ipv6_hdr.version" => kcompact_ipv6_hdr::version_bits,
        _ => return None,
    };
    let mut header = kcompact_ipv6_hdr::zeroed();
    let seen: Vec<u32> = (0..u32::BITS)
        .filter(|bit| {
            header.flow_lbl = 1 << bit;
            read(&header) != 0
        })
        .collect();
    header.flow_lbl = u32::MAX;
    assert_eq!(read(&header).count_ones() as usize, seen.len());
    Some((*seen.first()?, seen.len() as u32))
}

#[test]
fn r56_constants_table_equals_rust_constants() {
    let table = rust();
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    for row in rows("constants.tsv") {
        match row[1].as_str() {
            "i32" | "u32" | "u16" | "u64" => {
                let got = table.constants.get(&row[0]).copied();
                if got != Some(number(&row[2])) {
                    wrong.push(format!("{}: want {}, Rust has {got:?}", row[0], row[2]));
                }
                known.insert(row[0].clone());
            }
            "string" => {
                assert_eq!(row[0], "RING_VERSION");
                assert_eq!(RING_VERSION.to_str(), Ok(row[2].as_str()));
            }
            // Macros of the preprocessor: only the C headers have them.
            "empty" | "member" | "name" | "macro" | "initializer" => {}
            kind => panic!("unknown kind of row: {kind}"),
        }
    }
    let extra = table.constants.keys().filter(|n| !known.contains(*n));
    wrong.extend(extra.map(|n| format!("{n}: no row")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known.len() > 190, "only {} rows", known.len());
}
