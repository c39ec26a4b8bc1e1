/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that never end. A loop is not reported if its body can leave it: by its own break, by
 * return, raise or assert, by yield (then the caller decides), or by leaving the program.
 */
#include <math.h>
#include <string.h>

#include "guard/rules_parts.h"

enum { MAX_NESTED = 8, NESTED_MORE = 1000 };

/* ---- can it be left? ---- */

struct leaving {
    struct check *c;
    const struct scope *scope;
    bool nested; /* inside a nested loop: its `break` leaves only that loop */
};

static int leaves(void *ctx, struct node *n);

static bool leaves_list(const struct leaving *l, struct node_list list, bool nested)
{
    struct leaving inner = *l;

    inner.nested = nested;
    for (size_t i = 0; i < list.n; i++) {
        if (leaves(&inner, list.at[i]))
            return true;
        if (list.at[i]->kind == N_CONTINUE) /* the statements after it never run */
            break;
    }
    return false;
}

static bool is_exit(const struct leaving *l, const struct node *call)
{
    static const char *const names[] = {"sys.exit", "os._exit", "os.abort", "builtins.exit",
                                        "builtins.quit"};
    const struct value *v;

    if (call->call.func->kind != N_NAME && call->call.func->kind != N_ATTRIBUTE)
        return false;
    v = value_of(l->c, call->call.func, l->scope);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (value_is_path(v, names[i]))
            return true;
    }
    return false;
}

static bool is_constant(const struct node *test, bool truth)
{
    return test->kind == N_CONSTANT && test->op == (truth ? CONST_TRUE : CONST_FALSE);
}

static int leaves(void *ctx, struct node *n)
{
    const struct leaving *l = ctx;

    if (!fold_pay(&l->c->resolver.fold, 1))
        return 1;
    switch ((int)n->kind) {
    case N_BREAK:
        return !l->nested;
    case N_RETURN:
    case N_RAISE:
    case N_ASSERT:
    case N_YIELD:
    case N_YIELD_FROM:
    case N_AWAIT:
        return 1;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
    case N_CLASS_DEF:
    case N_LAMBDA:
        return 0;
    case N_IF: /* `if False: break` does not leave the loop */
        return (!is_constant(n->branch.test, false) && leaves_list(l, n->branch.body, l->nested)) ||
               (!is_constant(n->branch.test, true) &&
                leaves_list(l, n->branch.orelse, l->nested)) ||
               leaves(ctx, n->branch.test);
    case N_WHILE:
        return leaves_list(l, n->branch.body, true) || leaves_list(l, n->branch.orelse, l->nested);
    case N_FOR:
    case N_ASYNC_FOR:
        return leaves_list(l, n->for_stmt.body, true) ||
               leaves_list(l, n->for_stmt.orelse, l->nested);
    case N_CALL:
        if (is_exit(l, n))
            return 1;
        break;
    }
    return node_each_child(n, leaves, ctx);
}

static bool can_leave(struct check *c, const struct item *i, struct node_list body)
{
    struct leaving l = {.c = c, .scope = i->scope};

    return leaves_list(&l, body, false);
}

static int calls(void *ctx, struct node *n)
{
    return n->kind == N_CALL || n->kind == N_SUBSCRIPT || node_each_child(n, calls, ctx);
}

/* True if the loop is in a `try` that catches, and a call in its body may raise and so end it. */
static bool is_tried(struct check *c, const struct item *i, struct node_list body)
{
    const struct node *up = parent_of(c, i);
    bool any = false;

    if (up->kind == N_TRY)
        any = up->try_stmt.handlers.n > 0;
    else if (up->kind == N_WITH) /* contextlib.suppress(...) */
        any = up->with_stmt.items.at[0]->with_item.context_expr->kind == N_CALL;
    for (size_t k = 0; any && k < body.n; k++) {
        if (calls(NULL, body.at[k]))
            return true;
    }
    return false;
}

/* ---- is it always true? ---- */

static bool is_literal(const struct node *n)
{
    struct node_list elts = {0};

    if (n->kind == N_LIST || n->kind == N_TUPLE || n->kind == N_SET)
        elts = n->elements.elts;
    else if (n->kind != N_CONSTANT)
        return false;
    for (size_t i = 0; i < elts.n; i++) {
        if (elts.at[i]->kind != N_CONSTANT)
            return false;
    }
    return true;
}

static bool compares(enum operator op, double a, double b)
{
    switch ((int)op) {
    case OP_LT:
        return a < b;
    case OP_LT_E:
        return a <= b;
    case OP_GT:
        return a > b;
    case OP_GT_E:
        return a >= b;
    }
    return false;
}

static bool rules_loop_number(const struct value *v, double *ret)
{
    *ret = v->kind == VALUE_FLOAT ? v->real : (double)v->integer;
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL || v->kind == VALUE_FLOAT;
}

/* True for the name of a constant to which nothing else is ever assigned. */
static bool is_bound_once(const struct node *n, const struct scope *scope)
{
    bool builtin = false;
    const struct symbol *s = program_symbol(scope, n->name.id, &builtin);
    const struct symbol_facts *facts = s ? s->user : NULL;

    return facts && facts->n == 1 && facts->first->kind == BIND_VALUE &&
           facts->first->node->kind == N_CONSTANT && !(s->flags & SYMBOL_PARAMETER) &&
           !(s->flags & SYMBOL_DELETED);
}

static bool equal_constants(const struct value *x, const struct value *y)
{
    double a, b;

    if (rules_loop_number(x, &a) && rules_loop_number(y, &b))
        return a == b;
    if (x->kind == VALUE_TEXT && y->kind == VALUE_TEXT)
        return str_eq(x->text, y->text);
    return x->kind == VALUE_NONE && y->kind == VALUE_NONE;
}

static bool is_among(const struct value *x, const struct value *list)
{
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->n; i++) {
        if (equal_constants(x, list->items[i]))
            return true;
    }
    return list->kind == VALUE_TEXT && x->kind == VALUE_TEXT && str_find(list->text, x->text) >= 0;
}

static bool is_comparable(const struct value *v)
{
    return v->kind == VALUE_TEXT || v->kind == VALUE_NONE || v->kind == VALUE_INT ||
           v->kind == VALUE_BOOL || v->kind == VALUE_FLOAT;
}

static bool holds(enum operator op, const struct value *x, const struct value *y)
{
    double a, b;

    if (op == OP_IN)
        return is_among(x, y);
    if (!is_comparable(x) || !is_comparable(y))
        return false;
    if (op == OP_EQ || op == OP_IS)
        return equal_constants(x, y);
    if (op == OP_NOT_EQ || op == OP_IS_NOT)
        return !equal_constants(x, y);
    return rules_loop_number(x, &a) && rules_loop_number(y, &b) && compares(op, a, b);
}

/* True for comparisons of literals: `1 == 1`, `'a' == 'a'`, `1 < 2 < 3`, `1 in [1]`. */
static bool always_compares(struct check *c, const struct node *n, const struct scope *scope)
{
    const struct node *left = n->compare.left, *right;

    for (size_t i = 0; i < n->compare.comparators.n; i++, left = right) {
        right = n->compare.comparators.at[i];
        if (!is_literal(left) || !is_literal(right) ||
            !holds((enum operator)n->compare.ops[i], value_of(c, left, scope),
                   value_of(c, right, scope)))
            return false;
    }
    return true;
}

static bool always(struct check *c, const struct node *n, const struct scope *scope, bool want);

static bool always_bool(struct check *c, const struct node *n, const struct scope *scope, bool want)
{
    /* One operand is enough to make `or` true or `and` false; otherwise all are needed. */
    bool one = (n->op == OP_OR) == want;

    for (size_t i = 0; i < n->bool_op.values.n; i++) {
        if (always(c, n->bool_op.values.at[i], scope, want) == one)
            return one;
    }
    return !one;
}

static bool is_fixed(struct check *c, const struct node *n, const struct scope *scope);

/* def f(): return True */
static const struct node *only_result(const struct node *def)
{
    struct node_list body = {0};

    if (def->kind == N_LAMBDA)
        return def->lambda.body;
    if (def->kind == N_FUNCTION_DEF && !def->function.decorator_list.n)
        body = def->function.body;
    return body.n == 1 && body.at[0]->kind == N_RETURN ? body.at[0]->value_of.value : NULL;
}

/* bool(1), len("abc"), (lambda: True)(). */
static bool is_fixed_call(struct check *c, const struct node *n, const struct scope *scope)
{
    const struct value *f = value_of(c, n->call.func, scope);
    const struct node *result;

    if (n->call.args.n > 1 || n->call.keywords.n)
        return false;
    if (f->kind == VALUE_FUNCTION && !f->open && !n->call.args.n) {
        result = only_result(f->node);
        return result && result->kind == N_CONSTANT;
    }
    return f->kind == VALUE_PATH && str_starts(f->text, "builtins.") &&
           (!n->call.args.n || is_literal(n->call.args.at[0]));
}

/* True if the value is always the same, whatever ran before. */
static bool is_fixed(struct check *c, const struct node *n, const struct scope *scope)
{
    switch ((int)n->kind) {
    case N_CONSTANT:
    case N_LAMBDA:
    case N_LIST:
    case N_TUPLE:
    case N_SET:
    case N_DICT:
        return true;
    case N_UNARY_OP:
        return is_fixed(c, n->unary_op.operand, scope);
    case N_BIN_OP:
        return is_fixed(c, n->bin_op.left, scope) && is_fixed(c, n->bin_op.right, scope);
    case N_NAME:
        return is_bound_once(n, scope);
    case N_CALL:
        return is_fixed_call(c, n, scope);
    case N_JOINED_STR:
        for (size_t i = 0; i < n->joined.values.n; i++) {
            if (n->joined.values.at[i]->kind != N_CONSTANT)
                return false;
        }
        return true;
    }
    return false;
}

static bool always_value(struct check *c, const struct node *n, const struct scope *scope,
                         bool want)
{
    bool truth;

    if (n->kind == N_NAME || n->kind == N_CALL) {
        const struct value *v = value_of(c, n, scope); /* `while print`, `while object()` */
        if (v->kind == VALUE_PATH && !v->open &&
            (str_is(v->text, "builtins.object()") ||
             (n->kind == N_NAME && str_starts(v->text, "builtins."))))
            return want;
    }
    return is_fixed(c, n, scope) && value_truth(value_of(c, n, scope), &truth) && truth == want;
}

static bool always(struct check *c, const struct node *n, const struct scope *scope, bool want)
{
    if (!fold_pay(&c->resolver.fold, 1))
        return false;
    switch ((int)n->kind) {
    case N_BOOL_OP:
        return always_bool(c, n, scope, want);
    case N_UNARY_OP:
        if (n->op == OP_NOT)
            return always(c, n->unary_op.operand, scope, !want);
        break;
    case N_COMPARE:
        return want && always_compares(c, n, scope);
    case N_NAMED_EXPR:
        return always(c, n->named_expr.value, scope, want);
    case N_IF_EXP:
        if (always(c, n->if_exp.test, scope, true))
            return always(c, n->if_exp.body, scope, want);
        return always(c, n->if_exp.orelse, scope, want) &&
               (always(c, n->if_exp.test, scope, false) || always(c, n->if_exp.body, scope, want));
    case N_CONSTANT:
        if (n->op == CONST_ELLIPSIS)
            return want;
        break;
    case N_NAME:
        if (str_is(name_str(n->name.id), "__debug__"))
            return want;
        break;
    }
    return always_value(c, n, scope, want);
}

void rules_while(struct check *c, const struct item *i)
{
    const struct node *n = i->node, *test = n->branch.test;
    struct span at = {n->line, n->column, test->end_line, test->end_column};

    if (!rule_is_on(c, RULE_ENDLESS_LOOP) || !always(c, test, i->scope, true))
        return;
    if (!can_leave(c, i, n->branch.body) && !is_tried(c, i, n->branch.body))
        found_at(c, RULE_ENDLESS_LOOP, &at, STR("while"),
                 "while %s never ends: nothing in it leaves the loop", check_source(c, test));
}

/* ---- for ---- */

static double number_or(const struct value *v, double otherwise)
{
    if (v->kind == VALUE_HUGE)
        return INFINITY;
    return v->kind == VALUE_INT ? (double)v->integer : otherwise;
}

/* The number of rounds of range(...), if it is constant; otherwise 0. */
static double rounds(struct check *c, const struct node *call, const struct scope *scope)
{
    struct arguments args;
    double from = 0, to, step = 1;

    resolve_arguments(&c->resolver, call, scope, &args);
    to = number_or(argument_at(&args, 0, NULL), 0);
    if (args.list.n > 1) {
        from = number_or(argument_at(&args, 0, NULL), NAN);
        to = number_or(argument_at(&args, 1, NULL), NAN);
    }
    if (args.list.n > 2)
        step = number_or(argument_at(&args, 2, NULL), NAN);
    double n = (to - from) / step;
    return n > 0 ? n : 0; /* 0 for NAN, too */
}

static double rounds_of(struct check *c, const struct node *iter, const struct scope *scope)
{
    if (iter->kind != N_CALL || iter->call.func->kind != N_NAME ||
        !value_is_path(value_of(c, iter->call.func, scope), "builtins.range"))
        return 0;
    return rounds(c, iter, scope);
}

double range_rounds(struct check *c, const struct node *call, const struct scope *scope)
{
    return rounds(c, call, scope);
}

void range_of(struct check *c, const struct node *iter, const struct scope *scope)
{
    if (rounds_of(c, iter, scope) > (double)c->policy->max_range)
        found(c, RULE_HUGE_RANGE, iter, STR("range"), "a loop over %s", check_source(c, iter));
}

static const struct value *endless(struct check *c, const struct node *iter,
                                   const struct scope *scope)
{
    const struct value *v;

    if (iter->kind != N_CALL && iter->kind != N_NAME)
        return NULL;
    v = value_of(c, iter, scope);
    return v->kind == VALUE_ENDLESS ? v : NULL;
}

/* for x in l: l.append(x) */
static bool feeds_itself(const struct node *n)
{
    const struct node *call, *f;
    struct node_list body = n->for_stmt.body;

    for (size_t k = 0; n->for_stmt.iter->kind == N_NAME && k < body.n; k++) {
        call = body.at[k]->kind == N_EXPR ? body.at[k]->value_of.value : NULL;
        f = call && call->kind == N_CALL ? call->call.func : NULL;
        if (f && f->kind == N_ATTRIBUTE && str_is(name_str(f->attribute.attr), "append") &&
            f->attribute.value->kind == N_NAME &&
            f->attribute.value->name.id == n->for_stmt.iter->name.id)
            return true;
    }
    return false;
}

/* The number of rounds of the innermost of nested loops. */
static void nested_rounds(struct check *c, const struct item *i)
{
    double n = rounds_of(c, i->node->for_stmt.iter, i->scope);
    const struct item *up = i;
    int depth = 0;

    while (n > 0 && up->node->kind == N_FOR && depth++ < MAX_NESTED) {
        up = &c->program.items[up->parent];
        if (up->node->kind == N_FOR)
            n *= rounds_of(c, up->node->for_stmt.iter, up->scope);
    }
    if (depth > 1 && n > (double)c->policy->max_range * NESTED_MORE)
        found(c, RULE_HUGE_RANGE, i->node->for_stmt.iter, STR("range"),
              "the body of the innermost loop runs %.0g times", n);
}

void rules_for(struct check *c, const struct item *i)
{
    const struct node *n = i->node, *iter = n->for_stmt.iter;
    const struct value *v = endless(c, iter, i->scope);

    range_of(c, iter, i->scope);
    nested_rounds(c, i);
    if (feeds_itself(n) && !can_leave(c, i, n->for_stmt.body))
        found(c, RULE_ENDLESS_ITERATION, iter, STR("append"),
              "a loop over %s, which grows with every round", check_source(c, iter));
    if (v && !can_leave(c, i, n->for_stmt.body))
        found(c, RULE_ENDLESS_ITERATION, iter, v->text, "a loop over %s, which never ends",
              v->text.p);
}

/* [... for _ in range(a) for _ in range(b)], reported at the last one. */
static void generators_rounds(struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i);
    struct node_list list =
        up->kind == N_DICT_COMP ? up->dict_comp.generators : up->comp.generators;
    double n = 1;

    if (list.n < 2 || list.at[list.n - 1] != i->node)
        return;
    for (size_t k = 0; k < list.n && k < MAX_NESTED; k++)
        n *= rounds_of(c, list.at[k]->comprehension.iter, i->scope);
    if (n > (double)c->policy->max_range * NESTED_MORE)
        found(c, RULE_HUGE_RANGE, i->node->comprehension.iter, STR("range"),
              "the body of the innermost loop runs %.0g times", n);
}

/* A generator expression alone does not run yet. */
void rules_generator(struct check *c, const struct item *i)
{
    const struct node *iter = i->node->comprehension.iter;
    const struct value *v = endless(c, iter, i->scope);

    range_of(c, iter, i->scope);
    generators_rounds(c, i);
    if (v && parent_of(c, i)->kind != N_GENERATOR_EXP)
        found(c, RULE_ENDLESS_ITERATION, iter, v->text, "a comprehension over %s, which never ends",
              v->text.p);
}
