//! bpf(2): maps, programs for the traffic-control hook, links that attach them, and programs that are run on a
//! frame.
//!
//! A link lasts as long as its descriptor: nothing stays attached when the process ends, however it ends.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::error::Result;
use crate::sys::{check, own};

pub mod asm;
pub mod socket_filter;

// Of linux/bpf.h; libc does not have them.
const MAP_CREATE: libc::c_int = 0;
const PROG_LOAD: libc::c_int = 5;
const PROG_RUN: libc::c_int = 10;
const LINK_CREATE: libc::c_int = 28;
const LINK_UPDATE: libc::c_int = 29;
const MAP_TYPE_ARRAY: u32 = 2;
const MAP_TYPE_RINGBUF: u32 = 27;
const F_MMAPABLE: u32 = 1 << 10;
const PROG_TYPE_SCHED_CLS: u32 = 3;
const PROG_TYPE_XDP: u32 = 6;
const RUN_LIVE_FRAMES: u32 = 1 << 1; // BPF_F_TEST_XDP_LIVE_FRAMES
const TCX_INGRESS: u32 = 46;
const TCX_EGRESS: u32 = 47;

/// The side of an interface that a program is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// What comes in.
    Ingress,
    /// What the host sends.
    Egress,
}

impl Hook {
    fn attach_type(self) -> u32 {
        match self {
            Self::Ingress => TCX_INGRESS,
            Self::Egress => TCX_EGRESS,
        }
    }
}

/// One instruction, `struct bpf_insn`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insn {
    /// Operation.
    pub code: u8,
    /// Destination in the low four bits, source in the high ones.
    pub registers: u8,
    /// Offset of a jump or of memory.
    pub offset: i16,
    /// Immediate value.
    pub immediate: i32,
}

/// The part of `union bpf_attr` that MAP_CREATE reads.
#[repr(C)]
#[derive(Clone, Copy)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    inner_map_fd: u32,
    numa_node: u32,
    map_name: [u8; 16],
    map_ifindex: u32,
}

/// The part that PROG_LOAD reads, up to the attach type.
#[repr(C)]
#[derive(Clone, Copy)]
struct ProgLoad {
    prog_type: u32,
    insn_count: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
    prog_name: [u8; 16],
    prog_ifindex: u32,
    expected_attach_type: u32,
}

/// The part that PROG_RUN reads.
#[repr(C)]
#[derive(Clone, Copy)]
struct ProgRun {
    prog_fd: u32,
    retval: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
    ctx_size_in: u32,
    ctx_size_out: u32,
    ctx_in: u64,
    ctx_out: u64,
    flags: u32,
    cpu: u32,
    batch_size: u32,
    padding: u32,
}

/// `struct xdp_md`, what a program of type XDP is given.
#[repr(C)]
#[derive(Clone, Copy)]
struct XdpContext {
    data: u32,
    data_end: u32,
    data_meta: u32,
    ingress_ifindex: u32,
    rx_queue_index: u32,
    egress_ifindex: u32,
}

/// The part that LINK_CREATE reads, with the fields for tcx.
#[repr(C)]
#[derive(Clone, Copy)]
struct LinkCreate {
    prog_fd: u32,
    target_ifindex: u32,
    attach_type: u32,
    flags: u32,
    relative_fd: u32,
    padding: u32,
    expected_revision: u64,
}

/// The part that LINK_UPDATE reads.
#[repr(C)]
#[derive(Clone, Copy)]
struct LinkUpdate {
    link_fd: u32,
    new_prog_fd: u32,
    flags: u32,
    old_prog_fd: u32,
}

fn bpf<T: Copy>(command: libc::c_int, attributes: &T) -> libc::c_int {
    // SAFETY: `attributes` is readable for its size; the pointers in it are valid for the call (each caller
    // below says why), and the kernel keeps none of them.
    let ret = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attributes),
            size_of::<T>(),
        )
    };
    ret as libc::c_int
}

fn name(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    for (to, from) in name[..15].iter_mut().zip(text.bytes()) {
        *to = from;
    }
    name
}

/// Makes an array of one value of `value_size` bytes that can be mapped, all zero.
///
/// # Errors
///
/// `Os`: EPERM without CAP_BPF.
pub fn shared_value(value_size: u32) -> Result<OwnedFd> {
    create_map(MapCreate {
        map_type: MAP_TYPE_ARRAY,
        key_size: 4,
        value_size,
        max_entries: 1,
        map_flags: F_MMAPABLE,
        inner_map_fd: 0,
        numa_node: 0,
        map_name: name("pfring"),
        map_ifindex: 0,
    })
}

/// Makes a ring buffer of `bytes`, a power of two and a multiple of the page size.
///
/// # Errors
///
/// `Os`: EPERM without CAP_BPF, ENOMEM.
pub fn ring_buffer(bytes: u32) -> Result<OwnedFd> {
    create_map(MapCreate {
        map_type: MAP_TYPE_RINGBUF,
        key_size: 0,
        value_size: 0,
        max_entries: bytes,
        map_flags: 0,
        inner_map_fd: 0,
        numa_node: 0,
        map_name: name("pfring_ring"),
        map_ifindex: 0,
    })
}

fn create_map(attributes: MapCreate) -> Result<OwnedFd> {
    // It holds no pointer.
    own("BPF_MAP_CREATE", bpf(MAP_CREATE, &attributes))
}

/// Loads a program for the traffic-control hook.
///
/// # Errors
///
/// `Os`: EPERM without CAP_BPF and CAP_NET_ADMIN, EINVAL or EACCES for a program that the verifier refuses.
pub fn load_tc_program(insns: &[Insn]) -> Result<OwnedFd> {
    load(PROG_TYPE_SCHED_CLS, "pfring_tap", insns, &mut [])
}

/// Loads a program of type XDP, to be [run](run_live) on frames.
///
/// # Errors
///
/// As [`load_tc_program`].
pub fn load_xdp_program(insns: &[Insn]) -> Result<OwnedFd> {
    load(PROG_TYPE_XDP, "pfring_pass", insns, &mut [])
}

/// Runs a program of type XDP on a frame that counts as received by an interface; with the frame goes
/// what the program says (kernel Documentation/bpf/bpf_prog_run.rst, "Running XDP programs in live frame mode").
///
/// # Errors
///
/// `Os`: ENODEV without such an interface; EINVAL for a frame that is shorter than an Ethernet header or does not
/// fit into a page, and before Linux 5.18.
pub fn run_live(program: &OwnedFd, frame: &[u8], ifindex: i32) -> Result<()> {
    let context = XdpContext {
        data: 0,
        data_end: frame.len() as u32,
        data_meta: 0,
        ingress_ifindex: ifindex as u32,
        rx_queue_index: 0,
        egress_ifindex: 0,
    };
    let attributes = ProgRun {
        prog_fd: program.as_raw_fd() as u32,
        retval: 0,
        data_size_in: frame.len() as u32,
        data_size_out: 0,
        data_in: frame.as_ptr() as u64,
        data_out: 0,
        repeat: 1,
        duration: 0,
        ctx_size_in: size_of::<XdpContext>() as u32,
        ctx_size_out: 0,
        ctx_in: (&raw const context) as u64,
        ctx_out: 0,
        flags: RUN_LIVE_FRAMES,
        cpu: 0,
        batch_size: 0,
        padding: 0,
    };
    // Frame and context outlive the call; a live run writes nothing back.
    check("BPF_PROG_RUN", bpf(PROG_RUN, &attributes)).map(|_| ())
}

/// As [`load_tc_program`], and what the verifier says.
///
/// # Errors
///
/// As there.
pub fn load_tc_program_with_log(insns: &[Insn]) -> (Result<OwnedFd>, String) {
    let mut log = vec![0; 1 << 20];
    let loaded = load(PROG_TYPE_SCHED_CLS, "pfring_tap", insns, &mut log);
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    (loaded, String::from_utf8_lossy(&log[..end]).into_owned())
}

fn load(prog_type: u32, prog_name: &str, insns: &[Insn], log: &mut [u8]) -> Result<OwnedFd> {
    let attributes = ProgLoad {
        prog_type,
        insn_count: insns.len() as u32,
        insns: insns.as_ptr() as u64,
        license: c"Dual MIT/GPL".as_ptr() as u64,
        log_level: u32::from(!log.is_empty()),
        log_size: log.len() as u32,
        log_buf: if log.is_empty() {
            0
        } else {
            log.as_mut_ptr() as u64
        },
        kern_version: 0,
        prog_flags: 0,
        prog_name: name(prog_name),
        prog_ifindex: 0,
        expected_attach_type: 0,
    };
    // Instructions, licence and log outlive the call and have the sizes given.
    own("BPF_PROG_LOAD", bpf(PROG_LOAD, &attributes))
}

/// Attaches a program to an interface, in front of nobody: others that are attached there go on.
///
/// # Errors
///
/// `Os`: EINVAL on a kernel before 6.6, ENODEV for an interface that is gone, EPERM without CAP_NET_ADMIN.
pub fn attach_tcx(program: &OwnedFd, ifindex: u32, hook: Hook) -> Result<OwnedFd> {
    let attributes = LinkCreate {
        prog_fd: program.as_raw_fd() as u32,
        target_ifindex: ifindex,
        attach_type: hook.attach_type(),
        flags: 0,
        relative_fd: 0,
        padding: 0,
        expected_revision: 0,
    };
    // It holds no pointer.
    own("BPF_LINK_CREATE", bpf(LINK_CREATE, &attributes))
}

/// Replaces the program of a link; no frame passes in between.
///
/// # Errors
///
/// `Os`: ENOLINK for a link whose interface is gone.
pub fn update_link(link: RawFd, program: &OwnedFd) -> Result<()> {
    let attributes = LinkUpdate {
        link_fd: link as u32,
        new_prog_fd: program.as_raw_fd() as u32,
        flags: 0,
        old_prog_fd: 0,
    };
    // It holds no pointer.
    check("BPF_LINK_UPDATE", bpf(LINK_UPDATE, &attributes)).map(|_| ())
}
