/* walk KIND warm|cold: what reading a full ring costs in user space.
 *
 * The ring is filled while nobody reads; then all of it is read, and the CPU time of that is taken.
 * No system call is made meanwhile, on either side: all blocks are there already. Warm: a small ring
 * whose bytes are in the cache when the reading starts, so that the library's own work is what is
 * measured. Cold: a large ring; the time to fetch its bytes from memory, equal on both sides, is in it. */
#include "bench.h"
#include "side.h"

#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both block timers, in ms. */
#define TIMER_MS 10
#define BURST 32
/* The first packets are not measured: they bring the code back into the cache after the pause. */
#define SKIPPED 512
/* The cache keeps what it was asked for more than once. */
#define WARM_UPS 4
/* A fill that lost frames (the sender was held up, and the timer closed blocks that were filled in
 * part) is done again, this many times in all. */
#define MOST_REFILLS 20

/* A frame takes 152 bytes of a ring. */
static const struct size {
    const char *name;
    uint64_t frames;
    int ring_mb;
    int fills;
} sizes[] = {{"warm", 7000, 2, 5}, {"cold", 100000, 64, 2}};

struct walk {
    struct side side;
    uint64_t sum; /* of what the consumer read: keeps the reads alive */
};

/* What a callback needs. */
struct counter {
    pfring *ring;
    uint64_t packets, wanted;
};

/* The consumer reads 16 bytes. */
static inline uint64_t touch(const unsigned char *bytes)
{
    return number_at(bytes, 0) + number_at(bytes, 8);
}

static inline uint64_t recv_some(struct walk *w, uint64_t wanted, int touched)
{
    pfring *ring = w->side.ring;
    struct pfring_pkthdr header;
    unsigned char *bytes = NULL;
    uint64_t packets = 0, sum = 0;
    while (packets < wanted && pfring_recv(ring, &bytes, 0, &header, 0) > 0) {
        packets++;
        if (touched)
            sum += touch(bytes);
    }
    w->sum += sum;
    return packets;
}

static uint64_t recv_plain(struct walk *w, uint64_t wanted)
{
    return recv_some(w, wanted, 0);
}

static uint64_t recv_touch(struct walk *w, uint64_t wanted)
{
    return recv_some(w, wanted, 1);
}

static uint64_t recv_burst(struct walk *w, uint64_t wanted)
{
    pfring_packet_info burst[BURST];
    uint64_t packets = 0;
    int got = 1;
    while (packets < wanted && (got = pfring_recv_burst(w->side.ring, burst, BURST, 0)) > 0)
        packets += (unsigned)got;
    return packets;
}

static void on_loop(const struct pfring_pkthdr *header, const unsigned char *bytes,
                    const unsigned char *user)
{
    (void)header, (void)bytes;
    struct counter *counter = (struct counter *)(uintptr_t)user;
    if (++counter->packets == counter->wanted)
        pfring_breakloop(counter->ring);
}

static uint64_t loop(struct walk *w, uint64_t wanted)
{
    struct counter counter = {w->side.ring, 0, wanted};
    pfring_loop(w->side.ring, on_loop, (const unsigned char *)&counter, 1);
    return counter.packets;
}

static inline uint64_t next_ex_some(struct walk *w, uint64_t wanted, int touched)
{
    pcap_t *pcap = w->side.pcap;
    struct pcap_pkthdr *header;
    const unsigned char *bytes;
    uint64_t packets = 0, sum = 0;
    while (packets < wanted && pcap_next_ex(pcap, &header, &bytes) > 0) {
        packets++;
        if (touched)
            sum += touch(bytes);
    }
    w->sum += sum;
    return packets;
}

static uint64_t next_ex(struct walk *w, uint64_t wanted)
{
    return next_ex_some(w, wanted, 0);
}

static uint64_t next_ex_touch(struct walk *w, uint64_t wanted)
{
    return next_ex_some(w, wanted, 1);
}

static void on_dispatch(unsigned char *user, const struct pcap_pkthdr *header,
                        const unsigned char *bytes)
{
    (void)header, (void)bytes;
    ((struct counter *)(void *)user)->packets++;
}

static uint64_t dispatch(struct walk *w, uint64_t wanted)
{
    struct counter counter = {NULL, 0, wanted};
    while (counter.packets < wanted && pcap_dispatch(w->side.pcap, (int)(wanted - counter.packets),
                                                     on_dispatch, (unsigned char *)&counter) > 0) {
    }
    return counter.packets;
}

static const struct kind {
    const char *name;
    const char *side;
    /* Reads packets until so many are read or none is left; a burst may be a few too many. */
    uint64_t (*read)(struct walk *, uint64_t wanted);
} kinds[] = {
    {"recv", "recv", recv_plain},
    {"recv-touch", "recv", recv_touch},
    {"recv-long", "recv-long", recv_plain},
    {"burst", "recv", recv_burst},
    {"loop", "recv", loop},
    {"next_ex", "next_ex", next_ex},
    {"next_ex-touch", "next_ex", next_ex_touch},
    {"dispatch", "next_ex", dispatch},
};

static void open_side(struct walk *w, const struct kind *kind, const struct size *size)
{
    char text[PCAP_ERRBUF_SIZE];
    snprintf(text, sizeof text, "%d", size->ring_mb);
    setenv("PFRING_RING_MB", text, 1);
    setenv("BENCH_PCAP_MB", text, 1);
    side_open(&w->side, kind->side);
    if (w->side.pcap != NULL && pcap_setnonblock(w->side.pcap, 1, text) != 0)
        die("pcap_setnonblock: %s", text);
}

static int next_packet(struct walk *w)
{
    unsigned char *bytes;
    struct pfring_pkthdr header;
    struct pcap_pkthdr *pcap_header;
    const unsigned char *pcap_bytes;
    return w->side.ring != NULL ? pfring_recv(w->side.ring, &bytes, 0, &header, 0)
                                : pcap_next_ex(w->side.pcap, &pcap_header, &pcap_bytes);
}

static void touch_lines(struct walk *w, uintptr_t from, size_t bytes)
{
    for (int i = 0; i < WARM_UPS; i++) {
        for (size_t at = 0; at < bytes; at += 64)
            w->sum += *(volatile unsigned char *)(from + at);
    }
}

/* Brings the blocks that wait to be read into the cache. Both sides have TPACKET_V3 rings, which stand in
 * the process's map as sockets; blocks begin at pages. */
static void warm_up(struct walk *w)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL)
        die("/proc/self/maps");
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t from, to;
        if (strstr(line, "socket:[") == NULL || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        for (; from < to; from += 4096) {
            const struct tpacket_block_desc *block = (const void *)from;
            const struct tpacket_hdr_v1 *header = &block->hdr.bh1;
            if (block->version == TPACKET_V3 && (header->block_status & TP_STATUS_USER) != 0 &&
                header->blk_len <= to - from)
                touch_lines(w, from, header->blk_len);
        }
    }
    fclose(maps);
}

/* Fills the ring so that nothing is lost. */
static void fill(struct walk *w, uint64_t frames)
{
    for (int tries = 0; tries < MOST_REFILLS; tries++) {
        uint64_t before = side_lost(&w->side);
        struct sender sender = start_sender((struct traffic){.count = frames});
        finish_sender(&sender);
        pause_ms(2 * TIMER_MS + 5);
        if (side_lost(&w->side) == before)
            return;
        while (next_packet(w) > 0) {
        }
    }
    die("the ring cannot be filled without a loss");
}

static const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
    }
    die("no kind of walk: %s", name);
}

int main(int argc, char **argv)
{
    struct walk w = {0};
    if (argc != 3)
        die("usage: walk KIND warm|cold");
    const struct kind *kind = kind_named(argv[1]);
    const struct size *size = &sizes[strcmp(argv[2], "cold") == 0];
    private_network();
    stay_on_cpu(RECEIVER);
    open_side(&w, kind, size);
    uint64_t cpu = 0, wall = 0, packets = 0;
    for (int i = 0; i < size->fills; i++) {
        fill(&w, size->frames);
        if (size == &sizes[0])
            warm_up(&w);
        uint64_t first = kind->read(&w, SKIPPED);
        wall -= now_ns();
        cpu -= thread_cpu_ns();
        uint64_t read = kind->read(&w, size->frames - first);
        cpu += thread_cpu_ns();
        wall += now_ns();
        packets += read;
        /* Nothing was lost, and nothing is left: each side read the whole ring. */
        if (first + read != size->frames || next_packet(&w) != 0)
            die("%llu packets read of %llu", (unsigned long long)(first + read),
                (unsigned long long)size->frames);
    }
    result("ns_per_packet", (double)cpu / (double)packets);
    result("wall_ns_per_packet", (double)wall / (double)packets);
    return w.sum == 1; /* never: the sum only has to be used */
}
