/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks expressions, in the order in which CPython generates code for them.
 */
#include <limits.h>

#include "python/check_parts.h"

int check_expressions(struct checker *c, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++)
        if (check_expression(c, list.at[i]) < 0)
            return -1;
    return 0;
}

static int check_child(void *ctx, struct node *child)
{
    return check_expression(ctx, child);
}

static int check_children(struct checker *c, const struct node *n)
{
    return node_each_child(n, check_child, c);
}

static int check_bound_name(struct checker *c, const struct node *n)
{
    return check_target(c, n->name.id, (enum expr_context)n->op, n);
}

/* The location of an attribute for errors. Until 3.13, if the attribute is on a later line than its
 * object, CPython's location begins at the attribute's name, but computed as if each character were
 * a byte. */
static struct node attribute_place(const struct checker *c, const struct node *n)
{
    struct node at = {
        .line = n->line, .column = n->column, .end_line = n->end_line, .end_column = n->end_column};
    const struct name *name = n->attribute.attr;
    uint32_t characters = 0;

    if (c->tree->target >= 14 || n->line == n->end_line)
        return at;
    for (uint32_t i = 0; i < name->n; i++)
        characters += ((unsigned char)name->text[i] & 0xc0) != 0x80;
    at.line = n->end_line;
    at.column = n->end_column > characters ? n->end_column - characters : 0;
    return at;
}

static int check_attribute(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->attribute.value) < 0)
        return -1;
    if (n->op != CTX_STORE || n->attribute.attr != c->debug)
        return 0;
    struct node at = attribute_place(c, n);
    return check_target(c, n->attribute.attr, CTX_STORE, &at);
}

/* ---- stars ---- */

static int check_starred(struct checker *c, const struct node *n)
{
    return scope_fail(c->tree, n,
                      n->op == CTX_STORE ? "starred assignment target must be in a list or tuple"
                                         : "can't use starred expression here");
}

int check_starrable(struct checker *c, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        const struct node *n = list.at[i];
        if (check_expression(c, n->kind == N_STARRED ? n->value_of.value : n) < 0)
            return -1;
    }
    return 0;
}

static int check_unpacking(struct checker *c, const struct node *n)
{
    struct node_list elements = n->elements.elts;
    bool star = false;

    for (size_t i = 0; i < elements.n; i++) {
        if (elements.at[i]->kind != N_STARRED)
            continue;
        if (star)
            return scope_fail(c->tree, n, "multiple starred expressions in assignment");
        if (i >= 256 || elements.n - i - 1 >= (INT_MAX >> 8))
            return scope_fail(c->tree, n, "too many expressions in star-unpacking assignment");
        star = true;
    }
    return 0;
}

static int check_elements(struct checker *c, const struct node *n)
{
    bool sequence = n->kind == N_LIST || n->kind == N_TUPLE;

    if (sequence && n->op == CTX_DEL)
        return check_expressions(c, n->elements.elts);
    if (sequence && n->op == CTX_STORE && check_unpacking(c, n) < 0)
        return -1;
    return check_starrable(c, n->elements.elts);
}

/* ---- expressions with their own code ---- */

static int check_lambda(struct checker *c, const struct node *n)
{
    struct unit unit;

    if (check_parameters(c, n->lambda.args, n) < 0 || check_default_values(c, n->lambda.args) < 0)
        return -1;
    unit_begin(c, &unit, n);
    int rc = check_expression(c, n->lambda.body);
    unit_end(c);
    return rc;
}

static int check_generators(struct checker *c, struct node_list generators)
{
    for (size_t i = 0; i < generators.n; i++) {
        const struct node *generator = generators.at[i];
        if ((i > 0 && check_expression(c, generator->comprehension.iter) < 0) ||
            check_expression(c, generator->comprehension.target) < 0 ||
            check_expressions(c, generator->comprehension.ifs) < 0)
            return -1;
    }
    return 0;
}

static int check_comprehension_code(struct checker *c, const struct node *n,
                                    struct node_list generators)
{
    if (check_generators(c, generators) < 0)
        return -1;
    if (n->kind != N_DICT_COMP)
        return check_expression(c, n->comp.elt);
    if (check_expression(c, n->dict_comp.key) < 0)
        return -1;
    return check_expression(c, n->dict_comp.value);
}

static int check_comprehension(struct checker *c, const struct node *n)
{
    struct node_list generators =
        n->kind == N_DICT_COMP ? n->dict_comp.generators : n->comp.generators;
    const struct node *first = generators.at[0]->comprehension.iter;
    struct unit unit;
    bool allowed = n->kind == N_GENERATOR_EXP || unit_may_await(c) ||
                   c->unit->scope->kind == SCOPE_COMPREHENSION;

    if (c->tree->target >= 13 && check_expression(c, first) < 0)
        return -1;
    unit_begin(c, &unit, n);
    if (!allowed && unit.scope->coroutine)
        return scope_fail(c->tree, n,
                          "asynchronous comprehension outside of an asynchronous function");
    int rc = check_comprehension_code(c, n, generators);
    unit_end(c);
    return rc < 0 || c->tree->target >= 13 ? rc : check_expression(c, first);
}

static int check_yield(struct checker *c, const struct node *n)
{
    bool from = n->kind == N_YIELD_FROM;

    if (!unit_is_function(c->unit))
        return scope_fail(c->tree, n, "'%s' outside function",
                          from && c->tree->target >= 13 ? "yield from" : "yield");
    if (from && unit_is_async(c->unit))
        return scope_fail(c->tree, n, "'yield from' inside async function");
    return check_expression(c, n->value_of.value);
}

static int check_await(struct checker *c, const struct node *n)
{
    if (unit_may_await(c))
        return check_expression(c, n->value_of.value);
    if (!unit_is_function(c->unit))
        return scope_fail(c->tree, n, "'await' outside function");
    if (c->unit->scope->kind != SCOPE_COMPREHENSION)
        return scope_fail(c->tree, n, "'await' outside async function");
    return check_expression(c, n->value_of.value);
}

/* ---- other expressions ---- */

static int check_named(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->named_expr.value) < 0)
        return -1;
    return check_expression(c, n->named_expr.target);
}

static int check_dict(struct checker *c, const struct node *n)
{
    for (size_t i = 0; i < n->dict.values.n; i++)
        if (check_expression(c, n->dict.keys.at[i]) < 0 ||
            check_expression(c, n->dict.values.at[i]) < 0)
            return -1;
    return 0;
}

static int check_compare(struct checker *c, const struct node *n)
{
    warn_compare(c, n, false);
    if (check_expression(c, n->compare.left) < 0)
        return -1;
    return check_expressions(c, n->compare.comparators);
}

/* Until 3.13 `not x is y` is first turned into `x is not y`. */
static int check_unary(struct checker *c, const struct node *n)
{
    const struct node *operand = n->unary_op.operand;

    if (n->op != OP_NOT || operand->kind != N_COMPARE || operand->compare.comparators.n != 1 ||
        c->tree->target >= 14)
        return check_expression(c, operand);
    warn_compare(c, operand, true);
    if (check_expression(c, operand->compare.left) < 0)
        return -1;
    return check_expressions(c, operand->compare.comparators);
}

static int check_if_exp(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->if_exp.test) < 0 || check_expression(c, n->if_exp.body) < 0)
        return -1;
    return check_expression(c, n->if_exp.orelse);
}

static int check_call(struct checker *c, const struct node *n)
{
    if (check_keywords(c, n->call.keywords, n) < 0)
        return -1;
    warn_call(c, n);
    if (check_expression(c, n->call.func) < 0 || check_starrable(c, n->call.args) < 0)
        return -1;
    return check_expressions(c, n->call.keywords);
}

static int check_keyword_value(struct checker *c, const struct node *n)
{
    return check_expression(c, n->keyword.value);
}

static int check_subscript(struct checker *c, const struct node *n)
{
    if (n->op == CTX_LOAD)
        warn_subscript(c, n);
    if (check_expression(c, n->subscript.value) < 0)
        return -1;
    return check_expression(c, n->subscript.slice);
}

static int check_binary(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->bin_op.left) < 0)
        return -1;
    return check_expression(c, n->bin_op.right);
}

static int check_nothing(struct checker *c, const struct node *n)
{
    (void)c;
    (void)n;
    return 0;
}

int check_expression(struct checker *c, const struct node *n)
{
    static checker_fn *const expressions[N_COUNT] = {
        [N_NAMED_EXPR] = check_named,
        [N_BIN_OP] = check_binary,
        [N_UNARY_OP] = check_unary,
        [N_LAMBDA] = check_lambda,
        [N_IF_EXP] = check_if_exp,
        [N_DICT] = check_dict,
        [N_SET] = check_elements,
        [N_LIST_COMP] = check_comprehension,
        [N_SET_COMP] = check_comprehension,
        [N_DICT_COMP] = check_comprehension,
        [N_GENERATOR_EXP] = check_comprehension,
        [N_AWAIT] = check_await,
        [N_YIELD] = check_yield,
        [N_YIELD_FROM] = check_yield,
        [N_COMPARE] = check_compare,
        [N_CALL] = check_call,
        [N_CONSTANT] = check_nothing,
        [N_ATTRIBUTE] = check_attribute,
        [N_SUBSCRIPT] = check_subscript,
        [N_STARRED] = check_starred,
        [N_NAME] = check_bound_name,
        [N_LIST] = check_elements,
        [N_TUPLE] = check_elements,
        [N_KEYWORD] = check_keyword_value,
    };
    if (!n)
        return 0;
    checker_fn *check = expressions[n->kind];
    return check ? check(c, n) : check_children(c, n);
}
