/* SPDX-License-Identifier: Apache-2.0
 *
 * struct buf: bytes that grow up to a ceiling given to buf_init.
 *
 * The bytes are always followed by a NUL that is not counted, so `b.p` is a C string when the
 * content holds no NUL (`b.p` is never NULL after buf_init). Adding past the ceiling adds nothing
 * and sets `overflow`; a caller may add many times and look at `overflow` once.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct buf {
    char *p;
    size_t n;
    size_t cap;   /* allocated, less the NUL; 0 while p is the shared empty string */
    size_t limit; /* n never exceeds it */
    bool overflow;
};

void buf_init(struct buf *b, size_t limit);
void buf_done(struct buf *b); /* leaves *b as buf_init does */
void buf_clear(struct buf *b);
/* `AUTO_BUF struct buf b = {0};` is freed when it leaves scope; always write the {0}: a return may
 * come before buf_init. */
#define AUTO_BUF __attribute__((cleanup(buf_done)))

/* 0, or -1 when the ceiling is reached (and then nothing was added). */
int buf_add(struct buf *b, const void *p, size_t n);
int buf_adds(struct buf *b, const char *s);
int buf_addc(struct buf *b, char c);
int buf_add_str(struct buf *b, struct str s);
int buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns room for n more bytes at p + n, or NULL. buf_grew then counts the bytes that the caller
 * filled. */
char *buf_room(struct buf *b, size_t n);
void buf_grew(struct buf *b, size_t n);
/* Drops the first n bytes. */
void buf_drop(struct buf *b, size_t n);

struct str buf_str(const struct buf *b);
/* The content as a C string, which the caller frees; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#endif
