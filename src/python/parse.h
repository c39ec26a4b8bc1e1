/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens to tree, in one pass, for programs that are right. When one is not, nothing is said but
 * where reading ended: explain.h then finds the words for it.
 */
#ifndef PYTHON_PARSE_H
#define PYTHON_PARSE_H

#include "python/lex.h"

/* The module, or NULL: then tree->error is set only by what needs no explanation (too deep, too
 * large, a bad literal that the grammar had accepted). */
struct node *parse_module(struct python_tree *tree, const struct tokens *tokens);

/* The expression of a 3.11 f-string field; tokens are those of the text "(...)". The same rules. */
struct node *parse_fstring_field(struct python_tree *tree, const struct tokens *tokens);

/* STRING tokens (and, from 3.12 on, formatted strings between their START and END) that stand side
 * by side, as the grammar's `strings`: a Constant, JoinedStr or TemplateStr. NULL with
 * tree->error. Both readers of tokens, this and explain.h, use it. For 3.11 it reads the fields'
 * expressions too. */
struct node *strings_join(struct python_tree *tree, const struct token *first, size_t n);

#endif
