//! Makes capture files byte by byte, in both byte orders.

/// Numbers in one byte order.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) big: bool,
}

pub(super) const BOTH: [Order; 2] = [Order { big: false }, Order { big: true }];
pub(super) const LITTLE: Order = BOTH[0];

impl Order {
    pub(super) fn u16(self, value: u16) -> [u8; 2] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub(super) fn u32(self, value: u32) -> [u8; 4] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub(super) fn pcap_header(self, magic: u32, link_type: u32) -> Vec<u8> {
        let mut bytes = self.u32(magic).to_vec();
        bytes.extend(self.u16(2));
        bytes.extend(self.u16(4));
        for field in [0, 0, 262_144, link_type] {
            bytes.extend(self.u32(field));
        }
        bytes
    }

    pub(super) fn record(self, seconds: u32, fraction: u32, len: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in [seconds, fraction, data.len() as u32, len] {
            bytes.extend(self.u32(field));
        }
        bytes.extend(data);
        bytes
    }

    pub(super) fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let padding = body.len().next_multiple_of(4) - body.len();
        let size = self.u32((12 + body.len() + padding) as u32);
        [&self.u32(kind)[..], &size, body, &[0; 3][..padding], &size].concat()
    }

    pub(super) fn section(self) -> Vec<u8> {
        let body = [
            &self.u32(0x1a2b_3c4d)[..],
            &self.u16(1),
            &self.u16(0),
            &[0xff; 8],
        ]
        .concat();
        self.block(0x0a0d_0d0a, &body)
    }

    pub(super) fn interface(
        self,
        link_type: u16,
        snaplen: u32,
        options: &[(u16, &[u8])],
    ) -> Vec<u8> {
        let mut body = [&self.u16(link_type)[..], &[0; 2], &self.u32(snaplen)].concat();
        for (code, value) in options {
            body.extend(self.u16(*code));
            body.extend(self.u16(value.len() as u16));
            body.extend(*value);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        self.block(1, &body)
    }

    pub(super) fn enhanced(self, id: u32, units: u64, len: u32, data: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        for field in [
            id,
            (units >> 32) as u32,
            units as u32,
            data.len() as u32,
            len,
        ] {
            body.extend(self.u32(field));
        }
        body.extend(data);
        self.block(6, &body)
    }

    pub(super) fn simple(self, len: u32, data: &[u8]) -> Vec<u8> {
        self.block(3, &[&self.u32(len), data].concat())
    }

    pub(super) fn old_packet(self, id: u16, units: u64, len: u32, data: &[u8]) -> Vec<u8> {
        let mut body = [self.u16(id), self.u16(3)].concat();
        for field in [(units >> 32) as u32, units as u32, data.len() as u32, len] {
            body.extend(self.u32(field));
        }
        body.extend(data);
        self.block(2, &body)
    }
}

pub(super) const MICRO: u32 = 0xa1b2_c3d4;
pub(super) const NANO: u32 = 0xa1b2_3c4d;

pub(super) fn three_packets(order: Order, magic: u32) -> Vec<u8> {
    [
        order.pcap_header(magic, 1),
        order.record(1_700_000_000, 123_456, 60, &[0xaa; 60]),
        order.record(1_700_000_001, 0, 1500, &[0xbb; 13]),
        order.record(u32::MAX, 999_999, 64, &(0..64).collect::<Vec<u8>>()),
    ]
    .concat()
}

/// A section with two interfaces, one in nanoseconds, and a packet on each.
pub(super) fn two_interfaces(order: Order) -> Vec<u8> {
    [
        order.section(),
        order.interface(1, 0, &[]),
        order.interface(1, 0xffff_ffff, &[(2, b"eth1"), (9, &[9]), (0, &[])]),
        order.enhanced(0, 1_700_000_000_000_001, 60, &[1; 60]),
        order.enhanced(1, 1_700_000_000_123_456_789, 1514, &[2; 61]),
    ]
    .concat()
}
