/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that build scopes. They work in two passes, like CPython, because they must
 * report the same one of two mistakes in a program. scope_walk.c and scope_expr.c go over the whole
 * module and note what each block does with each name. Then scope_resolve.c decides which scope
 * holds each name.
 */
#ifndef SYNTAX_SCOPE_PARTS_H
#define SYNTAX_SCOPE_PARTS_H

#include "syntax/scope.h"

/* Decides which rules hold. It is finer than enum scope_kind, and annotations are a block without
 * their own scope (their names belong to the enclosing scope). */
enum block_kind {
    BLOCK_MODULE,
    BLOCK_CLASS,
    BLOCK_FUNCTION,
    BLOCK_LIST_COMP,
    BLOCK_SET_COMP,
    BLOCK_DICT_COMP,
    BLOCK_GENERATOR,
    BLOCK_TYPE_PARAMS,
    BLOCK_TYPE_ALIAS,
    BLOCK_TYPE_BOUND,
    BLOCK_TYPE_CONSTRAINT,
    BLOCK_TYPE_VAR_DEFAULT,
    BLOCK_PARAM_SPEC_DEFAULT,
    BLOCK_TYPE_VAR_TUPLE_DEFAULT,
    BLOCK_ANNOTATION,
};

/* Bits of symbol.flags that only these files need. */
enum {
    OWN_COMP_TARGET = 1 << 16, /* a comprehension's own variable */
    OWN_TYPE_PARAM = 1 << 17,
    OWN_LATE_USE = 1 << 18,        /* used in an annotation that is not evaluated here */
    OWN_BOUND_ELSEWHERE = 1 << 19, /* a symbol of the module that a function binds under `global` */

    /* FLAGS_LOCAL, FLAGS_BOUND: uses that make a name local, as in CPython. FLAGS_GIVEN: uses
     * that really give it a value. */
    FLAGS_LOCAL = SYMBOL_ASSIGNED | SYMBOL_DEFINED | SYMBOL_DELETED | SYMBOL_ANNOTATED,
    FLAGS_BOUND = FLAGS_LOCAL | SYMBOL_PARAMETER | SYMBOL_IMPORTED,
    FLAGS_GIVEN =
        SYMBOL_ASSIGNED | SYMBOL_DEFINED | SYMBOL_PARAMETER | SYMBOL_IMPORTED | OWN_BOUND_ELSEWHERE,
};

/* A symbol with the members that only these files need. */
struct symbol_record {
    struct symbol symbol;
    const struct node *directive; /* the first `global` or `nonlocal` with this name */
    struct symbol_record *hidden; /* while resolving: the outer meaning of its name */
};

/* A private name and its mangled form in a class. */
struct mangled {
    const struct name *class_name;
    struct name *name, *mangled;
};

/* For the whole tree: scopes by parent and node, and the mangled names. */
struct scope_index {
    struct scope **at;
    uint32_t size, count;
    struct mangled *mangled;
    uint32_t mangled_size, mangled_count;
    size_t mangled_bytes; /* the length of all mangled names */
};

/* The position of the walk. */
struct scope_place {
    struct scope *scope;
    enum block_kind block;
    bool in_target;       /* in a target of this comprehension: names become its variables */
    unsigned in_iterable; /* the depth in iterables of this comprehension or those around it */
};

struct builder {
    struct python_tree *tree;
    struct scope *module;
    struct scope_index *index;
    struct scope_place at;
    struct name *private_class; /* the class that mangles private names; NULL outside classes */
    struct name *super, *debug, *star;
    /* names that a class offers to its methods: __class__, then others */
    struct name *class_cells[3];
    bool late_annotations; /* annotations are not evaluated where they are written */
    uint32_t future_line;
    size_t symbols;
};

/* ---- scope.c ---- */

/* Sets tree->error to a SyntaxError at a node. The columns count bytes, as in errors of CPython's
 * compiler, but not of its parser. Always -1. */
int scope_fail(struct python_tree *tree, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens a scope for a node; returns the position for scope_leave. */
struct scope_place scope_enter(struct builder *b, enum scope_kind kind, enum block_kind block,
                               const struct node *node);
void scope_leave(struct builder *b, struct scope_place outside);

/* Notes what the code at a node does with a name. -1 if that is not allowed. */
int scope_note(struct builder *b, struct scope *scope, struct name *name, unsigned flags,
               const struct node *at);
/* As scope_note, for the current scope. */
int scope_note_here(struct builder *b, struct name *name, unsigned flags, const struct node *at);
/* Stores where a name was declared, for errors that are found later. */
void scope_note_directive(struct builder *b, struct name *name, const struct node *at);

/* ---- scope_walk.c, scope_expr.c ---- */

int scope_visit(struct builder *b, const struct node *n); /* NULL is fine */
int scope_visit_list(struct builder *b, struct node_list list);
int scope_visit_keywords(struct builder *b, struct node_list keywords);

typedef int scope_visitor(struct builder *b, const struct node *n);
/* Indexed by kind; NULL: only the children are visited. */
extern scope_visitor *const scope_expression_visitors[N_COUNT];

scope_visitor scope_default_values; /* default values of arguments, in the enclosing scope */
scope_visitor scope_params;         /* names of arguments, in the function's scope */

/* Refuses __debug__ as a target: from 3.14 on, Python does so in this pass. */
int scope_check_target(struct builder *b, const struct name *name, const struct node *at,
                       enum expr_context context);

/* ---- scope_resolve.c ---- */

int scope_resolve(struct builder *b);

#endif
