/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's numbers compare by value, whatever their types are: 1 == 1.0 == Decimal("1.00"). So each
 * is converted to one form, sign * N * 2^twos * 5^fives / D, in which N and D have no factors 2 or
 * 5 and no common factor. In this form, equal numbers have equal parts.
 */
#ifndef VALUES_NUMBER_H
#define VALUES_NUMBER_H

#include "values/limbs.h"
#include "values/value.h"

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

struct number {
    enum number_kind kind;
    bool negative;
    bool small; /* it is `integer`, and the members below are unset */
    int64_t integer;
    struct limbs n, d;
    int64_t twos, fives;
};

/* Reads an optional sign and digits; the caller has checked that the text has nothing else. */
void number_from_decimal(struct str text, struct arena *arena, struct value *ret);
/* Reads "-0x1f"; false if the text is invalid or has more than VALUE_MAX_HEX digits. */
bool number_from_hex(struct str text, struct arena *arena, struct value *ret);
/* False for text that Decimal() does not accept, or that has more than VALUE_MAX_DECIMAL digits. */
bool number_is_decimal(struct str text);
/* Reduces numerator and denominator to lowest terms. False if the denominator is not positive, or
 * one of the two is too large. */
bool number_reduce(struct value pair[2], struct arena *arena);

/* Converts a value. False if it is not a real number: a complex one with an imaginary part is not.
 */
bool number_of(const struct value *v, struct arena *arena, struct number *ret);
bool number_equal(const struct number *a, const struct number *b);
uint64_t number_hash(const struct number *a, uint64_t seed);
/* The nearest double; false if there is none. */
bool number_to_double(const struct value *v, double *ret);
/* Appends an integer's digits. */
void number_repr(const struct value *v, struct buf *ret);

#endif
