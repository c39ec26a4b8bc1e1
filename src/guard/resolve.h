/* SPDX-License-Identifier: Apache-2.0
 *
 * What a name or expression refers to. Seen through are: imports and their aliases, modules that
 * modules of the library have imported, names bound once or several times, unpacking, defaults,
 * class attributes, getattr and its relatives with names that fold.h can compute, namespaces as
 * dicts (globals(), vars(os), os.__dict__,
 * __builtins__, sys.modules), containers with constant subscripts, functions that only return
 * something, partial, attrgetter and methodcaller.
 *
 * Nothing here is exact: a name bound twice may be either, and what happens in between is not
 * followed. Work is bounded: depth per expression, one evaluation per symbol, and fuel for the
 * program.
 */
#ifndef GUARD_RESOLVE_H
#define GUARD_RESOLVE_H

#include "guard/fold.h"
#include "guard/program.h"

struct frame;
struct name_set;

struct resolver {
    struct program *p;
    struct resolver *outer; /* its names are used where the program binds none; NULL: none */
    const struct name_set *spelled; /* names that mean builtins whatever is bound to them */
    struct fold fold;
    struct arena scratch;           /* fold.arena */
    unsigned depth, symbols, calls; /* how deep it is in each */
    unsigned looked;           /* functions looked into for the expression that is asked about */
    const struct frame *frame; /* arguments of the functions being looked into */
    struct {
        const struct name *name;
        const struct value *value;
    } builtins[128]; /* a cache */
};

void resolver_init(struct resolver *r, struct program *p);
/* Works out what the program's variables stand for, in the order in which it binds them: of a long
 * chain of names for names, each link is then known when the next one needs it. */
void resolver_begin(struct resolver *r);
void resolver_done(struct resolver *r);
/* Empties the arena when it has grown: no value may be held that is not kept. */
void resolver_tidy(struct resolver *r);

const struct value *resolve(struct resolver *r, const struct node *n, const struct scope *scope);
/* What v.attr is, without looking at where that stands. */
const struct value *resolve_attribute(struct resolver *r, const struct value *v, struct str attr);
/* The module that `import name` gives, by its plain name ("posix" is "os"). */
const struct value *resolve_module(struct resolver *r, struct str name);

enum { RESOLVE_MAX_ARGS = 32 };

/* The arguments of a call, evaluated: *literal lists are spread out. */
struct arguments {
    struct fold_args list;
    const struct value *at[RESOLVE_MAX_ARGS];
    struct str names[RESOLVE_MAX_ARGS];
    bool whole; /* nothing was left out: too many, or * of something unknown */
};

void resolve_arguments(struct resolver *r, const struct node *call, const struct scope *scope,
                       struct arguments *ret);
/* The argument at that place or of that name; value_unknown when there is none. `at` may be -1. */
const struct value *argument_at(const struct arguments *args, int at, const char *name);

/* ---- between the files of this family ---- */

struct frame {
    const struct symbol *symbol;
    const struct value *value;
    const struct frame *next;
};

const struct value *resolve_call(struct resolver *r, const struct node *n,
                                 const struct scope *scope);
const struct value *resolve_comprehension(struct resolver *r, const struct node *n,
                                          const struct scope *scope);
const struct value *resolve_item(struct resolver *r, const struct value *v,
                                 const struct value *index);
/* What calling a value gives. */
const struct value *resolve_apply(struct resolver *r, const struct value *f,
                                  const struct arguments *args);
/* getattr(v, names), where the name may be one of several. */
const struct value *resolve_names(struct resolver *r, const struct value *v,
                                  const struct value *names);
/* What knows a library function; NULL for most. */
typedef const struct value *call_fn(struct resolver *r, const struct arguments *args);
call_fn *resolve_handler(struct str path);
/* The names of the program's module, and builtins behind them. */
const struct value *resolve_global(struct resolver *r, struct str name);
const struct value *resolve_symbol(struct resolver *r, const struct symbol *symbol);
/* What is assigned to an attribute; the facts may be NULL. */
const struct value *resolve_assigned(struct resolver *r, struct symbol_facts *facts);

/* What stands there as such (resolve_literal.c). */
const struct value *resolve_constant(struct resolver *r, const struct node *n);
const struct value *resolve_elements(struct resolver *r, struct node_list elts,
                                     const struct scope *scope);
const struct value *resolve_dict(struct resolver *r, const struct node *n,
                                 const struct scope *scope);
const struct value *resolve_joined(struct resolver *r, const struct node *n,
                                   const struct scope *scope);

/* What a pattern binds (resolve_match.c). */
const struct value *resolve_matched(struct resolver *r, const struct match_part *part,
                                    const struct scope *scope);

/* Objects and classes of the program (resolve_object.c). */
const struct value *resolve_member(struct resolver *r, const struct value *v, struct str attr);
/* v.name(args), where v's class has such a method; unknown for others. */
const struct value *resolve_special(struct resolver *r, const struct value *v, struct str name,
                                    const struct arguments *args);
/* What `with v as x` gives x. */
const struct value *resolve_entered(struct resolver *r, const struct value *v);
/* What is left after container[key] = v; without a key, after container.append(v). */
const struct value *resolve_inserted(struct resolver *r, const struct value *container,
                                     const struct value *key, const struct value *v);

#endif
