/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that fall through: if the module has not bound `eval` yet, `eval` is the builtin; if a
 * class body has not bound a name yet, the name is the module's. (Variables of functions do not
 * fall through: an unbound one raises.) A use is sure if a statement that certainly binds the name
 * comes before it: in the same list, before the use's own statement or one that encloses it. A
 * function runs later; for a use in a function, the module's statements before the first that can
 * run functions count as well.
 */
#ifndef PROGRAM_PROGRAM_SURE_H
#define PROGRAM_PROGRAM_SURE_H

#include "program/program_parts.h"

/* True if the name is bound after the statement has ended, or after the pattern or target has
 * matched. */
bool statement_binds(const struct node *n, const struct name *name);
bool pattern_binds(const struct node *n, const struct name *name);
bool target_binds(const struct node *n, const struct name *name);

/* True if the node may call functions of the program (program_runs.c). */
bool runs_functions(const struct scope *scope, const struct node *n);

#endif
