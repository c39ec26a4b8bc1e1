/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads `from __future__ import`.
 */
#ifndef SYNTAX_FUTURE_H
#define SYNTAX_FUTURE_H

#include "syntax/source.h"

struct future {
    bool annotations; /* annotations are strings, never evaluated */
    uint32_t line;    /* of the last such import; 0 if there is none */
};

/* -1 with tree->error if one of the imports is invalid. */
int future_read(struct python_tree *tree, struct future *ret);
/* As future_read, but only checks the imports. */
int future_check(struct python_tree *tree);

#endif
