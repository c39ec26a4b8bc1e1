/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes for finding members of sets and keys of dicts.
 */
#include <string.h>

#include "values/compare_parts.h"
#include "values/number.h"

static uint64_t mix(uint64_t hash, uint64_t v)
{
    hash = (hash ^ v) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
}

static uint64_t hash_text(uint64_t hash, struct str s)
{
    for (size_t i = 0; i + 8 <= s.n; i += 8) {
        uint64_t piece;
        memcpy(&piece, s.p + i, 8);
        hash = mix(hash, piece);
    }
    for (size_t i = s.n & ~(size_t)7; i < s.n; i++)
        hash = mix(hash, (unsigned char)s.p[i]);
    return mix(hash, s.n);
}

static uint64_t hash_items(struct comparison *c, uint64_t hash, const struct value *v)
{
    for (size_t i = 0; i < v->n; i++)
        hash = mix(hash, compare_hash(c, &v->items[i]));
    return hash;
}

/* A sum, because a set has no order. */
static uint64_t hash_set(struct comparison *c, const struct value *v)
{
    uint64_t sum = v->n;

    for (size_t i = 0; i < v->n; i++)
        sum += compare_hash(c, &v->items[i]);
    return mix(c->seed + VALUE_SET, sum);
}

static uint64_t hash_number(struct comparison *c, const struct value *v)
{
    struct number n;

    if (v->type == VALUE_INT && !v->limbs)
        return number_hash(&(struct number){.small = true, .integer = v->integer}, c->seed);
    return number_of(v, &c->scratch, &n) ? number_hash(&n, c->seed) : c->seed;
}

/* Two times with the same UTC time are equal, whatever their zones. The microseconds of the longest
 * spans overflow 64 bits: for a hash, the lower bits suffice. */
static uint64_t hash_moment(uint64_t hash, const struct value *v)
{
    return mix(hash, (uint64_t)v->time.days * 86400000000 + (uint64_t)v->time.micro -
                         (uint64_t)v->time.from_utc);
}

bool compare_range_length(const struct value *v, unsigned __int128 *ret)
{
    if (v->items[0].limbs || v->items[1].limbs || v->items[2].limbs)
        return false;
    __int128 step = v->items[2].integer;
    __int128 distance = (__int128)v->items[1].integer - v->items[0].integer;

    if (step < 0) {
        step = -step;
        distance = -distance;
    }
    *ret = distance <= 0 ? 0 : (unsigned __int128)((distance + step - 1) / step);
    return true;
}

static uint64_t hash_range(struct comparison *c, const struct value *v)
{
    uint64_t hash = c->seed + VALUE_RANGE;
    unsigned __int128 n;

    if (!compare_range_length(v, &n))
        return hash_items(c, hash, v);
    hash = mix(mix(hash, (uint64_t)n), n > 0 ? (uint64_t)v->items[0].integer : 0);
    return mix(hash, n > 1 ? (uint64_t)v->items[2].integer : 0);
}

uint64_t compare_hash(struct comparison *c, const struct value *v)
{
    v = worth(v);
    if (is_number(v))
        return hash_number(c, v);
    if (is_tuple(v))
        return hash_items(c, c->seed + VALUE_TUPLE, v);
    if (is_set(v))
        return hash_set(c, v);
    if (v->type == VALUE_STR || is_bytes(v) || v->type == VALUE_PATH)
        return hash_text(c->seed + (v->type == VALUE_STR ? 1 : 2), v->text);
    if (v->type == VALUE_ENUM)
        return hash_text(c->seed + VALUE_ENUM, v->names[0]);
    if (v->type == VALUE_DATACLASS)
        return hash_items(c, c->seed + VALUE_DATACLASS, v);
    if (is_moment(v))
        return hash_moment(c->seed + v->type, v);
    if (v->type == VALUE_RANGE)
        return hash_range(c, v);
    return mix(c->seed, v->type);
}
