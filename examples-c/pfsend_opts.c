#define _GNU_SOURCE
#include "pfsend.h"
#include "common.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void help(void)
{
    puts("pfsend -i device [options]: sends packets\n"
         "  -h           this text\n"
         "  -i device    send on this device\n"
         "  -f file      packets of a pcap file, once unless -n is given; else made ones\n"
         "  -B expr      send only packets that match this filter\n"
         "  -n num       stop after num packets, 0 = never\n"
         "  -r Gbps      rate in Gbit/s with 24 bytes per packet beyond its own; -1 = as in the file\n"
         "  -p pps       rate in packets per second\n"
         "  -l len       length of made packets (60)\n"
         "  -M, -m mac   source, destination MAC\n"
         "  -S, -D ip    first source (10.0.0.1), destination (192.168.0.1)\n"
         "  -b, -c num   so many different sources, destinations\n"
         "  -t num       so many different source ports per source\n"
         "  -V 4|6|0     IP version, 0 = both in turn\n"
         "  -W id[,id]   VLAN tag, or two\n"
         "  -L num       so many different VLAN ids, with -W\n"
         "  -0 char      fill the payload with this character\n"
         "  -8 num       send each packet so many times\n"
         "  -o num       offset of addresses, or first packet of the file\n"
         "  -O           accepted: packets are always made as they are sent\n"
         "  -F           flush each packet\n"
         "  -w num       send watermark\n"
         "  -a           never sleep\n"
         "  -g core      run on this core\n"
         "  -d           run in the background\n"
         "  -P file      write the process id there\n"
         "  -v           a line per packet, no statistics each second");
}

static void bad(char flag, const char *text, const char *what)
{
    fprintf(stderr, "-%c: '%s' is not %s\n", flag, text, what);
    exit(EXIT_FAILED);
}

static double parse_rate(char flag, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value > 0 || (flag == 'r' && value == -1)) || value > 1e9)
        bad(flag, text, "a rate above 0");
    return value;
}

static void parse_mac(char flag, const char *text, uint8_t *mac)
{
    char rest;

    if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx%c", &mac[0], &mac[1], &mac[2], &mac[3],
               &mac[4], &mac[5], &rest) != 6)
        bad(flag, text, "a MAC address");
}

static uint32_t parse_ip(char flag, const char *text)
{
    struct in_addr address;

    if (inet_pton(AF_INET, text, &address) != 1)
        bad(flag, text, "an IPv4 address");
    return ntohl(address.s_addr);
}

static void parse_tags(struct options *opt, const char *text)
{
    unsigned outer = 0, inner = 0;
    char rest;
    int n = sscanf(text, "%u,%u%c", &outer, &inner, &rest);

    if ((n != 1 && n != 2) || outer > 4095 || inner > 4095 ||
        (n == 1 && strchr(text, ',') != NULL) || text[strspn(text, "0123456789,")] != '\0')
        bad('W', text, "one or two VLAN ids from 0 to 4095");
    opt->tags = n;
    opt->vlan[0] = (uint16_t)outer;
    opt->vlan[1] = (uint16_t)inner;
}

static void set_defaults(struct options *opt)
{
    memset(opt, 0, sizeof(*opt));
    opt->length = MIN_FRAME;
    opt->sources = opt->destinations = opt->ports = opt->repeat = opt->vlan_ids = 1;
    opt->source_ip = 0x0a000001;
    opt->destination_ip = 0xc0a80001;
    opt->ip_version = 4;
    opt->core = -1;
}

/* What shapes a packet. 0 if the flag is none of these. */
static int packet_option(struct options *opt, int c, const char *text)
{
    char flag = (char)c;

    switch (c) {
    case 'l': opt->length = (uint32_t)parse_number(flag, text, 1, MAX_FRAME); break;
    case 'M': parse_mac(flag, text, opt->source_mac); opt->have_source_mac = 1; break;
    case 'm': parse_mac(flag, text, opt->destination_mac); opt->have_destination_mac = 1; break;
    case 'S': opt->source_ip = parse_ip(flag, text); break;
    case 'D': opt->destination_ip = parse_ip(flag, text); break;
    case 'b': opt->sources = (uint32_t)parse_number(flag, text, 1, UINT32_MAX); break;
    case 'c': opt->destinations = (uint32_t)parse_number(flag, text, 1, UINT32_MAX); break;
    case 't': opt->ports = (uint32_t)parse_number(flag, text, 1, 63000); break;
    case 'V':
        opt->ip_version = (int)parse_number(flag, text, 0, 6);
        if (opt->ip_version != 0 && opt->ip_version != 4 && opt->ip_version != 6)
            bad(flag, text, "4, 6 or 0");
        break;
    case 'W': parse_tags(opt, text); break;
    case 'L': opt->vlan_ids = (uint32_t)parse_number(flag, text, 1, 4096); break;
    case '0': opt->fill = (unsigned char)text[0]; break;
    case '8': opt->repeat = (uint32_t)parse_number(flag, text, 1, UINT32_MAX); break;
    case 'o': opt->offset = (uint32_t)parse_number(flag, text, 0, UINT32_MAX); break;
    default: return 0;
    }
    return 1;
}

static void option(struct options *opt, int c, const char *text)
{
    char flag = (char)c;

    if (packet_option(opt, c, text))
        return;
    switch (c) {
    case 'i':
        if (opt->device != NULL)
            bad(flag, text, "possible: one device only");
        opt->device = text;
        break;
    case 'f': opt->file = text; break;
    case 'B': opt->filter = text; break;
    case 'n':
        opt->count = (uint64_t)parse_number(flag, text, 0, INT64_MAX);
        opt->have_count = 1;
        break;
    case 'r': opt->gbps = parse_rate(flag, text); break;
    case 'p': opt->pps = parse_rate(flag, text); break;
    case 'g': opt->core = (int)parse_number(flag, text, 0, 4095); break;
    case 'w': opt->watermark = (int)parse_number(flag, text, 1, 65535); break;
    case 'P': opt->pid_file = text; break;
    case 'a': opt->active = 1; break;
    case 'O': break;
    case 'F': opt->flush = 1; break;
    case 'd': opt->daemon = 1; break;
    case 'v': opt->verbose = 1; break;
    case 'h': help(); exit(0);
    default:
        fprintf(stderr, "pfsend -h shows the options\n");
        exit(EXIT_FAILED);
    }
}

void parse_options(struct options *opt, int argc, char **argv)
{
    uint32_t least;
    int c;

    set_defaults(opt);
    while ((c = getopt(argc, argv, "aB:b:c:D:dFf:g:hi:L:l:M:m:n:Oo:P:p:r:S:t:V:vW:w:8:0:")) != -1)
        option(opt, c, optarg);
    if (opt->device == NULL || optind < argc) {
        help();
        exit(EXIT_FAILED);
    }
    if (opt->gbps < 0 && opt->file == NULL) {
        fprintf(stderr, "-r -1 needs a file (-f)\n");
        exit(EXIT_FAILED);
    }
    if (opt->gbps != 0 && opt->pps != 0) {
        fprintf(stderr, "-r and -p exclude each other\n");
        exit(EXIT_FAILED);
    }
    least = (uint32_t)(14 + 4 * opt->tags + (opt->ip_version == 4 ? 28 : 48));
    if (least < MIN_FRAME)
        least = MIN_FRAME;
    if (opt->length < least)
        opt->length = least;
}
