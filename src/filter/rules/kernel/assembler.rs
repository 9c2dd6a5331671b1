//! What the program is written with: the common assembler, in the words that rules need.

use std::os::fd::RawFd;

use super::{HEAD_AT, Insn};
use crate::sys::bpf::asm::{self, Alu, If, Operand, Register};

pub use crate::sys::bpf::asm::{Label, R0, R1, R2, R3, R4, R6, R7, R8, R9, R10, Size};

/// A program that is being written. Constants are compared by 32 bits.
#[derive(Default)]
pub struct Assembler(asm::Assembler);

impl Assembler {
    pub fn label(&mut self) -> Label {
        self.0.label()
    }

    /// The next instruction is where the label is.
    pub fn place(&mut self, label: Label) {
        self.0.bind(label);
    }

    /// Whether something jumps there.
    pub fn is_wanted(&self, label: Label) -> bool {
        self.0.is_wanted(label)
    }

    /// The program; None when a jump is too far.
    pub fn finish(self) -> Option<Vec<Insn>> {
        self.0.finish()
    }

    pub fn jump(&mut self, to: Label) {
        self.0.jump(to);
    }

    fn compare(&mut self, register: Register, condition: If, value: u32, to: Label) {
        let value = Operand::Imm(value as i32);
        self.0.jump_if32(condition, register, value, to);
    }

    pub fn jump_if_equal(&mut self, register: Register, value: u32, to: Label) {
        self.compare(register, If::Equal, value, to);
    }

    pub fn jump_unless_equal(&mut self, register: Register, value: u32, to: Label) {
        self.compare(register, If::NotEqual, value, to);
    }

    pub fn jump_if_less(&mut self, register: Register, value: u32, to: Label) {
        self.compare(register, If::Less, value, to);
    }

    pub fn jump_if_above(&mut self, register: Register, value: u32, to: Label) {
        self.compare(register, If::Greater, value, to);
    }

    /// All 64 bits of a pointer.
    pub fn jump_if_null(&mut self, register: Register, to: Label) {
        self.0.jump_if(If::Equal, register, Operand::Imm(0), to);
    }

    /// Compares 64 bits.
    pub fn jump_if_at_most(&mut self, left: Register, right: Register, to: Label) {
        self.0.jump_if(If::AtMost, left, Operand::Reg(right), to);
    }

    pub fn set(&mut self, register: Register, value: u32) {
        let value = Operand::Imm(value as i32);
        self.0.alu32(Alu::Mov, register, value);
    }

    pub fn copy(&mut self, to: Register, from: Register) {
        self.0.mov(to, from);
    }

    /// The upper 32 bits become 0.
    pub fn and(&mut self, register: Register, mask: u32) {
        let mask = Operand::Imm(mask as i32);
        self.0.alu32(Alu::And, register, mask);
    }

    pub fn or(&mut self, to: Register, from: Register) {
        self.0.alu(Alu::Or, to, Operand::Reg(from));
    }

    pub fn or_value(&mut self, to: Register, value: u8) {
        self.0.alu(Alu::Or, to, Operand::Imm(value.into()));
    }

    pub fn shift_left(&mut self, register: Register, bits: u8) {
        self.0.alu(Alu::Lsh, register, Operand::Imm(bits.into()));
    }

    pub fn load(&mut self, size: Size, to: Register, base: Register, at: i16) {
        self.0.load(size, to, base, at);
    }

    /// Loads a number of the frame's headers, in host order.
    pub fn load_head(&mut self, size: Size, to: Register, at: i16) {
        self.load(size, to, R10, HEAD_AT + at);
        match size {
            Size::Half => self.0.network16(to),
            Size::Word => self.0.network32(to),
            Size::Byte | Size::Double => {}
        }
    }

    /// Stores a register on the stack.
    pub fn store(&mut self, size: Size, at: i16, from: Register) {
        self.store_at(size, R10, at, from);
    }

    pub fn store_at(&mut self, size: Size, base: Register, at: i16, from: Register) {
        self.0.store(size, base, at, from);
    }

    /// Stores 32 bits on the stack.
    pub fn store_value(&mut self, at: i16, value: u32) {
        self.0.store_value(Size::Word, R10, at, value as i32);
    }

    /// Adds a register to the 64 bits at an address, at once for all CPUs.
    pub fn add_to(&mut self, base: Register, from: Register) {
        self.0.atomic_add(base, 0, from);
    }

    pub fn stack_address(&mut self, to: Register, at: i16) {
        self.0.mov(to, R10);
        self.0.alu(Alu::Add, to, Operand::Imm(at.into()));
    }

    pub fn map(&mut self, to: Register, map: RawFd) {
        self.0.load_map(to, map);
    }

    /// Calls a function of the kernel: it takes R1 to R5, changes them, and answers in R0.
    pub fn call(&mut self, function: i32) {
        self.0.call(function);
    }

    /// Ends with this value.
    pub fn exit(&mut self, value: u32) {
        self.set(R0, value);
        self.0.exit();
    }
}
