/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunk extensions and trailers are ignored, within a limit.
 */
#include "base/ascii.h"
#include "net/http.h"

enum { PASSED_MAX = 4 << 10 };

/* "1a2b", blanks, ";name=value" */
static int http_chunks_read_size(struct http_chunks *c)
{
    size_t i = 0;

    c->left = 0;
    for (; i < c->line_n && ascii_hex(c->line[i]) >= 0; i++)
        c->left = c->left * 16 + (uint64_t)ascii_hex(c->line[i]);
    if (i == 0 || i > 12)
        return -1;
    while (i < c->line_n && ascii_is_blank(c->line[i]))
        i++;
    if (i < c->line_n && c->line[i] != ';')
        return -1;
    c->line_n = 0;
    c->state = c->left ? CHUNK_DATA : CHUNK_TRAILER;
    return 0;
}

/* Collects a line up to CR LF; of a long line only the beginning is kept. 1 when the line is
 * complete. */
static int http_chunks_take_line(struct http_chunks *c, char byte)
{
    bool after_cr = c->passed && c->line[sizeof c->line - 1] == '\r';

    if (++c->passed > PASSED_MAX)
        return -1;
    c->line[sizeof c->line - 1] = byte; /* the most recent byte */
    if (byte == '\n')
        return after_cr ? 1 : -1;
    bool control = (unsigned char)byte < ' ' && byte != '\t' && byte != '\r';
    if (after_cr || control)
        return -1;
    if (byte != '\r' && c->line_n < sizeof c->line - 2)
        c->line[c->line_n++] = byte;
    c->line[c->line_n] = '\0';
    return 0;
}

static int http_chunks_end_line(struct http_chunks *c)
{
    c->line[sizeof c->line - 1] = '\0';
    if (c->state == CHUNK_SIZE) {
        c->passed = 0;
        return http_chunks_read_size(c);
    }
    if (c->state == CHUNK_DATA_END) {
        c->passed = 0;
        if (c->line_n)
            return -1;
        c->state = CHUNK_SIZE;
    } else if (!c->line_n) {
        c->state = CHUNK_DONE; /* the trailers that follow count towards `passed`, too */
    }
    c->line_n = 0;
    return 0;
}

long http_chunks_read(struct http_chunks *c, struct str in, struct str *ret_content)
{
    size_t i = 0;

    *ret_content = (struct str){in.p, 0};
    if (c->state == CHUNK_DATA) {
        size_t n = c->left < in.n ? (size_t)c->left : in.n;
        *ret_content = str_slice(in, 0, n);
        c->left -= n;
        if (!c->left)
            c->state = CHUNK_DATA_END;
        return (long)n;
    }
    while (i < in.n && c->state != CHUNK_DATA && c->state != CHUNK_DONE) {
        int got = http_chunks_take_line(c, in.p[i++]);
        bool junk = c->state == CHUNK_DATA_END && c->line_n;
        if (got < 0 || junk || (got > 0 && http_chunks_end_line(c) < 0))
            return -1;
    }
    return (long)i;
}
