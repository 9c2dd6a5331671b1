/* A receiver of either side: this library in each wait mode, libpcap in each of its ways.
 *
 * A program opens one, starts a sender, and reads until the frame it waits for or until the sender has
 * ended and no more frames come. */
#ifndef READER_H
#define READER_H

#include "bench.h"

#include <pcap/pcap.h>
#include <pfring.h>
#include <poll.h>
#include <signal.h>

enum how { RECV, NEXT_EX, POLL_DISPATCH };

struct reader {
    pfring *ring;
    pcap_t *pcap;
    enum how how;
    uint8_t wait;    /* pfring_recv's wait_for_packet */
    uint64_t frames; /* read so far since begin_reading */
    volatile sig_atomic_t stopped;
};

typedef void frame_fn(struct reader *reader, const unsigned char *bytes);

/* Opens RX_NAME. SIDE is "ours" or "libpcap"; the modes are those of the table in reader.c. RING_MB is the
 * memory of the ring in MiB, 0 for the default of the side. One reader a process: signals stop it. */
struct reader *open_reader(const char *side, const char *mode, int ring_mb);

/* Sets the counter to 0. Reading ends at the latest MS from now. */
void begin_reading(struct reader *reader, unsigned ms);
/* The same, with a sender on another CPU than this process, which stays on the receiver's from then on. */
struct sender begin_traffic(struct reader *reader, struct traffic traffic, unsigned ms);

/* Frames that were lost for want of room since the reader was opened. */
uint64_t frames_dropped(struct reader *reader);

/* No program calls this: a failed read ends the process. */
__attribute__((noreturn)) void reading_failed(struct reader *reader);

struct dispatch_state {
    struct reader *reader;
    frame_fn *each;
};

static inline void dispatch_one(unsigned char *user, const struct pcap_pkthdr *header, const unsigned char *bytes)
{
    (void)header;
    struct dispatch_state *state = (struct dispatch_state *)(void *)user;
    state->reader->frames++;
    state->each(state->reader, bytes);
}

/* Calls EACH with every frame until reader->stopped is set. Inline, so that the call of EACH is one with
 * the loop. Two exits of a sleep that find nothing, a signal and a time limit, are the same here: again. */
__attribute__((always_inline)) static inline void read_frames(struct reader *reader, frame_fn *each)
{
    struct pfring_pkthdr header;
    struct pcap_pkthdr *pcap_header;
    unsigned char *lent;
    const unsigned char *bytes;
    int got = 0;
    if (reader->how == RECV) {
        while (!reader->stopped && (got = pfring_recv(reader->ring, &lent, 0, &header, reader->wait)) >= 0) {
            if (got == 0)
                continue;
            reader->frames++;
            each(reader, lent);
        }
    } else if (reader->how == NEXT_EX) {
        while (!reader->stopped && (got = pcap_next_ex(reader->pcap, &pcap_header, &bytes)) != PCAP_ERROR) {
            if (got != 1)
                continue;
            reader->frames++;
            each(reader, bytes);
        }
    } else {
        struct dispatch_state state = {reader, each};
        struct pollfd fd = {.fd = pcap_get_selectable_fd(reader->pcap), .events = POLLIN};
        while (!reader->stopped && got != PCAP_ERROR) {
            poll(&fd, 1, 100);
            got = pcap_dispatch(reader->pcap, -1, dispatch_one, (unsigned char *)(void *)&state);
        }
    }
    if (!reader->stopped)
        reading_failed(reader);
}

#endif
