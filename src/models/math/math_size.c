/* SPDX-License-Identifier: Apache-2.0 */
#include "math/math_parts.h"

#include <math.h>

enum kind size_join(enum kind a, enum kind b)
{
    return a == b ? a : EITHER;
}

double size_most(double a, double b)
{
    return a > b ? a : b;
}

static struct bound power(struct bound a, struct bound b)
{
    if (a.kind == REAL || b.kind == REAL)
        return (struct bound){REAL, REAL_BITS};
    /* Powers of 0 and 1 stay 0 and 1; a bound of 0 bits contains no other numbers. */
    return (struct bound){EITHER, a.bits > 0 ? a.bits * exp2(b.bits) : 0};
}

struct bound size_operate(enum operator op, struct bound a, struct bound b)
{
    enum kind kind = size_join(a.kind, b.kind);

    if (kind == EITHER && (a.kind == REAL || b.kind == REAL))
        kind = REAL;
    switch ((int)op) {
    case OP_ADD:
    case OP_SUB:
        return (struct bound){kind, size_most(a.bits, b.bits) + 1};
    case OP_MULT:
        return (struct bound){kind, a.bits + b.bits};
    case OP_DIV:
        return (struct bound){REAL, b.kind == WHOLE ? a.bits : REAL_BITS};
    case OP_FLOOR_DIV:
        return (struct bound){kind, b.kind == WHOLE ? a.bits + 1 : size_most(a.bits, REAL_BITS)};
    case OP_MOD:
        return (struct bound){kind, b.bits};
    case OP_POW:
        return power(a, b);
    case OP_LSHIFT:
        return (struct bound){WHOLE, a.bits + exp2(b.bits)};
    case OP_RSHIFT:
        return (struct bound){WHOLE, a.bits};
    default:
        return (struct bound){WHOLE, size_most(a.bits, b.bits) + 1};
    }
}

/* n! is less than n**n; likewise, the number of ways to put k of n in order is less than n**k. */
static double orders(const struct group *g)
{
    double k = exp2(g->n > 1 ? g->second.bits : g->first.bits);

    return k * size_most(g->first.bits, 1);
}

static double choices(const struct group *g)
{
    double n = exp2(g->first.bits), by_k = orders(g);

    return n < by_k ? n : by_k;
}

struct bound size_call(enum size_rule rule, const struct group *arguments)
{
    const struct group *g = arguments;
    struct bound a = g->first;

    switch (rule) {
    case SIZE_SMALL:
        return (struct bound){REAL, 2};
    case SIZE_TEST:
        return (struct bound){WHOLE, 0};
    case SIZE_SAME:
        return a;
    case SIZE_AS_REAL:
        return (struct bound){REAL, a.bits};
    case SIZE_AS_WHOLE:
        return (struct bound){WHOLE, a.bits + 1};
    case SIZE_ROUND:
        return (struct bound){g->n > 1 ? a.kind : WHOLE, a.bits + 1};
    case SIZE_ROOT:
        return (struct bound){REAL, a.bits / 2 + 1};
    case SIZE_LOGARITHM:
        return (struct bound){REAL, g->n > 1 ? REAL_BITS : log2(size_most(a.bits, REAL_BITS)) + 1};
    case SIZE_LARGEST:
    case SIZE_LIST_LARGEST:
        return (struct bound){g->kind, g->largest};
    case SIZE_PRODUCT:
    case SIZE_LIST_PRODUCT:
        return (struct bound){g->kind, g->sum + log2((double)g->n + 1)};
    case SIZE_LIST_SUM:
        return (struct bound){g->kind, g->largest + log2((double)g->n + 1)};
    case SIZE_POWER:
        return g->n > 2 ? (struct bound){WHOLE, g->largest} : power(a, g->second);
    case SIZE_CHOICES:
        return (struct bound){WHOLE, choices(g)};
    case SIZE_ORDERS:
        return (struct bound){WHOLE, orders(g)};
    case SIZE_PAIR:
        return (struct bound){PAIR, a.bits};
    case SIZE_CONSTANT:
    case SIZE_REAL:
    case SIZE_LIST_REAL:
    default:
        return (struct bound){REAL, REAL_BITS};
    }
}
