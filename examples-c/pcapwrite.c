#define _GNU_SOURCE
#include "pcapwrite.h"

#include <errno.h>
#include <string.h>

#define BUFFER (1 << 20) /* bytes; whole pages reach the kernel at once */
#define NAME_MAX_LEN 255

#define SECTION_HEADER 0x0a0d0d0au
#define INTERFACE_DESCRIPTION 1u
#define ENHANCED_PACKET 6u
#define IF_NAME 2
#define IF_TSRESOL 9

static uint32_t padded(uint32_t len)
{
    return (len + 3u) & ~3u;
}

static int put(struct pcapwrite *w, const void *data, size_t size)
{
    if (size > 0 && fwrite_unlocked(data, 1, size, w->out) != size)
        return -1;
    w->bytes += size;
    return 0;
}

static int put_pcap_header(struct pcapwrite *w, const struct pcapwrite_file *file)
{
    struct {
        uint32_t magic;
        uint16_t major, minor;
        uint32_t reserved[2];
        uint32_t snaplen, link_type;
    } header = {0xa1b2c3d4u, 2, 4, {0, 0}, file->snaplen, file->link_type};

    return put(w, &header, sizeof(header));
}

/* Section length unknown: all ones. */
static int put_section(struct pcapwrite *w)
{
    struct {
        uint32_t type, length, magic;
        uint16_t major, minor;
        uint32_t section[2];
        uint32_t length_again;
    } block = {SECTION_HEADER, 28, 0x1a2b3c4du, 1, 0, {~0u, ~0u}, 28};

    return put(w, &block, sizeof(block));
}

static int put_option(struct pcapwrite *w, uint16_t code, const void *value, uint16_t len)
{
    static const char zero[4];
    uint16_t head[2] = {code, len};

    if (put(w, head, sizeof(head)) < 0 || put(w, value, len) < 0)
        return -1;
    return put(w, zero, padded(len) - len);
}

static int put_interface(struct pcapwrite *w, const struct pcapwrite_file *file)
{
    const char *name = file->device != NULL ? file->device : "";
    uint16_t name_len = (uint16_t)strnlen(name, NAME_MAX_LEN);
    uint8_t resolution = 9; /* 10^-9 s */
    uint32_t length = 20 + 4 + padded(name_len) + 8 + 4;
    struct {
        uint32_t type, length;
        uint16_t link_type, reserved;
        uint32_t snaplen;
    } block = {INTERFACE_DESCRIPTION, length, (uint16_t)file->link_type, 0, file->snaplen};

    if (put(w, &block, sizeof(block)) < 0 || put_option(w, IF_NAME, name, name_len) < 0 ||
        put_option(w, IF_TSRESOL, &resolution, 1) < 0 || put_option(w, 0, NULL, 0) < 0)
        return -1;
    return put(w, &length, sizeof(length));
}

int pcapwrite_open(struct pcapwrite *w, const struct pcapwrite_file *file)
{
    int rc;

    memset(w, 0, sizeof(*w));
    w->format = file->format;
    w->out = strcmp(file->path, "-") == 0 ? stdout : fopen(file->path, "wb");
    if (w->out == NULL)
        return -1;
    setvbuf(w->out, NULL, _IOFBF, BUFFER);
    if (w->format == pcapwrite_pcap)
        rc = put_pcap_header(w, file);
    else
        rc = put_section(w) < 0 ? -1 : put_interface(w, file);
    /* A full disk shows here, not at the first flush. */
    return rc < 0 ? -1 : pcapwrite_flush(w);
}

static int put_pcap_packet(struct pcapwrite *w, uint64_t ns, uint32_t caplen, uint32_t len,
                           const unsigned char *data)
{
    uint32_t head[4] = {(uint32_t)(ns / 1000000000u), (uint32_t)(ns % 1000000000u / 1000u), caplen,
                        len};

    return put(w, head, sizeof(head)) < 0 ? -1 : put(w, data, caplen);
}

static int put_ng_packet(struct pcapwrite *w, uint64_t ns, uint32_t caplen, uint32_t len,
                         const unsigned char *data)
{
    uint32_t pad = padded(caplen) - caplen, length = 32 + padded(caplen);
    uint32_t head[7] = {ENHANCED_PACKET, length, 0, (uint32_t)(ns >> 32), (uint32_t)ns, caplen, len};
    unsigned char tail[8] = {0}; /* padding, then the length again */

    memcpy(tail + pad, &length, sizeof(length));
    if (put(w, head, sizeof(head)) < 0 || put(w, data, caplen) < 0)
        return -1;
    return put(w, tail, pad + sizeof(length));
}

int pcapwrite_packet(struct pcapwrite *w, uint64_t ns, uint32_t caplen, uint32_t len,
                     const unsigned char *data)
{
    if (w->format == pcapwrite_pcap)
        return put_pcap_packet(w, ns, caplen, len, data);
    return put_ng_packet(w, ns, caplen, len, data);
}

uint64_t pcapwrite_size(const struct pcapwrite *w, uint32_t caplen)
{
    return w->format == pcapwrite_pcap ? 16u + (uint64_t)caplen : 32u + (uint64_t)padded(caplen);
}

int pcapwrite_flush(struct pcapwrite *w)
{
    return w->out == NULL ? 0 : fflush(w->out);
}

int pcapwrite_close(struct pcapwrite *w)
{
    FILE *out = w->out;

    w->out = NULL;
    if (out == NULL)
        return 0;
    return out == stdout ? fflush(out) : fclose(out);
}
