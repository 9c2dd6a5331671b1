//! Damaged and random files: no panic, no endless loop, an end that lasts.

use proptest::prelude::*;

use super::*;

/// Reads to the end, whatever it is: never more packets than fit the file, and a lasting end.
fn survives(bytes: &[u8]) {
    let Ok(mut rx) = open(bytes) else { return };
    let mut packets = 0;
    let end = loop {
        match rx.next() {
            Ok(frame) => {
                let frame = copied(&frame.unwrap());
                assert!(
                    frame.bytes.len() <= bytes.len() && frame.len as usize >= frame.bytes.len()
                );
                packets += 1;
                assert!(packets <= bytes.len() / 16);
            }
            Err(end) => break end,
        }
        if packets % 3 == 0 {
            rx.release();
        }
    };
    assert!(matches!(end, Error::EndOfFile | Error::BadFile(_)));
    let again = rx.next().unwrap_err();
    assert_eq!(std::mem::discriminant(&end), std::mem::discriminant(&again));
}

/// A valid file of each kind, for damaging.
fn valid(kind: usize, order: Order) -> Vec<u8> {
    match kind {
        0 => three_packets(order, MICRO),
        1 => three_packets(order, NANO),
        _ => [
            two_interfaces(order),
            order.simple(7, &[7; 7]),
            order.old_packet(1, 5, 9, &[8; 9]),
            order.block(5, &[0; 12]),
        ]
        .concat(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn damaged_files_never_crash_nor_loop(
        kind in 0usize..3,
        big: bool,
        damage in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![
                any::<u8>(), Just(0), Just(0xff), Just(4), Just(12), Just(0x80),
            ]),
            1..6,
        ),
        cut in any::<prop::sample::Index>(),
        whole: bool,
    ) {
        let mut bytes = valid(kind, Order { big });
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if !whole {
            bytes.truncate(cut.index(bytes.len()));
        }
        survives(&bytes);
    }

    #[test]
    fn random_bytes_never_crash_nor_loop(
        start in 0usize..7,
        random in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let start = match start {
            0 => Vec::new(),
            1 | 2 => BOTH[start - 1].pcap_header(MICRO, 1),
            3 | 4 => BOTH[start - 3].section(),
            _ => [BOTH[start - 5].section(), BOTH[start - 5].interface(1, 0, &[])].concat(),
        };
        survives(&[start, random].concat());
    }
}
