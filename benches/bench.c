/* A private network, a sender, clocks: see bench.h. */
#define _GNU_SOURCE
#include "bench.h"
#include "flood.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define FLOWS 16
/* A flood is made in calls of this length, and of this many frames at most. */
#define FLOOD_NS 1000000
#define FLOOD_MOST 1000000
/* A gap below this is spun away; a longer one is slept through. */
#define SPIN_BELOW_NS 200000

void die(const char *format, ...)
{
    int error = errno;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (errno: %s)\n", strerror(error));
    exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t thread_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t process_cpu_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void pause_ms(unsigned ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) != 0 && errno == EINTR) {
    }
}

void result(const char *name, double value)
{
    printf("%s %.6g\n", name, value);
}

uint64_t number_at(const unsigned char *frame, int offset)
{
    uint64_t value;
    memcpy(&value, frame + offset, sizeof value);
    return value;
}

/* The file may be absent: a kernel without IPv6, an old one without setgroups. */
static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        die("write %s", path);
    close(fd);
}

static void enter_namespace(void)
{
    char map[64];
    uid_t uid = getuid();
    gid_t gid = getgid();
    if (unshare(CLONE_NEWNET) == 0)
        return;
    if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        die("a private network namespace needs root or unprivileged user namespaces");
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
    write_file("/proc/self/gid_map", map);
}

void private_network(void)
{
    enter_namespace();
    write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    FILE *ip = popen("ip -batch -", "w");
    if (ip == NULL)
        die("ip");
    fprintf(ip, "link add %s type veth peer name %s\n", RX_NAME, TX_NAME);
    fprintf(ip, "link set %s arp off up\nlink set %s arp off up\n", RX_NAME, TX_NAME);
    if (pclose(ip) != 0)
        die("the ip command failed");
}

void stay_on_cpu(enum role role)
{
    /* What was allowed before the first call: a sender forked by a process that stays on its own CPU
     * would find that one only. */
    static cpu_set_t allowed;
    static int known;
    cpu_set_t one;
    if (!known && sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        die("sched_getaffinity");
    known = 1;
    int first = -1, last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) {
            first = first < 0 ? cpu : first;
            last = cpu;
        }
    }
    CPU_ZERO(&one);
    CPU_SET(role == RECEIVER ? first : last, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        die("sched_setaffinity");
}

void make_frame(unsigned char *frame, unsigned flow)
{
    static const unsigned char head[NUMBER_OFFSET] = {
        2,    0,
        0,    0,
        0,    2,
        2,    0,
        0,    0,
        0,    1,
        8,    0, /* Ethernet */
        0x45, 0,
        0,    FRAME_LEN - 14,
        0,    0,
        0x40, 0,
        64,   17,
        0,    0, /* IPv4 */
        10,   0,
        0,    1,
        10,   0,
        0,    2,
        0x10, 0,
        0x20, 0,
        0,    FRAME_LEN - 34,
        0,    0 /* UDP */
    };
    memset(frame, 0, FRAME_LEN);
    memcpy(frame, head, sizeof head);
    frame[35] = (unsigned char)flow;
}

static int sending_socket(void)
{
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(TX_NAME)};
    int on = 1, fd = socket(AF_PACKET, SOCK_RAW, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("the sending socket");
    if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) != 0)
        die("PACKET_QDISC_BYPASS");
    return fd;
}

/* Sleeps to shortly before, so that the frame is not late by the sender's own wake-up, and spins. */
static void wait_until(uint64_t when)
{
    uint64_t early = when - SPIN_BELOW_NS;
    if (early > now_ns()) {
        struct timespec t = {(time_t)(early / 1000000000u), (long)(early % 1000000000u)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    while (now_ns() < when) {
    }
}

/* Unpaced: in batches. Paced: in batches that keep the mean rate when the gap is short, one by one
 * when it is long. */
static void send_all(const struct traffic *traffic, volatile struct sent *sent)
{
    static unsigned char frames[BATCH][FRAME_LEN];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];
    memset(messages, 0, sizeof messages);
    for (unsigned i = 0; i < BATCH; i++) {
        make_frame(frames[i], i % FLOWS);
        parts[i] = (struct iovec){frames[i], FRAME_LEN};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    int fd = sending_socket();
    unsigned batch = traffic->gap_ns == 0 ? BATCH : traffic->gap_ns < 5000 ? 8 : 1;
    unsigned seed = 1;
    uint64_t due = now_ns();
    sent->begin_ns = due;
    for (uint64_t number = 0; number < traffic->count;) {
        uint64_t left = traffic->count - number;
        unsigned now = left < batch ? (unsigned)left : batch;
        if (traffic->gap_ns != 0) {
            due += traffic->gap_ns * now;
            if (traffic->jitter_ns != 0)
                due += (uint64_t)rand_r(&seed) % traffic->jitter_ns;
            wait_until(due);
        }
        uint64_t stamp = now_ns();
        for (unsigned i = 0; i < now; i++) {
            uint64_t value = number + i;
            memcpy(frames[i] + NUMBER_OFFSET, &value, sizeof value);
            memcpy(frames[i] + STAMP_OFFSET, &stamp, sizeof stamp);
        }
        for (unsigned done = 0; done < now;) {
            int ret = sendmmsg(fd, messages + done, now - done, 0);
            if (ret <= 0 && errno != EINTR && errno != ENOBUFS)
                die("sendmmsg");
            done += ret > 0 ? (unsigned)ret : 0;
        }
        number += now;
        sent->count = number;
    }
    sent->end_ns = now_ns();
}

static void flood_all(const struct traffic *traffic, volatile struct sent *sent)
{
    unsigned char frame[FRAME_LEN];
    make_frame(frame, 0);
    int program = open_flood();
    if (program < 0)
        die("the program of the flood");
    uint64_t most = traffic->gap_ns == 0 ? FLOOD_MOST : FLOOD_NS / traffic->gap_ns + 1;
    uint64_t due = now_ns();
    sent->begin_ns = due;
    for (uint64_t number = 0; number < traffic->count; sent->count = number) {
        uint64_t left = traffic->count - number;
        unsigned now = (unsigned)(left < most ? left : most);
        wait_until(due);
        due += traffic->gap_ns * now;
        if (flood(program, frame, now) != 0)
            die("a flood of %u frames", now);
        number += now;
    }
    sent->end_ns = now_ns();
}

struct sender start_sender(struct traffic traffic)
{
    struct sender sender;
    void *page = mmap(NULL, sizeof *sender.sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      -1, 0);
    if (page == MAP_FAILED)
        die("mmap");
    sender.sent = page;
    sender.pid = fork();
    if (sender.pid < 0)
        die("fork");
    if (sender.pid == 0) {
        stay_on_cpu(SENDER);
        (traffic.by_kernel ? flood_all : send_all)(&traffic, sender.sent);
        _exit(0);
    }
    return sender;
}

double finish_sender(struct sender *sender)
{
    int status;
    while (waitpid(sender->pid, &status, 0) < 0) {
        if (errno != EINTR)
            die("waitpid");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        die("the sender failed");
    return (double)(sender->sent->end_ns - sender->sent->begin_ns) / 1e9;
}
