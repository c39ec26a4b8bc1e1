/* SPDX-License-Identifier: Apache-2.0
 *
 * The meaning of each name: the scopes of a program, as in CPython's symbol table.
 */
#ifndef SYNTAX_SCOPE_H
#define SYNTAX_SCOPE_H

#include "syntax/source.h"

enum scope_kind {
    SCOPE_MODULE,
    SCOPE_CLASS,
    SCOPE_FUNCTION,      /* and lambdas */
    SCOPE_COMPREHENSION, /* and generator expressions */
    SCOPE_TYPE,          /* type parameters, type aliases, bounds (3.12) */
};

enum symbol_flag {
    SYMBOL_ASSIGNED = 1 << 0,
    SYMBOL_USED = 1 << 1,
    SYMBOL_PARAMETER = 1 << 2,
    SYMBOL_IMPORTED = 1 << 3,
    SYMBOL_ANNOTATED = 1 << 4,
    SYMBOL_GLOBAL = 1 << 5,   /* declared by `global` */
    SYMBOL_NONLOCAL = 1 << 6, /* declared by `nonlocal` */
    SYMBOL_DELETED = 1 << 7,
    SYMBOL_DEFINED = 1 << 8, /* by def or class */
};

/* As in CPython, a name of the module is HOME_LOCAL in the module itself. */
enum symbol_home { HOME_LOCAL, HOME_CELL, HOME_FREE, HOME_GLOBAL, HOME_BUILTIN };

struct symbol {
    struct name *name;
    unsigned flags;        /* enum symbol_flag; higher bits are in syntax/scope_parts.h */
    enum symbol_home home; /* HOME_BUILTIN: global, and nothing in the module binds it */
    struct scope *owner;   /* the scope that holds it: this one, an enclosing one, or the module */
    struct symbol *next;   /* the next symbol of the scope */
    void *user;            /* for a later pass over the scopes */
};

struct scope {
    enum scope_kind kind;
    const struct node *node; /* Module, FunctionDef, Lambda, ListComp, ClassDef, ... */
    struct scope *parent, *first_child, *next; /* children in the order of the text */
    struct symbol *symbols;
    bool star_import; /* it contains `from x import *`: any global may come from there */
    bool generator;   /* it contains `yield`, or is a generator expression */
    bool coroutine;   /* it is an `async def`, or contains `await` */
    /* (for look-ups in syntax/scope.c) */
    struct symbol **table;
    uint32_t table_size, count;
    uint8_t block; /* enum block_kind */
    struct symbol *last_symbol;
    struct scope *last_child;
    struct scope_index *index;
};

/* Makes the scopes of a parsed tree, in the tree's arena. NULL with tree->error if the program
 * breaks a rule about names (`nonlocal` at module level, a duplicate argument, ...). */
struct scope *scope_build(struct python_tree *tree);

/* The symbol of a name in a scope, or NULL. A private name in a class must already be mangled.
 */
struct symbol *scope_find(const struct scope *scope, const struct name *name);
/* The name as its class mangles it (`__x` in class A is `_A__x`); most names stay unchanged. */
struct name *scope_mangle(struct python_tree *tree, const struct scope *scope, struct name *name);
/* The scope that a node opens, among the children of `parent`; NULL if there is none. */
struct scope *scope_of(const struct scope *parent, const struct node *node);

#endif
