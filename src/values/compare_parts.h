/* SPDX-License-Identifier: Apache-2.0
 *
 * What comparing values and hashing them share: the classes of types that may be equal.
 */
#ifndef VALUES_COMPARE_PARTS_H
#define VALUES_COMPARE_PARTS_H

#include "base/mem.h"
#include "values/compare.h"

struct comparison {
    const struct tolerance *tolerance;
    struct arena scratch;
    uint64_t seed;
};

/* compare_hash.c: values that may be equal have the same; all the rest only need to be spread. */
uint64_t compare_hash(struct comparison *c, const struct value *v);
/* How many numbers are in a range. False where a part of it has more than 64 bits. */
bool compare_range_length(const struct value *v, unsigned __int128 *ret);

static inline bool is_set(const struct value *v)
{
    return v->type == VALUE_SET || v->type == VALUE_FROZENSET;
}

static inline bool is_bytes(const struct value *v)
{
    return v->type == VALUE_BYTES || v->type == VALUE_BYTEARRAY;
}

static inline bool is_tuple(const struct value *v)
{
    return v->type == VALUE_TUPLE || v->type == VALUE_NAMEDTUPLE;
}

static inline bool is_number(const struct value *v)
{
    return v->type == VALUE_BOOL || v->type == VALUE_INT || v->type == VALUE_FLOAT ||
           v->type == VALUE_COMPLEX || v->type == VALUE_DECIMAL || v->type == VALUE_FRACTION;
}

static inline bool is_moment(const struct value *v)
{
    return v->type == VALUE_DATE || v->type == VALUE_TIME || v->type == VALUE_DATETIME ||
           v->type == VALUE_TIMEDELTA;
}

/* The value that == compares: a scalar of numpy's, and a member of an enum that is also a number or
 * a text. */
static inline const struct value *worth(const struct value *v)
{
    while (v->type == VALUE_SCALAR || (v->type == VALUE_ENUM && v->base))
        v = v->items;
    return v;
}

#endif
