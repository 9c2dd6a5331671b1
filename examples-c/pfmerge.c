/*
 * pfmerge: packets of several interfaces, a ring each, as one stream in the order of their time stamps
 * (pfring_next_pkt_time), counted or written to a file.
 */
#define _GNU_SOURCE
#include "capture.h"
#include "common.h"
#include "pcapwrite.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_DEVICES 16
#define SNAPLEN 65535
/* How long a packet waits for an older one of a device that shows none. */
#define HOLD_NS 1000000
/* How often a signal is looked for. */
#define LOOK_MS 100

struct source {
    const char *device;
    pfring *ring;
    uint64_t next_ns; /* stamp of its next packet; 0: it shows none */
};

static struct options {
    const char *filter, *path;
    uint64_t most;
    int quiet;
} options;

static struct source sources[MOST_DEVICES];
static unsigned devices;
static struct pcapwrite file;
static uint64_t packets, bytes, late, last_ns;

static const char usage[] =
    "pfmerge - packets of several devices in the order of their time stamps\n"
    "\n"
    "-i <device>   a device; to be given at least twice\n"
    "-w <file>     write them to this pcapng file\n"
    "-f <expr>     only packets that match this filter\n"
    "-N <num>      end after so many packets\n"
    "-q            only the totals at the end\n"
    "-h            this help\n";

static void parse(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "hi:w:f:N:q")) != -1) {
        switch (c) {
        case 'h': fputs(usage, stdout); exit(0);
        case 'i':
            if (devices == MOST_DEVICES) {
                fprintf(stderr, "-i: %d devices at most\n", MOST_DEVICES);
                exit(EXIT_FAILED);
            }
            sources[devices++].device = optarg;
            break;
        case 'w': options.path = optarg; break;
        case 'f': options.filter = optarg; break;
        case 'N': options.most = (uint64_t)parse_number('N', optarg, 1, INT64_MAX); break;
        case 'q': options.quiet = 1; break;
        default: exit(EXIT_FAILED);
        }
    }
    if (devices < 2 || optind != argc) {
        fputs(usage, stderr);
        exit(EXIT_FAILED);
    }
}

static int open_source(struct source *source)
{
    source->ring = capture_open(source->device, SNAPLEN, PF_RING_PROMISC, "pfmerge");
    if (source->ring == NULL || capture_filter(source->ring, source->device, options.filter) < 0)
        return -1;
    /* Each packet is to show at once: what is not seen cannot be waited for. */
    pfring_set_poll_watermark(source->ring, 1);
    pfring_set_direction(source->ring, rx_only_direction);
    return capture_enable(source->ring, source->device);
}

static int open_file(void)
{
    struct pcapwrite_file wanted = {.path = options.path, .format = pcapwrite_pcapng, .snaplen = SNAPLEN};

    if (options.path == NULL)
        return 0;
    wanted.link_type = capture_link_type(sources[0].ring);
    if (pcapwrite_open(&file, &wanted) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", options.path, strerror(errno));
    return -1;
}

static uint64_t real_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Looks at each device; the one whose next packet is the oldest, NULL if none shows one. *SILENT: whether
 * another shows none. */
static struct source *oldest(int *silent)
{
    struct source *first = NULL;
    struct timespec ts;
    unsigned i;

    *silent = 0;
    for (i = 0; i < devices; i++) {
        struct source *source = &sources[i];

        if (source->next_ns == 0 && pfring_next_pkt_time(source->ring, &ts) == 0)
            source->next_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
        if (source->next_ns == 0)
            *silent = 1;
        else if (first == NULL || source->next_ns < first->next_ns)
            first = source;
    }
    return first;
}

static void wait_for_any(void)
{
    struct pollfd fds[MOST_DEVICES];
    unsigned i;

    for (i = 0; i < devices; i++)
        fds[i] = (struct pollfd){.fd = pfring_get_selectable_fd(sources[i].ring), .events = POLLIN};
    poll(fds, devices, LOOK_MS);
}

/* How long the packet has to wait still. */
static uint64_t held_ns(const struct source *source, int silent)
{
    uint64_t now = real_time_ns();

    if (!silent || now < source->next_ns)
        return 0;
    return now - source->next_ns < HOLD_NS ? HOLD_NS - (now - source->next_ns) : 0;
}

/* 1, 0 when there was none after all, -1 after an error that has been told. */
static int take(struct source *source)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    uint64_t ns;
    int rc;

    memset(&hdr, 0, sizeof(hdr));
    rc = pfring_recv(source->ring, &data, 0, &hdr, 0);
    source->next_ns = 0;
    if (rc <= 0)
        return rc == 0 ? 0 : capture_ended(source->device, rc);
    ns = hdr.extended_hdr.timestamp_ns;
    late += ns < last_ns;
    last_ns = ns;
    packets++;
    bytes += hdr.len;
    if (options.path != NULL && pcapwrite_packet(&file, ns, hdr.caplen, hdr.len, data) < 0) {
        fprintf(stderr, "%s: %s\n", options.path, strerror(errno));
        return -1;
    }
    return 1;
}

static int merge(void)
{
    uint64_t told = 0;
    struct tick tick;
    int rc = 0, silent;

    tick_start(&tick, 1000000000u);
    while (!stopping && rc >= 0 && (options.most == 0 || packets < options.most)) {
        struct source *source = oldest(&silent);
        uint64_t held = source != NULL ? held_ns(source, silent) : 0;

        rc = 0;
        if (source == NULL) {
            wait_for_any();
        } else if (held > 0) {
            struct timespec pause = {0, (long)held};

            nanosleep(&pause, NULL);
        } else {
            rc = take(source);
        }
        if (tick_due(&tick, rc) && !options.quiet) {
            printf("%llu pps\n", (unsigned long long)(packets - told));
            told = packets;
        }
    }
    return rc < 0 ? -1 : 0;
}

static void end(void)
{
    uint64_t drops = 0;
    unsigned i;

    for (i = 0; i < devices; i++) {
        if (sources[i].ring != NULL)
            drops += capture_drops(sources[i].ring);
        pfring_close(sources[i].ring);
    }
    printf("Merged %llu packets, %llu bytes, from %u devices; %llu out of order; %llu dropped\n",
           (unsigned long long)packets, (unsigned long long)bytes, devices, (unsigned long long)late,
           (unsigned long long)drops);
}

int main(int argc, char **argv)
{
    int rc = 0;
    unsigned i;

    parse(argc, argv);
    setlinebuf(stdout);
    catch_stop_signals();
    for (i = 0; i < devices && rc == 0; i++)
        rc = open_source(&sources[i]);
    if (rc == 0)
        rc = open_file();
    if (rc == 0) {
        puts("Merging");
        rc = merge();
    }
    if (pcapwrite_close(&file) < 0) {
        fprintf(stderr, "%s: %s\n", options.path, strerror(errno));
        rc = -1;
    }
    end();
    return rc == 0 ? 0 : EXIT_FAILED;
}
