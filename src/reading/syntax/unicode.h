/* SPDX-License-Identifier: Apache-2.0
 *
 * The properties of characters that Python uses, for each version of Python. The tables are made at
 * build time from the Unicode Character Database (tools/make-unicode.c).
 */
#ifndef SYNTAX_UNICODE_H
#define SYNTAX_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The next code point of UTF-8 text, which may contain surrogates; moves *at past it. Returns
 * 0xFFFD and moves one byte if the bytes are not a character. */
uint32_t unicode_next(struct str text, size_t *at);
int unicode_add(struct buf *b, uint32_t code);

bool unicode_is_identifier_start(uint32_t code, unsigned target);
bool unicode_is_identifier_part(uint32_t code, unsigned target);
bool unicode_is_printable(uint32_t code, unsigned target); /* str.isprintable() */
/* The character with this name (in \N{...}: names and aliases, not sequences; case does not
 * matter), or -1. */
int32_t unicode_by_name(struct str name, unsigned target);
/* Appends the NFKC form. -1 at the ceiling. */
int unicode_normalize(struct str text, struct buf *ret);

#endif
