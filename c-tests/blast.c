/*
 * blast: sends numbered frames from an interface at a rate, and says how many it sent.
 *
 *   blast INTERFACE COUNT RATE [LENGTH]
 *
 * RATE is frames a second, 0 as fast as it goes; LENGTH is 60 unless given. No libpfring in it, so
 * that it can judge one. Ends with status 0 when all frames were sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <time.h>

#include "frames.h"

#define SLICE_NS 1000000 /* frames are sent in slices of a millisecond */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec at;

    at.tv_sec = (time_t)(ns / 1000000000u);
    at.tv_nsec = (long)(ns % 1000000000u);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

static int open_socket(const char *name)
{
    struct sockaddr_ll address;
    int fd = socket(AF_PACKET, SOCK_RAW, 0);

    memset(&address, 0, sizeof(address));
    address.sll_family = AF_PACKET;
    address.sll_ifindex = (int)if_nametoindex(name);
    if (address.sll_ifindex == 0)
        errno = ENODEV;
    if (fd < 0 || address.sll_ifindex == 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        fprintf(stderr, "blast: %s: %s\n", name, strerror(errno));
        exit(1);
    }
    return fd;
}

/* Sends one frame; a full queue is waited for. 0 or -1. */
static int send_frame(int fd, const unsigned char *frame, size_t len)
{
    while (send(fd, frame, len, 0) < 0) {
        if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR) {
            perror("blast");
            return -1;
        }
        sleep_until(now_ns() + 10000);
    }
    return 0;
}

static uint32_t number(const char *text, uint32_t min, uint32_t max)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || value < min || value > max) {
        fprintf(stderr, "blast: '%s' is not a number from %u to %u\n", text, min, max);
        exit(2);
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    unsigned char frame[9014];
    uint32_t count, rate, len, sent = 0;
    uint64_t start;
    int fd;

    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: blast INTERFACE COUNT RATE [LENGTH]\n");
        return 2;
    }
    count = number(argv[2], 1, UINT32_MAX);
    rate = number(argv[3], 0, 100000000);
    len = argc == 5 ? number(argv[4], 60, sizeof(frame)) : 60;
    fd = open_socket(argv[1]);

    start = now_ns();
    while (sent < count) {
        uint64_t elapsed = now_ns() - start;
        uint64_t due = rate == 0 ? count : elapsed / 1000 * rate / 1000000 + 1;

        for (; sent < count && sent < due; sent++) {
            numbered_frame(frame, len, sent);
            if (send_frame(fd, frame, len) < 0)
                break;
        }
        if (sent < count && sent < due)
            break; /* an error that has been told */
        if (sent < count && rate > 0)
            sleep_until(start + (elapsed / SLICE_NS + 1) * SLICE_NS);
    }
    printf("%u\n", sent);
    return sent == count ? 0 : 1;
}
