/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's numbers compare by what they are worth, whatever their types: 1 == 1.0 ==
 * Decimal("1.00"). So each is brought into one form, sign * N * 2^twos * 5^fives / D with N and D
 * free of factors 2 and 5 and of each other, in which equal numbers are equal part by part.
 */
#ifndef VALUES_NUMBER_H
#define VALUES_NUMBER_H

#include "values/limbs.h"
#include "values/value.h"

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

struct number {
    enum number_kind kind;
    bool negative;
    bool small; /* it is an integer, and here it is; nothing below is set */
    int64_t integer;
    struct limbs n, d;
    int64_t twos, fives;
};

/* An optional sign and digits, which the caller has seen to be so. */
void number_from_decimal(struct str text, struct arena *arena, struct value *ret);
/* "-0x1f"; false when it is none, or larger than VALUE_MAX_HEX digits. */
bool number_from_hex(struct str text, struct arena *arena, struct value *ret);
/* False for text that Decimal() does not take, or that has more than VALUE_MAX_DECIMAL digits. */
bool number_is_decimal(struct str text);
/* Numerator and denominator in lowest terms; false when the latter is not positive. */
bool number_reduce(struct value pair[2], struct arena *arena);

/* False when the value is no number. A complex one with an imaginary part is none. */
bool number_of(const struct value *v, struct arena *arena, struct number *ret);
bool number_equal(const struct number *a, const struct number *b);
uint64_t number_hash(const struct number *a, uint64_t seed);
/* The nearest double; false when there is none. */
bool number_to_double(const struct value *v, double *ret);
/* Appends an integer's digits. */
void number_repr(const struct value *v, struct buf *ret);

#endif
