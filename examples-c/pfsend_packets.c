#define _GNU_SOURCE
#include "pfsend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PORT 2012
#define TARGET_PORT 3000
#define IPV4_ID 2012
#define TTL 64
#define UDP_HEADER 8
#define IPV4_HEADER 20
#define IPV6_HEADER 40

#define LINK_ETHERNET 1
#define LINK_RAW 101
#define LINK_RAW_BSD 12
#define LINK_IPV4 228
#define LINK_IPV6 229
#define LINK_SLL 113

static const struct options *options;
static struct packet made;
static struct packet *read_packets;
static uint64_t read_count;

/* --- made packets --- */

static void put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

/* Sum of 16-bit words (RFC 1071), not folded. */
static uint64_t sum16(const unsigned char *data, uint32_t len)
{
    uint64_t sum = 0;
    uint32_t i;

    for (i = 0; i + 1 < len; i += 2)
        sum += (uint32_t)data[i] << 8 | data[i + 1];
    if (len % 2 != 0)
        sum += (uint32_t)data[len - 1] << 8;
    return sum;
}

static uint32_t fold(uint64_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~(uint32_t)sum & 0xffff;
}

/* The header of UDP, whose payload is in place; addresses are those of the pseudo header. */
static void make_udp(unsigned char *udp, uint32_t len, uint32_t port, const unsigned char *addresses,
                     uint32_t addresses_len)
{
    uint32_t sum;

    put16(udp, port);
    put16(udp + 2, TARGET_PORT);
    put16(udp + 4, len);
    put16(udp + 6, 0);
    sum = fold(sum16(addresses, addresses_len) + sum16(udp, len) + IPPROTO_UDP + len);
    put16(udp + 6, sum == 0 ? 0xffff : sum); /* 0 would mean "no checksum" */
}

static void make_ipv4(unsigned char *ip, uint32_t len, uint32_t source, uint32_t destination,
                      uint32_t port)
{
    memset(ip, 0, IPV4_HEADER);
    ip[0] = 0x45;
    put16(ip + 2, len);
    put16(ip + 4, IPV4_ID);
    ip[8] = TTL;
    ip[9] = IPPROTO_UDP;
    put32(ip + 12, source);
    put32(ip + 16, destination);
    put16(ip + 10, fold(sum16(ip, IPV4_HEADER)));
    make_udp(ip + IPV4_HEADER, len - IPV4_HEADER, port, ip + 12, 8);
}

/* The addresses are fd00:: with the IPv4 address as the last 32 bits. */
static void make_ipv6(unsigned char *ip, uint32_t len, uint32_t source, uint32_t destination,
                      uint32_t port)
{
    memset(ip, 0, IPV6_HEADER);
    ip[0] = 0x60;
    put16(ip + 4, len - IPV6_HEADER);
    ip[6] = IPPROTO_UDP;
    ip[7] = TTL;
    ip[8] = 0xfd;
    put32(ip + 20, source);
    ip[24] = 0xfd;
    put32(ip + 36, destination);
    make_udp(ip + IPV6_HEADER, len - IPV6_HEADER, port, ip + 8, 32);
}

static const struct packet *make(uint64_t number)
{
    uint64_t index = number + options->offset;
    uint32_t source = options->source_ip + (uint32_t)(index % options->sources);
    uint32_t destination = options->destination_ip + (uint32_t)(index % options->destinations);
    uint32_t port = FIRST_PORT + (uint32_t)(index / options->sources % options->ports);
    int version = options->ip_version != 0 ? options->ip_version : number % 2 == 0 ? 4 : 6;
    unsigned char *at = made.data + 12;
    uint32_t tag = options->vlan[0] + (uint32_t)(index % options->vlan_ids);
    int i;

    for (i = 0; i < options->tags; i++, at += 4) {
        put16(at, 0x8100);
        put16(at + 2, (i == 0 ? tag : options->vlan[i]) & 0xfff);
    }
    put16(at, version == 4 ? 0x0800 : 0x86dd);
    at += 2;
    /* the headers of the other version are payload of this one */
    memset(at, options->fill, made.len - (uint32_t)(at - made.data));
    if (version == 4)
        make_ipv4(at, made.len - (uint32_t)(at - made.data), source, destination, port);
    else
        make_ipv6(at, made.len - (uint32_t)(at - made.data), source, destination, port);
    return &made;
}

static void set_macs(unsigned char *frame)
{
    if (options->have_destination_mac)
        memcpy(frame, options->destination_mac, 6);
    if (options->have_source_mac)
        memcpy(frame + 6, options->source_mac, 6);
}

static int prepare_made(void)
{
    int i;

    made.len = options->length;
    made.data = malloc(MAX_FRAME);
    if (made.data == NULL) {
        fprintf(stderr, "no memory for a packet\n");
        return -1;
    }
    memset(made.data, options->fill, MAX_FRAME);
    for (i = 0; i < 12; i++)
        made.data[i] = (unsigned char)(i % 6 == 0 ? i & ~1 : i); /* never a group address */
    set_macs(made.data);
    return 0;
}

/* --- packets of a capture file --- */

static uint32_t get32(const unsigned char *at, int big)
{
    return big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* Turns a captured packet into an Ethernet frame of its own. 0, or -1 if there is no memory. */
static int add_packet(const unsigned char *data, uint32_t len, uint32_t link, uint64_t ns)
{
    uint32_t cut = 0, front = 0, size;
    struct packet *p, *more;
    unsigned char *frame;

    if (link == LINK_SLL) {
        cut = 16;
        front = 14;
    } else if (link != LINK_ETHERNET) {
        front = 14;
    }
    if (len < cut || len == 0)
        return 0; /* nothing that could be sent */
    if (read_count % 1024 == 0) {
        more = realloc(read_packets, (size_t)(read_count + 1024) * sizeof(*more));
        if (more == NULL)
            return -1;
        read_packets = more;
    }
    size = len - cut + front;
    frame = calloc(1, size < MIN_FRAME ? MIN_FRAME : size);
    if (frame == NULL)
        return -1;
    memcpy(frame + front, data + cut, len - cut);
    if (link == LINK_SLL)
        memcpy(frame + 12, data + 14, 2);
    else if (front > 0)
        put16(frame + 12, data[0] >> 4 == 6 ? 0x86dd : 0x0800);
    set_macs(frame);
    p = &read_packets[read_count++];
    p->data = frame;
    p->len = size < MIN_FRAME ? MIN_FRAME : size;
    p->ns = ns;
    return 0;
}

/* What is wrong with the file, or NULL. */
static const char *read_all(FILE *in)
{
    static unsigned char data[MAX_FRAME];
    unsigned char head[24], record[16];
    uint32_t magic, link, len;
    int big, nano;

    if (fread(head, sizeof(head), 1, in) != 1)
        return "too short for a pcap file";
    big = head[0] == 0xa1;
    magic = get32(head, big);
    nano = magic == 0xa1b23c4d;
    if (magic != 0xa1b2c3d4 && !nano)
        return "not a pcap file";
    link = get32(head + 20, big) & 0xffff;
    if (link != LINK_ETHERNET && link != LINK_SLL && link != LINK_RAW && link != LINK_RAW_BSD &&
        link != LINK_IPV4 && link != LINK_IPV6)
        return "its link type cannot be sent as Ethernet";
    while (fread(record, sizeof(record), 1, in) == 1) {
        len = get32(record + 8, big);
        if (len > sizeof(data))
            return "a packet is too long, the file is damaged";
        if (len > 0 && fread(data, len, 1, in) != 1)
            return "it ends within a packet";
        if (add_packet(data, len, link,
                       (uint64_t)get32(record, big) * 1000000000u +
                           (uint64_t)get32(record + 4, big) * (nano ? 1 : 1000)) < 0)
            return "not enough memory for its packets";
    }
    return ferror(in) ? strerror(errno) : read_count == 0 ? "no packet in it" : NULL;
}

static int read_file(void)
{
    FILE *in = fopen(options->file, "rb");
    const char *wrong;

    if (in == NULL) {
        fprintf(stderr, "-f %s: %s\n", options->file, strerror(errno));
        return -1;
    }
    wrong = read_all(in);
    fclose(in);
    if (wrong != NULL) {
        fprintf(stderr, "-f %s: %s\n", options->file, wrong);
        return -1;
    }
    printf("Read %llu packets from pcap file %s\n", (unsigned long long)read_count, options->file);
    return 0;
}

/* --- for the sender --- */

int packets_setup(const struct options *opt)
{
    options = opt;
    return opt->file != NULL ? read_file() : prepare_made();
}

const struct packet *packets_get(uint64_t number)
{
    number /= options->repeat;
    if (options->file != NULL)
        return &read_packets[(number + options->offset) % read_count];
    return make(number);
}

uint64_t packets_in_file(void)
{
    return read_count;
}

void packets_free(void)
{
    uint64_t i;

    for (i = 0; i < read_count; i++)
        free(read_packets[i].data);
    free(read_packets);
    free(made.data);
}
