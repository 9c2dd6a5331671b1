/*
 * Receiving from an interface: zero copy, copies, bursts, the loop, breaks, statistics, direction.
 * 1,000 numbered frames each time; every one must arrive once and in order.
 */
#include <pthread.h>

#include <pfring.h>

#include "netns.h"

#define COUNT 1000
#define LEN 60

static int sender;

static pfring *open_ring(const char *device, u_int32_t flags, packet_direction direction)
{
    pfring *ring = pfring_open(device, 1500, flags);

    if (ring == NULL)
        bail_out("the interface does not open");
    pfring_set_direction(ring, direction);
    if (pfring_enable_ring(ring) != 0)
        bail_out("the ring cannot be enabled");
    return ring;
}

/* Whether data is the test's frame with this number. */
static int same_frame(const u_char *data, u_int32_t number)
{
    unsigned char frame[LEN];

    numbered_frame(frame, LEN, number);
    return memcmp(data, frame, LEN) == 0;
}

static void zero_copy(void)
{
    pfring *ring = pfring_open(NET_B, 1500, PF_RING_PROMISC);
    struct pfring_pkthdr hdr;
    u_char *data = NULL, *last;
    u_int64_t stamp = 0;
    u_int32_t i, right = 0, stamps = 0, metas = 0;
    struct timespec now;
    int index = 0;

    if (ring == NULL)
        bail_out("the interface does not open");
    memset(&hdr, 0, sizeof(hdr));
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), PF_RING_ERROR_RING_NOT_ENABLED,
           "nothing before enable");
    is_int(pfring_enable_ring(ring), 0, "enable");
    is_int(pfring_get_bound_device_ifindex(ring, &index), 0, "the interface's index");
    is_int(index, (int)if_nametoindex(NET_B), "is the right one");
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), 0, "a quiet link gives nothing");

    net_send_numbered(sender, 0, COUNT, LEN);
    clock_gettime(CLOCK_REALTIME, &now);
    for (i = 0; i < COUNT && pfring_recv(ring, &data, 0, &hdr, 1) == 1; i++) {
        u_int64_t ns = hdr.extended_hdr.timestamp_ns;

        right += hdr.len == LEN && hdr.caplen == LEN && same_frame(data, i);
        stamps += ns >= stamp && ns / 1000 == (u_int64_t)hdr.ts.tv_sec * 1000000u +
                                                  (u_int64_t)hdr.ts.tv_usec &&
                  labs((long)(hdr.ts.tv_sec - now.tv_sec)) <= 2;
        stamp = ns;
        metas += hdr.extended_hdr.rx_direction == 1 && hdr.extended_hdr.if_index == index;
    }
    is_int(right, COUNT, "zero copy: every frame once, in order, with its bytes");
    is_int(stamps, COUNT, "stamps never go back and are of now");
    is_int(metas, COUNT, "direction and interface of every frame");

    last = data;
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), 0, "then nothing");
    ok(data == last && hdr.caplen == LEN && same_frame(data, COUNT - 1),
       "an empty call leaves pointer, header and bytes of the last frame alone");
    pfring_close(ring);
}

static void copies(void)
{
    pfring *ring = open_ring(NET_B, 0, rx_and_tx_direction);
    struct pfring_pkthdr hdr;
    unsigned char room[LEN + 4];
    u_char *data = room;
    u_int32_t i, right = 0;

    memset(&hdr, 0, sizeof(hdr));
    memset(room, 'G', sizeof(room));
    net_send_numbered(sender, 0, COUNT, LEN);
    for (i = 0; i < COUNT && pfring_recv(ring, &data, LEN, &hdr, 1) == 1; i++)
        right += data == room && hdr.caplen == LEN && same_frame(room, i);
    is_int(right, COUNT, "copies: every frame once, in order, with its bytes");
    net_send_numbered(sender, 0, 1, LEN);
    is_int(pfring_recv(ring, &data, 20, &hdr, 1), 1, "a copy into less room");
    ok(hdr.caplen == 20 && hdr.len == LEN, "caplen is lowered to it, len is not");
    ok(memcmp(room + LEN, "GGGG", 4) == 0, "nothing was written behind the buffer");
    pfring_close(ring);
}

static void bursts(void)
{
    pfring *ring = open_ring(NET_B, 0, rx_and_tx_direction);
    pfring_packet_info packets[32];
    u_int32_t number = 0, right = 0;
    double end = clock_ms() + 5000;
    int rc = 0, i;

    net_send_numbered(sender, 0, COUNT, LEN);
    while (number < COUNT && clock_ms() < end) {
        rc = pfring_recv_burst(ring, packets, 32, 1);
        if (rc <= 0 || rc > 32)
            break;
        for (i = 0; i < rc; i++, number++)
            right += packets[i].len == LEN && packets[i].caplen == LEN &&
                     same_frame(packets[i].data, number);
    }
    if (rc == PF_RING_ERROR_NOT_SUPPORTED)
        skip("bursts", "not supported by this library");
    else
        ok(number == COUNT && right == COUNT, "bursts: every frame once, in order, with its bytes");
    pfring_close(ring);
}

/* --- the loop and breaks, from another thread --- */

struct looper {
    pfring *ring;
    u_int32_t count, right;
    int result, error;
    double ended_ms;
};

static void on_packet(const struct pfring_pkthdr *hdr, const u_char *data, const u_char *user)
{
    struct looper *looper = (struct looper *)user;

    looper->right += hdr->len == LEN && same_frame(data, looper->count);
    __atomic_add_fetch(&looper->count, 1, __ATOMIC_RELEASE);
}

static void *run_loop(void *arg)
{
    struct looper *looper = (struct looper *)arg;

    looper->result = pfring_loop(looper->ring, on_packet, (const u_char *)looper, 1);
    looper->ended_ms = clock_ms();
    return NULL;
}

static void *run_recv(void *arg)
{
    struct looper *looper = (struct looper *)arg;
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    looper->result = pfring_recv(looper->ring, &data, 0, &hdr, 1);
    looper->error = errno;
    looper->ended_ms = clock_ms();
    return NULL;
}

static void wait_for_count(struct looper *looper, u_int32_t count)
{
    double end = clock_ms() + 5000;

    while (__atomic_load_n(&looper->count, __ATOMIC_ACQUIRE) < count && clock_ms() < end)
        sleep_ms(1);
}

/* Breaks the thread once it blocks; how long it took to end. */
static double break_and_join(struct looper *looper, pthread_t thread)
{
    double broken;

    sleep_ms(50);
    broken = clock_ms();
    pfring_breakloop(looper->ring);
    pthread_join(thread, NULL);
    return looper->ended_ms - broken;
}

static void loops(void)
{
    pthread_t thread;
    struct looper looper;
    double took;
    int round, quick = 0, zero = 0;

    memset(&looper, 0, sizeof(looper));
    looper.ring = open_ring(NET_B, 0, rx_and_tx_direction);
    pthread_create(&thread, NULL, run_loop, &looper);
    net_send_numbered(sender, 0, COUNT, LEN);
    wait_for_count(&looper, COUNT);
    took = break_and_join(&looper, thread);
    ok(looper.count == COUNT && looper.right == COUNT,
       "the loop: every frame once, in order, with its bytes");
    is_int(looper.result, 0, "a loop broken while it waits answers 0");
    ok(took < 500, "soon after the break");
    diag("the loop ended %.1f ms after the break", took);

    for (round = 0; round < 5; round++) {
        pthread_create(&thread, NULL, run_recv, &looper);
        quick += break_and_join(&looper, thread) < 500;
        zero += looper.result == 0 && looper.error == EINTR;
    }
    is_int(zero, 5, "a receive that is broken answers 0 and EINTR");
    is_int(quick, 5, "soon after the break");

    looper.count = looper.right = 0;
    pthread_create(&thread, NULL, run_loop, &looper);
    net_send_numbered(sender, 0, 10, LEN);
    wait_for_count(&looper, 10);
    break_and_join(&looper, thread);
    ok(looper.count == 10 && looper.right == 10, "after breaks the ring receives as before");

    pthread_create(&thread, NULL, run_recv, &looper);
    sleep_ms(50);
    pfring_shutdown(looper.ring);
    pthread_join(thread, NULL);
    ok(looper.result <= 0, "a shutdown ends a receive that waits");
    pfring_close(looper.ring);
}

static void statistics(void)
{
    pfring *ring = open_ring(NET_B, 0, rx_only_direction);
    struct pfring_pkthdr hdr;
    pfring_stat stat;
    u_char *data = NULL;
    u_int32_t count = 0;
    int i, same = 0;

    memset(&hdr, 0, sizeof(hdr));
    net_send_numbered(sender, 0, COUNT, LEN);
    sleep_ms(100); /* longer than any block timer */
    while (pfring_recv(ring, &data, 0, &hdr, 0) == 1)
        count++;
    for (i = 0; i < 3; i++)
        same += pfring_stats(ring, &stat) == 0 && stat.recv == count &&
                stat.recv + stat.drop == COUNT;
    is_int(count, COUNT, "a short burst fits into the ring");
    is_int(same, 3, "received + dropped = sent, three times the same");
    pfring_close(ring);
}

/* A ring on the sending side; how many of COUNT frames it sees, all of them as sent. */
static u_int32_t seen_by_sender(packet_direction direction)
{
    pfring *ring = open_ring(NET_A, 0, direction);
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    u_int32_t count = 0;

    memset(&hdr, 0, sizeof(hdr));
    net_send_numbered(sender, 0, COUNT, LEN);
    sleep_ms(100);
    while (pfring_recv(ring, &data, 0, &hdr, 0) == 1)
        count += hdr.extended_hdr.rx_direction == 0 && same_frame(data, count);
    pfring_close(ring);
    return count;
}

int main(void)
{
    watch_stdout();
    net_setup(120);
    sender = net_socket(NET_A);

    zero_copy();
    copies();
    bursts();
    loops();
    statistics();
    is_int(seen_by_sender(rx_and_tx_direction), COUNT, "both directions: sent frames once each");
    is_int(seen_by_sender(tx_only_direction), COUNT, "sent only: sent frames once each");
    is_int(seen_by_sender(rx_only_direction), 0, "received only: no sent frame");
    return done();
}
