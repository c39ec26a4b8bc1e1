/* SPDX-License-Identifier: Apache-2.0
 *
 * What Python asks of Unicode, per version of it: the tables are made at build time from the
 * Unicode Character Database (tools/make-unicode.c).
 */
#ifndef PYTHON_UNICODE_H
#define PYTHON_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The next code point of UTF-8 text in which surrogates may stand; moves *at. 0xFFFD and one byte
 * further when the bytes are no character. */
uint32_t unicode_next(struct str text, size_t *at);
int unicode_add(struct buf *b, uint32_t code);
size_t unicode_put(char *out, uint32_t code); /* as many bytes as it takes, at most 4 */

bool unicode_is_identifier_start(uint32_t code, unsigned target);
bool unicode_is_identifier_part(uint32_t code, unsigned target);
bool unicode_is_printable(uint32_t code, unsigned target); /* str.isprintable() */
/* The character of that name (\N{...}: names, aliases, not sequences; case does not matter), or -1.
 */
int32_t unicode_by_name(struct str name, unsigned target);
/* Appends the NFKC form. -1 at the ceiling. */
int unicode_normalize(struct str text, struct buf *ret);

#endif
