//! Walks over rings that the test writes in the kernel's place.

use libc::{sockaddr_ll, tpacket3_hdr};

use super::*;
use crate::backend::{AnyFrame, Checksum, FrameDirection};

const BLOCK: usize = 4096;
const BLOCKS: usize = 4;
const MAC_AT: usize = 96;

/// What the kernel would note of a frame.
#[derive(Clone)]
struct Packet {
    bytes: Vec<u8>,
    wire_len: u32,
    ns: u32,
    status: u32,
    tci: u16,
    tpid: u16,
    outgoing: bool,
}

fn packet(bytes: &[u8], ns: u32) -> Packet {
    Packet {
        bytes: bytes.to_vec(),
        wire_len: bytes.len() as u32,
        ns,
        status: 0,
        tci: 0,
        tpid: 0,
        outgoing: false,
    }
}

/// A ring in memory, aligned as the kernel aligns it.
struct Ring {
    memory: Vec<u64>,
}

impl Ring {
    fn new() -> Self {
        Self {
            memory: vec![0; BLOCK * BLOCKS / 8],
        }
    }

    fn walk(&mut self, snaplen: u32) -> Walk {
        let base = NonNull::new(self.memory.as_mut_ptr().cast()).unwrap();
        // SAFETY: the memory outlives the walk in every test, and is aligned for u64.
        unsafe { Walk::new(base, BLOCK, BLOCKS, snaplen) }
    }

    fn put<T>(&mut self, block: usize, offset: usize, value: T) {
        assert!(offset + size_of::<T>() <= BLOCK);
        // SAFETY: the place lies in the memory.
        unsafe {
            let base = self.memory.as_mut_ptr().cast::<u8>();
            base.add(block * BLOCK + offset)
                .cast::<T>()
                .write_unaligned(value);
        }
    }

    fn word(&self, block: usize, offset: usize) -> u32 {
        // SAFETY: as in `put`.
        unsafe {
            self.memory
                .as_ptr()
                .cast::<u8>()
                .add(block * BLOCK + offset)
                .cast::<u32>()
                .read()
        }
    }

    fn is_ours(&self, block: usize) -> bool {
        self.word(block, STATUS_OFFSET) & libc::TP_STATUS_USER != 0
    }

    /// Closes a block with these frames.
    fn close(&mut self, block: usize, packets: &[Packet]) {
        let mut offset = size_of::<tpacket_block_desc>().next_multiple_of(16);
        self.put(block, FIRST_OFFSET, offset as u32);
        self.put(block, COUNT_OFFSET, packets.len() as u32);
        for packet in packets {
            // SAFETY: plain integers; zero is valid.
            let mut header: tpacket3_hdr = unsafe { std::mem::zeroed() };
            let size = (MAC_AT + packet.bytes.len()).next_multiple_of(16);
            header.tp_next_offset = size as u32;
            header.tp_sec = 7;
            header.tp_nsec = packet.ns;
            header.tp_snaplen = packet.bytes.len() as u32;
            header.tp_len = packet.wire_len;
            header.tp_status = packet.status;
            header.tp_mac = MAC_AT as u16;
            header.hv1.tp_vlan_tci = u32::from(packet.tci);
            header.hv1.tp_vlan_tpid = packet.tpid;
            // SAFETY: as above.
            let mut address: sockaddr_ll = unsafe { std::mem::zeroed() };
            address.sll_ifindex = 9;
            address.sll_pkttype = if packet.outgoing {
                libc::PACKET_OUTGOING
            } else {
                0
            };
            self.put(block, offset, header);
            self.put(block, offset + size_of::<tpacket3_hdr>(), address);
            for (index, byte) in packet.bytes.iter().enumerate() {
                self.put(block, offset + MAC_AT + index, *byte);
            }
            offset += size;
        }
        self.put(block, STATUS_OFFSET, libc::TP_STATUS_USER);
    }
}

fn bytes(frame: &Frame) -> Vec<u8> {
    // SAFETY: the tests look at a frame before they release it.
    unsafe { frame.bytes() }.to_vec()
}

#[test]
fn frames_come_in_order_and_blocks_go_back_once_read() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    assert!(walk.next().is_none() && !walk.available() && walk.queued() == 0);
    ring.close(0, &[packet(&[1; 60], 10), packet(&[2; 61], 20)]);
    ring.close(1, &[packet(&[3; 62], 30)]);
    assert!(walk.available());
    assert_eq!((walk.queued(), walk.next_time()), (3, Some(7_000_000_010)));

    let first = walk.next().unwrap();
    assert_eq!(
        (bytes(&first), first.len, first.stamp.to_ns()),
        (vec![1; 60], 60, 7_000_000_010)
    );
    assert_eq!(
        (first.ifindex, first.direction),
        (9, FrameDirection::Received)
    );
    walk.release();
    assert!(ring.is_ours(0), "the block has a frame left");
    assert_eq!(walk.queued(), 2);

    let second = walk.next().unwrap();
    assert_eq!(bytes(&second), [2; 61]);
    assert!(ring.is_ours(0), "the frame is held");
    assert_eq!(walk.next_time(), Some(7_000_000_030));
    walk.release();
    assert!(!ring.is_ours(0) && ring.is_ours(1));

    assert_eq!(bytes(&walk.next().unwrap()), [3; 62]);
    assert!(walk.next().is_none());
    walk.release();
    assert!(!ring.is_ours(1));
    assert_eq!(
        bytes(&second)[..],
        [2; 61],
        "bytes stay until the ring comes round"
    );
}

#[test]
fn frames_of_several_blocks_are_held_together() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    for block in 0..BLOCKS {
        ring.close(block, &[packet(&[block as u8; 60], block as u32)]);
    }
    let held: Vec<Frame> = std::iter::from_fn(|| walk.next()).collect();
    assert_eq!(
        held.len(),
        BLOCKS,
        "no block is read twice while all are held"
    );
    assert!(!walk.available() && walk.queued() == 0);
    for (block, frame) in held.iter().enumerate() {
        assert_eq!(bytes(frame), [block as u8; 60]);
        assert!(ring.is_ours(block));
    }
    walk.release();
    assert!((0..BLOCKS).all(|block| !ring.is_ours(block)));
    ring.close(0, &[packet(&[9; 60], 1)]);
    assert_eq!(bytes(&walk.next().unwrap()), [9; 60]);
}

#[test]
fn an_empty_block_is_stepped_over() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(0, &[]);
    ring.close(1, &[packet(&[5; 60], 1)]);
    assert_eq!(bytes(&walk.next().unwrap()), [5; 60]);
    walk.release();
    assert!(!ring.is_ours(0) && !ring.is_ours(1));
}

#[test]
fn a_moved_tag_is_put_back_with_its_own_type() {
    let plain: Vec<u8> = (0..56).collect();
    for (status, tpid, expected) in [
        (libc::TP_STATUS_VLAN_VALID, 0, 0x8100u16),
        (
            libc::TP_STATUS_VLAN_VALID | libc::TP_STATUS_VLAN_TPID_VALID,
            0x88a8,
            0x88a8,
        ),
    ] {
        let mut ring = Ring::new();
        let mut walk = ring.walk(1500);
        let tagged = Packet {
            status,
            tpid,
            tci: 0x6064,
            ..packet(&plain, 1)
        };
        ring.close(0, &[tagged, packet(&plain, 2)]);
        let frame = walk.next().unwrap();
        let mut wanted = plain[..12].to_vec();
        wanted.extend(expected.to_be_bytes());
        wanted.extend([0x60, 0x64]);
        wanted.extend(&plain[12..]);
        assert_eq!(bytes(&frame), wanted);
        assert_eq!(
            (frame.caplen, frame.len, frame.moved_tci),
            (60, 60, Some(0x6064))
        );
        let next = walk.next().unwrap();
        assert_eq!((bytes(&next), next.moved_tci), (plain.clone(), None));
    }
}

/// Presence is the validity flag, not the value: a tag of zero is a tag.
#[test]
fn a_tag_of_zero_is_a_tag() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    let tagged = Packet {
        status: libc::TP_STATUS_VLAN_VALID,
        ..packet(&[7; 60], 1)
    };
    ring.close(
        0,
        &[
            tagged,
            Packet {
                tci: 5,
                ..packet(&[7; 60], 1)
            },
        ],
    );
    assert_eq!(walk.next().unwrap().moved_tci, Some(0));
    assert_eq!(walk.next().unwrap().moved_tci, None);
}

#[test]
fn the_snap_length_counts_the_tag() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(60);
    let tagged = Packet {
        status: libc::TP_STATUS_VLAN_VALID,
        wire_len: 1000,
        ..packet(&[7; 60], 1)
    };
    ring.close(0, &[tagged]);
    let frame = walk.next().unwrap();
    assert_eq!((frame.caplen, frame.len), (60, 1004));
}

#[test]
fn direction_and_checksums_are_told() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(
        0,
        &[
            Packet {
                outgoing: true,
                status: libc::TP_STATUS_CSUMNOTREADY,
                ..packet(&[1; 60], 1)
            },
            Packet {
                status: libc::TP_STATUS_CSUM_VALID,
                ..packet(&[1; 60], 1)
            },
        ],
    );
    let sent = walk.next().unwrap();
    assert_eq!(
        (sent.direction, sent.checksum),
        (FrameDirection::Sent, Checksum::NOT_READY)
    );
    let received = walk.next().unwrap();
    assert_eq!(
        (received.direction, received.checksum),
        (FrameDirection::Received, Checksum::VALID)
    );
}

/// Offsets and lengths that point out of the block end the block, and nothing is read there.
#[test]
fn headers_that_cannot_be_true_end_the_block() {
    type Damage = fn(&mut Ring, usize);
    let first = size_of::<tpacket_block_desc>().next_multiple_of(16);
    let damages: [Damage; 5] = [
        |ring, _| ring.put(0, FIRST_OFFSET, BLOCK as u32 - 8),
        |ring, _| ring.put(0, FIRST_OFFSET, u32::MAX),
        |ring, at| ring.put(0, at + offset_of!(tpacket3_hdr, tp_mac), u16::MAX),
        |ring, at| ring.put(0, at + offset_of!(tpacket3_hdr, tp_mac), 8u16),
        |ring, at| ring.put(0, at + offset_of!(tpacket3_hdr, tp_snaplen), u32::MAX),
    ];
    for damage in damages {
        let mut ring = Ring::new();
        let mut walk = ring.walk(1500);
        ring.close(0, &[packet(&[1; 60], 1), packet(&[1; 60], 2)]);
        ring.close(1, &[packet(&[2; 60], 3)]);
        damage(&mut ring, first);
        assert_eq!(bytes(&walk.next().unwrap()), [2; 60]);
        walk.release();
        assert!(!ring.is_ours(0));
    }
    // A count that is too large runs into frames that are not there.
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(0, &[packet(&[1; 60], 1)]);
    ring.put(0, COUNT_OFFSET, u32::MAX);
    let frames = std::iter::from_fn(|| walk.next()).count();
    assert!(frames <= BLOCK / 16);
}

/// All that a header says of a frame, and its bytes.
fn told(frame: &impl AnyFrame) -> String {
    // SAFETY: the tests look at a frame before they release it.
    let bytes = unsafe { frame.bytes() }.to_vec();
    let len = frame.wire_len();
    assert_eq!(frame.lengths(), [bytes.len() as u32, len]);
    let way = (frame.ifindex(), frame.direction(), frame.checksum());
    format!(
        "{bytes:?} {len} {:?} {way:?} {:?}",
        frame.stamp(),
        frame.moved_tci()
    )
}

/// A block of frames of all kinds, the odd ones tagged, longer than the snap length or sent.
fn mixed_block() -> Vec<Packet> {
    (0..12u8)
        .map(|i| Packet {
            status: match i % 4 {
                1 => libc::TP_STATUS_CSUMNOTREADY,
                2 => libc::TP_STATUS_CSUM_VALID,
                3 => libc::TP_STATUS_VLAN_VALID,
                _ => 0,
            },
            tci: i.into(),
            wire_len: 1000 + u32::from(i),
            outgoing: i % 3 == 0,
            ..packet(&vec![i; 60 + usize::from(i)], i.into())
        })
        .collect()
}

#[test]
fn frames_of_runs_are_those_of_the_walk() {
    for snaplen in [1500, 66] {
        let mut plain = Ring::new();
        let mut lending = Ring::new();
        for ring in [&mut plain, &mut lending] {
            ring.close(0, &mixed_block());
            ring.close(1, &mixed_block());
        }
        let mut walk = plain.walk(snaplen);
        let wanted: Vec<_> = std::iter::from_fn(|| walk.next())
            .map(|frame| told(&frame))
            .collect();
        assert_eq!(wanted.len(), 24);

        let mut walk = lending.walk(snaplen);
        let mut run = Run::EMPTY;
        let (mut got, mut by_run) = (Vec::new(), 0);
        loop {
            // SAFETY: the frame is looked at before the walk releases it.
            if let Some(frame) = unsafe { run.take_plain() } {
                got.push(told(&frame));
                by_run += 1;
                continue;
            }
            if run.is_lent() {
                walk.return_run(std::mem::replace(&mut run, Run::EMPTY));
            }
            assert_eq!(walk.queued() as usize, wanted.len() - got.len());
            walk.release();
            let Some(frame) = walk.next() else { break };
            got.push(told(&frame));
            run = walk.lend_run();
        }
        assert_eq!(got, wanted, "snap length {snaplen}");
        assert!(by_run >= 6, "{by_run} of 24 by a run");
    }
}

/// The last frame of a block is not lent: a frame is always left to be seen as available, and its block
/// is given back by the walk.
#[test]
fn a_run_leaves_the_last_frame_to_the_walk() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(0, &[packet(&[1; 60], 1), packet(&[2; 60], 2)]);
    assert!(walk.next().is_some());
    assert!(!walk.lend_run().is_lent(), "only one is left");

    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    let three = [1u8, 2, 3].map(|i| packet(&[i; 60], i.into()));
    ring.close(0, &three);
    assert!(walk.next().is_some());
    let mut run = walk.lend_run();
    assert!(run.take_any().is_some() && run.take_any().is_none());
    walk.return_run(run);
    assert_eq!(walk.queued(), 1);
    assert_eq!(bytes(&walk.next().unwrap()), [3; 60]);
    walk.release();
    assert!(!ring.is_ours(0));
}

#[test]
fn no_run_is_lent_while_blocks_wait_to_be_given_back() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(0, &[packet(&[1; 60], 1)]);
    ring.close(1, &mixed_block());
    assert!(walk.next().is_some() && walk.next().is_some());
    assert!(!walk.lend_run().is_lent(), "the first block is held");
    walk.release();
    assert!(walk.lend_run().is_lent());
}

#[test]
fn a_run_stops_at_a_header_that_cannot_be_true() {
    let first_word = size_of::<tpacket_block_desc>().next_multiple_of(16);
    for (offset, word) in [
        (offset_of!(tpacket3_hdr, tp_snaplen), BLOCK as u32),
        (offset_of!(tpacket3_hdr, tp_next_offset), 2 * BLOCK as u32),
        (offset_of!(tpacket3_hdr, tp_next_offset), u32::MAX),
    ] {
        let mut ring = Ring::new();
        let mut walk = ring.walk(1500);
        let packets = [1u8, 2, 3, 4].map(|i| packet(&[i; 60], i.into()));
        ring.close(0, &packets);
        let second = first_word + (MAC_AT + 60).next_multiple_of(16);
        ring.put(0, second + offset, word);
        assert!(walk.next().is_some());
        let mut run = walk.lend_run();
        let taken = std::iter::from_fn(|| run.take_any()).count();
        assert!(taken <= 1, "{offset}: {taken}");
        walk.return_run(run);
        assert!(walk.next().is_none(), "{offset}: the block is given up");
    }
}

/// Found by the fuzzer: the note of a length that no frame can have.
#[test]
fn a_wire_length_that_cannot_be_is_no_panic() {
    let mut ring = Ring::new();
    let mut walk = ring.walk(1500);
    ring.close(
        0,
        &[Packet {
            wire_len: u32::MAX,
            status: libc::TP_STATUS_VLAN_VALID,
            tci: 5,
            ..packet(&[1; 60], 10)
        }],
    );
    let frame = walk.next().unwrap();
    assert_eq!((frame.caplen, frame.moved_tci), (64, Some(5)));
}

/// What comes after the next frame is seen where the block has it, and untagged.
#[test]
fn a_glimpse_of_the_frame_after_the_next() {
    let mut ring = Ring::new();
    ring.close(0, &mixed_block());
    let mut walk = ring.walk(1500);
    assert!(walk.glimpse().is_none(), "no block is open");
    for i in 0..12u8 {
        walk.next().expect("a frame");
        // SAFETY: nothing is taken or released while the bytes are looked at.
        let seen = walk.glimpse().map(|seen| unsafe { seen.bytes() }.to_vec());
        let second = i + 2;
        let expected =
            (second < 12 && second % 4 != 3).then(|| vec![second; 60 + usize::from(second)]);
        assert_eq!(seen, expected, "after frame {i}");
    }
}
