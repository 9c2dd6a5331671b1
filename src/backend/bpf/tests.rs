use super::*;
use crate::filter::bpf as filters;
use crate::sys::link_type::DLT_EN10MB;

/// Whether this process may load programs; says so where not.
fn may_load() -> bool {
    let allowed = load(&program::nothing()).is_ok();
    if !allowed {
        eprintln!("SKIP: no right to load BPF programs");
    }
    allowed
}

/// The kernel's verifier takes the program for every kind of classic program.
#[test]
fn the_verifier_takes_what_is_assembled() {
    if !may_load() {
        return;
    }
    let rx = BpfRx::new(SMALLEST_BYTES, 65_535, true).expect("a ring");
    let texts = [
        c"",
        c"udp",
        c"tcp port 80 and host 10.0.0.1",
        c"ip[8] < 5 and ip6 or ether[100:4] = 0x01020304",
        c"tcp[((tcp[12] & 0xf0) >> 2):4] = 0x47455420",
        c"len > 100 and not broadcast",
    ];
    for text in texts {
        let program = match text.to_bytes() {
            b"" => None,
            _ => Some(filters::compile(text, DLT_EN10MB, 65_535).expect("it compiles")),
        };
        for only in [
            None,
            Some(filters::Only::Received),
            Some(filters::Only::Sent),
        ] {
            let classic = filters::wrap(program.as_ref(), only, 1500);
            for (_, direction) in HOOKS {
                let (shared, ring) = (rx.tap.shared_fd.as_raw_fd(), rx.tap.ring_fd);
                let insns =
                    program::assemble(&classic, direction, shared, ring).expect("a program");
                let (loaded, log) = bpf::load_tc_program_with_log(&insns);
                assert!(loaded.is_ok(), "{text:?} {direction:?} {loaded:?}\n{log}");
            }
        }
    }
}
