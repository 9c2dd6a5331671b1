/* A receiver of either side: see reader.h. */
#define _GNU_SOURCE
#include "reader.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* What the sender sent has arrived, and each block timer has passed, when nothing came for this long. */
#define SILENCE_US 60000
/* libpcap's read timeout in its default mode: the block timer of ours. */
#define TIMER_MS 10

static const struct mode {
    const char *side, *name;
    const char *wait, *guard; /* PFRING_WAIT and PFRING_IDLE_GUARD; NULL: not set */
    enum how how;
    uint8_t waits;
    uint16_t watermark; /* 0: not set */
    const char *backend; /* PFRING_BACKEND; NULL: not set */
} modes[] = {
    {"ours", "default", NULL, NULL, RECV, 1, 0, NULL},
    {"ours", "passive", "passive", NULL, RECV, 1, 0, NULL},
    {"ours", "watermark1", "passive", NULL, RECV, 1, 1, NULL},
    {"ours", "active", "active", NULL, RECV, 1, 0, NULL},
    {"ours", "adaptive", "adaptive", NULL, RECV, 1, 0, NULL},
    {"ours", "sleep", "sleep", NULL, RECV, 1, 0, NULL},
    {"ours", "yield", "yield", NULL, RECV, 1, 0, NULL},
    {"ours", "spin0", NULL, NULL, RECV, 0, 0, NULL},
    {"ours", "guarded", NULL, "1", RECV, 0, 0, NULL},
    {"ours", "bpf", NULL, NULL, RECV, 1, 0, "bpf"},
    {"ours", "bpf-active", "active", NULL, RECV, 1, 0, "bpf"},
    {"libpcap", "default", NULL, NULL, NEXT_EX, 1, 0, NULL},
    {"libpcap", "immediate", NULL, NULL, POLL_DISPATCH, 1, 0, NULL},
};

static struct reader the_reader;

static void arm(long us)
{
    struct itimerval timer = {.it_value = {us / 1000000, us % 1000000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void stop(void)
{
    the_reader.stopped = 1;
    if (the_reader.ring != NULL)
        pfring_breakloop(the_reader.ring);
    else
        pcap_breakloop(the_reader.pcap);
}

static volatile sig_atomic_t sender_ended;
static uint64_t frames_then;

/* The sender ended. */
static void on_child(int signal)
{
    (void)signal;
    sender_ended = 1;
    frames_then = the_reader.frames;
    arm(SILENCE_US);
}

/* Stops unless frames still come after the sender's end. */
static void on_alarm(int signal)
{
    (void)signal;
    if (sender_ended && the_reader.frames != frames_then) {
        frames_then = the_reader.frames;
        arm(SILENCE_US);
    } else {
        stop();
    }
}

void begin_reading(struct reader *reader, unsigned ms)
{
    struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    struct sigaction alarm = {.sa_handler = on_alarm};
    arm(0);
    sender_ended = 0;
    reader->frames = 0;
    reader->stopped = 0;
    if (sigaction(SIGCHLD, &child, NULL) != 0 || sigaction(SIGALRM, &alarm, NULL) != 0)
        die("sigaction");
    arm((long)ms * 1000);
}

struct sender begin_traffic(struct reader *reader, struct traffic traffic, unsigned ms)
{
    static cpu_set_t all;
    /* A process that is forked inherits the one CPU that its parent stays on: set that last. */
    if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof all, &all) != 0)
        die("sched_getaffinity");
    if (sched_setaffinity(0, sizeof all, &all) != 0)
        die("sched_setaffinity");
    begin_reading(reader, ms);
    struct sender sender = start_sender(traffic);
    stay_on_cpu(RECEIVER);
    return sender;
}

void reading_failed(struct reader *reader)
{
    die("reading failed: %s", reader->pcap != NULL ? pcap_geterr(reader->pcap) : "pfring_recv");
}

static void set_or_unset(const char *name, const char *value)
{
    if ((value != NULL ? setenv(name, value, 1) : unsetenv(name)) != 0)
        die("%s", name);
}

static pfring *open_ours(const struct mode *mode, int ring_mb)
{
    char text[16];
    snprintf(text, sizeof text, "%d", ring_mb);
    set_or_unset("PFRING_RING_MB", ring_mb != 0 ? text : NULL);
    set_or_unset("PFRING_WAIT", mode->wait);
    set_or_unset("PFRING_IDLE_GUARD", mode->guard);
    set_or_unset("PFRING_BACKEND", mode->backend);
    pfring *ring = pfring_open(RX_NAME, SNAPLEN, PF_RING_PROMISC);
    if (ring == NULL)
        die("pfring_open");
    if (mode->watermark != 0 && pfring_set_poll_watermark(ring, mode->watermark) != 0)
        die("pfring_set_poll_watermark");
    if (pfring_enable_ring(ring) != 0)
        die("pfring_enable_ring");
    return ring;
}

/* Snap length and memory of libpcap are left at its defaults: 262,144 bytes and 2 MiB. */
static pcap_t *open_libpcap(const struct mode *mode, int ring_mb)
{
    char text[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_create(RX_NAME, text);
    if (pcap == NULL)
        die("pcap_create: %s", text);
    pcap_set_promisc(pcap, 1);
    pcap_set_timeout(pcap, TIMER_MS);
    if (mode->how == POLL_DISPATCH)
        pcap_set_immediate_mode(pcap, 1);
    if (ring_mb != 0)
        pcap_set_buffer_size(pcap, ring_mb << 20);
    if (pcap_activate(pcap) < 0)
        die("pcap_activate: %s", pcap_geterr(pcap));
    if (mode->how == POLL_DISPATCH && pcap_setnonblock(pcap, 1, text) != 0)
        die("pcap_setnonblock: %s", text);
    return pcap;
}

struct reader *open_reader(const char *side, const char *name, int ring_mb)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const struct mode *mode = &modes[i];
        if (strcmp(mode->side, side) != 0 || strcmp(mode->name, name) != 0)
            continue;
        the_reader.how = mode->how;
        the_reader.wait = mode->waits;
        if (strcmp(side, "ours") == 0)
            the_reader.ring = open_ours(mode, ring_mb);
        else
            the_reader.pcap = open_libpcap(mode, ring_mb);
        return &the_reader;
    }
    die("no such side and mode: %s %s", side, name);
}

uint64_t frames_dropped(struct reader *reader)
{
    pfring_stat ours;
    struct pcap_stat theirs;
    if (reader->ring != NULL) {
        if (pfring_stats(reader->ring, &ours) != 0)
            die("pfring_stats");
        return ours.drop;
    }
    if (pcap_stats(reader->pcap, &theirs) != 0)
        die("pcap_stats: %s", pcap_geterr(reader->pcap));
    return theirs.ps_drop;
}
