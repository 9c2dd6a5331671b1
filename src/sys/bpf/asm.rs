//! An assembler for the kernel's instructions: registers, labels, jumps forward.
#![forbid(unsafe_code)]

use crate::sys::bpf::Insn;

/// A register of the machine, 0 to 10.
pub type Register = u8;

/// Result of calls.
pub const R0: Register = 0;
/// Arguments of calls, lost by them: 1 to 5.
pub const R1: Register = 1;
/// The second argument.
pub const R2: Register = 2;
/// The third argument.
pub const R3: Register = 3;
/// The fourth argument.
pub const R4: Register = 4;
/// The fifth argument.
pub const R5: Register = 5;
/// Kept by calls: 6 to 9.
pub const R6: Register = 6;
/// Kept by calls.
pub const R7: Register = 7;
/// Kept by calls.
pub const R8: Register = 8;
/// Kept by calls.
pub const R9: Register = 9;
/// The top of the stack.
pub const R10: Register = 10;

/// Sizes of memory accesses, the SIZE bits of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 4 bytes.
    Word = 0x00,
    /// 2 bytes.
    Half = 0x08,
    /// 1 byte.
    Byte = 0x10,
    /// 8 bytes.
    Double = 0x18,
}

/// Arithmetic, the OP bits of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alu {
    /// Sum.
    Add = 0x00,
    /// Difference.
    Sub = 0x10,
    /// Product.
    Mul = 0x20,
    /// Quotient, without sign.
    Div = 0x30,
    /// Or.
    Or = 0x40,
    /// And.
    And = 0x50,
    /// Shift to the left.
    Lsh = 0x60,
    /// Shift to the right, zeros come in.
    Rsh = 0x70,
    /// Negation.
    Neg = 0x80,
    /// Remainder, without sign.
    Mod = 0x90,
    /// Exclusive or.
    Xor = 0xa0,
    /// Copy.
    Mov = 0xb0,
}

/// Conditions of jumps, without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum If {
    /// Equal.
    Equal = 0x10,
    /// Greater.
    Greater = 0x20,
    /// Greater or equal.
    AtLeast = 0x30,
    /// Some common bit.
    AnyBit = 0x40,
    /// Not equal.
    NotEqual = 0x50,
    /// Less.
    Less = 0xa0,
    /// Less or equal.
    AtMost = 0xb0,
}

/// The second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Reg(Register),
    /// A constant, sign-extended where the operation has 64 bits.
    Imm(i32),
}

/// A place in the program, to be bound once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

const CLASS_LD: u8 = 0x00;
const CLASS_LDX: u8 = 0x01;
const CLASS_ST: u8 = 0x02;
const CLASS_STX: u8 = 0x03;
const CLASS_ALU: u8 = 0x04;
const CLASS_JMP: u8 = 0x05;
const CLASS_JMP32: u8 = 0x06;
const CLASS_ALU64: u8 = 0x07;
const MODE_IMM: u8 = 0x00;
const MODE_ABS: u8 = 0x20;
const MODE_IND: u8 = 0x40;
const MODE_MEM: u8 = 0x60;
const MODE_ATOMIC: u8 = 0xc0;
const SOURCE_REGISTER: u8 = 0x08;
const OP_CALL: u8 = 0x80;
const OP_EXIT: u8 = 0x90;
const OP_JA: u8 = 0x00;
const TO_BIG_ENDIAN: u8 = 0xd8;
/// A load of 64 bits whose value is a map, or the address of a map's first value.
const PSEUDO_MAP_FD: u8 = 1;
const PSEUDO_MAP_VALUE: u8 = 2;

/// A program under construction.
#[derive(Debug, Default)]
pub struct Assembler {
    insns: Vec<Insn>,
    /// Where each label is.
    places: Vec<Option<usize>>,
    /// Jumps whose offset is not known yet.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    /// A label that is bound later.
    pub fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    /// The next instruction is where the label is.
    pub fn bind(&mut self, label: Label) {
        debug_assert!(self.places[label.0].is_none(), "bound once");
        self.places[label.0] = Some(self.insns.len());
    }

    fn push(&mut self, code: u8, dst: Register, src: Register, offset: i16, immediate: i32) {
        self.insns.push(Insn {
            code,
            registers: src << 4 | dst,
            offset,
            immediate,
        });
    }

    /// 32-bit arithmetic; the upper half of the register becomes 0.
    pub fn alu32(&mut self, op: Alu, dst: Register, operand: Operand) {
        self.arithmetic(CLASS_ALU, op, dst, operand);
    }

    /// 64-bit arithmetic.
    pub fn alu(&mut self, op: Alu, dst: Register, operand: Operand) {
        self.arithmetic(CLASS_ALU64, op, dst, operand);
    }

    fn arithmetic(&mut self, class: u8, op: Alu, dst: Register, operand: Operand) {
        match operand {
            Operand::Reg(src) => self.push(class | op as u8 | SOURCE_REGISTER, dst, src, 0, 0),
            Operand::Imm(value) => self.push(class | op as u8, dst, 0, 0, value),
        }
    }

    /// Copies a register.
    pub fn mov(&mut self, dst: Register, src: Register) {
        self.alu(Alu::Mov, dst, Operand::Reg(src));
    }

    /// Sets a register.
    pub fn set(&mut self, dst: Register, value: i32) {
        self.alu(Alu::Mov, dst, Operand::Imm(value));
    }

    /// The low 16 bits in network byte order.
    pub fn network16(&mut self, dst: Register) {
        self.push(CLASS_ALU | TO_BIG_ENDIAN, dst, 0, 0, 16);
    }

    /// The low 32 bits in network byte order.
    pub fn network32(&mut self, dst: Register) {
        self.push(CLASS_ALU | TO_BIG_ENDIAN, dst, 0, 0, 32);
    }

    /// `dst = *(src + offset)`.
    pub fn load(&mut self, size: Size, dst: Register, src: Register, offset: i16) {
        self.push(CLASS_LDX | MODE_MEM | size as u8, dst, src, offset, 0);
    }

    /// `*(dst + offset) = src`.
    pub fn store(&mut self, size: Size, dst: Register, offset: i16, src: Register) {
        self.push(CLASS_STX | MODE_MEM | size as u8, dst, src, offset, 0);
    }

    /// `*(dst + offset) = value`.
    pub fn store_value(&mut self, size: Size, dst: Register, offset: i16, value: i32) {
        self.push(CLASS_ST | MODE_MEM | size as u8, dst, 0, offset, value);
    }

    /// Adds `src` to 64 bits of memory at once, and gives in `src` what was there: a full barrier.
    pub fn fetch_add(&mut self, dst: Register, offset: i16, src: Register) {
        const FETCH: i32 = 1;
        self.push(
            CLASS_STX | MODE_ATOMIC | Size::Double as u8,
            dst,
            src,
            offset,
            Alu::Add as i32 | FETCH,
        );
    }

    /// Adds `src` to 64 bits of memory at once.
    pub fn atomic_add(&mut self, dst: Register, offset: i16, src: Register) {
        let code = CLASS_STX | MODE_ATOMIC | Size::Double as u8;
        self.push(code, dst, src, offset, Alu::Add as i32);
    }

    /// R0 = bytes of the packet at `at`, as a number. R6 holds the context; R1 to R5 are lost. Out of
    /// bounds it ends the program: to be checked before.
    pub fn load_packet(&mut self, size: Size, at: i32) {
        self.push(CLASS_LD | MODE_ABS | size as u8, 0, 0, 0, at);
    }

    /// As [`load_packet`](Self::load_packet) at `index + at`.
    pub fn load_packet_at(&mut self, size: Size, index: Register, at: i32) {
        self.push(CLASS_LD | MODE_IND | size as u8, 0, index, 0, at);
    }

    /// Loads a map, as an argument of calls.
    pub fn load_map(&mut self, dst: Register, fd: i32) {
        self.load64(dst, PSEUDO_MAP_FD, fd);
    }

    /// Loads the address of the first value of an array.
    pub fn load_map_value(&mut self, dst: Register, fd: i32) {
        self.load64(dst, PSEUDO_MAP_VALUE, fd);
    }

    fn load64(&mut self, dst: Register, kind: u8, low: i32) {
        self.push(CLASS_LD | MODE_IMM | Size::Double as u8, dst, kind, 0, low);
        self.push(0, 0, 0, 0, 0);
    }

    /// Jumps if the condition holds, by all 64 bits.
    pub fn jump_if(&mut self, condition: If, left: Register, right: Operand, to: Label) {
        self.conditional(CLASS_JMP, condition, left, right, to);
    }

    /// Jumps if the condition holds for the low 32 bits.
    pub fn jump_if32(&mut self, condition: If, left: Register, right: Operand, to: Label) {
        self.conditional(CLASS_JMP32, condition, left, right, to);
    }

    fn conditional(&mut self, class: u8, condition: If, left: Register, right: Operand, to: Label) {
        self.jumps.push((self.insns.len(), to));
        match right {
            Operand::Reg(src) => {
                self.push(class | condition as u8 | SOURCE_REGISTER, left, src, 0, 0);
            }
            Operand::Imm(value) => self.push(class | condition as u8, left, 0, 0, value),
        }
    }

    /// Jumps.
    pub fn jump(&mut self, to: Label) {
        self.jumps.push((self.insns.len(), to));
        self.push(CLASS_JMP | OP_JA, 0, 0, 0, 0);
    }

    /// Calls a helper of the kernel by its number.
    pub fn call(&mut self, helper: i32) {
        self.push(CLASS_JMP | OP_CALL, 0, 0, 0, helper);
    }

    /// Ends the program with what is in R0.
    pub fn exit(&mut self) {
        self.push(CLASS_JMP | OP_EXIT, 0, 0, 0, 0);
    }

    /// Whether something jumps to a label.
    pub fn is_wanted(&self, label: Label) -> bool {
        self.jumps.iter().any(|(_, to)| *to == label)
    }

    /// The program; None when a jump is too far, or goes to a label that was never bound.
    pub fn finish(mut self) -> Option<Vec<Insn>> {
        for (from, label) in &self.jumps {
            let to = i64::try_from(self.places[label.0]?).ok()?;
            let from_next = i64::try_from(*from).ok()? + 1;
            self.insns[*from].offset = i16::try_from(to - from_next).ok()?;
        }
        Some(self.insns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_reach_their_labels() {
        let mut asm = Assembler::default();
        let end = asm.label();
        asm.set(R0, -1);
        asm.jump_if(If::Equal, R1, Operand::Imm(7), end);
        asm.mov(R0, R1);
        asm.bind(end);
        asm.exit();
        let program = asm.finish().expect("all labels are bound");
        let bytes = |insn: &Insn| (insn.code, insn.registers, insn.offset, insn.immediate);
        // As the kernel's selftests spell them: mov64, jeq, mov64, exit.
        let expected = [
            (0xb7, 0x00, 0, -1),
            (0x15, 0x01, 1, 7),
            (0xbf, 0x10, 0, 0),
            (0x95, 0x00, 0, 0),
        ];
        assert_eq!(program.iter().map(bytes).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_jump_to_nowhere_is_no_program() {
        let mut asm = Assembler::default();
        let never = asm.label();
        asm.jump(never);
        assert_eq!(asm.finish(), None);
    }

    #[test]
    fn a_jump_too_far_is_no_program() {
        let mut asm = Assembler::default();
        let end = asm.label();
        asm.jump(end);
        for _ in 0..=i16::MAX as usize {
            asm.set(R0, 0);
        }
        asm.bind(end);
        asm.exit();
        assert_eq!(asm.finish(), None);
    }
}
