/* SPDX-License-Identifier: Apache-2.0
 *
 * The syntax tree. Kinds, fields and their order are CPython's (src/reading/syntax/nodes.def lists
 * them), so `node->call.func` is what `ast` calls Call.func. Nodes are made by the parser in one
 * arena and never change afterwards.
 *
 * A node is as large as its kind needs (node_types[kind].size): never copy a struct node, and touch
 * only the member of the union that belongs to its kind.
 *
 * No tree is higher than TREE_MAX_HEIGHT, so walking one may recurse.
 */
#ifndef SYNTAX_TREE_H
#define SYNTAX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { TREE_MAX_HEIGHT = 3000 };

enum node_kind {
#define NODE(kind, name, member, position) N_##kind,
#define FIELD(type, name, since)
#define END
#include "syntax/nodes.def"
#undef NODE
#undef FIELD
#undef END
    N_COUNT,
};

/* clang-format off */

/* An identifier, normalised as in Python (NFKC). Each spelling is one object in a tree, so compare
 * pointers. */
struct name {
    struct name *next;
    uint32_t hash, n;
    char text[]; /* NUL-terminated */
};

struct node;

struct node_list {
    struct node **at;
    size_t n;
};

struct name_list {
    struct name **at;
    size_t n;
};

enum expr_context { CTX_LOAD, CTX_STORE, CTX_DEL };

enum operator {
    OP_ADD, OP_SUB, OP_MULT, OP_MAT_MULT, OP_DIV, OP_MOD, OP_POW, OP_LSHIFT, OP_RSHIFT, OP_BIT_OR,
    OP_BIT_XOR, OP_BIT_AND, OP_FLOOR_DIV,
    OP_INVERT, OP_NOT, OP_UADD, OP_USUB,
    OP_AND, OP_OR,
    OP_EQ, OP_NOT_EQ, OP_LT, OP_LT_E, OP_GT, OP_GT_E, OP_IS, OP_IS_NOT, OP_IN, OP_NOT_IN,
    OP_COUNT,
};

enum constant_kind {
    CONST_NONE, CONST_FALSE, CONST_TRUE, CONST_ELLIPSIS,
    CONST_INT,     /* .integer */
    CONST_BIG_INT, /* .text: the literal without underscores: "0xff...", "123..." */
    CONST_FLOAT,   /* .real */
    CONST_COMPLEX, /* .real is the imaginary part */
    CONST_STR,     /* .text: UTF-8, which may contain lone surrogates and NUL */
    CONST_BYTES,   /* .text */
};

struct node {
    uint8_t kind;    /* enum node_kind */
    uint8_t op;      /* operator, context or constant kind, for kinds that have one */
    uint16_t height; /* 1 for a leaf */
    /* As in CPython: lines from 1, columns in bytes from 0. All 0 for kinds without a location. */
    uint32_t line, column, end_line, end_column;
    union {
        char none;
        struct { struct node_list body; } module;
        struct {
            struct name *name;
            struct node *args, *returns;
            struct node_list body, decorator_list, type_params;
        } function;
        struct {
            struct name *name;
            struct node_list bases, keywords, body, decorator_list, type_params;
        } class_def;
        struct { struct node *value; } value_of; /* NULL if it is optional and missing */
        struct { struct node_list targets; } delete_stmt;
        struct { struct node_list targets; struct node *value; } assign;
        struct { struct node *name, *value; struct node_list type_params; } type_alias;
        struct { struct node *target, *value; } aug_assign;
        struct { struct node *target, *annotation, *value; int32_t simple; } ann_assign;
        struct { struct node *target, *iter; struct node_list body, orelse; } for_stmt;
        struct { struct node *test; struct node_list body, orelse; } branch;
        struct { struct node_list items, body; } with_stmt;
        struct { struct node *subject; struct node_list cases; } match_stmt;
        struct { struct node *exc, *cause; } raise_stmt;
        struct { struct node_list body, handlers, orelse, finalbody; } try_stmt;
        struct { struct node *test, *msg; } assert_stmt;
        struct { struct name *module; struct node_list names; int32_t level; } import;
        struct { struct name_list names; } names_of;
        struct { struct node_list values; } bool_op;
        struct { struct node *target, *value; } named_expr;
        struct { struct node *left, *right; } bin_op;
        struct { struct node *operand; } unary_op;
        struct { struct node *args, *body; } lambda;
        struct { struct node *test, *body, *orelse; } if_exp;
        struct { struct node_list keys, values; } dict; /* a NULL key means ** */
        struct { struct node_list elts; } elements;
        struct { struct node *elt; struct node_list generators; } comp;
        struct { struct node *key, *value; struct node_list generators; } dict_comp;
        struct { struct node *left; const uint8_t *ops; struct node_list comparators; } compare;
        struct { struct node *func; struct node_list args, keywords; } call;
        struct { struct node *value, *format_spec; struct str str; int32_t conversion; } formatted;
        struct { struct node_list values; } joined;
        struct {
            struct str kind; /* "u" for u'...', else .p is NULL */
            union { int64_t integer; double real; struct str text; };
        } constant;
        struct { struct node *value; struct name *attr; } attribute;
        struct { struct node *value, *slice; } subscript;
        struct { struct name *id; } name;
        struct { struct node *lower, *upper, *step; } slice;
        struct { struct node *target, *iter; struct node_list ifs; int32_t is_async; } comprehension;
        struct { struct node *type; struct name *name; struct node_list body; } handler;
        struct {
            struct node_list posonlyargs, args, kwonlyargs, kw_defaults, defaults;
            struct node *vararg, *kwarg; /* a NULL in kw_defaults: no default */
        } arguments;
        struct { struct name *arg; struct node *annotation; } arg;
        struct { struct name *arg; struct node *value; } keyword; /* arg NULL means ** */
        struct { struct name *name, *asname; } alias;             /* name may be dotted, or "*" */
        struct { struct node *context_expr, *optional_vars; } with_item;
        struct { struct node *pattern, *guard; struct node_list body; } match_case;
        struct { struct node_list patterns; } patterns_of;
        struct { struct node_list keys, patterns; struct name *rest; } match_mapping;
        struct {
            struct node *cls;
            struct node_list patterns, kwd_patterns;
            struct name_list kwd_attrs;
        } match_class;
        struct { struct node *pattern; struct name *name; } match_as;
        struct { struct name *name; struct node *bound, *default_value; } type_param;
    };
};

/* ---- the table of kinds, for code that handles all nodes alike ---- */

enum field_type {
    FIELD_NODE,     /* struct node *, may be NULL */
    FIELD_LIST,     /* struct node_list */
    FIELD_HOLES,    /* struct node_list in which items may be NULL */
    FIELD_NAME,     /* struct name *, may be NULL */
    FIELD_NAMES,    /* struct name_list */
    FIELD_INT,      /* int32_t */
    FIELD_STR,      /* struct str */
    FIELD_CONSTANT, /* node->op and node->constant */
    FIELD_OP, FIELD_CTX,  /* node->op */
    FIELD_OPS,      /* node->compare.ops, as many as there are comparators */
    FIELD_EMPTY,    /* a list that is always empty, and not stored */
};

struct node_field {
    const char *name;
    uint8_t type;
    uint8_t since; /* the minor version of Python that first prints it */
    uint16_t offset;
};

struct node_type {
    const char *name;
    size_t size;
    bool position;
};

extern const struct node_type node_types[N_COUNT];
const struct node_field *node_fields(enum node_kind kind); /* ends with a NULL name */
extern const char *const operator_names[OP_COUNT]; /* "Add", ... */

/* A new node, zeroed except for its kind. */
struct node *node_new(struct arena *arena, enum node_kind kind);

/* The decorators of a def or class; empty for other nodes. */
struct node_list node_decorators(const struct node *n);

/* Calls fn for each child, in the order of CPython's ast.iter_child_nodes, until fn returns a value
 * other than 0. Returns that value, or 0. */
int node_each_child(const struct node *n, int (*fn)(void *ctx, struct node *child), void *ctx);

/* Appends the tree as text on one line: CPython's ast.dump(tree, include_attributes=True), or
 * without attributes, as Python 3.target prints it. -1 at the buffer's ceiling, or if a number is
 * too large for CPython to print. */
struct buf;
int tree_dump(const struct node *n, unsigned target, bool attributes, struct buf *ret);

#endif
