//! Filter texts (the tcpdump language) and the classic-BPF programs they become.
//!
//! libpcap does the compiling and the interpreting, through [`crate::sys::libpcap`]. This file
//! chooses where a program can run, and prepares it for the kernel; attaching it is the backend's.
#![forbid(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::ptr::NonNull;

use libc::sock_filter;

use crate::error::{Error, Result};
use crate::sys::libpcap::{Code, Pcap};

pub use crate::sys::libpcap::{free_malloced, run_raw};

/// Ethernet, the link type of `pfring_set_bpf_filter` (DLT_EN10MB).
pub const DLT_EN10MB: i32 = 1;

/// The most instructions that the kernel takes, `BPF_MAXINSNS` of `linux/bpf_common.h`.
pub const MAX_KERNEL_INSNS: usize = 4096;

/// What [`wrap`] puts before a program, at most.
const PREFIX_INSNS: usize = 3;

/// `PACKET_OUTGOING` of `linux/if_packet.h`, as SKF_AD_PKTTYPE gives it.
const PACKET_OUTGOING: u32 = libc::PACKET_OUTGOING as u32;

/// From here up an absolute load does not read the packet but what the kernel knows of it
/// (`SKF_AD_OFF` of `linux/filter.h`); SKF_NET_OFF and SKF_LL_OFF lie above and are not made by
/// libpcap.
const METADATA: std::ops::RangeInclusive<u32> =
    libc::SKF_AD_OFF as u32..=(libc::SKF_AD_OFF + libc::SKF_AD_MAX) as u32;

/// A compiled filter.
#[derive(Clone)]
pub struct Program(Code);

impl Program {
    /// The instructions, as SO_ATTACH_FILTER takes them.
    pub fn insns(&self) -> &[sock_filter] {
        self.0.insns()
    }

    /// Bytes of the packet to keep, 0 to drop it. `data` is what was captured of a packet of
    /// `wire_len` bytes, tags in place.
    ///
    /// A program for the kernel that [`needs_metadata`](Self::needs_metadata) drops every packet
    /// here.
    #[inline]
    pub fn run(&self, data: &[u8], wire_len: u32) -> u32 {
        self.0.run(data, wire_len)
    }

    /// Whether it asks for what only the kernel knows of a packet: its direction, its interface,
    /// a tag in metadata.
    pub fn needs_metadata(&self) -> bool {
        self.insns().iter().any(|insn| {
            u32::from(insn.code) & 0x07 == libc::BPF_LD
                && u32::from(insn.code) & 0xe0 == libc::BPF_ABS
                && METADATA.contains(&insn.k)
        })
    }
}

/// Where the filter of a live capture has to run.
pub enum Live {
    /// In the kernel: give the program to [`wrap`] and attach the result.
    Kernel(Program),
    /// Here: the kernel cannot be asked; run the program on each frame with its tags put back.
    UserSpace(Program),
}

/// Which frames of a socket are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Those that came in.
    Received,
    /// Those that this host sent.
    Sent,
}

/// Compiles a text for frames of `link_type` (a DLT value) that lie whole in memory, tags in
/// place. An accepted packet gives `snaplen` bytes (0 counts as 1).
///
/// # Errors
///
/// [`Error::FilterSyntax`] with libpcap's message, or for a text that asks for what such frames do
/// not have (`inbound`, `outbound`, `ifindex`); [`Error::NoLibpcap`].
pub fn compile(text: &CStr, link_type: i32, snaplen: u32) -> Result<Program> {
    let program = compile_dead(text, link_type, snaplen)?;
    if program.needs_metadata() {
        let why =
            "inbound, outbound and ifindex are for the filter of a live capture in the kernel";
        return Err(Error::FilterSyntax(why.to_owned()));
    }
    Ok(program)
}

/// Compiles a text without a device. Before libpcap 1.11 the result may need metadata.
fn compile_dead(text: &CStr, link_type: i32, snaplen: u32) -> Result<Program> {
    Pcap::dead(link_type, snaplen)?.compile(text).map(Program)
}

/// Compiles a text for a live capture of `link_type` on `device` (None for several or all).
///
/// The kernel moves a VLAN tag out of the frame before a filter sees it, and libpcap writes the
/// code that looks for it in metadata only on a handle that is open on a device (`gen_vlan` of its
/// gencode.c; from 1.11 on also for `inbound`, `outbound` and `ifindex`). Such a handle takes tens
/// of milliseconds, so one is opened only for these words. The code depends on the link type and
/// not on the device: `lo` is tried first, a busy interface need not be tapped for it.
///
/// # Errors
///
/// As [`compile`]; [`Error::NotSupported`] for a text that needs metadata beside tags while no
/// interface can be opened, or that is too long for the kernel.
pub fn compile_live(
    text: &CStr,
    link_type: i32,
    device: Option<&str>,
    snaplen: u32,
) -> Result<Live> {
    let dead = compile_dead(text, link_type, snaplen);
    let tags = mentions_tags(text);
    let metadata = has_word(text, &["inbound", "outbound", "ifindex"]);
    let dead_fits = match &dead {
        Ok(program) => !tags && (!metadata || program.needs_metadata()),
        // A new libpcap refuses these words on a dead handle; other errors are the text's.
        Err(error) => !(metadata && matches!(error, Error::FilterSyntax(_))),
    };
    if !dead_fits && let Some(program) = compile_on_device(text, link_type, device, snaplen)? {
        return Ok(Live::Kernel(program));
    }
    let dead = dead?;
    if dead_fits && fits_kernel(&dead) {
        Ok(Live::Kernel(dead))
    } else if dead.needs_metadata() {
        Err(Error::NotSupported(
            "this filter without an interface that is up",
        ))
    } else {
        Ok(Live::UserSpace(dead))
    }
}

/// Compiles on an open handle of `lo` or of the device; None where neither gives code that looks
/// at metadata and fits the kernel.
fn compile_on_device(
    text: &CStr,
    link_type: i32,
    device: Option<&str>,
    snaplen: u32,
) -> Result<Option<Program>> {
    for name in ["lo"].into_iter().chain(device) {
        let Ok(name) = CString::new(name) else {
            continue;
        };
        match Pcap::live(&name) {
            Ok(pcap) if pcap.link_type() == link_type => {
                let program = Program(pcap.compile(text)?.accepting(snaplen.max(1)));
                if program.needs_metadata() && fits_kernel(&program) {
                    return Ok(Some(program));
                }
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// Whether the kernel takes it, with the longest prefix.
fn fits_kernel(program: &Program) -> bool {
    program.insns().len() + PREFIX_INSNS <= MAX_KERNEL_INSNS
}

/// Whether the text asks about VLAN tags. One that does not is meant for frames without the tag that
/// the kernel moves out of them.
pub fn mentions_tags(text: &CStr) -> bool {
    has_word(text, &["vlan"])
}

/// Whether the text has one of these words as libpcap's scanner would read it.
fn has_word(text: &CStr, words: &[&str]) -> bool {
    text.to_bytes()
        .split(|byte| !(byte.is_ascii_alphanumeric() || b"-_.".contains(byte)))
        .any(|token| words.iter().any(|word| word.as_bytes() == token))
}

/// The program to attach: `program` (None accepts everything) behind a test of the direction, each
/// accept keeping at most `snap` bytes (0 counts as 1, for 0 would be a drop).
pub fn wrap(program: Option<&Program>, only: Option<Only>, snap: u32) -> Vec<sock_filter> {
    let snap = snap.max(1);
    let ret = (libc::BPF_RET | libc::BPF_K) as u16;
    let mut insns = Vec::with_capacity(PREFIX_INSNS + program.map_or(1, |p| p.insns().len()));
    if let Some(only) = only {
        let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
        let equal = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        let (jt, jf) = match only {
            Only::Received => (0, 1),
            Only::Sent => (1, 0),
        };
        let pkttype = (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32;
        insns.push(sock_filter {
            code: load,
            jt: 0,
            jf: 0,
            k: pkttype,
        });
        insns.push(sock_filter {
            code: equal,
            jt,
            jf,
            k: PACKET_OUTGOING,
        });
        insns.push(sock_filter {
            code: ret,
            jt: 0,
            jf: 0,
            k: 0,
        });
    }
    match program {
        None => insns.push(sock_filter {
            code: ret,
            jt: 0,
            jf: 0,
            k: snap,
        }),
        Some(program) => insns.extend(program.insns().iter().map(|insn| {
            let k = if insn.code == ret {
                insn.k.min(snap)
            } else {
                insn.k
            };
            sock_filter { k, ..*insn }
        })),
    }
    insns
}

/// Compiles a text for Ethernet into `malloc`ed instructions that C owns: their number, and the
/// block, to be freed with [`free_malloced`] or `pcap_freecode`.
///
/// # Errors
///
/// As [`compile`]; [`Error::OutOfMemory`].
pub fn parse_to_malloc(text: &CStr, snaplen: u32) -> Result<(u32, NonNull<c_void>)> {
    let code = Pcap::dead(DLT_EN10MB, snaplen)?.compile(text)?;
    let len = u32::try_from(code.insns().len()).map_err(|_| Error::OutOfMemory)?;
    Ok((len, code.to_malloc()?))
}

#[cfg(test)]
mod tests;
