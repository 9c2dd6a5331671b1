/* What the bench programs share: a private network, a sender, clocks, results.
 *
 * A program measures one side once and prints its results as "name value" lines; goals.py
 * interleaves the programs and makes the medians. Every function ends the process on an error. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <sys/types.h>

#define RX_NAME "rx0"
#define TX_NAME "tx0"
#define FRAME_LEN 60
/* Where a frame keeps its number and the CLOCK_MONOTONIC time of its sending. */
#define NUMBER_OFFSET 42
#define STAMP_OFFSET 50
#define SNAPLEN 1536

/* Which CPU a process stays on. On a machine with one CPU both are the same. */
enum role { RECEIVER, SENDER };

/* What a sender shall do, and what it did. The frames are UDP over IPv4, 16 flows. */
struct traffic {
    uint64_t count;
    uint64_t gap_ns;    /* 0: as fast as it can */
    uint64_t jitter_ns; /* each gap is up to this much longer */
    int by_kernel;      /* made by the kernel on RX_NAME (flood.h): all frames are alike */
};

struct sender {
    pid_t pid;
    volatile struct sent {
        uint64_t count, begin_ns, end_ns;
    } *sent;
};

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* Enters a network namespace of its own, with a veth pair RX_NAME and TX_NAME that is up, without
 * IPv6 and ARP: what the sender sends is all there is. */
void private_network(void);
void stay_on_cpu(enum role role);

/* Starts a process that sends on TX_NAME. */
struct sender start_sender(struct traffic traffic);
/* Waits until it has sent all; the seconds that it took. */
double finish_sender(struct sender *sender);

uint64_t now_ns(void);
/* User and system time of this thread. (getrusage parts the two by timer ticks, which says nothing of
 * a few milliseconds.) */
uint64_t thread_cpu_ns(void);
uint64_t process_cpu_ns(void);
/* A UDP frame of FRAME_LEN bytes, of one of 256 flows. */
void make_frame(unsigned char *frame, unsigned flow);
void pause_ms(unsigned ms);

void result(const char *name, double value);
uint64_t number_at(const unsigned char *frame, int offset);

#endif
