/* SPDX-License-Identifier: Apache-2.0
 *
 * What a class says unpickling shall call: __reduce__ and __reduce_ex__.
 */
#include "guard/rules_parts.h"

enum { MAX_STATEMENTS = 32 };

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

static void answer(struct check *c, const struct node *value, const struct scope *scope)
{
    const struct value *v;

    if (value->kind != N_TUPLE || !value->elements.elts.n)
        return;
    v = value_of(c, value->elements.elts.at[0], scope);
    if (is_payload(v))
        found(c, RULE_REDUCE_PAYLOAD, value, STR("__reduce__"), "unpickling calls %s",
              check_source(c, value->elements.elts.at[0]));
}

void rules_function(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    struct str name = name_str(n->function.name);
    struct node_list body = n->function.body;
    struct span at = {n->line, n->column, n->line, n->column + 4 + (uint32_t)name.n};
    const struct scope *inner;

    if (!str_is(name, "__reduce__") && !str_is(name, "__reduce_ex__"))
        return;
    found_at(c, RULE_REDUCE_METHOD, &at, name, "%s is defined", name.p);
    inner = program_scope(&c->program, n);
    for (size_t k = 0; inner && k < body.n && k < MAX_STATEMENTS; k++) {
        if (body.at[k]->kind == N_RETURN && body.at[k]->value_of.value)
            answer(c, body.at[k]->value_of.value, inner);
    }
}
