//! Time stamps that hardware wrote into the packet, taken over into C's packet header.
//!
//! Where they stand in the packet is [`trailers`]'s knowledge. The handlers act only on packets
//! that are there as a whole.

use super::present;
use crate::abi;
use crate::packet::trailers::{self, Arista7150, Stamp};

/// What a handler of time stamps found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// The packet is not there as a whole, or too short for a trailer; the header is as before.
    Incomplete,
    /// No signature, so no stamp; the header is as before.
    NoStamp,
    /// The header has the stamp, and its lengths leave a trailer out.
    Stamped,
    /// An Arista key frame, which is no packet for the program; the header is as before.
    KeyFrame,
}

/// The whole packet; None if the capture cut it.
fn whole<'a>(data: &'a [u8], hdr: &abi::pfring_pkthdr) -> Option<&'a [u8]> {
    let len = usize::try_from(hdr.len).ok()?;
    if hdr.caplen == hdr.len {
        data.get(..len)
    } else {
        None
    }
}

/// Writes the stamp into the header.
fn set_stamp(hdr: &mut abi::pfring_pkthdr, stamp: &Stamp) -> Handled {
    hdr.ts = libc::timeval {
        tv_sec: stamp.sec,
        tv_usec: i64::from(stamp.nsec / 1000),
    };
    hdr.extended_hdr.timestamp_ns = stamp.as_ns();
    Handled::Stamped
}

/// Takes a trailer that was read from the whole packet out of both lengths.
fn cut(hdr: &mut abi::pfring_pkthdr, trailer_len: usize) {
    hdr.len = hdr.len.saturating_sub(trailer_len as u32);
    hdr.caplen = hdr.len;
}

/// pfring_handle_ixia_hw_timestamp. `utc_offset`: seconds east of UTC of the sender's clock.
pub fn handle_ixia(data: &[u8], hdr: &mut abi::pfring_pkthdr, utc_offset: i32) -> Handled {
    let Some(packet) = whole(data, hdr) else {
        return Handled::Incomplete;
    };
    match trailers::read_ixia(packet, utc_offset) {
        Some(stamp) => {
            cut(hdr, trailers::IXIA_LEN);
            set_stamp(hdr, &stamp)
        }
        None => Handled::NoStamp,
    }
}

/// pfring_handle_vss_apcon_hw_timestamp. `utc_offset`: seconds east of UTC of the sender's clock.
pub fn handle_vss_apcon(data: &[u8], hdr: &mut abi::pfring_pkthdr, utc_offset: i32) -> Handled {
    let read = |packet| trailers::read_vss_apcon(packet, utc_offset);
    match whole(data, hdr).and_then(read) {
        Some(stamp) => {
            cut(hdr, trailers::VSS_APCON_LEN);
            set_stamp(hdr, &stamp)
        }
        None => Handled::Incomplete,
    }
}

/// pfring_handle_metawatch_hw_timestamp; fills device_id and port_id too.
pub fn handle_metawatch(data: &[u8], hdr: &mut abi::pfring_pkthdr) -> Handled {
    let Some(found) = whole(data, hdr).and_then(trailers::read_metawatch) else {
        return Handled::Incomplete;
    };
    hdr.extended_hdr.device_id = found.device_id;
    hdr.extended_hdr.port_id = found.port_id;
    cut(hdr, trailers::METAWATCH_LEN);
    set_stamp(hdr, &found.stamp)
}

/// pfring_handle_arista_hw_timestamp (7150).
///
/// As long as no key frame was seen the trailer is cut off and the header keeps its stamp.
pub fn handle_arista_7150(
    data: &[u8],
    hdr: &mut abi::pfring_pkthdr,
    clock: &mut Arista7150,
) -> Handled {
    let Some(packet) = whole(data, hdr) else {
        return Handled::Incomplete;
    };
    if let Some(key) = trailers::read_arista_7150_key_frame(packet) {
        clock.set_key(key);
        return Handled::KeyFrame;
    }
    let Some(ticks) = trailers::read_arista_7150_ticks(packet) else {
        return Handled::Incomplete;
    };
    cut(hdr, trailers::ARISTA_7150_LEN);
    match clock.ns_at(ticks) {
        0 => Handled::Stamped,
        ns => set_stamp(hdr, &Stamp::from_ns(ns)),
    }
}

/// pfring_read_arista_7280_hw_timestamp: takes the stamp and leaves the lengths alone.
pub fn handle_arista_7280(data: &[u8], hdr: &mut abi::pfring_pkthdr) -> Handled {
    match trailers::read_arista_7280(present(data, hdr)) {
        Some(stamp) => set_stamp(hdr, &stamp),
        None => Handled::NoStamp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::ether;
    use crate::packet::samples::{ethernet, ipv4};

    fn header_for(frame: &[u8]) -> abi::pfring_pkthdr {
        let len = frame.len() as u32;
        abi::pfring_pkthdr {
            caplen: len,
            len,
            ..Default::default()
        }
    }

    /// 60 bytes and a MetaWatch trailer, whose last 12 bytes also read as one of VSS/APCON.
    fn stamped_frame() -> Vec<u8> {
        let mut frame = ethernet(0x88b5, &[0; 46]);
        frame.extend([0, 0, 0, 5, 0, 0, 0, 100, 0, 0, 0x10, 0, 0, 0x12, 0x34, 7]);
        frame
    }

    #[test]
    fn trailers_are_cut_off() {
        let frame = stamped_frame();
        let mut hdr = header_for(&frame);
        assert_eq!(handle_metawatch(&frame, &mut hdr), Handled::Stamped);
        assert_eq!(({ hdr.caplen }, { hdr.len }), (60, 60));
        assert_eq!(({ hdr.ts }.tv_sec, { hdr.ts }.tv_usec), (100, 4));
        let extended = hdr.extended_hdr;
        assert_eq!({ extended.timestamp_ns }, 100_000_004_096);
        assert_eq!(({ extended.device_id }, extended.port_id), (0x1234, 7));

        let mut hdr = header_for(&frame);
        assert_eq!(handle_vss_apcon(&frame, &mut hdr, 40), Handled::Stamped);
        assert_eq!(
            ({ hdr.caplen }, { hdr.len }, { hdr.ts }.tv_sec),
            (64, 64, 60)
        );

        let mut ixia = ethernet(0x88b5, &[0; 46]);
        ixia.extend([
            0, 0, 0, 0, 0, 100, 0, 0, 0x10, 0, 15, 0xaf, 0x12, 0, 0, 0, 0, 0, 0,
        ]);
        let mut hdr = header_for(&ixia);
        assert_eq!(handle_ixia(&ixia, &mut hdr, 0), Handled::Stamped);
        assert_eq!(({ hdr.len }, { hdr.ts }.tv_sec), (60, 100));
        let mut hdr = header_for(&frame);
        assert_eq!(handle_ixia(&frame, &mut hdr, 0), Handled::NoStamp);
        assert_eq!({ hdr.len }, 76);
    }

    #[test]
    fn arista_trailers() {
        let mut clock = Arista7150::new();
        let mut frame = ethernet(0x88b5, &[0; 46]);
        frame.extend([0, 0, 0x10, 0]);
        let mut hdr = header_for(&frame);
        hdr.extended_hdr.timestamp_ns = 5;
        assert_eq!(
            handle_arista_7150(&frame, &mut hdr, &mut clock),
            Handled::Stamped
        );
        assert_eq!(({ hdr.len }, { hdr.extended_hdr.timestamp_ns }), (60, 5));

        let mut key = ethernet(ether::IPV4, &ipv4(253, 1, 2, &[0; 46]));
        key[..6].fill(0xff);
        key[42..50].copy_from_slice(&2_000_000_000u64.to_be_bytes());
        let mut hdr = header_for(&key);
        assert_eq!(
            handle_arista_7150(&key, &mut hdr, &mut clock),
            Handled::KeyFrame
        );
        assert_eq!({ hdr.len }, 80);

        let mut hdr = header_for(&frame);
        assert_eq!(
            handle_arista_7150(&frame, &mut hdr, &mut clock),
            Handled::Stamped
        );
        assert_eq!(
            { hdr.extended_hdr.timestamp_ns },
            2_000_000_000 + (4096.0 * 2.857) as u64
        );

        let stamp = [0, 1, 0, 16, 0, 0, 0, 9, 0, 0, 0, 0, 8, 0];
        let frame = ethernet(ether::ARISTA_STAMP, &stamp);
        let mut hdr = header_for(&frame);
        hdr.len = 1000;
        assert_eq!(handle_arista_7280(&frame, &mut hdr), Handled::Stamped);
        assert_eq!(
            ({ hdr.caplen }, { hdr.len }, { hdr.ts }.tv_sec),
            (28, 1000, 9)
        );
        assert_eq!(
            handle_arista_7280(&key, &mut header_for(&key)),
            Handled::NoStamp
        );
    }

    #[test]
    fn a_cut_packet_has_no_trailer() {
        let frame = stamped_frame();
        let mut clock = Arista7150::new();
        for (data, len) in [
            (&frame[..], 77),
            (&frame[..70], 76),
            (&frame[..3], 3),
            (&[], 0),
        ] {
            let mut hdr = header_for(data);
            hdr.len = len;
            let untouched = format!("{hdr:?}");
            let ixia = handle_ixia(data, &mut hdr, 0);
            assert!(matches!(ixia, Handled::Incomplete | Handled::NoStamp));
            assert_eq!(handle_vss_apcon(data, &mut hdr, 0), Handled::Incomplete);
            assert_eq!(handle_metawatch(data, &mut hdr), Handled::Incomplete);
            assert_eq!(
                handle_arista_7150(data, &mut hdr, &mut clock),
                Handled::Incomplete
            );
            assert_eq!(format!("{hdr:?}"), untouched);
        }
        // The header says more than there is.
        let mut hdr = header_for(&frame);
        assert_eq!(
            handle_metawatch(&frame[..75], &mut hdr),
            Handled::Incomplete
        );
    }
}
