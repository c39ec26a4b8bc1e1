/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a tree from tokens, in one pass. For an invalid program it only finds that there is an
 * error: explain.h then finds the message.
 */
#ifndef PYTHON_PARSE_H
#define PYTHON_PARSE_H

#include "syntax/lex.h"

/* Returns the module or NULL. With NULL, tree->error is set only for errors that need no
 * explanation: nested too deeply, too large, or an invalid literal in a valid place. */
struct node *parse_module(struct python_tree *tree, const struct tokens *tokens);

/* The expression of a field in a 3.11 f-string; the tokens are those of the text "(...)". Errors as
 * in parse_module. */
struct node *parse_fstring_field(struct python_tree *tree, const struct tokens *tokens);

/* Joins adjacent STRING tokens (from 3.12 on also formatted strings, from START to END), as the
 * grammar's rule `strings` does, into a Constant, JoinedStr or TemplateStr. NULL with tree->error.
 * Both readers of tokens, this one and explain.h, call it. For 3.11 it also reads the fields'
 * expressions. */
struct node *strings_join(struct python_tree *tree, const struct token *first, size_t n);

#endif
