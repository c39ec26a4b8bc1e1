/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a guest's output harmless for a terminal and for a model's context: valid UTF-8 without
 * escape sequences, control characters, and marks that change the direction of writing.
 */
#ifndef FORMATS_PRINTABLE_H
#define FORMATS_PRINTABLE_H

#include "base/buf.h"

/* Keeps line ends (as "\n") and tabs. Appends as much as fits, cut between characters. */
void printable_add(struct buf *b, struct str s);
/* Appends s on one line: at most max characters, then "...". */
void printable_add_word(struct buf *b, struct str s, size_t max);
/* Like printable_add without a limit, as a string that the caller frees. */
char *printable_text(struct str s);

#endif
