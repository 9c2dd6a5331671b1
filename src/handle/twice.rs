//! A cluster that gives a packet to the places of both its addresses.
//!
//! Each ring has two sockets for an interface: one in a group that shares out by the source address, one in a
//! group that does so by the destination. Where both say the same place the ring has the packet twice, one
//! copy behind the other, since the kernel stamps it once for both and the first socket is served first. The
//! second copy is left out here.

use std::hash::{DefaultHasher, Hasher};

use super::Handle;
use crate::backend::{AnyFrame, Frame};
use crate::error::Result;
use crate::sys::thread;

/// How long the kernel may take before it stamps frames early (net_enable_timestamp defers to a worker).
const STAMPS_BEGIN_NS: u64 = 30_000_000;

/// What is remembered of the last frame: stamp, length and a hash of its bytes.
pub(super) type Seen = (u64, u32, u64);

impl Handle {
    /// Opens the second sockets, and has the kernel stamp each frame once for all.
    pub(super) fn open_seconds(&self) -> Result<()> {
        self.source.open_spares()?;
        for socket in self.source.sockets() {
            socket.count_drops(true);
            socket.stamp_early()?;
        }
        thread::sleep_ns(STAMPS_BEGIN_NS);
        Ok(())
    }

    /// Whether a frame is the second copy of the one before.
    #[cold]
    pub(super) fn is_copy(&self, frame: &Frame) -> bool {
        // SAFETY: the frame was taken from the backend under the receive half, which the caller still
        // holds; nothing was released since, and nobody writes to it.
        let bytes = unsafe { frame.bytes() };
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let seen = (frame.stamp.to_ns(), frame.len, hasher.finish());
        let mut last = self.cluster.last.lock();
        if *last == Some(seen) {
            *last = None;
            return true;
        }
        *last = Some(seen);
        false
    }
}
