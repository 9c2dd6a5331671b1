//! The geometry of an AF_PACKET ring: how large, how many blocks, valid for every page size.

use super::v2::SLOT_OVERHEAD;

/// Ring memory of a handle when nothing is asked, in MiB.
pub const DEFAULT_RING_MB: u64 = 64;
/// The smallest ring, in MiB.
pub const SMALLEST_RING_MB: u64 = 2;

const MIB: u64 = 1 << 20;
/// Blocks of a ring that is emptied rarely: few wake-ups, few block headers.
const LARGE_BLOCK: u64 = MIB;
/// Blocks of a ring whose timer is short. The timer closes blocks that are filled in part
/// (Linux 6.18 closes on every expiry), so a large block would waste most of the ring.
const SMALL_BLOCK: u64 = MIB / 4;
/// A block is never smaller: a frame of 65,600 bytes and its headers must fit into it.
const LEAST_BLOCK: u64 = MIB / 8;
/// The kernel wants a frame size although a TPACKET_V3 block packs frames of any size.
const NOMINAL_FRAME: u32 = 2048;
/// Slots above this size lie in large blocks.
const LARGE_SLOT: u32 = 8192;

/// How soon a block must reach the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retire {
    /// 10 ms: the default, cheap.
    Relaxed,
    /// 1 ms: a wait mode or a watermark asks for latency.
    Prompt,
}

impl Retire {
    /// The block timer, in milliseconds.
    pub fn timer_ms(self) -> u32 {
        match self {
            Self::Relaxed => 10,
            Self::Prompt => 1,
        }
    }
}

/// How frames lie in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// TPACKET_V3: blocks of frames, cheap, handed over when full or when their timer expires.
    Blocks(Retire),
    /// TPACKET_V2: a slot for each frame, handed over at once.
    Slots,
}

impl Layout {
    /// How long a frame may lie in the ring before a reader can see it, in milliseconds.
    pub fn delay_ms(self) -> u32 {
        match self {
            Self::Blocks(retire) => retire.timer_ms(),
            Self::Slots => 0,
        }
    }
}

/// The geometry of one ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a block: a multiple of the page size.
    pub block_size: u32,
    /// Number of blocks, at least 2.
    pub block_count: u32,
    /// Bytes of a slot; in a ring of blocks a nominal size that divides the block.
    pub frame_size: u32,
}

impl Geometry {
    /// The geometry of a TPACKET_V3 ring of about `total` bytes.
    pub fn v3(page_size: usize, total: u64, retire: Retire) -> Self {
        let largest = match retire {
            Retire::Relaxed => LARGE_BLOCK,
            Retire::Prompt => SMALL_BLOCK,
        };
        let page = page_size.max(1) as u64;
        // About eight blocks at least: one is always in the kernel's hands, one in the reader's.
        let block = (total / 8)
            .next_power_of_two()
            .clamp(LEAST_BLOCK, largest)
            .max(page);
        let block = block.next_multiple_of(page);
        let count = (total / block).clamp(2, u64::from(u32::MAX) / block.div_ceil(2048).max(1));
        Self {
            block_size: block as u32,
            block_count: count as u32,
            frame_size: NOMINAL_FRAME,
        }
    }

    /// The geometry of a TPACKET_V2 ring of about `total` bytes whose slots hold `payload` bytes of a
    /// frame each.
    pub fn v2(page_size: usize, total: u64, payload: u32) -> Self {
        let frame_size = (payload + SLOT_OVERHEAD).next_multiple_of(libc::TPACKET_ALIGNMENT as u32);
        let page = page_size.max(1) as u64;
        // Slots do not cross blocks: large ones want large blocks, or much is lost at their ends.
        let block = if frame_size > LARGE_SLOT {
            LARGE_BLOCK
        } else {
            SMALL_BLOCK
        };
        let block = block.max(page).next_multiple_of(page);
        let count = (total / block).clamp(2, u64::from(u32::MAX) / (block / u64::from(frame_size)));
        Self {
            block_size: block as u32,
            block_count: count as u32,
            frame_size,
        }
    }

    /// Bytes of the largest frame that is no super-frame of segmentation offload, and at least what
    /// makes a slot of 2,048 bytes.
    pub fn usual_frame(mtu: u32) -> u32 {
        const LINK_OVERHEAD: u32 = 22;
        mtu.saturating_add(LINK_OVERHEAD).max(2048 - SLOT_OVERHEAD)
    }

    /// Bytes of the whole ring.
    pub fn total(&self) -> u64 {
        u64::from(self.block_size) * u64::from(self.block_count)
    }

    /// The request that makes the kernel set up such a ring. TPACKET_V2 looks at its first four
    /// fields only.
    pub fn request(&self, layout: Layout) -> libc::tpacket_req3 {
        libc::tpacket_req3 {
            tp_block_size: self.block_size,
            tp_block_nr: self.block_count,
            tp_frame_size: self.frame_size,
            tp_frame_nr: self.block_size / self.frame_size * self.block_count,
            tp_retire_blk_tov: layout.delay_ms(),
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        }
    }
}

/// The bytes that a ring may take: what was asked, never above a quarter of the memory available,
/// never below the smallest ring.
pub fn budget(asked_mb: u64, available_bytes: Option<u64>) -> u64 {
    let quarter = available_bytes.map_or(u64::MAX, |bytes| bytes / 4);
    asked_mb
        .saturating_mul(MIB)
        .min(quarter)
        .max(SMALLEST_RING_MB * MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPLENS: [u64; 20] = [
        14, 60, 64, 68, 96, 100, 128, 1500, 1514, 1518, 1536, 2000, 2048, 4096, 9000, 9014, 9216,
        16384, 65535, 65600,
    ];

    /// R21: block sizes follow the run-time page size.
    #[test]
    fn r21_geometry_is_valid_for_every_page_size() {
        for page in [4096usize, 16384, 65536] {
            for retire in [Retire::Relaxed, Retire::Prompt] {
                for mb in [2u64, 3, 8, 32, 64, 100, 4096, 8192] {
                    let g = Geometry::v3(page, mb * MIB, retire);
                    let what = format!("page {page} {retire:?} {mb} MiB: {g:?}");
                    assert_eq!(u64::from(g.block_size) % page as u64, 0, "{what}");
                    assert_eq!(g.block_size % g.frame_size, 0, "{what}");
                    assert_eq!(g.frame_size % 16, 0, "{what}");
                    assert!(g.block_count >= 2, "{what}");
                    assert!(g.total() <= mb * MIB && g.total() * 2 >= mb * MIB, "{what}");
                    let request = g.request(Layout::Blocks(retire));
                    let per_block = request.tp_block_size / request.tp_frame_size;
                    assert_eq!(
                        request.tp_frame_nr,
                        per_block * request.tp_block_nr,
                        "{what}"
                    );
                    for snaplen in SNAPLENS {
                        assert!(
                            u64::from(g.block_size) > snaplen + 512,
                            "{what} snaplen {snaplen}"
                        );
                    }
                }
            }
        }
    }

    /// R21, for slots: none crosses a block, and each holds its frame.
    #[test]
    fn r21_slots_are_valid_for_every_page_size() {
        for page in [4096usize, 16384, 65536] {
            for mb in [2u64, 3, 8, 64, 4096] {
                for snaplen in SNAPLENS {
                    let g = Geometry::v2(page, mb * MIB, snaplen as u32);
                    let what = format!("page {page} {mb} MiB snaplen {snaplen}: {g:?}");
                    assert_eq!(u64::from(g.block_size) % page as u64, 0, "{what}");
                    assert_eq!(g.frame_size % 16, 0, "{what}");
                    assert!(u64::from(g.frame_size) > snaplen + 66, "{what}");
                    let per_block = g.block_size / g.frame_size;
                    assert!(per_block >= 1 && g.block_count >= 2, "{what}");
                    assert!(per_block * g.frame_size * 4 >= g.block_size * 3, "{what}");
                    assert!(g.total() <= mb * MIB && g.total() * 2 >= mb * MIB, "{what}");
                    assert_eq!(
                        g.request(Layout::Slots).tp_frame_nr,
                        per_block * g.block_count
                    );
                }
            }
        }
    }

    #[test]
    fn budget_keeps_its_bounds() {
        assert_eq!(budget(64, Some(24 << 30)), 64 * MIB);
        assert_eq!(budget(1 << 20, Some(24 << 30)), 6 << 30);
        assert_eq!(budget(u64::MAX, None), u64::MAX);
        assert_eq!(budget(1, None), 2 * MIB);
        assert_eq!(budget(64, Some(MIB)), 2 * MIB);
    }
}
