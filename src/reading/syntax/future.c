/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/future.h"

#include <string.h>

#include "base/mem.h"
#include "syntax/scope_parts.h"

static const char *const features[] = {
    "nested_scopes",  "generators",       "division",       "absolute_import", "with_statement",
    "print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop",  "annotations",
};

static bool is_feature(const struct name *name)
{
    for (size_t i = 0; i < ARRAY_LEN(features); i++)
        if (!strcmp(name->text, features[i]))
            return true;
    return false;
}

/* Until 3.13 such an error is at the statement, without an end. */
static int future_fail(struct python_tree *tree, const struct node *statement,
                       const struct node *alias, const char *message)
{
    if (tree->target >= 14)
        return scope_fail(tree, alias, "%s", message);
    (void)scope_fail(tree, statement, "%s", message);
    tree->error.end_line = statement->line;
    tree->error.end_column = 0;
    return -1;
}

static int read_features(struct python_tree *tree, const struct node *statement, struct future *ret)
{
    struct node_list names = statement->import.names;

    for (size_t i = 0; i < names.n; i++) {
        const struct name *name = names.at[i]->alias.name;
        if (!strcmp(name->text, "braces"))
            return future_fail(tree, statement, names.at[i], "not a chance");
        if (!is_feature(name))
            return future_fail(
                tree, statement, names.at[i],
                arena_printf(&tree->arena, "future feature %.100s is not defined", name->text));
        if (!strcmp(name->text, "annotations"))
            ret->annotations = true;
    }
    ret->line = statement->line;
    return 0;
}

static int late_fail(struct python_tree *tree, const struct node *statement)
{
    (void)scope_fail(tree, statement,
                     "from __future__ imports must occur at the beginning of the file");
    if (tree->target == 11) {
        tree->error.column = (int32_t)statement->column;
        tree->error.end_line = statement->line;
        tree->error.end_column = 0;
    }
    return -1;
}

static bool is_docstring(const struct node *statement)
{
    if (statement->kind != N_EXPR)
        return false;
    const struct node *value = statement->value_of.value;
    return value->kind == N_CONSTANT && value->op == CONST_STR;
}

static bool is_future_import(const struct node *statement)
{
    return statement->kind == N_IMPORT_FROM && statement->import.module &&
           !strcmp(statement->import.module->text, "__future__");
}

/* Reads the imports at the top. Late ones on other lines are found by scope_walk.c and
 * check_stmt.c. */
int future_read(struct python_tree *tree, struct future *ret)
{
    struct node_list body = tree->module->module.body;
    size_t i = body.n && is_docstring(body.at[0]) ? 1 : 0;
    bool over = false;
    uint32_t line = 0;

    *ret = (struct future){0};
    for (; i < body.n && !(over && body.at[i]->line > line); i++) {
        line = body.at[i]->line;
        if (!is_future_import(body.at[i]))
            over = true;
        else if (over)
            return late_fail(tree, body.at[i]);
        else if (read_features(tree, body.at[i], ret) < 0)
            return -1;
    }
    return 0;
}

int future_check(struct python_tree *tree)
{
    struct future ignored;

    return future_read(tree, &ignored);
}
