/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/cell_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum {
    HEADER_MAX = CELL_KIND_MAX + 24, /* the kind, two numbers of 10 digits, spaces, a line end */
    CHUNK = 64 << 10,
    KEEP_MAX = 1 << 20, /* a larger buffer is shrunk to this after a large frame */
};

static atomic_size_t held_by_all;

/* Counts the reader's buffer. Returns false, without counting it, if the limit would be exceeded.
 */
static bool hold(struct cell_reader *r)
{
    size_t now = r->bytes.cap > KEEP_MAX ? r->bytes.cap : 0, before = r->held;

    if (now == before)
        return true;
    size_t all = atomic_fetch_add(&held_by_all, now - before) + now - before;
    r->held = now;
    if (now < before || all <= CELL_FRAMES_MAX)
        return true;
    atomic_fetch_sub(&held_by_all, now - before);
    r->held = before;
    return false;
}

void cell_reader_init(struct cell_reader *r)
{
    r->taken = r->held = 0;
    buf_init(&r->bytes, (size_t)CELL_FRAME_MAX + HEADER_MAX + CHUNK);
}

void cell_reader_done(struct cell_reader *r)
{
    buf_done(&r->bytes);
    (void)hold(r);
    r->taken = 0;
}

/* Drops the frames that were returned. Bytes are moved only here, so that many small frames cost no
 * more than one large one. */
static void let_go(struct cell_reader *r)
{
    if (r->taken == r->bytes.n && r->bytes.cap > KEEP_MAX)
        buf_done(&r->bytes);
    else
        buf_drop(&r->bytes, r->taken);
    r->taken = 0;
}

int cell_reader_fill(struct cell_reader *r, int fd)
{
    ssize_t n;

    let_go(r);
    char *room = buf_room(&r->bytes, CHUNK);
    if (!room || !hold(r)) {
        errno = ENOBUFS;
        return -1;
    }
    do
        n = read(fd, room, CHUNK);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        buf_grew(&r->bytes, (size_t)n);
    return n < 0 ? -1 : n > 0;
}

/* Takes the kind: lower-case letters and a space. */
static bool take_kind(struct str *line, char ret[CELL_KIND_MAX])
{
    struct str word;

    if (!str_next(line, ' ', &word) || !word.n || word.n >= CELL_KIND_MAX)
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] < 'a' || word.p[i] > 'z')
            return false;
    memcpy(ret, word.p, word.n);
    ret[word.n] = '\0';
    return true;
}

/* A number has one spelling: digits only, without leading zeros. */
static bool take_number(struct str word, uint32_t *ret)
{
    uint64_t value = 0;

    if (!word.n || word.n > 10 || (word.n > 1 && word.p[0] == '0'))
        return false;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(word.p[i] - '0');
    }
    *ret = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool read_header(struct str line, struct cell_frame *ret, uint32_t *ret_length)
{
    struct str word;

    return take_kind(&line, ret->kind) && str_next(&line, ' ', &word) &&
           take_number(word, &ret->id) && take_number(line, ret_length);
}

int cell_reader_next(struct cell_reader *r, struct cell_frame *ret, struct err *err)
{
    struct str rest = str_slice(buf_str(&r->bytes), r->taken, r->bytes.n);
    size_t look = rest.n < HEADER_MAX ? rest.n : HEADER_MAX;
    const char *end = look ? memchr(rest.p, '\n', look) : NULL;
    uint32_t length = 0;

    if (!end && look < HEADER_MAX)
        return 0;
    size_t header = end ? (size_t)(end - rest.p) : 0;
    if (!end || !read_header(str_slice(rest, 0, header), ret, &length))
        return err_set(err, ERR_GUEST, "its data is not a frame");
    if (length > CELL_FRAME_MAX)
        return err_set(err, ERR_GUEST, "it sent a frame of %" PRIu32 " bytes; the maximum is %u",
                       length, CELL_FRAME_MAX);
    if (rest.n - header - 1 < length)
        return 0;
    ret->bytes = str_slice(rest, header + 1, header + 1 + length);
    r->taken += header + 1 + length;
    return 1;
}

int cell_frame_put(struct buf *out, const char *kind, uint32_t id, struct str bytes)
{
    size_t before = out->n;

    if (bytes.n > CELL_FRAME_MAX || buf_addf(out, "%s %" PRIu32 " %zu\n", kind, id, bytes.n) < 0)
        return -1;
    if (buf_add_str(out, bytes) == 0)
        return 0;
    out->n = before; /* leave no header without its bytes */
    return -1;
}
