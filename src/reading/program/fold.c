/* SPDX-License-Identifier: Apache-2.0 */
#include "program/fold.h"

#include <math.h>
#include <string.h>

static bool textual(const struct value *v)
{
    return v->kind == VALUE_TEXT || v->kind == VALUE_BYTES;
}

static bool whole(const struct value *v)
{
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL;
}

/* ---- texts and lists ---- */

static const struct value *concat(struct fold *f, const struct value *x, const struct value *y)
{
    char *room;
    struct value *v;

    if (x->kind != y->kind || x->text.n > VALUE_MAX_TEXT || y->text.n > VALUE_MAX_TEXT)
        return &value_unknown;
    v = fold_room(f, x->kind, x->text.n + y->text.n, &room);
    if (!v)
        return &value_unknown;
    memcpy(room, x->text.p, x->text.n);
    memcpy(room + x->text.n, y->text.p, y->text.n);
    v->decoded = x->decoded || y->decoded;
    return v;
}

static const struct value *repeat(struct fold *f, const struct value *x, const struct value *times)
{
    char *room;
    size_t n = times->integer > 0 ? (size_t)times->integer : 0;
    struct value *v;

    if (x->text.n && n > VALUE_MAX_TEXT / x->text.n)
        return &value_unknown;
    v = fold_room(f, x->kind, x->text.n * n, &room);
    if (!v)
        return &value_unknown;
    for (size_t i = 0; i < n && x->text.n; i++)
        memcpy(room + i * x->text.n, x->text.p, x->text.n);
    v->decoded = x->decoded;
    return v;
}

static const struct value *chain(struct fold *f, const struct value *x, const struct value *y)
{
    size_t n = x->n + y->n;

    if (n > VALUE_MAX_ITEMS || !fold_pay(f, n + 8))
        return &value_unknown;
    struct value *v = value_list(f->arena, VALUE_LIST, n);
    memcpy(v->items, x->items, x->n * sizeof *v->items);
    memcpy(v->items + x->n, y->items, y->n * sizeof *v->items);
    return v;
}

/* ---- numbers ---- */

static double bits_of(const struct value *v)
{
    if (v->kind == VALUE_HUGE)
        return v->real;
    double size = fabs((double)v->integer);
    return size < 1 ? 1 : log2(size) + 1;
}

static const struct value *power(struct fold *f, const struct value *x, const struct value *y)
{
    double bits;
    int64_t n = 1;

    if (y->kind == VALUE_HUGE)
        return whole(x) && x->integer >= -1 && x->integer <= 1 ? &value_unknown
                                                               : value_huge(f->arena, INFINITY);
    if (y->integer < 0)
        return &value_unknown;
    if (whole(x) && x->integer >= -1 && x->integer <= 1)
        return value_int(f->arena,
                         y->integer == 0 || (x->integer && (x->integer > 0 || y->integer % 2 == 0))
                             ? 1
                             : x->integer);
    bits = (x->kind == VALUE_HUGE ? x->real : log2(fabs((double)x->integer))) * (double)y->integer;
    if (x->kind == VALUE_HUGE || bits > 62)
        return value_huge(f->arena, bits + 1);
    for (int64_t i = 0; i < y->integer; i++)
        n *= x->integer;
    return value_int(f->arena, n);
}

static const struct value *shift_left(struct fold *f, const struct value *x, const struct value *y)
{
    double bits;

    if (y->kind == VALUE_HUGE)
        return value_huge(f->arena, INFINITY);
    if (y->integer < 0)
        return &value_unknown;
    bits = bits_of(x) + (double)y->integer;
    if (x->kind == VALUE_HUGE || bits > 62)
        return x->kind != VALUE_HUGE && x->integer == 0 ? x : value_huge(f->arena, bits);
    return value_int(f->arena, x->integer * ((int64_t)1 << y->integer));
}

static const struct value *huge_result(struct fold *f, enum operator op, const struct value *x,
                                       const struct value *y)
{
    double a = bits_of(x), b = bits_of(y);

    switch ((int)op) {
    case OP_ADD:
    case OP_SUB:
    case OP_BIT_OR:
    case OP_BIT_XOR:
        return value_huge(f->arena, a > b ? a : b);
    case OP_MULT:
        return value_huge(f->arena, a + b);
    }
    return &value_unknown;
}

/* Python's // and %, which round towards minus infinity. */
static const struct value *divide(struct fold *f, enum operator op, int64_t a, int64_t b)
{
    if (!b || (a == INT64_MIN && b == -1))
        return &value_unknown;
    int64_t quotient = a / b, rest = a % b;
    if (rest && (rest < 0) != (b < 0)) {
        quotient--;
        rest += b;
    }
    return value_int(f->arena, op == OP_MOD ? rest : quotient);
}

static const struct value *small(struct fold *f, enum operator op, int64_t a, int64_t b)
{
    int64_t n = 0;

    switch ((int)op) {
    case OP_ADD:
        return __builtin_add_overflow(a, b, &n) ? value_huge(f->arena, 65) : value_int(f->arena, n);
    case OP_SUB:
        return __builtin_sub_overflow(a, b, &n) ? value_huge(f->arena, 65) : value_int(f->arena, n);
    case OP_BIT_OR:
        return value_int(f->arena, a | b);
    case OP_BIT_XOR:
        return value_int(f->arena, a ^ b);
    case OP_BIT_AND:
        return value_int(f->arena, a & b);
    case OP_RSHIFT:
        return b < 0 ? &value_unknown : value_int(f->arena, a >> (b > 63 ? 63 : b));
    case OP_FLOOR_DIV:
    case OP_MOD:
        return divide(f, op, a, b);
    }
    return &value_unknown;
}

static const struct value *numeric(struct fold *f, enum operator op, const struct value *x,
                                   const struct value *y)
{
    int64_t n;

    if (op == OP_POW)
        return power(f, x, y);
    if (op == OP_LSHIFT)
        return shift_left(f, x, y);
    if (x->kind == VALUE_HUGE || y->kind == VALUE_HUGE)
        return huge_result(f, op, x, y);
    if (op == OP_MULT)
        return __builtin_mul_overflow(x->integer, y->integer, &n) ? huge_result(f, op, x, y)
                                                                  : value_int(f->arena, n);
    return small(f, op, x->integer, y->integer);
}

/* True if no part of the value is written in the program: "do_" + name has such a part. */
static bool made_of(const struct value *v)
{
    return v->kind == VALUE_MADE || (v->kind == VALUE_TEXT && !v->text.n);
}

static const struct value *binary_one(struct fold *f, enum operator op, const struct value *x,
                                      const struct value *y)
{
    if (x->kind == VALUE_DECODED || y->kind == VALUE_DECODED)
        return op == OP_ADD || op == OP_MOD ? &value_decoded : &value_unknown;
    if (op == OP_ADD && (x->kind == VALUE_MADE || y->kind == VALUE_MADE))
        return made_of(x) && made_of(y) ? &value_made : &value_unknown;
    if (textual(x) && op == OP_ADD && textual(y))
        return concat(f, x, y);
    if (textual(x) && op == OP_MULT && whole(y))
        return repeat(f, x, y);
    if (whole(x) && op == OP_MULT && textual(y))
        return repeat(f, y, x);
    if (textual(x) && op == OP_MOD)
        return fold_percent(f, x, y);
    if (x->kind == VALUE_LIST && y->kind == VALUE_LIST && op == OP_ADD)
        return chain(f, x, y);
    if ((whole(x) || x->kind == VALUE_HUGE) && (whole(y) || y->kind == VALUE_HUGE))
        return numeric(f, op, x, y);
    return &value_unknown;
}

const struct value *fold_binary(struct fold *f, enum operator op, const struct value *x,
                                const struct value *y)
{
    const struct value *ret = &value_unknown;

    if (!fold_pay(f, 1))
        return ret;
    for (size_t i = 0; i < value_count(x) && i < 3; i++) {
        for (size_t k = 0; k < value_count(y) && k < 3; k++)
            ret = value_either(f->arena, ret, binary_one(f, op, value_at(x, i), value_at(y, k)));
    }
    return x->open || y->open ? value_open(f->arena, ret) : ret;
}

const struct value *fold_unary(struct fold *f, enum operator op, const struct value *x)
{
    bool truth;

    if (op == OP_NOT && value_truth(x, &truth)) {
        struct value *v = value_new(f->arena, VALUE_BOOL);
        v->integer = !truth;
        return v;
    }
    if (op == OP_USUB && x->kind == VALUE_HUGE)
        return x;
    if (!whole(x))
        return &value_unknown;
    switch ((int)op) {
    case OP_USUB:
        return x->integer == INT64_MIN ? value_huge(f->arena, 65)
                                       : value_int(f->arena, -x->integer);
    case OP_UADD:
        return value_int(f->arena, x->integer);
    case OP_INVERT:
        return value_int(f->arena, ~x->integer);
    }
    return &value_unknown;
}
