//! Channels and VLANs: which part of an interface's traffic a ring is for.
//!
//! The kernel makes both tests, before anything is queued. Here VLANs are looked at for a file and for frames
//! that were queued before the choice, and channels where the hash of a packet says which one is its own.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use libc::sock_filter;

use super::Handle;
use super::obstacles::Obstacle;
use super::options::Direction;
use super::source::{Device, MOST_CHANNELS};
use crate::backend::{AnyFrame, Frame};
use crate::error::{Error, Result};
use crate::filter::select;
use crate::packet::ether;
use crate::sys::clock;
use crate::sys::link_type::DLT_EN10MB;

/// All channels.
const ALL: u64 = u64::MAX;
/// No VLAN was chosen by pfring_set_vlan_id.
const ANY_VLAN: u32 = u32::MAX;
/// The bits of a VLAN id.
const VLAN_BITS: u16 = 0x0fff;

/// What was chosen. Set from any thread while another receives.
pub(super) struct Selection {
    /// Bit n: channel n is wanted.
    channels: AtomicU64,
    /// A packet's channel is its hash modulo the number of channels, and not the queue it came by.
    rehashes: AtomicBool,
    /// The VLAN for all interfaces, in place of those that the device name gives.
    vlan: AtomicU32,
    /// Frames stamped later than this were held against the VLAN by the kernel.
    vlan_until_ns: AtomicU64,
}

impl Selection {
    pub(super) fn new(channels: Option<u64>) -> Self {
        Self {
            channels: AtomicU64::new(channels.unwrap_or(ALL)),
            rehashes: AtomicBool::new(false),
            vlan: AtomicU32::new(ANY_VLAN),
            vlan_until_ns: AtomicU64::new(0),
        }
    }

    pub(super) fn set_channels(&self, mask: u64) {
        self.channels.store(mask, Relaxed);
    }

    fn rehashes(&self) -> bool {
        self.rehashes.load(Relaxed) && self.channels.load(Relaxed) != ALL
    }

    fn vlan(&self) -> Option<u16> {
        u16::try_from(self.vlan.load(Relaxed)).ok()
    }
}

impl Handle {
    /// Chooses the channels, bit n for channel n. What is queued already is still delivered, as in the
    /// original.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, `Os` when the kernel refuses.
    pub fn set_channels(&self, mask: u64) -> Result<()> {
        self.check_channels()?;
        let lifecycle = self.lifecycle.lock();
        self.selection.set_channels(mask);
        self.show_selection();
        self.attach(&lifecycle)
    }

    /// Chooses one channel; the highest number that C can give stands for all of them.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` above 63, and as [`set_channels`](Self::set_channels).
    pub fn set_channel(&self, channel: u32) -> Result<()> {
        match channel {
            u32::MAX => self.set_channels(ALL),
            0..MOST_CHANNELS => self.set_channels(1 << channel),
            _ => Err(Error::InvalidArgument("channel")),
        }
    }

    /// Lets the hash of a packet say what its channel is.
    ///
    /// # Errors
    ///
    /// As [`set_channels`](Self::set_channels).
    pub fn rehash_channels(&self) -> Result<()> {
        self.check_channels()?;
        let lifecycle = self.lifecycle.lock();
        self.selection.rehashes.store(true, Relaxed);
        self.show_selection();
        self.attach(&lifecycle)
    }

    fn check_channels(&self) -> Result<()> {
        if self.source.is_file() {
            return Err(Error::NotSupported("channels of a file"));
        }
        Ok(())
    }

    /// Chooses the VLAN of all interfaces, by the outer tag or the one behind it; 0: frames without a tag.
    ///
    /// # Errors
    ///
    /// `Os` with EINVAL on a ring for what is sent only, and when the kernel refuses.
    pub fn set_vlan(&self, id: u16) -> Result<()> {
        if self.options.direction() == Direction::Sent {
            let error = std::io::Error::from_raw_os_error(libc::EINVAL);
            return Err(Error::Os("a VLAN of what is sent only", error));
        }
        let lifecycle = self.lifecycle.lock();
        let rechecks = self.source.is_file() || (lifecycle.capturing && self.has_system_stamps());
        // Every frame, until the kernel makes the test: then those that it has queued before.
        self.hold_against_vlan_until(if rechecks { u64::MAX } else { 0 });
        self.selection.vlan.store((id & VLAN_BITS).into(), Relaxed);
        self.show_selection();
        self.attach(&lifecycle)?;
        if rechecks && !self.source.is_file() {
            self.hold_against_vlan_until(clock::realtime_ns());
        }
        Ok(())
    }

    fn hold_against_vlan_until(&self, stamp_ns: u64) {
        self.selection.vlan_until_ns.store(stamp_ns, Relaxed);
    }

    /// Says whether frames have to be looked at here.
    fn show_selection(&self) {
        let looks = self.selection.rehashes() || self.selection.vlan_until_ns.load(Relaxed) > 0;
        self.obstacles.set(Obstacle::Channel, looks);
    }

    /// What the kernel has to test of the frames of an interface.
    pub(super) fn selection_tests(&self, device: &Device) -> Vec<sock_filter> {
        let ids = match self.selection.vlan() {
            Some(id) => vec![id],
            None => device.vlans(),
        };
        let mut tests = Vec::new();
        if !ids.is_empty() {
            tests = select::vlans(&ids, self.source.link_type() == DLT_EN10MB);
        }
        let mask = self.selection.channels.load(Relaxed);
        if mask != ALL && !self.selection.rehashes() {
            tests.extend(select::channels(&select::Channels {
                mask,
                count: device.channels,
                from_one: device.counts_from_one,
            }));
        }
        tests
    }

    /// Whether a frame is of the chosen VLAN and channel, as far as the kernel has not seen to it.
    #[cold]
    pub(super) fn selects(&self, frame: &Frame) -> bool {
        // SAFETY: the frame was taken from the backend under the receive half, which the caller still
        // holds; nothing was released since, and nobody writes to it.
        let data = unsafe { frame.bytes() };
        let until_ns = self.selection.vlan_until_ns.load(Relaxed);
        if until_ns > 0 {
            if until_ns < u64::MAX && frame.stamp.to_ns() > until_ns {
                // Another choice may have come meanwhile, with a time of its own.
                let until = &self.selection.vlan_until_ns;
                let _ = until.compare_exchange(until_ns, 0, Relaxed, Relaxed);
                self.show_selection();
            } else if self
                .selection
                .vlan()
                .is_some_and(|id| !self.is_of_vlan(data, id))
            {
                return false;
            }
        }
        if !self.selection.rehashes() {
            return true;
        }
        let channel = self.quick_hash(data).0 % u32::from(self.rx_channels());
        self.selection.channels.load(Relaxed) >> channel & 1 != 0
    }
}

impl Handle {
    fn is_of_vlan(&self, data: &[u8], id: u16) -> bool {
        if self.source.link_type() == DLT_EN10MB {
            is_of_vlan(data, id)
        } else {
            id == 0
        }
    }
}

/// Whether the outer tag or the one behind it has this id; 0: whether there is none.
fn is_of_vlan(data: &[u8], id: u16) -> bool {
    let Some(ether) = ether::parse(data) else {
        return false;
    };
    match id {
        0 => ether.vlan_offset == 0,
        _ => ether.vlan_offset != 0 && (ether.vlan_id == id || ether.qinq_vlan_id == id),
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_vlan;
    use crate::packet::samples::{ethernet, tagged};

    #[test]
    fn tags_put_back_in_place() {
        let plain = ethernet(0x88b5, &[0; 46]);
        let double = tagged(&[(0x88a8, 8), (0x8100, 0x6007)], 0x88b5, &[0; 46]);
        let zero = tagged(&[(0x8100, 0)], 0x88b5, &[0; 46]);
        for (id, expected) in [
            (0, [true, false, false]),
            (7, [false, true, false]),
            (8, [false, true, false]),
            (9, [false; 3]),
        ] {
            let got = [&plain, &double, &zero].map(|frame| is_of_vlan(frame, id));
            assert_eq!(got, expected, "{id}");
        }
        assert!(!is_of_vlan(&plain[..13], 0));
    }
}
