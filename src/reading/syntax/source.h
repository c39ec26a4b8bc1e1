/* SPDX-License-Identifier: Apache-2.0
 *
 * A Python text, the options for reading it, and its errors: the data on which the lexer, the
 * parser and the checks work (python/python.h).
 */
#ifndef SYNTAX_SOURCE_H
#define SYNTAX_SOURCE_H

#include "syntax/tree.h"

struct scope;

enum {
    PYTHON_OLDEST = 11, /* targets: the N of Python 3.N, also wherever a comment says "target" */
    PYTHON_NEWEST = 14,
};
#define PYTHON_TARGETS       "3.11", "3.12", "3.13", "3.14"
#define PYTHON_TARGETS_RANGE "3.11 to 3.14"

struct python_options {
    unsigned target;     /* 0: PYTHON_NEWEST */
    bool top_await;      /* as in a notebook's cell: allow `await` and similar outside functions */
    size_t memory_limit; /* for everything that the tree needs; 0: PYTHON_MEMORY */
};

#define PYTHON_MEMORY ((size_t)1 << 30)

enum python_error_kind {
    PYTHON_NO_ERROR,
    PYTHON_SYNTAX_ERROR,
    PYTHON_INDENTATION_ERROR,
    PYTHON_TAB_ERROR,
    PYTHON_VALUE_ERROR,     /* a NUL in the text, in 3.11 */
    PYTHON_UNICODE_ERROR,   /* the bytes are not valid in their encoding */
    PYTHON_RECURSION_ERROR, /* nested too deeply for us or for CPython */
    PYTHON_MEMORY_ERROR,    /* past options.memory_limit */
    PYTHON_SYNTAX_WARNING,  /* only in warnings */
    PYTHON_DEPRECATION_WARNING,
};

/* The contents of CPython's SyntaxError. */
struct python_error {
    enum python_error_kind kind;
    uint32_t line, end_line; /* from 1; 0 unknown */
    /* `offset`: in characters, from 1; 0: unknown; -1 if CPython has -1. */
    int32_t column, end_column;
    bool bare;           /* found by the tokenizer: CPython's text of the line has no newline */
    bool bytes;          /* columns count bytes, as in errors of CPython's compiler */
    const char *message; /* in the tree's arena, without location or kind */
};

struct python_warnings {
    struct python_error *at;
    size_t n, room;
};

struct token;

struct python_tree {
    struct arena arena; /* holds everything below */
    unsigned target;
    bool top_await;
    size_t memory_limit;
    struct str text;      /* UTF-8, no byte order mark, each line ends in \n; a NUL follows */
    const char *encoding; /* "utf-8", or the encoding that the text declares */
    struct node *module;  /* NULL after a syntax error */
    struct python_error error;
    struct python_warnings warnings; /* in the order of the text */
    struct names *names;             /* each spelling once */
    struct scope *scopes;            /* the module's; set when python_check has succeeded */
    unsigned depth; /* of the parser's recursion, including fields of 3.11's f-strings */
    /* while such a field is read: the '(' before it; `text` is then the field's */
    const struct token *field;
};

void python_tree_done(struct python_tree *tree);
/* "SyntaxError", "IndentationError", ... */
const char *python_error_name(enum python_error_kind kind);
/* Line n (from 1) of the tree's text without its line end; empty if there is no such line. */
struct str python_line(const struct python_tree *tree, uint32_t n);

#endif
