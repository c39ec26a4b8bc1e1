/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that several readers need the tree of: the first one parses it, the others find the
 * tree. Its owner keeps it, and what it is asked about, until all have read.
 */
#ifndef PYTHON_TEXT_H
#define PYTHON_TEXT_H

#include "python/python.h"

struct python_text {
    struct python_options options; /* the owner's, before the first reader */
    struct python_tree tree;       /* after python_text_parse */
    struct str bytes;              /* that it is of */
    bool parsed, grammatical, checked, compiles;
};

/* Whether readers with these options may use the tree. */
bool python_text_fits(const struct python_text *text, const struct python_options *options);
/* Parses, unless the tree is of these very bytes. False: tree.error says what is wrong. */
bool python_text_parse(struct python_text *text, struct str bytes);
/* The same with python_check. */
bool python_text_check(struct python_text *text, struct str bytes);
/* The options stay. */
void python_text_done(struct python_text *text);

#endif
