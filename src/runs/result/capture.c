/* SPDX-License-Identifier: Apache-2.0 */
#include "result/capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void capture_init(struct capture *c, size_t limit)
{
    *c = (struct capture){.limit = limit, .tail_size = limit - limit / 2};
    buf_init(&c->head, limit);
}

void capture_done(struct capture *c)
{
    buf_done(&c->head);
    free(c->tail);
    c->tail = NULL;
}

bool capture_truncated(const struct capture *c)
{
    return c->total > c->limit;
}

static void add_tail(struct capture *c, const char *p, size_t n)
{
    if (n > c->tail_size) {
        p += n - c->tail_size;
        n = c->tail_size;
    }
    while (n) {
        size_t room = c->tail_size - c->tail_at;
        size_t take = n < room ? n : room;
        memcpy(c->tail + c->tail_at, p, take);
        c->tail_at = (c->tail_at + take) % c->tail_size;
        p += take;
        n -= take;
    }
}

void capture_add(struct capture *c, const char *p, size_t n)
{
    size_t fits = c->limit - c->head.n < n ? c->limit - c->head.n : n;

    c->total += n;
    if (!c->tail)
        (void)buf_add(&c->head, p, fits);
    else
        fits = 0;
    if (fits == n || !c->limit)
        return;
    if (!c->tail) {
        c->tail = xmalloc(c->tail_size);
        add_tail(c, c->head.p + c->limit / 2, c->tail_size);
    }
    add_tail(c, p + fits, n - fits);
}

/* A cut is moved to a line end if that costs at most this many of the bytes to keep. */
enum { LINE_SEARCH = 1024, LINES_FROM = 8 * LINE_SEARCH };

/* Returns the ring's content in one block, from the beginning of a line, or at least of a
 * character. */
static struct str newest(const struct capture *c, struct buf *flat)
{
    buf_init(flat, c->tail_size);
    (void)buf_add(flat, c->tail + c->tail_at, c->tail_size - c->tail_at);
    (void)buf_add(flat, c->tail, c->tail_at);
    struct str text = buf_str(flat);
    const char *line = c->limit < LINES_FROM ? NULL : memchr(text.p, '\n', LINE_SEARCH);
    if (line)
        return str_slice(text, (size_t)(line + 1 - text.p), text.n);
    for (int i = 0; i < 3 && text.n && ((unsigned char)text.p[0] & 0xC0) == 0x80; i++)
        text = str_slice(text, 1, text.n);
    return text;
}

/* Returns the head up to the end of a line, or at least of a character. */
static struct str oldest(const struct capture *c)
{
    struct str head = buf_str(&c->head);
    size_t n = c->limit / 2, least = n > LINE_SEARCH ? n - LINE_SEARCH : 0;
    const char *line = c->limit < LINES_FROM ? NULL : memrchr(head.p + least, '\n', n - least);

    return str_slice(head, 0, line ? (size_t)(line + 1 - head.p) : utf8_cut(head, n));
}

struct capture_kept capture_text(const struct capture *c, struct buf *out)
{
    AUTO_BUF struct buf flat = {0};
    struct str tail = STR("");

    if (!capture_truncated(c)) {
        (void)buf_add_str(out, buf_str(&c->head));
        return (struct capture_kept){.head = c->head.n};
    }
    struct str head = oldest(c);
    if (c->tail)
        tail = newest(c, &flat);
    (void)buf_add_str(out, head);
    (void)buf_addf(out, "\n...(truncated: %" PRIu64 " of %" PRIu64 " bytes left out)...\n",
                   c->total - head.n - tail.n, c->total);
    (void)buf_add_str(out, tail);
    return (struct capture_kept){head.n, tail.n};
}
