#define _GNU_SOURCE
#include "capture.h"
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WAIT_MS 100
#define DLT_RAW 12 /* in memory; LINKTYPE_RAW in files is 101 */
#define LINKTYPE_ETHERNET 1
#define LINKTYPE_RAW 101

volatile sig_atomic_t stopping;

static void on_stop_signal(int sig)
{
    (void)sig;
    stopping = 1;
}

void catch_stop_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_stop_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* a broken pipe is then a failed write */
    sigaction(SIGPIPE, &action, NULL);
}

pfring *capture_open(const char *device, uint32_t snaplen, uint32_t flags, const char *application)
{
    char name[64];
    pfring *ring;

    errno = 0;
    ring = pfring_open(device, snaplen, flags);
    if (ring == NULL) {
        fprintf(stderr, "pfring_open failed: %s (device %s)\n",
                errno != 0 ? strerror(errno) : "no reason given", device);
        return NULL;
    }
    snprintf(name, sizeof(name), "%s", application);
    pfring_set_application_name(ring, name);
    return ring;
}

int capture_refused(const char *setting, const char *device, int rc)
{
    if (rc == PF_RING_ERROR_NOT_SUPPORTED)
        fprintf(stderr, "%s: not supported on device %s\n", setting, device);
    else
        fprintf(stderr, "%s failed: %s (device %s, %d)\n", setting, strerror(errno), device, rc);
    return -1;
}

int capture_filter(pfring *ring, const char *device, const char *filter)
{
    char text[4096];
    int rc;

    if (filter == NULL)
        return 0;
    if (snprintf(text, sizeof(text), "%s", filter) >= (int)sizeof(text)) {
        fprintf(stderr, "-f: the filter is longer than %zu characters\n", sizeof(text) - 1);
        return -1;
    }
    errno = 0;
    rc = pfring_set_bpf_filter(ring, text);
    if (rc >= 0)
        return 0;
    fprintf(stderr, "-f '%s': the filter could not be %s (device %s, %d)\n", filter,
            rc == PF_RING_ERROR_INVALID_ARGUMENT ? "compiled" : "set", device, rc);
    return -1;
}

int capture_enable(pfring *ring, const char *device)
{
    int rc;

    errno = 0;
    rc = pfring_enable_ring(ring);
    return rc == 0 ? 0 : capture_refused("pfring_enable_ring", device, rc);
}

int capture_next(pfring *ring, struct pfring_pkthdr *hdr, u_char **data, int active)
{
    int rc = pfring_recv(ring, data, 0, hdr, 0);

    if (rc != 0 || active || stopping)
        return rc;
    /* A signal just before this call is seen when the time is over. */
    rc = pfring_poll(ring, WAIT_MS);
    if (rc < 0)
        return errno == EINTR ? 0 : rc;
    return rc == 0 ? 0 : pfring_recv(ring, data, 0, hdr, 0);
}

int capture_ended(const char *device, int rc)
{
    int cause = errno;

    if (rc == PF_RING_ERROR_INVALID_ARGUMENT && strncmp(device, "pcap:", 5) == 0)
        return 0;
    fprintf(stderr, "receiving from %s failed: %d (%s)\n", device, rc, strerror(cause));
    return -1;
}

uint32_t capture_link_type(pfring *ring)
{
    int type = pfring_get_link_type(ring);

    if (type < 0)
        return LINKTYPE_ETHERNET;
    return type == DLT_RAW ? LINKTYPE_RAW : (uint32_t)type;
}

uint64_t capture_drops(pfring *ring)
{
    pfring_stat stat;

    memset(&stat, 0, sizeof(stat));
    return pfring_stats(ring, &stat) < 0 ? 0 : stat.drop;
}

void tick_start(struct tick *tick, uint64_t period_ns)
{
    tick->period_ns = period_ns;
    tick->next_ns = now_ns() + period_ns;
    tick->packets = 0;
}

int tick_due(struct tick *tick, int received)
{
    uint64_t now;

    if (received > 0 && ++tick->packets % 64 != 0)
        return 0;
    now = now_ns();
    if (now < tick->next_ns)
        return 0;
    tick->next_ns += tick->period_ns;
    if (tick->next_ns <= now)
        tick->next_ns = now + tick->period_ns;
    return 1;
}
