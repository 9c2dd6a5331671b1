//! Time stamps that switches and taps append to packets.
//!
//! Formats: IXIA (19 bytes), VSS and APCON (12), MetaWatch (16), Arista 7150 (4) and 7280 (a header).

use std::ffi::{c_int, c_uchar};

use super::boundary::{guard, out};
use super::strings;
use crate::abi::{PF_RING_ERROR_GENERIC, pfring_pkthdr};
use crate::error::Result;
use crate::handle::trailer::{ARISTA_7150, show_stamp, show_stamps};
use crate::packet::header::{self, Handled};
use crate::packet::trailers::{self, Stamp};
use crate::sys::clock;

fn utc_offset() -> i32 {
    clock::gmt_offset_seconds(clock::realtime_timeval().0)
}

fn timespec(stamp: &Stamp) -> libc::timespec {
    libc::timespec {
        tv_sec: stamp.sec,
        tv_nsec: i64::from(stamp.nsec),
    }
}

/// A packet and its header as C gave them.
///
/// # Safety
///
/// The common contract; `len` of the header bytes are at `packet` when caplen equals len.
unsafe fn packet_of<'a>(
    packet: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) -> Result<(&'a [u8], &'a mut pfring_pkthdr)> {
    // SAFETY: the contract of this function.
    let hdr = unsafe { out(hdr, "header")?.as_mut() };
    // SAFETY: as above.
    let data = unsafe { strings::bytes(packet, hdr.caplen as usize, "packet") }?;
    Ok((data, hdr))
}

/// Prints decoded time stamps on stderr from now on, as the environment variable PF_RING_DEBUG_TS does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_enable_hw_timestamp_debug() {
    show_stamps();
}

/// Reads the stamp that an IXIA tap appended.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param ts          filled; zero without the format's signature
/// @return bytes of the trailer: 19, or 0 without it; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_ixia_hw_timestamp(
    buffer: *mut c_uchar,
    buffer_len: u32,
    ts: *mut libc::timespec,
) -> c_int {
    guard(|| {
        let ts = out(ts, "time")?;
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let stamp = trailers::read_ixia(data, utc_offset());
        let (time, len) = match &stamp {
            Some(stamp) => (timespec(stamp), trailers::IXIA_LEN as c_int),
            None => (
                libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                },
                0,
            ),
        };
        stamp.iter().for_each(|stamp| show_stamp("IXIA", stamp));
        // SAFETY: not NULL, so C promises a structure there.
        unsafe { ts.write(time) };
        Ok(len)
    })
}

/// Takes the stamp that an IXIA tap appended into the header and cuts it off.
///
/// @param buffer  bytes of the packet, whole
/// @param hdr     ts, timestamp_ns, caplen and len are changed
/// @return 0, also without the format's signature; -1 for a packet that is not whole;
///         PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_handle_ixia_hw_timestamp(
    buffer: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract.
        let (data, hdr) = unsafe { packet_of(buffer, hdr) }?;
        Ok(match header::handle_ixia(data, hdr, utc_offset()) {
            Handled::Incomplete => PF_RING_ERROR_GENERIC,
            _ => 0,
        })
    })
}

/// Reads the stamp that a VSS or APCON tap appended. The format has no signature.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param ts          filled
/// @return bytes of the trailer: 12; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_vss_apcon_hw_timestamp(
    buffer: *mut c_uchar,
    buffer_len: u32,
    ts: *mut libc::timespec,
) -> c_int {
    guard(|| {
        let ts = out(ts, "time")?;
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let Some(stamp) = trailers::read_vss_apcon(data, utc_offset()) else {
            return Ok(0);
        };
        show_stamp("VSS/APCON", &stamp);
        // SAFETY: not NULL, so C promises a structure there.
        unsafe { ts.write(timespec(&stamp)) };
        Ok(trailers::VSS_APCON_LEN as c_int)
    })
}

/// Takes the stamp that a VSS or APCON tap appended into the header and cuts it off. A packet that is not
/// whole is left alone.
///
/// @param buffer  bytes of the packet, whole
/// @param hdr     ts, timestamp_ns, caplen and len are changed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_handle_vss_apcon_hw_timestamp(
    buffer: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) {
    guard(|| {
        // SAFETY: the common contract.
        let (data, hdr) = unsafe { packet_of(buffer, hdr) }?;
        header::handle_vss_apcon(data, hdr, utc_offset());
        Ok(())
    });
}

/// Reads the stamp that a MetaWatch device (Arista 7130) appended. The format has no signature.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param ts          filled
/// @return bytes of the trailer: 16; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_metawatch_hw_timestamp(
    buffer: *mut c_uchar,
    buffer_len: u32,
    ts: *mut libc::timespec,
) -> c_int {
    guard(|| {
        let ts = out(ts, "time")?;
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let Some(found) = trailers::read_metawatch(data) else {
            return Ok(0);
        };
        show_stamp("MetaWatch", &found.stamp);
        // SAFETY: not NULL, so C promises a structure there.
        unsafe { ts.write(timespec(&found.stamp)) };
        Ok(trailers::METAWATCH_LEN as c_int)
    })
}

/// Reads where a MetaWatch device (Arista 7130) took the packet.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param device_id   filled
/// @param port_id     filled
/// @return bytes of the trailer: 16; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_metawatch_device_info(
    buffer: *mut c_uchar,
    buffer_len: u32,
    device_id: *mut u16,
    port_id: *mut u8,
) -> c_int {
    guard(|| {
        let (device, port) = (out(device_id, "device")?, out(port_id, "port")?);
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let Some(found) = trailers::read_metawatch(data) else {
            return Ok(0);
        };
        // SAFETY: not NULL, so C promises integers there.
        unsafe {
            device.write(found.device_id);
            port.write(found.port_id);
        }
        Ok(trailers::METAWATCH_LEN as c_int)
    })
}

/// Takes the stamp that a MetaWatch device (Arista 7130) appended into the header and cuts it off.
///
/// @param buffer  bytes of the packet, whole
/// @param hdr     ts, timestamp_ns, device_id, port_id, caplen and len are changed
/// @return 0; -1 for a packet that is not whole; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_handle_metawatch_hw_timestamp(
    buffer: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract.
        let (data, hdr) = unsafe { packet_of(buffer, hdr) }?;
        Ok(match header::handle_metawatch(data, hdr) {
            Handled::Incomplete => PF_RING_ERROR_GENERIC,
            _ => 0,
        })
    })
}

/// Reads a key frame of an Arista 7150, which ties its tick counter to UTC, and keeps it for the stamps
/// that follow.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param ns          filled: UTC in nanoseconds since 1970
/// @param ticks       filled: the counter at that time
/// @return 0; -1 for another packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_arista_7150_keyframe(
    buffer: *mut c_uchar,
    buffer_len: u32,
    ns: *mut u64,
    ticks: *mut u32,
) -> c_int {
    guard(|| {
        let (ns, ticks) = (out(ns, "time")?, out(ticks, "ticks")?);
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let Some(key) = trailers::read_arista_7150_key_frame(data) else {
            return Ok(PF_RING_ERROR_GENERIC);
        };
        ARISTA_7150.lock().set_key(key);
        // SAFETY: not NULL, so C promises integers there.
        unsafe {
            ns.write(key.utc_ns);
            ticks.write(key.ticks);
        }
        Ok(0)
    })
}

/// Reads the stamp that an Arista 7150 appended, by the key frame seen last.
///
/// @param buffer      bytes of the packet
/// @param buffer_len  how many
/// @param ns          filled: UTC in nanoseconds since 1970; 0 before any key frame
/// @return bytes of the trailer: 4; 0 for a shorter packet; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_arista_7150_hw_timestamp(
    buffer: *mut c_uchar,
    buffer_len: u32,
    ns: *mut u64,
) -> c_int {
    guard(|| {
        let ns = out(ns, "time")?;
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(buffer, buffer_len as usize, "packet") }?;
        let Some(ticks) = trailers::read_arista_7150_ticks(data) else {
            return Ok(0);
        };
        let time = ARISTA_7150.lock().ns_at(ticks);
        show_stamp("Arista 7150", &Stamp::from_ns(time));
        // SAFETY: not NULL, so C promises an integer there.
        unsafe { ns.write(time) };
        Ok(trailers::ARISTA_7150_LEN as c_int)
    })
}

/// Takes the stamp that an Arista 7150 appended into the header and cuts it off, or learns from a key frame.
///
/// @param buffer  bytes of the packet, whole
/// @param hdr     ts, timestamp_ns, caplen and len are changed
/// @return 0 a stamp; 1 a key frame, which is no packet for the program; -1 for a packet that is not
///         whole; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_handle_arista_hw_timestamp(
    buffer: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract.
        let (data, hdr) = unsafe { packet_of(buffer, hdr) }?;
        Ok(
            match header::handle_arista_7150(data, hdr, &mut ARISTA_7150.lock()) {
                Handled::Incomplete => PF_RING_ERROR_GENERIC,
                Handled::KeyFrame => 1,
                Handled::NoStamp | Handled::Stamped => 0,
            },
        )
    })
}

/// Takes the stamp of an Arista 7280 header (type 0xd28b) into the header. The packet keeps it.
///
/// @param buffer  bytes of the packet
/// @param hdr     ts and timestamp_ns are changed
/// @return 0 a stamp; -1 without one; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_read_arista_7280_hw_timestamp(
    buffer: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract.
        let (data, hdr) = unsafe { packet_of(buffer, hdr) }?;
        Ok(match header::handle_arista_7280(data, hdr) {
            Handled::Stamped => 0,
            _ => PF_RING_ERROR_GENERIC,
        })
    })
}
