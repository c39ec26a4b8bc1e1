/* SPDX-License-Identifier: Apache-2.0
 *
 * How large the numbers of an expression can get. Each part of the expression has a bound on the
 * logarithm of its size; floats are never large.
 */
#ifndef MATH_MATH_PARTS_H
#define MATH_MATH_PARTS_H

#include <stddef.h>

#include "syntax/tree.h"

/* The limit of a whole number, which has about 120 000 decimal digits. */
#define BITS_MAX  400000.0
#define REAL_BITS 1024.0

enum size_rule {
    SIZE_CONSTANT, /* no function */
    SIZE_REAL,
    SIZE_SMALL, /* at most pi */
    SIZE_TEST,
    SIZE_SAME,
    SIZE_AS_REAL,
    SIZE_AS_WHOLE,
    SIZE_ROUND,
    SIZE_ROOT,
    SIZE_LOGARITHM,
    SIZE_LARGEST,
    SIZE_PRODUCT,
    SIZE_POWER,
    SIZE_CHOICES,
    SIZE_ORDERS,
    SIZE_PAIR,
    SIZE_LIST_LARGEST, /* from here on, lists are accepted too */
    SIZE_LIST_SUM,
    SIZE_LIST_PRODUCT,
    SIZE_LIST_REAL,
};

enum kind { WHOLE, REAL, EITHER, PAIR };

struct bound {
    enum kind kind;
    double bits; /* the value is from -2**bits to 2**bits */
};

/* The bounds of several values: the largest, and all of them together. */
struct group {
    size_t n;
    enum kind kind;
    double largest, sum;
    struct bound first, second;
};

double size_most(double a, double b);
enum kind size_join(enum kind a, enum kind b);
struct bound size_operate(enum operator op, struct bound a, struct bound b);
struct bound size_call(enum size_rule rule, const struct group *arguments);

#endif
