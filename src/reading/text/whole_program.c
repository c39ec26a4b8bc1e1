/* SPDX-License-Identifier: Apache-2.0 */
#include "text/whole_program.h"

#include "python/python.h"

enum { MEMORY_MAX = 256 << 20 };

static bool does_something(const struct node *statement)
{
    switch (statement->kind) {
    case N_EXPR:
        return statement->value_of.value->kind == N_CALL ||
               statement->value_of.value->kind == N_AWAIT;
    case N_ANN_ASSIGN:
        return statement->ann_assign.value;
    default:
        return statement->kind != N_PASS;
    }
}

bool whole_python(struct str text)
{
    const struct python_options options = {.memory_limit = MEMORY_MAX};
    struct python_tree tree;
    bool does = false;

    if (python_parse(text, &options, &tree) == 0)
        for (size_t i = 0; i < tree.module->module.body.n; i++)
            does = does || does_something(tree.module->module.body.at[i]);
    python_tree_done(&tree);
    return does;
}
