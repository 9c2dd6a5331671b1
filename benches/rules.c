/* rules hash miss|hit, rules drop kernel|here: what filtering rules cost.
 *
 * hash: CPU time of the reading thread for a packet that is held against 100 hash rules and against 10,000, by
 * two rings; "miss": no packet has a rule; "hit": each has one, which lets it pass. As in walk.c the rings are
 * filled while nobody reads, and the least of many fills counts.
 * drop: CPU time of the receiver for each frame offered, of which hash rules drop nine in ten: in the kernel,
 * or in the library (PF_RING_USERSPACE_BPF keeps both filters and rules there). */
#define _GNU_SOURCE
#include "bench.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <pfring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW 100
#define MANY 10000
#define FRAMES 10000
#define FILLS 30
#define TIMER_MS 10
#define WORK_MS 5
#define OFFERED 1000000
#define FLOODS 3
#define BATCH 64
/* Of so many flows one has no rule. */
#define SHARES 10

/* 10.0.0.0/8 is what is sent; 172.16.0.0/12 is what no packet has. */
static uint32_t source(uint32_t base, unsigned flow)
{
    return base + flow;
}

static void make_flow(unsigned char *frame, unsigned flow)
{
    uint32_t address = source(0x0a010000, flow);
    make_frame(frame, 0);
    for (int i = 0; i < 4; i++)
        frame[26 + i] = (unsigned char)(address >> (24 - 8 * i));
}

static void add_rule(pfring *ring, uint32_t base, unsigned flow, rule_action_behaviour action)
{
    hash_filtering_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.ip_version = 4;
    rule.proto = 17;
    rule.host_peer_a.v4 = source(base, flow);
    rule.host_peer_b.v4 = 0x0a000002;
    rule.port_peer_a = 0x1000;
    rule.port_peer_b = 0x2000;
    rule.rule_action = action;
    if (pfring_handle_hash_filtering_rule(ring, &rule, 1) != 0)
        die("a hash rule");
}

static pfring *open_ring(unsigned flags)
{
    pfring *ring = pfring_open(RX_NAME, SNAPLEN, flags);
    if (ring == NULL || pfring_set_direction(ring, rx_only_direction) != 0)
        die("pfring_open");
    return ring;
}

static int sending_socket(void)
{
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(TX_NAME)};
    int on = 1, fd = socket(AF_PACKET, SOCK_RAW, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) != 0)
        die("the sending socket");
    return fd;
}

/* Sends COUNT frames of FLOWS flows in turn. */
static void send_flows(int fd, unsigned flows, uint64_t count)
{
    static unsigned char frames[BATCH][FRAME_LEN];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];
    memset(messages, 0, sizeof messages);
    for (unsigned i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){frames[i], FRAME_LEN};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (uint64_t number = 0; number < count;) {
        unsigned now = count - number < BATCH ? (unsigned)(count - number) : BATCH;
        for (unsigned i = 0; i < now; i++)
            make_flow(frames[i], (unsigned)((number + i) % flows));
        for (unsigned done = 0; done < now;) {
            int ret = sendmmsg(fd, messages + done, now - done, 0);
            done += ret > 0 ? (unsigned)ret : 0;
        }
        number += now;
    }
}

static uint64_t read_all(pfring *ring)
{
    struct pfring_pkthdr header;
    unsigned char *bytes;
    uint64_t packets = 0;
    while (pfring_recv(ring, &bytes, 0, &header, 0) > 0)
        packets++;
    return packets;
}

static void work_for(unsigned ms)
{
    uint64_t end = now_ns() + ms * 1000000ull;
    while (now_ns() < end) {
    }
}

/* Fills both rings with so many flows and reads the first; nanoseconds for a packet, 0 if a frame was lost. */
static double read_filled(int fd, pfring *read, pfring *other, unsigned flows)
{
    send_flows(fd, flows, FRAMES);
    pause_ms(2 * TIMER_MS + 5);
    work_for(WORK_MS);
    uint64_t cpu = thread_cpu_ns();
    uint64_t packets = read_all(read);
    cpu = thread_cpu_ns() - cpu;
    read_all(other);
    return packets == FRAMES ? (double)cpu / (double)packets : 0;
}

static void hash(int hits)
{
    static const struct {
        const char *name;
        unsigned rules;
    } sizes[2] = {{"few", FEW}, {"many", MANY}};
    pfring *rings[2];
    double least[2] = {0, 0};
    setenv("PFRING_RING_MB", "16", 1);
    for (int i = 0; i < 2; i++) {
        rings[i] = open_ring(0);
        for (unsigned flow = 0; flow < sizes[i].rules; flow++)
            add_rule(rings[i], hits ? 0x0a010000 : 0xac100000, flow,
                     forward_packet_and_stop_rule_evaluation);
        if (pfring_enable_ring(rings[i]) != 0)
            die("pfring_enable_ring");
    }
    int fd = sending_socket();
    stay_on_cpu(RECEIVER);
    for (int fill = 0; fill < FILLS; fill++) {
        for (int i = 0; i < 2; i++) {
            double cost = read_filled(fd, rings[i], rings[1 - i], hits ? sizes[i].rules : MANY);
            if (cost > 0 && (least[i] == 0 || cost < least[i]))
                least[i] = cost;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (least[i] == 0)
            die("every fill lost frames");
        result(sizes[i].name, least[i]);
    }
}

/* Reads what passes; the CPU time for each frame that was offered. */
static double flooded(pfring *ring)
{
    pid_t sender = fork();
    if (sender == 0) {
        stay_on_cpu(SENDER);
        send_flows(sending_socket(), SHARES, OFFERED);
        _exit(0);
    }
    struct pfring_pkthdr header;
    unsigned char *bytes;
    int status = 0;
    uint64_t cpu = thread_cpu_ns();
    for (uint64_t packets = 0; packets < OFFERED / SHARES;) {
        if (pfring_recv(ring, &bytes, 0, &header, 1) <= 0)
            die("pfring_recv");
        packets++;
    }
    cpu = thread_cpu_ns() - cpu;
    if (sender < 0 || waitpid(sender, &status, 0) != sender || status != 0)
        die("the sender failed");
    return (double)cpu / OFFERED;
}

static void drop(int in_kernel)
{
    pfring *ring = open_ring(in_kernel ? 0 : PF_RING_USERSPACE_BPF);
    double least = 0;
    for (unsigned flow = 1; flow < SHARES; flow++)
        add_rule(ring, 0x0a010000, flow, dont_forward_packet_and_stop_rule_evaluation);
    if (pfring_enable_ring(ring) != 0)
        die("pfring_enable_ring");
    stay_on_cpu(RECEIVER);
    for (int i = 0; i < FLOODS; i++) {
        double cost = flooded(ring);
        least = i == 0 || cost < least ? cost : least;
    }
    pfring_stat stat;
    if (pfring_stats(ring, &stat) != 0 || stat.drop != 0 || stat.recv != FLOODS * OFFERED / SHARES)
        die("frames were lost");
    result("cpu_ns_per_packet", least);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        die("usage: rules hash miss|hit, rules drop kernel|here");
    private_network();
    if (strcmp(argv[1], "hash") == 0)
        hash(strcmp(argv[2], "hit") == 0);
    else
        drop(strcmp(argv[2], "kernel") == 0);
    return 0;
}
