/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether the text at a prompt needs more lines before it can run, for each kind of syntax.
 */
#ifndef LANGUAGES_PROMPT_H
#define LANGUAGES_PROMPT_H

#include <stdbool.h>

#include "base/str.h"

bool prompt_continues_python(struct str text);
/* In these languages, two empty lines end an incomplete cell (prompt_blocks.c). */
bool prompt_continues_shell(struct str text);
bool prompt_continues_javascript(struct str text);
bool prompt_continues_r(struct str text);
/* For any other language with brackets. */
bool prompt_continues_other(struct str text);

#endif
