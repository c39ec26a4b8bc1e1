/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the steps that read a program.
 */
#include "program/program_parts.h"

void program_init(struct program *p, struct python_tree *tree, bool cell)
{
    *p =
        (struct program){.tree = tree, .module_scope = tree->scopes, .cell = cell, .catches = cell};
    program_index_scopes(p);
    program_walk(p);
    program_follow_calls(p);
    program_find_sure(p);
}

static bool is_given(struct str names, struct str name)
{
    struct str one;

    if (str_is(names, "*"))
        return true;
    while (str_next(&names, '\0', &one)) {
        if (str_eq(one, name))
            return true;
    }
    return false;
}

void program_give(struct program *p, struct str names)
{
    for (struct symbol_facts *f = names.n ? p->facts : NULL; f; f = f->next) {
        bool global = f->symbol && (!f->symbol->owner || f->symbol->owner == p->module_scope);
        if (global && is_given(names, name_str(f->symbol->name)))
            program_add_binding(p, f, (struct binding){.kind = BIND_OPAQUE});
    }
}
