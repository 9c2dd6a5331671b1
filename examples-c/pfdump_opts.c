/*
 * The command line of pfdump.
 */
#define _GNU_SOURCE
#include "pfdump.h"
#include "common.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pfring.h>

static const char usage[] =
    "pfdump - records the packets of a network interface in capture files\n"
    "\n"
    "usage: pfdump -w file [options]\n"
    "\n"
    "  -w file     write to this file; - is standard output\n"
    "  -i device   eth0 if absent\n"
    "  -F format   pcap (microseconds) or pcapng (nanoseconds); by itself pcapng for a file whose\n"
    "              name ends so, else pcap\n"
    "  -s bytes    keep so much of each packet (128), 0 all of it\n"
    "  -f expr     only packets that match this filter (the language of tcpdump)\n"
    "  -e 0|1|2    both directions (default), received, sent\n"
    "  -c id       join this cluster of captures; each packet goes to one member\n"
    "  -a          never sleep: ask again and again\n"
    "\n"
    "Several files, file.1, file.2, ...\n"
    "  -C MB       a new one before a file grows beyond so many million bytes\n"
    "  -G seconds  a new one when packets are so much later than the first of the file\n"
    "  -W num      keep the newest num files only\n"
    "\n"
    "When to tell and to end\n"
    "  -t seconds  between two lines of statistics (1)\n"
    "  -d seconds  end after so much packet time\n"
    "  -N num      end after num packets\n"
    "  -h          this text\n";

static enum pcapwrite_format parse_format(const char *text)
{
    if (strcmp(text, "pcap") == 0)
        return pcapwrite_pcap;
    if (strcmp(text, "pcapng") == 0)
        return pcapwrite_pcapng;
    fprintf(stderr, "-F: '%s' is none of pcap, pcapng\n", text);
    exit(EXIT_FAILED);
}

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Flags that say what to capture. 1 if c is one of them. */
static int capture_flag(struct options *opt, int c)
{
    switch (c) {
    case 'i': opt->device = optarg; break;
    case 'f': opt->filter = optarg; break;
    case 'e': opt->direction = (int)parse_number('e', optarg, 0, 2); break;
    case 'a': opt->active = 1; break;
    case 'c': opt->cluster_id = (int)parse_number('c', optarg, 1, UINT16_MAX); break;
    case 's':
        opt->snaplen = (uint32_t)parse_number('s', optarg, 0, MAX_CAPLEN);
        if (opt->snaplen == 0)
            opt->snaplen = MAX_CAPLEN;
        break;
    case 't': opt->every_s = (uint64_t)parse_number('t', optarg, 1, INT_MAX); break;
    case 'd': opt->duration_s = (uint64_t)parse_number('d', optarg, 0, INT_MAX); break;
    case 'N': opt->max_packets = (uint64_t)parse_number('N', optarg, 0, LLONG_MAX); break;
    default: return 0;
    }
    return 1;
}

void parse_options(struct options *opt, int argc, char **argv)
{
    int c, have_format = 0;

    memset(opt, 0, sizeof(*opt));
    opt->device = "eth0";
    opt->snaplen = 128;
    opt->direction = rx_and_tx_direction;
    opt->every_s = 1;
    while ((c = getopt(argc, argv, "hi:d:ae:w:f:t:c:s:F:C:G:W:N:")) != -1) {
        if (capture_flag(opt, c))
            continue;
        switch (c) {
        case 'h': fputs(usage, stdout); exit(0);
        case 'w': opt->path = optarg; break;
        case 'F': opt->format = parse_format(optarg); have_format = 1; break;
        case 'C': opt->rotate_bytes = (uint64_t)parse_number('C', optarg, 1, INT_MAX) * 1000000u; break;
        case 'G': opt->rotate_ns = (uint64_t)parse_number('G', optarg, 1, INT_MAX) * 1000000000u; break;
        case 'W': opt->keep = (unsigned)parse_number('W', optarg, 1, INT_MAX); break;
        default: exit(EXIT_FAILED);
        }
    }
    if (opt->path == NULL || optind != argc) {
        fputs(usage, stderr);
        exit(EXIT_FAILED);
    }
    if (!have_format && ends_with(opt->path, ".pcapng"))
        opt->format = pcapwrite_pcapng;
    if (strcmp(opt->path, "-") == 0 && (opt->rotate_bytes != 0 || opt->rotate_ns != 0)) {
        fprintf(stderr, "-C and -G need a file: standard output is only one\n");
        exit(EXIT_FAILED);
    }
}
