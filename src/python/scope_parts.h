/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that build scopes share. CPython does this work in two passes, and so do we, for
 * a program with two mistakes must be refused for the same one: scope_walk.c and scope_expr.c go
 * over the whole module and note what each block does with each name; scope_resolve.c then decides
 * where every name lives.
 */
#ifndef PYTHON_SCOPE_PARTS_H
#define PYTHON_SCOPE_PARTS_H

#include "python/scope.h"

/* What rules hold: finer than enum scope_kind, and annotations are a block without a scope of their
 * own (their names belong to the scope around them). */
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
    OWN_LATE_USE = 1 << 18,        /* used in an annotation that nothing evaluates here */
    OWN_BOUND_ELSEWHERE = 1 << 19, /* of the module: a function binds it under `global` */

    /* What makes a name local, as CPython sees it; and what really gives it a value. */
    FLAGS_LOCAL = SYMBOL_ASSIGNED | SYMBOL_DEFINED | SYMBOL_DELETED | SYMBOL_ANNOTATED,
    FLAGS_BOUND = FLAGS_LOCAL | SYMBOL_PARAMETER | SYMBOL_IMPORTED,
    FLAGS_GIVEN =
        SYMBOL_ASSIGNED | SYMBOL_DEFINED | SYMBOL_PARAMETER | SYMBOL_IMPORTED | OWN_BOUND_ELSEWHERE,
};

/* A symbol as it is allocated. */
struct symbol_record {
    struct symbol symbol;
    const struct node *directive; /* the first `global` or `nonlocal` that names it */
    struct symbol_record *hidden; /* while resolving: what its name meant outside */
};

/* What a class makes of a private name. */
struct mangled {
    const struct name *class_name;
    struct name *name, *mangled;
};

/* For the whole tree: scopes by parent and node, and mangled names. */
struct scope_index {
    struct scope **at;
    uint32_t size, count;
    struct mangled *mangled;
    uint32_t mangled_size, mangled_count;
    size_t mangled_bytes; /* of the names so made */
};

/* Where the walk is. */
struct place {
    struct scope *scope;
    enum block_kind block;
    bool in_target;       /* of this comprehension: names become its variables */
    unsigned in_iterable; /* of a comprehension, this one's or one around it */
};

struct builder {
    struct python_tree *tree;
    struct scope *module;
    struct scope_index *index;
    struct place at;
    struct name *private_class; /* whose private names are mangled; NULL outside classes */
    struct name *super, *debug, *star;
    struct name *class_cells[3]; /* what methods see of their class: __class__, then others */
    bool late_annotations;       /* they are not evaluated where they stand */
    uint32_t future_line;
    size_t symbols;
};

/* ---- scope.c ---- */

/* Sets tree->error to a SyntaxError at a node. The compiler's columns count bytes, unlike the
 * parser's. Always -1. */
int scope_fail(struct python_tree *tree, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens a scope for a node; the answer is the place to return to. */
struct place scope_enter(struct builder *b, enum scope_kind kind, enum block_kind block,
                         const struct node *node);
void scope_leave(struct builder *b, struct place outside);

/* Notes what the text at a node does with a name. -1 when it may not. */
int scope_note(struct builder *b, struct scope *scope, struct name *name, unsigned flags,
               const struct node *at);
/* The same for the scope the walk is in. */
int scope_note_here(struct builder *b, struct name *name, unsigned flags, const struct node *at);
/* Remembers where a name was declared, for errors found later. */
void scope_note_directive(struct builder *b, struct name *name, const struct node *at);

/* ---- scope_walk.c, scope_expr.c ---- */

int scope_visit(struct builder *b, const struct node *n); /* NULL is fine */
int scope_visit_list(struct builder *b, struct node_list list);
int scope_visit_keywords(struct builder *b, struct node_list keywords);

typedef int scope_visitor(struct builder *b, const struct node *n);
/* By kind; NULL: only its children matter. */
extern scope_visitor *const scope_expression_visitors[N_COUNT];

scope_visitor scope_default_values; /* of arguments: in the scope around */
scope_visitor scope_params;         /* their names: inside */

/* Refuses __debug__ as a target, which Python does in this pass from 3.14 on. */
int scope_check_target(struct builder *b, const struct name *name, const struct node *at,
                       enum expr_context context);

/* ---- scope_resolve.c ---- */

int scope_resolve(struct builder *b);

#endif
