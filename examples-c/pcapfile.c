#include "pcapfile.h"

#include <errno.h>
#include <string.h>

struct file_header {
    uint32_t magic;
    uint16_t version_major;
    uint16_t version_minor;
    uint32_t reserved[2];
    uint32_t snaplen;
    uint32_t link_type;
};

struct record_header {
    uint32_t sec;
    uint32_t usec;
    uint32_t caplen;
    uint32_t len;
};

static int put(FILE *out, const void *data, size_t size)
{
    return fwrite(data, 1, size, out) == size ? 0 : -1;
}

/* Opens the file that index names and writes its header; the lock is held. */
static int start(struct pcapfile *file)
{
    struct file_header header;
    char path[4096];

    if (strcmp(file->base, "-") == 0) {
        file->out = stdout;
    } else {
        int n = snprintf(path, sizeof(path), "%s.%u", file->base, file->index);

        if (n < 0 || (size_t)n >= sizeof(path)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file->out = fopen(path, "wb");
        if (file->out == NULL)
            return -1;
    }

    memset(&header, 0, sizeof(header));
    header.magic = 0xa1b2c3d4u;
    header.version_major = 2;
    header.version_minor = 4;
    header.snaplen = file->snaplen;
    header.link_type = file->link_type;
    return put(file->out, &header, sizeof(header));
}

static int finish(struct pcapfile *file)
{
    FILE *out = file->out;

    file->out = NULL;
    if (out == NULL)
        return 0;
    return out == stdout ? fflush(out) : fclose(out);
}

int pcapfile_open(struct pcapfile *file, const char *base, uint32_t link_type, uint32_t snaplen)
{
    memset(file, 0, sizeof(*file));
    pthread_mutex_init(&file->lock, NULL);
    file->base = base;
    file->index = 1;
    file->link_type = link_type;
    file->snaplen = snaplen;
    return start(file);
}

int pcapfile_write(struct pcapfile *file, int64_t sec, uint32_t usec, uint32_t caplen, uint32_t len,
                   const unsigned char *data)
{
    struct record_header header = {(uint32_t)sec, usec, caplen, len};
    int rc = -1;

    pthread_mutex_lock(&file->lock);
    if (file->out == NULL)
        errno = EBADF;
    else if (put(file->out, &header, sizeof(header)) == 0)
        rc = put(file->out, data, caplen);
    pthread_mutex_unlock(&file->lock);
    return rc;
}

int pcapfile_rotate(struct pcapfile *file)
{
    int rc = 0;

    if (strcmp(file->base, "-") == 0)
        return 0;
    pthread_mutex_lock(&file->lock);
    rc = finish(file);
    if (rc == 0) {
        file->index++;
        rc = start(file);
    }
    pthread_mutex_unlock(&file->lock);
    return rc;
}

int pcapfile_flush(struct pcapfile *file)
{
    int rc = 0;

    pthread_mutex_lock(&file->lock);
    if (file->out != NULL)
        rc = fflush(file->out);
    pthread_mutex_unlock(&file->lock);
    return rc;
}

int pcapfile_close(struct pcapfile *file)
{
    int rc;

    pthread_mutex_lock(&file->lock);
    rc = finish(file);
    pthread_mutex_unlock(&file->lock);
    pthread_mutex_destroy(&file->lock);
    return rc;
}
