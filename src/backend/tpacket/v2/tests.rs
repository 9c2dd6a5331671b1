//! Walks over rings that the test writes in the kernel's place.

use super::*;

const SLOT: usize = 256;
const BLOCK: usize = 1024;
const SLOTS: Slots = Slots {
    slot_size: SLOT,
    per_block: 3,
    block_size: BLOCK,
    block_count: 2,
};
const TOTAL: usize = 6;
const MAC_AT: u16 = 70;

/// A ring in memory, aligned as the kernel aligns it.
struct Ring {
    memory: Vec<u64>,
}

impl Ring {
    fn new() -> Self {
        Self {
            memory: vec![0; BLOCK * 2 / 8],
        }
    }

    fn walk(&mut self) -> Walk {
        let base = NonNull::new(self.memory.as_mut_ptr().cast()).unwrap();
        // SAFETY: the memory outlives the walk in every test, and is aligned for u64.
        unsafe { Walk::new(base, SLOTS) }
    }

    fn put<T>(&mut self, slot: usize, offset: usize, value: T) {
        let at = slot / 3 * BLOCK + slot % 3 * SLOT + offset;
        // SAFETY: the place lies in the memory.
        unsafe {
            self.memory
                .as_mut_ptr()
                .cast::<u8>()
                .add(at)
                .cast::<T>()
                .write_unaligned(value)
        };
    }

    fn is_ours(&self, slot: usize) -> bool {
        let at = slot / 3 * BLOCK + slot % 3 * SLOT;
        // SAFETY: as in `put`.
        let status = unsafe {
            self.memory
                .as_ptr()
                .cast::<u8>()
                .add(at)
                .cast::<u32>()
                .read()
        };
        status & libc::TP_STATUS_USER != 0
    }

    fn fill(&mut self, slot: usize, number: u8) {
        // SAFETY: plain integers; zero is valid.
        let mut header: tpacket2_hdr = unsafe { std::mem::zeroed() };
        header.tp_status = libc::TP_STATUS_USER;
        header.tp_len = 100;
        header.tp_snaplen = 60;
        header.tp_mac = MAC_AT;
        header.tp_sec = 1;
        header.tp_nsec = number.into();
        self.put(slot, 0, header);
        self.put(slot, usize::from(MAC_AT), [number; 60]);
    }
}

fn first_byte(taken: &Taken) -> u8 {
    // SAFETY: the tests look at a frame before they release it.
    unsafe { taken.data.read() }
}

#[test]
fn slots_are_taken_in_order_across_blocks_and_round_the_ring() {
    let mut ring = Ring::new();
    let mut walk = ring.walk();
    assert!(walk.take().is_none() && !walk.has(1) && walk.queued() == 0);
    for round in 0..4u8 {
        for slot in 0..TOTAL {
            ring.fill(slot, round * 10 + slot as u8);
            assert!(walk.has(1) && !walk.has(2));
            assert_eq!(
                walk.next_time(),
                Some(1_000_000_000 + u64::from(round * 10 + slot as u8))
            );
            let taken = walk.take().unwrap();
            assert_eq!(first_byte(&taken), round * 10 + slot as u8);
            assert_eq!((taken.meta.caplen, taken.meta.len), (60, 100));
            assert!(ring.is_ours(slot), "the slot is held");
            assert!(walk.take().is_none());
            walk.release();
            assert!(!ring.is_ours(slot));
        }
    }
}

#[test]
fn a_full_ring_is_counted_and_held_as_a_whole() {
    let mut ring = Ring::new();
    let mut walk = ring.walk();
    for slot in 0..TOTAL {
        assert_eq!(walk.queued() as usize, slot);
        ring.fill(slot, slot as u8);
        assert!(walk.has(slot as u32 + 1) && !walk.has(slot as u32 + 2));
    }
    let held: Vec<u8> = std::iter::from_fn(|| walk.take().map(|t| first_byte(&t))).collect();
    assert_eq!(
        held,
        [0, 1, 2, 3, 4, 5],
        "no slot is read twice while all are held"
    );
    assert!(!walk.has(1) && walk.queued() == 0);
    walk.release();
    assert!((0..TOTAL).all(|slot| !ring.is_ours(slot)));
}

/// Offsets and lengths that point out of the slot are stepped over, and nothing is read there.
#[test]
fn headers_that_cannot_be_true_are_stepped_over() {
    for (offset, value) in [
        (12, 8u32),
        (12, u32::from(u16::MAX)),
        (8, u32::MAX),
        (8, 200),
    ] {
        let mut ring = Ring::new();
        let mut walk = ring.walk();
        ring.fill(0, 1);
        ring.fill(1, 2);
        ring.put(0, offset, value);
        assert_eq!(first_byte(&walk.take().unwrap()), 2);
        walk.release();
        assert!(!ring.is_ours(0) && !ring.is_ours(1));
    }
}

/// What comes after the next frame is seen only while it is there, and untagged.
#[test]
fn a_glimpse_of_the_frame_after_the_next() {
    let mut ring = Ring::new();
    let mut walk = ring.walk();
    // SAFETY: nothing is taken or released while the bytes are looked at.
    let seen = |walk: &Walk| walk.glimpse().map(|seen| unsafe { seen.bytes() }.to_vec());
    for slot in 0..TOTAL {
        assert_eq!(seen(&walk), None, "{slot} frames");
        ring.fill(slot, slot as u8);
        if slot > 0 {
            assert_eq!(seen(&walk), Some(vec![slot as u8; 60]));
            walk.take().expect("the frame before");
        }
    }
    walk.take().expect("the last one");
    assert_eq!(seen(&walk), None, "all are held");
    walk.release();
    ring.fill(0, 7);
    ring.fill(1, 8);
    ring.put(1, 0, libc::TP_STATUS_USER | libc::TP_STATUS_VLAN_VALID);
    assert_eq!(seen(&walk), None, "tagged");
}
