/*
 * pfcount: counts the packets of a network interface or a capture file, using <pfring.h> alone.
 *
 * One thread receives through pfring_loop (or pfring_recv, pfring_recv_burst), or several share
 * the ring in copy mode; one more thread prints statistics each second.
 */
#define _GNU_SOURCE
#include "pfcount.h"
#include "common.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURST 32
#define LEAST_BUFFER 9000 /* bytes of a receiving thread's buffer */
#define END_OF_FILE PF_RING_ERROR_INVALID_ARGUMENT /* what a pcap: device answers at its end */

static struct options options;
static pfring *ring;
static struct worker workers[MAX_THREADS];
static volatile sig_atomic_t stopping, signalled, failed;
static uint64_t tickets; /* packets claimed by the threads, for -N */

/* --- stopping: all of this may run in a signal handler --- */

void stop_capture(void)
{
    stopping = 1;
    pfring_breakloop(ring);
}

void stop_failed(void)
{
    failed = 1;
    stop_capture();
}

void stop_again(void)
{
    if (stopping)
        pfring_breakloop(ring);
}

static void on_stop_signal(int sig)
{
    (void)sig;
    signalled = 1;
    stop_capture();
}

static void on_hangup(int sig)
{
    (void)sig;
    packet_ask_rotation();
}

/* The ring is about to go, and the program with it. */
static void ignore_signals(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
}

static void catch_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART; /* may come twice: from a terminal and from a parent */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    if (options.dump_path != NULL) {
        action.sa_handler = on_hangup;
        sigaction(SIGHUP, &action, NULL);
        action.sa_handler = SIG_IGN; /* a broken pipe is then a failed write */
        sigaction(SIGPIPE, &action, NULL);
    }
}

/* --- opening --- */

/* Says that a wish was not met and that the capture goes on without it. */
static void tell(const char *wish, int rc)
{
    if (rc == PF_RING_ERROR_NOT_SUPPORTED)
        fprintf(stderr, "%s: not supported here, going on without it\n", wish);
    else if (rc < 0)
        fprintf(stderr, "%s: failed (%d, %s), going on without it\n", wish, rc, strerror(errno));
}

/* Says that a wish was not met without which the numbers would be wrong. */
static int refuse(const char *wish, int rc)
{
    if (rc == PF_RING_ERROR_NOT_SUPPORTED)
        fprintf(stderr, "%s: not supported here\n", wish);
    else
        fprintf(stderr, "%s: failed (%d, %s)\n", wish, rc, strerror(errno));
    return -1;
}

static void set_card_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    tell("-s: clock of the card", pfring_set_device_clock(ring, &now));
}

/* Settings that leave the numbers right when they fail. */
static void configure_softly(void)
{
    int rc;

    if (options.hw_timestamp)
        set_card_clock();
    rc = pfring_set_direction(ring, (packet_direction)options.direction);
    if (rc < 0 && options.direction != rx_and_tx_direction)
        tell("-e: direction", rc);
    rc = pfring_set_socket_mode(ring, recv_only_mode);
    if (rc < 0)
        tell("receive-only mode", rc);
    if (options.rule_priority >= 0)
        fprintf(stderr, "-P: rules are not kept in a card here, going on without it\n");
    if (options.sysdig)
        fprintf(stderr, "-q: system events are not supported here, going on without it\n");
}

/* Filter, cluster and reflector: without them the counts would be of something else. */
static int configure_firmly(void)
{
    int rc;

    if (options.filter != NULL) {
        rc = pfring_set_bpf_filter(ring, options.filter);
        if (rc < 0) {
            fprintf(stderr, "-f '%s': %s (%d)\n", options.filter,
                    rc == -2 ? "the filter could not be compiled" : "the filter could not be set",
                    rc);
            return -1;
        }
        if (!options.quiet)
            printf("Successfully set BPF filter '%s'\n", options.filter);
    }
    if (options.cluster_id > 0) {
        rc = pfring_set_cluster_consumer(ring, (u_int16_t)options.cluster_id,
                                         (u_int16_t)options.cluster_queue,
                                         (cluster_type)options.cluster_type,
                                         CLUSTER_OPTION_RELAXED_DISTRIBUTION);
        if (rc < 0)
            return refuse("-c: cluster", rc);
    }
    if (options.watermark > 0)
        tell("-w: watermark", pfring_set_poll_watermark(ring, (u_int16_t)options.watermark));
    if (options.reflector != NULL) {
        char name[256];

        snprintf(name, sizeof(name), "%s", options.reflector);
        rc = pfring_set_reflector_device(ring, name);
        if (rc < 0)
            return refuse("-d: reflector", rc);
    }
    return 0;
}

static int open_ring(void)
{
    static char name[] = "pfcount";
    u_int32_t version = 0;

    errno = 0;
    ring = pfring_open(options.device, options.snaplen, options.open_flags);
    if (ring == NULL) {
        fprintf(stderr, "pfring_open failed: %s (device %s)\n",
                errno != 0 ? strerror(errno) : "no reason given", options.device);
        return -1;
    }
    pfring_set_application_name(ring, name);
    if (pfring_version(ring, &version) < 0)
        pfring_version_noring(&version);
    if (!options.quiet)
        printf("Using PF_RING kernel module v.%u.%u.%u\n", version >> 16, version >> 8 & 0xff,
               version & 0xff);

    configure_softly();
    if (configure_firmly() < 0)
        return -1;
    if (options.rehash)
        tell("-r: rehash", pfring_enable_rss_rehash(ring));
    if (options.poll_duration > 0)
        tell("-p: poll duration", pfring_set_poll_duration(ring, (u_int)options.poll_duration));
    return 0;
}

/* The file in which the library shows our statistics text, if it has one. */
static void show_stats_file(void)
{
    char path[256];

    memset(path, 0, sizeof(path)); /* the library need not terminate it */
    if (pfring_get_appl_stats_file_name(ring, path, sizeof(path) - 1) != NULL && path[0] != '\0' &&
        !options.quiet)
        fprintf(stderr, "Dumping statistics on %s\n", path);
}

static void describe_ring(void)
{
    unsigned char mac[6] = {0};
    char text[32] = "unknown";
    int if_index = -1;

    if (pfring_get_bound_device_address(ring, mac) == 0)
        format_mac(mac, text, sizeof(text));
    pfring_get_bound_device_ifindex(ring, &if_index);
    printf("Capturing from %s [mac: %s][if_index: %d][speed: %uMb/s]\n", options.device, text,
           if_index, pfring_get_interface_speed(ring));
    printf("# Device RX channels: %u\n", pfring_get_num_rx_channels(ring));
    printf("# Polling threads:    %d\n", options.threads);
}

/* --- receiving --- */

static inline void count_packet(struct worker *w, const struct pfring_pkthdr *hdr,
                                const u_char *data)
{
    if (options.max_packets > 0) {
        uint64_t ticket = __atomic_add_fetch(&tickets, 1, __ATOMIC_RELAXED);

        if (ticket >= options.max_packets)
            stop_capture();
        if (ticket > options.max_packets)
            return;
    }
    counter_add(&w->pkts, 1);
    counter_add(&w->bytes, (uint64_t)hdr->len + WIRE_OVERHEAD);
    if (w->has_work)
        packet_work(w, hdr, data);
}

static void on_packet(const struct pfring_pkthdr *hdr, const u_char *data, const u_char *user)
{
    count_packet((struct worker *)user, hdr, data);
}

static int receive_by_loop(struct worker *w)
{
    int rc = 0;

    while (!stopping && rc >= 0)
        rc = pfring_loop(ring, on_packet, (const u_char *)w, !options.active);
    return rc;
}

/* With a buffer: copies, which several threads may do on one ring. */
static int receive_by_recv(struct worker *w, u_char *buffer, u_int size)
{
    struct pfring_pkthdr hdr;
    int rc = 0;

    memset(&hdr, 0, sizeof(hdr));
    while (!stopping && rc >= 0) {
        u_char *data = buffer;

        rc = pfring_recv(ring, &data, size, &hdr, !options.active);
        if (rc > 0)
            count_packet(w, &hdr, data);
    }
    return rc;
}

static int receive_by_burst(struct worker *w)
{
    pfring_packet_info packets[BURST];
    struct pfring_pkthdr hdr;
    int i, rc = 0;

    memset(&hdr, 0, sizeof(hdr));
    while (!stopping && rc >= 0) {
        rc = pfring_recv_burst(ring, packets, BURST, !options.active);
        for (i = 0; i < rc; i++) {
            hdr.ts = packets[i].ts;
            hdr.caplen = packets[i].caplen;
            hdr.len = packets[i].len;
            hdr.extended_hdr.flags = packets[i].flags;
            hdr.extended_hdr.pkt_hash = packets[i].hash;
            hdr.extended_hdr.rx_direction = 1;
            count_packet(w, &hdr, packets[i].data);
        }
    }
    return rc;
}

/* Each chunk counts as one packet. */
static int receive_by_chunk(struct worker *w)
{
    pfring_chunk_info info;
    void *chunk = NULL;
    int rc = 0;

    while (!stopping && rc >= 0) {
        memset(&info, 0, sizeof(info));
        rc = pfring_recv_chunk(ring, &chunk, &info, !options.active);
        if (rc > 0) {
            counter_add(&w->pkts, 1);
            counter_add(&w->bytes, info.length);
        }
    }
    return rc;
}

static int receive_alone(struct worker *w)
{
    int rc;

    if (options.chunk_mode == 1) {
        rc = receive_by_chunk(w);
        if (rc != PF_RING_ERROR_NOT_SUPPORTED)
            return rc;
        fprintf(stderr, "-C 1: no chunks here, receiving packet by packet\n");
    }
    if (options.burst && ring->recv_burst != NULL)
        return receive_by_burst(w);
    if (options.burst)
        fprintf(stderr, "-B: no bursts here, receiving packet by packet\n");
    /* Not every library feeds the reflector from pfring_loop. */
    if (options.reflector != NULL)
        return receive_by_recv(w, NULL, 0);
    return receive_by_loop(w);
}

static void *receive_thread(void *arg)
{
    struct worker *w = arg;
    u_int size = options.snaplen > LEAST_BUFFER ? options.snaplen : LEAST_BUFFER;
    u_char *buffer = malloc(size);

    if (buffer == NULL) {
        w->result = PF_RING_ERROR_NOT_ENOUGH_MEMORY;
    } else {
        w->result = receive_by_recv(w, buffer, size);
        free(buffer);
    }
    if (w->result < 0)
        stop_capture(); /* the others end with us */
    return NULL;
}

/* --- the whole --- */

static int receive_together(void)
{
    pthread_t threads[MAX_THREADS];
    int i, started, result = 0;

    for (started = 0; started < options.threads; started++)
        if (pthread_create(&threads[started], NULL, receive_thread, &workers[started]) != 0)
            break;
    if (started < options.threads) {
        fprintf(stderr, "-n: only %d threads could be started\n", started);
        stop_failed();
    }
    for (i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i].result < 0)
            result = workers[i].result;
    }
    return result;
}

/* Receives until the end. 0, or -1 after an error that has been told. */
static int capture(void)
{
    int rc, cause;

    if (stats_begin_ticking() < 0) {
        fprintf(stderr, "the thread for statistics could not be started\n");
        return -1;
    }
    rc = options.threads > 1 ? receive_together() : receive_alone(&workers[0]);
    cause = errno;
    stats_end_ticking();

    if (rc < 0 && !(rc == END_OF_FILE && strncmp(options.device, "pcap:", 5) == 0)) {
        fprintf(stderr, "receiving from %s failed: %d (%s)\n", options.device, rc, strerror(cause));
        return -1;
    }
    return failed ? -1 : 0;
}

static int prepare_workers(void)
{
    int i;

    for (i = 0; i < options.threads; i++) {
        workers[i].opt = &options;
        workers[i].ring = ring;
        workers[i].has_work = packet_has_work(&options);
        if (options.copy) {
            workers[i].scratch = malloc(options.snaplen + 1);
            if (workers[i].scratch == NULL)
                return -1;
        }
    }
    return 0;
}

static int run(void)
{
    int rc;

    if (packet_setup(&options, ring) < 0 || prepare_workers() < 0)
        return -1;
    stats_start(&options, ring, workers, options.threads);
    stats_publish();
    show_stats_file();
    if (pfring_enable_ring(ring) != 0) {
        fprintf(stderr, "pfring_enable_ring failed: %s (device %s)\n", strerror(errno),
                options.device);
        return -1;
    }
    if (!options.quiet)
        describe_ring();
    fflush(stdout);
    if (options.priority > 0 && !options.active)
        pfring_config((u_short)options.priority);
    if (options.core >= 0 && options.threads == 1 && bind_to_core(options.core) < 0)
        fprintf(stderr, "-g %d: %s\n", options.core, strerror(errno));

    catch_signals();
    rc = capture();
    ignore_signals();
    if (signalled && !options.quiet)
        fprintf(stderr, "Leaving...\n");
    stats_publish();
    if (!options.quiet)
        stats_print();
    return rc;
}

int main(int argc, char **argv)
{
    int i, rc = -1;

    parse_options(&options, argc, argv);
    if (options.list)
        return list_devices(&options);
    if (!options.quiet) /* else standard output carries a capture file */
        setlinebuf(stdout);

    if (open_ring() == 0)
        rc = run();
    if (packet_finish() < 0)
        rc = -1;
    for (i = 0; i < options.threads; i++)
        free(workers[i].scratch);
    pfring_close(ring);
    return rc == 0 ? 0 : EXIT_FAILED;
}
