//! Time stamps that taps and switches append to packets, taken over as packets are received: asked for by flags
//! of the open. What a trailer says is the room `packet`'s knowledge.
//!
//! Only a packet that is there as a whole has a trailer. It is cut off, and its stamp takes the place of the
//! kernel's, after filters have seen both.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use super::Handle;
use crate::abi;
use crate::backend::{AnyFrame, Frame, Stamp};
use crate::config::log;
use crate::packet::trailers::{self, Arista7150};
use crate::sys::clock;

/// The Arista 7150's key frame seen last: one for the process, as in the original.
pub static ARISTA_7150: Mutex<Arista7150> = Mutex::new(Arista7150::new());
/// Whether decoded stamps are printed.
static DEBUG: AtomicBool = AtomicBool::new(false);

/// Prints decoded stamps from now on.
pub fn show_stamps() {
    DEBUG.store(true, Relaxed);
}

/// Prints a decoded stamp, if that was asked for.
pub fn show_stamp(kind: &str, stamp: &trailers::Stamp) {
    if DEBUG.load(Relaxed) {
        log::notice(format_args!(
            "{kind} time stamp {}.{:09}",
            stamp.sec, stamp.nsec
        ));
    }
}

/// Whose trailers the packets have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ixia,
    VssApcon,
    MetaWatch,
    Arista,
}

impl Kind {
    /// The first of those that the flags ask for, in the original's order.
    fn of(flags: u32) -> Option<Self> {
        let kinds = [
            (abi::PF_RING_IXIA_TIMESTAMP, Self::Ixia),
            (abi::PF_RING_VSS_APCON_TIMESTAMP, Self::VssApcon),
            (abi::PF_RING_METAWATCH_TIMESTAMP, Self::MetaWatch),
            (abi::PF_RING_ARISTA_TIMESTAMP, Self::Arista),
        ];
        kinds
            .into_iter()
            .find_map(|(flag, kind)| (flags & flag != 0).then_some(kind))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ixia => "IXIA",
            Self::VssApcon => "VSS/APCON",
            Self::MetaWatch => "MetaWatch",
            Self::Arista => "Arista 7150",
        }
    }
}

/// What stands at the end of a packet.
struct Trailer {
    /// Bytes.
    len: usize,
    /// None before the first key frame of an Arista 7150.
    stamp: Option<trailers::Stamp>,
    /// The device, and its port.
    origin: (u16, u8),
}

/// The trailers of a ring's packets.
pub(super) struct Trailers {
    kind: Option<Kind>,
    /// Device (16 bits) and port of the packet that was received last. Written and read by the one thread at
    /// a time that receives.
    origin: AtomicU32,
    offset: LocalTime,
}

impl Trailers {
    pub(super) fn new(flags: u32) -> Self {
        Self {
            kind: Kind::of(flags),
            origin: AtomicU32::new(0),
            offset: LocalTime::default(),
        }
    }

    /// Whether there is something to do for each packet.
    pub(super) fn are_wanted(&self) -> bool {
        self.kind.is_some()
    }

    fn read(&self, kind: Kind, data: &[u8], now: Stamp) -> Option<Trailer> {
        let offset = || self.offset.seconds_at(now.sec);
        let (len, stamp, origin) = match kind {
            Kind::Ixia => (
                trailers::IXIA_LEN,
                Some(trailers::read_ixia(data, offset())?),
                (0, 0),
            ),
            Kind::VssApcon => (
                trailers::VSS_APCON_LEN,
                Some(trailers::read_vss_apcon(data, offset())?),
                (0, 0),
            ),
            Kind::MetaWatch => {
                let found = trailers::read_metawatch(data)?;
                let origin = (found.device_id, found.port_id);
                (trailers::METAWATCH_LEN, Some(found.stamp), origin)
            }
            Kind::Arista => {
                let ticks = trailers::read_arista_7150_ticks(data)?;
                let ns = ARISTA_7150.lock().ns_at(ticks);
                let stamp = (ns > 0).then(|| trailers::Stamp::from_ns(ns));
                (trailers::ARISTA_7150_LEN, stamp, (0, 0))
            }
        };
        Some(Trailer { len, stamp, origin })
    }
}

fn taken_over(stamp: &trailers::Stamp) -> Stamp {
    Stamp {
        sec: stamp.sec as u64,
        nsec: stamp.nsec,
    }
}

/// How far local time is from UTC, asked anew for each minute.
#[derive(Default)]
struct LocalTime {
    minute: AtomicU64,
    seconds: AtomicI32,
}

impl LocalTime {
    fn seconds_at(&self, time: u64) -> i32 {
        let minute = time / 60 + 1; // never the 0 that it begins with
        if self.minute.load(Relaxed) != minute {
            let seconds = clock::gmt_offset_seconds(time as i64);
            self.seconds.store(seconds, Relaxed);
            self.minute.store(minute, Relaxed);
        }
        self.seconds.load(Relaxed)
    }
}

impl Handle {
    /// A frame with its trailer's stamp and without the trailer; None for a key frame, which is no packet
    /// for the program.
    #[cold]
    pub(super) fn without_trailer(&self, mut frame: Frame) -> Option<Frame> {
        self.trailers.origin.store(0, Relaxed);
        // SAFETY: the frame was taken from the backend under the receive half, which the caller still
        // holds; nothing was released since, and nobody writes to it.
        let data = unsafe { frame.bytes() };
        let Some(kind) = self.trailers.kind else {
            return Some(frame);
        };
        if kind == Kind::Arista
            && let Some(stamp) = trailers::read_arista_7280(data)
        {
            // A header, which stays in the packet.
            show_stamp("Arista 7280", &stamp);
            frame.stamp = taken_over(&stamp);
            return Some(frame);
        }
        if frame.caplen != frame.len {
            return Some(frame);
        }
        if kind == Kind::Arista
            && let Some(key) = trailers::read_arista_7150_key_frame(data)
        {
            ARISTA_7150.lock().set_key(key);
            return None;
        }
        let Some(trailer) = self.trailers.read(kind, data, frame.stamp) else {
            return Some(frame);
        };
        frame.caplen -= trailer.len as u32;
        frame.len = frame.caplen;
        if let Some(stamp) = &trailer.stamp {
            show_stamp(kind.name(), stamp);
            frame.stamp = taken_over(stamp);
        }
        let (device, port) = trailer.origin;
        let origin = u32::from(port) << 16 | u32::from(device);
        self.trailers.origin.store(origin, Relaxed);
        Some(frame)
    }

    /// Writes where the packet that was just taken was stamped.
    ///
    /// # Safety
    ///
    /// - `header` is writable for 48 bytes.
    #[inline]
    pub(super) unsafe fn write_origin(&self, header: NonNull<abi::pfring_pkthdr>) {
        if !self.trailers.are_wanted() {
            return;
        }
        let origin = self.trailers.origin.load(Relaxed);
        let header = header.as_ptr();
        // SAFETY: the contract of this function; the fields of a packed structure are written unaligned.
        unsafe {
            (*header).extended_hdr.device_id = origin as u16;
            (*header).extended_hdr.port_id = (origin >> 16) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_kinds_is_taken() {
        let all = abi::PF_RING_ARISTA_TIMESTAMP
            | abi::PF_RING_METAWATCH_TIMESTAMP
            | abi::PF_RING_VSS_APCON_TIMESTAMP
            | abi::PF_RING_IXIA_TIMESTAMP;
        assert_eq!(Kind::of(all), Some(Kind::Ixia));
        let three = all & !abi::PF_RING_IXIA_TIMESTAMP;
        assert_eq!(Kind::of(three), Some(Kind::VssApcon));
        let two = three & !abi::PF_RING_VSS_APCON_TIMESTAMP;
        assert_eq!(Kind::of(two), Some(Kind::MetaWatch));
        assert_eq!(Kind::of(abi::PF_RING_ARISTA_TIMESTAMP), Some(Kind::Arista));
        assert_eq!(Kind::of(abi::PF_RING_PROMISC), None);
    }

    #[test]
    fn the_offset_of_a_time_is_that_of_the_c_library() {
        let offset = LocalTime::default();
        for time in [0, 59, 60, 1_700_000_000, 1_720_000_000, 1_720_000_001] {
            let expected = clock::gmt_offset_seconds(time as i64);
            assert_eq!(offset.seconds_at(time), expected);
        }
    }
}
