//! Classic programs, as libpcap and this library make them for packet sockets, in the instructions of the
//! tap's program: filters, directions, VLANs and channels are the same ones for both kinds of ring.
//!
//! A is kept in R7 and X in R8, 32 bits each; the scratch memory lies on the stack. A load beyond the packet
//! rejects it, as the kernel's interpreter does.
#![forbid(unsafe_code)]

use libc::sock_filter;

use super::program::{CONTEXT_LEN, Context, Helper};
use crate::backend::FrameDirection;
use crate::sys::bpf::asm::{
    Alu, Assembler, If, Label, Operand, R0, R1, R2, R3, R4, R5, R6, R7, R8, R10, Size,
};

const A: u8 = R7;
const X: u8 = R8;
/// Words of scratch memory, `BPF_MEMWORDS` of linux/bpf_common.h.
const MEMORY_WORDS: u32 = 16;
/// Room on the stack for a value that a helper reads out of the packet, below the scratch memory.
const SCRATCH: i16 = -(4 * MEMORY_WORDS as i16) - 8;

/// Appends a classic program: what it returns is in R7 where it goes on, at `reject` the frame is not
/// wanted. R6 holds the context. None for an instruction that this hook has no answer to.
pub fn translate(
    asm: &mut Assembler,
    program: &[sock_filter],
    direction: FrameDirection,
    reject: Label,
) -> Option<()> {
    let accept = asm.label();
    let places: Vec<Label> = program.iter().map(|_| asm.label()).collect();
    asm.set(A, 0);
    asm.set(X, 0);
    if program.iter().any(uses_memory) {
        for word in 0..MEMORY_WORDS {
            asm.store_value(Size::Word, R10, memory(word), 0);
        }
    }
    let reached = reached(program)?;
    for (index, insn) in program.iter().enumerate() {
        if !reached[index] {
            // The verifier refuses what can never run.
            continue;
        }
        asm.bind(places[index]);
        let target = |jump: u32| places.get(index + 1 + jump as usize).copied();
        let step = Step {
            direction,
            accept,
            reject,
        };
        match u32::from(insn.code) & 0x07 {
            libc::BPF_JMP => jump(asm, insn, target)?,
            _ => step.plain(asm, insn)?,
        }
    }
    asm.bind(accept);
    Some(())
}

/// Which instructions can run; None when one of them leads out of the program.
fn reached(program: &[sock_filter]) -> Option<Vec<bool>> {
    let mut reached = vec![false; program.len()];
    *reached.first_mut()? = true;
    for (index, insn) in program.iter().enumerate() {
        if !reached[index] {
            continue;
        }
        let code = u32::from(insn.code);
        let jumps = match (code & 0x07, code & 0xf0) {
            (libc::BPF_RET, _) => continue,
            (libc::BPF_JMP, libc::BPF_JA) => [insn.k; 2],
            (libc::BPF_JMP, _) => [insn.jt.into(), insn.jf.into()],
            _ => [0; 2],
        };
        for jump in jumps {
            *reached.get_mut(index + 1 + jump as usize)? = true;
        }
    }
    Some(reached)
}

fn uses_memory(insn: &sock_filter) -> bool {
    let (class, mode) = (u32::from(insn.code) & 0x07, u32::from(insn.code) & 0xe0);
    matches!(class, libc::BPF_ST | libc::BPF_STX)
        || (matches!(class, libc::BPF_LD | libc::BPF_LDX) && mode == libc::BPF_MEM)
}

fn memory(word: u32) -> i16 {
    -4 * (word as i16 + 1)
}

fn imm(k: u32) -> Operand {
    Operand::Imm(k as i32)
}

fn jump(
    asm: &mut Assembler,
    insn: &sock_filter,
    target: impl Fn(u32) -> Option<Label>,
) -> Option<()> {
    let code = u32::from(insn.code);
    if code & 0xf0 == libc::BPF_JA {
        asm.jump(target(insn.k)?);
        return Some(());
    }
    let condition = match code & 0xf0 {
        libc::BPF_JEQ => If::Equal,
        libc::BPF_JGT => If::Greater,
        libc::BPF_JGE => If::AtLeast,
        libc::BPF_JSET => If::AnyBit,
        _ => return None,
    };
    let right = if code & libc::BPF_X != 0 {
        Operand::Reg(X)
    } else {
        imm(insn.k)
    };
    asm.jump_if32(condition, A, right, target(insn.jt.into())?);
    asm.jump(target(insn.jf.into())?);
    Some(())
}

/// What every instruction needs to know.
struct Step {
    direction: FrameDirection,
    accept: Label,
    reject: Label,
}

impl Step {
    fn plain(&self, asm: &mut Assembler, insn: &sock_filter) -> Option<()> {
        let (code, k) = (u32::from(insn.code), insn.k);
        match code & 0x07 {
            libc::BPF_LD => self.load(asm, code, k)?,
            libc::BPF_LDX => self.load_x(asm, code, k)?,
            libc::BPF_ST if k < MEMORY_WORDS => asm.store(Size::Word, R10, memory(k), A),
            libc::BPF_STX if k < MEMORY_WORDS => asm.store(Size::Word, R10, memory(k), X),
            libc::BPF_ALU => self.arithmetic(asm, code, k)?,
            libc::BPF_RET => match code & 0x18 {
                libc::BPF_K => {
                    asm.alu32(Alu::Mov, A, imm(k));
                    asm.jump(self.accept);
                }
                libc::BPF_A => asm.jump(self.accept),
                _ => return None,
            },
            libc::BPF_MISC => match code & 0xf8 {
                libc::BPF_TAX => asm.mov(X, A),
                libc::BPF_TXA => asm.mov(A, X),
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    fn load(&self, asm: &mut Assembler, code: u32, k: u32) -> Option<()> {
        match code & 0xe0 {
            libc::BPF_IMM => asm.alu32(Alu::Mov, A, imm(k)),
            libc::BPF_LEN => asm.load(Size::Word, A, R6, CONTEXT_LEN),
            libc::BPF_MEM if k < MEMORY_WORDS => asm.load(Size::Word, A, R10, memory(k)),
            libc::BPF_ABS => {
                let (size, bytes) = size(code)?;
                match (k as i32).checked_sub(libc::SKF_AD_OFF) {
                    Some(field @ 0..) if (k as i32) < 0 => self.metadata(asm, field)?,
                    _ if (k as i32) < 0 => self.relative(asm, size, bytes, k as i32)?,
                    _ => {
                        self.check_bounds(asm, None, k, bytes);
                        asm.load_packet(size, k as i32);
                        asm.mov(A, R0);
                    }
                }
            }
            libc::BPF_IND => {
                let (size, bytes) = size(code)?;
                self.check_bounds(asm, Some(X), k, bytes);
                // An index of 32 bits and an offset without sign: as their sum, which is within the packet.
                asm.mov(R1, X);
                asm.alu32(Alu::Add, R1, imm(k));
                asm.load_packet_at(size, R1, 0);
                asm.mov(A, R0);
            }
            _ => return None,
        }
        Some(())
    }

    fn load_x(&self, asm: &mut Assembler, code: u32, k: u32) -> Option<()> {
        match code & 0xe0 {
            libc::BPF_IMM => asm.alu32(Alu::Mov, X, imm(k)),
            libc::BPF_LEN => asm.load(Size::Word, X, R6, CONTEXT_LEN),
            libc::BPF_MEM if k < MEMORY_WORDS => asm.load(Size::Word, X, R10, memory(k)),
            // The length of an IPv4 header.
            libc::BPF_MSH => {
                self.check_bounds(asm, None, k, 1);
                asm.load_packet(Size::Byte, k as i32);
                asm.mov(X, R0);
                asm.alu32(Alu::And, X, Operand::Imm(0x0f));
                asm.alu32(Alu::Lsh, X, Operand::Imm(2));
            }
            _ => return None,
        }
        Some(())
    }

    /// Rejects a frame that has no `bytes` bytes at `k`, or at `index + k`.
    fn check_bounds(&self, asm: &mut Assembler, index: Option<u8>, k: u32, bytes: u32) {
        // 64 bits, so that nothing wraps round: k alone may be as large as 32 bits allow.
        asm.alu32(Alu::Mov, R1, imm(k));
        asm.alu(Alu::Add, R1, imm(bytes));
        if let Some(index) = index {
            asm.alu(Alu::Add, R1, Operand::Reg(index));
        }
        asm.load(Size::Word, R2, R6, CONTEXT_LEN);
        asm.jump_if(If::Greater, R1, Operand::Reg(R2), self.reject);
    }

    /// A load at an offset from the link-layer or the network header.
    fn relative(&self, asm: &mut Assembler, size: Size, bytes: u32, k: i32) -> Option<()> {
        const FROM_LINK: i32 = 0;
        const FROM_NETWORK: i32 = 1;
        let (header, offset) = if k >= libc::SKF_NET_OFF {
            (FROM_NETWORK, k - libc::SKF_NET_OFF)
        } else if k >= libc::SKF_LL_OFF {
            (FROM_LINK, k - libc::SKF_LL_OFF)
        } else {
            return None;
        };
        asm.mov(R1, R6);
        asm.set(R2, offset);
        asm.mov(R3, R10);
        asm.alu(Alu::Add, R3, Operand::Imm(SCRATCH.into()));
        asm.set(R4, bytes as i32);
        asm.set(R5, header);
        asm.call(Helper::LOAD_BYTES_RELATIVE);
        asm.jump_if(If::NotEqual, R0, Operand::Imm(0), self.reject);
        asm.load(size, A, R10, SCRATCH);
        match size {
            Size::Half => asm.network16(A),
            Size::Word => asm.network32(A),
            _ => {}
        }
        Some(())
    }

    /// What the kernel knows of a frame beside its bytes.
    fn metadata(&self, asm: &mut Assembler, field: i32) -> Option<()> {
        let from_context = |asm: &mut Assembler, at: i16| asm.load(Size::Word, A, R6, at);
        match field {
            libc::SKF_AD_PROTOCOL => {
                from_context(asm, Context::PROTOCOL);
                asm.network16(A);
            }
            libc::SKF_AD_PKTTYPE => match self.direction {
                // Only the copy that a packet socket gets is marked so.
                FrameDirection::Sent => asm.set(A, libc::PACKET_OUTGOING.into()),
                FrameDirection::Received => from_context(asm, Context::PKT_TYPE),
            },
            libc::SKF_AD_IFINDEX => from_context(asm, Context::IFINDEX),
            libc::SKF_AD_MARK => from_context(asm, Context::MARK),
            libc::SKF_AD_QUEUE => from_context(asm, Context::QUEUE),
            libc::SKF_AD_VLAN_TAG => from_context(asm, Context::VLAN_TCI),
            libc::SKF_AD_VLAN_TAG_PRESENT => from_context(asm, Context::VLAN_PRESENT),
            libc::SKF_AD_VLAN_TPID => {
                from_context(asm, Context::VLAN_PROTO);
                asm.network16(A);
            }
            _ => return None,
        }
        Some(())
    }

    fn arithmetic(&self, asm: &mut Assembler, code: u32, k: u32) -> Option<()> {
        let by_x = code & libc::BPF_X != 0;
        let operand = if by_x { Operand::Reg(X) } else { imm(k) };
        let op = match code & 0xf0 {
            libc::BPF_ADD => Alu::Add,
            libc::BPF_SUB => Alu::Sub,
            libc::BPF_MUL => Alu::Mul,
            libc::BPF_DIV => Alu::Div,
            libc::BPF_MOD => Alu::Mod,
            libc::BPF_OR => Alu::Or,
            libc::BPF_AND => Alu::And,
            libc::BPF_XOR => Alu::Xor,
            libc::BPF_LSH => Alu::Lsh,
            libc::BPF_RSH => Alu::Rsh,
            libc::BPF_NEG => {
                asm.alu32(Alu::Neg, A, Operand::Imm(0));
                return Some(());
            }
            _ => return None,
        };
        if by_x && matches!(op, Alu::Div | Alu::Mod) {
            asm.jump_if32(If::Equal, X, Operand::Imm(0), self.reject);
        }
        asm.alu32(op, A, operand);
        Some(())
    }
}

fn size(code: u32) -> Option<(Size, u32)> {
    match code & 0x18 {
        libc::BPF_W => Some((Size::Word, 4)),
        libc::BPF_H => Some((Size::Half, 2)),
        libc::BPF_B => Some((Size::Byte, 1)),
        _ => None,
    }
}
