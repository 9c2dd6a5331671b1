/* stream KIND COUNT GAP_NS [JITTER_NS]: a reader that keeps up, or tries to, with COUNT frames.
 *
 * Tells what it costs (CPU of the receiving thread), how much was lost, and how long after its sending
 * each packet was in the reader's hands. GAP_NS 0: as fast as the sender can. */
#include "bench.h"
#include "side.h"

#include <pthread.h>
#include <stdlib.h>

/* How long after the last frame the reader is stopped if it has not got them all. */
#define GRACE_MS 300

struct stopper {
    struct side *side;
    struct sender *sender;
    double seconds;
};

static void *stop_when_sent(void *argument)
{
    struct stopper *stopper = argument;
    stopper->seconds = finish_sender(stopper->sender);
    pause_ms(GRACE_MS);
    side_break(stopper->side);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void latencies(uint64_t *delays, uint64_t count)
{
    qsort(delays, count, sizeof *delays, by_size);
    result("p50_us", (double)delays[count / 2] / 1e3);
    result("p99_us", (double)delays[count * 99 / 100] / 1e3);
    result("max_us", (double)delays[count - 1] / 1e3);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("usage: stream KIND COUNT GAP_NS [JITTER_NS]");
    struct traffic traffic = {
        .count = strtoull(argv[2], NULL, 10),
        .gap_ns = strtoull(argv[3], NULL, 10),
        .jitter_ns = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
    };
    struct side side;
    private_network();
    stay_on_cpu(RECEIVER);
    side_open(&side, argv[1]);
    /* Delays are only taken of paced frames: the clock would be most of the cost else. */
    uint64_t *delays = traffic.gap_ns != 0 ? malloc(traffic.count * sizeof *delays) : NULL;

    uint64_t cpu = thread_cpu_ns(), received = 0;
    struct sender sender = start_sender(traffic);
    struct stopper stopper = {&side, &sender, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_when_sent, &stopper) != 0)
        die("pthread_create");
    const unsigned char *bytes;
    while (received < traffic.count && side_next(&side, &bytes)) {
        if (delays != NULL)
            delays[received] = now_ns() - number_at(bytes, STAMP_OFFSET);
        received++;
    }
    cpu = thread_cpu_ns() - cpu;
    pthread_join(thread, NULL);

    uint64_t lost = side_lost(&side);
    if (received + lost != traffic.count)
        die("%llu received and %llu lost of %llu", (unsigned long long)received,
            (unsigned long long)lost, (unsigned long long)traffic.count);
    result("sent", (double)traffic.count);
    result("lost", (double)lost);
    result("seconds", stopper.seconds);
    result("rate", (double)traffic.count / stopper.seconds);
    result("cpu_ns_per_packet", (double)cpu / (double)received);
    result("cpu_percent", (double)cpu / 1e7 / stopper.seconds);
    if (delays != NULL && received > 0)
        latencies(delays, received);
    return 0;
}
