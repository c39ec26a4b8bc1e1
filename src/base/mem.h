/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation for host bookkeeping: these abort when memory is out, so callers have no failure path
 * to get wrong. Whatever a guest or a file can make grow uses a struct buf with a ceiling instead.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* The pointer, which is not NULL: then the process says so and aborts. */
void *mem_must(void *p);

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
/* Resizes to count * size bytes; aborts on overflow. */
void *xrealloc_array(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* `AUTO_FREE char *s = ...;` frees s when it leaves scope; NULL is fine. */
void mem_free_ptr(void *p);
#define AUTO_FREE __attribute__((cleanup(mem_free_ptr)))

/* Hands the pointer out of an AUTO_FREE variable. */
void *mem_take(void *pointer_to_pointer);

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
