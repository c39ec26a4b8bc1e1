/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/workspace_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define CHUNK (128u << 10)

void file_reader_init(struct file_reader *r)
{
    *r = (struct file_reader){.chunk = xmalloc(CHUNK)};
}

void file_reader_done(struct file_reader *r)
{
    for (unsigned i = 0; i < r->target_count; i++)
        export_done(&r->targets[i]);
    free(r->chunk);
}

static int take_chunk(struct file_reader *r, struct content *content, struct sha256 *sum, size_t n,
                      struct err *err)
{
    size_t room = MIME_HEAD - content->head_n;
    size_t head = n < room ? n : room;

    memcpy(content->head + content->head_n, r->chunk, head);
    content->head_n += head;
    content->size += n;
    sha256_add(sum, r->chunk, n);
    for (unsigned i = 0; i < r->target_count; i++)
        if (r->targets[i].fd >= 0 && export_write(&r->targets[i], r->path, r->chunk, n, err) < 0)
            return -1;
    return 0;
}

/* Reads until a short read, which means the end. */
static enum reading read_to_end(struct file_reader *r, int fd, uint64_t size, struct content *ret,
                                struct err *err)
{
    struct sha256 sum;

    sha256_init(&sum);
    ret->size = ret->head_n = 0;
    for (;;) {
        uint64_t left = size - ret->size;
        size_t want = left < CHUNK ? (size_t)left + 1 : CHUNK;
        ssize_t got = pread(fd, r->chunk, want, (off_t)ret->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return READ_FAILED;
        if ((uint64_t)got > left)
            return READ_CHANGED;
        if (take_chunk(r, ret, &sum, (size_t)got, err) < 0)
            return READ_FATAL;
        if ((size_t)got < want)
            break;
    }
    sha256_hex(&sum, ret->sha256);
    return ret->size == size ? READ_DONE : READ_CHANGED;
}

enum reading file_reader_once(struct file_reader *r, int fd, const struct stat *st,
                              struct content *ret, struct err *err)
{
    enum reading reading = read_to_end(r, fd, (uint64_t)st->st_size, ret, err);
    struct stat after;

    if (reading != READ_DONE)
        return reading;
    if (fstat(fd, &after) < 0)
        return READ_FAILED;
    bool same = after.st_size == st->st_size && after.st_mtim.tv_sec == st->st_mtim.tv_sec &&
                after.st_mtim.tv_nsec == st->st_mtim.tv_nsec;
    return same ? READ_DONE : READ_CHANGED;
}

static int start_over(struct file_reader *r, struct err *err)
{
    for (unsigned i = 0; i < r->target_count; i++)
        if (r->targets[i].fd >= 0 && export_rewind(&r->targets[i], r->path, err) < 0)
            return -1;
    return 0;
}

enum reading file_reader_twice(struct file_reader *r, int fd, uint64_t max_bytes,
                               struct content *ret, struct err *err)
{
    enum reading reading = READ_CHANGED;
    struct stat st;

    for (unsigned attempt = 0; attempt < 2 && reading == READ_CHANGED; attempt++) {
        if (fstat(fd, &st) < 0)
            return READ_FAILED;
        ret->size = (uint64_t)st.st_size;
        if (ret->size > max_bytes)
            return READ_TOO_LARGE;
        if (attempt && start_over(r, err) < 0)
            return READ_FATAL;
        reading = file_reader_once(r, fd, &st, ret, err);
    }
    return reading;
}
