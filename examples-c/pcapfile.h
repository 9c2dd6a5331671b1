/*
 * Writes captured packets into pcap files, one after the other: base.1, base.2, ...
 * Format: magic 0xa1b2c3d4, version 2.4, microseconds, in the byte order of this machine
 * (draft-ietf-opsawg-pcap). All calls may come from several threads.
 */
#ifndef EXAMPLES_PCAPFILE_H
#define EXAMPLES_PCAPFILE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct pcapfile {
    pthread_mutex_t lock;
    FILE *out;
    const char *base;   /* "-" is standard output, which is never rotated */
    unsigned index;     /* of the file in use, from 1 */
    uint32_t link_type; /* LINKTYPE_ value */
    uint32_t snaplen;   /* bytes */
};

/* Creates base.1. base must live as long as the file. 0, or -1 with errno. */
int pcapfile_open(struct pcapfile *file, const char *base, uint32_t link_type, uint32_t snaplen);

/* Appends one packet. 0, or -1 with errno. */
int pcapfile_write(struct pcapfile *file, int64_t sec, uint32_t usec, uint32_t caplen, uint32_t len,
                   const unsigned char *data);

/* Ends the file in use and goes on in the next one. 0, or -1 with errno. */
int pcapfile_rotate(struct pcapfile *file);

/* Hands what is buffered to the kernel. 0, or -1 with errno. */
int pcapfile_flush(struct pcapfile *file);

/* Flushes and closes. 0, or -1 with errno if some bytes were lost. */
int pcapfile_close(struct pcapfile *file);

#endif
