/*
 * pfsend: sends packets. What its source files share.
 *
 *   pfsend.c          opens, sends at the rate asked for, ends
 *   pfsend_opts.c     the command line
 *   pfsend_packets.c  where packets come from: made, or read from a capture file
 */
#ifndef EXAMPLES_PFSEND_H
#define EXAMPLES_PFSEND_H

#include <stdint.h>

#include <pfring.h>

/* Preamble, start of frame, FCS and gap: what a packet costs on the wire beyond its bytes. */
#define WIRE_OVERHEAD 24
#define MAX_FRAME 65535
#define MIN_FRAME 60

struct options {
    const char *device;
    const char *file;
    const char *filter;
    const char *pid_file;
    uint32_t length;   /* bytes of a made frame */
    uint64_t count;    /* 0 = endless, or the file once */
    int have_count;
    double gbps;       /* 0 = no limit, below 0 = as the file says */
    double pps;        /* 0 = no limit */
    uint8_t source_mac[6], destination_mac[6];
    int have_source_mac, have_destination_mac;
    uint32_t sources, destinations, ports; /* how many different ones, at least 1 */
    uint32_t source_ip, destination_ip;    /* host byte order */
    int ip_version;                        /* 4, 6, or 0 for both in turn */
    uint32_t repeat;
    uint32_t offset;
    int tags;
    uint16_t vlan[2];
    uint32_t vlan_ids; /* how many different ones, at least 1 */
    int fill;          /* byte of the payload */
    int core;          /* -1 = any */
    int watermark;     /* 0 = leave the library's */
    int active, flush, daemon, verbose;
};

struct packet {
    unsigned char *data;
    uint32_t len;
    uint64_t ns; /* when it was captured; 0 for a made one */
};

/* pfsend_opts.c: leaves by exit() on -h and on what cannot be understood. */
void parse_options(struct options *opt, int argc, char **argv);

/* pfsend_packets.c: 0, or -1 after an error that has been told. */
int packets_setup(const struct options *opt);
/* The packet with this running number, from 0; it stays valid until the next call. */
const struct packet *packets_get(uint64_t number);
/* Packets in the file, 0 if they are made. */
uint64_t packets_in_file(void);
void packets_free(void);

#endif
