/* SPDX-License-Identifier: Apache-2.0 */
#include "python/check.h"

#include <string.h>

#include "base/mem.h"
#include "python/check_parts.h"
#include "syntax/lex.h"

/* ---- units ---- */

void unit_begin(struct checker *c, struct unit *unit, const struct node *n)
{
    *unit = (struct unit){.scope = scope_of(c->unit->scope, n), .outer = c->unit};
    c->unit = unit;
}

void unit_end(struct checker *c)
{
    c->unit = c->unit->outer;
}

bool unit_is_function(const struct unit *unit)
{
    return unit->scope->kind == SCOPE_FUNCTION || unit->scope->kind == SCOPE_COMPREHENSION;
}

bool unit_is_async(const struct unit *unit)
{
    return unit->scope->node->kind == N_ASYNC_FUNCTION_DEF && unit->scope->kind == SCOPE_FUNCTION;
}

bool unit_may_await(const struct checker *c)
{
    return unit_is_async(c->unit) || (c->tree->top_await && c->unit->scope->kind == SCOPE_MODULE);
}

/* ---- names ---- */

int check_target(struct checker *c, const struct name *name, enum expr_context context,
                 const struct node *at)
{
    if (name != c->debug || context == CTX_LOAD)
        return 0;
    return scope_fail(c->tree, at, "cannot %s __debug__",
                      context == CTX_DEL ? "delete" : "assign to");
}

static bool few_names_repeat(struct name *const *names, size_t n, size_t *ret_first,
                             size_t *ret_again)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (names[i] && names[i] == names[j]) {
                *ret_first = i;
                *ret_again = j;
                return true;
            }
    return false;
}

enum { FEW_NAMES = 24 };

/* Walks from the end, so that the table holds, for each name, the index of its next occurrence. */
bool names_repeat(struct name *const *names, size_t n, size_t *ret_first, size_t *ret_again)
{
    bool found = false;
    size_t size = 64;

    if (n <= FEW_NAMES)
        return few_names_repeat(names, n, ret_first, ret_again);
    while (size < 2 * n)
        size *= 2;
    AUTO_FREE size_t *table = xcalloc(size, sizeof *table); /* index + 1 */
    for (size_t i = n; i-- > 0;) {
        if (!names[i])
            continue;
        size_t slot = names[i]->hash & (size - 1);
        while (table[slot] && names[table[slot] - 1] != names[i])
            slot = (slot + 1) & (size - 1);
        if (table[slot]) {
            *ret_first = i;
            *ret_again = table[slot] - 1;
            found = true;
        }
        table[slot] = i + 1;
    }
    return found;
}

/* ---- shared by functions, lambdas, calls and classes ---- */

static int check_parameter(struct checker *c, const struct node *arg, const struct node *owner)
{
    if (!arg)
        return 0;
    return check_target(c, arg->arg.arg, CTX_STORE, c->tree->target > 11 ? arg : owner);
}

static int check_parameter_list(struct checker *c, struct node_list args, const struct node *owner)
{
    for (size_t i = 0; i < args.n; i++)
        if (check_parameter(c, args.at[i], owner) < 0)
            return -1;
    return 0;
}

int check_parameters(struct checker *c, const struct node *args, const struct node *owner)
{
    if (check_parameter_list(c, args->arguments.posonlyargs, owner) < 0 ||
        check_parameter_list(c, args->arguments.args, owner) < 0 ||
        check_parameter(c, args->arguments.vararg, owner) < 0 ||
        check_parameter_list(c, args->arguments.kwonlyargs, owner) < 0)
        return -1;
    return check_parameter(c, args->arguments.kwarg, owner);
}

int check_default_values(struct checker *c, const struct node *args)
{
    if (check_expressions(c, args->arguments.defaults) < 0)
        return -1;
    return check_expressions(c, args->arguments.kw_defaults);
}

/* Reports the first error among keywords: __debug__, or a repeated name. */
static int check_keyword_names(struct checker *c, struct node_list keywords, size_t first,
                               size_t again, const struct node *owner)
{
    for (size_t i = 0; i < keywords.n && i <= first; i++) {
        const struct node *keyword = keywords.at[i];
        if (check_target(c, keyword->keyword.arg, CTX_STORE,
                         c->tree->target > 11 ? keyword : owner) < 0)
            return -1;
    }
    if (first == SIZE_MAX)
        return 0;
    return scope_fail(c->tree, keywords.at[again], "keyword argument repeated: %s",
                      keywords.at[first]->keyword.arg->text);
}

int check_keywords(struct checker *c, struct node_list keywords, const struct node *owner)
{
    struct name *few[FEW_NAMES];
    size_t first = SIZE_MAX, again = 0;

    if (!keywords.n)
        return 0;
    AUTO_FREE struct name **many =
        keywords.n > FEW_NAMES ? xcalloc(keywords.n, sizeof *many) : NULL;
    struct name **names = many ? many : few;
    for (size_t i = 0; i < keywords.n; i++)
        names[i] = keywords.at[i]->keyword.arg;
    (void)names_repeat(names, keywords.n, &first, &again);
    return check_keyword_names(c, keywords, first, again, owner);
}

int check_places(struct python_tree *tree, struct scope *module_scope)
{
    struct open_block open[MAX_OPEN_BLOCKS];
    struct unit unit = {.scope = module_scope, .open = open};
    struct checker c = {
        .tree = tree, .unit = &unit, .debug = name_get_plain(tree, STR("__debug__"))};

    if (future_read(tree, &c.future) < 0)
        return -1;
    return check_statements(&c, tree->module->module.body);
}
