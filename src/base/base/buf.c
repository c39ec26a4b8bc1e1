/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static char empty[1];

void buf_init(struct buf *b, size_t limit)
{
    *b = (struct buf){.p = empty, .limit = limit};
}

void buf_done(struct buf *b)
{
    if (b->cap)
        free(b->p);
    buf_init(b, b->limit);
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->overflow = false;
    if (b->cap)
        b->p[0] = '\0';
}

static void reserve(struct buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : 60;

    while (cap < need)
        cap = cap > b->limit / 2 ? b->limit : cap * 2;
    b->p = xrealloc_array(b->cap ? b->p : NULL, cap + 1, 1);
    b->cap = cap;
    b->p[b->n] = '\0';
}

char *buf_room(struct buf *b, size_t n)
{
    if (n > b->limit - b->n) {
        b->overflow = true;
        return NULL;
    }
    if (b->n + n > b->cap)
        reserve(b, b->n + n);
    return b->p + b->n;
}

void buf_grew(struct buf *b, size_t n)
{
    b->n += n;
    if (b->cap)
        b->p[b->n] = '\0';
}

int buf_add(struct buf *b, const void *p, size_t n)
{
    if (!n)
        return 0;
    char *room = buf_room(b, n);
    if (!room)
        return -1;
    memcpy(room, p, n);
    buf_grew(b, n);
    return 0;
}

int buf_adds(struct buf *b, const char *s)
{
    return buf_add(b, s, strlen(s));
}

int buf_addc(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

int buf_add_str(struct buf *b, struct str s)
{
    return buf_add(b, s.p, s.n);
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
    char small[256];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0)
        return -1;
    if ((size_t)n < sizeof small)
        return buf_add(b, small, (size_t)n);

    va_start(ap, fmt);
    AUTO_FREE char *big = xvasprintf(fmt, ap);
    va_end(ap);
    return buf_add(b, big, (size_t)n);
}

void buf_drop(struct buf *b, size_t n)
{
    if (n > b->n)
        n = b->n;
    if (!n)
        return;
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
    b->p[b->n] = '\0';
}

struct str buf_str(const struct buf *b)
{
    return (struct str){b->p, b->n};
}

char *buf_take(struct buf *b)
{
    char *s = b->cap ? b->p : xstrdup("");

    buf_init(b, b->limit);
    return s;
}
