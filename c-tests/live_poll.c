/*
 * Waiting for an interface: pfring_poll, pfring_is_pkt_available, the selectable descriptor.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <pfring.h>

#include "netns.h"

#define LEN 60
#define LATE_MS 300 /* how much later than asked for is still in time, on a busy machine */

static int sender;
static pfring *ring;

static int receive_one(void)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    return pfring_recv(ring, &data, 0, &hdr, 0);
}

/* After an earlier failure nothing of it is left for the next check. */
static void drain(void)
{
    do
        sleep_ms(50); /* longer than any block timer */
    while (receive_one() == 1);
}

static void polls(void)
{
    static const u_int times[] = {10, 50, 200};
    double start, took;
    size_t i;
    int zero = 0;

    for (i = 0; i < 100; i++)
        zero += pfring_poll(ring, 0) == 0 && pfring_is_pkt_available(ring) == 0;
    is_int(zero, 100, "a look at a quiet link finds nothing");
    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        start = clock_ms();
        is_int(pfring_poll(ring, times[i]), 0, "a poll of a quiet link answers 0");
        took = clock_ms() - start;
        ok(took >= times[i] - 1 && took < times[i] + LATE_MS, "after the %u ms asked for",
           times[i]);
    }

    net_send_numbered(sender, 0, 1, LEN);
    start = clock_ms();
    is_int(pfring_poll(ring, 2000), 1, "a poll with a frame on its way answers 1");
    ok(clock_ms() - start < 1000, "well before its time is over");
    is_int(pfring_poll(ring, 0), 1, "and again, as long as it is not read");
    is_int(pfring_is_pkt_available(ring), 1, "a packet is available");
    is_int(receive_one(), 1, "which is then received");
    is_int(receive_one(), 0, "once");
    is_int(pfring_poll(ring, 0), 0, "nothing is left");
}

static int poll_fd(int fd, int ms)
{
    struct pollfd entry;

    entry.fd = fd;
    entry.events = POLLIN;
    entry.revents = 0;
    return poll(&entry, 1, ms) == 1 ? entry.revents : 0;
}

static int select_fd(int fd, int ms)
{
    struct timeval time;
    fd_set set;

    FD_ZERO(&set);
    FD_SET(fd, &set);
    time.tv_sec = ms / 1000;
    time.tv_usec = ms % 1000 * 1000;
    return select(fd + 1, &set, NULL, NULL, &time);
}

static int epoll_fd(int fd, int ms)
{
    struct epoll_event event;
    int outer = epoll_create1(EPOLL_CLOEXEC), ready;

    memset(&event, 0, sizeof(event));
    event.events = EPOLLIN;
    if (outer < 0 || epoll_ctl(outer, EPOLL_CTL_ADD, fd, &event) < 0)
        bail_out("epoll does not take the descriptor");
    ready = epoll_wait(outer, &event, 1, ms);
    close(outer);
    return ready;
}

static void descriptor(void)
{
    int fd = pfring_get_selectable_fd(ring);
    int i, quiet = 0, woken = 0, read = 0;

    ok(fd >= 0, "there is a descriptor");
    is_int(ring->fd, fd, "the handle's member names it too");
    for (i = 0; i < 100; i++)
        quiet += poll_fd(fd, 0) == 0;
    is_int(quiet, 100, "it is not readable on a quiet link");
    for (i = 0; i < 30; i++) {
        net_send_numbered(sender, 0, 1, LEN);
        switch (i % 3) {
        case 0: woken += poll_fd(fd, 1000) == POLLIN; break;
        case 1: woken += select_fd(fd, 1000) == 1; break;
        default: woken += epoll_fd(fd, 1000) == 1; break;
        }
        read += receive_one() == 1;
    }
    is_int(woken, 30, "poll, select and epoll see every frame");
    is_int(read, 30, "which can then be read");
    drain();

    net_send_numbered(sender, 0, 100, LEN);
    for (i = 0; i < 100 && poll_fd(fd, 1000) == POLLIN; i++)
        if (receive_one() != 1)
            break;
    is_int(i, 100, "it stays readable until the last packet is read");
    is_int(receive_one(), 0, "nothing is left");
    drain();
    for (i = quiet = 0; i < 100; i++)
        quiet += poll_fd(fd, 0) == 0;
    ok(quiet >= 99, "it is not readable any more");
    is_int(pfring_get_selectable_fd(ring), fd, "it is the same descriptor as before");
}

static void breaks(void)
{
    double start;

    pfring_breakloop(ring);
    is_int(poll_fd(pfring_get_selectable_fd(ring), 0), 0, "a break does not make it readable");
    start = clock_ms();
    errno = 0;
    is_int(pfring_poll(ring, 2000), 0, "a break ends the next poll");
    is_int(errno, EINTR, "errno says so");
    ok(clock_ms() - start < 1000, "at once");
    start = clock_ms();
    is_int(pfring_poll(ring, 100), 0, "only that one");
    ok(clock_ms() - start >= 99, "the next one waits its time");
}

int main(void)
{
    watch_stdout();
    net_setup(60);
    sender = net_socket(NET_A);
    ring = pfring_open(NET_B, 1500, PF_RING_PROMISC);
    if (ring == NULL)
        bail_out("the interface does not open");
    is_int(pfring_set_poll_watermark(ring, 1), 0, "a watermark of one packet");
    is_int(pfring_set_poll_duration(ring, 50), 0, "a poll duration");
    is_int(pfring_enable_ring(ring), 0, "enable");
    drain();
    polls();
    descriptor();
    breaks();
    pfring_close(ring);
    return done();
}
