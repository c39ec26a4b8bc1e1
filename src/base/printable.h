/* SPDX-License-Identifier: Apache-2.0
 *
 * What a guest wrote, made harmless for a terminal and for a model's context: valid UTF-8 without
 * escape sequences, control characters and marks that turn the direction of writing.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include "base/buf.h"

/* Keeps line ends (as "\n") and tabs. Adds as much as fits, cut between characters. */
void printable_add(struct buf *b, struct str s);
/* On one line, and at most max characters of it, then "...". */
void printable_add_word(struct buf *b, struct str s, size_t max);
/* printable_add of all of it, as a string that the caller frees. */
char *printable_text(struct str s);

#endif
