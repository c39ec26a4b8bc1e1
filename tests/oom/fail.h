/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocator of this program and of all libraries in it, which can be told to fail once.
 * Everything that asks for memory is counted: our code, the C library, jansson, SQLite.
 */
#ifndef OOM_FAIL_H
#define OOM_FAIL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* What really allocates, in glibc. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);

#define SHOWN __attribute__((visibility("default")))

/* Between fail_on and fail_off allocations count; the one with the number `fail_at` fails. */
static long fail_at;
static long fail_count;
static int fail_counting;

static inline void fail_on(void)
{
    __atomic_store_n(&fail_counting, 1, __ATOMIC_SEQ_CST);
}

static inline void fail_off(void)
{
    __atomic_store_n(&fail_counting, 0, __ATOMIC_SEQ_CST);
}

static inline int fails_now(void)
{
    if (!__atomic_load_n(&fail_counting, __ATOMIC_SEQ_CST) ||
        __atomic_add_fetch(&fail_count, 1, __ATOMIC_SEQ_CST) != fail_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) SHOWN;
void *malloc(size_t n)
{
    return fails_now() ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size) SHOWN;
void *calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t n) SHOWN;
void *realloc(void *p, size_t n)
{
    return fails_now() ? NULL : __libc_realloc(p, n);
}

#endif
