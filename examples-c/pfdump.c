/*
 * pfdump: records packets in pcap or pcapng files, using <pfring.h> and our own writer.
 */
#define _GNU_SOURCE
#include "pfdump.h"
#include "capture.h"
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct totals {
    uint64_t packets, bytes, drops;
};

static struct options options;
static pfring *ring;
static struct totals total, told;
static uint64_t first_ns, interval;
static FILE *text; /* where lines go: not into a capture on standard output */

static void describe(void)
{
    unsigned char mac[6] = {0};
    char address[32] = "unknown";
    u_int32_t version = 0;
    int index = -1;

    pfring_version_noring(&version);
    if (pfring_get_bound_device_address(ring, mac) == 0)
        format_mac(mac, address, sizeof(address));
    pfring_get_bound_device_ifindex(ring, &index);
    fprintf(text, "Using PF_RING v.%u.%u.%u\n", version >> 16, version >> 8 & 0xff, version & 0xff);
    fprintf(text, "Capturing from %s [%s][ifIndex: %d]\n", options.device, address, index);
    fprintf(text, "# Device RX channels: %u\n", pfring_get_num_rx_channels(ring));
}

static int join_cluster(void)
{
    int rc;

    if (options.cluster_id == 0)
        return 0;
    errno = 0;
    rc = pfring_set_cluster(ring, (u_int)options.cluster_id, cluster_per_flow_2_tuple);
    fprintf(text, "pfring_set_cluster returned %d\n", rc);
    return rc < 0 ? capture_refused("-c: cluster", options.device, rc) : 0;
}

static int prepare(void)
{
    u_int32_t flags = PF_RING_PROMISC | PF_RING_ZC_SYMMETRIC_RSS;
    int rc;

    if (options.format == pcapwrite_pcapng)
        flags |= PF_RING_LONG_HEADER | PF_RING_DO_NOT_PARSE; /* for the nanoseconds */
    ring = capture_open(options.device, options.snaplen, flags, "pfdump");
    if (ring == NULL)
        return -1;
    describe();
    rc = pfring_set_direction(ring, (packet_direction)options.direction);
    if (rc < 0 && options.direction != rx_and_tx_direction)
        return capture_refused("-e: direction", options.device, rc);
    pfring_set_socket_mode(ring, recv_only_mode); /* only spares memory */
    if (join_cluster() < 0 || capture_filter(ring, options.device, options.filter) < 0)
        return -1;
    if (files_start(&options, capture_link_type(ring)) < 0)
        return -1;
    return capture_enable(ring, options.device);
}

static void print_interval(void)
{
    total.drops = capture_drops(ring);
    fprintf(text, "%llu sec pkts %llu drop %llu bytes %llu | pkts %llu bytes %llu drop %llu\n",
            (unsigned long long)(interval * options.every_s),
            (unsigned long long)(total.packets - told.packets),
            (unsigned long long)(total.drops - told.drops),
            (unsigned long long)(total.bytes - told.bytes), (unsigned long long)total.packets,
            (unsigned long long)total.bytes, (unsigned long long)total.drops);
    fflush(text);
    told = total;
}

static uint64_t stamp_of(const struct pfring_pkthdr *hdr)
{
    if (options.format == pcapwrite_pcapng && hdr->extended_hdr.timestamp_ns != 0)
        return hdr->extended_hdr.timestamp_ns;
    return (uint64_t)hdr->ts.tv_sec * 1000000000u + (uint64_t)hdr->ts.tv_usec * 1000u;
}

/* 1 to go on, 0 when the recording is complete, -1 after an error that has been told. */
static int record(const struct pfring_pkthdr *hdr, const u_char *data)
{
    u_int32_t caplen = hdr->caplen < options.snaplen ? hdr->caplen : options.snaplen;
    uint64_t ns = stamp_of(hdr);

    if (first_ns == 0)
        first_ns = ns;
    if (options.duration_s > 0 && ns >= first_ns + options.duration_s * 1000000000u)
        return 0;
    if (files_packet(ns, caplen, hdr->len, data) < 0)
        return -1;
    total.packets++;
    total.bytes += hdr->len;
    return options.max_packets == 0 || total.packets < options.max_packets;
}

/* Where nothing comes, the end is due by the clock of the host. */
static int duration_is_over(void)
{
    struct timespec now;

    if (options.duration_s == 0 || first_ns == 0 || strncmp(options.device, "pcap:", 5) == 0)
        return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec >= first_ns / 1000000000u + options.duration_s + 1;
}

static int capture(void)
{
    struct pfring_pkthdr hdr;
    struct tick tick;
    u_char *data = NULL;
    int rc, more = 1;

    memset(&hdr, 0, sizeof(hdr));
    tick_start(&tick, options.every_s * 1000000000u);
    while (!stopping && more > 0) {
        rc = capture_next(ring, &hdr, &data, options.active);
        if (rc < 0)
            return capture_ended(options.device, rc);
        if (rc > 0)
            more = record(&hdr, data);
        else if (duration_is_over())
            more = 0;
        if (tick_due(&tick, rc)) {
            interval++;
            print_interval();
            if (files_flush() < 0)
                more = -1;
        }
    }
    return more < 0 ? -1 : 0;
}

static int run(void)
{
    int rc;

    catch_stop_signals();
    rc = capture();
    if (files_end() < 0)
        rc = -1;
    fprintf(text, "Recorded %llu packets, %llu bytes, in %u file%s; %llu dropped\n",
            (unsigned long long)total.packets, (unsigned long long)total.bytes, files_written(),
            files_written() == 1 ? "" : "s", (unsigned long long)capture_drops(ring));
    return rc;
}

int main(int argc, char **argv)
{
    int rc = -1;

    parse_options(&options, argc, argv);
    text = strcmp(options.path, "-") == 0 ? stderr : stdout;
    setlinebuf(text);
    if (prepare() == 0)
        rc = run();
    files_end();
    pfring_close(ring);
    return rc == 0 ? 0 : EXIT_FAILED;
}
