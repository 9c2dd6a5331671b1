/*
 * pfbridge: passes the frames that one interface receives on to another. One direction; a bridge
 * for both is two of them.
 *
 * Without -p the packet is sent from where it was received (pfring_send_last_rx_packet), with -p
 * through a second ring (pfring_send), in batches while the input has more.
 */
#define _GNU_SOURCE
#include "capture.h"
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SNAPLEN 1536
#define LINK_HEADER 22        /* Ethernet and two tags: what a frame has beyond the MTU */
#define PATIENCE_NS 100000000 /* how long a frame waits for room in a full send queue */

static const char usage[] =
    "pfbridge - passes the frames that one interface receives on to another\n"
    "\n"
    "usage: pfbridge -a device -b device [options]\n"
    "\n"
    "  -a device   receive from this one\n"
    "  -b device   send by this one\n"
    "  -p          send with pfring_send on a second ring, else straight from the receiving one\n"
    "  -f expr     only packets that match this filter (the language of tcpdump)\n"
    "  -w packets  wake up when so many are queued (1)\n"
    "  -g core     run on this core\n"
    "  -v          a line for each packet\n"
    "  -c num      accepted, without effect\n"
    "  -h          this text\n"
    "\n"
    "SIGINT or SIGTERM ends it, with the totals.\n";

static struct {
    const char *from, *to, *filter;
    int by_send, verbose, watermark, core;
} options = {.watermark = 1, .core = -1};

static struct {
    uint64_t packets, bytes;
    uint64_t cut, too_long, refused; /* not forwarded */
} total;

static pfring *input, *output; /* output: with -p only */
static int output_index;
static int told; /* errno of the failure that was last told */

static void parse_options(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "ha:b:c:f:vpg:w:")) != -1) {
        switch (c) {
        case 'h': fputs(usage, stdout); exit(0);
        case 'a': options.from = optarg; break;
        case 'b': options.to = optarg; break;
        case 'c': break;
        case 'f': options.filter = optarg; break;
        case 'v': options.verbose = 1; break;
        case 'p': options.by_send = 1; break;
        case 'g': options.core = (int)parse_number('g', optarg, 0, CPU_SETSIZE - 1); break;
        case 'w': options.watermark = (int)parse_number('w', optarg, 1, UINT16_MAX); break;
        default: exit(EXIT_FAILED);
        }
    }
    if (options.from == NULL || options.to == NULL || optind != argc) {
        fputs(usage, stderr);
        exit(EXIT_FAILED);
    }
    if (strcmp(options.from, options.to) == 0) {
        fprintf(stderr, "-a and -b are both %s: a bridge needs two devices\n", options.from);
        exit(EXIT_FAILED);
    }
}

/* Opens the input with room for the longest frame of its MTU. */
static pfring *open_input(void)
{
    u_int32_t flags = PF_RING_PROMISC | PF_RING_LONG_HEADER | PF_RING_DISCARD_INJECTED_PKTS;
    pfring *ring;
    int mtu;

    if (!options.by_send)
        flags |= PF_RING_RX_PACKET_BOUNCE;
    ring = capture_open(options.from, SNAPLEN, flags, "pfbridge-a");
    if (ring == NULL)
        return NULL;
    mtu = pfring_get_mtu_size(ring);
    if (mtu <= SNAPLEN - LINK_HEADER)
        return ring;
    pfring_close(ring);
    return capture_open(options.from, (u_int32_t)mtu + LINK_HEADER, flags, "pfbridge-a");
}

static int open_output(void)
{
    int input_index = -1, rc;

    output = capture_open(options.to, SNAPLEN, PF_RING_PROMISC | PF_RING_LONG_HEADER, "pfbridge-b");
    if (output == NULL)
        return -1;
    errno = 0;
    rc = pfring_get_bound_device_ifindex(output, &output_index);
    if (rc < 0)
        return capture_refused("-b: index of the interface", options.to, rc);
    if (pfring_get_bound_device_ifindex(input, &input_index) == 0 && input_index == output_index) {
        fprintf(stderr, "-a %s and -b %s are the same interface\n", options.from, options.to);
        return -1;
    }
    if (options.by_send) {
        rc = pfring_set_socket_mode(output, send_only_mode);
        return rc < 0 ? capture_refused("send-only mode", options.to, rc)
                      : capture_enable(output, options.to);
    }
    pfring_close(output); /* only its index was wanted */
    output = NULL;
    return 0;
}

static int prepare(void)
{
    int rc;

    input = open_input();
    if (input == NULL || open_output() < 0)
        return -1;
    /* Else it would take what it sends itself for something to send. */
    rc = pfring_set_direction(input, rx_only_direction);
    if (rc < 0 && strncmp(options.from, "pcap:", 5) != 0)
        return capture_refused("receive-only direction", options.from, rc);
    if (options.by_send)
        pfring_set_socket_mode(input, recv_only_mode);
    pfring_set_poll_watermark(input, (u_int16_t)options.watermark);
    if (capture_filter(input, options.from, options.filter) < 0)
        return -1;
    if (options.core >= 0 && bind_to_core(options.core) < 0)
        fprintf(stderr, "-g %d: %s\n", options.core, strerror(errno));
    return capture_enable(input, options.from);
}

static int send_once(const struct pfring_pkthdr *hdr, u_char *data)
{
    errno = 0;
    if (output != NULL)
        return pfring_send(output, (char *)data, hdr->caplen, 0);
    return pfring_send_last_rx_packet(input, output_index);
}

static void not_sent(int rc)
{
    const char *call = output != NULL ? "pfring_send" : "pfring_send_last_rx_packet";

    if (errno == EMSGSIZE)
        total.too_long++;
    else
        total.refused++;
    if (errno != told) /* a link that is down would fill the screen */
        fprintf(stderr, "%s failed: %d (%s, device %s)\n", call, rc, strerror(errno), options.to);
    told = errno;
}

static void forward(const struct pfring_pkthdr *hdr, u_char *data)
{
    uint64_t end = 0;
    int rc;

    if (hdr->caplen < hdr->len) { /* longer than the MTU: joined by the card on receipt */
        total.cut++;
        return;
    }
    while ((rc = send_once(hdr, data)) < 0 && errno == ENOBUFS && !stopping) {
        if (end == 0)
            end = now_ns() + PATIENCE_NS;
        else if (now_ns() > end)
            break;
        sched_yield();
    }
    if (rc < 0) {
        not_sent(rc);
        return;
    }
    told = 0;
    total.packets++;
    total.bytes += hdr->len;
    if (options.verbose)
        printf("Forwarded %u bytes packet\n", hdr->len);
}

static void print_rate(uint64_t packets)
{
    char text[64];

    printf("%s pps\n", format_number((double)packets, text, sizeof(text), 0));
    fflush(stdout);
}

static int bridge(void)
{
    struct pfring_pkthdr hdr;
    struct tick tick;
    u_char *data = NULL;
    uint64_t told_packets = 0;
    int rc = 0;

    memset(&hdr, 0, sizeof(hdr));
    tick_start(&tick, 1000000000u);
    while (!stopping) {
        rc = pfring_recv(input, &data, 0, &hdr, 0);
        if (rc == 0) {
            if (output != NULL)
                pfring_flush_tx_packets(output);
            rc = capture_next(input, &hdr, &data, 0);
        }
        if (rc < 0)
            break;
        if (rc > 0)
            forward(&hdr, data);
        if (tick_due(&tick, rc)) {
            print_rate(total.packets - told_packets);
            told_packets = total.packets;
        }
    }
    return rc < 0 ? capture_ended(options.from, rc) : 0;
}

static void print_totals(void)
{
    printf("Forwarded %llu packets, %llu bytes from %s to %s\n", (unsigned long long)total.packets,
           (unsigned long long)total.bytes, options.from, options.to);
    printf("Not forwarded: %llu lost on receipt, %llu cut, %llu too long, %llu refused\n",
           (unsigned long long)capture_drops(input), (unsigned long long)total.cut,
           (unsigned long long)total.too_long, (unsigned long long)total.refused);
}

int main(int argc, char **argv)
{
    int rc = -1;

    parse_options(argc, argv);
    setlinebuf(stdout);
    if (prepare() == 0) {
        printf("Forwarding from %s to %s\n", options.from, options.to);
        catch_stop_signals();
        rc = bridge();
        print_totals();
    }
    pfring_close(output); /* sends what is left */
    pfring_close(input);
    return rc == 0 ? 0 : EXIT_FAILED;
}
