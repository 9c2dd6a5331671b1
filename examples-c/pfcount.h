/*
 * pfcount: counts packets. What its source files share.
 *
 *   pfcount.c         opens, receives, ends
 *   pfcount_opts.c    the command line
 *   pfcount_packet.c  what may be done with a packet beyond counting it
 *   pfcount_stats.c   the lines printed each second
 *   pfcount_devs.c    -L and -I
 */
#ifndef EXAMPLES_PFCOUNT_H
#define EXAMPLES_PFCOUNT_H

#include <stdint.h>

#include <pfring.h>

#define MAX_THREADS 64
/* Preamble, start of frame, FCS and gap: what a packet costs on the wire beyond its bytes. */
#define WIRE_OVERHEAD 24

enum rule_kind { rule_none, rule_hash, rule_wildcard };

struct options {
    const char *device;
    const char *filter;
    const char *reflector;
    const char *dump_path;
    const char *strings_path;
    uint32_t snaplen;
    uint32_t open_flags;
    int threads;
    int direction;
    int watermark;     /* 0 = leave the library's */
    int poll_duration; /* ms, 0 = leave the library's */
    int priority;      /* 0 = not a realtime process */
    int core;          /* -1 = any */
    int cluster_id;    /* 0 = none */
    int cluster_type;
    int cluster_queue;
    int chunk_mode;
    int verbose;
    uint32_t print_above; /* print packets longer than this */
    uint64_t max_packets; /* 0 = no limit */
    enum rule_kind drop_rules;
    int active, burst, hw_timestamp, rehash, touch, copy, check_time, check_source;
    int rule_priority; /* -1 = not given */
    int sysdig;
    int list, list_json;
    int quiet;
};

/* One receiving thread. The counters have one writer, the thread itself. */
struct worker {
    const struct options *opt;
    pfring *ring;
    uint64_t pkts;
    uint64_t bytes;
    uint64_t matched;
    uint64_t last_ns;     /* -T */
    uint32_t last_source; /* -U */
    int have_source;
    unsigned char *scratch; /* -M, snaplen bytes */
    int has_work;           /* packet_work has something to do */
    int result;             /* of the last receive call */
} __attribute__((aligned(64)));

/* Relaxed is enough: a counter says nothing about other memory. */
static inline uint64_t counter_get(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline void counter_add(uint64_t *counter, uint64_t value)
{
    __atomic_store_n(counter, *counter + value, __ATOMIC_RELAXED);
}

/* pfcount.c */
void stop_capture(void);
void stop_failed(void);
void stop_again(void); /* a break that came just before a receive call may have been lost */

/* pfcount_opts.c: leaves by exit() on -h and on what cannot be understood. */
void parse_options(struct options *opt, int argc, char **argv);

/* pfcount_packet.c */
int packet_setup(const struct options *opt, pfring *ring);
int packet_has_work(const struct options *opt);
void packet_work(struct worker *w, const struct pfring_pkthdr *hdr, const u_char *data);
void packet_ask_rotation(void); /* async-signal-safe */
void packet_tick(void);
int packet_finish(void);

/* pfcount_stats.c: between begin and end a thread prints and publishes each second; before and
 * after, the caller may. */
void stats_start(const struct options *opt, pfring *ring, struct worker *workers, int count);
int stats_begin_ticking(void);
void stats_end_ticking(void);
void stats_print(void);
void stats_publish(void);

/* pfcount_devs.c: the exit status */
int list_devices(const struct options *opt);

#endif
