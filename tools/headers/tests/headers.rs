//! The committed headers: they are what would be generated, libclang reads in them the layout of
//! the Rust types and of the golden table, and C and C++ compilers take them in any company.
//! All this could stand in the tests of the main package; it is a package of its own so that
//! `cargo test` there stays quick and needs neither cbindgen nor libclang.

#[path = "../../../tests/abi_table/mod.rs"]
mod abi_table;
mod compile;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use compile::{Compiler, compilers};
use pfring_headers::{generate, root};

#[test]
fn committed_headers_are_what_would_be_generated() {
    for (header, want) in generate() {
        let path = root().join("include").join(header);
        let got = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{header}: {e}"));
        let same = got == want;
        assert!(
            same,
            "{header} is out of date: run `make headers` and commit it with its cause"
        );
    }
}

/// Sizes and offsets as libclang sees them: `type` to size, `type::member` to offset.
fn libclang_layout() -> BTreeMap<String, usize> {
    let text = bindgen::Builder::default()
        .header_contents(
            "all.h",
            "#include <linux/if_packet.h>\n#include <pfring.h>\n",
        )
        .clang_arg(format!("-I{}", root().join("include").display()))
        .formatter(bindgen::Formatter::None)
        .generate()
        .expect("readable headers")
        .to_string();
    let mut found = BTreeMap::new();
    for piece in text.split("[\"").skip(1) {
        // Size of TYPE"][... - 12usize]   or   Offset of field: TYPE::MEMBER"][... - 12usize]
        let Some((what, rest)) = piece.split_once('"') else {
            continue;
        };
        let name = what
            .strip_prefix("Size of ")
            .or(what.strip_prefix("Offset of field: "));
        let number = rest
            .split_once("usize")
            .and_then(|(front, _)| front.rsplit([' ', '-']).next());
        if let (Some(name), Some(Ok(number))) = (name, number.map(str::parse)) {
            found.insert(name.to_owned(), number);
        }
    }
    found
}

#[test]
fn r56_header_layout_equals_rust_types_and_the_golden_table() {
    let clang = libclang_layout();
    let rust = abi_table::rust();
    let (mut sizes, mut offsets, mut wrong) = (0, 0, Vec::new());
    for row in abi_table::golden(&root(), "layout.tsv") {
        let name = row[1].strip_prefix("struct ").unwrap_or(&row[1]);
        let golden = |column: usize| row[column].parse::<usize>().ok();
        let (key, all) = match row[0].as_str() {
            "type"
                if !rust
                    .values
                    .keys()
                    .any(|v| v.starts_with(&format!("{name}."))) =>
            {
                sizes += 1;
                let mine = rust.types.get(name).map(|place| place.0);
                (name.to_owned(), [clang.get(name).copied(), mine, golden(2)])
            }
            // A member of an inner struct is reached through the outer one: its own row is there.
            "member" if !row[2].contains('.') => {
                offsets += 1;
                let key = format!("{name}::{}", rust_name(&row[2]));
                let mine = rust
                    .member(&format!("{name}.{}", row[2]))
                    .map(|place| place.0);
                (key.clone(), [clang.get(&key).copied(), mine, golden(3)])
            }
            _ => continue,
        };
        if all[0].is_none() || all[0] != all[1] || all[1] != all[2] {
            wrong.push(format!("{key}: libclang, Rust, golden: {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rust.names().count() > sizes + offsets);
    assert!(
        sizes > 50 && offsets > 400,
        "only {sizes} sizes, {offsets} offsets"
    );
}

/// A member as bindgen spells it.
fn rust_name(member: &str) -> String {
    match member {
        "type" | "match" => format!("{member}_"),
        _ => member.to_owned(),
    }
}

/// A C program that asserts each row of the golden table, when it is compiled and when it is run.
fn layout_program() -> String {
    let source = Command::new("sh")
        .arg(root().join("abi/gen_layout_c.sh"))
        .output()
        .expect("a shell");
    assert!(source.status.success());
    let source = String::from_utf8(source.stdout).expect("text");
    assert!(source.matches("_Static_assert").count() > 500);
    source
}

/// On another processor, as far as a cross compiler tells.
#[test]
fn r56_c_layout_equals_the_golden_table_on_aarch64() {
    let Some(compiler) = Compiler::find("aarch64-linux-gnu-gcc", false) else {
        eprintln!("skipped: no aarch64-linux-gnu-gcc");
        return;
    };
    compiler.check("layout_aarch64", &layout_program(), &["-std=gnu11"]);
}

#[test]
fn r56_c_layout_equals_the_golden_table() {
    let source = layout_program();
    for compiler in compilers().filter(|c| !c.plus_plus) {
        let text = compiler.run("layout", &source, &["-std=gnu11"]);
        assert!(text.lines().count() > 25, "{text}");
        assert!(
            text.lines()
                .all(|l| l.starts_with("ok ") || l.starts_with("1..")),
            "{text}"
        );
    }
}

#[test]
fn r56_prototypes_have_their_documented_types() {
    let path = root().join("c-tests/prototypes.c");
    let source = fs::read_to_string(path).expect("c-tests/prototypes.c");
    for compiler in compilers() {
        let standard = if compiler.plus_plus {
            "-std=gnu++17"
        } else {
            "-std=gnu11"
        };
        compiler.check("prototypes", &source, &[standard]);
        compiler.check("prototypes_pcap", &source, &[standard, "-DWITH_PCAP"]);
    }
}

/// System headers that programs include beside ours.
const NEIGHBOURS: [&str; 9] = [
    "linux/if_packet.h",
    "netpacket/packet.h",
    "netinet/ip6.h",
    "net/ethernet.h",
    "linux/if_ether.h",
    "netinet/in.h",
    "net/if.h",
    "linux/ipv6.h",
    "sys/user.h",
];

/// What a program does with the headers: it would not compile were a type hidden or half-known.
const USES_PF_RING: &str = "
struct pfring_pkthdr header;
int uses_pf_ring(struct pfring_pkthdr *h);
int uses_pf_ring(struct pfring_pkthdr *h) {
  packet_direction direction = rx_only_direction;
  enum packet_direction same = direction;
  filtering_rule rule;
  rule.rule_id = FILTERING_RULE_AUTO_RULE_ID;
  h->extended_hdr.parsed_pkt.ipv4_src = 1;
  h->ts.tv_sec = 0;
  return (int)same + rule.rule_id + h->extended_hdr.parsed_pkt.ip_dst.v6.s6_addr[0] + ETH_ALEN;
}
";

const USES_PFRING: &str = "
struct timespec when;
pfring_filter_program filter;
int uses_pfring(pfring *ring, pfring_stat *stats);
int uses_pfring(pfring *ring, pfring_stat *stats) {
  struct pfring_stat copy = *stats;
  pfring_if_t device;
  device.next = 0;
  when = ring->hw_ts.last_hw_timestamp;
  return (int)copy.recv + ring->enabled + (int)sizeof(ring->rx_lock) + (device.next == 0) +
         timespec_is_before(&when, &ring->hw_ts.last_hw_timestamp) + (int)filter.bf_len;
}
";

/// Translation units: a name, and the headers in their order.
fn companies(ours: &'static str) -> Vec<Vec<&'static str>> {
    let mut all = vec![
        vec![ours],
        vec![ours, ours],
        vec!["linux/pf_ring.h", "pfring.h"],
        vec!["pfring.h", "linux/pf_ring.h"],
    ];
    for neighbour in NEIGHBOURS {
        all.push(vec![neighbour, ours, ours]);
        all.push(vec![ours, neighbour, ours]);
    }
    // The two that define struct sockaddr_ll exclude each other.
    for left_out in ["linux/if_packet.h", "netpacket/packet.h"] {
        let most = NEIGHBOURS.iter().copied().filter(|name| *name != left_out);
        all.push(most.clone().chain([ours]).collect());
        all.push([ours].into_iter().chain(most).collect());
    }
    all
}

fn source(headers: &[&str]) -> String {
    let mut text: String = headers
        .iter()
        .map(|name| format!("#include <{name}>\n"))
        .collect();
    text.push_str(USES_PF_RING);
    if headers.contains(&"pfring.h") {
        text.push_str(USES_PFRING);
    }
    text
}

type Companies = fn(&'static str) -> Vec<Vec<&'static str>>;

fn each_company(compiler: &Compiler, standards: &[&str], make: Companies) {
    for standard in standards {
        for ours in ["pfring.h", "linux/pf_ring.h"] {
            for headers in make(ours) {
                compiler.check("company", &source(&headers), &[standard, "-pedantic"]);
            }
        }
    }
}

#[test]
fn r60_c_compilers_take_the_headers_in_any_company() {
    for compiler in compilers().filter(|c| !c.plus_plus) {
        each_company(
            &compiler,
            &["-std=c99", "-std=c11", "-std=gnu11"],
            companies,
        );
    }
}

#[test]
fn r60_cxx_compilers_take_the_headers_in_any_company() {
    for compiler in compilers().filter(|c| c.plus_plus) {
        let standards = ["-std=c++11", "-std=c++17", "-std=c++20", "-std=gnu++17"];
        each_company(&compiler, &standards, companies);
    }
}

/// libpcap's own header needs the gnu modes.
#[test]
fn r60_compilers_take_the_headers_before_and_after_libpcap() {
    fn with_pcap(ours: &'static str) -> Vec<Vec<&'static str>> {
        vec![vec!["pcap.h", ours, ours], vec![ours, "pcap.h", ours]]
    }
    for compiler in compilers() {
        let standards: &[&str] = match compiler.plus_plus {
            true => &["-std=gnu++11", "-std=gnu++17", "-std=gnu++20"],
            false => &["-std=gnu99", "-std=gnu11"],
        };
        each_company(&compiler, standards, with_pcap);
    }
}

#[test]
fn r58_musl_takes_the_headers() {
    let Some(compiler) = Compiler::find("musl-gcc", false) else {
        eprintln!("skipped: no musl-gcc");
        return;
    };
    for ours in ["pfring.h", "linux/pf_ring.h"] {
        compiler.check("musl", &source(&[ours]), &["-std=c99", "-pedantic"]);
    }
}
