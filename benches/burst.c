/* burst SIDE MODE [MB]: how many frames of a burst a ring keeps while its reader stalls.
 *
 * MB is the memory of the ring; without it each side has its default. */
#include "reader.h"

#include <stdlib.h>

#define BURST_FRAMES 200000u
/* Every block timer has passed. */
#define SETTLE_MS 50

static uint64_t expected;

static void on_frame(struct reader *reader, const unsigned char *bytes)
{
    (void)reader;
    uint64_t number = number_at(bytes, NUMBER_OFFSET);
    if (number < expected || number >= BURST_FRAMES)
        die("frame %llu where %llu or a later one should be", (unsigned long long)number,
            (unsigned long long)expected);
    expected = number + 1;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        die("usage: burst SIDE MODE [MB]");
    private_network();
    struct reader *reader = open_reader(argv[1], argv[2], argc == 4 ? atoi(argv[3]) : 0);
    struct sender sender = start_sender((struct traffic){.count = BURST_FRAMES});
    finish_sender(&sender);
    pause_ms(SETTLE_MS);
    begin_reading(reader, 1000);
    read_frames(reader, on_frame);
    uint64_t dropped = frames_dropped(reader);
    if (reader->frames + dropped != BURST_FRAMES)
        die("%llu frames kept and %llu dropped of %u", (unsigned long long)reader->frames,
            (unsigned long long)dropped, BURST_FRAMES);
    result("kept", (double)reader->frames);
    result("dropped", (double)dropped);
    return 0;
}
