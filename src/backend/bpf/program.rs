//! The tap's program: what the kernel runs on each frame of an interface.
//!
//! A frame that the classic program wants is copied into the ring buffer, its tag back in place, and goes on
//! its way untouched. The reader is woken only when it has said that it sleeps.
#![forbid(unsafe_code)]

use std::mem::offset_of;

use libc::sock_filter;

use super::translate::translate;
use crate::backend::FrameDirection;
use crate::backend::tpacket::run::FrameHeader;
use crate::sys::bpf::Insn;
use crate::sys::bpf::asm::{
    Alu, Assembler, If, Label, Operand, R0, R1, R2, R3, R4, R6, R7, R8, R9, R10, Size,
};

/// Fields of `struct __sk_buff` (linux/bpf.h).
pub(super) struct Context;

impl Context {
    const LEN: i16 = 0;
    pub(super) const PKT_TYPE: i16 = 4;
    pub(super) const MARK: i16 = 8;
    pub(super) const QUEUE: i16 = 12;
    pub(super) const PROTOCOL: i16 = 16;
    pub(super) const VLAN_PRESENT: i16 = 20;
    pub(super) const VLAN_TCI: i16 = 24;
    pub(super) const VLAN_PROTO: i16 = 28;
    pub(super) const IFINDEX: i16 = 40;
    /// Real time when the frame was received, 0 where nobody asked for it to be noted.
    const STAMP: i16 = 152;
}

/// Where the length of a frame is in the context.
pub(super) const CONTEXT_LEN: i16 = Context::LEN;

/// Helpers of the kernel, by number (linux/bpf.h).
pub(super) struct Helper;

impl Helper {
    const LOAD_BYTES: i32 = 26;
    pub(super) const LOAD_BYTES_RELATIVE: i32 = 68;
    const RING_RESERVE: i32 = 131;
    const RING_SUBMIT: i32 = 132;
    const RING_DISCARD: i32 = 133;
    const CSUM_LEVEL: i32 = 135;
    const KTIME_TAI: i32 = 208;
}

/// `bpf_csum_level` only tells (BPF_CSUM_LEVEL_QUERY).
const CSUM_QUERY: i32 = 0;
/// No wake-up whatever the ring holds, and one whatever it holds.
const NO_WAKEUP: i32 = 1;
const FORCE_WAKEUP: i32 = 2;
/// The next program at the hook has its turn (TCX_NEXT).
const NEXT: i32 = -1;

/// What program and reader share: one value of an array, mapped.
#[repr(C)]
#[derive(Debug)]
pub struct Shared {
    /// Frames that found no room.
    pub dropped: u64,
    /// Frames that were put into the ring, one too many for a moment.
    pub arrived: u64,
    /// CLOCK_TAI less the real time, in nanoseconds; the reader's to write.
    pub tai_offset_ns: u64,
    /// Not 0: a reader sleeps, or is about to. The program that wakes it sets it to 0.
    pub sleeps: u32,
    padding: u32,
}

/// Where the bytes of a frame begin in its record: behind the header that a frame of TPACKET_V3 has too, so that
/// a reader takes both in the same way.
pub const DATA: usize = size_of::<FrameHeader>().next_multiple_of(8);
/// Bytes that the kernel keeps before each record, and what their places are multiples of.
pub const RECORD_HEADER: usize = 8;

const MACS: i32 = 12;
const TAG: i32 = 4;
const SECOND: i32 = 1_000_000_000;

/// Where the fields of the header are.
struct At;

impl At {
    const NEXT: i16 = offset_of!(FrameHeader, notes.tp_next_offset) as i16;
    const SEC: i16 = offset_of!(FrameHeader, notes.tp_sec) as i16;
    const NSEC: i16 = offset_of!(FrameHeader, notes.tp_nsec) as i16;
    const CAPLEN: i16 = offset_of!(FrameHeader, notes.tp_snaplen) as i16;
    const LEN: i16 = offset_of!(FrameHeader, notes.tp_len) as i16;
    const STATUS: i16 = offset_of!(FrameHeader, notes.tp_status) as i16;
    const MAC: i16 = offset_of!(FrameHeader, notes.tp_mac) as i16;
    const TCI: i16 = offset_of!(FrameHeader, notes.hv1.tp_vlan_tci) as i16;
    const IFINDEX: i16 = offset_of!(FrameHeader, address.sll_ifindex) as i16;
    const PKTTYPE: i16 = offset_of!(FrameHeader, address.sll_pkttype) as i16;
}

/// On the stack: the distance to the next record, below what a translated program uses.
const STEP: i16 = -96;

/// A record's size has to be a constant to the verifier: a frame gets the smallest of these. The largest
/// holds the longest frame that TPACKET takes.
const CLASSES: [i32; 10] = [64, 128, 256, 512, 1024, 1536, 2304, 4096, 9216, 65_600];

/// Assembles the program for one direction of an interface. None when the classic program has an
/// instruction that this hook has no answer to, or is too long.
pub fn assemble(
    classic: &[sock_filter],
    direction: FrameDirection,
    shared_fd: i32,
    ring_fd: i32,
) -> Option<Vec<Insn>> {
    let mut asm = Assembler::default();
    let (pass, dropped) = (asm.label(), asm.label());
    asm.mov(R6, R1);
    translate(&mut asm, classic, direction, pass)?;
    asm.load_map_value(R9, shared_fd);
    take_length(&mut asm, pass);
    reserve(&mut asm, ring_fd, dropped);
    write_notes(&mut asm, direction);
    let discard = asm.label();
    write_bytes(&mut asm, discard);
    submit(&mut asm);
    asm.bind(pass);
    asm.set(R0, NEXT);
    asm.exit();
    asm.bind(discard);
    asm.mov(R1, R8);
    asm.set(R2, NO_WAKEUP);
    asm.call(Helper::RING_DISCARD);
    asm.bind(dropped);
    asm.set(R1, 1);
    asm.fetch_add(R9, offset_of!(Shared, dropped) as i16, R1);
    asm.jump(pass);
    asm.finish()
}

/// The smallest program that passes everything on: what shows whether programs can be attached.
pub fn nothing() -> Vec<Insn> {
    let mut asm = Assembler::default();
    asm.set(R0, NEXT);
    asm.exit();
    asm.finish().unwrap_or_default()
}

/// R7 = bytes to keep: what the classic program returned, at most the frame.
fn take_length(asm: &mut Assembler, pass: Label) {
    let short = asm.label();
    asm.load(Size::Word, R8, R6, Context::LEN);
    asm.jump_if(If::AtLeast, R8, Operand::Reg(R7), short);
    asm.mov(R7, R8);
    asm.bind(short);
    asm.jump_if(If::Equal, R7, Operand::Imm(0), pass);
}

/// R8 = a record with room for R7 bytes and a tag.
fn reserve(asm: &mut Assembler, ring_fd: i32, dropped: Label) {
    let reserve = asm.label();
    for class in CLASSES {
        let next = asm.label();
        asm.jump_if(If::Greater, R7, Operand::Imm(class), next);
        asm.set(R2, DATA as i32 + class + TAG);
        let step = (RECORD_HEADER + DATA) as i32 + class + TAG;
        asm.store_value(Size::Word, R10, STEP, (step + 7) & !7);
        asm.jump(reserve);
        asm.bind(next);
    }
    // Longer than anything that a ring of packets takes.
    asm.jump(dropped);
    asm.bind(reserve);
    asm.load_map(R1, ring_fd);
    asm.set(R3, 0);
    asm.call(Helper::RING_RESERVE);
    asm.jump_if(If::Equal, R0, Operand::Imm(0), dropped);
    asm.mov(R8, R0);
    // Between taking the place in the ring and looking whether the reader sleeps: a full barrier, as
    // the reader has one between saying that it sleeps and looking at the ring.
    asm.set(R1, 1);
    asm.fetch_add(R9, offset_of!(Shared, arrived) as i16, R1);
}

/// Fills the header, all but what a tag changes.
fn write_notes(asm: &mut Assembler, direction: FrameDirection) {
    write_stamp(asm, direction);
    asm.load(Size::Word, R1, R10, STEP);
    asm.store(Size::Word, R8, At::NEXT, R1);
    asm.store(Size::Word, R8, At::CAPLEN, R7);
    asm.load(Size::Word, R1, R6, Context::LEN);
    asm.store(Size::Word, R8, At::LEN, R1);
    asm.load(Size::Word, R1, R6, Context::IFINDEX);
    asm.store(Size::Word, R8, At::IFINDEX, R1);
    asm.store_value(Size::Half, R8, At::MAC, DATA as i32);
    asm.store_value(Size::Word, R8, At::STATUS, 0);
    match direction {
        FrameDirection::Sent => {
            asm.store_value(Size::Byte, R8, At::PKTTYPE, libc::PACKET_OUTGOING.into());
        }
        FrameDirection::Received => {
            let unchecked = asm.label();
            asm.load(Size::Word, R1, R6, Context::PKT_TYPE);
            asm.store(Size::Byte, R8, At::PKTTYPE, R1);
            asm.mov(R1, R6);
            asm.set(R2, CSUM_QUERY);
            asm.call(Helper::CSUM_LEVEL);
            // A level, or a negative number for a frame that nobody has checked.
            asm.alu(Alu::Rsh, R0, Operand::Imm(63));
            asm.jump_if(If::NotEqual, R0, Operand::Imm(0), unchecked);
            asm.store_value(
                Size::Word,
                R8,
                At::STATUS,
                libc::TP_STATUS_CSUM_VALID as i32,
            );
            asm.bind(unchecked);
        }
    }
}

/// The real time: as the kernel has noted it for a frame that came in, so that every reader has the same, else
/// now.
fn write_stamp(asm: &mut Assembler, direction: FrameDirection) {
    let stamped = asm.label();
    if direction == FrameDirection::Received {
        asm.load(Size::Double, R0, R6, Context::STAMP);
        asm.jump_if(If::NotEqual, R0, Operand::Imm(0), stamped);
    }
    asm.call(Helper::KTIME_TAI);
    asm.load(
        Size::Double,
        R1,
        R9,
        offset_of!(Shared, tai_offset_ns) as i16,
    );
    asm.alu(Alu::Sub, R0, Operand::Reg(R1));
    asm.bind(stamped);
    asm.mov(R1, R0);
    asm.alu(Alu::Div, R1, Operand::Imm(SECOND));
    asm.store(Size::Word, R8, At::SEC, R1);
    asm.alu(Alu::Mul, R1, Operand::Imm(SECOND));
    asm.alu(Alu::Sub, R0, Operand::Reg(R1));
    asm.store(Size::Word, R8, At::NSEC, R0);
}

/// Copies R7 bytes; a tag that the kernel keeps beside the frame goes back behind the addresses.
fn write_bytes(asm: &mut Assembler, discard: Label) {
    let (tagged, untagged, done) = (asm.label(), asm.label(), asm.label());
    asm.load(Size::Word, R1, R6, Context::VLAN_PRESENT);
    asm.jump_if(If::Equal, R1, Operand::Imm(0), untagged);
    // A frame of addresses alone has no place for a tag.
    asm.jump_if(If::AtLeast, R7, Operand::Imm(MACS + 1), tagged);
    asm.bind(untagged);
    asm.mov(R4, R7);
    copy(asm, 0, 0, discard);
    asm.jump(done);
    asm.bind(tagged);
    write_tag(asm);
    asm.set(R4, MACS);
    copy(asm, 0, 0, discard);
    asm.mov(R4, R7);
    asm.alu(Alu::Sub, R4, Operand::Imm(MACS));
    copy(asm, MACS, MACS + TAG, discard);
    asm.bind(done);
}

/// Writes the tag, and notes it: both lengths grow by it.
fn write_tag(asm: &mut Assembler) {
    asm.load(Size::Word, R1, R8, At::STATUS);
    asm.alu(Alu::Or, R1, Operand::Imm(libc::TP_STATUS_VLAN_VALID as i32));
    asm.store(Size::Word, R8, At::STATUS, R1);
    for length in [At::CAPLEN, At::LEN] {
        asm.load(Size::Word, R1, R8, length);
        asm.alu(Alu::Add, R1, Operand::Imm(TAG));
        asm.store(Size::Word, R8, length, R1);
    }
    // The type is in network byte order already.
    asm.load(Size::Word, R1, R6, Context::VLAN_PROTO);
    asm.store(Size::Half, R8, (DATA as i32 + MACS) as i16, R1);
    asm.load(Size::Word, R1, R6, Context::VLAN_TCI);
    asm.store(Size::Word, R8, At::TCI, R1);
    asm.network16(R1);
    asm.store(Size::Half, R8, (DATA as i32 + MACS + 2) as i16, R1);
}

/// Copies R4 bytes from `from` of the packet to `to` of the data.
fn copy(asm: &mut Assembler, from: i32, to: i32, discard: Label) {
    asm.mov(R1, R6);
    asm.set(R2, from);
    asm.mov(R3, R8);
    asm.alu(Alu::Add, R3, Operand::Imm(DATA as i32 + to));
    asm.call(Helper::LOAD_BYTES);
    asm.jump_if(If::NotEqual, R0, Operand::Imm(0), discard);
}

/// Hands the record over, and wakes a reader that sleeps.
fn submit(asm: &mut Assembler) {
    let quiet = asm.label();
    asm.load(Size::Word, R1, R9, offset_of!(Shared, sleeps) as i16);
    asm.set(R2, NO_WAKEUP);
    asm.jump_if(If::Equal, R1, Operand::Imm(0), quiet);
    asm.store_value(Size::Word, R9, offset_of!(Shared, sleeps) as i16, 0);
    asm.set(R2, FORCE_WAKEUP);
    asm.bind(quiet);
    asm.mov(R1, R8);
    asm.call(Helper::RING_SUBMIT);
}
