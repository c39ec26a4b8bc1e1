/* SPDX-License-Identifier: Apache-2.0
 *
 * How an interpreter is called.
 */
#ifndef SESSION_ARGUMENTS_H
#define SESSION_ARGUMENTS_H

#include "languages/language.h"
#include "session/first.h"

/* The interpreter, what its language's row says, and the program's own; NULL-terminated, for
 * environment_free. `rich`: its runner has a channel (run_display.h). */
char **arguments_make(const struct language *language, const char *interpreter, const char *name,
                      const struct first *first, bool rich, char *const *own);

/* The interpreter and what starts its server of cells; the row has one. */
char **arguments_cells(const struct language *language, const char *interpreter);

#endif
