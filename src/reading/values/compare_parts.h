/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by comparing and hashing: the classes of types whose values may be equal.
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

/* In compare_hash.c. Values that may be equal have the same hash; other values only need different
 * hashes in most cases. */
uint64_t compare_hash(struct comparison *c, const struct value *v);
/* The number of numbers in a range. False if one of its parts has more than 64 bits. */
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

/* The value that == compares: the number of a numpy scalar, or the value of an enum member that is
 * also a number or a str. */
static inline const struct value *worth(const struct value *v)
{
    while (v->type == VALUE_SCALAR || (v->type == VALUE_ENUM && v->base))
        v = v->items;
    return v;
}

#endif
