//! Several interfaces on one ring: one stream in the order of the stamps.

mod common;

use std::time::Duration;

use common::frame::monotonic_ns;
use common::sender::Sender;
use common::worker::stay_on;
use common::{Form, Lab, Open, Turn, Worker, backends, best_of_three, forms, within};

const SECOND: u32 = 10_000_000;
const LONG: Duration = Duration::from_secs(30);

forms! {
    two_interfaces_give_one_stream_in_order, full_two_interfaces_give_one_stream_in_order => in_order;
    a_lone_packet_does_not_wait_long, full_a_lone_packet_does_not_wait_long => lone;
}

fn in_order(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let rate = 100_000;
    let frames = form.pick(rate, rate * 10);
    // The BPF ring has one ring for all interfaces, in the order in which frames took their place.
    for backend in backends().into_iter().filter(|name| *name != Some("bpf")) {
        let ring = Open::on("vb,vd").backend(backend).enabled();
        let senders = [(lab.sender(), 0), (Sender::on(&lab.a, "vc"), SECOND)];
        let mut cpus = 0..2;
        let sending = senders.map(|(sender, first)| {
            // What a thread sends on two CPUs in turn may overtake itself in the kernel.
            let cpu = cpus.next().expect("two senders");
            Worker::start(move || {
                stay_on(cpu);
                sender.paced(first..first + frames, rate);
            })
        });
        let (mut first, mut second) = (0, SECOND);
        let mut last = 0;
        let mut late = 0;
        while first < frames || second < SECOND + frames {
            let got = ring.packet(LONG);
            let number = got.number();
            let next = if number < SECOND {
                &mut first
            } else {
                &mut second
            };
            assert_eq!(number, *next, "{backend:?}: each once, in order");
            *next += 1;
            let stamp = got.header.extended_hdr.timestamp_ns;
            late += u32::from(stamp < last);
            last = stamp;
        }
        for worker in sending {
            worker.finish(LONG);
        }
        assert_eq!(late, 0, "{backend:?}: frames out of order");
        assert_eq!((ring.empty(), ring.stats().drop), (0, 0), "{backend:?}");
    }
}

/// While the other interface is silent.
fn lone(form: Form) {
    let Some(lab) = Lab::quiet(Turn::Alone) else {
        return;
    };
    lab.second_pair();
    let sender = lab.sender();
    for wait in ["passive", "active"] {
        let ring = Open::on("vb,vd").wait(wait).enabled();
        best_of_three(|| {
            let mut worst = 0;
            for number in 0..form.pick(20, 200) {
                std::thread::sleep(Duration::from_millis(7));
                sender.number(number);
                let got = ring.recv(true);
                let mark = got.mark().expect("a numbered frame");
                assert_eq!(mark.number, number);
                worst = worst.max(monotonic_ns() - mark.sent_ns);
            }
            within("a lone packet", Duration::from_nanos(worst), form.ms(15))
        });
    }
}
