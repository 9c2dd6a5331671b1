/* idle SIDE MODE MS: the CPU that a reader takes while nothing comes.
 *
 * `idle bare poll MS` reads nothing: it only sleeps in poll as often as a guarded program does, which is
 * what such sleeps cost on this machine whoever takes them. */
#define _GNU_SOURCE
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* PFRING_IDLE_GUARD=1: 5 ms. */
#define GUARD_SLEEP_NS 5000000

static void on_frame(struct reader *reader, const unsigned char *bytes)
{
    (void)reader, (void)bytes;
    die("a frame on an idle network");
}

static void sleep_like_a_guard(unsigned ms)
{
    uint64_t end = now_ns() + ms * 1000000ull;
    while (now_ns() < end) {
        struct timespec t = {0, GUARD_SLEEP_NS};
        ppoll(NULL, 0, &t, NULL);
    }
}

int main(int argc, char **argv)
{
    int ms = argc == 4 ? atoi(argv[3]) : 0;
    if (ms < 1 || ms > 60000)
        die("usage: idle SIDE MODE MS, 1 to 60000");
    private_network();
    struct reader *reader = strcmp(argv[1], "bare") != 0 ? open_reader(argv[1], argv[2], 0) : NULL;
    uint64_t wall = now_ns(), cpu = process_cpu_ns();
    if (reader != NULL) {
        begin_reading(reader, (unsigned)ms);
        read_frames(reader, on_frame);
    } else {
        sleep_like_a_guard((unsigned)ms);
    }
    cpu = process_cpu_ns() - cpu;
    wall = now_ns() - wall;
    result("cpu_percent", 100.0 * (double)cpu / (double)wall);
    return 0;
}
