/*
 * A failed open: NULL, the cause in errno, nothing on stdout. A good open: errno 0.
 */
#include <errno.h>
#include <sys/wait.h>

#include <pfring.h>

#include "frames.h"
#include "tap.h"

#define NOBODY 65534

static void fails_with(const char *device, int want, const char *name)
{
    pfring *ring;

    errno = 0;
    ring = pfring_open(device, 1500, PF_RING_PROMISC);
    if (!ok(ring == NULL, "%s: does not open", name)) {
        pfring_close(ring);
        return;
    }
    is_int(errno, want, name);
}

/* Some cause, whichever. */
static void fails(const char *device, const char *name)
{
    pfring *ring;

    errno = 0;
    ring = pfring_open(device, 1500, 0);
    ok(ring == NULL && errno != 0, "%s: does not open, errno tells why", name);
    if (ring != NULL)
        pfring_close(ring);
}

static void bad_names(void)
{
    fails_with(NULL, EINVAL, "NULL");
    fails_with("", EINVAL, "an empty name");
    fails_with("averylongifname0", EINVAL, "a name of 16 characters");
    fails_with("eth0.x", EINVAL, "a VLAN that is no number");
    fails("lo,nope0", "a list with a missing second device");
    fails("nope0,lo", "a list with a missing first device");
    fails("nosuchmodule:lo", "an unknown module");
}

/* The answer to the errno of an open by a user without rights; 0 if it opens, -1 if unknown. */
static int errno_without_rights(const char *device)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        pfring *ring;
        int answer;

        if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
            _exit(255);
        errno = 0;
        ring = pfring_open(device, 1500, 0);
        answer = ring != NULL ? 0 : errno;
        pfring_close(ring);
        _exit(answer);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 255)
        return -1;
    return WEXITSTATUS(status);
}

static void rights(const char *capture)
{
    if (geteuid() != 0) {
        skip("an interface without rights", "only root can give them up");
        skip("a file without rights", "only root can give them up");
        skip("a missing interface", "unknown without rights");
        return;
    }
    is_int(errno_without_rights("lo"), EPERM, "an interface without rights");
    is_int(errno_without_rights(capture), 0, "a file without rights");
    fails_with("nope0", ENODEV, "a missing interface");
}

/* Cuts a good file to size bytes and wants no ring of it. */
static void cut_file(long size, const char *name)
{
    struct capture_file file;
    char device[600];

    if (capture_numbered(&file, 1, 60) < 0 || truncate(file.path, size) < 0)
        bail_out("no capture file");
    fails(capture_device(&file, device, sizeof(device)), name);
    capture_remove(&file);
}

static void bad_files(void)
{
    struct capture_file file;
    char device[600];
    FILE *out;

    fails("pcap:", "a file without a name");
    fails("pcap:/nonexistent/file.pcap", "a missing file");
    fails("pcap:/", "a folder as a file");
    cut_file(0, "an empty file");
    cut_file(23, "a file of 23 bytes");

    if (capture_numbered(&file, 1, 60) < 0)
        bail_out("no capture file");
    out = fopen(file.path, "r+");
    if (out == NULL)
        bail_out("no capture file");
    fputs("no!!", out);
    fclose(out);
    fails(capture_device(&file, device, sizeof(device)), "a file with a wrong magic");
    capture_remove(&file);
}

static void good_open(const char *device)
{
    pfring *ring;
    u_int32_t version = 0;

    errno = ENOENT;
    ring = pfring_open(device, 1500, 0);
    if (!ok(ring != NULL, "a good file opens"))
        return;
    is_int(errno, 0, "errno is 0 after a good open");
    is_int(pfring_version(ring, &version), 0, "version of a ring");
    is_int(version, RING_VERSION_NUM, "is the header's");
    is_int(ring->enabled, 0, "it is not enabled yet");
    is_int(pfring_enable_ring(ring), 0, "enable");
    is_int(pfring_enable_ring(ring), 0, "enable again");
    is_int(ring->enabled, 1, "it is enabled");
    pfring_close(ring);
}

int main(void)
{
    struct capture_file file;
    char device[600];

    watch_stdout();
    alarm(60);
    if (capture_numbered(&file, 1, 60) < 0)
        bail_out("no capture file");
    capture_device(&file, device, sizeof(device));

    bad_names();
    rights(device);
    bad_files();
    good_open(device);
    capture_remove(&file);
    return done();
}
