/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TERMINAL_SAFE_TEXT_H
#define TERMINAL_SAFE_TEXT_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends text that a guest may have chosen so that a terminal only shows it: control characters,
 * marks that turn the direction of writing, and bytes that are not UTF-8 become \x1b, \u202e and
 * similar. With keep_lines, line ends and tabs stay. */
void safe_text_add(struct buf *b, struct str text, bool keep_lines);

#endif
