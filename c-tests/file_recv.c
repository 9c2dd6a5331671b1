/*
 * Capture files through pcap:FILE: zero copy, copies, the loop, bursts, statistics, the end.
 */
#include <errno.h>
#include <pthread.h>

#include <pfring.h>

#include "frames.h"
#include "tap.h"

#define COUNT 5
#define END PF_RING_ERROR_INVALID_ARGUMENT /* what a file answers at its end */

/* Sizes of the frames in the file made by make_file. */
static const u_int32_t sizes[COUNT] = {60, 1514, 61, 1000, 128};

static pfring *open_file(const struct capture_file *file, u_int32_t caplen, u_int32_t flags,
                         int enable)
{
    char device[600];
    pfring *ring = pfring_open(capture_device(file, device, sizeof(device)), caplen, flags);

    if (ring == NULL)
        bail_out("the capture file does not open");
    if (enable && pfring_enable_ring(ring) != 0)
        bail_out("the capture file cannot be enabled");
    return ring;
}

static void make_file(struct capture_file *file, int big_endian, int nanosecond)
{
    unsigned char frame[2048];
    u_int32_t i;

    if (capture_create(file, big_endian, nanosecond) < 0)
        bail_out("no capture file");
    for (i = 0; i < COUNT; i++) {
        numbered_frame(frame, sizes[i], i);
        capture_add(file, 1700000000u + i, nanosecond ? 123456789 : 123456, frame, sizes[i],
                    sizes[i] + (i == 1 ? 4000 : 0));
    }
    capture_end(file);
}

/* Whether data is frame number as it was written. */
static int same_frame(const u_char *data, u_int32_t number, u_int32_t len)
{
    unsigned char frame[2048];

    numbered_frame(frame, len, number);
    return memcmp(data, frame, len) == 0;
}

static void zero_copy(const struct capture_file *file, u_int64_t fraction_ns, const char *name)
{
    pfring *ring = open_file(file, 9000, 0, 0);
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int right = 0, stamps = 0, directions = 0, ends = 0;
    u_int32_t i;

    memset(&hdr, 0, sizeof(hdr));
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), PF_RING_ERROR_RING_NOT_ENABLED,
           "nothing before enable");
    is_int(pfring_enable_ring(ring), 0, "enable");
    for (i = 0; i < COUNT; i++) {
        u_int64_t want_ns = (1700000000ull + i) * 1000000000ull + fraction_ns;
        u_int64_t got_us;

        if (pfring_recv(ring, &data, 0, &hdr, 1) != 1)
            break;
        right += hdr.caplen == sizes[i] && hdr.len == sizes[i] + (i == 1 ? 4000 : 0) &&
                 same_frame(data, i, sizes[i]);
        got_us = (u_int64_t)hdr.ts.tv_sec * 1000000u + (u_int64_t)hdr.ts.tv_usec;
        stamps += hdr.extended_hdr.timestamp_ns == want_ns && got_us == want_ns / 1000;
        directions += hdr.extended_hdr.rx_direction == 1;
    }
    ok(right == COUNT, "%s: every frame with its bytes and lengths", name);
    ok(stamps == COUNT, "%s: every stamp, in microseconds and nanoseconds", name);
    ok(directions == COUNT, "%s: every frame counts as received", name);
    for (i = 0; i < 11; i++)
        ends += pfring_recv(ring, &data, 0, &hdr, i % 2) == END;
    ok(ends == 11, "%s: the end is told again and again", name);
    pfring_close(ring);
}

static void statistics(const struct capture_file *file)
{
    pfring *ring = open_file(file, 1500, 0, 0);
    struct pfring_pkthdr hdr;
    pfring_stat stat;
    u_char *data = NULL;
    int i, same = 0;

    memset(&hdr, 0, sizeof(hdr));
    memset(&stat, 0xff, sizeof(stat));
    is_int(pfring_stats(ring, &stat), 0, "statistics before enable");
    ok(stat.recv == 0 && stat.drop == 0, "are zero");
    pfring_enable_ring(ring);
    pfring_recv(ring, &data, 0, &hdr, 0);
    pfring_recv(ring, &data, 0, &hdr, 0);
    pfring_stats(ring, &stat);
    is_int((long long)stat.recv, 2, "packets read so far");
    while (pfring_recv(ring, &data, 0, &hdr, 0) == 1)
        ;
    for (i = 0; i < 3; i++)
        same += pfring_stats(ring, &stat) == 0 && stat.recv == COUNT && stat.drop == 0;
    is_int(same, 3, "all packets, none dropped, three times the same");
    pfring_close(ring);
}

static void copies(const struct capture_file *file)
{
    pfring *ring = open_file(file, 9000, 0, 1);
    struct pfring_pkthdr hdr;
    unsigned char room[104];
    u_char *data = room;

    memset(&hdr, 0, sizeof(hdr));
    memset(room, 'G', sizeof(room));
    is_int(pfring_recv(ring, &data, 100, &hdr, 1), 1, "a frame that fits is copied");
    ok(data == room && hdr.caplen == 60 && same_frame(room, 0, 60), "whole");
    is_int(pfring_recv(ring, &data, 100, &hdr, 1), 1, "a frame that does not fit is copied");
    ok(hdr.caplen == 100 && hdr.len == 5514, "caplen is lowered to the buffer, len is not");
    ok(memcmp(room + 100, "GGGG", 4) == 0, "nothing is written behind the buffer");
    pfring_close(ring);
}

static void short_snaplen(const struct capture_file *file)
{
    pfring *ring = open_file(file, 64, 0, 1);
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    u_int32_t i, right = 0;

    memset(&hdr, 0, sizeof(hdr));
    for (i = 0; i < COUNT && pfring_recv(ring, &data, 0, &hdr, 0) == 1; i++)
        right += hdr.caplen == (sizes[i] < 64 ? sizes[i] : 64) && hdr.len >= sizes[i];
    is_int(right, COUNT, "caplen is at most what open asked for, len is true");
    pfring_close(ring);
}

struct seen {
    pfring *ring;
    u_int32_t count, right, break_after;
};

static void on_packet(const struct pfring_pkthdr *hdr, const u_char *data, const u_char *user)
{
    struct seen *seen = (struct seen *)user;

    seen->right += seen->count < COUNT && hdr->caplen == sizes[seen->count] &&
                   same_frame(data, seen->count, hdr->caplen);
    seen->count++;
    if (seen->count == seen->break_after)
        pfring_breakloop(seen->ring);
}

static void loops(const struct capture_file *file)
{
    struct seen seen;

    memset(&seen, 0, sizeof(seen));
    seen.ring = open_file(file, 1600, 0, 1);
    seen.break_after = 2;
    is_int(pfring_loop(seen.ring, on_packet, (const u_char *)&seen, 1), 1,
           "a loop that its callback breaks answers 1");
    is_int(seen.count, 2, "after that packet");
    is_int(pfring_loop(seen.ring, on_packet, (const u_char *)&seen, 1), END,
           "the next loop ends with the file");
    ok(seen.count == COUNT && seen.right == COUNT, "every frame once, in order");
    pfring_close(seen.ring);
}

static void bursts(const struct capture_file *file)
{
    pfring *ring = open_file(file, 1600, 0, 1);
    pfring_packet_info packets[8];
    int rc, i;
    u_int32_t number = 0, right = 0;

    memset(packets, 0, sizeof(packets));
    rc = pfring_recv_burst(ring, packets, 3, 0);
    if (rc == PF_RING_ERROR_NOT_SUPPORTED) {
        skip("bursts", "not supported by this library");
        pfring_close(ring);
        return;
    }
    is_int(rc, 3, "a burst gives as many as asked for");
    while (rc > 0) {
        for (i = 0; i < rc; i++, number++)
            right += number < COUNT && packets[i].caplen == sizes[number] &&
                     packets[i].len == sizes[number] + (number == 1 ? 4000 : 0) &&
                     same_frame(packets[i].data, number, packets[i].caplen);
        rc = pfring_recv_burst(ring, packets, 8, 1);
    }
    ok(number == COUNT && right == COUNT, "every frame once, in order");
    is_int(rc, END, "a burst tells the end");
    pfring_close(ring);
}

static void long_header(void)
{
    struct capture_file file;
    unsigned char frame[60];
    struct pfring_pkthdr hdr;
    struct pkt_parsing_info *info = &hdr.extended_hdr.parsed_pkt;
    u_char *data = NULL;
    pfring *ring;

    if (capture_create(&file, 0, 0) < 0)
        bail_out("no capture file");
    udp_frame(frame, sizeof(frame), 100, 0x0a000001, 0x0a000002, 1000, 53);
    capture_add(&file, 1, 0, frame, sizeof(frame), sizeof(frame));
    capture_end(&file);

    ring = open_file(&file, 1500, PF_RING_LONG_HEADER, 1);
    memset(&hdr, 0xff, sizeof(hdr));
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with the long header");
    ok(info->eth_type == 0x0800 && info->vlan_id == 100, "type and VLAN");
    ok(info->ipv4_src == 0x0a000001 && info->ipv4_dst == 0x0a000002 && info->l3_proto == 17,
       "addresses in host order and protocol");
    ok(info->l4_src_port == 1000 && info->l4_dst_port == 53, "ports");
    ok(info->offset.vlan_offset > 0 && info->offset.l3_offset == 18 &&
           info->offset.l4_offset == 38 && info->offset.payload_offset == 46,
       "offsets");
    pfring_close(ring);

    ring = open_file(&file, 1500, 0, 1);
    memset(&hdr, 0x5a, sizeof(hdr));
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with the short header");
    ok(((u_char *)&hdr)[48] == 0x5a && ((u_char *)&hdr)[sizeof(hdr) - 1] == 0x5a,
       "nothing is written behind its 48 bytes");
    pfring_close(ring);
    capture_remove(&file);
}

static void filters(void)
{
    struct capture_file file;
    unsigned char frame[60];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    pfring *ring;
    int i, rc, count = 0;

    if (capture_create(&file, 0, 0) < 0)
        bail_out("no capture file");
    for (i = 0; i < 10; i++) {
        udp_frame(frame, sizeof(frame), 0, 0x0a000001, 0x0a000002, 1000, i % 2 ? 53 : 54);
        capture_add(&file, 1, 0, frame, sizeof(frame), sizeof(frame));
    }
    capture_end(&file);

    ring = open_file(&file, 1500, 0, 0);
    rc = pfring_set_bpf_filter(ring, "udp dst port 53");
    if (rc == PF_RING_ERROR_NOT_SUPPORTED) {
        skip("a filter on a file", "no filter compiler on this machine");
    } else {
        is_int(rc, 0, "a filter is set");
        is_int(pfring_set_bpf_filter(ring, "udp dst dst ((("), -2, "a wrong one is refused");
        pfring_enable_ring(ring);
        memset(&hdr, 0, sizeof(hdr));
        while (pfring_recv(ring, &data, 0, &hdr, 1) == 1)
            count += data[37] == 53;
        is_int(count, 5, "only what matches the filter that was set");
    }
    pfring_close(ring);
    capture_remove(&file);
}

/* Cuts the file inside its last record, at every byte. */
static void cut_files(void)
{
    struct capture_file file;
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int right = 0;
    long cut;

    memset(&hdr, 0, sizeof(hdr));
    for (cut = 1; cut < 76; cut++) { /* 16 bytes of record header and 60 of frame */
        pfring *ring;
        int count = 0, ends = 0, i;

        if (capture_numbered(&file, 3, 60) < 0 || truncate(file.path, 24 + 3 * 76 - cut) < 0)
            bail_out("no capture file");
        ring = open_file(&file, 1500, 0, 1);
        while (count < 9 && pfring_recv(ring, &data, 0, &hdr, 1) == 1)
            count++;
        for (i = 0; i < 10; i++)
            ends += pfring_recv(ring, &data, 0, &hdr, 1) <= 0;
        right += count == 2 && ends == 10;
        pfring_close(ring);
        capture_remove(&file);
    }
    is_int(right, 75, "a file cut in its last record gives the whole ones, then a stable end");
}

int main(void)
{
    struct capture_file file;

    watch_stdout();
    alarm(60);
    make_file(&file, 0, 0);
    zero_copy(&file, 123456000, "little endian, microseconds");
    statistics(&file);
    copies(&file);
    short_snaplen(&file);
    loops(&file);
    bursts(&file);
    capture_remove(&file);

    make_file(&file, 1, 0);
    zero_copy(&file, 123456000, "big endian, microseconds");
    capture_remove(&file);
    make_file(&file, 0, 1);
    zero_copy(&file, 123456789, "little endian, nanoseconds");
    capture_remove(&file);
    make_file(&file, 1, 1);
    zero_copy(&file, 123456789, "big endian, nanoseconds");
    capture_remove(&file);

    long_header();
    filters();
    cut_files();
    return done();
}
