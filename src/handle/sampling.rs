//! Sampling: one packet of so many is delivered, at a place in each group that cannot be foreseen.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::Handle;
use super::obstacles::Obstacle;

/// Packets come in groups of the rate, of each of which one is delivered. Set from any thread; counted by
/// the one that receives.
pub(super) struct Sampling {
    /// Packets of a group; below 2 every packet is delivered.
    rate: AtomicU32,
    /// Packets of this group so far, and which of them is delivered.
    seen: AtomicU32,
    chosen: AtomicU32,
    random: AtomicU64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            rate: AtomicU32::new(1),
            seen: AtomicU32::new(0),
            chosen: AtomicU32::new(0),
            random: AtomicU64::new(0x9e37_79b9_7f4a_7c15),
        }
    }
}

impl Sampling {
    /// Begins anew: the first packet is delivered.
    fn set(&self, rate: u32) {
        self.rate.store(rate, Relaxed);
        self.seen.store(0, Relaxed);
        self.chosen.store(0, Relaxed);
    }

    /// Counts a packet; whether it is delivered.
    pub(super) fn takes(&self) -> bool {
        let rate = self.rate.load(Relaxed);
        if rate < 2 {
            return true;
        }
        let seen = self.seen.load(Relaxed);
        let taken = seen == self.chosen.load(Relaxed);
        if seen + 1 >= rate {
            self.seen.store(0, Relaxed);
            self.chosen.store(self.below(rate), Relaxed);
        } else {
            self.seen.store(seen + 1, Relaxed);
        }
        taken
    }

    /// A number below `limit` (xorshift: nobody has to be kept from guessing it).
    fn below(&self, limit: u32) -> u32 {
        let mut x = self.random.load(Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.store(x, Relaxed);
        (((x >> 32) * u64::from(limit)) >> 32) as u32
    }
}

impl Handle {
    /// Delivers one packet in `rate` of those that pass the filter; 0 and 1: all.
    pub fn set_sampling_rate(&self, rate: u32) {
        self.sampling.set(rate);
        self.obstacles.set(Obstacle::Sampling, rate > 1);
        self.publish_sampling(rate.max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_group_is_taken_and_the_first_packet_is() {
        let sampling = Sampling::default();
        for rate in [2, 3, 7, 100] {
            sampling.set(rate);
            for group in 0..50 {
                let taken: Vec<u32> = (0..rate).filter(|_| sampling.takes()).collect();
                assert_eq!(taken.len(), 1, "rate {rate} group {group}");
                assert!(group > 0 || taken == [0]);
            }
        }
    }

    #[test]
    fn places_differ_and_rates_below_two_take_all() {
        let sampling = Sampling::default();
        sampling.set(8);
        let mut places = [0; 8];
        for _ in 0..800 {
            for place in &mut places {
                *place += u32::from(sampling.takes());
            }
        }
        assert!(places.iter().all(|n| (50..200).contains(n)), "{places:?}");
        for rate in [0, 1] {
            sampling.set(rate);
            assert!((0..100).all(|_| sampling.takes()));
        }
    }
}
