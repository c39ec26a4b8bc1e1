/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds errors that CPython's compiler reports in programs that its grammar accepts, in the
 * compiler's order: first future_check, then scope_build, then check_places. The first error is
 * reported.
 */
#ifndef PYTHON_CHECK_H
#define PYTHON_CHECK_H

#include "syntax/future.h"
#include "syntax/scope.h"

/* Finds `return` outside a function, `break` outside a loop, repeated names, and so on; adds
 * warnings, too. 0, or -1 with tree->error. */
int check_places(struct python_tree *tree, struct scope *module_scope);

#endif
