/*
 * One ring, four threads, PF_RING_REENTRANT: together they get each packet once. Zero copy is
 * refused there, since a packet's memory would belong to no thread.
 */
#include <pthread.h>

#include <pfring.h>

#include "netns.h"

#define THREADS 4
#define LEN 60

struct reader {
    pfring *ring;
    unsigned char *seen; /* a byte for each number */
    u_int32_t limit;
    u_int32_t count, wrong;
    int result;
};

/* Reads until an error or a break. */
static void *read_all(void *arg)
{
    struct reader *reader = (struct reader *)arg;
    struct pfring_pkthdr hdr;
    unsigned char room[256];

    memset(&hdr, 0, sizeof(hdr));
    do {
        u_char *data = room;

        reader->result = pfring_recv(reader->ring, &data, sizeof(room), &hdr, 1);
        if (reader->result == 1) {
            unsigned char frame[LEN];
            u_int32_t number = get32(room + NUMBER_AT);

            numbered_frame(frame, LEN, number);
            if (hdr.caplen != LEN || number >= reader->limit || memcmp(room, frame, LEN) != 0)
                reader->wrong++;
            else
                __atomic_add_fetch(&reader->seen[number], 1, __ATOMIC_RELAXED);
            __atomic_add_fetch(&reader->count, 1, __ATOMIC_RELAXED);
        }
    } while (reader->result == 1);
    return NULL;
}

static void start_readers(struct reader *readers, pthread_t *threads, pfring *ring,
                          unsigned char *seen, u_int32_t limit)
{
    int i;

    memset(readers, 0, THREADS * sizeof(*readers));
    for (i = 0; i < THREADS; i++) {
        readers[i].ring = ring;
        readers[i].seen = seen;
        readers[i].limit = limit;
        if (pthread_create(&threads[i], NULL, read_all, &readers[i]) != 0)
            bail_out("no thread");
    }
}

static u_int32_t total(struct reader *readers)
{
    u_int32_t sum = 0;
    int i;

    for (i = 0; i < THREADS; i++)
        sum += __atomic_load_n(&readers[i].count, __ATOMIC_RELAXED);
    return sum;
}

/* How many numbers were seen exactly once. */
static u_int32_t once(const unsigned char *seen, u_int32_t limit)
{
    u_int32_t i, count = 0;

    for (i = 0; i < limit; i++)
        count += seen[i] == 1;
    return count;
}

static u_int32_t wrong(const struct reader *readers)
{
    u_int32_t sum = 0;
    int i;

    for (i = 0; i < THREADS; i++)
        sum += readers[i].wrong;
    return sum;
}

static int all_ended_with(const struct reader *readers, int result)
{
    int i;

    for (i = 0; i < THREADS; i++)
        if (readers[i].result != result)
            return 0;
    return 1;
}

static pfring *open_ring(const char *device)
{
    pfring *ring = pfring_open(device, 1500, PF_RING_REENTRANT);

    if (ring == NULL)
        bail_out("the device does not open");
    pfring_set_direction(ring, rx_only_direction);
    if (pfring_enable_ring(ring) != 0)
        bail_out("the ring cannot be enabled");
    return ring;
}

static void zero_copy_is_refused(pfring *ring)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    is_int(pfring_recv(ring, &data, 0, &hdr, 0), PF_RING_ERROR_INVALID_ARGUMENT,
           "zero copy is refused");
    ok(data == NULL, "and gives no pointer");
}

static void from_file(void)
{
    enum { count = 2000 };
    static unsigned char seen[count];
    struct capture_file file;
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    char device[600];
    pfring *ring;
    int i;

    if (capture_numbered(&file, count, LEN) < 0)
        bail_out("no capture file");
    ring = open_ring(capture_device(&file, device, sizeof(device)));
    zero_copy_is_refused(ring);
    start_readers(readers, threads, ring, seen, count);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    is_int(total(readers), count, "four threads read a whole file");
    is_int(once(seen, count), count, "each packet once");
    is_int(wrong(readers), 0, "all of them whole");
    ok(all_ended_with(readers, PF_RING_ERROR_INVALID_ARGUMENT), "all threads see the end");
    pfring_close(ring);
    capture_remove(&file);
}

static void from_interface(void)
{
    enum { count = 10000 };
    static unsigned char seen[count];
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    int sender = net_socket(NET_A), i;
    pfring *ring = open_ring(NET_B);
    double end, broken;

    zero_copy_is_refused(ring);
    start_readers(readers, threads, ring, seen, count);
    net_send_numbered(sender, 0, count, LEN);
    end = clock_ms() + 10000;
    while (total(readers) < count && clock_ms() < end)
        sleep_ms(1);
    sleep_ms(100); /* time for a packet too many, and for all to block again */
    broken = clock_ms();
    pfring_breakloop(ring);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ok(clock_ms() - broken < 1000, "one break ends four threads that wait");
    ok(all_ended_with(readers, 0), "each receive answers 0");
    is_int(total(readers), count, "four threads read all packets of an interface");
    is_int(once(seen, count), count, "each packet once");
    is_int(wrong(readers), 0, "all of them whole");
    pfring_close(ring);
}

int main(void)
{
    watch_stdout();
    alarm(60);
    from_file();
    if (net_try(60))
        from_interface();
    else
        skip("threads on an interface", "no right to make a network namespace");
    return done();
}
