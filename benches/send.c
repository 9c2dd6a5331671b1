/* send SIDE [FRAMES]: frames a second that one thread sends, as fast as it can, on a veth pair.
 *
 * Sides: flush0 and flush1 (pfring_send), inject (pcap_inject), and what the kernel gives by itself:
 * sendmmsg (64 frames a call) and txring (a TPACKET_V2 transmit ring, 64 frames a call), both without a
 * queueing discipline. All frames must have been sent: the peer's counter is compared at the end. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <pcap/pcap.h>
#include <pfring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define BATCH 64
#define SLOT 2048
#define SLOTS 512

static unsigned char frame[FRAME_LEN];

static int packet_socket(int protocol)
{
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(TX_NAME)};
    int on = 1, fd = socket(AF_PACKET, SOCK_RAW, protocol);
    if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) != 0)
        die("the sending socket");
    return fd;
}

static void by_pfring(uint64_t count, unsigned char flush)
{
    pfring *ring = pfring_open(TX_NAME, SNAPLEN, PF_RING_PROMISC);
    if (ring == NULL || pfring_set_socket_mode(ring, send_only_mode) != 0 || pfring_enable_ring(ring) != 0)
        die("pfring_open");
    for (uint64_t sent = 0; sent < count;) {
        int ret = pfring_send(ring, (char *)frame, FRAME_LEN, flush);
        if (ret == FRAME_LEN)
            sent++;
        else if (ret >= 0 || errno != ENOBUFS)
            die("pfring_send: %d", ret);
    }
    pfring_close(ring);
}

static void by_inject(uint64_t count)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_live(TX_NAME, SNAPLEN, 0, 10, error);
    if (pcap == NULL || pcap_setdirection(pcap, PCAP_D_IN) != 0)
        die("pcap_open_live: %s", error);
    for (uint64_t sent = 0; sent < count;) {
        if (pcap_inject(pcap, frame, FRAME_LEN) == FRAME_LEN)
            sent++;
        else if (errno != ENOBUFS)
            die("pcap_inject: %s", pcap_geterr(pcap));
    }
    pcap_close(pcap);
}

static void by_sendmmsg(uint64_t count)
{
    struct iovec part = {frame, FRAME_LEN};
    struct mmsghdr messages[BATCH];
    memset(messages, 0, sizeof messages);
    for (unsigned i = 0; i < BATCH; i++) {
        messages[i].msg_hdr.msg_iov = &part;
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    int fd = packet_socket(0);
    for (uint64_t sent = 0; sent < count;) {
        unsigned now = count - sent < BATCH ? (unsigned)(count - sent) : BATCH;
        int ret = sendmmsg(fd, messages, now, 0);
        if (ret < 0 && errno != ENOBUFS)
            die("sendmmsg");
        sent += ret > 0 ? (uint64_t)ret : 0;
    }
}

static void by_ring(uint64_t count)
{
    int fd = packet_socket(0), version = TPACKET_V2;
    struct tpacket_req req = {.tp_block_size = SLOT * SLOTS / 4, .tp_block_nr = 4, .tp_frame_size = SLOT, .tp_frame_nr = SLOTS};
    if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof req) != 0)
        die("PACKET_TX_RING");
    unsigned char *map = mmap(NULL, (size_t)SLOT * SLOTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        die("mmap");
    size_t offset = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);
    for (uint64_t sent = 0; sent < count; sent++) {
        unsigned char *slot = map + sent % SLOTS * SLOT;
        volatile struct tpacket2_hdr *header = (void *)slot;
        while (header->tp_status != TP_STATUS_AVAILABLE)
            if (sendto(fd, NULL, 0, 0, NULL, 0) < 0 && errno != ENOBUFS)
                die("sendto");
        memcpy(slot + offset, frame, FRAME_LEN);
        header->tp_len = FRAME_LEN;
        __atomic_store_n(&header->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
        if (sent % BATCH == BATCH - 1 || sent + 1 == count)
            if (sendto(fd, NULL, 0, 0, NULL, 0) < 0 && errno != ENOBUFS)
                die("sendto");
    }
}

static uint64_t received_by_peer(void)
{
    char line[512];
    unsigned long long bytes, packets = 0;
    FILE *file = fopen("/proc/net/dev", "r");
    if (file == NULL)
        die("/proc/net/dev");
    while (fgets(line, sizeof line, file) != NULL) {
        char *counters = strchr(line, ':');
        if (counters != NULL && strstr(line, RX_NAME) != NULL)
            sscanf(counters + 1, "%llu %llu", &bytes, &packets);
    }
    fclose(file);
    return packets;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3)
        die("usage: send SIDE [FRAMES]");
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 500000;
    private_network();
    stay_on_cpu(SENDER);
    make_frame(frame, 0);
    uint64_t begin = now_ns();
    if (strcmp(argv[1], "flush0") == 0)
        by_pfring(count, 0);
    else if (strcmp(argv[1], "flush1") == 0)
        by_pfring(count, 1);
    else if (strcmp(argv[1], "inject") == 0)
        by_inject(count);
    else if (strcmp(argv[1], "sendmmsg") == 0)
        by_sendmmsg(count);
    else if (strcmp(argv[1], "txring") == 0)
        by_ring(count);
    else
        die("no such side: %s", argv[1]);
    double seconds = (double)(now_ns() - begin) / 1e9;
    pause_ms(50);
    if (received_by_peer() != count)
        die("%llu frames came of %llu", (unsigned long long)received_by_peer(), (unsigned long long)count);
    result("sent_pps", (double)count / seconds);
    return 0;
}
