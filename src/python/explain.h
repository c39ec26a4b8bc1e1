/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a program is not Python: the same error, at the same place, in the same words as CPython's.
 *
 * CPython finds its words by reading a wrong program a second time, with rules added for the wrong
 * things people write; whichever of those matches first, in the order in which its grammar tries
 * alternatives, speaks. Only the same order gives the same words, so this is a second reader: it
 * interprets the grammar (src/python/grammar.peg, made into a table at build time) alternative by
 * alternative. It is slow, linear, and runs for wrong programs only.
 */
#ifndef PYTHON_EXPLAIN_H
#define PYTHON_EXPLAIN_H

#include "python/lex.h"

/* Sets tree->error for tokens that parse_module refused. Always -1. An error that is set already,
 * of a bad literal, may give way to another that CPython meets before it. */
int explain_module(struct python_tree *tree, const struct tokens *tokens);
/* The same for parse_fstring_field. */
int explain_fstring_field(struct python_tree *tree, const struct tokens *tokens);

#endif
