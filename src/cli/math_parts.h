/* SPDX-License-Identifier: Apache-2.0
 *
 * How large the numbers of an expression can get. Of each part of it a bound is known on the
 * logarithm of its size; floats are never large.
 */
#ifndef CLI_MATH_PARTS_H
#define CLI_MATH_PARTS_H

#include <stddef.h>

#include "python/tree.h"

/* Of a whole number: 120 000 decimal digits. */
#define BITS_MAX  400000.0
#define REAL_BITS 1024.0

enum size_rule {
    SIZE_CONSTANT, /* no function */
    SIZE_REAL,
    SIZE_SMALL, /* no more than pi */
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
    SIZE_LIST_LARGEST, /* from here on, lists are taken too */
    SIZE_LIST_SUM,
    SIZE_LIST_PRODUCT,
    SIZE_LIST_REAL,
};

enum kind { WHOLE, REAL, EITHER, PAIR };

struct bound {
    enum kind kind;
    double bits; /* no more than 2**bits, nor less than its negative */
};

/* The largest and the whole of several. */
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
