#!/usr/bin/env python3
"""Writes sample.pcap, the capture that `make demo` counts: a hundred frames of many kinds.

Usage: make_sample.py [FILE]      (default: sample.pcap beside this script)

Every run writes the same bytes: fixed addresses, payloads and times, true checksums.
"""

import struct
import sys
from ipaddress import ip_address
from pathlib import Path

FIRST_SECOND = 1_700_000_000
STEP_US = 1_250

CLIENT_MAC = bytes.fromhex("020000000001")
SERVER_MAC = bytes.fromhex("020000000002")
BROADCAST = b"\xff" * 6

# Addresses and the network of RFC 5737 and RFC 3849: documentation only.
CLIENT, SERVER = "192.0.2.10", "198.51.100.80"
CLIENT6, SERVER6 = "2001:db8::10", "2001:db8:1::80"
TUNNEL_A, TUNNEL_B = "203.0.113.1", "203.0.113.2"

TCP, UDP, ICMP, ICMP6, GRE = 6, 17, 1, 58, 47
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHER_IP, ETHER_ARP, ETHER_VLAN, ETHER_IP6, ETHER_MPLS, ETHER_QINQ = (
    0x0800, 0x0806, 0x8100, 0x86DD, 0x8847, 0x88A8)


def checksum(data):
    """The Internet checksum, RFC 1071."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ether(payload, ethertype, dst=SERVER_MAC, src=CLIENT_MAC, tags=()):
    """A frame; tags are (TPID, VLAN id), outermost first. Padded to 60 bytes as on the wire."""
    frame = dst + src
    for tpid, vlan in tags:
        frame += struct.pack("!HH", tpid, vlan)
    frame += struct.pack("!H", ethertype) + payload
    return frame.ljust(60, b"\0")


def ip(src, dst, protocol, payload, ttl=64, ident=1, fragment=0):
    """An IPv4 or IPv6 packet, as the addresses say."""
    src, dst = ip_address(src), ip_address(dst)
    if src.version == 6:
        head = struct.pack("!IHBB", 6 << 28, len(payload), protocol, ttl)
        return head + src.packed + dst.packed + payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), ident, fragment, ttl, protocol, 0)
    head += src.packed + dst.packed
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def with_checksum(src, dst, protocol, segment, at):
    """Fills in the checksum over pseudo header and segment."""
    src, dst = ip_address(src).packed, ip_address(dst).packed
    if len(src) == 16:
        pseudo = src + dst + struct.pack("!II", len(segment), protocol)
    else:
        pseudo = src + dst + struct.pack("!HH", protocol, len(segment))
    value = checksum(pseudo + segment)
    if protocol == UDP and value == 0:
        value = 0xFFFF
    return segment[:at] + struct.pack("!H", value) + segment[at + 2:]


def udp(src, dst, sport, dport, data, **how):
    segment = struct.pack("!HHHH", sport, dport, 8 + len(data), 0) + data
    return ip(src, dst, UDP, with_checksum(src, dst, UDP, segment, 6), **how)


def tcp(src, dst, sport, dport, seq, ack, flags, data=b"", **how):
    segment = struct.pack("!HHIIBBHHH", sport, dport, seq, ack, 5 << 4, flags, 65535, 0, 0) + data
    return ip(src, dst, TCP, with_checksum(src, dst, TCP, segment, 16), **how)


def echo(src, dst, reply, number):
    """A ping of either version."""
    data = bytes(range(32))
    if ip_address(src).version == 6:
        message = struct.pack("!BBHHH", 129 if reply else 128, 0, 0, 7, number) + data
        return ip(src, dst, ICMP6, with_checksum(src, dst, ICMP6, message, 2))
    message = struct.pack("!BBHHH", 0 if reply else 8, 0, 0, 7, number) + data
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    return ip(src, dst, ICMP, message)


def arp(operation, sender_mac, sender, target_mac, target):
    head = struct.pack("!HHBBH", 1, ETHER_IP, 6, 4, operation)
    return (head + sender_mac + ip_address(sender).packed
            + target_mac + ip_address(target).packed)


def dns(number, answer):
    """A question for host<number>.example, or its answer."""
    host = f"host{number}".encode()
    question = bytes([len(host)]) + host + b"\x07example\0" + struct.pack("!HH", 1, 1)
    if not answer:
        return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + question
    record = struct.pack("!HHHIH", 0xC00C, 1, 1, 300, 4) + bytes([192, 0, 2, number])
    return struct.pack("!HHHHHH", number, 0x8180, 1, 1, 0, 0) + question + record


def conversation(client, server, sport, dport):
    """A TCP connection with one request and one answer."""
    request = b"GET / HTTP/1.1\r\nHost: www.example\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    sent, got = 1001 + len(request), 5001 + len(answer)
    there, back = (client, server, sport, dport), (server, client, dport, sport)
    yield True, tcp(*there, 1000, 0, SYN)
    yield False, tcp(*back, 5000, 1001, SYN | ACK)
    yield True, tcp(*there, 1001, 5001, ACK)
    yield True, tcp(*there, 1001, 5001, PSH | ACK, request)
    yield False, tcp(*back, 5001, sent, PSH | ACK, answer)
    yield True, tcp(*there, sent, got, FIN | ACK)
    yield False, tcp(*back, got, sent + 1, FIN | ACK)
    yield True, tcp(*there, sent + 1, got + 1, ACK)


def sent(to_server, packet, tags=()):
    """The frame of an IP packet, in either direction."""
    ethertype = ETHER_IP6 if packet[0] >> 4 == 6 else ETHER_IP
    if to_server:
        return ether(packet, ethertype, tags=tags)
    return ether(packet, ethertype, dst=CLIENT_MAC, src=SERVER_MAC, tags=tags)


def pair(make, tags=()):
    """A packet and its answer: make(source, destination, answer)."""
    yield sent(True, make(CLIENT, SERVER, False), tags)
    yield sent(False, make(SERVER, CLIENT, True), tags)


def pair6(make):
    yield sent(True, make(CLIENT6, SERVER6, False))
    yield sent(False, make(SERVER6, CLIENT6, True))


def plain():
    nobody = b"\0" * 6
    yield ether(arp(1, CLIENT_MAC, CLIENT, nobody, "192.0.2.1"), ETHER_ARP, dst=BROADCAST)
    yield ether(arp(2, SERVER_MAC, "192.0.2.1", CLIENT_MAC, CLIENT), ETHER_ARP,
                dst=CLIENT_MAC, src=SERVER_MAC)
    for number in range(1, 9):
        yield from pair(lambda src, dst, answer: udp(
            src, dst, *((53, 40000) if answer else (40000, 53)), dns(number, answer)))
    for port in (50001, 50002):
        for to_server, packet in conversation(CLIENT, SERVER, port, 80):
            yield sent(to_server, packet)
    for number in range(5):
        yield from pair(lambda src, dst, answer: echo(src, dst, answer, number))
    data = bytes(256)
    datagram = struct.pack("!HHHH", 6000, 6001, 8 + len(data), 0) + data
    datagram = with_checksum(CLIENT, SERVER, UDP, datagram, 6)
    yield sent(True, ip(CLIENT, SERVER, UDP, datagram[:136], ident=77, fragment=0x2000))
    yield sent(True, ip(CLIENT, SERVER, UDP, datagram[136:], ident=77, fragment=136 // 8))


def version6():
    for to_server, packet in conversation(CLIENT6, SERVER6, 50003, 80):
        yield sent(to_server, packet)
    for number in range(3):
        yield from pair6(lambda src, dst, answer: udp(
            src, dst, *((53, 40001) if answer else (40001, 53)), dns(number + 20, answer)))
        yield from pair6(lambda src, dst, answer: echo(src, dst, answer, number))


def tagged():
    for to_server, packet in conversation(CLIENT, SERVER, 50004, 443):
        yield sent(to_server, packet, tags=[(ETHER_VLAN, 100)])
    for number in range(5):
        yield from pair(lambda src, dst, answer: echo(src, dst, answer, number),
                        tags=[(ETHER_QINQ, 20), (ETHER_VLAN, 30)])


def tunnels():
    for number in range(5):
        inner = udp("10.0.0.1", "10.0.0.2", 1111, 2222, b"inside GTP-U")
        gtp = struct.pack("!BBHI", 0x30, 255, len(inner), 0x1000 + number) + inner
        yield sent(True, udp(TUNNEL_A, TUNNEL_B, 2152, 2152, gtp))
    for number in range(5):
        inner = echo("10.0.0.1", "10.0.0.2", False, number)
        gre = struct.pack("!HHI", 0x2000, ETHER_IP, 42) + inner
        yield sent(True, ip(TUNNEL_A, TUNNEL_B, GRE, gre))
    for number in range(4):
        inner = ether(tcp("10.0.0.1", "10.0.0.2", 3333, 443, number, 0, SYN), ETHER_IP)
        vxlan = struct.pack("!II", 0x08000000, 5001 << 8) + inner
        yield sent(True, udp(TUNNEL_A, TUNNEL_B, 50100 + number, 4789, vxlan))
    for number in range(2):
        label = struct.pack("!I", (16 + number) << 12 | 1 << 8 | 64)
        yield ether(label + echo(CLIENT, SERVER, False, number), ETHER_MPLS)


def main():
    default = Path(__file__).resolve().parent / "sample.pcap"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    frames = [*plain(), *version6(), *tagged(), *tunnels()]
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    for number, frame in enumerate(frames):
        seconds, micros = divmod(number * STEP_US, 1_000_000)
        out += struct.pack("<IIII", FIRST_SECOND + seconds, micros, len(frame), len(frame)) + frame
    target.write_bytes(out)
    print(f"{target.name}: {len(frames)} packets, {len(out)} bytes")


if __name__ == "__main__":
    main()
