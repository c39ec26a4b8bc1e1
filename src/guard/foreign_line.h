/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that models write in Python and that are none: of IPython, of a shell, of Markdown.
 */
#ifndef GUARD_FOREIGN_LINE_H
#define GUARD_FOREIGN_LINE_H

#include "base/str.h"

/* What to write instead of a line that does not parse, or NULL when it is no such line. A line with
 * a hint is never Python. */
const char *foreign_line_hint(struct str line);

#endif
