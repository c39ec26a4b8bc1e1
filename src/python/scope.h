/* SPDX-License-Identifier: Apache-2.0
 *
 * Which name means what: the scopes of a program, as CPython's symbol table has them.
 */
#ifndef PYTHON_SCOPE_H
#define PYTHON_SCOPE_H

#include "python/python.h"

enum scope_kind {
    SCOPE_MODULE,
    SCOPE_CLASS,
    SCOPE_FUNCTION,      /* lambdas too */
    SCOPE_COMPREHENSION, /* generator expressions too */
    SCOPE_TYPE,          /* type parameters, type aliases, bounds (3.12) */
};

enum symbol_flag {
    SYMBOL_ASSIGNED = 1 << 0,
    SYMBOL_USED = 1 << 1,
    SYMBOL_PARAMETER = 1 << 2,
    SYMBOL_IMPORTED = 1 << 3,
    SYMBOL_ANNOTATED = 1 << 4,
    SYMBOL_GLOBAL = 1 << 5,   /* declared */
    SYMBOL_NONLOCAL = 1 << 6, /* declared */
    SYMBOL_DELETED = 1 << 7,
    SYMBOL_DEFINED = 1 << 8, /* by def or class */
};

/* A name of the module, seen in the module itself, is HOME_LOCAL, as CPython has it. */
enum symbol_home { HOME_LOCAL, HOME_CELL, HOME_FREE, HOME_GLOBAL, HOME_BUILTIN };

struct symbol {
    struct name *name;
    unsigned flags;        /* enum symbol_flag; bits beyond are of src/python/scope_parts.h */
    enum symbol_home home; /* HOME_BUILTIN: global, and nothing in the module binds it */
    struct scope *owner;   /* where it lives: this scope, an enclosing one, or the module */
    struct symbol *next;   /* in its scope */
    void *user;            /* of a later walk over the scopes */
};

struct scope {
    enum scope_kind kind;
    const struct node *node; /* Module, FunctionDef, Lambda, ListComp, ClassDef, ... */
    struct scope *parent, *first_child, *next; /* children in the order of the text */
    struct symbol *symbols;
    bool star_import; /* `from x import *` stands in it: any global may come from there */
    bool generator;   /* `yield` stands in it, or it is a generator expression */
    bool coroutine;   /* `async def`, or `await` stands in it */
    /* (what src/python/scope.c keeps for look-ups) */
    struct symbol **table;
    uint32_t table_size, count;
    uint8_t block; /* enum block_kind */
    struct symbol *last_symbol;
    struct scope *last_child;
    struct scope_index *index;
};

/* The scopes of a tree that parsed, in its arena. NULL with tree->error when the program breaks
 * a rule about names (`nonlocal` at module level, a duplicate argument, ...). */
struct scope *scope_build(struct python_tree *tree);

/* The symbol for a name used in a scope (mangled already where a class does that), or NULL. */
struct symbol *scope_find(const struct scope *scope, const struct name *name);
/* The name as its class mangles it (`__x` in class A is `_A__x`); mostly itself. */
struct name *scope_mangle(struct python_tree *tree, const struct scope *scope, struct name *name);
/* The scope that a node opens, looked for among the children of `parent`; NULL when none. */
struct scope *scope_of(const struct scope *parent, const struct node *node);

#endif
