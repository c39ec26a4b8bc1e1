/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wire.h"

#include <string.h>

#include "base/mem.h"

static void wire_put(struct buf *b, uint64_t v, unsigned bytes)
{
    unsigned char raw[8];

    for (unsigned i = 0; i < bytes; i++)
        raw[i] = (unsigned char)(v >> (8 * i));
    (void)buf_add(b, raw, bytes);
}

void wire_put_u32(struct buf *b, uint32_t v)
{
    wire_put(b, v, 4);
}

void wire_put_u64(struct buf *b, uint64_t v)
{
    wire_put(b, v, 8);
}

void wire_put_str(struct buf *b, struct str s)
{
    wire_put(b, s.n, 4);
    (void)buf_add_str(b, s);
}

void wire_put_cstr(struct buf *b, const char *s)
{
    wire_put_str(b, str_from(s));
}

static uint64_t wire_get(struct wire *w, unsigned bytes)
{
    uint64_t v = 0;

    if (w->rest.n < bytes) {
        w->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)(unsigned char)w->rest.p[i] << (8 * i);
    w->rest = str_slice(w->rest, bytes, w->rest.n);
    return v;
}

uint32_t wire_u32(struct wire *w)
{
    return (uint32_t)wire_get(w, 4);
}

uint64_t wire_u64(struct wire *w)
{
    return wire_get(w, 8);
}

struct str wire_str(struct wire *w)
{
    uint32_t n = wire_u32(w);

    if (w->bad || n > w->rest.n) {
        w->bad = true;
        return (struct str){"", 0};
    }
    struct str s = {w->rest.p, n};
    w->rest = str_slice(w->rest, n, w->rest.n);
    return s;
}

char *wire_cstr(struct wire *w)
{
    struct str s = wire_str(w);

    if (s.n && memchr(s.p, '\0', s.n))
        w->bad = true;
    return xstrndup(s.p, s.n);
}

uint32_t wire_count(struct wire *w, uint32_t least)
{
    uint32_t n = wire_u32(w);

    if (w->bad || n > w->rest.n / (least ? least : 1)) {
        w->bad = true;
        return 0;
    }
    return n;
}

char **wire_list(struct wire *w)
{
    uint32_t n = wire_count(w, 4);
    char **list = xcalloc((size_t)n + 1, sizeof *list);

    for (uint32_t i = 0; i < n && !w->bad; i++)
        list[i] = wire_cstr(w);
    return list;
}

bool wire_ok(const struct wire *w)
{
    return !w->bad && w->rest.n == 0;
}
