/*
 * pfsleep: what a short sleep really takes, how many packets of a busy link pass meanwhile, and
 * beside it how soon a packet wakes a program in each wait mode of this library.
 *
 * Times are CLOCK_MONOTONIC. The second table needs two interfaces that are joined: frames sent on
 * the one come in on the other. With --veth the program makes such a pair in a network namespace of
 * its own, which goes away with it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <pfring.h>
#include <pfring_wait.h>

#include "common.h"

/* 60-byte frames with preamble, FCS and gap take 84 bytes of the wire: 10^10 / (8 * 84). */
#define LINE_RATE_PPS 14880952.0
#define MAX_SAMPLES 1000000
#define ROW_SECONDS 3 /* no row of the first table takes longer */
#define LATE_MS 300   /* how long the last frame of a row is waited for */

/* A frame of ours: addresses, ethertype for local experiments, then these bytes. */
#define FRAME_LEN 60
#define MARK_AT 14

struct mark {
    char magic[8];
    uint32_t row; /* of the table, so that a late frame of the row before is told apart */
    uint32_t number;
    uint64_t sent_ns;
};

static const char magic[8] = {'p', 'f', 's', 'l', 'e', 'e', 'p', '1'};

/* A row of the second table. */
struct mode {
    const char *label;
    const char *spec;
    int watermark; /* 0: never set */
};

static const struct mode modes[] = {
    {"passive", "passive", 0},
    {"passive, watermark 1", "passive", 1},
    {"sleep", "sleep", 0},
    {"sleep:1us,slack=1ns", "sleep:1us,slack=1ns", 0},
    {"adaptive", "adaptive", 0},
    {"yield", "yield", 0},
    {"active", "active", 0},
};

struct options {
    const char *device;
    const char *sender;
    int veth;
    uint32_t frames;
    uint32_t calls;
};

/* What the sending thread is given. */
struct sending {
    int fd;
    uint32_t row;
    uint32_t frames;
    pfring *ring;
};

static volatile sig_atomic_t stopping;
static pfring *volatile open_ring; /* the one that a signal has to break */
static uint64_t samples[MAX_SAMPLES];

static void on_signal(int sig)
{
    pfring *ring = open_ring;

    (void)sig;
    stopping = 1;
    if (ring != NULL)
        pfring_breakloop(ring);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The sample below which percent of the count sorted ones lie, in microseconds. */
static double percentile_us(size_t count, unsigned percent)
{
    size_t at = count * percent / 100;

    return (double)samples[at < count ? at : count - 1] / 1e3;
}

static void sleep_usleep(void)
{
    usleep(1);
}

static void sleep_nanosleep(void)
{
    struct timespec time = {0, 1};

    nanosleep(&time, NULL);
}

/* Times calls of a sleep. 0 sets the default slack of the thread. */
static void sleep_row(const char *label, void (*nap)(void), unsigned long slack_ns, uint32_t calls)
{
    uint64_t end = now_ns() + (uint64_t)ROW_SECONDS * 1000000000u;
    size_t count = 0;
    char slack[32];

    prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
    snprintf(slack, sizeof(slack), "%d ns", prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
    while (count < calls && !stopping) {
        uint64_t begin = now_ns(), after;

        nap();
        after = now_ns();
        samples[count++] = after - begin;
        if (after >= end)
            break;
    }
    prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
    if (count == 0)
        return;
    qsort(samples, count, sizeof(samples[0]), by_value);
    printf("%-16s %10s %9zu %9.1f %9.1f %12.0f %12.0f\n", label, slack, count,
           percentile_us(count, 50), percentile_us(count, 99),
           percentile_us(count, 50) * LINE_RATE_PPS / 1e6,
           percentile_us(count, 99) * LINE_RATE_PPS / 1e6);
}

static void sleep_table(uint32_t calls)
{
    printf("What a short sleep takes, and the packets that pass meanwhile at 10 Gbit/s line rate\n"
           "(%.0f packets of 60 bytes a second):\n\n",
           LINE_RATE_PPS);
    printf("%-16s %10s %9s %9s %9s %12s %12s\n", "call", "slack", "calls", "p50 us", "p99 us",
           "p50 packets", "p99 packets");
    sleep_row("usleep(1)", sleep_usleep, 0, calls);
    sleep_row("nanosleep(1 ns)", sleep_nanosleep, 0, calls);
    sleep_row("usleep(1)", sleep_usleep, 1, calls);
    sleep_row("nanosleep(1 ns)", sleep_nanosleep, 1, calls);
    fflush(stdout);
}

/* A network namespace with the pair pfs0 - pfs1, quiet. NULL, or what could not be done. */
static const char *make_veth(void)
{
    FILE *off;

    if (unshare(CLONE_NEWNET) < 0)
        return "a network namespace";
    off = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w");
    if (off != NULL) {
        fputs("1", off);
        fclose(off);
    }
    if (system("ip link add pfs0 type veth peer name pfs1 && ip link set pfs0 arp off up && "
               "ip link set pfs1 arp off up") != 0) {
        errno = ENOTSUP;
        return "a veth pair by ip(8)";
    }
    return NULL;
}

/* A socket that sends raw frames out of a device; -1 with errno. */
static int raw_socket(const char *device)
{
    struct sockaddr_ll address;
    int fd, cause;

    memset(&address, 0, sizeof(address));
    address.sll_family = AF_PACKET;
    address.sll_ifindex = (int)if_nametoindex(device);
    if (address.sll_ifindex == 0)
        return -1;
    fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    cause = errno;
    if (fd >= 0)
        close(fd);
    errno = cause;
    return -1;
}

static void pause_us(unsigned us)
{
    struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};

    nanosleep(&time, NULL);
}

/* Sends lone frames at gaps of 1 to 3 ms; breaks the ring some time after the last one, so that the
 * receiver does not wait for ever for a frame that was lost. */
static void *send_frames(void *argument)
{
    const struct sending *task = (const struct sending *)argument;
    unsigned char frame[FRAME_LEN] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
    struct mark mark;
    unsigned seed = task->row + 1;
    uint32_t waited;

    memset(&mark, 0, sizeof(mark));
    memcpy(mark.magic, magic, sizeof(magic));
    mark.row = task->row;
    for (mark.number = 0; mark.number < task->frames && !stopping; mark.number++) {
        pause_us(1000 + (unsigned)rand_r(&seed) % 2001);
        mark.sent_ns = now_ns();
        memcpy(frame + MARK_AT, &mark, sizeof(mark));
        if (send(task->fd, frame, sizeof(frame), 0) < 0 && errno != ENOBUFS) {
            perror("pfsleep: send");
            break;
        }
    }
    for (waited = 0; waited < LATE_MS && !stopping && open_ring != NULL; waited++)
        pause_us(1000);
    if (open_ring != NULL)
        pfring_breakloop(task->ring);
    return NULL;
}

/* CPU time of the calling thread in nanoseconds. */
static uint64_t thread_cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Receives the frames of one row and keeps how long each was under way. How many came. */
static size_t receive_frames(pfring *ring, const struct sending *task)
{
    struct pfring_pkthdr hdr;
    struct mark mark;
    u_char *data = NULL;
    size_t count = 0;
    uint64_t now;

    memset(&hdr, 0, sizeof(hdr));
    while (!stopping && pfring_recv(ring, &data, 0, &hdr, 1) == 1) {
        now = now_ns();
        if (hdr.caplen < MARK_AT + sizeof(mark))
            continue;
        memcpy(&mark, data + MARK_AT, sizeof(mark));
        if (memcmp(mark.magic, magic, sizeof(magic)) != 0 || mark.row != task->row)
            continue;
        if (count < task->frames)
            samples[count++] = now - mark.sent_ns;
        if (mark.number + 1 == task->frames)
            break;
    }
    return count;
}

static void print_row(const char *label, const struct sending *task, size_t count, double cpu)
{
    if (count == 0) {
        printf("%-22s no frame came\n", label);
        return;
    }
    qsort(samples, count, sizeof(samples[0]), by_value);
    printf("%-22s %7zu %7zu %9.1f %9.1f %9.1f %7.1f\n", label, count, task->frames - count,
           percentile_us(count, 50), percentile_us(count, 99), percentile_us(count, 100), cpu);
    fflush(stdout);
}

/* A ring that waits as the row says; NULL with errno. */
static pfring *open_row(const char *device, const struct mode *mode)
{
    pfring *ring = pfring_open(device, 128, PF_RING_PROMISC);
    int cause;

    if (ring == NULL)
        return NULL;
    if (pfring_wait_set_mode(ring, mode->spec) == 0 &&
        (mode->watermark == 0 ||
         pfring_set_poll_watermark(ring, (u_int16_t)mode->watermark) == 0) &&
        pfring_enable_ring(ring) == 0)
        return ring;
    cause = errno;
    pfring_close(ring);
    errno = cause;
    return NULL;
}

/* One row: 0, or -1 after a line that says what failed. */
static int wake_row(const struct options *options, const struct mode *mode, struct sending *task)
{
    pthread_t sender;
    uint64_t begin, cpu_begin;
    double cpu;
    size_t count;
    int cause;

    task->ring = open_row(options->device, mode);
    if (task->ring == NULL) {
        fprintf(stderr, "pfsleep: %s, %s: %s\n", options->device, mode->label, strerror(errno));
        return -1;
    }
    open_ring = task->ring;
    begin = now_ns();
    cpu_begin = thread_cpu_ns();
    cause = pthread_create(&sender, NULL, send_frames, task);
    if (cause != 0) {
        fprintf(stderr, "pfsleep: no thread to send from: %s\n", strerror(cause));
        open_ring = NULL;
        pfring_close(task->ring);
        return -1;
    }
    count = receive_frames(task->ring, task);
    cpu = 100.0 * (double)(thread_cpu_ns() - cpu_begin) / (double)(now_ns() - begin);
    open_ring = NULL;
    pthread_join(sender, NULL);
    pfring_close(task->ring);
    prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0); /* sleep mode may have set it for this thread */
    if (!stopping)
        print_row(mode->label, task, count, cpu);
    return 0;
}

static int wake_table(const struct options *options)
{
    struct sending task;
    size_t i;
    int failed = 0;

    memset(&task, 0, sizeof(task));
    task.frames = options->frames;
    task.fd = raw_socket(options->sender);
    if (task.fd < 0) {
        fprintf(stderr, "pfsleep: %s: %s\n", options->sender, strerror(errno));
        return -1;
    }
    printf("\nWake-up by a lone packet, from the sender's clock to the return of pfring_recv, %s "
           "to %s:\n\n",
           options->sender, options->device);
    printf("%-22s %7s %7s %9s %9s %9s %7s\n", "PFRING_WAIT", "frames", "lost", "p50 us", "p99 us",
           "max us", "CPU %");
    for (i = 0; i < sizeof(modes) / sizeof(modes[0]) && !stopping && !failed; i++) {
        task.row = (uint32_t)i;
        failed = wake_row(options, &modes[i], &task) != 0;
    }
    close(task.fd);
    return failed ? -1 : 0;
}

static void print_help(FILE *out)
{
    fprintf(out, "Usage: pfsleep [-i DEV -s DEV | --veth] [-n FRAMES] [-c CALLS]\n"
                 "What short sleeps take, and the wake-up of each wait mode.\n\n"
                 "  -i DEV      receive on this interface\n"
                 "  -s DEV      send lone frames on this one, which is joined to the other\n"
                 "  --veth      instead make a pair of interfaces, in a network namespace (root)\n"
                 "  -n FRAMES   frames for each wait mode, default 300\n"
                 "  -c CALLS    calls of each sleep, default 20000, 3 seconds at most\n"
                 "  -h          this text\n");
}

static void usage_error(void)
{
    print_help(stderr);
    exit(EXIT_FAILED);
}

static void read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {{"veth", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int flag;

    while ((flag = getopt_long(argc, argv, "hi:s:n:c:", longs, NULL)) != -1) {
        switch (flag) {
        case 'i': options->device = optarg; break;
        case 's': options->sender = optarg; break;
        case 'v': options->veth = 1; break;
        case 'n': options->frames = (uint32_t)parse_number('n', optarg, 1, MAX_SAMPLES); break;
        case 'c': options->calls = (uint32_t)parse_number('c', optarg, 1, MAX_SAMPLES); break;
        case 'h': print_help(stdout); exit(0);
        default: usage_error();
        }
    }
    if (optind < argc || (options->device == NULL) != (options->sender == NULL) ||
        (options->veth && options->device != NULL))
        usage_error();
}

static void catch_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int main(int argc, char **argv)
{
    struct options options = {NULL, NULL, 0, 300, 20000};
    const char *missing;

    read_options(argc, argv, &options);
    catch_signals();
    sleep_table(options.calls);
    if (options.veth && !stopping) {
        missing = make_veth();
        if (missing != NULL) {
            fprintf(stderr, "pfsleep: no wake-up table: %s: %s\n", missing, strerror(errno));
            return 0;
        }
        options.device = "pfs1";
        options.sender = "pfs0";
    }
    if (options.device == NULL || stopping)
        return 0;
    return wake_table(&options) == 0 ? 0 : EXIT_FAILED;
}
