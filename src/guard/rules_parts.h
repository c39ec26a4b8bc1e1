/* SPDX-License-Identifier: Apache-2.0
 *
 * What the families of rules share. Each looks at one item of the program, of a kind that
 * patterns.c lists for it.
 */
#ifndef GUARD_RULES_PARTS_H
#define GUARD_RULES_PARTS_H

#include "guard/check.h"
#include "guard/modules.h"

/* ---- help ---- */

static inline const struct node *parent_of(const struct check *c, const struct item *i)
{
    return c->program.items[i->parent].node;
}

const struct value *value_of(struct check *c, const struct node *n, const struct scope *scope);
/* Whether what the item gives is called there: by a call or as a decorator. */
bool is_called(const struct check *c, const struct item *i);
/* What the value of the item goes into: the item itself, or the choice that it is one of. */
const struct item *chosen(const struct check *c, const struct item *i);
/* Whether an iteration, as of a loop, stands around it in the same function. */
bool is_in_loop(const struct check *c, const struct item *i);
/* ", reached as o.system" when the program does not spell it that way; else "". */
const char *reached(struct check *c, const struct node *n, struct str path);
/* A path as people know it: without "builtins.". */
struct str shown(struct str path);
/* Whether a module is allowed by name in the policy, so that its import is no news. */
bool is_excused(const struct check *c, struct str module);

/* ---- families ---- */

typedef void rule_fn(struct check *c, const struct item *i);

rule_fn rules_use;       /* whatever stands for a thing of the library */
rule_fn rules_call;      /* calls whose arguments matter */
rule_fn rules_attribute; /* attributes by name, and changing them */
rule_fn rules_match;
rule_fn rules_escaped;   /* attributes of modules that are out of sight */
rule_fn rules_subscript; /* items by name, and changing them */
rule_fn rules_number;    /* results too large */
rule_fn rules_augmented;
rule_fn rules_starred; /* *endless */
rule_fn rules_text;    /* constants */
rule_fn rules_joined;  /* formatted strings */
rule_fn rules_limit;   /* how much a builtin may give */
rule_fn rules_while;
rule_fn rules_for;
rule_fn rules_generator; /* in comprehensions */
rule_fn rules_function;  /* def */
rule_fn rules_import;    /* modules by family */
rule_fn rules_language;  /* features, names and attributes that the policy forbids */

/* ---- between them ---- */

/* An attribute of that name, however it is reached. */
void attribute_by_name(struct check *c, const struct node *n, struct str attr, const char *how);
bool attribute_leads_behind(struct str attr);
/* Reports a module that the item hands on to where it is not followed. */
void handed_on(struct check *c, const struct item *i, const struct value *all);
/* That module, or what is gone through of its names; empty for what stays in sight. */
struct str handed_module(struct check *c, const struct item *i, const struct value *all);
/* Whether a module that leads to powerful ones is a variable in the program's own namespace that an
 * expression of the item is: globals(), locals(). */
bool own_space_leads(struct check *c, const struct item *i, const struct node *space);
/* The attribute of something out of sight, `from`, where few things but a dangerous module have it.
 */
void escaped_name(struct check *c, const struct node *n, const struct node *from,
                  const struct scope *scope, struct str attr);
/* A look-up in globals() or another namespace. */
void space_lookup(struct check *c, const struct node *n, const struct value *v,
                  const struct value *key);
/* A module that comes into the program at n. */
void module_came(struct check *c, const struct node *n, struct str module, const char *how);
/* A format string: "{0.__class__}", widths. */
void format_text(struct check *c, const struct node *n, struct str s);
void percent_text(struct check *c, const struct node *n, struct str s);
/* Widths that are arguments: '%*d' and '{:{w}}'. */
void given_widths(struct check *c, const struct node *n, struct str s, const struct value *args,
                  char mark);
/* Names of files with secrets, as parts of a path. */
void path_part(struct check *c, const struct node *n, struct str s);
/* Whether the code that the doctests run was read, and its findings reported; own_module: those of
 * all the program. */
bool doctest_is_read(struct check *c, const struct node *call, bool own_module);
/* A name spelled in letters that only look like it. */
void report_disguise(struct check *c, const struct node *n, struct str subject);
/* Any text that the program holds or puts together. */
void said_text(struct check *c, const struct node *n, struct str s);
/* What goes round over an expression: a range may be huge. */
void range_of(struct check *c, const struct node *iter, const struct scope *scope);
/* How many items a call of range() has, as far as that is known; else 0. */
double range_rounds(struct check *c, const struct node *call, const struct scope *scope);
/* False for an object of the program: what it holds under a name is its own, wherever it came from.
 */
bool is_others(const struct value *object);
/* What changes a thing: `how` is "replaced" or "deleted". */
void thing_changed(struct check *c, const struct node *n, const struct value *v, const char *how);

#endif
