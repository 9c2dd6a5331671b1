//! What the header generator does not see. The C side of all this is written by hand in
//! `cbindgen/pfring.toml`.

use super::{
    __pfring, pfring_bpf_program, pfring_card_settings, pfring_chunk_info, pfring_if,
    pfring_packet_info, pfring_stat,
};

// Sizes and defaults

/// Bytes of a page.
pub const PAGE_SIZE: usize = 4096;

/// The compiled filter as the filter calls take it: in C it is libpcap's `struct bpf_program` when
/// `pcap/bpf.h` was included before `pfring.h`, else `struct pfring_bpf_program`.
pub type pfring_filter_program = pfring_bpf_program;

zeroed! {
    __pfring, pfring_bpf_program, pfring_card_settings, pfring_chunk_info, pfring_if,
    pfring_packet_info, pfring_stat,
}
