/* SPDX-License-Identifier: Apache-2.0 */
#include "values/limbs.h"

#include <string.h>

enum { PIECE = 1000000000, PIECE_DIGITS = 9, FIVES = 13 };
#define FIVE_TO_13 1220703125u

struct limbs limbs_new(struct arena *arena, size_t room)
{
    return (struct limbs){arena_alloc(arena, (room + 1) * sizeof(uint32_t)), 0};
}

void limbs_trim(struct limbs *l)
{
    while (l->n && !l->at[l->n - 1])
        l->n--;
}

/* l = l * by + add; l must have room for one more limb. */
static void limbs_multiply_add(struct limbs *l, uint32_t by, uint32_t add)
{
    uint64_t carry = add;

    for (size_t i = 0; i < l->n; i++) {
        carry += (uint64_t)l->at[i] * by;
        l->at[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        l->at[l->n++] = (uint32_t)carry;
}

uint32_t limbs_divide(struct limbs *l, uint32_t by)
{
    uint64_t rest = 0;

    for (size_t i = l->n; i-- > 0;) {
        rest = rest << 32 | l->at[i];
        l->at[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    limbs_trim(l);
    return (uint32_t)rest;
}

static uint32_t rest_of(const struct limbs *l, uint32_t by)
{
    uint64_t rest = 0;

    for (size_t i = l->n; i-- > 0;)
        rest = (rest << 32 | l->at[i]) % by;
    return (uint32_t)rest;
}

int limbs_compare(const struct limbs *a, const struct limbs *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

/* a -= b; b must not be larger than a. */
static void subtract(struct limbs *a, const struct limbs *b)
{
    int64_t borrow = 0;

    for (size_t i = 0; i < a->n; i++) {
        int64_t left = (int64_t)a->at[i] - (i < b->n ? b->at[i] : 0) + borrow;
        a->at[i] = (uint32_t)left;
        borrow = left < 0 ? -1 : 0;
    }
    limbs_trim(a);
}

/* Removes all factors 2; returns how many there were. */
int64_t limbs_strip_twos(struct limbs *l)
{
    size_t whole = 0, bits;

    if (!l->n)
        return 0;
    while (!l->at[whole])
        whole++;
    bits = (size_t)__builtin_ctz(l->at[whole]);
    for (size_t i = whole; i < l->n; i++) {
        uint64_t two = l->at[i] | (i + 1 < l->n ? (uint64_t)l->at[i + 1] << 32 : 0);
        l->at[i - whole] = (uint32_t)(two >> bits);
    }
    l->n -= whole;
    limbs_trim(l);
    return (int64_t)(32 * whole + bits);
}

int64_t limbs_strip_fives(struct limbs *l)
{
    int64_t n = 0;

    for (; l->n && rest_of(l, FIVE_TO_13) == 0; n += FIVES)
        (void)limbs_divide(l, FIVE_TO_13);
    for (; l->n && rest_of(l, 5) == 0; n++)
        (void)limbs_divide(l, 5);
    return n;
}

/* The greatest common divisor without its factors 2. Both numbers must not be 0, and are
 * overwritten. */
struct limbs limbs_common_divisor(struct limbs a, struct limbs b)
{
    (void)limbs_strip_twos(&a);
    (void)limbs_strip_twos(&b);
    for (;;) {
        int order = limbs_compare(&a, &b);
        if (order == 0)
            return a;
        struct limbs *large = order > 0 ? &a : &b;
        subtract(large, order > 0 ? &b : &a);
        (void)limbs_strip_twos(large);
    }
}

struct limbs limbs_copy(const struct limbs *l, struct arena *arena)
{
    struct limbs copy = limbs_new(arena, l->n);

    if (l->n)
        memcpy(copy.at, l->at, l->n * sizeof *copy.at);
    copy.n = l->n;
    return copy;
}

struct limbs limbs_from_int(uint64_t v, struct arena *arena)
{
    struct limbs l = limbs_new(arena, 2);

    l.at[0] = (uint32_t)v;
    l.at[1] = (uint32_t)(v >> 32);
    l.n = 2;
    limbs_trim(&l);
    return l;
}

/* Reads the digits of a text and skips all other characters; leading zeros are fine. */
struct limbs limbs_from_digits(struct str text, struct arena *arena)
{
    struct limbs l = limbs_new(arena, text.n / PIECE_DIGITS + 2);
    uint32_t piece = 0, scale = 1;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            continue;
        piece = piece * 10 + (uint32_t)(text.p[i] - '0');
        scale *= 10;
        if (scale == PIECE) {
            limbs_multiply_add(&l, scale, piece);
            piece = 0;
            scale = 1;
        }
    }
    limbs_multiply_add(&l, scale, piece);
    return l;
}

/* The quotient of a division without a remainder: long division, bit by bit. */
struct limbs limbs_divide_exactly(const struct limbs *a, const struct limbs *by,
                                  struct arena *arena)
{
    struct limbs quotient = limbs_new(arena, a->n), rest = limbs_new(arena, by->n + 1);

    memset(quotient.at, 0, (a->n + 1) * sizeof *quotient.at);
    for (size_t bit = 32 * a->n; bit-- > 0;) {
        limbs_multiply_add(&rest, 2, a->at[bit / 32] >> bit % 32 & 1);
        if (limbs_compare(&rest, by) >= 0) {
            subtract(&rest, by);
            quotient.at[bit / 32] |= 1u << bit % 32;
        }
    }
    quotient.n = a->n;
    limbs_trim(&quotient);
    return quotient;
}
