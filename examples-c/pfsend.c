/*
 * pfsend: sends made packets, or those of a capture file, at the rate asked for, using <pfring.h>
 * alone.
 *
 * Each packet has a time at which it is due, counted from the start, so that a late wake-up is made
 * up for by the packets after it and the mean rate holds.
 */
#define _GNU_SOURCE
#include "pfsend.h"
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define SHORTEST_SLEEP 60000ull   /* ns: below, waking up costs more than it saves */
#define LONGEST_SLEEP (SECOND / 10)
#define LAST_WAIT (5 * SECOND)
#define TOO_LONG (-2)

static struct options options;
static pfring *ring;
static volatile sig_atomic_t stopping;
static uint64_t sent, sent_bytes; /* bytes with WIRE_OVERHEAD */
static uint64_t start_ns, last_ns, last_sent, last_bytes;

static void on_stop_signal(int sig)
{
    (void)sig;
    stopping = 1;
}

static void catch_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_stop_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* --- statistics --- */

static void publish(uint64_t now, double pps, double bps)
{
    char text[256];

    snprintf(text, sizeof(text),
             "Duration:       %llu\nSentPackets:    %llu\nSentBytes:      %llu\n"
             "CurrentSentPps: %.0f\nCurrentSentBitps: %.0f\n",
             (unsigned long long)((now - start_ns) / SECOND), (unsigned long long)sent,
             (unsigned long long)sent_bytes, pps, bps);
    pfring_set_application_stats(ring, text);
}

static void print_rates(void)
{
    uint64_t now = now_ns();
    double step = (double)(now - last_ns) / 1e9, all = (double)(now - start_ns) / 1e9;
    double pps, bps, mean_pps, mean_bps;
    char a[64], b[64], c[64], d[64], e[64];

    if (step <= 0 || all <= 0)
        return;
    pps = (double)(sent - last_sent) / step;
    bps = (double)(sent_bytes - last_bytes) * 8 / step;
    mean_pps = (double)sent / all;
    mean_bps = (double)sent_bytes * 8 / all;
    publish(now, pps, bps);
    printf("TX rate: [current %s pps/%s Gbps][average %s pps/%s Gbps][total %s pkts]\n",
           format_number(pps, a, sizeof(a), 1), format_number(bps / 1e9, b, sizeof(b), 1),
           format_number(mean_pps, c, sizeof(c), 1), format_number(mean_bps / 1e9, d, sizeof(d), 1),
           format_number((double)sent, e, sizeof(e), 0));
    fflush(stdout);
    last_ns = now;
    last_sent = sent;
    last_bytes = sent_bytes;
}

static void tick(uint64_t now)
{
    if (!options.verbose && now - last_ns >= SECOND)
        print_rates();
}

/* --- opening --- */

static int set_filter(void)
{
    char *text;
    int rc;

    if (options.filter == NULL)
        return 0;
    text = strdup(options.filter);
    rc = text == NULL ? -1 : pfring_set_bpf_filter(ring, text);
    free(text);
    if (rc < 0)
        fprintf(stderr, "-B '%s': the filter could not be %s (%d)\n", options.filter,
                rc == -2 ? "compiled" : "set", rc);
    return rc < 0 ? -1 : 0;
}

static int open_ring(void)
{
    static char name[] = "pfsend";
    u_int32_t version = 0;

    errno = 0;
    ring = pfring_open(options.device, options.length > 1500 ? options.length : 1500,
                       options.filter != NULL ? PF_RING_TX_BPF : 0);
    if (ring == NULL) {
        fprintf(stderr, "pfring_open failed: %s (device %s)\n",
                errno != 0 ? strerror(errno) : "no reason given", options.device);
        return -1;
    }
    pfring_set_application_name(ring, name);
    printf("Sending packets on %s\n", options.device);
    if (pfring_version(ring, &version) < 0)
        pfring_version_noring(&version);
    printf("Using PF_RING v.%u.%u.%u on %s\n", version >> 16, version >> 8 & 0xff, version & 0xff,
           options.device);
    if (set_filter() < 0)
        return -1;
    if (options.watermark > 0 &&
        pfring_set_tx_watermark(ring, (u_int16_t)options.watermark) < 0)
        fprintf(stderr, "-w: not possible on %s, going on without it\n", options.device);
    pfring_set_socket_mode(ring, send_only_mode);
    errno = 0;
    if (pfring_enable_ring(ring) != 0) {
        fprintf(stderr, "pfring_enable_ring failed: %s (device %s)\n", strerror(errno),
                options.device);
        return -1;
    }
    return 0;
}

/* --- sending --- */

/* ns from the start until the packet after this one is due, beyond the time of this one. */
static double gap_after(uint64_t number, const struct packet *p)
{
    uint64_t here = p->ns, next;

    if (options.pps > 0)
        return 1e9 / options.pps;
    if (options.gbps > 0)
        return (double)(p->len + WIRE_OVERHEAD) * 8 / options.gbps;
    if (options.gbps == 0)
        return 0;
    next = packets_get(number + 1)->ns;
    return next > here ? (double)(next - here) : 0; /* a file may go back in time, and starts again */
}

/* Hands over what is batched, then waits until the time has come or a signal. */
static void wait_until(uint64_t due)
{
    uint64_t now = now_ns();

    if (now < due)
        pfring_flush_tx_packets(ring);
    while (!stopping && now < due) {
        uint64_t left = due - now;

        if (!options.active && left > SHORTEST_SLEEP) {
            struct timespec nap = {0, (long)(left < LONGEST_SLEEP ? left : LONGEST_SLEEP)};

            nanosleep(&nap, NULL);
        }
        now = now_ns();
        tick(now);
    }
}

/* Sends one packet, however long the queue is full. 0, or -1 after an error that has been told. */
static int send_packet(const struct packet *p)
{
    static int warned;
    int rc, cause;

    while (!stopping) {
        errno = 0;
        rc = pfring_send(ring, (char *)p->data, p->len, (u_int8_t)options.flush);
        cause = errno;
        if (rc >= 0) {
            if (rc > 0) {
                sent++;
                sent_bytes += p->len + WIRE_OVERHEAD;
            }
            if (options.verbose)
                printf("pfring_send(%u bytes) returned %d\n", p->len, rc);
            return 0;
        }
        if (rc == TOO_LONG && options.file != NULL) { /* others in the file may be shorter */
            if (!warned++)
                fprintf(stderr, "a packet of %u bytes is too long for %s (MTU %d): skipped, as all such\n",
                        p->len, options.device, pfring_get_mtu_size(ring));
            return 0;
        }
        if (rc != -1 || (cause != ENOBUFS && cause != EAGAIN && cause != EINTR)) {
            fprintf(stderr, "sending %u bytes on %s failed: %d (%s)\n", p->len, options.device, rc,
                    cause != 0 ? strerror(cause) : "no reason given");
            return -1;
        }
        if (!options.active)
            usleep(1);
        tick(now_ns());
    }
    return 0;
}

/* Hands over the last batch. 0, or -1 after an error that has been told. */
static int flush_all(void)
{
    uint64_t end = now_ns() + LAST_WAIT;
    int rc;

    do {
        errno = 0;
        rc = pfring_flush_tx_packets(ring);
        if (rc == -1 && errno == ENOBUFS)
            usleep(100);
    } while (rc == -1 && errno == ENOBUFS && now_ns() < end);
    if (rc == 0 || rc == PF_RING_ERROR_NOT_SUPPORTED)
        return 0;
    fprintf(stderr, "sending the last packets on %s failed: %d (%s)\n", options.device, rc,
            strerror(errno));
    return -1;
}

static int send_all(void)
{
    uint64_t limit = options.count, number;
    double due = 0;
    int paced = options.pps > 0 || options.gbps != 0, rc = 0;

    if (!options.have_count && options.file != NULL)
        limit = packets_in_file() * options.repeat;
    start_ns = last_ns = now_ns();
    for (number = 0; !stopping && rc == 0 && (limit == 0 || number < limit); number++) {
        const struct packet *p = packets_get(number);

        if (paced)
            wait_until(start_ns + (uint64_t)due);
        else if (number % 256 == 0)
            tick(now_ns());
        if (stopping)
            break;
        if (paced && number % 64 == 0)
            tick(now_ns());
        rc = send_packet(p);
        if (paced)
            due += gap_after(number, p);
    }
    return flush_all() < 0 ? -1 : rc;
}

static int write_pid(void)
{
    FILE *out;

    if (options.pid_file == NULL)
        return 0;
    out = fopen(options.pid_file, "w");
    if (out != NULL && fprintf(out, "%d\n", (int)getpid()) > 0 && fclose(out) == 0)
        return 0;
    fprintf(stderr, "-P %s: %s\n", options.pid_file, strerror(errno));
    return -1;
}

static int run(void)
{
    int rc;

    if (options.core >= 0 && bind_to_core(options.core) < 0)
        fprintf(stderr, "-g %d: %s\n", options.core, strerror(errno));
    if (options.pps > 0)
        printf("Rate set to %.0f pps\n", options.pps);
    else if (options.gbps > 0)
        printf("Rate set to %.3f Gbps\n", options.gbps);
    else if (options.gbps < 0)
        printf("Rate set to that of the file\n");
    fflush(stdout);
    rc = send_all();
    print_rates();
    printf("Sent %llu packets\n", (unsigned long long)sent);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = -1;

    parse_options(&options, argc, argv);
    setlinebuf(stdout);
    catch_signals();
    if (options.daemon && daemon(1, 1) < 0) {
        fprintf(stderr, "-d: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    if (write_pid() == 0 && packets_setup(&options) == 0 && open_ring() == 0)
        rc = run();
    pfring_close(ring);
    packets_free();
    if (options.pid_file != NULL && rc == 0)
        unlink(options.pid_file);
    return rc == 0 ? 0 : EXIT_FAILED;
}
