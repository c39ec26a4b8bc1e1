/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which a program is looked at.
 */
#include "guard/program_parts.h"

void program_init(struct program *p, struct python_tree *tree, bool cell)
{
    *p =
        (struct program){.tree = tree, .module_scope = tree->scopes, .cell = cell, .catches = cell};
    program_index_scopes(p);
    program_walk(p);
    program_follow_calls(p);
    program_find_sure(p);
}
