/* SPDX-License-Identifier: Apache-2.0
 *
 * Python text in, tree or error out: what this folder is for. Pure: nothing is read but the text.
 *
 *     struct python_tree tree;
 *     if (python_parse(text, &(struct python_options){0}, &tree) < 0 || python_check(&tree) < 0)
 *         ... tree.error ...
 *     python_tree_done(&tree);
 */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#include "python/tree.h"

enum {
    PYTHON_OLDEST = 11, /* targets: the N of Python 3.N */
    PYTHON_NEWEST = 14,
};

struct python_options {
    unsigned target;     /* 0: PYTHON_NEWEST */
    bool top_await;      /* as in a notebook's cell: `await` and its like outside of functions */
    size_t memory_limit; /* for all that the tree takes; 0: PYTHON_MEMORY */
};

#define PYTHON_MEMORY ((size_t)1 << 30)

enum python_error_kind {
    PYTHON_NO_ERROR,
    PYTHON_SYNTAX_ERROR,
    PYTHON_INDENTATION_ERROR,
    PYTHON_TAB_ERROR,
    PYTHON_VALUE_ERROR,     /* NUL in the text, as 3.11 calls it */
    PYTHON_UNICODE_ERROR,   /* the text's bytes are not in its encoding */
    PYTHON_RECURSION_ERROR, /* nested too deeply, for us or for CPython */
    PYTHON_MEMORY_ERROR,    /* past options.memory_limit */
    PYTHON_SYNTAX_WARNING,  /* only in warnings */
    PYTHON_DEPRECATION_WARNING,
};

/* What CPython's SyntaxError says of itself. */
struct python_error {
    enum python_error_kind kind;
    uint32_t line, end_line; /* from 1; 0 unknown */
    /* `offset`: in characters, from 1; 0 unknown; -1 as CPython has it. */
    int32_t column, end_column;
    bool bare;           /* found among the tokens: CPython's text of the line has no newline */
    bool bytes;          /* columns count bytes, as those of CPython's compiler do */
    const char *message; /* in the tree's arena, without place or kind */
};

struct python_warnings {
    struct python_error *at;
    size_t n, room;
};

struct token;

struct python_tree {
    struct arena arena; /* everything here lives in it */
    unsigned target;
    bool top_await;
    size_t memory_limit;
    struct str text;      /* UTF-8, no byte order mark, every line ended by \n; followed by a NUL */
    const char *encoding; /* "utf-8", or what the text said it was in */
    struct node *module;  /* NULL after an error in the grammar */
    struct python_error error;
    struct python_warnings warnings; /* in the order of the text */
    struct names *names;             /* every spelling once */
    struct scope *scopes;            /* the module's, once python_check has been content */
    unsigned depth;            /* of the parser's recursion, fields of 3.11's f-strings included */
    const struct token *field; /* the '(' before such a field while one is read; text is then its */
};

/* Reads the grammar. 0; -1 with ret->error set. Either way end with python_tree_done. */
int python_parse(struct str bytes, const struct python_options *options, struct python_tree *ret);
/* What the compiler refuses beyond the grammar: `return` outside a function, names used before
 * `global`, and so on. The tree must have parsed. 0; -1 with tree->error set. */
int python_check(struct python_tree *tree);
void python_tree_done(struct python_tree *tree);

/* "SyntaxError", "IndentationError", ... */
const char *python_error_name(enum python_error_kind kind);
/* Line n (from 1) of the tree's text without its end; empty when there is none. */
struct str python_line(const struct python_tree *tree, uint32_t n);

#endif
