/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that fall through: where the module has not bound `eval` yet, `eval` is the builtin, and
 * where a class body has not bound a name yet, it is the module's. (Variables of functions do
 * not: unbound ones raise.) For each use of such a name this finds out whether an assignment
 * certainly came first.
 *
 * program_sure.c knows the names and keeps the answers, program_flow.c goes through the text in
 * the order in which it runs.
 */
#ifndef GUARD_PROGRAM_SURE_H
#define GUARD_PROGRAM_SURE_H

#include "guard/program_parts.h"

/* A bit for each name that falls through. Names beyond that are never sure. */
typedef uint64_t bits;
enum { SURE_MAX_NAMES = 64 };

/* ---- between the two files ---- */

/* The bit of a name in a scope; 0 for those that do not fall through, or beyond the limit. */
bits sure_bit(const struct scope *scope, const struct name *name);
/* The bits of the names that a class body has for itself. */
bits sure_bits_of(const struct scope *class_scope);
/* One look at a use: it stays sure only as long as every look says so. */
void sure_say(struct program *p, const struct node *name, bool sure);

/* `never`: bits of names that the program deletes somewhere. `doors`: of those that what runs later
 * (functions, generators) cannot count on. */
void program_flow(struct program *p, bits never, bits doors);

/* What may call functions of the program behind its back (program_runs.c). */
bool runs_functions(const struct scope *scope, const struct node *n);
/* sum(x for x in y): nothing else runs before the generator has ended. */
bool drains_generator(const struct scope *scope, const struct node *n);

#endif
