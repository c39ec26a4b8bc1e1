/* SPDX-License-Identifier: Apache-2.0
 *
 * How an interpreter is called.
 */
#ifndef SESSION_ARGUMENTS_H
#define SESSION_ARGUMENTS_H

#include "languages/language.h"
#include "session/first.h"

/* The interpreter, the arguments in its language's row, and the program's own; NULL-terminated, for
 * environment_free. `rich`: its runner has a channel (run_display.h). */
char **arguments_make(const struct language *language, const char *interpreter, const char *name,
                      const struct first *first, bool rich, char *const *own);

/* The interpreter and the arguments that start its server of cells; the row must have one. */
char **arguments_cells(const struct language *language, const char *interpreter);

#endif
