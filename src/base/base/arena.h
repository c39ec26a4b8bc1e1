/* SPDX-License-Identifier: Apache-2.0
 *
 * struct arena: many small allocations that are freed together. Allocating moves a pointer;
 * arena_done frees everything. Memory is not cleared. arena_alloc aborts when the system has no
 * more memory, so code that fills an arena from untrusted text checks arena_used, which counts
 * requested bytes, and stops at a ceiling.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena_chunk;

struct arena {
    char *at, *end; /* the unused rest of the newest chunk */
    struct arena_chunk *chunks;
    size_t used_before; /* bytes requested from the chunks before the newest */
};

/* `struct arena a = {0};` is an empty arena. */
void arena_done(struct arena *a); /* leaves the arena empty */
void *arena_more(struct arena *a, size_t n);
size_t arena_used(const struct arena *a);

/* Returns n bytes, aligned for any type. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
    size_t rounded = (n + 7) & ~(size_t)7;

    if (rounded < n || (size_t)(a->end - a->at) <= rounded) /* an empty arena has no room */
        return arena_more(a, n);
    void *p = a->at;
    a->at += rounded;
    return p;
}

void *arena_zalloc(struct arena *a, size_t n);
/* Returns a copy, followed by a NUL. */
struct str arena_str(struct arena *a, struct str s);
const char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
