/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum { TAR_BLOCK = 512, NAME_MAX_BYTES = 100, LONG_NAME = 'L', PIECE = 64 << 10 };

static const char zeros[2 * TAR_BLOCK];

static int add_bytes(struct tar *t, struct str bytes, struct err *err)
{
    if (bytes.n > TAR_BYTES_MAX - t->size)
        return err_set(err, ERR_LIMIT, "it has more than %u MiB", (unsigned)(TAR_BYTES_MAX >> 20));
    sha256_add(&t->sum, bytes.p, bytes.n);
    t->size += bytes.n;
    return fd_write_all(t->fd, bytes.p, bytes.n) < 0 ? err_sys(err, "write an archive") : 0;
}

/* Adds a header block. For the checksum, its own field counts as blanks. */
static int add_block(struct tar *t, const struct tar_entry *entry, char kind, struct err *err)
{
    char head[TAR_BLOCK] = "";
    unsigned sum = 0;

    memcpy(head, entry->name, strnlen(entry->name, NAME_MAX_BYTES));
    snprintf(head + 100, 24, "%07o", entry->mode & 0777);
    memcpy(head + 108, "0000000\0000000000", 16);
    snprintf(head + 124, 12, "%011" PRIo64, entry->size);
    memcpy(head + 136, "00000000000", 12);
    memset(head + 148, ' ', 8);
    head[156] = kind;
    if (entry->target)
        memcpy(head + 157, entry->target, strnlen(entry->target, NAME_MAX_BYTES));
    memcpy(head + 257, "ustar\00000", 9);
    for (size_t i = 0; i < sizeof head; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    return add_bytes(t, (struct str){head, sizeof head}, err);
}

static int add_padding(struct tar *t, uint64_t size, struct err *err)
{
    return add_bytes(t, (struct str){zeros, (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK}, err);
}

/* Adds the header. A long name is an entry of its own before it, NUL-terminated. */
static int add_head(struct tar *t, const struct tar_entry *entry, struct err *err)
{
    size_t n = strlen(entry->name) + 1;

    if (n > NAME_MAX_BYTES &&
        (add_block(t, &(struct tar_entry){.name = "././@LongLink", .size = n}, LONG_NAME, err) <
             0 ||
         add_bytes(t, (struct str){entry->name, n}, err) < 0 || add_padding(t, n, err) < 0))
        return -1;
    return add_block(t, entry, entry->kind ? (char)entry->kind : TAR_FILE, err);
}

int tar_open(struct tar *t, struct err *err)
{
    *t = (struct tar){.fd = fd_spool(err)};
    sha256_init(&t->sum);
    return t->fd < 0 ? -1 : 0;
}

int tar_add(struct tar *t, const struct tar_entry *entry, struct str content, struct err *err)
{
    return add_head(t, entry, err) < 0 || add_bytes(t, content, err) < 0
               ? -1
               : add_padding(t, content.n, err);
}

int tar_add_file(struct tar *t, const struct tar_entry *entry, int fd, struct err *err)
{
    char piece[PIECE];

    if (add_head(t, entry, err) < 0)
        return -1;
    for (uint64_t left = entry->size; left;) {
        ssize_t n = read(fd, piece, left < sizeof piece ? (size_t)left : sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ESTALE; /* the file was truncated while it was read */
        if (n <= 0)
            return err_sys(err, "read '%.200s'", entry->name);
        if (add_bytes(t, (struct str){piece, (size_t)n}, err) < 0)
            return -1;
        left -= (uint64_t)n;
    }
    return add_padding(t, entry->size, err);
}

int tar_end(struct tar *t, struct err *err)
{
    if (add_bytes(t, (struct str){zeros, sizeof zeros}, err) < 0)
        return -1;
    sha256_hex(&t->sum, t->hash);
    return lseek(t->fd, 0, SEEK_SET) < 0 ? err_sys(err, "write an archive") : 0;
}

void tar_done(struct tar *t)
{
    fd_close(&t->fd);
}
