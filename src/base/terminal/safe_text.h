/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TERMINAL_SAFE_TEXT_H
#define TERMINAL_SAFE_TEXT_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends text, which a guest may have chosen, in a form that a terminal only displays: control
 * characters, marks that change the direction of writing, and bytes that are not UTF-8 become \x1b,
 * \u202e and similar. With keep_lines, line ends and tabs stay. */
void safe_text_add(struct buf *b, struct str text, bool keep_lines);
/* As safe_text_add, but returns a string, which the caller frees. */
char *safe_text(struct str text, bool keep_lines);
/* As safe_text, on one line; NULL gives the empty string. */
char *safe_line(const char *text);

#endif
