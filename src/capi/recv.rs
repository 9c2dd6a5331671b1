//! Receiving.

use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::ptr::NonNull;

use super::boundary::{handle, out, unsupported, with_ring};
use crate::abi::{
    PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NOT_SUPPORTED, pfring, pfring_chunk_info,
    pfring_chunk_type, pfring_flow_update, pfring_packet_info, pfring_pkthdr, pfringProcesssPacket,
};
use crate::error::{Error, Result};
use crate::handle::{Handle, Lent, Target};
use crate::packet;
use crate::sys::clock;

/// Receives one packet.
///
/// With buffer_len 0 the packet is lent: `*buffer` is set to its bytes, which may be written to and
/// stay valid until the next receive on the ring. With buffer_len > 0 at most that many bytes are
/// copied to `*buffer`, and hdr->caplen is what was copied. hdr->len is the length on the wire
/// without FCS; VLAN tags are in the bytes and in both lengths. When no packet is returned, header
/// and buffer are left alone.
///
/// @param ring             the ring, enabled
/// @param buffer           where the pointer to the bytes is, or is written to
/// @param buffer_len       bytes at `*buffer`, or 0
/// @param hdr              filled: 48 bytes, or all 209 with PF_RING_LONG_HEADER
/// @param wait_for_packet  0: never blocks, in any wait mode; else waits for a packet or a break
/// @return 1 a packet; 0 none, or with errno EINTR a wait that pfring_breakloop() ended;
///         PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_NOT_SUPPORTED in send-only mode;
///         PF_RING_ERROR_INVALID_ARGUMENT for NULL, for lending from a PF_RING_REENTRANT ring, and at
///         the end of a capture file (errno ENODATA); -1 after pfring_shutdown()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_recv(
    ring: *mut pfring,
    buffer: *mut *mut c_uchar,
    buffer_len: c_uint,
    hdr: *mut pfring_pkthdr,
    wait_for_packet: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        if buffer_len != 0 {
            return recv_any(ring, buffer, buffer_len, hdr, wait_for_packet);
        }
        if let Some(place) = NonNull::new(buffer)
            && let Some(header) = NonNull::new(hdr)
            && let Some(handle) = handle(ring)
        {
            match handle.lend_short(place, header) {
                Lent::Whole => return 1,
                Lent::Unparsed(data, len) => return finish_header(ring, data, len, header),
                Lent::Nothing => {}
            }
        }
        recv_any(ring, buffer, 0, hdr, wait_for_packet)
    }
}

/// The rest of pfring_recv() for a packet that was lent in the short way.
///
/// # Safety
///
/// The common contract, and the packet of `len` bytes at `data` is held.
#[cold]
unsafe extern "C" fn finish_header(
    ring: *mut pfring,
    data: NonNull<u8>,
    len: u32,
    header: NonNull<pfring_pkthdr>,
) -> c_int {
    // SAFETY: the contract of this function; nobody writes to the packet meanwhile.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let bytes = std::slice::from_raw_parts(data.as_ptr(), len as usize);
            handle.write_parsed(bytes, header);
            Ok(1)
        })
    }
}

/// pfring_recv() for every ring and every packet. Out of line, so that the short way needs no stack.
///
/// # Safety
///
/// The common contract.
#[inline(never)]
unsafe extern "C" fn recv_any(
    ring: *mut pfring,
    buffer: *mut *mut c_uchar,
    buffer_len: c_uint,
    hdr: *mut pfring_pkthdr,
    wait_for_packet: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            recv(handle, buffer, buffer_len, hdr, wait_for_packet).map(c_int::from)
        })
    }
}

#[inline]
unsafe fn recv(
    handle: &Handle,
    buffer: *mut *mut c_uchar,
    buffer_len: c_uint,
    hdr: *mut pfring_pkthdr,
    wait: u8,
) -> Result<bool> {
    let place = out(buffer, "buffer")?;
    let header = out(hdr, "header")?;
    let target = if buffer_len == 0 {
        Target::Lend(place)
    } else {
        // SAFETY: `place` is not NULL, so C promises a pointer there.
        let bytes = out(unsafe { place.read() }, "buffer")?;
        Target::Copy(bytes, buffer_len as usize)
    };
    // SAFETY: the common contract: the header has the bytes that the ring's flags call for, the
    // buffer has `buffer_len`.
    unsafe { handle.receive(target, header, wait != 0) }
}

/// Receives one packet and parses it: pfring_recv(), then pfring_parse_pkt().
///
/// @param ring             the ring, enabled
/// @param buffer           as in pfring_recv()
/// @param buffer_len       as in pfring_recv()
/// @param hdr              all 209 bytes are used, whatever the flags of the ring
/// @param wait_for_packet  as in pfring_recv()
/// @param level            as in pfring_parse_pkt()
/// @param add_timestamp    as in pfring_parse_pkt()
/// @param add_hash         as in pfring_parse_pkt()
/// @return the level that was reached, 2 to 6; 0 and negative as pfring_recv()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_recv_parsed(
    ring: *mut pfring,
    buffer: *mut *mut c_uchar,
    buffer_len: c_uint,
    hdr: *mut pfring_pkthdr,
    wait_for_packet: u8,
    level: u8,
    add_timestamp: u8,
    add_hash: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            if !recv(handle, buffer, buffer_len, hdr, wait_for_packet)? {
                return Ok(0);
            }
            let header = &mut *hdr;
            header.extended_hdr.parsed_pkt = crate::abi::pkt_parsing_info::zeroed();
            let data = std::slice::from_raw_parts(*buffer, header.caplen as usize);
            let flags = (add_timestamp != 0, add_hash != 0);
            let now = clock::realtime_timeval;
            Ok(packet::header::parse_pkt(
                data, header, level, flags.0, flags.1, now,
            ))
        })
    }
}

/// Hands packets to a function until the ring is broken. A ring that was never enabled starts by itself.
///
/// No lock is held while the function runs; it may call the ring, pfring_breakloop() included. The
/// bytes are lent until it returns. The loop may be called again after a break.
///
/// @param ring             the ring
/// @param looper           called with header, bytes and user_bytes for each packet
/// @param user_bytes       handed through
/// @param wait_for_packet  0: spins while no packet is there; else waits as the wait mode says
/// @return 0 (errno EINTR) when a break ended a wait, 1 when it came between two packets; at the end of
///         a capture file PF_RING_ERROR_INVALID_ARGUMENT (errno ENODATA); -1 in send-only mode; else as
///         pfring_recv()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_loop(
    ring: *mut pfring,
    looper: pfringProcesssPacket,
    user_bytes: *const c_uchar,
    wait_for_packet: u8,
) -> c_int {
    // SAFETY: the common contract; the function is C's, and gets what its type says.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let looper = looper.ok_or(Error::InvalidArgument("looper"))?;
            handle.run(wait_for_packet != 0, |header, data| {
                looper(header, data.as_ptr(), user_bytes);
            })
        })
    }
}

/// Makes the waits on a ring end: those of now, or else the next one that would begin. Queued packets
/// come first. Safe in a signal handler, from any thread, and in the function of pfring_loop().
///
/// @param ring  the ring, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_breakloop(ring: *mut pfring) {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, (), |handle| {
            handle.break_loop();
            Ok(())
        });
    }
}

/// Receives several packets, lent until the next call. Waits only while none is there.
///
/// @param ring             the ring, enabled
/// @param packets          array that is filled from its start
/// @param num_packets      entries of the array
/// @param wait_for_packet  as in pfring_recv()
/// @return packets received, 0 to num_packets; else as pfring_recv(), but PF_RING_REENTRANT is allowed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_recv_burst(
    ring: *mut pfring,
    packets: *mut pfring_packet_info,
    num_packets: u8,
    wait_for_packet: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let packets: NonNull<_> = out(packets, "packets")?;
            let burst = std::slice::from_raw_parts_mut(packets.as_ptr(), num_packets.into());
            Ok(handle.receive_burst(burst, wait_for_packet != 0)? as c_int)
        })
    }
}

/// Receives the packets that are there, as many as fit into a chunk of 1 MiB, as the rows of a capture file
/// with nanoseconds: write a file header, then chunk after chunk. Each row is seconds, nanoseconds, bytes
/// present and bytes on the wire (32 bits each, in the byte order of the machine) and the bytes themselves.
/// PF_RING_CHUNK_MODE need not be set.
///
/// @param ring             the ring; not one with PF_RING_REENTRANT
/// @param chunk            where the pointer to the chunk is written to: memory of the library, valid until
///                         the next call
/// @param chunk_info       filled: bytes of the chunk, PCAP_NSEC_CHUNK
/// @param wait_for_packet  as in pfring_recv()
/// @return 1 for a chunk; 0, and nothing is written, as in pfring_recv(); PF_RING_ERROR_INVALID_ARGUMENT for
///         NULL chunk or chunk_info, at the end of a file, and for a ring with PF_RING_REENTRANT;
///         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring; else as pfring_recv()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_recv_chunk(
    ring: *mut pfring,
    chunk: *mut *mut c_void,
    chunk_info: *mut pfring_chunk_info,
    wait_for_packet: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = out(chunk, "chunk")?;
            let info = out(chunk_info, "chunk_info")?;
            let Some(chunk) = handle.receive_chunk(wait_for_packet != 0)? else {
                return Ok(0);
            };
            place.write(chunk.data.as_ptr().cast());
            info.write(pfring_chunk_info {
                length: chunk.len,
                r#type: pfring_chunk_type::PCAP_NSEC_CHUNK,
            });
            Ok(1)
        })
    }
}

/// Receives an update of a flow that hardware keeps. No stock Linux device does.
///
/// @param ring             the ring
/// @param flow             filled
/// @param wait_for_packet  as in pfring_recv()
/// @return PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_INVALID_ARGUMENT for NULL and for a
///         PF_RING_REENTRANT ring; else PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_recv_flow(
    ring: *mut pfring,
    flow: *mut pfring_flow_update,
    wait_for_packet: u8,
) -> c_int {
    let _ = (flow, wait_for_packet);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            if !handle.is_enabled() {
                return Err(Error::NotEnabled);
            }
            if handle.is_reentrant() {
                return Err(Error::InvalidArgument("a reentrant ring"));
            }
            unsupported("pfring_recv_flow")
        })
    }
}

/// Gives metadata that hardware adds to the last packet. No stock Linux device does.
///
/// @param ring          the ring
/// @param metadata      where the pointer is written to
/// @param metadata_len  where the length in bytes is written to
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_metadata(
    ring: *mut pfring,
    metadata: *mut *mut c_uchar,
    metadata_len: *mut u32,
) -> c_int {
    let _ = (metadata, metadata_len);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_get_metadata")
        })
    }
}

/// Tells the time of the next packet without taking it; the packet received last stays valid. Does not wait. So
/// a program that reads several rings takes their packets in the order of time.
///
/// @param ring  the ring, enabled
/// @param ts    filled: seconds and nanoseconds since 1970
/// @return 0; PF_RING_ERROR_NO_PKT_AVAILABLE when no packet is there; PF_RING_ERROR_RING_NOT_ENABLED;
///         PF_RING_ERROR_INVALID_ARGUMENT for a NULL ts; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_next_pkt_time(ring: *mut pfring, ts: *mut libc::timespec) -> c_int {
    // SAFETY: the common contract; `ts` is writable.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = out(ts, "ts")?;
            let ns = handle.next_packet_time()?;
            place.write(libc::timespec {
                tv_sec: (ns / 1_000_000_000) as libc::time_t,
                tv_nsec: (ns % 1_000_000_000) as libc::c_long,
            });
            Ok(0)
        })
    }
}

/// Tells the stamp of the next packet without taking it, as pfring_next_pkt_time().
///
/// @param ring          the ring, enabled
/// @param timestamp_ns  filled: nanoseconds since 1970
/// @return as pfring_next_pkt_time()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_next_pkt_raw_timestamp(
    ring: *mut pfring,
    timestamp_ns: *mut u64,
) -> c_int {
    // SAFETY: the common contract; `timestamp_ns` is writable.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = out(timestamp_ns, "timestamp_ns")?;
            place.write(handle.next_packet_time()?);
            Ok(0)
        })
    }
}
