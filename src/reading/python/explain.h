/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains why a program is not Python: the same error, at the same location, with the same message
 * as CPython's.
 *
 * CPython finds its message by parsing an invalid program a second time, with additional rules for
 * common mistakes (wrong forms). The first of these rules that matches, in the order in which the
 * grammar tries its alternatives, gives the message. Only the same order gives the same message, so
 * this is a second reader: it interprets the grammar (src/reading/python/grammar.peg, made into a
 * table at build time) alternative by alternative. It is slow, takes linear time, and runs for
 * invalid programs only.
 */
#ifndef PYTHON_EXPLAIN_H
#define PYTHON_EXPLAIN_H

#include "syntax/lex.h"

/* Sets tree->error for tokens that parse_module refused. Always -1. If an error in a literal is
 * already set, an error that CPython finds earlier may replace it. */
int explain_module(struct python_tree *tree, const struct tokens *tokens);
/* As explain_module, for tokens that parse_fstring_field refused. */
int explain_fstring_field(struct python_tree *tree, const struct tokens *tokens);

#endif
