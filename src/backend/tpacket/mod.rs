//! AF_PACKET rings: a tap on one interface or several, the host's own traffic goes on.

use std::os::fd::{AsRawFd, RawFd};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::backend::{Frame, RxBackend};
use crate::error::{Error, Result};
use crate::sys::mmap::Mapping;
use crate::sys::packet::PacketSocket;
use crate::sys::page_size;

mod meta;
pub mod req;
pub mod v3;

use req::{Geometry, Retire, SMALLEST_RING_MB};

/// One TPACKET_V3 ring and the socket that fills it.
#[derive(Debug)]
struct Ring {
    walk: v3::Walk,
    /// Unmapped before the socket can be closed: a live map would keep the socket alive.
    _map: Mapping,
    _socket: Arc<PacketSocket>,
}

/// A tap on one or several interfaces, a ring each.
#[derive(Debug)]
pub struct TpacketRx {
    rings: Vec<Ring>,
    fds: Vec<RawFd>,
    bytes: u64,
}

impl TpacketRx {
    /// Makes a ring for each socket, `total` bytes together. When memory is short the size is
    /// halved, down to the smallest ring. The sockets receive nothing before they are bound.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` when not even the smallest ring fits; `Os` for what else the kernel refuses.
    pub fn new(
        sockets: &[Arc<PacketSocket>],
        total: u64,
        snaplen: u32,
        retire: Retire,
    ) -> Result<Self> {
        let mut rx = Self {
            rings: Vec::new(),
            fds: Vec::new(),
            bytes: 0,
        };
        let share = total / sockets.len().max(1) as u64;
        for socket in sockets {
            let (ring, bytes) = Ring::new(socket, share, snaplen, retire)?;
            rx.fds.push(socket.as_raw_fd());
            rx.rings.push(ring);
            rx.bytes += bytes;
        }
        Ok(rx)
    }

    /// Bytes of ring memory that were had.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The ring whose next frame is the oldest.
    fn earliest(&mut self) -> Option<&mut Ring> {
        self.rings
            .iter_mut()
            .filter_map(|ring| ring.walk.next_time().map(|time| (time, ring)))
            .min_by_key(|(time, _)| *time)
            .map(|(_, ring)| ring)
    }
}

impl Ring {
    fn new(
        socket: &Arc<PacketSocket>,
        wanted: u64,
        snaplen: u32,
        retire: Retire,
    ) -> Result<(Self, u64)> {
        socket.set_version(libc::tpacket_versions::TPACKET_V3 as libc::c_int)?;
        socket.set_reserve(meta::TAG_LEN)?;
        let mut wanted = wanted.max(SMALLEST_RING_MB << 20);
        let geometry = loop {
            let geometry = Geometry::v3(page_size(), wanted, retire);
            match socket.set_rx_ring_v3(&geometry.request_v3(retire)) {
                Ok(()) => break geometry,
                Err(Error::OutOfMemory) if wanted > SMALLEST_RING_MB << 20 => wanted /= 2,
                Err(error) => return Err(error),
            }
        };
        let map = Mapping::new(socket.owned(), geometry.total() as usize)?;
        let base = NonNull::new(map.base()).ok_or(Error::OutOfMemory)?;
        // SAFETY: the mapping holds `block_count` blocks of `block_size` bytes, page aligned, and
        // lives as long as the walk: both are fields of the ring. The kernel keeps the protocol.
        let walk = unsafe {
            v3::Walk::new(
                base,
                geometry.block_size as usize,
                geometry.block_count as usize,
                snaplen,
            )
        };
        Ok((
            Self {
                walk,
                _map: map,
                _socket: Arc::clone(socket),
            },
            geometry.total(),
        ))
    }
}

impl RxBackend for TpacketRx {
    #[inline]
    fn next(&mut self) -> Result<Option<Frame>> {
        if let [ring] = self.rings.as_mut_slice() {
            return Ok(ring.walk.next());
        }
        Ok(self.earliest().and_then(|ring| ring.walk.next()))
    }

    #[inline]
    fn release(&mut self) {
        for ring in &mut self.rings {
            ring.walk.release();
        }
    }

    fn available(&self) -> bool {
        self.rings.iter().any(|ring| ring.walk.available())
    }

    fn queued(&self) -> u32 {
        self.rings
            .iter()
            .fold(0, |sum: u32, ring| sum.saturating_add(ring.walk.queued()))
    }

    fn fds(&self) -> &[RawFd] {
        &self.fds
    }
}
