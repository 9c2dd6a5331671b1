/*
 * The environment is read at open: good values open, an unknown one fails with EINVAL and one line
 * on stderr that names the variable and the value. This is the library's own, not upstream's.
 */
#include <errno.h>

#include <pfring.h>

#include "frames.h"
#include "tap.h"

static char device[600];

/* Opens with stderr going to text. The ring, or NULL. */
static pfring *open_listening(char *text, size_t size)
{
    FILE *heard = tmpfile();
    int real = dup(STDERR_FILENO), cause;
    pfring *ring;
    size_t n;

    if (heard == NULL || real < 0 || dup2(fileno(heard), STDERR_FILENO) < 0)
        bail_out("stderr cannot be heard");
    errno = 0;
    ring = pfring_open(device, 1500, 0);
    cause = errno;
    dup2(real, STDERR_FILENO);
    close(real);

    rewind(heard);
    n = fread(text, 1, size - 1, heard);
    text[n] = '\0';
    fclose(heard);
    errno = cause;
    return ring;
}

static void refused(const char *variable, const char *value)
{
    char text[2048];
    char *newline;
    pfring *ring;
    int cause;

    setenv(variable, value, 1);
    ring = open_listening(text, sizeof(text));
    cause = errno;
    unsetenv(variable);

    ok(ring == NULL && cause == EINVAL, "%s=%s fails with EINVAL", variable, value);
    newline = strchr(text, '\n');
    ok(newline != NULL && newline[1] == '\0', "%s=%s: one line on stderr", variable, value);
    ok(strstr(text, variable) != NULL && strstr(text, value) != NULL,
       "%s=%s: it names the variable and the value", variable, value);
    if (ring != NULL)
        pfring_close(ring);
}

static void accepted(const char *variable, const char *value)
{
    char text[2048];
    pfring *ring;

    setenv(variable, value, 1);
    ring = open_listening(text, sizeof(text));
    unsetenv(variable);
    ok(ring != NULL, "%s=%s opens", variable, value);
    is_str(text, "", "without a word");
    if (ring != NULL)
        pfring_close(ring);
}

int main(void)
{
    static const char *const waits[] = {"passive", "active", "adaptive",  "adaptive:50us",
                                        "sleep",   "yield",  "sleep:1us", "sleep:1us,slack=1ns"};
    struct capture_file file;
    size_t i;

    watch_stdout();
    alarm(60);
    if (capture_numbered(&file, 1, 60) < 0)
        bail_out("no capture file");
    capture_device(&file, device, sizeof(device));

    for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
        accepted("PFRING_WAIT", waits[i]);
    refused("PFRING_WAIT", "nonsense");
    refused("PFRING_WAIT", "adaptive:soon");
    refused("PFRING_WAIT", "sleep:1us,slack=x");
    accepted("PFRING_BACKEND", "auto");
    refused("PFRING_BACKEND", "pigeon");
    accepted("PFRING_RING_MB", "8");
    refused("PFRING_RING_MB", "many");
    refused("PFRING_LOG", "loudly");
    accepted("PFRING_IDLE_GUARD", "1000:5ms");
    refused("PFRING_IDLE_GUARD", "-3");

    capture_remove(&file);
    return done();
}
