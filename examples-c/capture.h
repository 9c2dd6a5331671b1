/*
 * What the tools that receive from one thread share: opening with errors that name the device,
 * stopping on SIGINT and SIGTERM, waiting for a packet, a tick each second.
 */
#ifndef EXAMPLES_CAPTURE_H
#define EXAMPLES_CAPTURE_H

#include <signal.h>
#include <stdint.h>

#include <pfring.h>

/* Set by the first SIGINT or SIGTERM after catch_stop_signals. */
extern volatile sig_atomic_t stopping;

/* From now on SIGINT and SIGTERM set `stopping`; capture_next returns within 100 ms. */
void catch_stop_signals(void);

/* pfring_open and the application's name. NULL after one line on stderr. */
pfring *capture_open(const char *device, uint32_t snaplen, uint32_t flags, const char *application);

/* Sets the filter; NULL is none. 0, or -1 after one line on stderr. */
int capture_filter(pfring *ring, const char *device, const char *filter);

/* Enables the ring. 0, or -1 after one line on stderr. */
int capture_enable(pfring *ring, const char *device);

/* Tells a failed setting of a device, by the answer rc and errno. Always -1. */
int capture_refused(const char *setting, const char *device, int rc);

/* The next packet, in place until the next call. 1, 0 if none came for 100 ms (active: none is
 * there), or a negative error of the library. */
int capture_next(pfring *ring, struct pfring_pkthdr *hdr, u_char **data, int active);

/* What the negative answer of capture_next means: 0 for the end of a capture file, else -1 after
 * one line on stderr. */
int capture_ended(const char *device, int rc);

/* LINKTYPE_ value of a ring for capture files. */
uint32_t capture_link_type(pfring *ring);

/* Packets lost by the ring so far. */
uint64_t capture_drops(pfring *ring);

/* Regular work between packets. */
struct tick {
    uint64_t period_ns, next_ns;
    unsigned packets; /* since the clock was last read */
};

void tick_start(struct tick *tick, uint64_t period_ns);

/* Whether it is time; to be asked after each capture_next with its answer. The clock is read for
 * every 64th packet and whenever there was none. */
int tick_due(struct tick *tick, int received);

#endif
