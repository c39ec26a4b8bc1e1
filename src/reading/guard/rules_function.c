/* SPDX-License-Identifier: Apache-2.0
 *
 * The function that unpickling calls for a class: __reduce__ and __reduce_ex__.
 */
#include "guard/rules_parts.h"

enum { MAX_NODES = 500 };

static bool is_payload(const struct value *v)
{
    for (size_t i = 0; i < value_count(v); i++) {
        const struct value *one = value_at(v, i);
        const struct known_path *k = one->kind == VALUE_PATH ? module_path(one->text) : NULL;
        if (k && guard_rule(k->rule)->severity >= SEVERITY_HIGH)
            return true;
    }
    return false;
}

static void rules_function_answer(struct check *c, const struct node *value,
                                  const struct scope *scope)
{
    const struct value *v;

    if (value->kind != N_TUPLE || !value->elements.elts.n)
        return;
    v = value_of(c, value->elements.elts.at[0], scope);
    if (is_payload(v))
        found(c, RULE_REDUCE_PAYLOAD, value, STR("__reduce__"), "unpickling calls %s",
              check_source(c, value->elements.elts.at[0]));
}

struct answers {
    struct check *c;
    const struct scope *scope;
    unsigned seen;
};

static int each_return(void *ctx, struct node *n)
{
    struct answers *a = ctx;

    if (++a->seen > MAX_NODES || n->kind == N_FUNCTION_DEF || n->kind == N_LAMBDA)
        return 0;
    if (n->kind == N_RETURN && n->value_of.value)
        rules_function_answer(a->c, n->value_of.value, a->scope);
    return node_each_child(n, each_return, ctx);
}

/* __reduce__ = lambda self: (os.system, ("ls",)) */
static void by_lambda(struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i), *target;
    const struct scope *inner = program_scope(&c->program, i->node);

    if (up->kind != N_ASSIGN || !inner)
        return;
    target = up->assign.targets.at[0];
    if (target->kind == N_NAME && (str_is(name_str(target->name.id), "__reduce__") ||
                                   str_is(name_str(target->name.id), "__reduce_ex__")))
        rules_function_answer(c, i->node->lambda.body, inner);
}

static void by_def(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    struct str name = name_str(n->function.name);
    struct node_list body = n->function.body;
    struct span at = {n->line, n->column, n->line, n->column + 4 + (uint32_t)name.n};
    struct answers a = {.c = c};

    if (!str_is(name, "__reduce__") && !str_is(name, "__reduce_ex__"))
        return;
    found_at(c, RULE_REDUCE_METHOD, &at, name, "%s is defined", name.p);
    a.scope = program_scope(&c->program, n);
    for (size_t k = 0; a.scope && k < body.n; k++)
        (void)each_return(&a, body.at[k]);
}

void rules_function(struct check *c, const struct item *i)
{
    if (i->node->kind == N_LAMBDA)
        by_lambda(c, i);
    else
        by_def(c, i);
}
