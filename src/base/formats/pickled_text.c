/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pickled_text.h"

#include <stdbool.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { CHUNK = 256 << 10 };

/* ---- the pickle ---- */

/* The instructions for a text, by the bytes that follow each: a number, or for a text its length.
 */
static const struct pickle_op {
    unsigned char code;
    unsigned char bytes;
    bool is_text; /* the bytes are a length, and the text follows */
} ops[] = {
    {0x80, 1, false}, /* PROTO */
    {0x95, 8, false}, /* FRAME */
    {'X', 4, true},   /* BINUNICODE */
    {0x8c, 1, true},  /* SHORT_BINUNICODE */
    {0x8d, 8, true},  /* BINUNICODE8 */
    {0x94, 0, false}, /* MEMOIZE */
    {'q', 1, false},  /* BINPUT */
    {'r', 4, false},  /* LONG_BINPUT */
    {'.', 0, false},  /* STOP */
};

static const struct pickle_op *find_op(unsigned char code)
{
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (ops[i].code == code)
            return &ops[i];
    return NULL;
}

static uint64_t number_at(struct str s)
{
    uint64_t n = 0;

    for (size_t i = s.n; i > 0; i--)
        n = n << 8 | (unsigned char)s.p[i - 1];
    return n;
}

/* True if the pickle has one text and nothing else. */
static bool read_pickle(struct str rest, struct str *ret)
{
    bool found = false;

    while (rest.n) {
        const struct pickle_op *op = find_op((unsigned char)rest.p[0]);
        if (!op || rest.n < 1u + op->bytes || (op->is_text && found))
            return false;
        uint64_t n = op->is_text ? number_at(str_slice(rest, 1, 1u + op->bytes)) : 0;
        rest = str_slice(rest, 1u + op->bytes, rest.n);
        if (op->code == '.')
            return found && !rest.n;
        if (n > rest.n)
            return false;
        if (op->is_text)
            *ret = str_slice(rest, 0, (size_t)n);
        found |= op->is_text;
        rest = str_slice(rest, (size_t)n, rest.n);
    }
    return false;
}

/* ---- what is around it ---- */

/* 1: unpacked; 0: it is no zlib stream; -1: it unpacks to more than the buffer's limit. */
static int unpack(struct str packed, struct buf *ret)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.p, .avail_in = (uInt)packed.n};
    int result = Z_OK;
    bool fits = true;

    if (packed.n > UINT32_MAX / 2 || inflateInit(&z) != Z_OK)
        return 0;
    AUTO_FREE char *chunk = xmalloc(CHUNK);
    while (result == Z_OK && fits) {
        z.next_out = (Bytef *)chunk;
        z.avail_out = CHUNK;
        result = inflate(&z, Z_NO_FLUSH);
        fits = buf_add(ret, chunk, CHUNK - z.avail_out) == 0;
    }
    bool whole = result == Z_STREAM_END && z.avail_in == 0;
    (void)inflateEnd(&z);
    return !fits ? -1 : whole;
}

int pickled_text_read(struct str base64, struct buf *ret, struct err *err)
{
    AUTO_FREE char *packed = xmalloc(base64.n + 1);
    ssize_t n = base64_decode(base64, packed);
    AUTO_BUF struct buf pickle = {0};
    struct str text;

    buf_init(&pickle, ret->limit);
    int unpacked = n < 0 ? 0 : unpack((struct str){packed, (size_t)n}, &pickle);
    if (unpacked < 0)
        return err_set(err, ERR_USAGE, "it unpacks to more than %zu MiB", ret->limit >> 20);
    if (!unpacked || !read_pickle(buf_str(&pickle), &text))
        return err_set(err, ERR_USAGE, "it is not a pickle of one text");
    return buf_add_str(ret, text) == 0
               ? 0
               : err_set(err, ERR_USAGE, "its text has more than %zu MiB", ret->limit >> 20);
}
