/* idle SIDE MODE MS: the CPU that a reader takes while nothing comes. */
#include "reader.h"

#include <stdlib.h>

static void on_frame(struct reader *reader, const unsigned char *bytes)
{
    (void)reader, (void)bytes;
    die("a frame on an idle network");
}

int main(int argc, char **argv)
{
    int ms = argc == 4 ? atoi(argv[3]) : 0;
    if (ms < 1 || ms > 60000)
        die("usage: idle SIDE MODE MS, 1 to 60000");
    private_network();
    struct reader *reader = open_reader(argv[1], argv[2], 0);
    uint64_t wall = now_ns(), cpu = process_cpu_ns();
    begin_reading(reader, (unsigned)ms);
    read_frames(reader, on_frame);
    cpu = process_cpu_ns() - cpu;
    wall = now_ns() - wall;
    result("cpu_percent", 100.0 * (double)cpu / (double)wall);
    return 0;
}
