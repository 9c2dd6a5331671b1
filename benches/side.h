/* One side of a comparison, opened as a user would: our library or libpcap, read packet by packet. */
#ifndef SIDE_H
#define SIDE_H

#include <pcap/pcap.h>
#include <pfring.h>
#include <stdint.h>

/* The kinds of side:
 *   recv       pfring_recv with wait_for_packet = 1, waiting as PFRING_WAIT says
 *   recv-long  the same with PF_RING_LONG_HEADER
 *   spin       pfring_recv with wait_for_packet = 0 in a loop
 *   next_ex    pcap_next_ex
 *   immediate  pcap_next_ex in immediate mode
 * Rings have the size that each library takes when nothing is asked; PFRING_RING_MB and BENCH_PCAP_MB
 * change that. BENCH_PCAP_TIMEOUT_MS is libpcap's packet buffer timeout, 10 unless set. */
struct side {
    pfring *ring;
    pcap_t *pcap;
    int wait;
    volatile int broken;
};

void side_open(struct side *side, const char *kind);
/* 1: a packet, lent until the next call; 0: the side was broken. */
int side_next(struct side *side, const unsigned char **bytes);
/* Ends side_next, from another thread. */
void side_break(struct side *side);
/* Packets lost for want of room. */
uint64_t side_lost(struct side *side);

#endif
