/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that models write among Python code and that are not Python: of IPython, of a shell, of
 * Markdown.
 */
#ifndef GUARD_FOREIGN_LINE_H
#define GUARD_FOREIGN_LINE_H

#include "base/str.h"

/* A hint for a line that does not parse, or NULL if it is no such line. A line with a hint is never
 * Python. */
const char *foreign_line_hint(struct str line);

#endif
