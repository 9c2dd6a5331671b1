//! The walk over TPACKET_V3 blocks that a forger wrote in the kernel's place.
//!
//! Input: the snap length, then steps: a byte says what is done, the bytes after it with which numbers.
//! Behind the ring lies a page that nobody may touch, so a read behind it ends the process.

use std::ptr::NonNull;
use std::sync::LazyLock;

use libc::{sockaddr_ll, tpacket_block_desc, tpacket3_hdr};
use pfring::backend::tpacket::v3::Walk;
use pfring::backend::{AnyFrame, Run};

use crate::input::Input;

const BLOCK: usize = 4096;
const BLOCKS: usize = 3;
const PAGE: usize = 4096;
const MOST_STEPS: usize = 400;
/// Where the kernel has the fields of a block: `struct tpacket_block_desc` of linux/if_packet.h.
const STATUS: usize = 8;
const COUNT: usize = 12;
const FIRST: usize = 16;
const TIMES: usize = 24;
const FIRST_FRAME: usize = size_of::<tpacket_block_desc>().next_multiple_of(16);
const _: () = assert!(FIRST_FRAME >= TIMES + 16);

/// Memory for a ring.
struct Ring(usize);

static RING: LazyLock<Ring> = LazyLock::new(|| {
    let len = BLOCK * BLOCKS + PAGE;
    // SAFETY: a new private mapping.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(base, libc::MAP_FAILED);
    // SAFETY: the last page of the mapping.
    let rc = unsafe { libc::mprotect(base.byte_add(BLOCK * BLOCKS), PAGE, libc::PROT_NONE) };
    assert_eq!(rc, 0);
    Ring(base.addr())
});

impl Ring {
    fn base(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.0)
    }

    fn put(&self, block: usize, at: usize, bytes: &[u8]) {
        let at = at.min(BLOCK);
        let len = bytes.len().min(BLOCK - at);
        // SAFETY: it lies in the block, and no reference into the ring is alive.
        unsafe {
            self.base()
                .add(block * BLOCK + at)
                .copy_from_nonoverlapping(bytes.as_ptr(), len);
        }
    }

    fn put32(&self, block: usize, at: usize, value: u32) {
        self.put(block, at, &value.to_ne_bytes());
    }

    fn status(&self, block: usize) -> u32 {
        // SAFETY: the word lies in the block and is aligned.
        unsafe { self.base().add(block * BLOCK + STATUS).cast::<u32>().read() }
    }

    fn is_ours(&self, block: usize) -> bool {
        self.status(block) & libc::TP_STATUS_USER != 0
    }
}

/// One ring, its walk, and where the forger goes on.
struct Play<'a> {
    ring: &'a Ring,
    walk: Walk,
    run: Run,
    next_block: usize,
    snaplen: u32,
}

pub fn run(data: &[u8]) {
    // One thread at a time: the ring is one.
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let ring = &*RING;
    // SAFETY: the blocks of the ring, to which nobody refers.
    unsafe { ring.base().write_bytes(0, BLOCK * BLOCKS) };
    let mut input = Input(data);
    let snaplen = u32::from(input.u16());
    let base = NonNull::new(ring.base()).expect("a mapping");
    // SAFETY: BLOCKS page-aligned blocks that stay; only this thread touches them, and only between
    // calls of the walk.
    let walk = unsafe { Walk::new(base, BLOCK, BLOCKS, snaplen) };
    let mut play = Play {
        ring,
        walk,
        run: Run::EMPTY,
        next_block: 0,
        snaplen,
    };
    for _ in 0..MOST_STEPS {
        if input.is_empty() {
            break;
        }
        play.step(&mut input);
    }
    play.return_run();
    play.walk.release();
    let taken = (0..MOST_STEPS).map_while(|_| play.walk.next()).count();
    assert!(taken <= MOST_STEPS);
}

impl Play<'_> {
    fn step(&mut self, input: &mut Input) {
        let kind = input.u8();
        // While a run is lent nothing else of the walk may be used.
        if !matches!(kind % 8, 0 | 4 | 5) {
            self.return_run();
        }
        match kind % 8 {
            0 => self.close(input, kind),
            1 => self.next(),
            2 => self.walk.release(),
            3 => {
                let run = self.walk.lend_run();
                self.run = run;
            }
            4 => self.take_plain(),
            5 => {
                if let Some(frame) = self.run.take_any() {
                    self.check(&frame);
                }
            }
            6 => self.look(),
            _ => (0..32).for_each(|_| self.next()),
        }
    }

    fn return_run(&mut self) {
        let run = std::mem::replace(&mut self.run, Run::EMPTY);
        if run.is_lent() {
            self.walk.return_run(run);
        }
    }

    fn next(&mut self) {
        let said = self.walk.available();
        if let Some(frame) = self.walk.next() {
            assert!(said);
            self.check(&frame);
        }
    }

    fn look(&self) {
        let queued = self.walk.queued();
        assert!(queued == 0 || self.walk.available());
        let _ = (self.walk.next_time(), self.walk.fill_ns());
    }

    fn take_plain(&mut self) {
        // SAFETY: the frame is not used after this function.
        if let Some(frame) = unsafe { self.run.take_plain() } {
            assert_eq!(frame.lengths(), [frame.caplen(), frame.wire_len()]);
            self.check(&frame);
        }
    }

    /// A frame lies whole in one block, which is ours.
    fn check(&self, frame: &impl AnyFrame) {
        let begin = frame.data().addr().get() - self.ring.base().addr();
        let end = begin + frame.caplen() as usize;
        let block = begin / BLOCK;
        assert!(end <= (block + 1) * BLOCK, "{begin}..{end}");
        assert!(
            frame.caplen() == 0 || self.ring.is_ours(block),
            "{begin}..{end}"
        );
        assert!(frame.caplen() <= self.snaplen);
        // SAFETY: it was not given back.
        let sum: u64 = unsafe { frame.bytes() }
            .iter()
            .map(|byte| u64::from(*byte))
            .sum();
        std::hint::black_box((sum, frame.stamp(), frame.ifindex(), frame.direction()));
        std::hint::black_box((frame.checksum(), frame.moved_tci(), frame.wire_len()));
    }

    /// Closes the next block if the kernel had it. The frames lie one behind the other, but for what the
    /// forger changes.
    fn close(&mut self, input: &mut Input, kind: u8) {
        let block = self.next_block;
        if self.ring.is_ours(block) {
            return;
        }
        self.next_block = (block + 1) % BLOCKS;
        let count = usize::from(input.u8() % 16);
        let mut at = FIRST_FRAME;
        for _ in 0..count {
            at += self.put_frame(block, at, input);
        }
        let forged = kind >> 3;
        self.ring.put32(
            block,
            COUNT,
            if forged & 1 != 0 {
                input.u32()
            } else {
                count as u32
            },
        );
        let first = if forged & 2 != 0 {
            input.u32()
        } else {
            FIRST_FRAME as u32
        };
        self.ring.put32(block, FIRST, first);
        for (index, time) in [input.u16(), input.u16()].into_iter().enumerate() {
            self.ring.put32(block, TIMES + 8 * index, time.into());
        }
        let timer = if forged & 4 != 0 {
            libc::TP_STATUS_BLK_TMO
        } else {
            0
        };
        self.ring.put32(block, STATUS, libc::TP_STATUS_USER | timer);
    }

    /// Writes one frame; gives how far the next one lies behind it.
    fn put_frame(&self, block: usize, at: usize, input: &mut Input) -> usize {
        let forged = input.u8();
        let len = usize::from(input.u8());
        let mac = if forged & 1 != 0 { input.u16() } else { 96 };
        let step = (usize::from(mac.min(200)) + len).next_multiple_of(16);
        // SAFETY: plain integers; zero is valid.
        let mut header: tpacket3_hdr = unsafe { std::mem::zeroed() };
        header.tp_mac = mac;
        header.tp_next_offset = if forged & 2 != 0 {
            input.u32()
        } else {
            step as u32
        };
        header.tp_snaplen = if forged & 4 != 0 {
            input.u32()
        } else {
            len as u32
        };
        header.tp_len = if forged & 8 != 0 {
            input.u32()
        } else {
            header.tp_snaplen
        };
        header.tp_status = if forged & 16 != 0 { input.u32() } else { 0 };
        header.tp_sec = if forged & 32 != 0 { input.u32() } else { 7 };
        header.tp_nsec = header.tp_sec;
        header.hv1.tp_vlan_tci = u32::from(forged) << 8;
        header.hv1.tp_vlan_tpid = u16::from(forged);
        // SAFETY: as above.
        let mut address: sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_pkttype = forged >> 5;
        // SAFETY: both are plain data without padding that matters, read as bytes.
        let (header, address) = unsafe {
            (
                std::slice::from_raw_parts(
                    (&raw const header).cast::<u8>(),
                    size_of::<tpacket3_hdr>(),
                ),
                std::slice::from_raw_parts(
                    (&raw const address).cast::<u8>(),
                    size_of::<sockaddr_ll>(),
                ),
            )
        };
        self.ring.put(block, at, header);
        self.ring
            .put(block, at + size_of::<tpacket3_hdr>(), address);
        step
    }
}
