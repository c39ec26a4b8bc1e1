/* SPDX-License-Identifier: Apache-2.0
 *
 * What a name or expression refers to. The resolver follows imports and their aliases, modules that
 * library modules have imported, names bound once or several times, unpacking, defaults, class
 * attributes, getattr and similar functions with names that fold.h can compute, namespaces as dicts
 * (globals(), vars(os), os.__dict__, __builtins__, sys.modules), containers with constant
 * subscripts, functions that only return something, partial, attrgetter and methodcaller.
 *
 * The result is not exact: a name bound twice may have either value, and the resolver does not
 * follow the order of execution. Work is bounded: depth per expression, one evaluation per symbol,
 * and fuel for the program.
 */
#ifndef PROGRAM_RESOLVE_H
#define PROGRAM_RESOLVE_H

#include "program/fold.h"
#include "program/program.h"

struct frame;
struct name_set;

struct resolver {
    struct program *p;
    struct resolver *outer; /* its names are used if the program does not bind them; NULL: none */
    const struct name_set *spelled; /* names that mean builtins, whatever the program binds to
                                       them */
    struct fold fold;
    struct arena scratch;           /* fold.arena */
    unsigned depth, symbols, calls; /* the current depth of each */
    unsigned looked;                /* functions followed for the current expression */
    const struct frame *frame;      /* arguments of the functions that are followed */
    struct {
        const struct name *name;
        const struct value *value;
    } builtins[128]; /* a cache */
};

void resolver_init(struct resolver *r, struct program *p);
/* Evaluates the program's variables in the order in which it binds them: in a long chain of names
 * bound to names, each value is then known when the next one needs it. */
void resolver_begin(struct resolver *r);
void resolver_done(struct resolver *r);
/* Empties the arena if it has grown. The caller may not hold values that are not kept
 * (value_keep). */
void resolver_tidy(struct resolver *r);

const struct value *resolve(struct resolver *r, const struct node *n, const struct scope *scope);
/* The value of v.attr, whatever the scope. */
const struct value *resolve_attribute(struct resolver *r, const struct value *v, struct str attr);
/* The value of `import name`, by the module's usual name ("os" for "posix"). */
const struct value *resolve_module(struct resolver *r, struct str name);

enum { RESOLVE_MAX_ARGS = 32 };

/* The evaluated arguments of a call; the items of *list are separate arguments. */
struct arguments {
    struct fold_args list;
    const struct value *at[RESOLVE_MAX_ARGS];
    struct str names[RESOLVE_MAX_ARGS];
    bool whole; /* false if arguments are missing: there were too many, or * of something unknown */
};

void resolve_arguments(struct resolver *r, const struct node *call, const struct scope *scope,
                       struct arguments *ret);
/* The argument at that position (-1: none) or with that name; value_unknown if there is none. */
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
/* The result of calling a value. */
const struct value *resolve_apply(struct resolver *r, const struct value *f,
                                  const struct arguments *args);
/* getattr(v, names); `names` may be one of several names. */
const struct value *resolve_names(struct resolver *r, const struct value *v,
                                  const struct value *names);
/* The handler for a library function; NULL for most functions. */
typedef const struct value *call_fn(struct resolver *r, const struct arguments *args);
call_fn *resolve_handler(struct str path);
/* A name of the program's module, otherwise a builtin. */
const struct value *resolve_global(struct resolver *r, struct str name);
const struct value *resolve_symbol(struct resolver *r, const struct symbol *symbol);
/* The values assigned to an attribute; `facts` may be NULL. */
const struct value *resolve_assigned(struct resolver *r, struct symbol_facts *facts);

/* Literals (resolve_literal.c). */
const struct value *resolve_constant(struct resolver *r, const struct node *n);
const struct value *resolve_elements(struct resolver *r, struct node_list elts,
                                     const struct scope *scope);
const struct value *resolve_dict(struct resolver *r, const struct node *n,
                                 const struct scope *scope);
const struct value *resolve_joined(struct resolver *r, const struct node *n,
                                   const struct scope *scope);

/* The value that a pattern binds (resolve_match.c). */
const struct value *resolve_matched(struct resolver *r, const struct match_part *part,
                                    const struct scope *scope);

/* Objects and classes of the program (resolve_object.c). */
const struct value *resolve_member(struct resolver *r, const struct value *v, struct str attr);
/* v.name(args), if v's class has such a method; otherwise unknown. */
const struct value *resolve_special(struct resolver *r, const struct value *v, struct str name,
                                    const struct arguments *args);
/* The value of x in `with v as x`. */
const struct value *resolve_entered(struct resolver *r, const struct value *v);
/* The container after container[key] = v; without a key, after container.append(v). */
const struct value *resolve_inserted(struct resolver *r, const struct value *container,
                                     const struct value *key, const struct value *v);

#endif
