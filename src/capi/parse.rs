//! Parsing and printing packets and numbers.

use std::ffi::{c_char, c_int, c_uchar, c_uint};

use super::boundary::{guard, out};
use super::strings;
use crate::abi::pfring_pkthdr;
use crate::packet::{header, numbers};
use crate::sys::clock;

/// Parses an Ethernet frame into its header. The packet is not changed.
///
/// Zero hdr->extended_hdr.parsed_pkt before; or leave there what an earlier call found in the same
/// packet: with l3_offset set layer 2 is not parsed again, with l4_offset set layer 3 neither.
///
/// @param pkt            bytes of the frame
/// @param hdr            caplen says how many; extended_hdr.parsed_pkt is filled
/// @param level          2 Ethernet and tags, 3 IP, 4 TCP, UDP and others, 5 tunnels
/// @param add_timestamp  not 0: hdr->ts is set to now if its seconds are 0
/// @param add_hash       not 0: pkt_hash is set if it is 0
/// @return the level that was reached, 2 to 6; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_parse_pkt(
    pkt: *mut c_uchar,
    hdr: *mut pfring_pkthdr,
    level: u8,
    add_timestamp: u8,
    add_hash: u8,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract; the header is packed and may lie anywhere.
        let hdr = unsafe { out(hdr, "header")?.as_mut() };
        // SAFETY: the common contract: caplen bytes.
        let data = unsafe { strings::bytes(pkt, hdr.caplen as usize, "packet") }?;
        let now = clock::realtime_timeval;
        Ok(header::parse_pkt(
            data,
            hdr,
            level,
            add_timestamp != 0,
            add_hash != 0,
            now,
        ))
    })
}

/// Prints a packet by what its header says.
///
/// @param buff      buffer for the text, which is cut to fit and ends with a zero byte
/// @param buff_len  bytes of the buffer
/// @param p         bytes of the packet, hdr->caplen of them
/// @param h         header with extended_hdr.parsed_pkt filled
/// @return characters of the whole text, as snprintf(); PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_print_parsed_pkt(
    buff: *mut c_char,
    buff_len: c_uint,
    p: *const c_uchar,
    h: *const pfring_pkthdr,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract; the header is packed and may lie anywhere.
        let hdr = unsafe { out(h.cast_mut(), "header")?.as_ref() };
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(p, hdr.caplen as usize, "packet") }?;
        // SAFETY: the common contract.
        let buffer = unsafe { strings::buffer(buff, buff_len as usize, "buffer") }?;
        Ok(header::print_parsed_pkt(buffer, data, hdr) as c_int)
    })
}

/// Parses an Ethernet frame and prints it, as pfring_print_parsed_pkt() does.
///
/// @param buff      as in pfring_print_parsed_pkt()
/// @param buff_len  as in pfring_print_parsed_pkt()
/// @param p         bytes of the packet
/// @param len       bytes on the wire
/// @param caplen    bytes at p
/// @return as pfring_print_parsed_pkt()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_print_pkt(
    buff: *mut c_char,
    buff_len: c_uint,
    p: *const c_uchar,
    len: c_uint,
    caplen: c_uint,
) -> c_int {
    guard(|| {
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(p, caplen as usize, "packet") }?;
        // SAFETY: the common contract.
        let buffer = unsafe { strings::buffer(buff, buff_len as usize, "buffer") }?;
        Ok(header::print_pkt(buffer, data, len) as c_int)
    })
}

/// Prints a number with apostrophes between its thousands: 1'234'567.89.
///
/// @param val           the number
/// @param buf           buffer for the text, which is cut to fit and ends with a zero byte
/// @param buf_len       bytes of the buffer
/// @param add_decimals  not 0: two decimals
/// @return buf; NULL for a NULL buffer
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_format_numbers(
    val: f64,
    buf: *mut c_char,
    buf_len: c_uint,
    add_decimals: u8,
) -> *mut c_char {
    guard(|| {
        // SAFETY: the common contract.
        let text = unsafe { strings::buffer(buf, buf_len as usize, "buffer") }?;
        numbers::format_numbers(val, add_decimals != 0, text);
        Ok(buf)
    })
}
