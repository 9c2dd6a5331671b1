//! BPF programs for programs that run them themselves.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

use super::boundary::{guard, out};
use super::strings;
use crate::abi::pfring_bpf_program;
use crate::filter::bpf;
use crate::sys::libpcap;

/// Compiles a filter text for Ethernet frames. Needs libpcap at run time.
///
/// @param filter_buffer  the text, in the language of tcpdump
/// @param caplen         bytes that an accepted packet is worth
/// @param filter         filled; to be freed by pfring_free_bpf_filter() or libpcap's pcap_freecode()
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or a text that does not compile;
///         PF_RING_ERROR_NOT_SUPPORTED without libpcap
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_parse_bpf_filter(
    filter_buffer: *const c_char,
    caplen: c_uint,
    filter: *mut pfring_bpf_program,
) -> c_int {
    guard(|| {
        let filter = out(filter, "program")?;
        // SAFETY: the common contract.
        let text = unsafe { strings::string(filter_buffer, "filter") }?;
        let (bf_len, insns) = bpf::parse_to_malloc(text, caplen)?;
        // SAFETY: not NULL, so C promises a structure there.
        unsafe {
            filter.write(pfring_bpf_program {
                bf_len,
                bf_insns: insns.as_ptr(),
            })
        };
        Ok(0)
    })
}

/// Frees a program of pfring_parse_bpf_filter(). Freeing it twice does no harm.
///
/// @param filter  the program; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_free_bpf_filter(filter: *mut pfring_bpf_program) {
    guard(|| {
        if let Some(filter) = std::ptr::NonNull::new(filter) {
            // SAFETY: the common contract: the program came from pfring_parse_bpf_filter.
            unsafe {
                let program = &mut *filter.as_ptr();
                libpcap::free_malloced(program.bf_insns);
                *program = pfring_bpf_program {
                    bf_len: 0,
                    bf_insns: std::ptr::null_mut(),
                };
            }
        }
        Ok(())
    });
}

/// Runs a program on a packet. Needs libpcap at run time.
///
/// @param bf_insns  instructions, as in the member bf_insns
/// @param pkt_data  bytes that were captured
/// @param caplen    how many
/// @param len       bytes on the wire
/// @return bytes of the packet to keep; 0: it does not match, or there is no libpcap, or no packet
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_bpf_filter(
    bf_insns: *mut c_void,
    pkt_data: *mut c_uchar,
    caplen: u32,
    len: u32,
) -> u32 {
    guard(|| {
        let insns = out(bf_insns, "program")?;
        // SAFETY: the common contract.
        let data = unsafe { strings::bytes(pkt_data, caplen as usize, "packet") }?;
        // SAFETY: as above: the instructions are a whole program.
        unsafe { libpcap::run_raw(insns.as_ptr(), data.as_ptr(), caplen, len) }
    })
}
