/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as the guard's rules read it: an array of all nodes in the order of the text, each with
 * its parent and scope, and for each symbol the values that the program binds to it. One walk over
 * the tree makes this.
 */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "program/value.h"

enum binding_kind {
    BIND_VALUE,     /* to the value of .node */
    BIND_ITEM,      /* to item .index of .node */
    BIND_REST,      /* to a list of .node's items from .index on */
    BIND_EACH,      /* to each item of .node in turn */
    BIND_EACH_ITEM, /* to item .index of each item of .node */
    BIND_AUGMENT,   /* x += .node; .index is the operator */
    BIND_GROWN,     /* as BIND_AUGMENT, in a loop */
    BIND_INSERT,    /* x[.key] = .node; without .key x.append(.node) */
    BIND_ENTERED,   /* to the result of entering .node: `with node as x` */
    BIND_INSTANCE,  /* to an object of the class .node: a method's self */
    BIND_IMPORT,    /* to the module .module */
    BIND_FROM,      /* to .module's member .member */
    BIND_FUNCTION,  /* to the function .node */
    BIND_CLASS,
    BIND_MATCHED, /* to .part of a match's subject */
    BIND_CAUGHT,  /* to an exception */
    BIND_OPAQUE,  /* to something unknown */
};

/* The part of the outer pattern's value that a pattern matches: the subject itself, an item, all
 * items from .index on, an attribute, the value of a key, or a positional argument of a class (by
 * its __match_args__). */
struct match_part {
    enum { PART_SUBJECT, PART_ITEM, PART_REST, PART_ATTRIBUTE, PART_KEY, PART_ARGUMENT } kind;
    const struct match_part *of; /* the part that this is a part of; NULL for the subject */
    const struct node *node;     /* the subject, the key, the class */
    uint32_t index;
    struct str attribute;
};

struct binding {
    enum binding_kind kind;
    uint32_t index;
    const struct node *node, *key;
    const struct scope *scope;       /* where .node and .key are evaluated */
    const struct scope *class_scope; /* BIND_INSTANCE: the body of the class */
    struct str module, member;
    const struct match_part *part;
    struct binding *next;
};

/* The facts about a symbol in the scope that owns it, or about an attribute of a class.
 * symbol->user points to them. */
struct symbol_facts {
    struct binding *first, **end;
    uint32_t n;
    bool falls;   /* if the name may be unbound, it means an outer name or a builtin */
    bool deleted; /* by `del` somewhere, or at the end of an `except ... as` */
    enum { FACTS_NEW, FACTS_BUSY, FACTS_KNOWN } state;
    const struct value *value; /* if FACTS_KNOWN */
    struct symbol *symbol;     /* the symbol whose `user` this is; NULL for an attribute's */
    struct symbol_facts *next; /* the next symbol's */
};

struct item {
    const struct node *node;
    const struct scope *scope; /* in which the node is evaluated */
    uint32_t parent;           /* an index into items; the module is its own parent */
};

struct program {
    struct python_tree *tree;
    struct arena arena;
    struct symbol_facts *facts, *last_facts; /* all that symbols point to, as the text binds them */
    struct scope *module_scope;
    struct item *items;
    size_t n, room;
    struct scope_slot *scopes; /* from a node to the scope that it opens */
    size_t scopes_mask;
    struct member_slot *members; /* what methods assign to `self.x` */
    size_t members_n, members_size;
    struct str *stars; /* the modules of `from x import *` */
    size_t n_stars;
    bool cell;              /* a cell of a session: it may end early, and its functions may be
                               called later */
    bool catches;           /* the program may get exceptions that it did not create */
    bool class_hooks;       /* making a class may run functions of its bases */
    struct sure_slot *sure; /* the uses of names that are sure (program_sure.h) */
    size_t sure_n, sure_size;
    bool reflects; /* some code may change the program's names by strings: program_reflects */
};

enum { PROGRAM_MAX_BINDINGS = 24, PROGRAM_MAX_STARS = 16 };

/* Reads a tree in which python_check found no error. */
void program_init(struct program *p, struct python_tree *tree, bool cell);
/* The module's variables with these names (see guard_input.given) may also hold unknown values. */
void program_give(struct program *p, struct str names);
/* Restores the tree for another program_init. */
void program_done(struct program *p);

/* The scope that a def, lambda, class or comprehension opens; NULL for other nodes. */
const struct scope *program_scope(const struct program *p, const struct node *node);
/* The symbol that a name means in a scope, as the owning scope has it. NULL for builtins and for
 * unknown names; *ret_builtin is true for builtins. */
const struct symbol *program_symbol(const struct scope *scope, const struct name *name,
                                    bool *ret_builtin);
/* The symbol with that spelling that the scope itself binds or uses; NULL for builtins, and if
 * there is none. */
const struct symbol *program_member(const struct program *p, const struct scope *scope,
                                    struct str name);

/* True if a name is spelled like a builtin. */
bool program_falls(const struct name *name);
/* True if this use of a name that may fall through certainly comes after an assignment. */
bool program_is_sure(const struct program *p, const struct node *name);
/* True if the name of a builtin is certainly the module's own after the module has run to its
 * end. */
bool program_is_bound(const struct program *p, const struct symbol *symbol);

/* The name that the node deletes: `del x`, and the end of `except E as x`; else NULL. */
const struct name *program_deleted(const struct node *n);
/* True if the node may let strings change or delete the module's names. */
bool program_reflects(const struct item *i);

/* The values that are assigned to that attribute of the class's objects, outside of the class body;
 * NULL if there are none. */
struct symbol_facts *program_assigned(const struct program *p, const struct scope *class_scope,
                                      struct str name);
/* The def, if only one class of the program has a method with that name; otherwise NULL. */
const struct node *program_method(const struct program *p, const struct name *name);
/* True if a def has a decorator with that name: @x, @m.x. */
bool program_decorated(const struct node *def, const char *name);

static inline struct str name_str(const struct name *name)
{
    return (struct str){name->text, name->n};
}

static inline bool name_is_in(struct str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

#endif
