/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_must(void *p)
{
    if (!p) {
        fputs("glovebox: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *xmalloc(size_t n)
{
    return mem_must(malloc(n ? n : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return mem_must(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc_array(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        mem_must(NULL);
    size_t n = count * size;
    return mem_must(realloc(p, n ? n : 1));
}

void *mem_grow(void *p, size_t *room, size_t size)
{
    *room = *room ? 2 * *room : 16;
    return xrealloc_array(p, *room, size);
}

char *xstrdup(const char *s)
{
    return mem_must(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
    char *copy = xmalloc(n + 1);

    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
    char *s = NULL;

    if (vasprintf(&s, fmt, ap) < 0)
        s = NULL;
    return mem_must(s);
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    char *s = xvasprintf(fmt, ap);
    va_end(ap);
    return s;
}

void mem_free_ptr(void *p)
{
    free(*(void **)p);
}

void *mem_take(void *pointer_to_pointer)
{
    void **slot = pointer_to_pointer;
    void *p = *slot;

    *slot = NULL;
    return p;
}
