/*
 * pfring_wait.h: the wait mode of a ring at run time, and what waiting costs. Accepted and refused
 * modes on a capture file; counters, and a change of mode while a thread waits, on an interface.
 */
#include <pthread.h>

#include <pfring.h>
#include <pfring_wait.h>

#include "netns.h"

#define INVALID PF_RING_ERROR_INVALID_ARGUMENT
#define LATE_MS 300 /* how much later than asked for is still in time, on a busy machine */
#define PHASE_MS 300

static int sender;
static pfring *ring;

/* --- modes --- */

/* Closes a ring that was opened with PFRING_STATS=1; the mode that its line names, "" for none. */
static const char *close_and_read_mode(pfring *of)
{
    static char mode[64];
    char line[1024];
    FILE *caught = tmpfile();
    int real = dup(STDERR_FILENO);
    const char *at;

    mode[0] = '\0';
    if (caught == NULL || real < 0 || dup2(fileno(caught), STDERR_FILENO) < 0)
        bail_out("stderr cannot be caught");
    pfring_close(of);
    dup2(real, STDERR_FILENO);
    close(real);
    rewind(caught);
    while (fgets(line, sizeof(line), caught) != NULL) {
        at = strstr(line, " mode=");
        if (at != NULL)
            sscanf(at, " mode=%63s", mode);
    }
    fclose(caught);
    return mode;
}

static pfring *open_file(const struct capture_file *file)
{
    char device[600];
    pfring *opened;

    setenv("PFRING_STATS", "1", 1);
    opened = pfring_open(capture_device(file, device, sizeof(device)), 1500, 0);
    unsetenv("PFRING_STATS");
    if (opened == NULL)
        bail_out("a capture file does not open");
    return opened;
}

static void accepted_modes(const struct capture_file *file)
{
    static const char *const forms[][2] = {
        {"passive", "passive"},
        {"active", "active"},
        {"yield", "yield"},
        {"adaptive", "adaptive:50us"},
        {"adaptive:200us", "adaptive:200us"},
        {"adaptive:20", "adaptive:20us"},
        {"sleep", "sleep:1us"},
        {"sleep:2ms", "sleep:2ms"},
        {"sleep:500ns", "sleep:500ns"},
        {"sleep:1s", "sleep:1s"},
        {"sleep,slack=1ns", "sleep:1us,slack=1ns"},
        {"sleep:10,slack=3us", "sleep:10us,slack=3us"},
    };
    size_t i;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        pfring *opened = open_file(file);

        is_int(pfring_wait_set_mode(opened, forms[i][0]), 0, forms[i][0]);
        is_str(close_and_read_mode(opened), forms[i][1], "is the mode at close");
    }
}

static void refused_modes(const struct capture_file *file)
{
    static const char *const texts[] = {
        "",          "turbo",         "Active",          "active ",        "active:1us",
        "passive:1", "yield:1us",     "yield,slack=1ns", "adaptive:",      "adaptive:0",
        "adaptive:x", "adaptive:-1us", "adaptive:50us,slack=1ns", "sleep:", "sleep:1h",
        "sleep:1us,", "sleep:1us,slack=", "sleep:1us,slack=0", "sleep,1ns", "sleep:2s,slack=1ns,",
        "adaptive:99999999999999999999", "\xff\xfe",
    };
    pfring *opened = open_file(file);
    size_t i;

    is_int(pfring_wait_set_mode(opened, "adaptive:77us"), 0, "a mode to begin with");
    is_int(pfring_wait_set_mode(opened, NULL), INVALID, "NULL is refused");
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (pfring_wait_set_mode(opened, texts[i]) != INVALID)
            break;
    is_int((long long)i, sizeof(texts) / sizeof(texts[0]), "what is no mode is refused");
    is_int(pfring_wait_get_stats(opened, NULL), INVALID, "figures into NULL are refused");
    is_str(close_and_read_mode(opened), "adaptive:77us", "the mode is still the first one");
}

static void modes_by_name(void)
{
    struct capture_file file;

    if (capture_numbered(&file, 1, 60) < 0)
        bail_out("no capture file can be written");
    accepted_modes(&file);
    refused_modes(&file);
    capture_remove(&file);
}

/* --- counters --- */

static pfring_wait_stats counters(void)
{
    pfring_wait_stats now;

    memset(&now, 0xff, sizeof(now));
    if (pfring_wait_get_stats(ring, &now) != 0)
        bail_out("no figures of an open ring");
    return now;
}

static void show(const char *mode, const pfring_wait_stats *cost)
{
    diag("%s: calls %llu spins %llu polls %llu sleeps %llu empty_wakeups %llu breaks %llu "
         "asleep_ns %llu",
         mode, (unsigned long long)cost->calls, (unsigned long long)cost->spins,
         (unsigned long long)cost->polls, (unsigned long long)cost->sleeps,
         (unsigned long long)cost->empty_wakeups, (unsigned long long)cost->breaks,
         (unsigned long long)cost->asleep_ns);
}

/* What one pfring_poll of a quiet link costs in a mode. */
static pfring_wait_stats cost_of_poll(const char *mode, u_int ms)
{
    pfring_wait_stats before, after;

    is_int(pfring_wait_set_mode(ring, mode), 0, mode);
    before = counters();
    is_int(pfring_poll(ring, ms), 0, "a poll of a quiet link answers 0");
    after = counters();
    after.calls -= before.calls;
    after.spins -= before.spins;
    after.polls -= before.polls;
    after.sleeps -= before.sleeps;
    after.empty_wakeups -= before.empty_wakeups;
    after.breaks -= before.breaks;
    after.asleep_ns -= before.asleep_ns;
    is_int(after.calls, 1, "it is one call that waited");
    is_int(after.breaks, 0, "which nobody broke");
    return after;
}

static void cost_of_modes(void)
{
    pfring_wait_stats cost = counters();

    ok(cost.calls == 0 && cost.spins == 0 && cost.polls == 0 && cost.sleeps == 0 &&
           cost.empty_wakeups == 0 && cost.breaks == 0 && cost.asleep_ns == 0,
       "an open ring begins with zeros");

    pfring_poll(ring, 20); /* a first one, whose code is slow under valgrind */
    cost = cost_of_poll("passive", 100);
    if (!ok(cost.polls >= 1 && cost.spins == 0 && cost.sleeps == 0, "passive sleeps in poll") ||
        !ok(cost.asleep_ns >= 90000000u && cost.asleep_ns < (100 + LATE_MS) * 1000000ull,
            "for the time asked for"))
        show("passive", &cost);

    cost = cost_of_poll("active", 50);
    if (!ok(cost.spins > 0 && cost.polls == 0 && cost.sleeps == 0, "active only spins") ||
        !is_int((long long)cost.asleep_ns, 0, "and is never asleep"))
        show("active", &cost);

    cost = cost_of_poll("yield", 50);
    if (!ok(cost.spins > 0 && cost.polls == 0 && cost.asleep_ns == 0, "yield only looks"))
        show("yield", &cost);

    cost = cost_of_poll("sleep:1ms", 50);
    if (!ok(cost.sleeps > 1 && cost.sleeps <= 50 && cost.polls == 0 && cost.spins == 0,
            "sleep naps again and again") ||
        !ok(cost.asleep_ns >= 40000000u, "most of the time"))
        show("sleep", &cost);

    cost = cost_of_poll("sleep:1us", 200);
    if (!ok(cost.sleeps == 100 && cost.polls >= 1, "after 100 naps sleep mode sleeps in poll"))
        show("sleep", &cost);

    cost = cost_of_poll("adaptive:1ms", 100);
    if (!ok(cost.polls >= 1 && cost.sleeps == 0, "adaptive ends in poll") ||
        !ok(cost.asleep_ns >= 80000000u, "and sleeps most of the time"))
        show("adaptive", &cost);
}

static int receive(int wait)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;

    memset(&hdr, 0, sizeof(hdr));
    return pfring_recv(ring, &data, 0, &hdr, (u_int8_t)wait);
}

static void cost_of_breaks_and_looks(void)
{
    static const char *const each[] = {"passive", "active", "sleep", "adaptive", "yield"};
    pfring_wait_stats before, after;
    size_t i;

    for (i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        pfring_wait_set_mode(ring, each[i]);
        before = counters();
        pfring_breakloop(ring);
        is_int(receive(1), 0, "a pending break ends a receive");
        after = counters();
        ok(after.breaks == before.breaks + 1 && after.calls == before.calls + 1,
           "and counts, in %s mode", each[i]);
    }

    before = counters();
    for (i = 0; i < 100; i++)
        if (receive(0) != 0 || pfring_poll(ring, 0) != 0 || pfring_is_pkt_available(ring) != 0)
            break;
    is_int((long long)i, 100, "calls that must not wait find a quiet link");
    after = counters();
    is_int((long long)after.calls, (long long)before.calls, "and do not count as waits");
}

/* --- a change of mode while a thread waits --- */

struct reader {
    pthread_t thread;
    clockid_t clock;
    int received;
    int ended;
    int last_rc, last_errno;
};

static void *read_all(void *argument)
{
    struct reader *reader = (struct reader *)argument;
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int rc;

    memset(&hdr, 0, sizeof(hdr));
    for (;;) {
        errno = 0;
        rc = pfring_recv(ring, &data, 0, &hdr, 1);
        if (rc != 1)
            break;
        __atomic_add_fetch(&reader->received, 1, __ATOMIC_SEQ_CST);
    }
    reader->last_rc = rc;
    reader->last_errno = errno;
    __atomic_store_n(&reader->ended, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* CPU time of the reader in milliseconds. */
static double reader_cpu_ms(const struct reader *reader)
{
    struct timespec used;

    clock_gettime(reader->clock, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

static int becomes(const int *value, int want)
{
    double start = clock_ms();

    while (__atomic_load_n(value, __ATOMIC_SEQ_CST) != want && clock_ms() - start < 2000)
        sleep_ms(1);
    return __atomic_load_n(value, __ATOMIC_SEQ_CST) == want;
}

/* The share of a core, in percent, that the reader uses on a quiet link in a mode. */
static double idle_share(const struct reader *reader, const char *mode)
{
    double start, cpu;

    is_int(pfring_wait_set_mode(ring, mode), 0, mode);
    sleep_ms(250); /* past the naps that sleep mode begins with, and past a change of the ring */
    start = clock_ms();
    cpu = reader_cpu_ms(reader);
    sleep_ms(PHASE_MS);
    cpu = 100 * (reader_cpu_ms(reader) - cpu) / (clock_ms() - start);
    diag("%s: %.0f %% of a core", mode, cpu);
    return cpu;
}

static void switched_while_waiting(void)
{
    static const struct {
        const char *mode;
        int spins;
    } phases[] = {{"passive", 0}, {"active", 1}, {"sleep", 0}, {"passive", 0}};
    struct reader reader;
    size_t i;

    memset(&reader, 0, sizeof(reader));
    if (pthread_create(&reader.thread, NULL, read_all, &reader) != 0 ||
        pthread_getcpuclockid(reader.thread, &reader.clock) != 0)
        bail_out("no thread");
    for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        double share = idle_share(&reader, phases[i].mode);

        if (phases[i].spins)
            ok(share > 10, "the waiting thread spins");
        else
            ok(share < 10, "the waiting thread sleeps");
        is_int(__atomic_load_n(&reader.ended, __ATOMIC_SEQ_CST), 0, "it goes on");
        net_send_numbered(sender, (uint32_t)i, 1, 60);
        ok(becomes(&reader.received, (int)i + 1), "and receives a frame, once");
    }
    pfring_breakloop(ring);
    if (!ok(becomes(&reader.ended, 1), "a break still ends it"))
        bail_out("a thread hangs");
    pthread_join(reader.thread, NULL);
    is_int(reader.last_rc, 0, "the receive answers 0");
    is_int(reader.last_errno, EINTR, "errno says that it was interrupted");
}

static pfring *open_live(void)
{
    pfring *opened = pfring_open(NET_B, 1500, 0);

    if (opened == NULL || pfring_enable_ring(opened) != 0)
        bail_out("the interface does not open");
    return opened;
}

int main(void)
{
    watch_stdout();
    alarm(60);
    modes_by_name();
    if (!net_try(60)) {
        skip("counters and changes", "no right to make a network namespace");
        return done();
    }
    sender = net_socket(NET_A);
    ring = open_live();
    cost_of_modes();
    cost_of_breaks_and_looks();
    pfring_close(ring);
    ring = open_live(); /* one of blocks, which turns into one of slots on the way */
    switched_while_waiting();
    pfring_close(ring);
    return done();
}
