/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that program.c, which keeps the knowledge about a program, shares with the files that
 * collect it, in the order of program_init.c.
 */
#ifndef PROGRAM_PROGRAM_PARTS_H
#define PROGRAM_PROGRAM_PARTS_H

#include "program/program.h"

void program_index_scopes(struct program *p);
void program_walk(struct program *p);
struct symbol_facts *program_facts(struct program *p);
/* The symbol's facts; creates them if there are none yet. */
struct symbol_facts *program_facts_of(struct program *p, struct symbol *s);
void program_add_binding(struct program *p, struct symbol_facts *facts, struct binding b);
/* Called after the walk, because they need all functions. */
void program_follow_calls(struct program *p);
void program_find_sure(struct program *p);

/* Returns the index of the new item. */
uint32_t program_add(struct program *p, const struct node *node, const struct scope *scope,
                     uint32_t parent);
void program_bind(struct program *p, const struct scope *scope, const struct name *name,
                  struct binding b);
/* Adds a value of a class's attribute; class_scope NULL: a method of any class. */
void program_bind_member(struct program *p, const struct scope *class_scope,
                         const struct name *name, struct binding b);
/* Binds the names in the patterns of a match statement. */
void program_bind_match(struct program *p, const struct scope *scope, const struct node *n);
void program_star(struct program *p, struct str module);

#endif
