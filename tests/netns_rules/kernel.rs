//! Rules that the kernel carries out.

use std::time::Duration;

use crate::call::*;
use crate::common::frame::tagged;
use crate::common::lab::{ifindex, skip};
use crate::common::ring::{LONG_HEADER, TX_ONLY};
use crate::common::{Lab, Open, Turn, child};

/// What plain rules drop is dropped before it is queued, and still counted; a change of the rules, of the filter or
/// of the direction takes effect at once.
#[test]
fn the_kernel_drops_and_counts() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    if !may_load_programs() {
        skip("no BPF program can be loaded (CAP_BPF)");
        return;
    }
    // Slots show each frame at once.
    let ring = Open::on("vb")
        .flags(LONG_HEADER)
        .backend(Some("tpacket2"))
        .ring();
    let key = flow(DROP, 1, 53);
    assert_eq!(handle(&ring, &key, true), (0, 0));
    let mut by_vlan = rule(5, DROP, 0);
    by_vlan.core_fields.vlan_id = 7;
    by_vlan.core_fields.if_index = ifindex("vb");
    assert_eq!(add(&ring, &by_vlan), (0, 0));
    assert_eq!(add(&ring, &rule(9, DROP, 54)), (0, 0));
    ring.enable();
    let sender = lab.sender();
    let send = |frames: u32| {
        for _ in 0..frames {
            sender.send(&udp(1, 53));
            sender.send(&tagged(&udp(1, 60), &[(0x8100, 7)]));
            sender.send(&udp(1, 54));
        }
    };
    let counts = || {
        let rules = [5, 9].map(|id| rule_count(&ring, id).unwrap());
        [flow_count(&ring, &key).unwrap(), rules[0], rules[1]]
    };
    send(10);
    assert_eq!(ring.available(), 0, "nothing was queued");
    assert_eq!(counts(), [(10, 10, 0); 3]);
    sender.send(&udp(1, 55));
    assert_ports(&ring, &[55]);
    // A rule that the kernel cannot test comes first: all of them are tried here.
    let mut odd = rule(1, CONTINUE, 0);
    odd.balance_pool = 1;
    assert_eq!(add(&ring, &odd), (0, 0));
    send(10);
    assert_eq!(ring.available(), 1);
    assert_ports(&ring, &[]);
    assert_eq!(counts(), [(20, 20, 0); 3]);
    assert_eq!(remove(&ring, 1), (0, 0));
    // So they are while a filter has to look first.
    assert_eq!(ring.set_bpf_filter("udp port 54"), 0);
    send(10);
    assert_ports(&ring, &[]);
    assert_eq!(counts(), [(20, 20, 0), (20, 20, 0), (30, 30, 0)]);
    assert_eq!(ring.remove_bpf_filter(), 0);
    assert_eq!(handle(&ring, &key, false), (0, 0));
    send(1);
    assert_ports(&ring, &[53]);
    policy(&ring, false);
    sender.send(&udp(1, 99));
    assert_eq!(ring.available(), 0);
    assert_eq!(ring.set_direction(TX_ONLY), 0);
    send(1);
    let after = [5, 9].map(|id| rule_count(&ring, id).unwrap().0);
    assert_eq!(after, [21, 31], "what came in is not of this direction");
}

/// Whether this process may load BPF programs: a map is made, and given back.
fn may_load_programs() -> bool {
    // Kind (array), bytes of a key and of a value, elements.
    let attr: [u32; 5] = [2, 4, 4, 1, 0];
    // SAFETY: BPF_MAP_CREATE reads the attributes, which outlive the call.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, 0, attr.as_ptr(), size_of_val(&attr)) };
    if fd >= 0 {
        // SAFETY: the descriptor has just been given to us.
        unsafe { libc::close(fd as i32) };
    }
    fd >= 0
}

/// Without the right to load programs all is the same, only slower: counts, verdicts.
#[test]
fn rules_need_no_right_but_that_to_capture() {
    const TEST: &str = "rules_need_no_right_but_that_to_capture";
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    if child::role().is_none() {
        drop(lab);
        child::passes(TEST, "user");
        return;
    }
    let ring = Open::on("vb").flags(LONG_HEADER).ring();
    let sender = lab.sender();
    child::become_user(1 << 13);
    // This process can no longer go back to where it came from.
    let _lab = std::mem::ManuallyDrop::new(lab);
    assert!(!may_load_programs());
    assert_eq!(add(&ring, &rule(9, DROP, 54)), (0, 0));
    assert_eq!(handle(&ring, &flow(DROP, 1, 53), true), (0, 0));
    ring.enable();
    for dport in [53, 54, 55] {
        sender.send(&udp(1, dport));
    }
    assert_ports(&ring, &[55]);
    assert_eq!(rule_count(&ring, 9), Ok((1, 1, 0)));
    assert_eq!(flow_count(&ring, &flow(DROP, 1, 53)), Ok((1, 1, 0)));
}

/// A ring that turns from blocks to slots while packets come counts each of them once.
#[test]
fn a_ring_that_turns_counts_once() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", None);
    assert_eq!(add(&ring, &rule(9, DROP, 54)), (0, 0));
    let sender = lab.sender();
    let mut sent = 0;
    let send = |frames: u64| {
        for _ in 0..frames {
            sender.send(&udp(1, 54));
            std::thread::sleep(Duration::from_micros(200));
            assert_eq!(ring.recv(false).rc, 0);
        }
        frames
    };
    sent += send(100);
    assert_eq!(ring.set_poll_watermark(1), 0);
    sent += send(1_000);
    sender.send(&udp(1, 55));
    assert_ports(&ring, &[55]);
    assert_eq!(rule_count(&ring, 9), Ok((sent, sent, 0)));
    // Once the old ring is done, what took over leaves the rules to the kernel again.
    for _ in 0..100 {
        assert_eq!(ring.recv(false).rc, 0);
        std::thread::sleep(Duration::from_millis(2));
    }
    sender.send(&udp(1, 54));
    assert_eq!(ring.available(), i32::from(!may_load_programs()));
    sent += send(100);
    assert_eq!(rule_count(&ring, 9), Ok((sent + 1, sent + 1, 0)));
}

/// With more flows than the kernel's map holds all rules are judged here from then on, and no count is lost.
#[test]
fn more_flows_than_the_kernel_takes() {
    let Some(lab) = Lab::quiet(Turn::Shared) else {
        return;
    };
    let ring = receiving("vb", Some("tpacket2"));
    let numbered = |number: u32| {
        let mut key = flow(FORWARD, 1, 53);
        key.host_peer_a = pfring::abi::ip_addr::from_v4(number);
        key
    };
    let key = flow(DROP, 1, 53);
    assert_eq!(handle(&ring, &key, true), (0, 0));
    assert_eq!(add(&ring, &rule(9, DROP, 54)), (0, 0));
    let sender = lab.sender();
    let send = || {
        for dport in [53, 54, 55] {
            sender.send(&udp(1, dport));
        }
        assert_ports(&ring, &[55]);
    };
    send();
    for number in 1..=66_000 {
        assert_eq!(handle(&ring, &numbered(number), true), (0, 0));
    }
    sender.send(&udp(1, 53));
    assert_eq!(ring.available(), 1, "it is judged here");
    send();
    assert_eq!(flow_count(&ring, &key), Ok((3, 3, 0)));
    assert_eq!(rule_count(&ring, 9), Ok((2, 2, 0)));
    for number in [1, 66_000] {
        assert_eq!(handle(&ring, &numbered(number), false), (0, 0));
        assert_eq!(handle(&ring, &numbered(number), false), (-1, libc::EPERM));
    }
}
