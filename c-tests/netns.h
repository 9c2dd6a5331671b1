/*
 * A private network for a test: the calling process moves into a network namespace of its own and
 * makes a quiet veth pair in it, which carries the test's frames and nothing else. It all goes away
 * with the process.
 */
#ifndef NETNS_H
#define NETNS_H

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"
#include "tap.h"

#define NET_A "tva" /* the test's socket sends from here ... */
#define NET_B "tvb" /* ... and the ring listens here */

TAP_UNUSED static int net_run(const char *command)
{
    return system(command) == 0 ? 0 : -1;
}

static void net_write(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    if (out != NULL) {
        fputs(text, out);
        fclose(out);
    }
}

/* Makes the namespace and the pair NET_A - NET_B, both up. 0 where the right is missing, or the ip
 * command, or the driver. seconds bounds the program: then SIGALRM ends it. */
TAP_UNUSED static int net_try(unsigned seconds)
{
    alarm(seconds);
    if (unshare(CLONE_NEWNET) < 0)
        return 0;
    /* An idle link then carries no frame of the kernel's own. */
    net_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    net_write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    return net_run("ip link add " NET_A " address 02:00:00:00:00:01 type veth peer name " NET_B
                   " address 02:00:00:00:00:02 2>/dev/null") == 0 &&
           net_run("ip link set " NET_A " arp off up && ip link set " NET_B " arp off up") == 0;
}

/* The same, for a program that is nothing without it. */
TAP_UNUSED static void net_setup(unsigned seconds)
{
    if (!net_try(seconds))
        skip_all("needs the right to make a network namespace, ip and the veth driver");
}

/* A raw socket that sends whole frames from an interface. Ends the program if there is none. */
TAP_UNUSED static int net_socket(const char *name)
{
    struct sockaddr_ll address;
    int fd = socket(AF_PACKET, SOCK_RAW, 0);

    memset(&address, 0, sizeof(address));
    address.sll_family = AF_PACKET;
    address.sll_ifindex = (int)if_nametoindex(name);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        bail_out("no raw socket for the test's frames");
    return fd;
}

TAP_UNUSED static void net_send(int fd, const unsigned char *frame, size_t len)
{
    while (send(fd, frame, len, 0) < 0)
        if (errno != ENOBUFS && errno != EINTR)
            bail_out("a test frame could not be sent");
}

/* Sends count frames of len bytes, numbered from first. */
TAP_UNUSED static void net_send_numbered(int fd, uint32_t first, uint32_t count, size_t len)
{
    unsigned char frame[2048];
    uint32_t i;

    for (i = 0; i < count; i++) {
        numbered_frame(frame, len, first + i);
        net_send(fd, frame, len);
    }
}

/* CLOCK_MONOTONIC in milliseconds. */
TAP_UNUSED static double clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

TAP_UNUSED static void sleep_ms(unsigned ms)
{
    struct timespec time;

    time.tv_sec = ms / 1000;
    time.tv_nsec = (long)(ms % 1000) * 1000000;
    while (nanosleep(&time, &time) < 0 && errno == EINTR)
        ;
}

#endif
