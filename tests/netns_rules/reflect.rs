//! Rules that send packets on.

use pfring::abi;

use crate::call::*;
use crate::common::frame::{DST, SRC, tagged};
use crate::common::ring::LONG_HEADER;
use crate::common::{Lab, Open, Turn, backends};

#[test]
fn packets_are_sent_on() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    lab.second_pair();
    for backend in backends() {
        let far = lab.a.run(|| receiving("vc", None));
        let ring = receiving("vb", backend);
        let to = |mut rule: abi::filtering_rule, device| {
            rule.reflector_device_name = named(device);
            rule
        };
        for device in ["", "nosuch", "vb"] {
            let refused = add(&ring, &to(rule(1, REFLECT, 53), device));
            assert_eq!(refused, (-1, libc::EFAULT), "{device:?}");
        }
        assert_eq!(add(&ring, &to(rule(1, REFLECT, 53), "vd")), (0, 0));
        assert_eq!(add(&ring, &to(rule(2, REFLECT_ON, 54), "vd")), (0, 0));
        assert_eq!(add(&ring, &to(rule(3, BOUNCE, 55), "vd")), (0, 0));
        let mut by_flow = flow(REFLECT, 1, 56);
        by_flow.reflector_device_name = named("vd");
        assert_eq!(handle(&ring, &by_flow, true), (0, 0));
        let sender = lab.sender();
        let with_tag = tagged(&udp(1, 53), &[(0x8100, 5)]);
        for frame in [
            &udp(1, 53),
            &udp(1, 54),
            &udp(1, 55),
            &udp(1, 56),
            &with_tag,
        ] {
            sender.send(frame);
        }
        assert_ports(&ring, &[54]);
        for dport in [53, 54] {
            assert_eq!(far.packet(SOON).bytes(), udp(1, dport));
        }
        let got = far.packet(SOON);
        assert_eq!(
            (&got.bytes()[..6], &got.bytes()[6..12]),
            (&SRC[..], &DST[..])
        );
        assert_eq!(&got.bytes()[12..], &udp(1, 55)[12..]);
        assert_eq!(far.packet(SOON).bytes(), udp(1, 56));
        assert_eq!(far.packet(SOON).bytes(), with_tag);
        assert_eq!(far.empty(), 0);
        assert_eq!(rule_count(&ring, 1), Ok((2, 2, 0)));
        assert_eq!(rule_count(&ring, 2), Ok((1, 0, 0)));
    }
}

/// A packet that is bounced by the ring's own interface leaves it once, although the ring sees what is sent.
#[test]
fn the_rings_own_interface_may_bounce() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let near = lab.a.run(|| receiving("va", None));
    let ring = Open::on("vb").flags(LONG_HEADER).enabled();
    let mut bounce = rule(1, BOUNCE, 53);
    bounce.bidirectional = 1;
    bounce.reflector_device_name = named("vb");
    assert_eq!(add(&ring, &bounce), (0, 0));
    lab.sender().send(&udp(1, 53));
    lab.sender().send(&udp(1, 54));
    assert_ports(&ring, &[54]);
    let got = near.packet(SOON);
    assert_eq!(
        (&got.bytes()[..6], &got.bytes()[6..12]),
        (&SRC[..], &DST[..])
    );
    assert_ports(&near, &[]);
    assert_eq!(rule_count(&ring, 1), Ok((1, 1, 0)));
}
