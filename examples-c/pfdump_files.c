/*
 * The files of pfdump. Without rotation the one that was named; with it name.1, name.2, ...
 */
#define _GNU_SOURCE
#include "pfdump.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct options *options;
static struct pcapwrite writer;
static uint32_t link_type;
static unsigned count;      /* files so far; the newest is being written */
static uint64_t first_ns;   /* of the file, 0: it is empty */
static char path[4096];

static int rotates(void)
{
    return options->rotate_bytes != 0 || options->rotate_ns != 0;
}

static int name_of(unsigned index)
{
    int n = rotates() ? snprintf(path, sizeof(path), "%s.%u", options->path, index)
                      : snprintf(path, sizeof(path), "%s", options->path);

    if (n > 0 && (size_t)n < sizeof(path))
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static int tell(void)
{
    fprintf(stderr, "-w %s: %s\n", path, strerror(errno));
    return -1;
}

static int open_next(void)
{
    struct pcapwrite_file file = {path, options->format, link_type, options->snaplen,
                                  options->device};

    first_ns = 0;
    if (name_of(++count) < 0 || pcapwrite_open(&writer, &file) < 0)
        return tell();
    return 0;
}

int files_start(const struct options *opt, uint32_t type)
{
    options = opt;
    link_type = type;
    return open_next();
}

static int rotate(void)
{
    if (pcapwrite_close(&writer) < 0)
        return tell();
    if (options->keep > 0 && count >= options->keep) {
        if (name_of(count - options->keep + 1) < 0 || (unlink(path) < 0 && errno != ENOENT))
            return tell();
    }
    return open_next();
}

/* Whether the packet belongs into a new file. A file has one packet at least. */
static int file_is_full(uint64_t ns, uint32_t caplen)
{
    if (first_ns == 0)
        return 0;
    if (options->rotate_bytes != 0 &&
        writer.bytes + pcapwrite_size(&writer, caplen) > options->rotate_bytes)
        return 1;
    return options->rotate_ns != 0 && ns > first_ns && ns - first_ns >= options->rotate_ns;
}

int files_packet(uint64_t ns, uint32_t caplen, uint32_t len, const unsigned char *data)
{
    if (rotates() && file_is_full(ns, caplen) && rotate() < 0)
        return -1;
    if (first_ns == 0)
        first_ns = ns != 0 ? ns : 1;
    return pcapwrite_packet(&writer, ns, caplen, len, data) < 0 ? tell() : 0;
}

int files_flush(void)
{
    return pcapwrite_flush(&writer) < 0 ? tell() : 0;
}

int files_end(void)
{
    return pcapwrite_close(&writer) < 0 ? tell() : 0;
}

unsigned files_written(void)
{
    return count;
}
