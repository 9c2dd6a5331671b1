//! Filters against hand-made frames, through libpcap's interpreter and through a small one that
//! also knows the metadata that only the kernel has.

use super::*;
use proptest::prelude::*;

/// Whether libpcap is there; says so when a test cannot run.
fn have_libpcap() -> bool {
    match compile(c"ip", DLT_EN10MB, 64) {
        Err(Error::NoLibpcap(message)) => {
            eprintln!("skipped, no libpcap: {message}");
            false
        }
        _ => true,
    }
}

const MACS: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];

/// An Ethernet frame: tags, type, payload.
fn ether(tags: &[(u16, u16)], ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = MACS.to_vec();
    for (tpid, tci) in tags {
        frame.extend(tpid.to_be_bytes());
        frame.extend(tci.to_be_bytes());
    }
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

/// 10.0.0.1 -> 10.0.0.2, with ports 1000 -> 53 where the protocol has ports.
fn ipv4(protocol: u8) -> Vec<u8> {
    let mut packet = vec![
        0x45, 0, 0, 48, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    ];
    packet.extend([0x03, 0xe8, 0, 53, 0, 28, 0, 0]);
    packet.extend([0; 20]);
    packet
}

/// fe80::1 -> fe80::2, ports 1000 -> 53.
fn ipv6(next_header: u8) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0, 0, 28, next_header, 64];
    for last in [1, 2] {
        packet.extend([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend([0x03, 0xe8, 0, 53, 0, 28, 0, 0]);
    packet.extend([0; 20]);
    packet
}

/// What the kernel would know of a frame.
#[derive(Clone, Copy, Default)]
struct Metadata {
    pkttype: u32,
    tag: Option<u16>,
}

/// Classic BPF as the kernel runs it, as far as the programs of these tests go.
fn kernel_run(insns: &[sock_filter], frame: &[u8], meta: Metadata) -> u32 {
    let (mut a, mut x, mut pc) = (0u32, 0u32, 0usize);
    let mut scratch = [0u32; 16];
    let ad = |offset: i32| (libc::SKF_AD_OFF + offset) as u32;
    let read = |at: u32, size: u32| {
        frame
            .get(at as usize..at as usize + size as usize)
            .map(|bytes| {
                bytes
                    .iter()
                    .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
            })
    };
    for _ in 0..MAX_KERNEL_INSNS {
        let insn = insns[pc];
        pc += 1;
        let k = insn.k;
        let loaded = match insn.code {
            0x20 | 0x28 | 0x30 if k == ad(libc::SKF_AD_PKTTYPE) => Some(meta.pkttype),
            0x20 | 0x28 | 0x30 if k == ad(libc::SKF_AD_VLAN_TAG_PRESENT) => {
                Some(meta.tag.is_some().into())
            }
            0x20 | 0x28 | 0x30 if k == ad(libc::SKF_AD_VLAN_TAG) => {
                Some(meta.tag.unwrap_or(0).into())
            }
            0x20 => read(k, 4),
            0x28 => read(k, 2),
            0x30 => read(k, 1),
            0x48 => read(x + k, 2),
            0x00 => Some(k),
            0x54 => Some(a & k),
            _ => Some(a),
        };
        let Some(loaded) = loaded else { return 0 };
        a = loaded;
        match insn.code {
            0x06 => return k,
            0x05 => pc += k as usize,
            0x15 | 0x45 => {
                let jump = if insn.code == 0x15 {
                    a == k
                } else {
                    a & k != 0
                };
                pc += usize::from(if jump { insn.jt } else { insn.jf });
            }
            0x02 => scratch[k as usize] = a,
            0x61 => x = scratch[k as usize],
            0xb1 => x = 4 * (read(k, 1).unwrap_or(0) & 0xf),
            0x20 | 0x28 | 0x30 | 0x48 | 0x00 | 0x54 => {}
            other => panic!("instruction {other:#x} is not in this interpreter"),
        }
    }
    panic!("the program does not end")
}

#[test]
fn verdicts() {
    if !have_libpcap() {
        return;
    }
    let udp = ether(&[], 0x0800, &ipv4(17));
    let tcp6 = ether(&[], 0x86dd, &ipv6(6));
    let tagged = ether(&[(0x8100, 0x6000 | 1000)], 0x0800, &ipv4(6));
    let double = ether(&[(0x88a8, 20), (0x8100, 30)], 0x0800, &ipv4(17));
    let arp = ether(&[], 0x0806, &[0; 28]);
    let frames = [&udp, &tcp6, &tagged, &double, &arp];
    let cases: &[(&CStr, [bool; 5])] = &[
        (c"", [true; 5]),
        (c"ip", [true, false, false, false, false]),
        (c"ip6", [false, true, false, false, false]),
        (c"arp", [false, false, false, false, true]),
        (c"tcp", [false, true, false, false, false]),
        (c"udp port 53", [true, false, false, false, false]),
        (c"udp src port 53", [false; 5]),
        (
            c"src host 10.0.0.1 and dst net 10.0.0.0/24",
            [true, false, false, false, false],
        ),
        (c"host 10.0.0.3", [false; 5]),
        (c"ip6 host fe80::2", [false, true, false, false, false]),
        (c"portrange 50-60", [true, true, false, false, false]),
        (c"not ip", [false, true, true, true, true]),
        (c"ether host 02:00:00:00:00:01", [true; 5]),
        (c"ether[12:2] = 0x8100", [false, false, true, false, false]),
        (c"greater 70", [false, true, false, true, false]),
        (c"vlan", [false, false, true, true, false]),
        (c"vlan 1000", [false, false, true, false, false]),
        (
            c"vlan 1000 and tcp dst port 53",
            [false, false, true, false, false],
        ),
        (
            c"vlan 20 and vlan 30 and udp",
            [false, false, false, true, false],
        ),
        (c"ip[8] > 63 && icmp", [false; 5]),
    ];
    for (text, wanted) in cases {
        let program = compile(text, DLT_EN10MB, 100).unwrap();
        let got = frames.map(|frame| program.run(frame, frame.len() as u32));
        assert_eq!(
            got,
            wanted.map(|accept| if accept { 100 } else { 0 }),
            "{text:?}"
        );
    }
}

#[test]
fn a_frame_cut_short_is_judged_by_what_is_there() {
    if !have_libpcap() {
        return;
    }
    let frame = ether(&[], 0x0800, &ipv4(17));
    let program = compile(c"udp port 53", DLT_EN10MB, 64).unwrap();
    assert_eq!(program.run(&frame[..30], 62), 0);
    assert_eq!(program.run(&[], 62), 0);
    let by_length = compile(c"len > 1000", DLT_EN10MB, 64).unwrap();
    assert_eq!(by_length.run(&frame, 1500), 64);
    assert_eq!(by_length.run(&frame, 62), 0);
}

#[test]
fn the_link_type_counts() {
    if !have_libpcap() {
        return;
    }
    let raw_ip = compile(c"udp port 53", 12, 64).unwrap();
    assert_eq!(raw_ip.run(&ipv4(17), 48), 64);
    assert_eq!(raw_ip.run(&ether(&[], 0x0800, &ipv4(17)), 62), 0);
}

#[test]
fn syntax_errors_carry_libpcaps_text() {
    if !have_libpcap() {
        return;
    }
    for text in [
        c"tcp port and",
        c"(ip",
        c"vlan and (",
        c"inbound or or",
        c"host 1.2.3.4.5",
    ] {
        let dead = compile(text, DLT_EN10MB, 64).err();
        let live = compile_live(text, DLT_EN10MB, None, 64).err();
        for error in [dead, live] {
            let Some(Error::FilterSyntax(message)) = error else {
                panic!("{text:?}: {error:?}")
            };
            assert!(!message.is_empty());
        }
    }
    let Err(Error::FilterSyntax(message)) = compile(c"tcp port and", DLT_EN10MB, 64) else {
        panic!("compiled")
    };
    assert!(message.contains("syntax error"), "{message}");
}

#[test]
fn words_are_found_as_the_scanner_reads_them() {
    for text in [c"vlan", c"ip and !vlan", c"(vlan)&&ip", c"vlan\t5"] {
        assert!(has_word(text, &["vlan"]), "{text:?}");
    }
    for text in [
        c"",
        c"ip",
        c"host vlan-7",
        c"host my.vlan",
        c"vlan5",
        c"VLAN",
    ] {
        assert!(!has_word(text, &["vlan"]), "{text:?}");
    }
}

#[test]
fn a_live_program_without_such_words_is_the_dead_one() {
    if !have_libpcap() {
        return;
    }
    let text = c"tcp port 80";
    let Ok(Live::Kernel(live)) = compile_live(text, DLT_EN10MB, None, 96) else {
        panic!()
    };
    let dead = compile(text, DLT_EN10MB, 96).unwrap();
    let plain = |program: &Program| -> Vec<_> {
        program
            .insns()
            .iter()
            .map(|insn| (insn.code, insn.jt, insn.jf, insn.k))
            .collect()
    };
    assert_eq!(plain(&live), plain(&dead));
    assert!(!live.needs_metadata());
}

#[test]
fn a_live_vlan_filter_looks_at_metadata_and_at_the_frame() {
    if !have_libpcap() {
        return;
    }
    let Live::Kernel(program) = compile_live(c"vlan 1000", DLT_EN10MB, None, 96).unwrap() else {
        eprintln!("skipped: no packet socket on lo (no right, or lo is down)");
        return;
    };
    assert!(program.needs_metadata());
    let loads = |offset: i32| {
        program
            .insns()
            .iter()
            .any(|insn| insn.k == (libc::SKF_AD_OFF + offset) as u32)
    };
    assert!(loads(libc::SKF_AD_VLAN_TAG_PRESENT) && loads(libc::SKF_AD_VLAN_TAG));
    let moved = ether(&[], 0x0800, &ipv4(6));
    let inside = ether(&[(0x8100, 1000)], 0x0800, &ipv4(6));
    let insns = wrap(Some(&program), None, 96);
    let tag = |tag| Metadata {
        tag,
        ..Metadata::default()
    };
    assert_eq!(kernel_run(&insns, &moved, tag(Some(1000))), 96);
    assert_eq!(kernel_run(&insns, &moved, tag(Some(1001))), 0);
    assert_eq!(kernel_run(&insns, &moved, tag(None)), 0);
    assert_eq!(kernel_run(&insns, &inside, tag(None)), 96);
    assert_eq!(
        program.run(&inside, inside.len() as u32),
        0,
        "has no metadata in user space"
    );
}

#[test]
fn direction_words_run_in_the_kernel() {
    if !have_libpcap() {
        return;
    }
    for text in [c"inbound", c"not outbound and ip", c"ifindex 1"] {
        let here = compile(text, DLT_EN10MB, 96);
        assert!(
            matches!(here, Err(Error::FilterSyntax(_))),
            "{text:?} cannot be judged here"
        );
    }
    for (text, outgoing, incoming) in [(c"outbound", 96, 0), (c"inbound", 0, 96)] {
        match compile_live(text, DLT_EN10MB, None, 96) {
            Ok(Live::Kernel(program)) => {
                let insns = wrap(Some(&program), None, 96);
                let of = |pkttype| Metadata {
                    pkttype,
                    ..Metadata::default()
                };
                assert_eq!(kernel_run(&insns, &[0; 60], of(4)), outgoing, "{text:?}");
                assert_eq!(kernel_run(&insns, &[0; 60], of(0)), incoming, "{text:?}");
            }
            // libpcap 1.11 wants an open device for these words.
            Err(Error::NotSupported(_) | Error::FilterSyntax(_)) => eprintln!("skipped: {text:?}"),
            _ => panic!("{text:?} cannot be judged in user space"),
        }
    }
}

#[test]
fn a_device_of_another_link_type_is_not_compiled_on() {
    if !have_libpcap() {
        return;
    }
    let live = compile_live(c"vlan", 12, None, 96);
    assert!(
        matches!(live, Err(Error::FilterSyntax(_)) | Ok(Live::UserSpace(_))),
        "vlan means nothing on raw IP, or is left to user space"
    );
    let gone = compile_live(c"vlan 7", 143, Some("no\0such"), 96);
    assert!(!matches!(gone, Ok(Live::Kernel(_))));
}

#[test]
fn a_program_too_long_for_the_kernel_runs_in_user_space() {
    if !have_libpcap() {
        return;
    }
    let hosts = (0..3000u32).map(|i| format!("ip[{}:4] = {}", 12 + i % 7, 7 * i));
    let text = CString::new(hosts.collect::<Vec<_>>().join(" or ")).unwrap();
    let Live::UserSpace(program) = compile_live(&text, DLT_EN10MB, None, 64).unwrap() else {
        panic!("the kernel takes at most {MAX_KERNEL_INSNS}")
    };
    assert!(program.insns().len() > MAX_KERNEL_INSNS);
}

#[test]
fn wrap_tests_the_direction_first() {
    let run = |insns: &[sock_filter], pkttype| {
        kernel_run(
            insns,
            &[0; 60],
            Metadata {
                pkttype,
                ..Metadata::default()
            },
        )
    };
    // PACKET_HOST, PACKET_BROADCAST, PACKET_MULTICAST, PACKET_OTHERHOST, PACKET_OUTGOING
    let all = wrap(None, None, 1500);
    let received = wrap(None, Some(Only::Received), 1500);
    let sent = wrap(None, Some(Only::Sent), 1500);
    for pkttype in 0..5 {
        assert_eq!(run(&all, pkttype), 1500);
        assert_eq!(run(&received, pkttype), if pkttype == 4 { 0 } else { 1500 });
        assert_eq!(run(&sent, pkttype), if pkttype == 4 { 1500 } else { 0 });
    }
    assert_eq!((all.len(), received.len()), (1, 4));
}

#[test]
fn wrap_never_keeps_more_than_snap_nor_turns_accept_into_drop() {
    if !have_libpcap() {
        return;
    }
    let frame = ether(&[], 0x0800, &ipv4(17));
    let program = compile(c"ip", DLT_EN10MB, 1000).unwrap();
    for (snap, kept) in [(0, 1), (1, 1), (64, 64), (1000, 1000), (5000, 1000)] {
        for only in [None, Some(Only::Received)] {
            let insns = wrap(Some(&program), only, snap);
            assert_eq!(kernel_run(&insns, &frame, Metadata::default()), kept);
        }
        let other = ether(&[], 0x0806, &[0; 28]);
        let insns = wrap(Some(&program), None, snap);
        assert_eq!(kernel_run(&insns, &other, Metadata::default()), 0);
    }
    assert_eq!(compile(c"ip", DLT_EN10MB, 0).unwrap().run(&frame, 62), 1);
}

#[test]
fn a_malloced_program_runs_and_is_freed() {
    if !have_libpcap() {
        return;
    }
    let (len, insns) = parse_to_malloc(c"udp port 53", 128).unwrap();
    assert_eq!(
        len as usize,
        compile(c"udp port 53", DLT_EN10MB, 128)
            .unwrap()
            .insns()
            .len()
    );
    crate::sys::libpcap::tests::run_and_free(insns, &ether(&[], 0x0800, &ipv4(17)), 128);
    assert!(matches!(
        parse_to_malloc(c"udp port", 128),
        Err(Error::FilterSyntax(_))
    ));
}

/// Runs itself in a process of its own, where no other test uses memory meanwhile.
#[test]
fn a_thousand_compilations_leave_no_memory_behind() {
    const ALONE: &str = "PFRING_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "filter::bpf::tests::a_thousand_compilations_leave_no_memory_behind";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child
            .args(["--exact", name])
            .env(ALONE, "1")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        return;
    }
    if !have_libpcap() {
        return;
    }
    let resident_pages = || -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let compile_some = |count| {
        for i in 0..count {
            let port = i % 1000;
            let text = CString::new(format!("(tcp or udp) and port {port} and host 10.0.0.1"));
            assert!(
                compile(&text.unwrap(), DLT_EN10MB, 64)
                    .unwrap()
                    .insns()
                    .len()
                    > 5
            );
            assert!(compile(c"tcp port or", DLT_EN10MB, 64).is_err());
        }
    };
    compile_some(100);
    let before = resident_pages();
    compile_some(1000);
    let grown = resident_pages().saturating_sub(before);
    assert!(grown < 24, "{grown} pages");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_and_no_packet_crashes(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "ip", "tcp", "vlan", "inbound", "and", "or", "not", "(", ")", "port", "80", "host",
                "10.0.0.1", "ip[0:4]", "=", "&", "0x7fffffff", "len", "mpls", "pppoes", "\u{e9}",
            ]),
            0..8,
        ),
        packet in prop::collection::vec(any::<u8>(), 0..80),
        wire_len: u32,
    ) {
        let text = CString::new(words.join(" ")).unwrap();
        match compile(&text, DLT_EN10MB, 64) {
            Ok(program) => {
                let kept = program.run(&packet, wire_len);
                prop_assert!(kept == 0 || kept == 64);
            }
            Err(Error::FilterSyntax(message)) => prop_assert!(!message.is_empty()),
            Err(Error::NoLibpcap(_)) => {}
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }
}
