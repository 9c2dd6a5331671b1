//! Sending.

use std::ffi::{c_char, c_int, c_uint};

use super::boundary::{out, with_ring};
use super::strings;
use crate::abi::{PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NOT_SUPPORTED, pfring};
use crate::error::Error;

/// Sends one frame by the main interface. Never blocks. A frame of a `stack:` ring comes in by it instead, as if
/// the card had received it: up to 3072 bytes, Linux 5.18, CAP_BPF and CAP_NET_ADMIN at the open.
///
/// A frame that is sent alone leaves at once. In a stream of frames (microseconds apart) frames are sent
/// in batches unless flush_packet is set: each leaves with a later one, with pfring_flush_tx_packets(),
/// with pfring_close(), or after some milliseconds by itself. In send-only mode no tap on this host sees
/// what is sent (PACKET_QDISC_BYPASS).
///
/// @param ring          the ring, enabled
/// @param pkt           the frame from its link-layer header on, without FCS
/// @param pkt_len       bytes, 1 to MTU + 18
/// @param flush_packet  not 0: the frame, and all before it, leave with this call
/// @return bytes sent; 0 for a frame that a filter rejects on a ring with PF_RING_TX_BPF; PF_RING_ERROR_INVALID_ARGUMENT for NULL, no bytes, or too many (errno
///         EMSGSIZE); PF_RING_ERROR_RING_NOT_ENABLED; PF_RING_ERROR_NOT_SUPPORTED in receive-only
///         mode, after pfring_shutdown(), for a file and for `any`, and where a `stack:` ring cannot send; -1 with errno: ENOBUFS (queue
///         full: try again), ENETDOWN, ENXIO (the interface is gone)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_send(
    ring: *mut pfring,
    pkt: *mut c_char,
    pkt_len: c_uint,
    flush_packet: u8,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            if pkt.is_null() {
                return Err(Error::InvalidArgument("packet"));
            }
            handle.check_length(pkt_len as usize)?;
            let frame = strings::bytes(pkt.cast(), pkt_len as usize, "packet")?;
            Ok(handle.send(frame, flush_packet != 0)? as c_int)
        })
    }
}

/// Sends one frame at once and tells when the card sent it, by the card's clock. Waits for that, 0.1 s at most.
/// For cards that stamp what they send (`ethtool -T`), and with CAP_NET_ADMIN, as it is switched on at the first
/// call. Written by the kernel's documentation and tried with the system's stamps only, for want of such a card.
///
/// @param ring     the ring, enabled
/// @param pkt      as in pfring_send()
/// @param pkt_len  as in pfring_send()
/// @param ts       filled
/// @return as pfring_send(); -1 with errno ETIMEDOUT when the frame was sent and no time came;
///         PF_RING_ERROR_NOT_SUPPORTED for a card without such stamps; PF_RING_ERROR_INVALID_ARGUMENT for
///         NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_send_get_time(
    ring: *mut pfring,
    pkt: *mut c_char,
    pkt_len: c_uint,
    ts: *mut libc::timespec,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            handle.check_sent_stamps()?;
            let ts = out(ts, "time")?;
            if pkt.is_null() {
                return Err(Error::InvalidArgument("packet"));
            }
            handle.check_length(pkt_len as usize)?;
            let frame = strings::bytes(pkt.cast(), pkt_len as usize, "packet")?;
            let Some(time) = handle.send_stamped(frame)? else {
                return Ok(0);
            };
            ts.write(time);
            Ok(pkt_len as c_int)
        })
    }
}

/// Sends the frames that pfring_send() left in a batch.
///
/// @param ring  the ring
/// @return 0 all have left; -1 with errno: ENOBUFS (the rest waits: try again), ENETDOWN, ENXIO;
///         PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_flush_tx_packets(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.flush_sent().map(|()| 0)
        })
    }
}

/// Sets how many frames of a stream leave together.
///
/// @param ring       the ring
/// @param watermark  frames, 1 (each leaves at once) to 64, the default; others count as the nearest
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL and for what is no interface
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_tx_watermark(ring: *mut pfring, watermark: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_tx_watermark(watermark).map(|()| 0)
        })
    }
}

/// Sends the packet that was received last, at once and whole, by another interface. To be called before the
/// next receive, which gives the packet back.
///
/// @param ring             the ring, opened with PF_RING_RX_PACKET_BOUNCE and PF_RING_LONG_HEADER
/// @param tx_interface_id  index of the interface; that of the packet, and one that does not exist, are
///                         left alone
/// @return 0; PF_RING_ERROR_WRONG_CONFIGURATION without PF_RING_RX_PACKET_BOUNCE;
///         PF_RING_ERROR_NO_PKT_AVAILABLE before the first packet and after it was given back;
///         PF_RING_ERROR_INVALID_ARGUMENT with errno EMSGSIZE for a packet that the snap length cut or
///         that is too long for the interface; PF_RING_ERROR_NOT_SUPPORTED for NULL, with
///         PF_RING_REENTRANT, without PF_RING_LONG_HEADER, and for a file; -1 with errno: ENOBUFS, ENETDOWN
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_send_last_rx_packet(
    ring: *mut pfring,
    tx_interface_id: c_int,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.send_last(tx_interface_id).map(|()| 0)
        })
    }
}

/// Sends every packet that is received from now on by another device, too: as many bytes as were captured.
/// What cannot be sent is not told. The device is opened in promiscuous mode and closed with the ring.
///
/// @param ring         the ring
/// @param device_name  name of the device; may be set once
/// @return 0; -1 for a NULL name, for a second device (errno EBUSY), and with the errno of pfring_open()
///         for a device that cannot be opened; PF_RING_ERROR_INVALID_ARGUMENT for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_reflector_device(
    ring: *mut pfring,
    device_name: *mut c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            handle
                .set_reflector(strings::device(device_name)?)
                .map(|()| 0)
        })
    }
}
