/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that would take all memory or all time: estimated from the operands, never computed.
 */
#include <math.h>
#include <string.h>

#include "guard/rules_parts.h"

enum { TOO_LONG = 100000000, TOO_MANY_BITS = 8000000, MAX_FACTORS = 6 };

static bool is_too_large(const struct value *v)
{
    return v->kind == VALUE_HUGE && v->real > TOO_MANY_BITS;
}

/* The length of the repeated value in bytes or items; 0 if it is not a sequence. */
static double length_of(const struct value *v)
{
    if (v->kind == VALUE_TEXT || v->kind == VALUE_BYTES)
        return (double)v->text.n;
    return v->kind == VALUE_LIST ? (double)v->n : 0;
}

static double number_of(const struct value *v)
{
    if (v->kind == VALUE_HUGE)
        return INFINITY;
    return v->kind == VALUE_INT ? (double)v->integer : 0;
}

/* The length of a whole product such as [0] * 1000 * 1000: the resolver does not build lists that
 * long. */
static double repeated(struct check *c, const struct node *n, const struct scope *scope, int depth)
{
    double size;

    if (n->kind != N_BIN_OP || n->op != OP_MULT || depth >= MAX_FACTORS)
        return length_of(value_of(c, n, scope));
    size = repeated(c, n->bin_op.left, scope, depth + 1);
    if (size > 0)
        return size * number_of(value_of(c, n->bin_op.right, scope));
    return length_of(value_of(c, n->bin_op.right, scope)) *
           number_of(value_of(c, n->bin_op.left, scope));
}

static void report_size(struct check *c, const struct node *n, double size)
{
    if (size > TOO_LONG && !isnan(size))
        found(c, RULE_HUGE_REPETITION, n, STR("*"), "repeated to enormous length");
}

static void power(struct check *c, const struct node *n, const struct value *x,
                  const struct value *y)
{
    enum operator op =(enum operator) n->op;

    if (is_too_large(x) || is_too_large(y) ||
        !is_too_large(fold_binary(&c->resolver.fold, op, x, y)))
        return;
    if (op == OP_POW)
        found(c, RULE_HUGE_POWER, n, STR("**"), "a power too large to compute");
    else
        found(c, RULE_HUGE_SHIFT, n, STR("<<"), "a shift by an enormous distance");
}

/* True for the outermost of several additions in a row: only the whole string is checked. */
static bool is_outermost(const struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i);

    return up->kind != N_BIN_OP && up->kind != N_JOINED_STR && up->kind != N_ATTRIBUTE;
}

static void put_together(struct check *c, const struct item *i)
{
    const struct value *all;

    if (!is_outermost(c, i))
        return;
    all = value_of(c, i->node, i->scope);
    for (size_t n = 0; n < value_count(all); n++) {
        if (value_at(all, n)->kind == VALUE_TEXT)
            said_text(c, i->node, value_at(all, n)->text);
    }
}

void rules_number(struct check *c, const struct item *i)
{
    const struct node *n = i->node, *left = n->bin_op.left;

    switch ((int)n->op) {
    case OP_MULT:
        if (parent_of(c, i)->kind != N_BIN_OP || parent_of(c, i)->op != OP_MULT)
            report_size(c, n, repeated(c, n, i->scope, 0));
        break;
    case OP_POW:
    case OP_LSHIFT:
        power(c, n, value_of(c, left, i->scope), value_of(c, n->bin_op.right, i->scope));
        break;
    case OP_MOD:
        if (left->kind == N_CONSTANT && left->op == CONST_STR) {
            percent_text(c, n, left->constant.text);
            given_widths(c, n, left->constant.text, value_of(c, n->bin_op.right, i->scope), '*');
        }
        put_together(c, i);
        break;
    case OP_DIV:
        if (n->bin_op.right->kind == N_CONSTANT && n->bin_op.right->op == CONST_STR)
            path_part(c, n->bin_op.right, n->bin_op.right->constant.text);
        break;
    case OP_ADD:
        put_together(c, i);
        break;
    }
}

/* x **= 10**9, checked for each value that x may have had before. */
void rules_augmented(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    const struct value *all, *y;

    if (n->op != OP_MULT && n->op != OP_POW && n->op != OP_LSHIFT)
        return;
    all = value_of(c, n->aug_assign.target, i->scope);
    y = value_of(c, n->aug_assign.value, i->scope);
    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *x = value_at(all, k);
        if (n->op == OP_MULT)
            report_size(c, n, length_of(x) * number_of(y));
        else
            power(c, n, x, y);
    }
}
