//! The public struct: what C programs read of a ring, kept true in one place.

use std::sync::atomic::AtomicU8;

use super::{Handle, options::Direction, options::Mode};
use crate::abi;

/// Bytes of the header that a receive fills without PF_RING_LONG_HEADER.
pub const SHORT_HEADER: usize = std::mem::offset_of!(abi::pfring_pkthdr, extended_hdr)
    + std::mem::offset_of!(abi::pfring_extended_pkthdr, tx);
/// Bytes of the header that a receive fills with PF_RING_LONG_HEADER.
pub const LONG_HEADER: usize = size_of::<abi::pfring_pkthdr>();

const _: () = assert!(SHORT_HEADER == 48 && LONG_HEADER == 209);

/// Writes one field of the public struct.
macro_rules! mirror {
    ($handle:expr, $field:ident = $value:expr) => {
        // SAFETY: the struct lives as long as the handle. A plain store of one field, as the
        // original does it: C reads these fields without a lock.
        unsafe { (*$handle.public.get()).$field = $value }
    };
}

impl Handle {
    /// The first field, as C sees it: valid while the handle lives.
    pub fn public(&self) -> *mut abi::__pfring {
        self.public.get()
    }

    /// The byte that pfring_breakloop sets; a program may set it too, at any time.
    pub(super) fn break_flag(&self) -> &AtomicU8 {
        // SAFETY: the byte lives as long as the handle, and is only ever used as an atomic here.
        unsafe { AtomicU8::from_ptr(&raw mut (*self.public.get()).break_recv_loop) }
    }

    /// Its twin, which only the library writes.
    pub(super) fn break_flag_ext(&self) -> &AtomicU8 {
        // SAFETY: as for `break_flag`.
        unsafe { AtomicU8::from_ptr(&raw mut (*self.public.get()).break_recv_loop_ext) }
    }

    /// Set by pfring_shutdown.
    pub(super) fn shutting_down_flag(&self) -> &AtomicU8 {
        // SAFETY: as for `break_flag`.
        unsafe { AtomicU8::from_ptr(&raw mut (*self.public.get()).is_shutting_down) }
    }

    /// Fills the struct of a ring that has just been opened.
    pub(super) fn publish_open(&self) {
        let flags = self.options.flags;
        let has = |flag: u32| u8::from(flags & flag != 0);
        // SAFETY: nobody else knows the handle yet.
        let public = unsafe { &mut *self.public.get() };
        public.initialized = 1;
        public.long_header = has(abi::PF_RING_LONG_HEADER);
        public.force_timestamp = has(abi::PF_RING_TIMESTAMP);
        public.strip_hw_timestamp = has(abi::PF_RING_STRIP_HW_TIMESTAMP);
        public.disable_parsing = has(abi::PF_RING_DO_NOT_PARSE);
        public.disable_timestamp = has(abi::PF_RING_DO_NOT_TIMESTAMP);
        public.ixia_timestamp_enabled = has(abi::PF_RING_IXIA_TIMESTAMP);
        public.vss_apcon_timestamp_enabled = has(abi::PF_RING_VSS_APCON_TIMESTAMP);
        public.chunk_mode_enabled = has(abi::PF_RING_CHUNK_MODE);
        public.force_userspace_bpf = has(abi::PF_RING_USERSPACE_BPF);
        public.hw_ts.enable_hw_timestamp = has(abi::PF_RING_HW_TIMESTAMP);
        public.tx.enabled_rx_packet_send = has(abi::PF_RING_RX_PACKET_BOUNCE);
        public.promisc = has(abi::PF_RING_PROMISC);
        public.reentrant = has(abi::PF_RING_REENTRANT);
        public.socket_default_accept_policy = 1;
        public.filter_mode = abi::filtering_mode::SOFTWARE_ONLY;
        public.rdi.device_id = -1;
        public.rdi.port_id = -1;
        public.sampling_rate = 1;
        public.flags = flags;
        public.caplen = self.options.snaplen;
        public.slot_header_len = if self.options.long_header {
            LONG_HEADER
        } else {
            SHORT_HEADER
        } as u16;
        public.mtu = self.source.mtu();
        public.fd = self.selectable.fd();
        public.device_id = self.source.main().map_or(0, |device| device.ifindex);
        public.device_name = self.device_name.as_ptr().cast_mut();
        public.poll_duration = abi::DEFAULT_POLL_DURATION;
    }

    /// Shows the interface of a ring that was bound after its open.
    pub(super) fn publish_device(&self) {
        mirror!(self, mtu = self.source.mtu());
        let main = self.source.main();
        mirror!(self, device_id = main.map_or(0, |device| device.ifindex));
    }

    pub(super) fn publish_enabled(&self, on: bool) {
        mirror!(self, enabled = u8::from(on));
    }

    pub(super) fn publish_direction(&self, direction: Direction) {
        mirror!(self, direction = direction.to_abi());
    }

    pub(super) fn publish_mode(&self, mode: Mode) {
        mirror!(self, mode = mode.to_abi());
    }

    pub(super) fn publish_poll_duration(&self, ms: u16) {
        mirror!(self, poll_duration = ms);
    }

    pub(super) fn publish_promisc(&self, on: bool) {
        mirror!(self, promisc = u8::from(on));
    }

    pub(super) fn publish_userspace_filter(&self, on: bool) {
        mirror!(self, userspace_bpf = u8::from(on));
    }

    pub(super) fn publish_filtering_mode(&self, mode: abi::filtering_mode) {
        mirror!(self, filter_mode = mode);
    }

    pub(super) fn publish_policy(&self, accepts: bool) {
        mirror!(self, socket_default_accept_policy = u8::from(accepts));
    }

    pub(super) fn publish_slicing(&self, level: abi::packet_slicing_level, more: u32) {
        mirror!(self, slicing_level = level);
        mirror!(self, slicing_additional_bytes = more);
    }

    pub(super) fn publish_sampling(&self, rate: u32) {
        mirror!(self, sampling_rate = rate);
    }

    pub(super) fn count_poll(&self) {
        // SAFETY: as for `mirror!`.
        let calls = unsafe { (*self.public.get()).num_poll_calls };
        mirror!(self, num_poll_calls = calls.wrapping_add(1));
    }
}
