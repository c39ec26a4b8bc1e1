/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The first chunk is small, for the many programs of a few lines; each further one is twice as
 * large, up to the last of these. */
enum { CHUNK_FIRST = 16 << 10, CHUNK_LAST = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t size;
    _Alignas(16) char bytes[];
};

void arena_done(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *older; c; c = older) {
        older = c->older;
        free(c);
    }
    *a = (struct arena){0};
}

void *arena_more(struct arena *a, size_t n)
{
    size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_FIRST;

    if (size > CHUNK_LAST)
        size = CHUNK_LAST;
    if (n > size / 4) /* a large allocation gets room of its own beside the usual chunk */
        size += n > SIZE_MAX / 4 ? SIZE_MAX / 4 : n;
    a->used_before = arena_used(a);
    struct arena_chunk *c = xrealloc_array(NULL, 1, size + sizeof *c);
    *c = (struct arena_chunk){.older = a->chunks, .size = size > CHUNK_LAST ? CHUNK_LAST : size};
    a->chunks = c;
    a->at = c->bytes + ((n + 7) & ~(size_t)7);
    a->end = c->bytes + (size & ~(size_t)7);
    return c->bytes;
}

size_t arena_used(const struct arena *a)
{
    return a->used_before + (a->chunks ? (size_t)(a->at - a->chunks->bytes) : 0);
}

void *arena_zalloc(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

struct str arena_str(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.n + 1);

    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (struct str){p, s.n};
}

const char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    AUTO_FREE char *text = xvasprintf(fmt, ap);
    va_end(ap);
    return arena_str(a, str_from(text)).p;
}
