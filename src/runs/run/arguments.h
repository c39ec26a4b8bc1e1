/* SPDX-License-Identifier: Apache-2.0
 *
 * How an interpreter is called.
 */
#ifndef RUN_ARGUMENTS_H
#define RUN_ARGUMENTS_H

#include "languages/language.h"
#include "run/first.h"

/* What the runner sends through its channel (run_display.h). */
enum rich_wish {
    RICH_NOTHING, /* it has no channel */
    RICH_DISPLAYS,
    RICH_VALUE, /* displays, and the value of a last expression */
};
/* Returns the interpreter, the arguments in its language's row, and the program's own;
 * NULL-terminated, to be freed with environment_free. */
char **arguments_make(const struct language *language, const char *interpreter, const char *name,
                      const struct first *first, enum rich_wish wish, char *const *own);

/* Returns the interpreter and the arguments that start its server of cells; the row must have
 * one. */
char **arguments_cells(const struct language *language, const char *interpreter);

#endif
