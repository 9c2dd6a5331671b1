/*
 * Filtering rules and slicing, from C, on a capture file: what is read, and what is counted.
 */
#include <errno.h>

#include <pfring.h>

#include "frames.h"
#include "tap.h"

#define A 0x0a000001
#define B 0x0a000002
#define LEN 80

static struct capture_file file;

/* Ten packets to each of the ports 53 to 56, by turns. */
static void make_file(void)
{
    unsigned char frame[LEN];
    unsigned i;

    if (capture_create(&file, 0, 0) < 0)
        bail_out("no capture file");
    for (i = 0; i < 40; i++) {
        udp_frame(frame, LEN, 0, A, B, 1000, 53 + i % 4);
        capture_add(&file, 1700000000u + i, 0, frame, LEN, LEN);
    }
    capture_end(&file);
}

static pfring *open_file(void)
{
    char device[600];
    pfring *ring = pfring_open(capture_device(&file, device, sizeof(device)), 1500, PF_RING_LONG_HEADER);

    if (ring == NULL)
        bail_out("the capture file does not open");
    return ring;
}

static filtering_rule wildcard(u_int16_t id, rule_action_behaviour action, u_int16_t port)
{
    filtering_rule rule;

    memset(&rule, 0, sizeof(rule));
    rule.rule_id = id;
    rule.rule_action = action;
    rule.core_fields.proto = 17;
    rule.core_fields.dport_low = rule.core_fields.dport_high = port;
    return rule;
}

static hash_filtering_rule flow(u_int16_t port, rule_action_behaviour action)
{
    hash_filtering_rule rule;

    memset(&rule, 0, sizeof(rule));
    rule.ip_version = 4;
    rule.proto = 17;
    /* The other direction is the same flow. */
    rule.host_peer_a.v4 = B;
    rule.host_peer_b.v4 = A;
    rule.port_peer_a = port;
    rule.port_peer_b = 1000;
    rule.rule_action = action;
    return rule;
}

/* Reads to the end: packets to each of the ports, the id of the rule that matched the last one, bytes kept. */
static void read_all(pfring *ring, unsigned *packets, int *rule, unsigned *caplen)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(packets, 0, 4 * sizeof(*packets));
    if (pfring_enable_ring(ring) != 0)
        bail_out("the capture file cannot be enabled");
    while (pfring_recv(ring, &data, 0, &hdr, 0) > 0) {
        packets[(data[37] - 53) & 3]++;
        *rule = hdr.extended_hdr.parsed_pkt.last_matched_rule_id;
        *caplen = hdr.caplen;
    }
}

static int counted(pfring *ring, u_int16_t id, u_int64_t matched, u_int64_t filtered)
{
    hash_filtering_rule_stats stats;
    u_int32_t len = sizeof(stats);

    memset(&stats, 0xff, sizeof(stats));
    return pfring_get_filtering_rule_stats(ring, id, (char *)&stats, &len) == 0 && len == 28 &&
           stats.match == matched && stats.filtered == filtered && stats.match_forward == 0;
}

static void rules(void)
{
    pfring *ring = open_file();
    filtering_rule drop53 = wildcard(20, dont_forward_packet_and_stop_rule_evaluation, 53);
    filtering_rule keep54 = wildcard(10, forward_packet_and_stop_rule_evaluation, 54);
    filtering_rule all = wildcard(30, execute_action_and_continue_rule_evaluation, 0);
    hash_filtering_rule drop55 = flow(55, dont_forward_packet_and_stop_rule_evaluation);
    hash_filtering_rule_stats stats;
    u_int32_t len = sizeof(stats);
    unsigned packets[4], caplen = 0;
    int rule = 0;

    is_int(pfring_add_filtering_rule(ring, &drop53), 0, "a rule that drops");
    is_int(pfring_add_filtering_rule(ring, &keep54), 0, "a rule that forwards");
    is_int(pfring_add_filtering_rule(ring, &all), 0, "a rule that only counts");
    is_int(pfring_handle_hash_filtering_rule(ring, &drop55, 1), 0, "a hash rule");
    ok(pfring_handle_hash_filtering_rule(ring, &drop55, 1) == -1 && errno == EEXIST, "twice");
    ok(pfring_add_filtering_rule(ring, &all) == -1 && errno == EEXIST, "an id that is taken");
    read_all(ring, packets, &rule, &caplen);
    ok(packets[0] == 0 && packets[1] == 10 && packets[2] == 0 && packets[3] == 10, "what passes");
    is_int(rule, 30, "the rule that matched the last packet");
    ok(counted(ring, 20, 10, 10) && counted(ring, 10, 10, 0) && counted(ring, 30, 10, 0), "counts");
    ok(pfring_get_hash_filtering_rule_stats(ring, &drop55, (char *)&stats, &len) == 0 &&
           stats.match == 10 && stats.filtered == 10,
       "counts of the hash rule");
    ok(pfring_remove_filtering_rule(ring, 99) == -1 && errno == EFAULT, "no such rule");
    is_int(pfring_remove_filtering_rule(ring, 20), 0, "a rule is removed");
    is_int(pfring_handle_hash_filtering_rule(ring, &drop55, 0), 0, "a hash rule is removed");
    pfring_close(ring);
}

static void policy(void)
{
    pfring *ring = open_file();
    filtering_rule keep54 = wildcard(1, forward_packet_and_stop_rule_evaluation, 54);
    unsigned packets[4], caplen = 0;
    int rule = 0;

    is_int(ring->socket_default_accept_policy, 1, "what no rule decides on is delivered");
    is_int(pfring_toggle_filtering_policy(ring, 0), 0, "or not");
    is_int(ring->socket_default_accept_policy, 0, "as the ring shows");
    is_int(pfring_add_filtering_rule(ring, &keep54), 0, "but for one port");
    is_int(pfring_set_packet_slicing(ring, L3_SLICING, 4), 0, "cut behind IP and the ports");
    read_all(ring, packets, &rule, &caplen);
    ok(packets[0] == 0 && packets[1] == 10 && packets[2] == 0 && packets[3] == 0, "what passes");
    is_int(caplen, 38, "bytes that are left");
    pfring_close(ring);
}

int main(void)
{
    make_file();
    rules();
    policy();
    capture_remove(&file);
    return done();
}
