/* Our library and libpcap behind one door: see side.h. */
#include "side.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static int number_from(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : otherwise;
}

static void open_pcap(struct side *side, int immediate)
{
    char error[PCAP_ERRBUF_SIZE];
    int mb = number_from("BENCH_PCAP_MB", 0);
    side->pcap = pcap_create(RX_NAME, error);
    if (side->pcap == NULL)
        die("pcap_create: %s", error);
    pcap_set_snaplen(side->pcap, SNAPLEN);
    pcap_set_promisc(side->pcap, 1);
    pcap_set_timeout(side->pcap, number_from("BENCH_PCAP_TIMEOUT_MS", 10));
    if (mb > 0)
        pcap_set_buffer_size(side->pcap, mb << 20);
    if (immediate)
        pcap_set_immediate_mode(side->pcap, 1);
    if (pcap_activate(side->pcap) < 0)
        die("pcap_activate: %s", pcap_geterr(side->pcap));
}

void side_open(struct side *side, const char *kind)
{
    memset(side, 0, sizeof *side);
    int is_long = strcmp(kind, "recv-long") == 0;
    if (is_long || strcmp(kind, "recv") == 0 || strcmp(kind, "spin") == 0) {
        side->wait = kind[0] == 'r';
        side->ring = pfring_open(RX_NAME, SNAPLEN,
                                 PF_RING_PROMISC | (is_long ? PF_RING_LONG_HEADER : 0));
        if (side->ring == NULL || pfring_enable_ring(side->ring) != 0)
            die("pfring_open");
    } else if (strcmp(kind, "next_ex") == 0) {
        open_pcap(side, 0);
    } else if (strcmp(kind, "immediate") == 0) {
        open_pcap(side, 1);
    } else {
        die("no such side: %s", kind);
    }
}

int side_next(struct side *side, const unsigned char **bytes)
{
    if (side->ring != NULL) {
        struct pfring_pkthdr header;
        unsigned char *packet = NULL;
        while (!side->broken) {
            int ret = pfring_recv(side->ring, &packet, 0, &header, (unsigned char)side->wait);
            if (ret < 0)
                die("pfring_recv: %d", ret);
            if (ret > 0) {
                *bytes = packet;
                return 1;
            }
        }
        return 0;
    }
    struct pcap_pkthdr *header;
    while (!side->broken) {
        int ret = pcap_next_ex(side->pcap, &header, bytes);
        if (ret > 0)
            return 1;
        if (ret == PCAP_ERROR)
            die("pcap_next_ex: %s", pcap_geterr(side->pcap));
    }
    return 0;
}

void side_break(struct side *side)
{
    side->broken = 1;
    if (side->ring != NULL)
        pfring_breakloop(side->ring);
    else
        pcap_breakloop(side->pcap);
}

uint64_t side_lost(struct side *side)
{
    pfring_stat ours;
    struct pcap_stat theirs;
    if (side->ring != NULL)
        return pfring_stats(side->ring, &ours) == 0 ? ours.drop : 0;
    return pcap_stats(side->pcap, &theirs) == 0 ? theirs.ps_drop : 0;
}
