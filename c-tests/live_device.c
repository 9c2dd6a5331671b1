/*
 * Device names and what they bind: VLANs, channels, a ring that is bound later, the host's own traffic,
 * trailers with a time stamp.
 */
#include <pfring.h>

#include "netns.h"

#define LEN 60

static int sender;

/* Opens and enables; both must work. */
static pfring *open_ring(const char *device, u_int32_t flags)
{
    pfring *ring = pfring_open(device, 1500, flags);

    if (ring == NULL || pfring_enable_ring(ring) != 0) {
        diag("%s: %s", device, strerror(errno));
        bail_out("a device does not open");
    }
    return ring;
}

/* How many packets are there. */
static int arrived(pfring *ring)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int count = 0;

    memset(&hdr, 0, sizeof(hdr));
    sleep_ms(60);
    while (pfring_recv(ring, &data, 0, &hdr, 0) == 1)
        count++;
    return count;
}

/* Five frames in each of these: VLAN 7, VLAN 8, no VLAN. */
static void send_vlans(void)
{
    static const unsigned vlans[3] = {7, 8, 0};
    unsigned char frame[LEN];
    int i;

    for (i = 0; i < 15; i++) {
        udp_frame(frame, LEN, vlans[i % 3], 0x0a000001, 0x0a000002, 1000, 53);
        net_send(sender, frame, LEN);
    }
}

static void vlans(void)
{
    static const struct {
        const char *device;
        int want;
    } rows[] = {
        {NET_B, 15},
        {NET_B ".7", 5},
        {NET_B ".0", 5},
        {NET_B ".7," NET_B ".8", 10},
        {"any.8", 5},
        {"(" NET_B ")", 15},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pfring *ring = open_ring(rows[i].device, 0);

        if (strncmp(rows[i].device, "any", 3) == 0)
            pfring_set_direction(ring, rx_only_direction);
        send_vlans();
        is_int(arrived(ring), rows[i].want, rows[i].device);
        pfring_close(ring);
    }
}

static void one_vlan(void)
{
    pfring *ring = open_ring(NET_B, 0);

    is_int(pfring_set_vlan_id(ring, 8), 0, "a VLAN is chosen on an open ring");
    send_vlans();
    is_int(arrived(ring), 5, "its packets arrive");
    is_int(pfring_set_vlan_id(ring, 0), 0, "packets without a tag are chosen");
    send_vlans();
    is_int(arrived(ring), 5, "they arrive");
    pfring_close(ring);
}

/* The pair has one queue at each end. */
static void channels(void)
{
    pfring *ring = open_ring(NET_B "@0", 0);
    pfring *rings[64];
    u_int8_t count;

    is_int(pfring_get_num_rx_channels(ring), 1, "one channel");
    send_vlans();
    is_int(arrived(ring), 15, "all packets are of channel 0");
    is_int(pfring_set_channel_mask(ring, 0), 0, "no channel");
    send_vlans();
    is_int(arrived(ring), 0, "nothing arrives");
    is_int(pfring_set_channel_mask(ring, RING_ANY_CHANNEL), 0, "every channel");
    is_int(pfring_set_channel_id(ring, 0), 0, "channel 0");
    is_int(pfring_enable_rss_rehash(ring), 0, "channels by the hash of packets");
    send_vlans();
    is_int(arrived(ring), 15, "all packets arrive");
    pfring_close(ring);

    memset(rings, 0, sizeof(rings));
    count = pfring_open_multichannel(NET_B, 1500, 0, rings);
    is_int(count, 1, "a ring for each channel");
    if (count == 1) {
        pfring_enable_ring(rings[0]);
        send_vlans();
        is_int(arrived(rings[0]), 15, "it delivers all packets");
        pfring_close(rings[0]);
    }
}

static void bound_later(void)
{
    pfring *ring = open_ring("none", 0);
    char device[] = NET_B, none[] = "none", unknown[] = "nosuchdev";

    is_int(arrived(ring), 0, "a ring without an interface has no packets");
    is_int(pfring_bind(ring, none), -1, "none cannot be bound");
    is_int(pfring_bind(ring, unknown), -1, "nor what does not exist");
    is_int(errno, ENODEV, "errno says so");
    is_int(pfring_bind(ring, device), 0, "an interface is bound");
    is_int(ring->device_id, (int)if_nametoindex(NET_B), "the struct shows it");
    send_vlans();
    is_int(arrived(ring), 15, "its packets arrive");
    pfring_close(ring);
}

static void stack(void)
{
    pfring *ring = open_ring("stack:" NET_B, 0);
    pfring *tap = open_ring(NET_B, PF_RING_LONG_HEADER);
    unsigned char frame[LEN];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int host = net_socket(NET_B), sent;

    memset(&hdr, 0, sizeof(hdr));
    net_send_numbered(sender, 0, 3, LEN);
    net_send_numbered(host, 0, 4, LEN);
    is_int(arrived(ring), 4, "what the host sends, and nothing else");
    is_int(arrived(tap), 7, "a tap has both");
    numbered_frame(frame, LEN, 9);
    sent = pfring_send(ring, (char *)frame, LEN, 1);
    if (sent == PF_RING_ERROR_NOT_SUPPORTED) {
        skip("sending to the host", "it takes Linux 5.18, CAP_BPF and CAP_NET_ADMIN");
    } else {
        is_int(sent, LEN, "a frame is sent to the host");
        is_int(pfring_recv(tap, &data, 0, &hdr, 1), 1, "it comes in");
        ok(hdr.extended_hdr.rx_direction == 1 && memcmp(data, frame, LEN) == 0,
           "as received, with its bytes");
    }
    close(host);
    pfring_close(tap);
    pfring_close(ring);
}

/* A MetaWatch trailer behind a frame. */
static void trailers(void)
{
    pfring *ring = open_ring(NET_B, PF_RING_METAWATCH_TIMESTAMP);
    unsigned char frame[LEN + 16];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    numbered_frame(frame, LEN, 1);
    put32(frame + LEN, 5);
    put32(frame + LEN + 4, 1700000000);
    put32(frame + LEN + 8, 123456789);
    put32(frame + LEN + 12, 0x01123407);
    net_send(sender, frame, sizeof(frame));
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with a trailer");
    ok(hdr.len == LEN && hdr.caplen == LEN, "the trailer is cut off");
    ok(hdr.ts.tv_sec == 1700000000 && hdr.ts.tv_usec == 123456, "its time is the packet's");
    ok(hdr.extended_hdr.timestamp_ns == 1700000000123456789ULL, "in nanoseconds too");
    ok(hdr.extended_hdr.device_id == 0x1234 && hdr.extended_hdr.port_id == 7,
       "with device and port");
    pfring_close(ring);
}

/* What the interface of a test is not. */
static void card(void)
{
    pfring *ring = open_ring(NET_B, PF_RING_HW_TIMESTAMP);
    char device[] = NET_B;
    struct timespec time;

    is_int(pfring_get_device_clock(ring, &time), PF_RING_ERROR_NOT_SUPPORTED, "no clock");
    is_int(pfring_remove_hw_rule(ring, 1), PF_RING_ERROR_NOT_SUPPORTED, "no rules");
    is_int(pfring_enable_hw_timestamp(ring, device, 1, 0), EOPNOTSUPP, "no stamps");
    send_vlans();
    is_int(arrived(ring), 15, "packets arrive all the same");
    pfring_close(ring);
}

int main(void)
{
    watch_stdout();
    net_setup(60);
    sender = net_socket(NET_A);
    vlans();
    one_vlan();
    channels();
    bound_later();
    stack();
    trailers();
    card();
    return done();
}
