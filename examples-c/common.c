#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pfring.h>

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

long long parse_number(char flag, const char *text, long long min, long long max)
{
    char *end = NULL;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < min || value > max) {
        fprintf(stderr, "-%c: '%s' is not a number from %lld to %lld\n", flag, text, min, max);
        exit(EXIT_FAILED);
    }
    return value;
}

char *format_number(double value, char *buf, size_t size, int decimals)
{
    if (value >= 1e12) {
        snprintf(buf, size, "%.*f", decimals ? 2 : 0, value);
        return buf;
    }
    return pfring_format_numbers(value, buf, (u_int)size, (u_int8_t)(decimals ? 1 : 0));
}

char *format_mac(const unsigned char *mac, char *buf, size_t size)
{
    snprintf(buf, size, "%02X:%02X:%02X:%02X:%02X:%02X", mac[0], mac[1], mac[2], mac[3], mac[4],
             mac[5]);
    return buf;
}

int bind_to_core(int core)
{
    cpu_set_t set;

    if (core < 0 || core >= CPU_SETSIZE) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof(set), &set);
}
