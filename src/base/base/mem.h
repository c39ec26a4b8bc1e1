/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation for host bookkeeping: these functions abort when there is no more memory, so callers
 * need no failure path. Data that a guest or a file can make grow is in a struct buf with a ceiling
 * instead.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Returns p. If p is NULL, reports that memory is exhausted and aborts. */
void *mem_must(void *p);

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
/* Resizes to count * size bytes; aborts on overflow. */
void *xrealloc_array(void *p, size_t count, size_t size);
/* For an array that has *room elements of this size and is full: makes it twice as large. */
void *mem_grow(void *p, size_t *room, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* `AUTO_FREE char *s = ...;` frees s when it leaves scope; NULL is fine. */
void mem_free_ptr(void *p);
#define AUTO_FREE __attribute__((cleanup(mem_free_ptr)))

/* Returns the pointer and sets the AUTO_FREE variable to NULL. */
void *mem_take(void *pointer_to_pointer);

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
