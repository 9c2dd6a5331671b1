/*
 * Frames and capture files made by hand, for tests: what goes in is known byte by byte.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES_UNUSED __attribute__((unused))

#define TEST_ETHERTYPE 0x88b5 /* for local experiments, IEEE 802 */
#define NUMBER_AT 14          /* where a numbered frame carries its number */

static const unsigned char frame_dst[6] = {2, 0, 0, 0, 0, 2};
static const unsigned char frame_src[6] = {2, 0, 0, 0, 0, 1};

FRAMES_UNUSED static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

FRAMES_UNUSED static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

FRAMES_UNUSED static uint32_t get32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* MAC addresses and type. Returns where the payload starts. */
FRAMES_UNUSED static size_t put_ether(unsigned char *frame, unsigned ethertype)
{
    memcpy(frame, frame_dst, 6);
    memcpy(frame + 6, frame_src, 6);
    put16(frame + 12, ethertype);
    return 14;
}

/* A frame of len (at least 18) bytes that carries a number; the rest follows from it. */
FRAMES_UNUSED static void numbered_frame(unsigned char *frame, size_t len, uint32_t number)
{
    size_t i;

    put_ether(frame, TEST_ETHERTYPE);
    put32(frame + NUMBER_AT, number);
    for (i = NUMBER_AT + 4; i < len; i++)
        frame[i] = (unsigned char)(number + i);
}

/* A header without checksum. Addresses are numbers: 10.0.0.1 = 0x0a000001. */
FRAMES_UNUSED static size_t put_ipv4(unsigned char *at, unsigned proto, uint32_t src, uint32_t dst,
                                     size_t payload)
{
    memset(at, 0, 20);
    at[0] = 0x45;
    put16(at + 2, (unsigned)(20 + payload));
    at[8] = 64;
    at[9] = (unsigned char)proto;
    put32(at + 12, src);
    put32(at + 16, dst);
    return 20;
}

FRAMES_UNUSED static size_t put_udp(unsigned char *at, unsigned sport, unsigned dport,
                                    size_t payload)
{
    put16(at, sport);
    put16(at + 2, dport);
    put16(at + 4, (unsigned)(8 + payload));
    put16(at + 6, 0);
    return 8;
}

/* Ethernet, 802.1Q tag when vlan > 0, IPv4, UDP, padded with zeros to len (at least 46). */
FRAMES_UNUSED static void udp_frame(unsigned char *frame, size_t len, unsigned vlan, uint32_t src,
                                    uint32_t dst, unsigned sport, unsigned dport)
{
    size_t at;

    memset(frame, 0, len);
    at = put_ether(frame, vlan > 0 ? 0x8100 : 0x0800);
    if (vlan > 0) {
        put16(frame + at, vlan);
        put16(frame + at + 2, 0x0800);
        at += 4;
    }
    at += put_ipv4(frame + at, 17, src, dst, len - at - 20);
    put_udp(frame + at, sport, dport, len - at - 8);
}

/* --- capture files --- */

struct capture_file {
    char path[512];
    FILE *out;
    int big_endian;
};

static void capture_put(struct capture_file *file, uint32_t value, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++) {
        size_t shift = 8 * (file->big_endian ? size - 1 - i : i);

        fputc((int)(value >> shift & 0xff), file->out);
    }
}

/* Starts a pcap file in the folder for temporary files; any user may read it. 0 or -1. */
FRAMES_UNUSED static int capture_create(struct capture_file *file, int big_endian, int nanosecond)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    snprintf(file->path, sizeof(file->path), "%s/pfring-test-XXXXXX",
             folder != NULL ? folder : P_tmpdir);
    fd = mkstemp(file->path);
    if (fd < 0)
        return -1;
    fchmod(fd, 0644);
    file->out = fdopen(fd, "wb");
    if (file->out == NULL)
        return -1;
    file->big_endian = big_endian;
    capture_put(file, nanosecond ? 0xa1b23c4du : 0xa1b2c3d4u, 4);
    capture_put(file, 2, 2);
    capture_put(file, 4, 2);
    capture_put(file, 0, 4);
    capture_put(file, 0, 4);
    capture_put(file, 65535, 4);
    capture_put(file, 1, 4);
    return 0;
}

/* One record; fraction is microseconds or nanoseconds, as the file's. */
FRAMES_UNUSED static void capture_add(struct capture_file *file, uint32_t sec, uint32_t fraction,
                                      const unsigned char *frame, uint32_t caplen, uint32_t len)
{
    capture_put(file, sec, 4);
    capture_put(file, fraction, 4);
    capture_put(file, caplen, 4);
    capture_put(file, len, 4);
    fwrite(frame, 1, caplen, file->out);
}

FRAMES_UNUSED static void capture_end(struct capture_file *file)
{
    fclose(file->out);
    file->out = NULL;
}

/* The name under which pfring_open reads the file. */
FRAMES_UNUSED static const char *capture_device(const struct capture_file *file, char *buf,
                                                size_t size)
{
    snprintf(buf, size, "pcap:%s", file->path);
    return buf;
}

FRAMES_UNUSED static void capture_remove(struct capture_file *file)
{
    unlink(file->path);
}

/* A finished file of count numbered frames of len bytes, one a millisecond. 0 or -1. */
FRAMES_UNUSED static int capture_numbered(struct capture_file *file, uint32_t count, uint32_t len)
{
    unsigned char frame[2048];
    uint32_t i;

    if (capture_create(file, 0, 0) < 0)
        return -1;
    for (i = 0; i < count; i++) {
        numbered_frame(frame, len, i);
        capture_add(file, 1700000000u + i / 1000, i % 1000 * 1000, frame, len, len);
    }
    capture_end(file);
    return 0;
}

#endif
