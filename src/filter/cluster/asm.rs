//! An assembler for classic programs: labels, jumps of any length, words of memory.

use libc::sock_filter;

/// A place in the program.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

#[derive(Default)]
pub(super) struct Asm {
    insns: Vec<sock_filter>,
    places: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

pub(super) const LD_W: u32 = libc::BPF_LD | libc::BPF_W;
pub(super) const LD_H: u32 = libc::BPF_LD | libc::BPF_H;
pub(super) const LD_B: u32 = libc::BPF_LD | libc::BPF_B;

impl Asm {
    pub(super) fn op(&mut self, code: u32, k: u32) {
        self.branch(code, k, 0, 0);
    }

    pub(super) fn branch(&mut self, code: u32, k: u32, jt: u8, jf: u8) {
        let code = code as u16;
        self.insns.push(sock_filter { code, jt, jf, k });
    }

    pub(super) fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    pub(super) fn bind(&mut self, label: Label) {
        self.places[label.0] = Some(self.insns.len());
    }

    pub(super) fn jump(&mut self, to: Label) {
        self.jumps.push((self.insns.len(), to));
        self.op(libc::BPF_JMP | libc::BPF_JA, 0);
    }

    /// Jumps if A compares so with `k`; a conditional jump alone does not reach far.
    pub(super) fn when(&mut self, condition: u32, k: u32, to: Label) {
        self.branch(libc::BPF_JMP | condition | libc::BPF_K, k, 0, 1);
        self.jump(to);
    }

    pub(super) fn unless(&mut self, condition: u32, k: u32, to: Label) {
        self.branch(libc::BPF_JMP | condition | libc::BPF_K, k, 1, 0);
        self.jump(to);
    }

    /// A = bytes at X + `k`.
    pub(super) fn at_x(&mut self, size: u32, k: u32) {
        self.op(size | libc::BPF_IND, k);
    }

    pub(super) fn set(&mut self, k: u32) {
        self.op(libc::BPF_LD | libc::BPF_IMM, k);
    }

    pub(super) fn get(&mut self, word: u32) {
        self.op(libc::BPF_LD | libc::BPF_MEM, word);
    }

    pub(super) fn put(&mut self, word: u32) {
        self.op(libc::BPF_ST, word);
    }

    /// X = a word of memory.
    pub(super) fn index(&mut self, word: u32) {
        self.op(libc::BPF_LDX | libc::BPF_MEM, word);
    }

    pub(super) fn alu(&mut self, op: u32, k: u32) {
        self.op(libc::BPF_ALU | op | libc::BPF_K, k);
    }

    /// A += X.
    pub(super) fn add_x(&mut self) {
        self.op(libc::BPF_ALU | libc::BPF_ADD | libc::BPF_X, 0);
    }

    /// A word of memory += A.
    pub(super) fn add_to(&mut self, word: u32) {
        self.index(word);
        self.add_x();
        self.put(word);
    }

    /// Jumps if the packet has no `bytes` bytes at a word of memory. X becomes that word.
    pub(super) fn need(&mut self, word: u32, bytes: u32, or: Label) {
        self.get(word);
        self.alu(libc::BPF_ADD, bytes);
        self.op(libc::BPF_MISC | libc::BPF_TAX, 0);
        self.op(LD_W | libc::BPF_LEN, 0);
        self.branch(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_X, 0, 1, 0);
        self.jump(or);
        self.index(word);
    }

    /// A = a fact that the kernel has beside the packet.
    pub(super) fn ancillary(&mut self, what: i32) {
        self.op(LD_W | libc::BPF_ABS, (libc::SKF_AD_OFF + what) as u32);
    }

    pub(super) fn finish(mut self) -> Vec<sock_filter> {
        for (from, label) in &self.jumps {
            let to = self.places[label.0].unwrap_or(self.insns.len());
            self.insns[*from].k = (to - from - 1) as u32;
        }
        self.insns
    }
}
