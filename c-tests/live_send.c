/*
 * Sending: bytes sent are the answer, frames arrive as given, what cannot be sent is an error.
 */
#include <pthread.h>

#include <pfring.h>

#include "netns.h"

static pfring *open_ring(const char *device, socket_mode mode, packet_direction direction)
{
    pfring *ring = pfring_open(device, 9000, PF_RING_PROMISC);

    if (ring == NULL)
        bail_out("the interface does not open");
    pfring_set_poll_watermark(ring, 1);
    pfring_set_direction(ring, direction);
    if (pfring_set_socket_mode(ring, mode) != 0 || pfring_enable_ring(ring) != 0)
        bail_out("the ring cannot be enabled");
    return ring;
}

static void send_and_arrive(pfring *from, pfring *to, size_t len, const char *name)
{
    unsigned char frame[2048];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    numbered_frame(frame, len, (u_int32_t)len);
    is_int(pfring_send(from, (char *)frame, (u_int)len, 1), (long long)len, name);
    is_int(pfring_recv(to, &data, 0, &hdr, 1), 1, "arrives");
    ok(hdr.len == len && hdr.caplen == len && memcmp(data, frame, len) == 0, "as it was sent");
}

static void sizes(pfring *from, pfring *to)
{
    static char large[9000];

    is_int(pfring_get_mtu_size(from), 1500, "the MTU");
    send_and_arrive(from, to, 60, "a frame of 60 bytes");
    send_and_arrive(from, to, 1514, "a frame of 1514 bytes");
    numbered_frame((unsigned char *)large, sizeof(large), 0);
    is_negative(pfring_send(from, large, 1515, 1), "one byte more than the MTU allows");
    errno = 0;
    is_int(pfring_send(from, large, sizeof(large), 1), -2, "a frame far larger than the MTU");
    is_int(errno, EMSGSIZE, "errno says so");
    send_and_arrive(from, to, 60, "the next frame");
}

static void modes(void)
{
    unsigned char frame[60];
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    pfring *ring = pfring_open(NET_A, 1500, 0);

    if (ring == NULL)
        bail_out("the interface does not open");
    memset(&hdr, 0, sizeof(hdr));
    numbered_frame(frame, sizeof(frame), 0);
    is_int(pfring_send(ring, (char *)frame, sizeof(frame), 1), PF_RING_ERROR_RING_NOT_ENABLED,
           "sending before enable");
    pfring_close(ring);

    ring = open_ring(NET_A, recv_only_mode, rx_and_tx_direction);
    is_int(pfring_send(ring, (char *)frame, sizeof(frame), 1), PF_RING_ERROR_NOT_SUPPORTED,
           "sending in receive-only mode");
    is_int(pfring_set_socket_mode(ring, send_only_mode), -1, "the mode is fixed by enable");
    pfring_close(ring);

    ring = open_ring(NET_A, send_only_mode, rx_and_tx_direction);
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), PF_RING_ERROR_NOT_SUPPORTED,
           "receiving in send-only mode");
    is_int(pfring_send(ring, (char *)frame, sizeof(frame), 1), sizeof(frame),
           "sending in send-only mode");
    pfring_close(ring);
}

/* One thread receives while another sends on the same handle, which needs no REENTRANT. */
static void *send_many(void *arg)
{
    unsigned char frame[60];
    u_int32_t i;

    for (i = 0; i < 1000; i++) {
        numbered_frame(frame, sizeof(frame), i);
        while (pfring_send((pfring *)arg, (char *)frame, sizeof(frame), 0) < 0)
            sleep_ms(1);
    }
    return NULL;
}

static void both_ways(void)
{
    pfring *a = open_ring(NET_A, send_and_recv_mode, rx_only_direction);
    pfring *b = open_ring(NET_B, send_and_recv_mode, rx_only_direction);
    struct pfring_pkthdr hdr;
    pthread_t thread;
    unsigned char frame[60];
    u_char *data = NULL;
    u_int32_t i, right = 0;

    memset(&hdr, 0, sizeof(hdr));
    pthread_create(&thread, NULL, send_many, b);
    for (i = 0; i < 1000; i++) {
        /* b sends to a in its thread; here it receives what a sends */
        numbered_frame(frame, sizeof(frame), i);
        if (pfring_send(a, (char *)frame, sizeof(frame), 0) != sizeof(frame) ||
            pfring_recv(b, &data, 0, &hdr, 1) != 1)
            break;
        right += hdr.len == 60 && get32(data + NUMBER_AT) == i;
    }
    pthread_join(thread, NULL);
    is_int(right, 1000, "frames received while another thread sends on the same ring");
    for (i = 0; i < 1000 && pfring_recv(a, &data, 0, &hdr, 1) == 1; i++)
        if (get32(data + NUMBER_AT) != i)
            break;
    is_int(i, 1000, "frames sent without a flush arrive too, in order");
    pfring_close(a);
    pfring_close(b);
}

int main(void)
{
    pfring *from, *to;

    watch_stdout();
    net_setup(60);
    from = open_ring(NET_A, send_and_recv_mode, rx_only_direction);
    to = open_ring(NET_B, recv_only_mode, rx_only_direction);
    sizes(from, to);
    pfring_close(from);
    pfring_close(to);
    modes();
    both_ways();
    return done();
}
