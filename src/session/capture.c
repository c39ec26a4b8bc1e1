/* SPDX-License-Identifier: Apache-2.0 */
#include "session/capture.h"

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

/* The newest n bytes of the ring, from a character's beginning on. */
static void add_newest(const struct capture *c, struct buf *out, size_t n)
{
    AUTO_BUF struct buf flat = {0};

    buf_init(&flat, c->tail_size);
    (void)buf_add(&flat, c->tail + c->tail_at, c->tail_size - c->tail_at);
    (void)buf_add(&flat, c->tail, c->tail_at);
    struct str text = str_slice(buf_str(&flat), c->tail_size - n, c->tail_size);
    for (int i = 0; i < 3 && text.n && ((unsigned char)text.p[0] & 0xC0) == 0x80; i++)
        text = str_slice(text, 1, text.n);
    (void)buf_add_str(out, text);
}

static void add_marker(const struct capture *c, struct buf *out, uint64_t missing)
{
    (void)buf_addf(out, "\n...(truncated: %" PRIu64 " of %" PRIu64 " bytes left out)...\n", missing,
                   c->total);
}

void capture_text(const struct capture *c, struct buf *out)
{
    struct str head = buf_str(&c->head);

    if (!capture_truncated(c)) {
        (void)buf_add_str(out, head);
        return;
    }
    (void)buf_add_str(out, str_slice(head, 0, utf8_cut(head, c->limit / 2)));
    add_marker(c, out, c->total - c->limit);
    if (c->tail)
        add_newest(c, out, c->tail_size);
}

void capture_rest(const struct capture *c, struct buf *out)
{
    if (!capture_truncated(c))
        return;
    uint64_t unseen = c->total - c->limit;
    size_t shown = unseen < c->tail_size ? (size_t)unseen : c->tail_size;
    if (unseen > shown)
        add_marker(c, out, unseen - shown);
    if (c->tail)
        add_newest(c, out, shown);
}
