/* idle KIND MS: the CPU that a reader takes while nothing comes. */
#include "bench.h"
#include "side.h"

#include <pthread.h>
#include <stdlib.h>

static unsigned duration_ms;

static void *stop_later(void *side)
{
    pause_ms(duration_ms);
    side_break(side);
    return NULL;
}

int main(int argc, char **argv)
{
    struct side side;
    const unsigned char *bytes;
    pthread_t thread;
    if (argc != 3)
        die("usage: idle KIND MS");
    duration_ms = (unsigned)atoi(argv[2]);
    private_network();
    side_open(&side, argv[1]);
    uint64_t wall = now_ns(), cpu = process_cpu_ns();
    if (pthread_create(&thread, NULL, stop_later, &side) != 0)
        die("pthread_create");
    while (side_next(&side, &bytes)) {
    }
    cpu = process_cpu_ns() - cpu;
    wall = now_ns() - wall;
    pthread_join(thread, NULL);
    result("cpu_percent", 100.0 * (double)cpu / (double)wall);
    return 0;
}
