/* wake SIDE MODE RATE SECONDS: how long after its sending a lone frame is seen, and what waiting costs.
 *
 * Frames come one by one at RATE per second. The first WARM_UP_MS are received, but not measured: a
 * ring changes from blocks to slots in that time when its program spins on empty calls. */
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>

#define WARM_UP_MS 300
/* The clocks are read every so many frames, a power of two. */
#define CLOCK_EVERY 32
/* Up to this rate the gaps vary, so that they stay out of step with the timers of the kernel. */
#define VARIED_BELOW 10000

static struct {
    uint64_t *delays;
    uint64_t count, skipped; /* frames that are sent, those of them that are not measured */
    uint64_t measured, expected; /* frames measured, the number that comes next */
    uint64_t cpu_begin, wall_begin, cpu_end, wall_end;
} run;

static void on_frame(struct reader *reader, const unsigned char *bytes)
{
    uint64_t now = now_ns();
    uint64_t number = number_at(bytes, NUMBER_OFFSET);
    if (number < run.expected || number >= run.count)
        die("frame %llu where %llu or a later one should be", (unsigned long long)number,
            (unsigned long long)run.expected);
    run.expected = number + 1;
    if (number >= run.skipped) {
        if (run.measured == 0) {
            run.cpu_begin = thread_cpu_ns();
            run.wall_begin = now;
        } else if (run.measured % CLOCK_EVERY == 0 || run.expected == run.count) {
            run.cpu_end = thread_cpu_ns();
            run.wall_end = now;
        }
        run.delays[run.measured++] = now - number_at(bytes, STAMP_OFFSET);
    }
    if (run.expected == run.count)
        reader->stopped = 1;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double quantile(double part)
{
    return (double)run.delays[(uint64_t)((double)(run.measured - 1) * part)];
}

int main(int argc, char **argv)
{
    if (argc != 5)
        die("usage: wake SIDE MODE RATE SECONDS");
    double rate = atof(argv[3]), seconds = atof(argv[4]);
    if (rate < 1 || rate > 1e6 || seconds <= 0 || seconds > 60)
        die("1 to 1000000 frames a second, up to 60 seconds");
    run.skipped = (uint64_t)(rate * WARM_UP_MS / 1000);
    run.count = run.skipped + (uint64_t)(rate * seconds) + 1;
    run.delays = malloc(run.count * sizeof *run.delays);
    if (run.delays == NULL)
        die("malloc");
    for (uint64_t i = 0; i < run.count; i++)
        run.delays[i] = 0; /* no page fault later */

    private_network();
    struct reader *reader = open_reader(argv[1], argv[2], 0);
    struct traffic traffic = {.count = run.count, .gap_ns = (uint64_t)(1e9 / rate)};
    if (rate < VARIED_BELOW) {
        traffic.jitter_ns = traffic.gap_ns / 4;
        traffic.gap_ns -= traffic.jitter_ns / 2;
    }
    struct sender sender = begin_traffic(reader, traffic, (unsigned)(2000 * seconds) + 5000);
    read_frames(reader, on_frame);
    double took = finish_sender(&sender);
    if (run.measured < 2 || run.wall_end == 0)
        die("only %llu frames were measured", (unsigned long long)run.measured);

    qsort(run.delays, run.measured, sizeof *run.delays, by_size);
    result("p50_ns", quantile(0.5));
    result("p99_ns", quantile(0.99));
    result("max_ns", quantile(1));
    result("cpu_percent", 100.0 * (double)(run.cpu_end - run.cpu_begin) / (double)(run.wall_end - run.wall_begin));
    result("measured", (double)run.measured);
    result("lost", (double)(run.count - reader->frames));
    result("sent_pps", (double)run.count / took);
    return 0;
}
