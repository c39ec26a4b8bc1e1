/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the families of rules share. Each rule looks at one item of the program;
 * patterns.c lists the rules for each kind of node.
 */
#ifndef GUARD_RULES_PARTS_H
#define GUARD_RULES_PARTS_H

#include "guard/check.h"
#include "policy/modules.h"

/* ---- help ---- */

static inline const struct node *parent_of(const struct check *c, const struct item *i)
{
    return c->program.items[i->parent].node;
}

const struct value *value_of(struct check *c, const struct node *n, const struct scope *scope);
/* True if the value of the item is called there: by a call or as a decorator. */
bool is_called(const struct check *c, const struct item *i);
/* True if the item is an annotation of a parameter, a result or a variable, or a part of one. */
bool in_annotation(const struct check *c, const struct item *i);
/* The item whose value this is: the item itself, or the choice (`a if x else b`) that it is part
 * of. */
const struct item *chosen(const struct check *c, const struct item *i);
/* True if a loop or another iteration encloses the item, in the same function. */
bool is_in_loop(const struct check *c, const struct item *i);
/* ", reached as o.system" if the program spells the path differently; otherwise "". */
const char *reached(struct check *c, const struct node *n, struct str path);
/* A path as users know it: without "builtins.". */
struct str shown(struct str path);
/* True if the policy allows the module by name, so that its import need not refuse. */
bool is_excused(const struct check *c, struct str module);

/* ---- families ---- */

typedef void rule_fn(struct check *c, const struct item *i);

rule_fn rules_use;       /* every use of a name of the library */
rule_fn rules_call;      /* calls whose arguments matter */
rule_fn rules_attribute; /* reading attributes by name, and changing them */
rule_fn rules_match;
rule_fn rules_escaped;   /* attributes of modules that are out of sight */
rule_fn rules_subscript; /* reading items by name, and changing them */
rule_fn rules_number;    /* results that are too large */
rule_fn rules_augmented;
rule_fn rules_starred; /* *endless */
rule_fn rules_text;    /* constants */
rule_fn rules_joined;  /* formatted strings */
rule_fn rules_limit;   /* the sizes that a builtin may return */
rule_fn rules_while;
rule_fn rules_for;
rule_fn rules_generator; /* in comprehensions */
rule_fn rules_function;  /* def */
rule_fn rules_import;    /* modules by family */
rule_fn rules_language;  /* features, names and attributes that the policy forbids */

/* ---- between them ---- */

/* Checks an attribute with that name, however it is reached. */
void attribute_by_name(struct check *c, const struct node *n, struct str attr, const char *how);
bool attribute_leads_behind(struct str attr);
/* Reports a module that the item passes to where the guard does not follow it. */
void handed_on(struct check *c, const struct item *i, const struct value *all);
/* The module that handed_on would report: one that the item passes on, or whose names it passes on;
 * "" if the guard can follow the item. */
struct str handed_module(struct check *c, const struct item *i, const struct value *all);
/* True if `space`, an expression in the item, is the program's own namespace (globals(), locals())
 * and holds a module that leads to powerful ones. */
bool own_space_leads(struct check *c, const struct item *i, const struct node *space);
/* Reports an attribute of a value that is out of sight, `from`, if hardly anything but a dangerous
 * module has it. */
void escaped_name(struct check *c, const struct node *n, const struct node *from,
                  const struct scope *scope, struct str attr);
/* Checks a look-up in globals() or another namespace. */
void space_lookup(struct check *c, const struct node *n, const struct value *v,
                  const struct value *key);
/* Checks a module that the program gets at n. */
void module_came(struct check *c, const struct node *n, struct str module, const char *how);
/* A format string: "{0.__class__}", widths. */
void format_text(struct check *c, const struct node *n, struct str s);
void percent_text(struct check *c, const struct node *n, struct str s);
/* Checks widths that are arguments: '%*d' and '{:{w}}'. */
void given_widths(struct check *c, const struct node *n, struct str s, const struct value *args,
                  char mark);
/* Checks a part of a path for the names of files with secrets. */
void path_part(struct check *c, const struct node *n, struct str s);
/* True if the code that the doctests run was checked, and its findings are reported. own_module:
 * the call runs all doctests of the program. */
bool doctest_is_read(struct check *c, const struct node *call, bool own_module);
/* True if all string annotations of the program were checked as code. */
bool annotations_are_read(struct check *c);
/* Reports __annotations__ if it is set or changed: by a name, an attribute or a string. */
void annotations_by_name(struct check *c, const struct item *i, struct str name);
/* Reports a name that is spelled in look-alike letters. */
void report_disguise(struct check *c, const struct node *n, struct str subject);
/* Checks a string that the program holds or puts together. */
void said_text(struct check *c, const struct node *n, struct str s);
/* Checks an expression that is iterated over: a range may be huge. */
void range_of(struct check *c, const struct node *iter, const struct scope *scope);
/* The number of items of a call of range(), if it is known; otherwise 0. */
double range_rounds(struct check *c, const struct node *call, const struct scope *scope);
/* False for an object of the program: its members are its own, wherever they came from. */
bool is_others(const struct value *object);
/* Reports that a thing of the library is changed: `how` is "replaced" or "deleted". */
void thing_changed(struct check *c, const struct node *n, const struct value *v, const char *how);

#endif
