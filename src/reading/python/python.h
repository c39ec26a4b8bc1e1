/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses Python: the result is a tree or an error. It has no other input than the text.
 *
 *     struct python_tree tree;
 *     if (python_parse(text, &(struct python_options){0}, &tree) < 0 || python_check(&tree) < 0)
 *         ... tree.error ...
 *     python_tree_done(&tree);
 *
 * There are two readers. The parser is written by hand for speed, decides by looking ahead in the
 * array of tokens, and only finds whether a program is valid. If not, explain_module reads the
 * tokens again, slowly: it interprets CPython's grammar (grammar.peg, turned into tables by
 * tools/make-grammar.c) with its rules for invalid forms, because CPython's message is that of the
 * first such rule that matches. python_check does the checks of CPython's compiler after parsing:
 * future imports, scopes, and where statements are allowed. All differences between versions depend
 * on tree->target. Trees are at most TREE_MAX_HEIGHT high, so code may walk them recursively.
 */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#include "syntax/source.h"

/* Parses the text. 0; -1 with ret->error set. Call python_tree_done in either case. */
int python_parse(struct str bytes, const struct python_options *options, struct python_tree *ret);
/* Finds errors that CPython's compiler reports after parsing: `return` outside a function, names
 * used before `global`, and so on. The tree must have been parsed. 0; -1 with tree->error set. */
int python_check(struct python_tree *tree);

/* True if "NAME = 0" assigns to exactly that name, and it is ASCII and does not begin with "__". */
bool python_is_variable(struct str name);

/* A program whose tree several readers need: the first reader parses it, and the others use the
 * same tree. The owner keeps this struct, and the text, until all readers are done. */
struct python_text {
    struct python_options options; /* set by the owner before the first reader */
    struct python_tree tree;       /* valid after python_text_parse */
    struct str bytes;              /* the text of the tree */
    bool parsed, grammatical, checked, compiles;
};

/* True if readers with these options may use the tree. */
bool python_text_fits(const struct python_text *text, const struct python_options *options);
/* Parses, unless the tree already belongs to this text. False: tree.error has the reason. */
bool python_text_parse(struct python_text *text, struct str bytes);
/* As python_text_parse, and also calls python_check. */
bool python_text_check(struct python_text *text, struct str bytes);
/* Frees the tree; the options stay. */
void python_text_done(struct python_text *text);

#endif
