/* walk warm|cold KIND...: what reading a full ring costs in user space.
 *
 * Each kind has a ring of its own. All are filled by the same frames while nobody reads; then one after
 * the other is read to the end, and the CPU time of that is taken: nanoseconds for a packet. This is done
 * many times, and the figure is the least: what comes on top of it is the work of others on the machine (a
 * busy second thread of the same core nearly doubles the cost).
 * No system call is made meanwhile, on either side: all blocks are there already. Warm: small rings, each
 * brought into the cache just before it is read, so that the library's own work is what is measured.
 * Cold: large rings; the time to fetch their bytes from memory, equal on both sides, is in it. */
#include "bench.h"

#include <linux/if_packet.h>
#include <pcap/pcap.h>
#include <pfring.h>
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
/* A CPU that slept comes back to its full clock when it has worked for a while. */
#define WORK_MS 5

/* A frame takes 152 bytes of a ring. */
static const struct size {
    const char *name;
    uint64_t frames;
    int ring_mb;
    int fills;
} sizes[] = {{"warm", 7000, 2, 40}, {"cold", 100000, 64, 5}};

/* A ring of one side. */
struct walk {
    pfring *ring;
    pcap_t *pcap;
    uint64_t sum; /* of what the consumer read: keeps the reads alive */
    double cost; /* of the cheapest fill, ns per packet */
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
    pfring *ring = w->ring;
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
    while (packets < wanted && (got = pfring_recv_burst(w->ring, burst, BURST, 0)) > 0)
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
    struct counter counter = {w->ring, 0, wanted};
    pfring_loop(w->ring, on_loop, (const unsigned char *)&counter, 1);
    return counter.packets;
}

static inline uint64_t next_ex_some(struct walk *w, uint64_t wanted, int touched)
{
    pcap_t *pcap = w->pcap;
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
    while (counter.packets < wanted && pcap_dispatch(w->pcap, (int)(wanted - counter.packets),
                                                     on_dispatch, (unsigned char *)&counter) > 0) {
    }
    return counter.packets;
}

static const struct kind {
    const char *name;
    /* Reads packets until so many are read or none is left; a burst may be a few too many. */
    uint64_t (*read)(struct walk *, uint64_t wanted);
    int is_ours;
    unsigned flags;
} kinds[] = {
    {"recv", recv_plain, 1, 0},
    {"recv-touch", recv_touch, 1, 0},
    {"recv-long", recv_plain, 1, PF_RING_LONG_HEADER},
    {"burst", recv_burst, 1, 0},
    {"loop", loop, 1, 0},
    {"next_ex", next_ex, 0, 0},
    {"next_ex-touch", next_ex_touch, 0, 0},
    {"dispatch", dispatch, 0, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void open_ours(struct walk *w, unsigned flags, const struct size *size)
{
    char text[16];
    snprintf(text, sizeof text, "%d", size->ring_mb);
    setenv("PFRING_RING_MB", text, 1);
    w->ring = pfring_open(RX_NAME, SNAPLEN, PF_RING_PROMISC | flags);
    if (w->ring == NULL || pfring_enable_ring(w->ring) != 0)
        die("pfring_open");
}

static void open_libpcap(struct walk *w, const struct size *size)
{
    char error[PCAP_ERRBUF_SIZE];
    w->pcap = pcap_create(RX_NAME, error);
    if (w->pcap == NULL)
        die("pcap_create: %s", error);
    pcap_set_snaplen(w->pcap, SNAPLEN);
    pcap_set_promisc(w->pcap, 1);
    pcap_set_timeout(w->pcap, TIMER_MS);
    pcap_set_buffer_size(w->pcap, size->ring_mb << 20);
    if (pcap_activate(w->pcap) < 0)
        die("pcap_activate: %s", pcap_geterr(w->pcap));
    if (pcap_setnonblock(w->pcap, 1, error) != 0)
        die("pcap_setnonblock: %s", error);
}

static int next_packet(struct walk *w)
{
    unsigned char *bytes;
    struct pfring_pkthdr header;
    struct pcap_pkthdr *pcap_header;
    const unsigned char *pcap_bytes;
    return w->ring != NULL ? pfring_recv(w->ring, &bytes, 0, &header, 0)
                           : pcap_next_ex(w->pcap, &pcap_header, &pcap_bytes);
}

static uint64_t lost(struct walk *w)
{
    pfring_stat ours;
    struct pcap_stat theirs;
    if (w->ring != NULL ? pfring_stats(w->ring, &ours) != 0 : pcap_stats(w->pcap, &theirs) != 0)
        die("no statistics");
    return w->ring != NULL ? ours.drop : theirs.ps_drop;
}

static void touch_lines(struct walk *w, uintptr_t from, size_t bytes)
{
    for (int i = 0; i < WARM_UPS; i++) {
        for (size_t at = 0; at < bytes; at += 64)
            w->sum += *(volatile unsigned char *)(from + at);
    }
}

/* Brings the blocks that wait to be read into the cache. Both sides have TPACKET_V3 rings, which stand in
 * the process's map as sockets; blocks begin at pages. A ring that was read has none that wait. */
static void warm_up(struct walk *w, uintptr_t from, uintptr_t to)
{
    for (; from < to; from += 4096) {
        const struct tpacket_block_desc *block = (const void *)from;
        const struct tpacket_hdr_v1 *header = &block->hdr.bh1;
        if (block->version == TPACKET_V3 && (header->block_status & TP_STATUS_USER) != 0 &&
            header->blk_len <= to - from)
            touch_lines(w, from, header->blk_len);
    }
}

/* The ring that was mapped while `w` was opened. */
struct map {
    uintptr_t from, to;
};

static int is_known(const struct map *maps, size_t count, uintptr_t from)
{
    for (size_t i = 0; i < count; i++)
        if (maps[i].from <= from && from < maps[i].to)
            return 1;
    return 0;
}

/* The largest map of a socket that is not among the COUNT known ones. */
static struct map new_map(const struct map *maps, size_t count)
{
    char line[512];
    struct map found = {0, 0};
    FILE *file = fopen("/proc/self/maps", "r");
    if (file == NULL)
        die("/proc/self/maps");
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t from, to;
        if (strstr(line, "socket:[") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2 &&
            !is_known(maps, count, from) && to - from > found.to - found.from)
            found = (struct map){from, to};
    }
    fclose(file);
    if (found.to == 0)
        die("no ring in the process's map");
    return found;
}

/* Fills all rings, so that nothing is lost. */
static void fill(struct walk *walks, int count, uint64_t frames)
{
    for (int tries = 0; tries < MOST_REFILLS; tries++) {
        uint64_t before = 0, after = 0;
        for (int i = 0; i < count; i++)
            before += lost(&walks[i]);
        struct sender sender = start_sender((struct traffic){.count = frames});
        finish_sender(&sender);
        pause_ms(2 * TIMER_MS + 5);
        for (int i = 0; i < count; i++)
            after += lost(&walks[i]);
        if (after == before)
            return;
        for (int i = 0; i < count; i++)
            while (next_packet(&walks[i]) > 0) {
            }
    }
    die("the rings cannot be filled without a loss");
}

static void work_for(unsigned ms)
{
    uint64_t end = now_ns() + ms * 1000000ull;
    while (now_ns() < end) {
    }
}

/* Reads all of a ring; nanoseconds for a packet. */
static double read_ring(struct walk *w, const struct kind *kind, uint64_t frames)
{
    uint64_t first = kind->read(w, SKIPPED);
    uint64_t cpu = thread_cpu_ns();
    uint64_t read = kind->read(w, frames - first);
    cpu = thread_cpu_ns() - cpu;
    /* Nothing was lost, and nothing is left: each side read the whole ring. */
    if (first + read != frames || next_packet(w) != 0)
        die("%llu packets read of %llu", (unsigned long long)(first + read), (unsigned long long)frames);
    return (double)cpu / (double)read;
}

static const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
    }
    die("no kind of walk: %s", name);
}

int main(int argc, char **argv)
{
    static struct walk walks[KINDS];
    const struct kind *wanted[KINDS];
    struct map maps[KINDS];
    int count = argc - 2;
    if (count < 1 || count > (int)KINDS)
        die("usage: walk warm|cold KIND...");
    const struct size *size = &sizes[strcmp(argv[1], "cold") == 0];
    private_network();
    stay_on_cpu(RECEIVER);
    for (int i = 0; i < count; i++) {
        wanted[i] = kind_named(argv[2 + i]);
        if (wanted[i]->is_ours)
            open_ours(&walks[i], wanted[i]->flags, size);
        else
            open_libpcap(&walks[i], size);
        maps[i] = new_map(maps, (size_t)i);
    }
    for (int number = 0; number < size->fills; number++) {
        fill(walks, count, size->frames);
        work_for(WORK_MS);
        for (int i = 0; i < count; i++) {
            if (size == &sizes[0])
                warm_up(&walks[i], maps[i].from, maps[i].to);
            double cost = read_ring(&walks[i], wanted[i], size->frames);
            if (number == 0 || cost < walks[i].cost)
                walks[i].cost = cost;
        }
    }
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        result(wanted[i]->name, walks[i].cost);
        sum += walks[i].sum;
    }
    return sum == 1; /* never: the sum only has to be used */
}
