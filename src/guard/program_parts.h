/* SPDX-License-Identifier: Apache-2.0
 *
 * Between program.c, which keeps what is known of a program, and the files that find it: in the
 * order of program_init.c.
 */
#ifndef GUARD_PROGRAM_PARTS_H
#define GUARD_PROGRAM_PARTS_H

#include "guard/program.h"

void program_index_scopes(struct program *p);
void program_walk(struct program *p);
struct symbol_facts *program_facts(struct program *p);
/* The symbol's, which begin here if it has none yet. */
struct symbol_facts *program_facts_of(struct program *p, struct symbol *s);
void program_add_binding(struct program *p, struct symbol_facts *facts, struct binding b);
/* After the walk, for it needs to know every function. */
void program_follow_calls(struct program *p);
void program_find_sure(struct program *p);

/* Returns the index of the new item. */
uint32_t program_add(struct program *p, const struct node *node, const struct scope *scope,
                     uint32_t parent);
void program_bind(struct program *p, const struct scope *scope, const struct name *name,
                  struct binding b);
/* A further value of a class's attribute; scope NULL: a method of any class. */
void program_bind_member(struct program *p, const struct scope *class_scope,
                         const struct name *name, struct binding b);
/* What a match statement binds. */
void program_bind_match(struct program *p, const struct scope *scope, const struct node *n);
void program_star(struct program *p, struct str module);

#endif
