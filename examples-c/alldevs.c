/*
 * alldevs: lists the devices, again and again, until a signal ends it.
 */
#define _GNU_SOURCE
#include "capture.h"
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 3000000000u
#define LOOK_NS 50000000

static const char usage[] =
    "alldevs - lists the devices, every three seconds\n"
    "\n"
    "-1            list them once\n"
    "-h            this help\n";

/* 0, or -1 after one line on stderr. */
static int list(void)
{
    pfring_if_t *all = pfring_findalldevs(), *dev;
    unsigned number = 0;

    if (all == NULL) {
        fprintf(stderr, "the list of devices: %s\n", strerror(errno));
        return -1;
    }
    for (dev = all; dev != NULL; dev = dev->next)
        printf("%u. %s (%s, %s)\n", ++number, dev->name, dev->module != NULL ? dev->module : "",
               dev->status != 0 ? "up" : "down");
    putchar('\n');
    fflush(stdout);
    pfring_freealldevs(all);
    return 0;
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, LOOK_NS};
    uint64_t due = 0;
    int c, once = 0, rc = 0;

    while ((c = getopt(argc, argv, "h1")) != -1) {
        switch (c) {
        case 'h': fputs(usage, stdout); return 0;
        case '1': once = 1; break;
        default: return EXIT_FAILED;
        }
    }
    catch_stop_signals();
    while (!stopping && rc == 0) {
        if (now_ns() >= due) {
            due = now_ns() + PERIOD_NS;
            rc = list();
        }
        if (once)
            break;
        nanosleep(&pause, NULL);
    }
    return rc == 0 ? 0 : EXIT_FAILED;
}
