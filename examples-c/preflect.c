/*
 * preflect: each packet that one device receives is sent by another, as it is.
 */
#define _GNU_SOURCE
#include "capture.h"
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct options {
    const char *in, *out, *filter;
    uint32_t snaplen;
    int verbose;
} options = {.snaplen = 65535};

static pfring *in_ring, *out_ring;
static uint64_t received, sent, refused, cut;

static const char usage[] =
    "preflect - sends by one device what another receives\n"
    "\n"
    "-i <device>   receive from this device\n"
    "-o <device>   send by this device\n"
    "-f <expr>     only packets that match this filter\n"
    "-l <bytes>    snap length, 65535 by default; longer packets are not sent\n"
    "-v            a line for each packet\n"
    "-h            this help\n";

static void parse(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "hi:o:f:l:v")) != -1) {
        switch (c) {
        case 'h': fputs(usage, stdout); exit(0);
        case 'i': options.in = optarg; break;
        case 'o': options.out = optarg; break;
        case 'f': options.filter = optarg; break;
        case 'l': options.snaplen = (uint32_t)parse_number('l', optarg, 1, 65535); break;
        case 'v': options.verbose = 1; break;
        default: exit(EXIT_FAILED);
        }
    }
    if (options.in == NULL || options.out == NULL || optind != argc) {
        fputs(usage, stderr);
        exit(EXIT_FAILED);
    }
}

/* 0, or -1 after one line on stderr. */
static int prepare(void)
{
    in_ring = capture_open(options.in, options.snaplen, PF_RING_PROMISC, "preflect");
    if (in_ring == NULL || capture_filter(in_ring, options.in, options.filter) < 0)
        return -1;
    /* What the host sends by it is not reflected: two of us would pass a packet on for ever. */
    pfring_set_direction(in_ring, rx_only_direction);
    out_ring = capture_open(options.out, options.snaplen, 0, "preflect");
    if (out_ring == NULL)
        return -1;
    pfring_set_socket_mode(out_ring, send_only_mode);
    if (capture_enable(out_ring, options.out) < 0)
        return -1;
    return capture_enable(in_ring, options.in);
}

static void reflect(const struct pfring_pkthdr *hdr, u_char *data)
{
    int rc;

    received++;
    if (hdr->caplen < hdr->len) {
        cut++;
        return;
    }
    rc = pfring_send(out_ring, (char *)data, hdr->caplen, 0);
    if (options.verbose)
        printf("pfring_send returned %d\n", rc);
    if (rc >= 0) {
        sent++;
        return;
    }
    if (refused++ == 0)
        fprintf(stderr, "%s: a packet of %u bytes: %s\n", options.out, hdr->len, strerror(errno));
}

static int run(void)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int rc = 0;

    printf("Capturing from %s\n", options.in);
    memset(&hdr, 0, sizeof(hdr));
    while (!stopping) {
        rc = capture_next(in_ring, &hdr, &data, 0);
        if (rc < 0)
            break;
        if (rc > 0)
            reflect(&hdr, data);
        else
            pfring_flush_tx_packets(out_ring);
    }
    rc = rc < 0 ? capture_ended(options.in, rc) : 0;
    pfring_flush_tx_packets(out_ring);
    printf("%llu received, %llu sent, %llu refused, %llu cut\n", (unsigned long long)received,
           (unsigned long long)sent, (unsigned long long)refused, (unsigned long long)cut);
    return rc;
}

int main(int argc, char **argv)
{
    int rc;

    parse(argc, argv);
    setlinebuf(stdout);
    catch_stop_signals();
    rc = prepare();
    if (rc == 0)
        rc = run();
    pfring_close(in_ring);
    pfring_close(out_ring);
    return rc == 0 ? 0 : EXIT_FAILED;
}
