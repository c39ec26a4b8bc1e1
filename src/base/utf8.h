/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

/* Length of the longest valid prefix (Unicode's definition: no surrogates, nothing overlong). */
size_t utf8_valid_prefix(struct str s);
bool utf8_valid(struct str s);
/* Code points; each invalid byte counts as one. */
size_t utf8_count(struct str s);
/* Appends s with U+FFFD for each invalid byte. -1 at the ceiling. */
int utf8_add_clean(struct buf *b, struct str s);
/* The largest k <= n at which s may be cut without splitting a character. */
size_t utf8_cut(struct str s, size_t n);
/* The first character of valid UTF-8, which is not empty, and its length. */
unsigned utf8_first(struct str s, size_t *ret_n);
/* Controls, and characters that are invisible or change how the rest is shown: a terminal must not
 * receive them from a guest. */
bool utf8_is_hidden(unsigned c);

int base64_add(struct buf *b, struct str bytes);
/* 0 to 63; -1 for another character. */
int base64_digit(char c);
/* Into `out`, which has room for s.n bytes; how many, or -1 for no base64. '=' at the end may be
 * missing. */
ssize_t base64_decode(struct str s, char *out);

#endif
