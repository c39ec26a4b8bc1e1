/* SPDX-License-Identifier: Apache-2.0
 *
 * What CPython's compiler refuses of programs that its grammar accepts, in the compiler's order:
 * first check_future, then scope_build, then check_places. The first error is reported.
 */
#ifndef PYTHON_CHECK_H
#define PYTHON_CHECK_H

#include "python/scope.h"

/* What `from __future__ import` asks for. */
struct future {
    bool annotations; /* they are text, never evaluated */
    uint32_t line;    /* of the last such import; 0: none */
};

/* -1 with tree->error when one of the imports is wrong. */
int future_read(struct python_tree *tree, struct future *ret);
int check_future(struct python_tree *tree);

/* `return` outside a function, `break` outside a loop, names that repeat, and so on; warnings too.
 * 0, or -1 with tree->error. */
int check_places(struct python_tree *tree, struct scope *module_scope);

#endif
