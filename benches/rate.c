/* rate SIDE MODE [FRAMES [MB]]: a flood, what receiving it costs, and the highest rate without a loss.
 *
 * MB is the memory of the ring; without it each side has its default.
 * The frames are counted, their bytes are not read: equal work on both sides. The cost is that of floods
 * which the kernel makes itself (flood.h); the rate without a loss is that of a sender, as fast as one CPU
 * can send. Where it loses frames, the rate is bisected for SEARCH_SECONDS; a rate counts as one without
 * a loss if neither of two tries at it, of half a second each, loses a frame. */
#include "reader.h"

#include <stdlib.h>

#define FLOOD_FRAMES 1000000
#define FLOODS 5
#define TRY_SECONDS 0.5
#define SEARCH_SECONDS 8
#define LOWEST_PPS 2000.0
/* The bisection ends when the two rates differ by less. */
#define CLOSE_ENOUGH 1.06
/* The clocks are read every so many frames, a power of two. */
#define CLOCK_EVERY 8192

static struct {
    uint64_t count; /* frames that are sent */
    uint64_t cpu_begin, frames_begin, cpu_end, frames_end;
} run;

static void on_frame(struct reader *reader, const unsigned char *bytes)
{
    (void)bytes;
    if (__builtin_expect(reader->frames % CLOCK_EVERY == 0, 0)) {
        run.cpu_end = thread_cpu_ns();
        run.frames_end = reader->frames;
        if (run.frames_begin == 0) {
            run.cpu_begin = run.cpu_end;
            run.frames_begin = run.frames_end;
        }
    }
    if (reader->frames == run.count)
        reader->stopped = 1;
}

/* Sends and receives; the frames lost. *PPS is the rate that the sender reached. */
static uint64_t attempt(struct reader *reader, struct traffic traffic, double *pps)
{
    run.count = traffic.count;
    run.frames_begin = run.frames_end = 0;
    uint64_t dropped = frames_dropped(reader);
    struct sender sender = begin_traffic(reader, traffic, 20000);
    read_frames(reader, on_frame);
    *pps = (double)traffic.count / finish_sender(&sender);
    uint64_t lost = traffic.count - reader->frames;
    dropped = frames_dropped(reader) - dropped;
    if (reader->frames > traffic.count || lost != dropped)
        die("%llu frames received and %llu dropped of %llu", (unsigned long long)reader->frames,
            (unsigned long long)dropped, (unsigned long long)traffic.count);
    return lost;
}

/* The rate reached without a loss at the wanted rate, or 0. */
static double reached(struct reader *reader, double wanted)
{
    struct traffic traffic = {.count = (uint64_t)(wanted * TRY_SECONDS), .gap_ns = (uint64_t)(1e9 / wanted)};
    double pps = 0;
    for (int tries = 0; tries < 2; tries++)
        if (attempt(reader, traffic, &pps) != 0)
            return 0;
    return pps;
}

/* The highest rate without a loss below LOSSY; 0 if there is none. */
static double search(struct reader *reader, double lossy)
{
    uint64_t end = now_ns() + SEARCH_SECONDS * 1000000000ull;
    double low = LOWEST_PPS, best = 0;
    while (lossy / low > CLOSE_ENOUGH && now_ns() < end) {
        /* The middle of the two on a logarithmic scale, by Newton's square root. */
        double middle = (low + lossy) / 2;
        for (int i = 0; i < 20; i++)
            middle = (middle + low * lossy / middle) / 2;
        double pps = reached(reader, middle);
        if (pps > 0) {
            low = middle;
            best = pps > best ? pps : best;
        } else {
            lossy = middle;
        }
    }
    return best;
}

/* What the kernel itself takes for a frame that nobody captures, in nanoseconds: the least of some floods. */
static double bare_flood(uint64_t frames)
{
    double least = 0;
    for (int i = 0; i < FLOODS; i++) {
        struct sender sender = start_sender((struct traffic){.count = frames, .by_kernel = 1});
        double cost = finish_sender(&sender) * 1e9 / (double)frames;
        least = least == 0 || cost < least ? cost : least;
    }
    return least;
}

/* CPU time for a packet at the highest rate: the least of some floods, as in walk.c. *PPS: that rate. */
static double cheapest(struct reader *reader, uint64_t frames, double *pps)
{
    double least = 0, rate;
    *pps = 0;
    for (int i = 0; i < FLOODS; i++) {
        attempt(reader, (struct traffic){.count = frames, .by_kernel = 1}, &rate);
        *pps = rate > *pps ? rate : *pps;
        if (run.frames_end <= run.frames_begin)
            continue;
        double cost = (double)(run.cpu_end - run.cpu_begin) / (double)(run.frames_end - run.frames_begin);
        least = least == 0 || cost < least ? cost : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5)
        die("usage: rate SIDE MODE [FRAMES [MB]]");
    struct traffic traffic = {.count = argc > 3 ? strtoull(argv[3], NULL, 10) : FLOOD_FRAMES};
    if (traffic.count < 10000 || traffic.count > 100000000)
        die("10000 to 100000000 frames");
    private_network();
    double bare = bare_flood(traffic.count);
    struct reader *reader = open_reader(argv[1], argv[2], argc > 4 ? atoi(argv[4]) : 0);
    double pps, cost = cheapest(reader, traffic.count, &pps);
    if (cost > 0) {
        result("flood_pps", pps);
        result("cpu_ns_per_packet", cost);
        /* What the ring adds to the way of a frame through the kernel. */
        result("kernel_ns_per_packet", 1e9 / pps - bare);
    }
    uint64_t lost = attempt(reader, traffic, &pps);
    result("sent_pps", pps);
    result("received", (double)reader->frames);
    result("lost", (double)lost);
    result("lossless_pps", lost == 0 ? pps : search(reader, pps));
    return 0;
}
