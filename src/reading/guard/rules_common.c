/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "guard/rules_parts.h"

const struct value *value_of(struct check *c, const struct node *n, const struct scope *scope)
{
    return resolve(&c->resolver, n, scope);
}

static bool decorates(const struct node *def, const struct node *n)
{
    struct node_list list = node_decorators(def);

    for (size_t i = 0; i < list.n; i++) {
        if (list.at[i] == n)
            return true;
    }
    return false;
}

/* True if n is one of the possible values of the expression `up`: (exec if x else print)("1"). */
static bool is_choice_of(const struct node *up, const struct node *n)
{
    return (up->kind == N_IF_EXP && up->if_exp.test != n) || up->kind == N_BOOL_OP ||
           (up->kind == N_NAMED_EXPR && up->named_expr.value == n);
}

const struct item *chosen(const struct check *c, const struct item *i)
{
    while (is_choice_of(parent_of(c, i), i->node))
        i = &c->program.items[i->parent];
    return i;
}

bool is_called(const struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i = chosen(c, i));

    if (up->kind == N_CALL)
        return up->call.func == i->node;
    return decorates(up, i->node);
}

static bool annotates(const struct node *up, const struct node *n)
{
    bool function = up->kind == N_FUNCTION_DEF || up->kind == N_ASYNC_FUNCTION_DEF;

    return up->kind == N_ARG || (up->kind == N_ANN_ASSIGN && up->ann_assign.annotation == n) ||
           (function && up->function.returns == n);
}

bool in_annotation(const struct check *c, const struct item *i)
{
    for (; parent_of(c, i) != i->node; i = &c->program.items[i->parent])
        if (annotates(parent_of(c, i), i->node))
            return true;
    return false;
}

static bool ends_scope(const struct node *n)
{
    return n->kind == N_FUNCTION_DEF || n->kind == N_ASYNC_FUNCTION_DEF || n->kind == N_LAMBDA ||
           n->kind == N_MODULE;
}

bool is_in_loop(const struct check *c, const struct item *i)
{
    for (; !ends_scope(i->node); i = &c->program.items[i->parent]) {
        int kind = i->node->kind;
        if (kind == N_FOR || kind == N_WHILE || kind == N_LIST_COMP || kind == N_SET_COMP)
            return true;
    }
    return false;
}

struct str shown(struct str path)
{
    return str_starts(path, "builtins.") ? str_slice(path, strlen("builtins."), path.n) : path;
}

const char *reached(struct check *c, const struct node *n, struct str path)
{
    const char *source;

    if (n->kind == N_ALIAS)
        return "";
    source = check_source(c, n);
    if (str_is(shown(path), source) || !source[0])
        return "";
    return arena_printf(&c->arena, ", reached as %s", source);
}

bool is_excused(const struct check *c, struct str module)
{
    return !name_set_has(&c->policy->allowed_imports, STR("*")) &&
           policy_names_import(c->policy, module);
}
