//! What the header generator does not see. The C side of all this is written by hand in
//! `cbindgen/pfring.toml`.

use std::ffi::{c_uint, c_void};

use super::{
    __pfring, pfring_card_settings, pfring_chunk_info, pfring_if, pfring_packet_info, pfring_stat,
};

// Sizes and defaults

/// Bytes of a page.
pub const PAGE_SIZE: usize = 4096;

/// A compiled filter in the layout of libpcap's struct bpf_program. Where pcap/bpf.h was included
/// before pfring.h, C programs see libpcap's own type in its place.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_bpf_program {
    /// Number of instructions.
    pub bf_len: c_uint,
    /// The instructions (struct bpf_insn); freed by pfring_free_bpf_filter() or pcap_freecode().
    pub bf_insns: *mut c_void,
}

zeroed! {
    __pfring, pfring_bpf_program, pfring_card_settings, pfring_chunk_info, pfring_if,
    pfring_packet_info, pfring_stat,
}
