/* SPDX-License-Identifier: Apache-2.0
 *
 * A program laid out for the guard: every node in the order of the text with its parent and scope,
 * and for each symbol what the program binds to it. One walk makes it; the rules then go through
 * an array.
 */
#ifndef GUARD_PROGRAM_H
#define GUARD_PROGRAM_H

#include "guard/value.h"

enum binding_kind {
    BIND_VALUE,     /* to the value of the node */
    BIND_ITEM,      /* to item .index of it */
    BIND_REST,      /* to a list of the items from .index on */
    BIND_EACH,      /* to each of its items in turn */
    BIND_EACH_ITEM, /* to item .index of each of its items */
    BIND_AUGMENT,   /* x += node, .index is the operator */
    BIND_GROWN,     /* the same in a loop */
    BIND_INSERT,    /* x[.key] = node; without a key x.append(node) */
    BIND_ENTERED,   /* to what entering node gives: `with node as x` */
    BIND_INSTANCE,  /* to an object of the class .node: a method's self */
    BIND_IMPORT,    /* to the module .module */
    BIND_FROM,      /* to .module's member .member */
    BIND_FUNCTION,  /* to the node itself */
    BIND_CLASS,
    BIND_MATCHED, /* to the part of a match's subject that .part says */
    BIND_CAUGHT,  /* to an exception */
    BIND_OPAQUE,  /* to something unknown */
};

/* What a pattern takes out of what the one around it has: the subject itself, an item, all from an
 * item on, an attribute, what lies under a key, what a class's __match_args__ say. */
struct match_part {
    enum { PART_SUBJECT, PART_ITEM, PART_REST, PART_ATTRIBUTE, PART_KEY, PART_ARGUMENT } kind;
    const struct match_part *of; /* NULL for the subject */
    const struct node *node;     /* the subject, the key, the class */
    uint32_t index;
    struct str attribute;
};

struct binding {
    enum binding_kind kind;
    uint32_t index;
    const struct node *node, *key;
    const struct scope *scope;       /* where they are evaluated */
    const struct scope *class_scope; /* BIND_INSTANCE: the body of the class */
    struct str module, member;
    const struct match_part *part;
    struct binding *next;
};

/* What symbol->user points to, for symbols in the scope that owns them; of members too. */
struct symbol_facts {
    struct binding *first, **end;
    uint32_t n;
    bool falls;  /* where it is not bound, the name stands for what an outer one or a builtin is */
    uint8_t bit; /* of program_sure.h */
    enum { FACTS_NEW, FACTS_BUSY, FACTS_KNOWN } state;
    const struct value *value; /* once known */
    struct symbol *symbol;     /* whose `user` it is; NULL for a member's */
    struct symbol_facts *next; /* of another symbol */
};

struct item {
    const struct node *node;
    const struct scope *scope; /* in which the node is evaluated */
    uint32_t parent;           /* an index; the module's is itself */
};

struct program {
    struct python_tree *tree;
    struct arena arena;
    struct symbol_facts *facts, *last_facts; /* all that symbols point to, as the text binds them */
    struct scope *module_scope;
    struct item *items;
    size_t n, room;
    struct scope_slot *scopes; /* node to the scope it opens */
    size_t scopes_mask;
    struct member_slot *members; /* what methods assign to `self.x` */
    size_t members_n, members_size;
    struct str *stars; /* the modules of `from x import *` */
    size_t n_stars;
    bool cell;              /* of a session: it may end early, and its functions are called later */
    bool catches;           /* exceptions that it did not make may come into its hands */
    bool class_hooks;       /* making a class may run functions of its bases */
    struct sure_slot *sure; /* uses of names that fall through */
    size_t sure_n, sure_size;
    uint64_t sure_end; /* names that are bound when the module has run, see program_is_bound */
};

enum { PROGRAM_MAX_BINDINGS = 24, PROGRAM_MAX_STARS = 16 };

/* Lays out a tree that python_check was content with. */
void program_init(struct program *p, struct python_tree *tree, bool cell);
/* Leaves the tree as it was, for another program_init. */
void program_done(struct program *p);

/* The scope that a def, lambda, class or comprehension opens; NULL for others. */
const struct scope *program_scope(const struct program *p, const struct node *node);
/* The symbol that a name means in a scope, in the scope that owns it; NULL for builtins and for
 * names nothing is known of. *ret_builtin says which. */
const struct symbol *program_symbol(const struct scope *scope, const struct name *name,
                                    bool *ret_builtin);
/* What that scope itself binds or uses by that spelling; NULL for builtins and when nothing. */
const struct symbol *program_member(const struct program *p, const struct scope *scope,
                                    struct str name);

/* Whether a name is spelled like a builtin. */
bool program_falls(const struct name *name);
/* Whether a use of a name that falls through certainly comes after an assignment. */
bool program_is_sure(const struct program *p, const struct node *name);
/* Whether a name of a builtin is certainly the module's own when it has run to its end. */
bool program_is_bound(const struct program *p, const struct symbol *symbol);

/* Whether it is something through which the module's names can be changed or deleted by texts. */
bool program_reflects(const struct item *i);

/* What is assigned to that attribute of a class's objects, outside of its body; NULL for nothing.
 */
struct symbol_facts *program_assigned(const struct program *p, const struct scope *class_scope,
                                      struct str name);
/* The def, where only one class of the program has a method of that name; else NULL. */
const struct node *program_method(const struct program *p, const struct name *name);
/* Whether a def stands under a decorator of that name: @x, @m.x. */
bool program_decorated(const struct node *def, const char *name);

static inline struct str name_str(const struct name *name)
{
    return (struct str){name->text, name->n};
}

#endif
