/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of the program's own classes to which methods assign: `self.x = ...` in any method is
 * an additional value of x. This file also lists the methods of all classes by name, for calls on
 * objects about which nothing is known.
 */
#include "program/program_parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "syntax/lex.h"

struct member_slot {
    const struct scope *scope; /* of the class; NULL: methods of all classes */
    const struct name *name;   /* NULL: the slot is free */
    struct symbol_facts *facts;
};

static size_t program_members_slot_of(const struct program *p, const struct scope *scope,
                                      const struct name *name)
{
    size_t hash = ((uintptr_t)scope >> 4) * 31 + ((uintptr_t)name >> 4);
    size_t at = hash * 0x9E3779B97F4A7C15u >> 20 & (p->members_size - 1);

    while (p->members[at].name && (p->members[at].name != name || p->members[at].scope != scope))
        at = (at + 1) & (p->members_size - 1);
    return at;
}

static void program_members_grow(struct program *p)
{
    struct member_slot *old = p->members;
    size_t size = p->members_size;

    p->members_size = size ? size * 2 : 64;
    p->members = xcalloc(p->members_size, sizeof *p->members);
    for (size_t i = 0; i < size; i++) {
        if (old[i].name)
            p->members[program_members_slot_of(p, old[i].scope, old[i].name)] = old[i];
    }
    free(old);
}

void program_bind_member(struct program *p, const struct scope *class_scope,
                         const struct name *name, struct binding b)
{
    if (p->members_n * 2 >= p->members_size)
        program_members_grow(p);
    struct member_slot *slot = &p->members[program_members_slot_of(p, class_scope, name)];
    if (!slot->name) {
        *slot = (struct member_slot){class_scope, name, program_facts(p)};
        p->members_n++;
    }
    program_add_binding(p, slot->facts, b);
}

struct symbol_facts *program_assigned(const struct program *p, const struct scope *class_scope,
                                      struct str name)
{
    const struct name *known = p->members_n ? name_get(p->tree, name) : NULL;

    return known ? p->members[program_members_slot_of(p, class_scope, known)].facts : NULL;
}

const struct node *program_method(const struct program *p, const struct name *name)
{
    const struct symbol_facts *facts =
        p->members_n ? p->members[program_members_slot_of(p, NULL, name)].facts : NULL;

    return facts && facts->n == 1 ? facts->first->node : NULL;
}

static bool program_members_is_named(const struct node *n, const char *name)
{
    if (n->kind == N_ATTRIBUTE)
        return str_is(name_str(n->attribute.attr), name);
    return n->kind == N_NAME && str_is(name_str(n->name.id), name);
}

bool program_decorated(const struct node *def, const char *name)
{
    struct node_list list = {0};

    if (def->kind == N_FUNCTION_DEF || def->kind == N_ASYNC_FUNCTION_DEF)
        list = def->function.decorator_list;
    for (size_t i = 0; i < list.n; i++) {
        if (program_members_is_named(list.at[i], name))
            return true;
    }
    return false;
}
