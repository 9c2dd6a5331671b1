//! Slicing: packets are cut behind the headers of a layer.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use super::Handle;
use super::obstacles::Obstacle;
use crate::abi::packet_slicing_level;
use crate::backend::{AnyFrame, Frame};
use crate::error::{Error, Result};
use crate::packet::{self, Start};
use crate::sys::link_type::DLT_EN10MB;

/// What is kept. Set from any thread while another receives.
#[derive(Default)]
pub(super) struct Slicing {
    /// The layer, 2 to 4; 0: packets are not cut.
    level: AtomicU8,
    /// Bytes behind its header.
    more: AtomicU32,
}

impl Handle {
    /// Cuts packets so many bytes behind the headers of a layer.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for an unknown layer.
    pub fn set_slicing(&self, level: packet_slicing_level, more: u32) -> Result<()> {
        let layer = match level {
            packet_slicing_level::FULL_PACKET_SLICING => 0,
            packet_slicing_level::L2_SLICING => 2,
            packet_slicing_level::L3_SLICING => 3,
            packet_slicing_level::L4_SLICING => 4,
            _ => return Err(Error::InvalidArgument("slicing level")),
        };
        self.slicing.level.store(layer, Relaxed);
        self.slicing.more.store(more, Relaxed);
        self.obstacles.set(Obstacle::Slicing, layer != 0);
        self.publish_slicing(level, more);
        Ok(())
    }

    /// A frame as much of which is kept as was asked for.
    #[cold]
    pub(super) fn sliced(&self, frame: Frame) -> Frame {
        // SAFETY: the frame was taken from the backend under the receive half, which the caller still
        // holds; nothing was released since, and nobody writes to it.
        let data = unsafe { frame.bytes() };
        let start = if self.source.link_type() == DLT_EN10MB {
            Start::Ethernet
        } else {
            Start::Ip
        };
        let level = self.slicing.level.load(Relaxed);
        let kept = kept(data, start, level, self.slicing.more.load(Relaxed));
        Frame {
            caplen: frame.caplen.min(kept),
            ..frame
        }
    }
}

/// Bytes to keep: the headers up to a layer, as far as there are any, and some more.
fn kept(data: &[u8], start: Start<'_>, level: u8, more: u32) -> u32 {
    if level == 0 {
        return u32::MAX;
    }
    let offsets = packet::parse(data, start, level).0.offsets;
    let ends = [offsets.l3, offsets.l4, offsets.payload];
    let up_to = &ends[..usize::from(level - 1)];
    let end = up_to.iter().copied().max().unwrap_or(0);
    u32::try_from(end).unwrap_or(0).saturating_add(more)
}

#[cfg(test)]
mod tests {
    use super::kept;
    use crate::packet::Start;
    use crate::packet::ip::{TCP, UDP};
    use crate::packet::samples::{ethernet, ipv4, ipv6, tagged, tcp, udp};

    #[test]
    fn headers_and_some_more() {
        let udp4 = ethernet(0x0800, &ipv4(UDP, 1, 2, &udp(1, 2, &[9; 30])));
        let tcp6 = tagged(
            &[(0x8100, 5)],
            0x86dd,
            &ipv6(TCP, &[tcp(1, 2, 32), vec![7; 9]].concat()),
        );
        let arp = ethernet(0x0806, &[0; 28]);
        let short = vec![1; 9];
        for (frame, ends) in [
            (&udp4, [14, 34, 42]),
            (&tcp6, [18, 58, 90]),
            (&arp, [14, 14, 14]),
            (&short, [0, 0, 0]),
        ] {
            for (level, end) in (2..).zip(ends) {
                assert_eq!(kept(frame, Start::Ethernet, level, 0), end, "{level}");
                assert_eq!(kept(frame, Start::Ethernet, level, 5), end + 5, "{level}");
            }
            assert_eq!(kept(frame, Start::Ethernet, 0, 1), u32::MAX);
            assert_eq!(kept(frame, Start::Ethernet, 4, u32::MAX), u32::MAX);
        }
        let packet = ipv4(UDP, 1, 2, &udp(1, 2, &[9; 30]));
        let ends = [2, 3, 4].map(|level| kept(&packet, Start::Ip, level, 0));
        assert_eq!(ends, [0, 20, 28]);
    }
}
