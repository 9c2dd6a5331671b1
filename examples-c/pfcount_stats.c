/*
 * The statistics of pfcount. Received packets and bytes are its own counters; only the drops
 * come from the library.
 */
#include "pfcount.h"
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SEPARATOR "=========================\n"

struct totals {
    uint64_t pkts, bytes, matched, dropped;
    uint64_t at_ns;
};

static const struct options *options;
static pfring *ring;
static struct worker *workers;
static int worker_count;
static uint64_t start_ns;
static struct totals last; /* at_ns 0: nothing printed so far */

void stats_start(const struct options *opt, pfring *r, struct worker *w, int count)
{
    options = opt;
    ring = r;
    workers = w;
    worker_count = count;
    start_ns = now_ns();
}

/* Adds up the threads. 0, or the negative answer of pfring_stats. */
static int collect(struct totals *sum)
{
    pfring_stat stat;
    int i, rc;

    memset(sum, 0, sizeof(*sum));
    memset(&stat, 0, sizeof(stat));
    rc = pfring_stats(ring, &stat);
    for (i = 0; i < worker_count; i++) {
        sum->pkts += counter_get(&workers[i].pkts);
        sum->bytes += counter_get(&workers[i].bytes);
        sum->matched += counter_get(&workers[i].matched);
    }
    sum->dropped = stat.drop;
    sum->at_ns = now_ns();
    return rc;
}

void stats_publish(void)
{
    struct totals sum;
    char text[256];
    uint64_t ms;

    if (collect(&sum) < 0)
        return;
    ms = (sum.at_ns - start_ns) / 1000000u;
    snprintf(text, sizeof(text),
             "Duration: %u:%02u:%02u:%02u:%03u\n"
             "Packets:  %llu\n"
             "Dropped:  %llu\n"
             "Bytes:    %llu\n",
             (unsigned)(ms / 86400000u), (unsigned)(ms / 3600000u % 24), (unsigned)(ms / 60000u % 60),
             (unsigned)(ms / 1000u % 60), (unsigned)(ms % 1000u), (unsigned long long)sum.pkts,
             (unsigned long long)sum.dropped, (unsigned long long)sum.bytes);
    pfring_set_application_stats(ring, text);
}

static void print_absolute(const struct totals *sum)
{
    char a[64], b[64], c[64], d[64];
    double total = (double)(sum->pkts + sum->dropped);
    double percent = total > 0 ? 100.0 * (double)sum->dropped / total : 0.0;

    fprintf(stderr, "Absolute Stats: [%s pkts total][%s pkts dropped][%.1f%% dropped]\n",
            format_number(total, a, sizeof(a), 0),
            format_number((double)sum->dropped, b, sizeof(b), 0), percent);
    fprintf(stderr, "[%s pkts rcvd][%s bytes rcvd]", format_number((double)sum->pkts, a, sizeof(a), 0),
            format_number((double)sum->bytes, b, sizeof(b), 0));
    if (last.at_ns != 0) {
        double sec = (double)(sum->at_ns - start_ns) / 1e9;

        fprintf(stderr, "[%s pkt/sec][%s Mbit/sec]",
                format_number((double)sum->pkts / sec, c, sizeof(c), 1),
                format_number((double)sum->bytes * 8.0 / 1e6 / sec, d, sizeof(d), 1));
    }
    fputc('\n', stderr);
    if (options->strings_path != NULL)
        fprintf(stderr, "String matched: %llu\n", (unsigned long long)sum->matched);
}

static void print_actual(const struct totals *sum)
{
    char a[64], b[64], c[64], d[64];
    double pkts = (double)(sum->pkts - last.pkts);
    double bytes = (double)(sum->bytes - last.bytes);
    double ms = (double)(sum->at_ns - last.at_ns) / 1e6;

    if (ms <= 0)
        ms = 1e-6;
    fprintf(stderr, SEPARATOR);
    fprintf(stderr, "Actual Stats: [%s pkts rcvd][%s ms][%s pps][%s Gbps]\n",
            format_number(pkts, a, sizeof(a), 0), format_number(ms, b, sizeof(b), 1),
            format_number(pkts * 1000.0 / ms, c, sizeof(c), 1),
            format_number(bytes * 8.0 / 1e6 / ms, d, sizeof(d), 1));
}

void stats_print(void)
{
    struct totals sum;

    fprintf(stderr, SEPARATOR);
    if (collect(&sum) < 0)
        return;
    print_absolute(&sum);
    if (last.at_ns != 0)
        print_actual(&sum);
    fprintf(stderr, SEPARATOR "\n");
    last = sum;
}

/* --- the thread that does this each second --- */

static pthread_t ticker;
static pthread_mutex_t tick_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick_wake;
static int tick_end;

static void *tick_thread(void *arg)
{
    struct timespec next;

    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&tick_lock);
    while (!tick_end) {
        next.tv_sec++;
        while (!tick_end && pthread_cond_timedwait(&tick_wake, &tick_lock, &next) == 0)
            ;
        if (tick_end)
            break;
        packet_tick();
        stats_publish();
        if (!options->verbose && !options->quiet)
            stats_print();
        stop_again();
    }
    pthread_mutex_unlock(&tick_lock);
    return NULL;
}

int stats_begin_ticking(void)
{
    pthread_condattr_t attr;
    sigset_t all, old;
    int rc;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&tick_wake, &attr);
    pthread_condattr_destroy(&attr);

    /* Signals go to the receiving threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&ticker, NULL, tick_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc == 0 ? 0 : -1;
}

void stats_end_ticking(void)
{
    pthread_mutex_lock(&tick_lock);
    tick_end = 1;
    pthread_cond_signal(&tick_wake);
    pthread_mutex_unlock(&tick_lock);
    pthread_join(ticker, NULL);
    pthread_cond_destroy(&tick_wake);
}
