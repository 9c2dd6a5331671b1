//! Tests that the kernel makes of a frame beside direction and filter: its VLAN, the queue it came by.
//!
//! Each test is a piece of classic BPF that goes on behind its last instruction with a frame that passes,
//! and drops all others. So pieces stand one behind the other, before the program of [`wrap`](super::bpf::wrap).
#![forbid(unsafe_code)]

use libc::sock_filter;

/// Types that say that a VLAN tag follows.
const TAG_TYPES: [u32; 3] = [0x8100, 0x88a8, 0x9100];
/// Where an Ethernet frame has its type.
const TYPE_OFFSET: u32 = 12;
/// Bytes of a VLAN tag.
const TAG_LEN: u32 = 4;

/// Channels of an interface, and those of them that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Bit n: frames of channel n are wanted.
    pub mask: u64,
    /// How many the interface has, 1 to 64: a frame's channel is its queue modulo these.
    pub count: u32,
    /// Whether the kernel's number of a queue begins at 1 (0 then is an unknown queue and counts as
    /// the first).
    pub from_one: bool,
}

/// Frames of some VLANs, by the outer tag or the one behind it. Id 0 stands for frames without a tag.
///
/// The kernel may have moved the outer tag out of the frame. Only of an Ethernet frame the bytes are looked at.
pub fn vlans(ids: &[u16], ethernet: bool) -> Vec<sock_filter> {
    let untagged = ids.contains(&0);
    let mut test = Test::default();
    test.load_metadata(libc::SKF_AD_VLAN_TAG_PRESENT);
    let not_moved = test.jump_if_equal(0);
    test.load_metadata(libc::SKF_AD_VLAN_TAG);
    test.pass_ids(ids);
    if ethernet {
        test.pass_tag_at(TYPE_OFFSET, ids, false);
    }
    test.drop();
    test.land(not_moved);
    if ethernet {
        test.pass_tag_at(TYPE_OFFSET, ids, untagged);
        test.pass_tag_at(TYPE_OFFSET + TAG_LEN, ids, false);
    } else if untagged {
        test.pass();
    }
    test.drop();
    test.finish()
}

/// Frames that came by some channels. What the host sends came by none of them, and counts as of the first.
pub fn channels(wanted: &Channels) -> Vec<sock_filter> {
    let mut test = Test::default();
    test.load_metadata(libc::SKF_AD_PKTTYPE);
    let sent = test.jump_if_equal(libc::PACKET_OUTGOING.into());
    test.load_metadata(libc::SKF_AD_QUEUE);
    if wanted.from_one {
        let unknown = test.jump_if_equal(0);
        test.push(libc::BPF_ALU | libc::BPF_SUB | libc::BPF_K, 1);
        test.land(unknown);
    }
    test.push(libc::BPF_ALU | libc::BPF_MOD | libc::BPF_K, wanted.count);
    let high = test.jump_if_at_least(32);
    test.pass_bit(wanted.mask as u32);
    test.drop();
    test.land(high);
    test.push(libc::BPF_ALU | libc::BPF_SUB | libc::BPF_K, 32);
    test.pass_bit((wanted.mask >> 32) as u32);
    test.drop();
    test.land(sent);
    if wanted.mask & 1 != 0 {
        test.pass();
    }
    test.drop();
    test.finish()
}

/// A test that is being written. Jumps go forward only.
#[derive(Default)]
struct Test {
    insns: Vec<sock_filter>,
    /// Jumps to what follows the test.
    passes: Vec<usize>,
}

/// A jump whose end is not known yet.
struct Jump(usize);

impl Test {
    fn push(&mut self, code: u32, k: u32) {
        self.jump(code, 0, 0, k);
    }

    fn jump(&mut self, code: u32, jt: u8, jf: u8, k: u32) {
        self.insns.push(sock_filter {
            code: code as u16,
            jt,
            jf,
            k,
        });
    }

    /// Loads what the kernel knows of the frame.
    fn load_metadata(&mut self, what: libc::c_int) {
        let at = (libc::SKF_AD_OFF + what) as u32;
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at);
    }

    /// Loads two bytes of the frame; drops one that is shorter.
    fn load_half(&mut self, at: u32) {
        self.push(libc::BPF_LD | libc::BPF_H | libc::BPF_ABS, at);
    }

    fn drop(&mut self) {
        self.push(libc::BPF_RET | libc::BPF_K, 0);
    }

    fn pass(&mut self) {
        self.passes.push(self.insns.len());
        self.push(libc::BPF_JMP | libc::BPF_JA, 0);
    }

    fn jump_if_equal(&mut self, value: u32) -> Jump {
        self.jump_if(libc::BPF_JEQ, value)
    }

    fn jump_if_at_least(&mut self, value: u32) -> Jump {
        self.jump_if(libc::BPF_JGE, value)
    }

    /// A conditional jump reaches 255 instructions only, hence the long one behind it.
    fn jump_if(&mut self, how: u32, value: u32) -> Jump {
        self.jump(libc::BPF_JMP | how | libc::BPF_K, 0, 1, value);
        self.push(libc::BPF_JMP | libc::BPF_JA, 0);
        Jump(self.insns.len() - 1)
    }

    /// Lets a jump end here.
    fn land(&mut self, jump: Jump) {
        self.insns[jump.0].k = (self.insns.len() - jump.0 - 1) as u32;
    }

    /// Passes a frame whose TCI, which was loaded, has one of these ids.
    fn pass_ids(&mut self, ids: &[u16]) {
        self.push(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0xfff);
        for id in ids.iter().filter(|id| **id != 0) {
            self.jump(
                libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
                0,
                1,
                u32::from(*id),
            );
            self.pass();
        }
    }

    /// Passes a frame with a tag of these ids there; ends the test for one without a tag there.
    fn pass_tag_at(&mut self, at: u32, ids: &[u16], untagged: bool) {
        self.load_half(at);
        let tagged = TAG_TYPES.map(|kind| self.jump_if_equal(kind));
        if untagged {
            self.pass();
        }
        self.drop();
        for jump in tagged {
            self.land(jump);
        }
        self.load_half(at + 2);
        self.pass_ids(ids);
    }

    /// Passes a frame if this bit, whose number (0 to 31) was loaded, is set.
    fn pass_bit(&mut self, bits: u32) {
        self.push(libc::BPF_MISC | libc::BPF_TAX, 0);
        self.push(libc::BPF_LD | libc::BPF_IMM, bits);
        self.push(libc::BPF_ALU | libc::BPF_RSH | libc::BPF_X, 0);
        self.push(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 1);
        self.jump(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, 1);
        self.pass();
    }

    fn finish(mut self) -> Vec<sock_filter> {
        let end = self.insns.len();
        for at in self.passes {
            self.insns[at].k = (end - at - 1) as u32;
        }
        self.insns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel knows of a frame.
    #[derive(Clone, Copy, Default)]
    struct Metadata {
        sent: bool,
        queue: u32,
        tag: Option<u16>,
    }

    /// Runs a test as the kernel does: whether the frame passes.
    fn passes(insns: &[sock_filter], frame: &[u8], meta: Metadata) -> bool {
        let (mut a, mut x, mut pc) = (0u32, 0u32, 0usize);
        while let Some(insn) = insns.get(pc) {
            pc += 1;
            let k = insn.k;
            let known = |what: libc::c_int| k == (libc::SKF_AD_OFF + what) as u32;
            match insn.code {
                0x20 if known(libc::SKF_AD_PKTTYPE) => a = if meta.sent { 4 } else { 0 },
                0x20 if known(libc::SKF_AD_QUEUE) => a = meta.queue,
                0x20 if known(libc::SKF_AD_VLAN_TAG_PRESENT) => a = meta.tag.is_some().into(),
                0x20 if known(libc::SKF_AD_VLAN_TAG) => a = meta.tag.unwrap_or(0).into(),
                0x28 => match frame.get(k as usize..k as usize + 2) {
                    Some(half) => a = u16::from_be_bytes([half[0], half[1]]).into(),
                    None => return false,
                },
                0x00 => a = k,
                0x07 => x = a,
                0x14 => a -= k,
                0x54 => a &= k,
                0x7c => a >>= x,
                0x94 => a %= k,
                0x05 => pc += k as usize,
                0x15 => pc += usize::from(if a == k { insn.jt } else { insn.jf }),
                0x35 => pc += usize::from(if a >= k { insn.jt } else { insn.jf }),
                0x06 => {
                    assert_eq!(k, 0, "a piece only drops");
                    return false;
                }
                other => panic!("instruction {other:#x} is not in this interpreter"),
            }
        }
        assert_eq!(pc, insns.len(), "a jump beyond what follows");
        true
    }

    fn frame(tags: &[(u16, u16)]) -> Vec<u8> {
        let mut frame = vec![2; 12];
        for (kind, tci) in tags {
            frame.extend(kind.to_be_bytes());
            frame.extend(tci.to_be_bytes());
        }
        frame.extend([8, 0]);
        frame.resize(60, 0);
        frame
    }

    #[test]
    fn vlans_by_either_tag_wherever_it_is() {
        let only_seven: &[u16] = &[7];
        let moved = |tag| Metadata {
            tag: Some(tag),
            ..Metadata::default()
        };
        let none = Metadata::default();
        /// Wanted ids; tags in the frame; the tag that was moved out; whether it passes.
        type Row<'a> = (&'a [u16], &'a [(u16, u16)], Metadata, bool);
        let rows: [Row; 15] = [
            (only_seven, &[], none, false),
            (only_seven, &[], moved(7), true),
            (only_seven, &[], moved(0x6007), true),
            (only_seven, &[], moved(8), false),
            (only_seven, &[(0x8100, 7)], none, true),
            (only_seven, &[(0x8100, 8)], none, false),
            (only_seven, &[(0x8100, 7)], moved(8), true),
            (only_seven, &[(0x8100, 9)], moved(8), false),
            (only_seven, &[(0x88a8, 8), (0x8100, 0xe007)], none, true),
            (only_seven, &[(0x9100, 8), (0x8100, 9)], none, false),
            (&[0], &[], none, true),
            (&[0], &[], moved(0), false),
            (&[0], &[(0x8100, 0)], none, false),
            (&[0, 7, 9], &[(0x8100, 9)], none, true),
            (&[0, 7, 9], &[(0x8100, 8)], none, false),
        ];
        for (row, (ids, tags, meta, wanted)) in rows.into_iter().enumerate() {
            let test = vlans(ids, true);
            assert_eq!(passes(&test, &frame(tags), meta), wanted, "row {row}");
        }
    }

    #[test]
    fn bytes_without_a_link_layer_are_no_tags() {
        let looks_tagged = frame(&[(0x8100, 7)]);
        let meta = Metadata::default();
        assert!(!passes(&vlans(&[7], false), &looks_tagged, meta));
        assert!(passes(&vlans(&[0], false), &looks_tagged, meta));
        assert!(!passes(&vlans(&[7], true), &[2; 15], meta), "too short");
    }

    #[test]
    fn many_vlans() {
        let ids: Vec<u16> = (1..=600).collect();
        let test = vlans(&ids, true);
        for id in [1, 300, 600, 601, 4094] {
            let meta = Metadata::default();
            assert_eq!(passes(&test, &frame(&[(0x8100, id)]), meta), id <= 600);
        }
    }

    #[test]
    fn each_frame_is_of_one_channel() {
        for count in [1, 2, 4, 63, 64] {
            for from_one in [false, true] {
                for queue in 0..130 {
                    let meta = Metadata {
                        queue,
                        ..Metadata::default()
                    };
                    let expected = queue.saturating_sub(from_one.into()) % count;
                    for channel in 0..64 {
                        let wanted = Channels {
                            mask: 1 << channel,
                            count,
                            from_one,
                        };
                        assert_eq!(passes(&channels(&wanted), &[], meta), channel == expected);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_sent_is_of_the_first_channel() {
        let sent = Metadata {
            sent: true,
            queue: 3,
            tag: None,
        };
        for (mask, wanted) in [(1, true), (u64::MAX, true), (8, false), (0, false)] {
            let wanted_channels = Channels {
                mask,
                count: 4,
                from_one: false,
            };
            assert_eq!(passes(&channels(&wanted_channels), &[], sent), wanted);
        }
    }
}
