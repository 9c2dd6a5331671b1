/*
 * pfring_breakloop in a signal handler ends a call that waits; a signal alone does not.
 */
#include <signal.h>
#include <sys/time.h>

#include <pfring.h>

#include "netns.h"

static pfring *ring;
static volatile sig_atomic_t handled;

static void on_break(int sig)
{
    (void)sig;
    handled = handled + 1;
    pfring_breakloop(ring);
}

/* The second signal breaks, the first is only noticed. */
static void on_second_break(int sig)
{
    (void)sig;
    handled = handled + 1;
    if (handled == 2)
        pfring_breakloop(ring);
}

static void on_packet(const struct pfring_pkthdr *hdr, const u_char *data, const u_char *user)
{
    (void)hdr;
    (void)data;
    (void)user;
    ok(0, "a quiet link gives no packet");
}

/* SIGUSR1 every ms milliseconds, 0 for none. Timers of SIGALRM are taken by the test's own alarm. */
static timer_t timer;

static void signal_each(unsigned ms, void (*handler)(int))
{
    struct itimerspec when;
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    memset(&when, 0, sizeof(when));
    when.it_value.tv_nsec = when.it_interval.tv_nsec = (long)ms * 1000000;
    handled = 0;
    timer_settime(timer, 0, &when, NULL);
}

static void stop_signals(void)
{
    struct itimerspec never;

    memset(&never, 0, sizeof(never));
    timer_settime(timer, 0, &never, NULL);
}

static void blocked_loop(void)
{
    double start = clock_ms();
    int rc;

    signal_each(200, on_break);
    rc = pfring_loop(ring, on_packet, NULL, 1);
    stop_signals();
    is_int(rc, 0, "a handler's break ends a loop that waits");
    ok(clock_ms() - start >= 190 && clock_ms() - start < 1200, "when the signal comes");
}

static void blocked_recv(void)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    double start = clock_ms();
    int rc, cause;

    memset(&hdr, 0, sizeof(hdr));
    signal_each(200, on_break);
    errno = 0;
    rc = pfring_recv(ring, &data, 0, &hdr, 1);
    cause = errno;
    stop_signals();
    is_int(rc, 0, "a handler's break ends a receive that waits");
    is_int(cause, EINTR, "errno says that it was interrupted");
    ok(clock_ms() - start >= 190 && clock_ms() - start < 1200, "when the signal comes");
    ok(data == NULL, "no packet came of it");
}

static void signal_alone(void)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    double start = clock_ms();
    int rc;

    memset(&hdr, 0, sizeof(hdr));
    signal_each(200, on_second_break);
    rc = pfring_recv(ring, &data, 0, &hdr, 1);
    stop_signals();
    is_int(rc, 0, "a receive goes on after a signal and ends with the break");
    ok(clock_ms() - start >= 390, "which comes with the second signal");
}

static void spinning_loop(void)
{
    double start = clock_ms();
    int rc;

    signal_each(100, on_break);
    rc = pfring_loop(ring, on_packet, NULL, 0);
    stop_signals();
    is_int(rc, 0, "a handler's break ends a loop that does not wait");
    ok(clock_ms() - start < 1100, "when the signal comes");
}

static void works_afterwards(void)
{
    struct pfring_pkthdr hdr;
    u_char *data = NULL;
    int rc = 0, i;

    memset(&hdr, 0, sizeof(hdr));
    net_send_numbered(net_socket(NET_A), 3, 1, 60);
    for (i = 0; i < 2 && rc <= 0; i++) /* a break left over may take one call */
        rc = pfring_recv(ring, &data, 0, &hdr, 1);
    is_int(rc, 1, "after the breaks a packet is received");
    is_int(get32(data + NUMBER_AT), 3, "the one that was sent");
}

int main(void)
{
    struct sigevent event;

    watch_stdout();
    net_setup(60);
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
        bail_out("no timer");
    ring = pfring_open(NET_B, 1500, 0);
    if (ring == NULL || pfring_enable_ring(ring) != 0)
        bail_out("the interface does not open");
    blocked_loop();
    blocked_recv();
    signal_alone();
    spinning_loop();
    works_afterwards();
    pfring_close(ring);
    return done();
}
