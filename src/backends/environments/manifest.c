/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/manifest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "environments/zip.h"

void manifest_done(struct manifest *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->files[i].path);
    free(m->files);
    *m = (struct manifest){0};
}

struct manifest_file *manifest_add(struct manifest *m, struct str path)
{
    if (m->count == m->room)
        m->files = mem_grow(m->files, &m->room, sizeof *m->files);
    struct manifest_file *file = &m->files[m->count++];
    *file = (struct manifest_file){.path = xstrndup(path.p, path.n)};
    return file;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct manifest_file *)a)->path, ((const struct manifest_file *)b)->path);
}

void manifest_sort(struct manifest *m)
{
    if (m->count)
        qsort(m->files, m->count, sizeof *m->files, by_path);
}

struct manifest_file *manifest_find(const struct manifest *m, struct str path)
{
    AUTO_FREE char *text = xstrndup(path.p, path.n);
    struct manifest_file key = {.path = text};

    return m->count ? bsearch(&key, m->files, m->count, sizeof *m->files, by_path) : NULL;
}

uint64_t manifest_bytes(const struct manifest *m)
{
    uint64_t all = 0;

    for (size_t i = 0; i < m->count; i++)
        all += m->files[i].size;
    return all;
}

void manifest_write(const struct manifest *m, struct buf *ret)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct manifest_file *f = &m->files[i];
        (void)buf_addf(ret, "%s %c %" PRIu64 " %s\n", f->sha256, f->executable ? 'x' : '-', f->size,
                       f->path);
    }
}

static bool read_line(struct str line, struct manifest *m)
{
    struct str hash, mode, size;
    int64_t bytes;

    if (!str_next(&line, ' ', &hash) || hash.n != SHA256_HEX - 1 || !str_next(&line, ' ', &mode) ||
        !str_next(&line, ' ', &size) || !num_int64(size, &bytes) || bytes < 0 ||
        !zip_is_plain(line))
        return false;
    struct manifest_file *file = manifest_add(m, line);
    memcpy(file->sha256, hash.p, hash.n);
    file->executable = str_is(mode, "x");
    file->size = (uint64_t)bytes;
    return true;
}

int manifest_read(struct str text, struct manifest *ret, struct err *err)
{
    struct manifest m = {0};
    struct str line;

    while (str_next_line(&text, &line)) {
        if (!read_line(line, &m)) {
            manifest_done(&m);
            return err_set(err, ERR_SYSTEM, "a manifest in the store is damaged");
        }
    }
    *ret = m;
    return 0;
}

bool manifest_file_fits(int folder, const struct manifest_file *file)
{
    AUTO_CLOSE int fd = openat(folder, file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    AUTO_FREE char *piece = xmalloc(64 << 10);
    char hex[SHA256_HEX];
    struct sha256 hash;
    ssize_t n;

    if (fd < 0)
        return false;
    sha256_init(&hash);
    while ((n = read(fd, piece, 64 << 10)) > 0)
        sha256_add(&hash, piece, (size_t)n);
    sha256_hex(&hash, hex);
    return n == 0 && strcmp(hex, file->sha256) == 0;
}
