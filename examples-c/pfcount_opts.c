/*
 * The command line of pfcount.
 */
#define _GNU_SOURCE
#include "pfcount.h"
#include "common.h"

#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "pfcount - counts the packets of a network interface or a capture file\n"
    "\n"
    "usage: pfcount [-i device] [options]\n"
    "\n"
    "What to capture\n"
    "  -i device   eth0, eth0,eth1, eth0@1 (queue 1), eth0.7 (VLAN 7), pcap:FILE, ...; eth0 if absent\n"
    "  -f expr     only packets that match this filter (the language of tcpdump)\n"
    "  -e 0|1|2    both directions (default), received, sent\n"
    "  -l bytes    keep so much of each packet (1536)\n"
    "  -J          no promiscuous mode\n"
    "  -N num      stop after num packets\n"
    "  -c id       join this cluster of captures; each packet goes to one member\n"
    "  -H type     how the cluster spreads packets: 0 flow, 1 round robin, 2 2-tuple, 3 4-tuple,\n"
    "              4 5-tuple (default), 5 TCP 5-tuple, 6..10 the same of inner headers, 11..13\n"
    "  -Q queue    queue of the cluster to take (64, automatic)\n"
    "  -d device   send each received packet to this device\n"
    "\n"
    "How to wait and to receive\n"
    "  -a          never sleep: ask again and again\n"
    "  -w packets  wake up when so many are queued (0, the library's own choice)\n"
    "  -p ms       longest sleep of a waiting receive\n"
    "  -b 1-99     realtime priority (SCHED_FIFO), not with -a\n"
    "  -g core     run on this core, not with -n\n"
    "  -n num      so many threads share the device (1 to 64)\n"
    "  -B          receive in bursts where the device can\n"
    "  -C 1|2      1: receive whole chunks, 2: packets of a ring in chunk mode\n"
    "\n"
    "What to do with packets\n"
    "  -v 1|2      print each packet, 2 with a hex dump\n"
    "  -K len      with -v: only packets longer than this\n"
    "  -o path     write packets to path.1; SIGHUP goes on in path.2 ...; - is standard output\n"
    "  -x file     count packets with a string of this file (one a line, # comment), from byte 42 on\n"
    "  -u 1|2      drop the flow of each packet from then on: 1 hash rules, 2 wildcard rules\n"
    "  -t          read bytes 12 and 13 of each packet\n"
    "  -M          copy each packet\n"
    "  -T          tell when a timestamp goes back\n"
    "  -U          tell when the IPv4 source does not grow by 1\n"
    "  -m          long packet headers\n"
    "\n"
    "Network cards that can do more (accepted everywhere, said on stderr where nothing comes of it)\n"
    "  -s          timestamps by the card; sets its clock\n"
    "  -S          leave timestamps of the card in the packet\n"
    "  -z kind     timestamps at the packet's end: ixia, metawatch or arista\n"
    "  -F          keep the frame check sequence\n"
    "  -r          spread packets over queues by their hash, in software\n"
    "  -R          do not reprogram the card's queues\n"
    "  -0          all packets to queue 0 (implies -R)\n"
    "  -P 0-2      priority of rules in the card\n"
    "  -q          print as system events (devices sysdig:)\n"
    "\n"
    "Lists\n"
    "  -L          the devices; with -v 1 as a table\n"
    "  -I          the devices as JSON\n"
    "  -h, --help  this text\n";

static void help(void)
{
    fputs(usage, stdout);
    exit(0);
}

static void set_defaults(struct options *opt)
{
    memset(opt, 0, sizeof(*opt));
    opt->device = "eth0";
    opt->snaplen = 1536;
    opt->open_flags = PF_RING_PROMISC | PF_RING_ZC_SYMMETRIC_RSS | PF_RING_STRIP_HW_TIMESTAMP;
    opt->threads = 1;
    opt->direction = rx_and_tx_direction;
    opt->core = -1;
    opt->cluster_type = cluster_per_flow_5_tuple;
    opt->cluster_queue = MAX_CLUSTER_QUEUES;
    opt->rule_priority = -1;
}

static u_int32_t trailer_flag(const char *kind)
{
    if (strcmp(kind, "ixia") == 0)
        return PF_RING_IXIA_TIMESTAMP;
    if (strcmp(kind, "metawatch") == 0)
        return PF_RING_METAWATCH_TIMESTAMP;
    if (strcmp(kind, "arista") == 0)
        return PF_RING_ARISTA_TIMESTAMP;
    fprintf(stderr, "-z: '%s' is none of ixia, metawatch, arista\n", kind);
    exit(EXIT_FAILED);
}

/* Flags that choose traffic and the device. 1 if c is one of them. */
static int capture_flag(struct options *opt, int c)
{
    switch (c) {
    case 'i': opt->device = optarg; break;
    case 'f': opt->filter = optarg; break;
    case 'e': opt->direction = (int)parse_number('e', optarg, 0, 2); break;
    case 'l': opt->snaplen = (uint32_t)parse_number('l', optarg, 0, MAX_CAPLEN); break;
    case 'J': opt->open_flags &= ~(uint32_t)PF_RING_PROMISC; break;
    case 'N': opt->max_packets = (uint64_t)parse_number('N', optarg, 0, LLONG_MAX); break;
    case 'c': opt->cluster_id = (int)parse_number('c', optarg, 1, UINT16_MAX); break;
    case 'H': opt->cluster_type = (int)parse_number('H', optarg, 0, MAX_CLUSTER_TYPE_ID); break;
    case 'Q': opt->cluster_queue = (int)parse_number('Q', optarg, 0, MAX_CLUSTER_QUEUES); break;
    case 'd': opt->reflector = optarg; break;
    default: return 0;
    }
    return 1;
}

/* Flags that choose how to receive. */
static int receive_flag(struct options *opt, int c)
{
    switch (c) {
    case 'a': opt->active = 1; break;
    case 'w': opt->watermark = (int)parse_number('w', optarg, 0, UINT16_MAX); break;
    case 'p': opt->poll_duration = (int)parse_number('p', optarg, 0, UINT16_MAX); break;
    case 'b': opt->priority = (int)parse_number('b', optarg, 0, 99); break;
    case 'g': opt->core = (int)parse_number('g', optarg, 0, CPU_SETSIZE - 1); break;
    case 'n': opt->threads = (int)parse_number('n', optarg, 1, MAX_THREADS); break;
    case 'B': opt->burst = 1; break;
    case 'C': opt->chunk_mode = (int)parse_number('C', optarg, 1, 2); break;
    default: return 0;
    }
    return 1;
}

/* Flags that choose what happens to a packet. */
static int packet_flag(struct options *opt, int c)
{
    switch (c) {
    case 'v':
        if (strcmp(optarg, "1") != 0 && strcmp(optarg, "2") != 0)
            help();
        opt->verbose = optarg[0] - '0';
        break;
    case 'K': opt->print_above = (uint32_t)parse_number('K', optarg, 0, UINT32_MAX); break;
    case 'o': opt->dump_path = optarg; break;
    case 'x': opt->strings_path = optarg; break;
    case 'u': opt->drop_rules = strcmp(optarg, "1") == 0 ? rule_hash : rule_wildcard; break;
    case 't': opt->touch = 1; break;
    case 'M': opt->copy = 1; break;
    case 'T': opt->check_time = 1; break;
    case 'U': opt->check_source = 1; break;
    case 'm': opt->open_flags |= PF_RING_LONG_HEADER; break;
    default: return 0;
    }
    return 1;
}

/* Flags for network cards. */
static int card_flag(struct options *opt, int c)
{
    switch (c) {
    case 's':
        opt->hw_timestamp = 1;
        opt->open_flags |= PF_RING_HW_TIMESTAMP;
        break;
    case 'S': opt->open_flags &= ~(uint32_t)PF_RING_STRIP_HW_TIMESTAMP; break;
    case 'z': opt->open_flags |= trailer_flag(optarg); break;
    case 'F': opt->open_flags |= PF_RING_DO_NOT_STRIP_FCS; break;
    case 'r': opt->rehash = 1; break;
    case 'R': opt->open_flags |= PF_RING_ZC_NOT_REPROGRAM_RSS; break;
    case '0': opt->open_flags |= PF_RING_ZC_FIXED_RSS_Q_0 | PF_RING_ZC_NOT_REPROGRAM_RSS; break;
    case 'P': opt->rule_priority = (int)parse_number('P', optarg, 0, 2); break;
    case 'q': opt->sysdig = 1; break;
    default: return 0;
    }
    return 1;
}

/* What follows from the flags taken together. */
static void settle(struct options *opt)
{
    if (opt->verbose || opt->check_source || opt->drop_rules != rule_none)
        opt->open_flags |= PF_RING_LONG_HEADER;
    if (opt->verbose && opt->watermark == 0)
        opt->watermark = 1;
    if (opt->chunk_mode)
        opt->open_flags |= PF_RING_CHUNK_MODE;
    if (opt->dump_path != NULL) {
        opt->threads = 1;
        opt->quiet = strcmp(opt->dump_path, "-") == 0;
        if (opt->quiet && opt->verbose) {
            fprintf(stderr, "-v and -o - both want standard output\n");
            exit(EXIT_FAILED);
        }
    }
    if (opt->threads > 1) {
        opt->open_flags |= PF_RING_REENTRANT;
        if (opt->burst || opt->chunk_mode)
            fprintf(stderr, "-n: threads receive packet by packet, without -B and -C\n");
        opt->burst = opt->chunk_mode = 0;
    }
}

void parse_options(struct options *opt, int argc, char **argv)
{
    static const char flags[] = "Bhi:Ic:C:Fd:H:Jl:Lv:ae:n:w:o:p:P:qb:rg:u:mtsSx:f:z:N:MQ:RTUK:0";
    static const struct option names[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int c;

    set_defaults(opt);
    while ((c = getopt_long(argc, argv, flags, names, NULL)) != -1) {
        if (c == 'h')
            help();
        else if (c == 'L')
            opt->list = 1;
        else if (c == 'I')
            opt->list = opt->list_json = 1;
        else if (c != '?') /* getopt has told of an unknown flag; it is passed over */
            (void)(capture_flag(opt, c) || receive_flag(opt, c) || packet_flag(opt, c) ||
                   card_flag(opt, c));
    }
    if (optind < argc)
        fprintf(stderr, "'%s' and what follows is not used: a device is given by -i\n",
                argv[optind]);
    settle(opt);
}
