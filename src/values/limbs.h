/* SPDX-License-Identifier: Apache-2.0
 *
 * Large natural numbers, as far as comparing Python's numbers needs them. All is quadratic at
 * worst.
 */
#ifndef VALUES_LIMBS_H
#define VALUES_LIMBS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct limbs {
    uint32_t *at; /* lowest first, the highest is not 0 */
    size_t n;
};

/* 0, with room for so many, and one more. */
struct limbs limbs_new(struct arena *arena, size_t room);
struct limbs limbs_copy(const struct limbs *l, struct arena *arena);
struct limbs limbs_from_int(uint64_t v, struct arena *arena);
/* Digits and anything between them that is none; leading zeros are fine. */
struct limbs limbs_from_digits(struct str text, struct arena *arena);
void limbs_trim(struct limbs *l);

int limbs_compare(const struct limbs *a, const struct limbs *b);
/* Returns the rest. */
uint32_t limbs_divide(struct limbs *l, uint32_t by);
/* By one that goes in without rest. */
struct limbs limbs_divide_exactly(const struct limbs *a, const struct limbs *by,
                                  struct arena *arena);
/* Takes these factors out; how many there were. */
int64_t limbs_strip_twos(struct limbs *l);
int64_t limbs_strip_fives(struct limbs *l);
/* Without its factors 2. Of two numbers that are not 0; both are used up. */
struct limbs limbs_common_divisor(struct limbs a, struct limbs b);

#endif
