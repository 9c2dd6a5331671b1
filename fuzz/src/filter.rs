//! Filter texts and the programs made of them.
//!
//! Input: a control byte, a snap length (two bytes), the length of the text, the text, then a frame.
//! Without libpcap only the words of the text are looked at.

use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};

use pfring::filter::bpf::{
    DLT_EN10MB, Live, MAX_KERNEL_INSNS, Only, Program, compile, compile_live, free_malloced,
    mentions_tags, parse_to_malloc, run_raw, wrap,
};

use crate::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let control = input.u8();
    let snaplen = u32::from(input.u16());
    let len = input.u8();
    let Ok(text) = CString::new(input.bytes(len.into())) else {
        return;
    };
    let _ = mentions_tags(&text);
    if let Ok((len, insns)) = parse_to_malloc(&text, snaplen) {
        assert!(len > 0);
        // SAFETY: it came from parse_to_malloc and is freed once.
        unsafe { free_malloced(insns.as_ptr()) };
    }
    if control & 0x80 != 0 && may_open() {
        live(&text, snaplen);
    }
    let Ok(program) = compile(&text, DLT_EN10MB, snaplen) else {
        return;
    };
    assert!(!program.needs_metadata());
    verdicts(&program, input.0, u32::from(control & 0x7f));
}

/// Opening a device takes tens of milliseconds: a fuzzer does it a few times only.
fn may_open() -> bool {
    static OPENED: AtomicU32 = AtomicU32::new(0);
    OPENED.fetch_add(1, Ordering::Relaxed) < 100
}

/// What goes to the kernel fits it, and asks for metadata only where a text does.
fn live(text: &CString, snaplen: u32) {
    if let Ok(Live::Kernel(program)) = compile_live(text, DLT_EN10MB, Some("fuzz0"), snaplen) {
        assert!(wrap(Some(&program), Some(Only::Sent), snaplen).len() <= MAX_KERNEL_INSNS);
        let words = ["vlan", "inbound", "outbound", "ifindex"];
        let text = text.to_string_lossy();
        assert!(!program.needs_metadata() || words.iter().any(|word| text.contains(word)));
    }
}

/// The wrapped program, by libpcap's interpreter, keeps what the program keeps, cut to the snap length.
fn verdicts(program: &Program, frame: &[u8], snap: u32) {
    let wire_len = frame.len() as u32;
    let kept = program.run(frame, wire_len);
    let wrapped = wrap(Some(program), None, snap);
    assert_eq!(wrapped.len(), program.insns().len());
    let by_kernel = interpret(&wrapped, frame);
    assert_eq!(by_kernel > 0, kept > 0);
    // A program that gives its accumulator back is not cut.
    if kept > 0 && !has_ret_a(program) {
        assert_eq!(by_kernel, kept.min(snap.max(1)));
    }
    for only in [Only::Received, Only::Sent] {
        let both = wrap(Some(program), Some(only), snap);
        assert_eq!(both.len(), wrapped.len() + 3);
        // libpcap's interpreter has no metadata: the test of the direction ends it.
        assert_eq!(interpret(&both, frame), 0);
    }
    assert_eq!(interpret(&wrap(None, None, snap), frame), snap.max(1));
}

fn has_ret_a(program: &Program) -> bool {
    let ret_a = (libc::BPF_RET | libc::BPF_A) as u16;
    program.insns().iter().any(|insn| insn.code == ret_a)
}

fn interpret(insns: &[libc::sock_filter], frame: &[u8]) -> u32 {
    let len = frame.len() as u32;
    // SAFETY: whole programs of libpcap, whose jumps stay inside; the frame is readable.
    unsafe { run_raw(insns.as_ptr().cast(), frame.as_ptr(), len, len) }.expect("libpcap is there")
}
