/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the statements that certainly bind a name, whichever branches run.
 */
#include "program/program_sure.h"

static bool list_binds(struct node_list list, const struct name *name)
{
    for (size_t i = 0; i < list.n; i++) {
        if (statement_binds(list.at[i], name))
            return true;
    }
    return false;
}

bool target_binds(const struct node *n, const struct name *name)
{
    switch ((int)n->kind) {
    case N_NAME:
        return n->name.id == name;
    case N_STARRED:
        return target_binds(n->value_of.value, name);
    case N_NAMED_EXPR:
        return target_binds(n->named_expr.target, name);
    case N_TUPLE:
    case N_LIST:
        for (size_t i = 0; i < n->elements.elts.n; i++) {
            if (target_binds(n->elements.elts.at[i], name))
                return true;
        }
    }
    return false;
}

static bool any_pattern(struct node_list list, const struct name *name)
{
    for (size_t i = 0; i < list.n; i++) {
        if (pattern_binds(list.at[i], name))
            return true;
    }
    return false;
}

bool pattern_binds(const struct node *n, const struct name *name)
{
    bool all = true;

    switch ((int)n->kind) {
    case N_MATCH_AS:
    case N_MATCH_STAR:
        return n->match_as.name == name || (n->kind == N_MATCH_AS && n->match_as.pattern &&
                                            pattern_binds(n->match_as.pattern, name));
    case N_MATCH_SEQUENCE:
        return any_pattern(n->patterns_of.patterns, name);
    case N_MATCH_MAPPING:
        return n->match_mapping.rest == name || any_pattern(n->match_mapping.patterns, name);
    case N_MATCH_CLASS:
        return any_pattern(n->match_class.patterns, name) ||
               any_pattern(n->match_class.kwd_patterns, name);
    case N_MATCH_OR:
        for (size_t i = 0; i < n->patterns_of.patterns.n; i++)
            all &= pattern_binds(n->patterns_of.patterns.at[i], name);
        return all;
    }
    return false;
}

static bool import_binds(const struct node *n, const struct name *name)
{
    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        if ((alias->alias.asname ? alias->alias.asname : alias->alias.name) == name)
            return true;
    }
    return false;
}

/* The body may raise at once, so a handler can only rely on what was bound before. */
static bool try_binds(const struct node *n, const struct name *name)
{
    bool all = list_binds(n->try_stmt.body, name) || list_binds(n->try_stmt.orelse, name);

    for (size_t i = 0; i < n->try_stmt.handlers.n; i++)
        all &= list_binds(n->try_stmt.handlers.at[i]->handler.body, name);
    return all || list_binds(n->try_stmt.finalbody, name);
}

/* Only the first item certainly binds its name: a later one may raise, and the context manager may
 * suppress that. The body counts only for a single open(), because a file suppresses no
 * exceptions. */
static bool with_binds(const struct node *n, const struct name *name)
{
    const struct node *first = n->with_stmt.items.at[0];
    const struct node *as = first->with_item.optional_vars, *f = first->with_item.context_expr;

    if (as && as->kind == N_NAME && as->name.id == name)
        return true;
    bool file = n->with_stmt.items.n == 1 && f->kind == N_CALL && f->call.func->kind == N_NAME &&
                str_is(name_str(f->call.func->name.id), "open");
    return file && list_binds(n->with_stmt.body, name);
}

static bool match_binds(const struct node *n, const struct name *name)
{
    const struct node *c = NULL;

    for (size_t i = 0; i < n->match_stmt.cases.n; i++) {
        c = n->match_stmt.cases.at[i];
        if (!pattern_binds(c->match_case.pattern, name) && !list_binds(c->match_case.body, name))
            return false;
    }
    const struct node *last = c ? c->match_case.pattern : NULL;
    return last && !c->match_case.guard && last->kind == N_MATCH_AS && !last->match_as.pattern;
}

/* `while True:`: true if the name is bound before the first statement that may leave the loop. */
static bool while_binds(const struct node *n, const struct name *name)
{
    const struct node *test = n->branch.test;
    struct node_list body = n->branch.body;

    if (test->kind != N_CONSTANT || test->op != CONST_TRUE)
        return test->kind == N_NAMED_EXPR && target_binds(test, name);
    for (size_t i = 0; i < body.n; i++) {
        if (statement_binds(body.at[i], name))
            return true;
        if (body.at[i]->kind != N_ASSIGN && body.at[i]->kind != N_EXPR)
            break;
    }
    return false;
}

bool statement_binds(const struct node *n, const struct name *name)
{
    switch ((int)n->kind) {
    case N_ASSIGN:
        for (size_t i = 0; i < n->assign.targets.n; i++) {
            if (target_binds(n->assign.targets.at[i], name))
                return true;
        }
        return false;
    case N_ANN_ASSIGN:
        return n->ann_assign.value && target_binds(n->ann_assign.target, name);
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return n->function.name == name;
    case N_CLASS_DEF:
        return n->class_def.name == name;
    case N_IMPORT:
    case N_IMPORT_FROM:
        return import_binds(n, name);
    case N_IF:
        return (n->branch.test->kind == N_NAMED_EXPR && target_binds(n->branch.test, name)) ||
               (list_binds(n->branch.body, name) && list_binds(n->branch.orelse, name));
    case N_WHILE:
        return while_binds(n, name);
    case N_TRY:
    case N_TRY_STAR:
        return try_binds(n, name);
    case N_WITH:
    case N_ASYNC_WITH:
        return with_binds(n, name);
    case N_MATCH:
        return match_binds(n, name);
    }
    return false;
}
