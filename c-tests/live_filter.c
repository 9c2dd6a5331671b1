/*
 * What is put back and what is kept away: VLAN tags as on the wire, filters on live traffic.
 */
#include <pfring.h>

#include "netns.h"

#define LEN 60

static int sender;

static pfring *open_ring(u_int32_t caplen)
{
    pfring *ring = pfring_open(NET_B, caplen, PF_RING_LONG_HEADER);

    if (ring == NULL)
        bail_out("the interface does not open");
    pfring_set_poll_watermark(ring, 1);
    if (pfring_enable_ring(ring) != 0)
        bail_out("the ring cannot be enabled");
    return ring;
}

static void tagged(void)
{
    pfring *ring = open_ring(1500);
    unsigned char frame[LEN];
    struct pfring_pkthdr hdr;
    struct pkt_parsing_info *info = &hdr.extended_hdr.parsed_pkt;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    udp_frame(frame, LEN, 0x6064, 0x0a000001, 0x0a000002, 1000, 53);
    net_send(sender, frame, LEN);
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with a tag");
    ok(hdr.len == LEN && hdr.caplen == LEN, "both lengths include the tag");
    ok(memcmp(data, frame, LEN) == 0, "its bytes are those on the wire, with priority");
    is_int(info->vlan_id, 100, "the tag's id");
    ok(info->offset.vlan_offset > 0 && info->offset.l3_offset == 18, "offsets behind the tag");

    udp_frame(frame, LEN, 0, 0x0a000001, 0x0a000002, 1000, 53);
    net_send(sender, frame, LEN);
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame without a tag");
    ok(info->vlan_id == 0 && info->offset.vlan_offset == 0 && info->offset.l3_offset == 14,
       "no id and no offset of a tag");
    ok(hdr.len == LEN && memcmp(data, frame, LEN) == 0, "its bytes are those on the wire");
    pfring_close(ring);
}

static void double_tagged(void)
{
    static const unsigned char want[8] = {0x88, 0xa8, 0x01, 0x2d, 0x81, 0x00, 0x01, 0x59};
    pfring *ring = open_ring(1500);
    unsigned char frame[LEN];
    struct pfring_pkthdr hdr;
    struct pkt_parsing_info *info = &hdr.extended_hdr.parsed_pkt;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    memset(frame, 0, LEN);
    put_ether(frame, 0x88a8);
    memcpy(frame + 12, want, 8);
    put16(frame + 20, 0x0800);
    put_udp(frame + 22 + put_ipv4(frame + 22, 17, 0x0a000001, 0x0a000002, 18), 1000, 53, 10);
    net_send(sender, frame, LEN);
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with two tags");
    ok(hdr.len == LEN && hdr.caplen == LEN && memcmp(data + 12, want, 8) == 0,
       "both are in the frame, each with its type");
    is_int(info->vlan_id, 301, "the outer id");
    is_int(info->qinq_vlan_id, 345, "the inner id");
    is_int(info->offset.l3_offset, 22, "the IP header is behind both");
    pfring_close(ring);
}

static void tagged_and_cut(void)
{
    pfring *ring = open_ring(20);
    unsigned char frame[LEN];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    udp_frame(frame, LEN, 100, 0x0a000001, 0x0a000002, 1000, 53);
    net_send(sender, frame, LEN);
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "a frame with a tag, cut to 20 bytes");
    ok(hdr.len == LEN && hdr.caplen == 20 && memcmp(data, frame, 20) == 0,
       "the tag counts among the bytes kept");
    pfring_close(ring);
}

/* Sends ten frames in each of these VLANs (0 = no tag), to port 53 and 54 in turn. */
static void send_mixed(const unsigned *vlans, size_t count)
{
    unsigned char frame[LEN];
    size_t i;

    for (i = 0; i < 10 * count; i++) {
        udp_frame(frame, LEN, vlans[i % count], 0x0a000001, 0x0a000002, 1000,
                  i / count % 2 ? 53 : 54);
        net_send(sender, frame, LEN);
    }
}

/* What arrives now, and how much of it has this VLAN and port (-1 = any). */
static int arrived(pfring *ring, int vlan, int port, int *matching)
{
    struct pfring_pkthdr hdr;
    struct pkt_parsing_info *info = &hdr.extended_hdr.parsed_pkt;
    u_char *data = NULL;
    int count = 0;

    memset(&hdr, 0, sizeof(hdr));
    *matching = 0;
    sleep_ms(100);
    while (pfring_recv(ring, &data, 0, &hdr, 0) == 1) {
        count++;
        *matching += (vlan < 0 || info->vlan_id == vlan) && (port < 0 || info->l4_dst_port == port);
    }
    return count;
}

static const unsigned some_vlans[3] = {1000, 7, 0};
static const unsigned no_vlan[1] = {0};

/* A filter on tagged and untagged frames. */
static void filtered(const char *filter, int vlan, int port, int want)
{
    pfring *ring = open_ring(1500);
    int matching = 0;

    ok(pfring_set_bpf_filter(ring, filter) == 0, "filter '%s'", filter);
    send_mixed(some_vlans, 3);
    is_int(arrived(ring, vlan, port, &matching), want, "as many as match arrive");
    is_int(matching, want, "and they are the right ones");
    pfring_close(ring);
}

/* A filter set while packets wait to be read: they meet it as those to come do. */
static void filtered_late(void)
{
    pfring *ring = open_ring(1500);
    int matching = 0;

    send_mixed(some_vlans, 3);
    sleep_ms(100);
    is_int(pfring_set_bpf_filter(ring, "udp dst port 54"), 0, "a filter over queued packets");
    send_mixed(some_vlans, 3);
    is_int(arrived(ring, -1, 54, &matching), 30, "as many as match, of both kinds");
    is_int(matching, 30, "and they are the right ones");
    pfring_close(ring);
}

/* Filters set, refused, replaced and removed on one ring. */
static void filters_in_turn(void)
{
    pfring *ring = open_ring(1500);
    int matching = 0;

    is_int(pfring_set_bpf_filter(ring, "udp dst port 53"), 0, "a filter without a VLAN");
    send_mixed(no_vlan, 1);
    is_int(arrived(ring, 0, 53, &matching), 5, "only its packets arrive");
    is_int(matching, 5, "and they are the right ones");

    is_int(pfring_set_bpf_filter(ring, "udp dst dst ((("), -2, "a filter that is none is refused");
    send_mixed(no_vlan, 1);
    is_int(arrived(ring, 0, 53, &matching), 5, "the one before still holds");

    is_int(pfring_set_bpf_filter(ring, "udp dst port 54"), 0, "a filter replaces the one before");
    send_mixed(no_vlan, 1);
    is_int(arrived(ring, 0, 54, &matching), 5, "only its packets arrive");
    is_int(matching, 5, "and they are the right ones");

    is_int(pfring_remove_bpf_filter(ring), 0, "the filter is removed");
    send_mixed(some_vlans, 3);
    is_int(arrived(ring, -1, -1, &matching), 30, "all packets arrive");
    is_negative(pfring_remove_bpf_filter(ring), "there is none left to remove");
    pfring_close(ring);
}

static void filters(void)
{
    pfring *ring = open_ring(1500);
    int rc = pfring_set_bpf_filter(ring, "ip");

    pfring_close(ring);
    if (rc == PF_RING_ERROR_NOT_SUPPORTED) {
        skip("filters", "no filter compiler on this machine");
        return;
    }
    filtered("vlan 1000", 1000, -1, 10);
    filtered("vlan", -1, -1, 20);
    filtered("not vlan", 0, -1, 10);
    filtered("vlan 7 and udp dst port 53", 7, 53, 5);
    /* Like the kernel and libpcap: a tag is no part of the frame that such a filter sees. */
    filtered("udp dst port 53", -1, 53, 15);
    filtered_late();
    filters_in_turn();
}

int main(void)
{
    watch_stdout();
    net_setup(60);
    sender = net_socket(NET_A);
    tagged();
    double_tagged();
    tagged_and_cut();
    filters();
    return done();
}
