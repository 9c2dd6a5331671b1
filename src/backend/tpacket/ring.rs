//! One ring: a socket, its mapping, and the walk that fits its layout.

use std::os::fd::{AsRawFd, RawFd};
use std::ptr::NonNull;
use std::sync::Arc;

use super::meta::{Meta, TAG_LEN};
use super::pace::Pace;
use super::req::{Geometry, Layout, SMALLEST_RING_MB};
use super::run::Run;
use super::{v2, v3};
use crate::backend::{Frame, Glimpse};
use crate::error::{Error, Result};
use crate::sys::mmap::Mapping;
use crate::sys::packet::PacketSocket;
use crate::sys::page_size;

/// A ring and the socket that fills it.
#[derive(Debug)]
pub(super) struct Ring {
    walk: Walk,
    /// Unmapped before the socket can be closed: a live map would keep the socket alive.
    _map: Mapping,
    socket: Arc<PacketSocket>,
    snaplen: u32,
    /// Bytes of the mapping.
    bytes: u64,
}

#[derive(Debug)]
enum Walk {
    /// TPACKET_V3, and when its reader may sleep.
    Blocks(v3::Walk, Pace),
    /// TPACKET_V2, and the frames larger than a slot that are lent.
    Slots(v2::Walk, Copies),
}

/// Frames that lie in memory of ours. Like a slot, one that was given back stays as it is until the next
/// frame is taken: programs read the last packet after a call that found none.
#[derive(Debug, Default)]
struct Copies {
    frames: Vec<Box<[u8]>>,
    /// How many of them, from the first on, were given back.
    released: usize,
}

impl Copies {
    #[inline]
    fn forget_released(&mut self) {
        if self.released > 0 {
            self.frames.drain(..self.released);
            self.released = 0;
        }
    }
}

/// What a ring is made for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Blocks or slots.
    pub layout: Layout,
    /// Bytes of ring memory.
    pub bytes: u64,
    /// Most bytes of a packet to keep.
    pub snaplen: u32,
    /// Bytes of the largest packet behind the link-layer header that the interface is set to.
    pub mtu: u32,
}

impl Ring {
    /// Sets the socket up. When memory is short the size is halved, down to the smallest ring.
    pub(super) fn new(socket: &Arc<PacketSocket>, wish: &Wish) -> Result<Self> {
        let version = match wish.layout {
            Layout::Blocks(_) => libc::tpacket_versions::TPACKET_V3,
            Layout::Slots => libc::tpacket_versions::TPACKET_V2,
        };
        socket.set_version(version as libc::c_int)?;
        let geometry = request(socket, wish)?;
        let map = Mapping::new(socket.owned(), geometry.total() as usize)?;
        let base = NonNull::new(map.base()).ok_or(Error::OutOfMemory)?;
        Ok(Self {
            // SAFETY: the mapping has the geometry's blocks, page aligned, and lives as long as the
            // walk: both are fields of the ring. The kernel keeps the protocol.
            walk: unsafe { Walk::new(base, &geometry, wish) },
            _map: map,
            socket: Arc::clone(socket),
            snaplen: wish.snaplen,
            bytes: geometry.total(),
        })
    }

    pub(super) fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Frame> {
        match &mut self.walk {
            Walk::Blocks(walk, _) => walk.next(),
            Walk::Slots(walk, copies) => {
                let taken = walk.take()?;
                copies.forget_released();
                if taken.meta.status & libc::TP_STATUS_COPY != 0
                    && let Some(frame) = fetch(&self.socket, &taken.meta, self.snaplen, copies)
                {
                    return Some(frame);
                }
                // SAFETY: the slot is in our hands, with TAG_LEN bytes before the frame that nobody
                // needs any more (the walk checked the offset and read the address).
                Some(unsafe { taken.meta.frame(taken.data, self.snaplen) })
            }
        }
    }

    /// As [`v3::Walk::lend_run`]; empty for slots.
    #[inline]
    pub(super) fn lend_run(&mut self) -> Run {
        match &mut self.walk {
            Walk::Blocks(walk, _) => walk.lend_run(),
            Walk::Slots(..) => Run::EMPTY,
        }
    }

    /// As [`v3::Walk::return_run`].
    #[inline]
    pub(super) fn return_run(&mut self, run: Run) {
        if let Walk::Blocks(walk, _) = &mut self.walk {
            walk.return_run(run);
        }
    }

    #[inline]
    pub(super) fn release(&mut self) {
        match &mut self.walk {
            Walk::Blocks(walk, _) => walk.release(),
            Walk::Slots(walk, copies) => {
                walk.release();
                copies.released = copies.frames.len();
            }
        }
    }

    /// Lets the socket's drops count, or not.
    pub(super) fn count_drops(&self, on: bool) {
        self.socket.count_drops(on);
    }

    #[inline]
    pub(super) fn available(&self) -> bool {
        match &self.walk {
            Walk::Blocks(walk, _) => walk.available(),
            Walk::Slots(walk, _) => walk.has(1),
        }
    }

    pub(super) fn has(&self, frames: u32) -> bool {
        match &self.walk {
            Walk::Blocks(walk, _) => walk.queued() >= frames,
            Walk::Slots(walk, _) => walk.has(frames),
        }
    }

    pub(super) fn queued(&self) -> u32 {
        match &self.walk {
            Walk::Blocks(walk, _) => walk.queued(),
            Walk::Slots(walk, _) => walk.queued(),
        }
    }

    /// How long to sleep before waiting for more, in nanoseconds: see [`Pace`].
    pub(super) fn nap_ns(&self) -> u64 {
        match &self.walk {
            Walk::Blocks(walk, pace) => pace.nap_ns(walk.fill_ns()),
            Walk::Slots(..) => 0,
        }
    }

    #[inline]
    pub(super) fn glimpse(&self) -> Option<Glimpse> {
        match &self.walk {
            Walk::Blocks(walk, _) => walk.glimpse(),
            Walk::Slots(walk, _) => walk.glimpse(),
        }
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        match &self.walk {
            Walk::Blocks(walk, _) => walk.next_time(),
            Walk::Slots(walk, _) => walk.next_time(),
        }
    }
}

impl Ring {
    /// Takes nothing any more; what it has lent stays readable.
    pub(super) fn retire(&self) {
        self.socket.retire();
    }

    /// Takes what is there and gives it back; bytes that were lent before stay as they are.
    pub(super) fn discard(&mut self) {
        while self.next().is_some() {}
        self.release();
    }

    /// Ends the ring: its memory goes, its socket stays.
    pub(super) fn free(self) {
        let Self { socket, _map, .. } = self;
        drop(_map);
        socket.free_ring();
    }
}

impl Walk {
    /// # Safety
    ///
    /// `base` points to a mapping of this geometry that outlives the walk.
    unsafe fn new(base: NonNull<u8>, geometry: &Geometry, wish: &Wish) -> Self {
        let (size, count) = (geometry.block_size as usize, geometry.block_count as usize);
        match wish.layout {
            Layout::Blocks(retire) => {
                // SAFETY: the contract of this function.
                let walk = unsafe { v3::Walk::new(base, size, count, wish.snaplen) };
                Self::Blocks(walk, Pace::new(retire, geometry.block_count))
            }
            Layout::Slots => {
                let slots = v2::Slots {
                    slot_size: geometry.frame_size as usize,
                    per_block: size / geometry.frame_size as usize,
                    block_size: size,
                    block_count: count,
                };
                // SAFETY: as above; the slots lie in the blocks.
                Self::Slots(unsafe { v2::Walk::new(base, slots) }, Copies::default())
            }
        }
    }
}

/// Asks the kernel for a ring, smaller and smaller while memory is short.
fn request(socket: &PacketSocket, wish: &Wish) -> Result<Geometry> {
    let smallest = SMALLEST_RING_MB << 20;
    let mut wanted = wish.bytes.max(smallest);
    let slot_payload = match wish.layout {
        Layout::Blocks(_) => 0,
        Layout::Slots => slot_payload(socket, wish, wanted)?,
    };
    loop {
        let geometry = match wish.layout {
            Layout::Blocks(retire) => Geometry::v3(page_size(), wanted, retire),
            Layout::Slots => Geometry::v2(page_size(), wanted, slot_payload),
        };
        match socket.set_rx_ring(&geometry.request(wish.layout)) {
            Ok(()) => return Ok(geometry),
            Err(Error::OutOfMemory) if wanted > smallest => wanted /= 2,
            Err(error) => return Err(error),
        }
    }
}

/// Bytes of a frame that a slot holds. Frames that are larger (segmentation offload makes them) come
/// whole by the socket's queue, if that may grow enough; else every slot is large.
fn slot_payload(socket: &PacketSocket, wish: &Wish, queue_bytes: u64) -> Result<u32> {
    let usual = Geometry::usual_frame(wish.mtu);
    if wish.snaplen <= usual {
        return Ok(wish.snaplen);
    }
    if socket.force_queue_bytes(queue_bytes).is_err() {
        return Ok(wish.snaplen);
    }
    socket.set_copy_threshold(1)?;
    Ok(usual)
}

/// Fetches the whole copy of a frame that did not fit into its slot.
#[cold]
fn fetch(socket: &PacketSocket, meta: &Meta, snaplen: u32, copies: &mut Copies) -> Option<Frame> {
    let headroom = TAG_LEN as usize;
    let mut copy = vec![0u8; headroom + snaplen as usize].into_boxed_slice();
    let present = socket.take_queued(&mut copy[headroom..])?;
    let meta = Meta {
        caplen: present.min(snaplen as usize) as u32,
        ..*meta
    };
    copies.frames.push(copy);
    let copy = copies.frames.last_mut()?;
    let data = NonNull::from(&mut copy[headroom..]).cast();
    // SAFETY: `caplen` bytes were received, TAG_LEN bytes lie before them, and the box stays where it
    // is until release.
    Some(unsafe { meta.frame(data, snaplen) })
}
