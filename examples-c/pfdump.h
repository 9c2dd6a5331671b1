/*
 * pfdump: records packets. What its source files share.
 *
 *   pfdump.c        opens, receives, ends
 *   pfdump_opts.c   the command line
 *   pfdump_files.c  the files: one, or several by size and time
 */
#ifndef EXAMPLES_PFDUMP_H
#define EXAMPLES_PFDUMP_H

#include <stdint.h>

#include "pcapwrite.h"

struct options {
    const char *device;
    const char *filter;
    const char *path;
    enum pcapwrite_format format;
    uint32_t snaplen;
    int direction;
    int active;
    int cluster_id;        /* 0 = none */
    uint64_t every_s;      /* between lines of statistics */
    uint64_t duration_s;   /* in packet time, 0 = no limit */
    uint64_t max_packets;  /* 0 = no limit */
    uint64_t rotate_bytes; /* 0 = not by size */
    uint64_t rotate_ns;    /* in packet time, 0 = not by time */
    unsigned keep;         /* files, 0 = all */
};

/* pfdump_opts.c: leaves by exit() on -h and on what cannot be understood. */
void parse_options(struct options *opt, int argc, char **argv);

/* pfdump_files.c: each gives 0, or -1 after one line on stderr. files_end closes, after a failure
 * too. */
int files_start(const struct options *opt, uint32_t link_type);
int files_packet(uint64_t ns, uint32_t caplen, uint32_t len, const unsigned char *data);
int files_flush(void);
int files_end(void);
unsigned files_written(void);

#endif
