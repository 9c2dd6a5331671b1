/*
 * A good ring with bad arguments: NULL pointers, numbers out of range, unknown enum values,
 * malformed strings. An error answers each, nothing crashes, and the ring works afterwards.
 * On a capture file always; on an interface too where the right to make one is there.
 */
#include <errno.h>
#include <math.h>

#include <pfring.h>

#include "netns.h"

#define INVALID PF_RING_ERROR_INVALID_ARGUMENT

static char missing_name[] = "nope";
static char empty[] = "";
static char bad_name[] = "a:b@c@d,,(";

#define FAILS(call) is_negative(call, #call)

/* NULL where the ring is needed to tell: the same on every device. */
static void null_pointers(pfring *ring)
{
    struct pfring_pkthdr hdr;
    pfring_packet_info packets[2];
    u_char bytes[64];
    u_char *buffer = bytes, *none = NULL;

    memset(&hdr, 0, sizeof(hdr));
    is_int(pfring_recv(ring, NULL, 0, &hdr, 0), INVALID, "pfring_recv without a buffer pointer");
    is_int(pfring_recv(ring, &buffer, 0, NULL, 0), INVALID, "pfring_recv without a header");
    is_int(pfring_recv(ring, &none, 64, &hdr, 0), INVALID, "pfring_recv that copies to NULL");
    FAILS(pfring_recv_parsed(ring, NULL, 0, NULL, 0, 4, 0, 0));
    FAILS(pfring_recv_burst(ring, NULL, 2, 0));
    ok(pfring_recv_burst(ring, packets, 0, 0) <= 0, "pfring_recv_burst for no packet");
    FAILS(pfring_loop(ring, NULL, NULL, 0));
    FAILS(pfring_recv_chunk(ring, NULL, NULL, 0));
    FAILS(pfring_recv_flow(ring, NULL, 0));
    FAILS(pfring_get_metadata(ring, NULL, NULL));
    FAILS(pfring_next_pkt_time(ring, NULL));
    FAILS(pfring_next_pkt_raw_timestamp(ring, NULL));
    FAILS(pfring_stats(ring, NULL));
    FAILS(pfring_version(ring, NULL));
    FAILS(pfring_set_application_name(ring, NULL));
    FAILS(pfring_set_application_stats(ring, NULL));
    ok(pfring_get_appl_stats_file_name(ring, NULL, 0) == NULL, "no file name into NULL");
    FAILS(pfring_bind(ring, NULL));
    FAILS(pfring_send(ring, NULL, 60, 1));
    FAILS(pfring_send_get_time(ring, NULL, 60, NULL));
    FAILS(pfring_set_reflector_device(ring, NULL));
    FAILS(pfring_get_bound_device_address(ring, NULL));
    FAILS(pfring_get_bound_device_ifindex(ring, NULL));
    FAILS(pfring_get_device_ifindex(ring, NULL, NULL));
    FAILS(pfring_get_card_settings(ring, NULL));
    FAILS(pfring_set_virtual_device(ring, NULL));
    FAILS(pfring_loopback_test(ring, NULL, 64, 64));
    FAILS(pfring_set_bound_dev_name(ring, NULL));
}

static void null_rules(pfring *ring)
{
    FAILS(pfring_handle_hash_filtering_rule(ring, NULL, 1));
    FAILS(pfring_add_filtering_rule(ring, NULL));
    FAILS(pfring_get_hash_filtering_rule_stats(ring, NULL, NULL, NULL));
    FAILS(pfring_get_filtering_rule_stats(ring, 1, NULL, NULL));
    FAILS(pfring_add_hw_rule(ring, NULL));
    FAILS(pfring_set_bpf_filter(ring, NULL));
    FAILS(pfring_search_payload(ring, NULL));
    FAILS(pfring_set_master(ring, NULL));
    FAILS(pfring_get_device_clock(ring, NULL));
    FAILS(pfring_set_device_clock(ring, NULL));
    FAILS(pfring_adjust_device_clock(ring, NULL, 1));
    FAILS(pfring_enable_hw_timestamp(ring, NULL, 1, 1));
}

static void wild_numbers(pfring *ring)
{
    char long_name[200];

    memset(long_name, 'x', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = '\0';

    FAILS(pfring_set_direction(ring, (packet_direction)99));
    FAILS(pfring_set_socket_mode(ring, (socket_mode)99));
    FAILS(pfring_set_packet_slicing(ring, (packet_slicing_level)99, 0));
    FAILS(pfring_set_default_hw_action(ring, (generic_default_action_type)99));
    FAILS(pfring_set_cluster(ring, 0, cluster_per_flow));
    FAILS(pfring_set_cluster(ring, 1, (cluster_type)99));
    FAILS(pfring_set_cluster_consumer(ring, 1, 999, cluster_per_flow, 0));
    FAILS(pfring_set_channel_id(ring, 4096));
    FAILS(pfring_set_master_id(ring, 0xffffffffu));
    FAILS(pfring_set_application_name(ring, long_name));
    FAILS(pfring_bind(ring, bad_name));
    FAILS(pfring_bind(ring, empty));
    FAILS(pfring_set_reflector_device(ring, missing_name));
    FAILS(pfring_set_bpf_filter(ring, "this is no filter ((("));
    FAILS(pfring_remove_filtering_rule(ring, 12345));
    FAILS(pfring_remove_hw_rule(ring, 12345));
    FAILS(pfring_send_last_rx_packet(ring, -5));
    is_int(pfring_set_if_promisc(missing_name, 1), -2, "promiscuous mode of a missing device");
    is_int(pfring_get_ethtool_link_speed(missing_name), 0, "speed of a missing device");
}

/* No ring in these: hard cases for the texts and numbers they write. */
static void wild_texts(void)
{
    static const double values[] = {0, -1, 1e12, 1e300, -1e300, NAN, INFINITY};
    struct pfring_bpf_program program;
    u_char frame[64];
    char text[64];
    size_t i;

    memset(&program, 0, sizeof(program));
    is_int(pfring_parse_bpf_filter("((", 1500, &program), -2, "a filter that does not compile");
    pfring_free_bpf_filter(&program);

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        memset(text, 'G', sizeof(text));
        pfring_format_numbers(values[i], text, 8, 1);
        ok(memchr(text, '\0', 8) != NULL && text[8] == 'G', "a number stays in its 8 bytes (%d)",
           (int)i);
    }
    memset(text, 'G', sizeof(text));
    pfring_format_numbers(1.0, text, 0, 0);
    ok(text[0] == 'G', "a number of 0 bytes writes nothing");

    numbered_frame(frame, sizeof(frame), 1);
    memset(text, 'G', sizeof(text));
    ok(pfring_print_pkt(text, 20, frame, sizeof(frame), sizeof(frame)) >= 0, "a short print buffer");
    ok(memchr(text, '\0', 20) != NULL && text[20] == 'G', "stays inside its 20 bytes");
}

static void still_works(pfring *ring, int sender)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    if (sender >= 0)
        net_send_numbered(sender, 7, 1, 60);
    is_int(pfring_recv(ring, &data, 0, &hdr, 1), 1, "the ring still receives");
    is_int(hdr.caplen, 60, "a whole packet");
}

static void check(const char *device, int sender)
{
    pfring *ring = pfring_open(device, 1500, PF_RING_PROMISC | PF_RING_LONG_HEADER);

    if (!ok(ring != NULL, "the device opens"))
        return;
    wild_numbers(ring);
    is_int(pfring_enable_ring(ring), 0, "enable");
    null_pointers(ring);
    null_rules(ring);
    still_works(ring, sender);
    pfring_close(ring);
}

int main(void)
{
    struct capture_file file;
    char device[600];

    watch_stdout();
    alarm(60);
    if (capture_numbered(&file, 3, 60) < 0)
        bail_out("no capture file");
    check(capture_device(&file, device, sizeof(device)), -1);
    capture_remove(&file);
    wild_texts();

    if (net_try(60))
        check(NET_B, net_socket(NET_A));
    else
        skip("a live ring with bad arguments", "no right to make a network namespace");
    return done();
}
