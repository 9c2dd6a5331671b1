//! How long a reader may sleep while blocks fill faster than their timer would close them.
//!
//! A reader that keeps up with a flood would be woken for every block. A wake-up costs as much as
//! thousands of packets, so it sleeps through a few blocks instead: no packet waits longer than the timer
//! lets it wait anyway, and most of the ring stays free meanwhile.

use super::req::Retire;

/// How much of a ring may fill during one sleep: an eighth.
const SHARE_OF_RING: u64 = 8;
/// The rule for one ring.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    most_ns: u64,
    most_blocks: u64,
}

impl Pace {
    /// For a ring of so many blocks. One whose packets are wanted soon has no such sleeps.
    pub fn new(retire: Retire, block_count: u32) -> Self {
        let most_ns = match retire {
            Retire::Relaxed => u64::from(retire.timer_ms()) * 1_000_000,
            Retire::Prompt => 0,
        };
        Self {
            most_ns,
            most_blocks: u64::from(block_count) / SHARE_OF_RING,
        }
    }

    /// How long to sleep, in nanoseconds, when a block took `fill_ns` to fill. 0 when a sleep would not
    /// save a wake-up, and for a block that the timer closed (`fill_ns` 0).
    pub fn nap_ns(self, fill_ns: u64) -> u64 {
        let blocks = match fill_ns {
            0 => 0,
            _ => (self.most_ns / fill_ns).min(self.most_blocks),
        };
        if blocks < 2 { 0 } else { blocks * fill_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn sleeps_through_whole_blocks_within_the_timer_and_the_ring() {
        let pace = Pace::new(Retire::Relaxed, 32);
        // Four blocks are an eighth of the ring.
        assert_eq!(pace.nap_ns(MS / 2), 2 * MS);
        assert_eq!(pace.nap_ns(MS), 4 * MS);
        // As long as the timer of 10 ms would let a packet wait, and no longer.
        assert_eq!(pace.nap_ns(3 * MS), 9 * MS);
        assert_eq!(pace.nap_ns(5 * MS), 10 * MS);
    }

    #[test]
    fn does_not_sleep_where_that_saves_no_wake_up() {
        let pace = Pace::new(Retire::Relaxed, 32);
        assert_eq!(pace.nap_ns(0), 0, "closed by the timer");
        assert_eq!(pace.nap_ns(6 * MS), 0, "one block in the time");
        assert_eq!(pace.nap_ns(u64::MAX), 0);
        assert_eq!(Pace::new(Retire::Relaxed, 15).nap_ns(MS), 0, "a small ring");
        assert_eq!(
            Pace::new(Retire::Prompt, 64).nap_ns(MS / 10),
            0,
            "latency is asked for"
        );
    }
}
