//! The part of a cluster's program that looks into tunnels: GRE, GTP-U, VXLAN, IP in IP, MPLS.

use super::asm::{Asm, LD_B, LD_H, LD_W, Label};
use super::program::{L3, OUTER, TEMP, TYPE, skip_tags};
use crate::packet::ether;
use crate::packet::ip::{GRE, IPV4_INSIDE, IPV6_INSIDE, UDP};
use crate::packet::tunnel::{GTP_C_PORT, GTP_U_PORT, VXLAN_PORT};

/// How often an extension header of GTP and a label are looked for.
const GTP_EXTENSIONS: usize = 4;
const LABELS: usize = 9;
/// Words of memory that only this part uses.
const FLAGS: u32 = 14;
const NEXT: u32 = 15;

/// Finds what is inside GRE, GTP-U, VXLAN or IP: L3 and TYPE become those of the inner packet, and it goes on at
/// `found`; at `none` there is nothing.
pub(super) fn open_tunnel(asm: &mut Asm, found: Label, none: Label) {
    let (gre_, udp, inside) = (asm.label(), asm.label(), asm.label());
    asm.get(OUTER.proto());
    asm.when(libc::BPF_JEQ, GRE.into(), gre_);
    asm.when(libc::BPF_JEQ, UDP.into(), udp);
    for (proto, eth_type) in [(IPV4_INSIDE, ether::IPV4), (IPV6_INSIDE, ether::IPV6)] {
        let other = asm.label();
        asm.unless(libc::BPF_JEQ, proto.into(), other);
        asm.set(eth_type.into());
        asm.put(TYPE);
        asm.jump(inside);
        asm.bind(other);
    }
    asm.jump(none);
    asm.bind(inside);
    asm.get(OUTER.l4());
    asm.put(L3);
    asm.jump(found);
    asm.bind(gre_);
    gre(asm, none);
    asm.jump(found);
    asm.bind(udp);
    in_udp(asm, found, none);
}

fn gre(asm: &mut Asm, none: Label) {
    const VERSION: u32 = 0x0007;
    asm.need(OUTER.l4(), 4, none);
    asm.at_x(LD_H, 0);
    asm.put(FLAGS);
    asm.when(libc::BPF_JSET, VERSION, none);
    asm.at_x(LD_H, 2);
    asm.put(TYPE);
    asm.get(OUTER.l4());
    asm.alu(libc::BPF_ADD, 4);
    asm.put(L3);
    // Checksum and routing share a word; then the key; then the sequence number.
    for bit in [0xc000, 0x2000, 0x1000] {
        let absent = asm.label();
        asm.get(FLAGS);
        asm.unless(libc::BPF_JSET, bit, absent);
        asm.set(4);
        asm.add_to(L3);
        asm.bind(absent);
    }
}

fn in_udp(asm: &mut Asm, found: Label, none: Label) {
    let (user, not_gtp, gtp_c) = (asm.label(), asm.label(), asm.label());
    asm.need(OUTER.l4(), 8, none);
    for port in [0, 2] {
        asm.at_x(LD_H, port);
        asm.when(libc::BPF_JEQ, GTP_U_PORT.into(), user);
    }
    for port in [0, 2] {
        asm.at_x(LD_H, port);
        asm.when(libc::BPF_JEQ, GTP_C_PORT.into(), gtp_c);
    }
    asm.jump(not_gtp);
    asm.bind(gtp_c);
    asm.jump(none);
    asm.bind(not_gtp);
    asm.at_x(LD_H, 2);
    asm.unless(libc::BPF_JEQ, VXLAN_PORT.into(), none);
    vxlan(asm, none);
    asm.jump(found);
    asm.bind(user);
    gtp(asm, none);
    type_of_version(asm, none);
    asm.jump(found);
}

fn vxlan(asm: &mut Asm, none: Label) {
    const HAS_VNI: u32 = 0x08;
    asm.need(OUTER.l4(), 8 + 8 + ether::HEADER_LEN as u32, none);
    asm.at_x(LD_B, 8);
    asm.unless(libc::BPF_JSET, HAS_VNI, none);
    asm.at_x(LD_H, 8 + 8 + 12);
    asm.put(TYPE);
    asm.set(8 + 8 + ether::HEADER_LEN as u32);
    asm.add_x();
    asm.put(L3);
    skip_tags(asm);
}

/// L3 = behind GTP's header, its options and extension headers.
fn gtp(asm: &mut Asm, none: Label) {
    const G_PDU: u32 = 255;
    let done = asm.label();
    asm.need(OUTER.l4(), 16, none);
    asm.at_x(LD_B, 8);
    asm.put(FLAGS);
    asm.alu(libc::BPF_AND, 0xf0);
    asm.unless(libc::BPF_JEQ, 0x30, none);
    asm.at_x(LD_B, 9);
    asm.unless(libc::BPF_JEQ, G_PDU, none);
    asm.set(16);
    asm.add_x();
    asm.put(L3);
    asm.get(FLAGS);
    asm.unless(libc::BPF_JSET, 0x07, done);
    asm.need(L3, 4, none);
    asm.at_x(LD_B, 3);
    asm.put(NEXT);
    asm.set(4);
    asm.add_to(L3);
    asm.get(FLAGS);
    asm.unless(libc::BPF_JSET, 0x04, done);
    for _ in 0..GTP_EXTENSIONS {
        asm.get(NEXT);
        asm.when(libc::BPF_JEQ, 0, done);
        asm.need(L3, 1, none);
        asm.at_x(LD_B, 0);
        asm.when(libc::BPF_JEQ, 0, none);
        asm.alu(libc::BPF_LSH, 2);
        asm.add_x();
        asm.put(L3);
        asm.need(L3, 0, none);
        asm.get(L3);
        asm.alu(libc::BPF_SUB, 1);
        asm.op(libc::BPF_MISC | libc::BPF_TAX, 0);
        asm.at_x(LD_B, 0);
        asm.put(NEXT);
    }
    asm.get(NEXT);
    asm.unless(libc::BPF_JEQ, 0, none);
    asm.bind(done);
}

/// TYPE = what the first four bits at L3 say.
fn type_of_version(asm: &mut Asm, none: Label) {
    let (v4, done) = (asm.label(), asm.label());
    asm.need(L3, 1, none);
    asm.at_x(LD_B, 0);
    asm.alu(libc::BPF_RSH, 4);
    asm.when(libc::BPF_JEQ, 4, v4);
    asm.unless(libc::BPF_JEQ, 6, none);
    asm.set(ether::IPV6.into());
    asm.put(TYPE);
    asm.jump(done);
    asm.bind(v4);
    asm.set(ether::IPV4.into());
    asm.put(TYPE);
    asm.bind(done);
}

/// L3 and TYPE = what is below a stack of MPLS labels.
pub(super) fn labels(asm: &mut Asm, none: Label) {
    const BOTTOM: u32 = 0x100;
    let (mpls, bottom) = (asm.label(), asm.label());
    asm.get(TYPE);
    asm.when(libc::BPF_JEQ, ether::MPLS.into(), mpls);
    asm.when(libc::BPF_JEQ, ether::MPLS_MULTICAST.into(), mpls);
    asm.jump(none);
    asm.bind(mpls);
    for _ in 0..LABELS {
        asm.need(L3, 4, none);
        asm.at_x(LD_W, 0);
        asm.put(TEMP);
        asm.set(4);
        asm.add_to(L3);
        asm.get(TEMP);
        asm.when(libc::BPF_JSET, BOTTOM, bottom);
    }
    asm.jump(none);
    asm.bind(bottom);
    type_of_version(asm, none);
}
