/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "workspace/workspace_parts.h"

#define ROOM 65536 /* the capacity of a pipe */

struct sender {
    const struct lay_list *list;
    int fd;
    struct lay_place place; /* in the source `source` */
    size_t source;
    size_t n;
    char out[ROOM];
};

static int flush(struct sender *s, struct err *err)
{
    size_t n = s->n;

    s->n = 0;
    return fd_write_all(s->fd, s->out, n) < 0 ? err_sys(err, "send the input files") : 0;
}

static int workspace_send_put(struct sender *s, struct str bytes, struct err *err)
{
    while (bytes.n) {
        size_t n = bytes.n < ROOM - s->n ? bytes.n : ROOM - s->n;
        memcpy(s->out + s->n, bytes.p, n);
        s->n += n;
        bytes = str_slice(bytes, n, bytes.n);
        if (s->n == ROOM && flush(s, err) < 0)
            return -1;
    }
    return 0;
}

static int put_header(struct sender *s, uint32_t kind, struct str path, unsigned mode,
                      uint64_t size, struct err *err)
{
    struct buf header;

    buf_init(&header, LAY_HEADER);
    wire_put_u32(&header, kind);
    wire_put_u32(&header, (uint32_t)path.n);
    wire_put_u32(&header, mode);
    wire_put_u64(&header, size);
    int result = workspace_send_put(s, buf_str(&header), err);
    buf_done(&header);
    return result < 0 ? -1 : workspace_send_put(s, path, err);
}

static int changed(const struct lay_entry *entry, struct err *err)
{
    char shown[PATH_SHOW];

    err_set(err, ERR_SYSTEM, "input file '%s' changed while it was read; try again",
            path_show((struct str){entry->path, entry->path_len}, shown, sizeof shown));
    return -1;
}

static int cannot_read(const struct lay_entry *entry, struct err *err)
{
    char shown[PATH_SHOW];
    int saved = errno;

    path_show((struct str){entry->path, entry->path_len}, shown, sizeof shown);
    errno = saved;
    return err_sys(err, "read input file '%s'", shown);
}

int lay_open_source(const struct lay_list *list, const struct lay_entry *entry,
                    struct lay_place *place)
{
    const struct lay_source *source = &list->sources[entry->source];
    struct str path =
        str_slice((struct str){entry->path, entry->path_len}, entry->source_at, entry->path_len);
    struct str folder, name;
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

    if (source->dirfd < 0)
        return open(source->path, flags);
    lay_path_split(path, &folder, &name);
    int parent = lay_place_open(place, folder, false);
    return parent < 0 ? -1 : openat(parent, name.p, flags | O_NOFOLLOW);
}

static int open_source(struct sender *s, const struct lay_entry *entry)
{
    int dirfd = s->list->sources[entry->source].dirfd;

    if (dirfd >= 0 && s->source != entry->source) {
        lay_place_done(&s->place);
        lay_place_init(&s->place, dirfd);
        s->source = entry->source;
    }
    return lay_open_source(s->list, entry, &s->place);
}

/* Reads directly into the remaining room of `out`. */
static ssize_t read_some(struct sender *s, int fd, uint64_t left)
{
    size_t room = ROOM - s->n;
    ssize_t got;

    do
        got = read(fd, s->out + s->n, left < room ? (size_t)left : room);
    while (got < 0 && errno == EINTR);
    return got;
}

static int put_content(struct sender *s, struct lay_entry *entry, int fd, struct err *err)
{
    struct sha256 sum;
    char beyond;

    sha256_init(&sum);
    for (uint64_t left = entry->size; left;) {
        ssize_t got = read_some(s, fd, left);
        if (got < 0)
            return cannot_read(entry, err);
        if (got == 0)
            return changed(entry, err);
        sha256_add(&sum, s->out + s->n, (size_t)got);
        s->n += (size_t)got;
        left -= (uint64_t)got;
        if (s->n == ROOM && flush(s, err) < 0)
            return -1;
    }
    if (read(fd, &beyond, 1) != 0)
        return changed(entry, err);
    sha256_hex(&sum, entry->sha256);
    return 0;
}

static int workspace_send_file(struct sender *s, struct lay_entry *entry, struct err *err)
{
    struct str path = {entry->path, entry->path_len};
    AUTO_CLOSE int fd = -1;
    struct stat st;

    if (!entry->bytes) {
        fd = open_source(s, entry);
        if (fd < 0 || fstat(fd, &st) < 0)
            return cannot_read(entry, err);
        if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != entry->size)
            return changed(entry, err);
    }
    if (put_header(s, LAY_FILE, path, entry->mode, entry->size, err) < 0)
        return -1;
    if (!entry->bytes)
        return put_content(s, entry, fd, err);
    struct sha256 sum;
    sha256_init(&sum);
    sha256_add(&sum, entry->bytes, entry->size);
    sha256_hex(&sum, entry->sha256);
    return workspace_send_put(s, (struct str){entry->bytes, entry->size}, err);
}

static int send_all(struct sender *s, struct lay_list *list, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lay_entry *entry = &list->entries[i];
        struct str path = {entry->path, entry->path_len};
        int sent = entry->is_dir ? put_header(s, LAY_DIR, path, entry->mode, 0, err)
                                 : workspace_send_file(s, entry, err);
        if (sent < 0)
            return -1;
    }
    if (put_header(s, LAY_END, STR(""), 0, list->count, err) < 0)
        return -1;
    return flush(s, err);
}

int lay_send(struct lay_list *list, int fd, struct err *err)
{
    if (lay_check(list, err) < 0)
        return -1;
    struct sender *s = xmalloc(sizeof *s);
    s->list = list;
    s->fd = fd;
    s->source = SIZE_MAX;
    s->n = 0;
    lay_place_init(&s->place, -1);
    int result = send_all(s, list, err);
    lay_place_done(&s->place);
    free(s);
    return result;
}

int lay_identify(struct lay_list *list, uint64_t max_bytes, struct sha256 *sum, struct err *err)
{
    AUTO_CLOSE int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (list->bytes > max_bytes)
        return err_set(err, ERR_LIMIT, "the input files have more than %llu bytes",
                       (unsigned long long)max_bytes);
    if (nowhere < 0)
        return err_sys(err, "open /dev/null");
    if (lay_send(list, nowhere, err) < 0) /* computes the hashes */
        return -1;
    for (size_t i = 0; i < list->count; i++) {
        const struct lay_entry *e = &list->entries[i];
        char mode[32];
        int n = snprintf(mode, sizeof mode, "%c %o", e->is_dir ? 'd' : 'f', e->mode);
        sha256_add(sum, mode, (size_t)n + 1);
        sha256_add(sum, e->path, e->path_len + 1);
        sha256_add(sum, e->sha256, strlen(e->sha256) + 1);
    }
    return 0;
}
