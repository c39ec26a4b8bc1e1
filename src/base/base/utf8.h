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
/* The largest k <= n at which s can be cut without splitting a character. */
size_t utf8_cut(struct str s, size_t n);
/* The first character of s, which is valid UTF-8 and not empty; *ret_n is its length. */
unsigned utf8_first(struct str s, size_t *ret_n);
/* Writes the character's bytes, at most 4; returns how many. */
size_t utf8_put(char *out, unsigned c);
/* True for control characters, and for characters that are invisible or change how the rest is
 * shown: a terminal must not receive them from a guest. */
bool utf8_is_hidden(unsigned c);

/* Appends s for a URL: every byte except letters, digits and those in `plain` becomes %XX. -1 at
 * the ceiling. */
int percent_add(struct buf *b, struct str s, const char *plain);

int base64_add(struct buf *b, struct str bytes);
/* 0 to 63; -1 for another character. */
int base64_digit(char c);
/* Decodes into `out`, which has room for s.n bytes. Returns the number of bytes, or -1 if s is not
 * base64. '=' at the end may be missing. */
ssize_t base64_decode(struct str s, char *out);

#endif
