/*
 * Writes capture files: pcap (microseconds, draft-ietf-opsawg-pcap) and pcapng (nanoseconds,
 * draft-ietf-opsawg-pcapng), in the byte order of this machine. For one thread.
 */
#ifndef EXAMPLES_PCAPWRITE_H
#define EXAMPLES_PCAPWRITE_H

#include <stdint.h>
#include <stdio.h>

enum pcapwrite_format { pcapwrite_pcap, pcapwrite_pcapng };

struct pcapwrite {
    FILE *out;
    enum pcapwrite_format format;
    uint64_t bytes; /* written to this file so far */
};

/* The file that is to be made. */
struct pcapwrite_file {
    const char *path; /* "-" is standard output */
    enum pcapwrite_format format;
    uint32_t link_type; /* LINKTYPE_ value */
    uint32_t snaplen;   /* bytes */
    const char *device; /* name of the interface, shown in pcapng; or NULL */
};

/* Creates the file with its header. 0, or -1 with errno. */
int pcapwrite_open(struct pcapwrite *w, const struct pcapwrite_file *file);

/* Appends one packet; ns counts from 1970-01-01. 0, or -1 with errno. */
int pcapwrite_packet(struct pcapwrite *w, uint64_t ns, uint32_t caplen, uint32_t len,
                     const unsigned char *data);

/* Bytes that pcapwrite_packet would add for a packet. */
uint64_t pcapwrite_size(const struct pcapwrite *w, uint32_t caplen);

/* Hands what is buffered to the kernel. 0, or -1 with errno. */
int pcapwrite_flush(struct pcapwrite *w);

/* Flushes and closes; a file that is not open is left alone. 0, or -1 with errno. */
int pcapwrite_close(struct pcapwrite *w);

#endif
