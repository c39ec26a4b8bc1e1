/* SPDX-License-Identifier: Apache-2.0
 *
 * Large natural numbers, as far as comparing Python's numbers needs them. Every function is at
 * worst quadratic.
 */
#ifndef VALUES_LIMBS_H
#define VALUES_LIMBS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct limbs {
    uint32_t *at; /* lowest limb first; the highest is not 0 */
    size_t n;
};

/* Returns 0, with room for this many limbs and one more. */
struct limbs limbs_new(struct arena *arena, size_t room);
struct limbs limbs_copy(const struct limbs *l, struct arena *arena);
struct limbs limbs_from_int(uint64_t v, struct arena *arena);
/* Reads the digits of a text and skips all other characters; leading zeros are fine. */
struct limbs limbs_from_digits(struct str text, struct arena *arena);
void limbs_trim(struct limbs *l);

int limbs_compare(const struct limbs *a, const struct limbs *b);
/* Divides in place; returns the remainder. */
uint32_t limbs_divide(struct limbs *l, uint32_t by);
/* The quotient of a division that must have no remainder. */
struct limbs limbs_divide_exactly(const struct limbs *a, const struct limbs *by,
                                  struct arena *arena);
/* These remove all factors 2 or 5, and return how many there were. */
int64_t limbs_strip_twos(struct limbs *l);
int64_t limbs_strip_fives(struct limbs *l);
/* The greatest common divisor without its factors 2. Both numbers must not be 0, and are
 * overwritten. */
struct limbs limbs_common_divisor(struct limbs a, struct limbs b);

#endif
