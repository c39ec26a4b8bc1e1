/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursion is as deep as the values, whose depth is limited. Members of sets and dicts are found
 * by hash: equal values have equal hashes, and a new seed each time keeps a guest from choosing
 * values whose hashes collide.
 */
#include "values/compare_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "values/number.h"

static bool equal(struct comparison *c, const struct value *a, const struct value *b);

static bool same_class(const struct value *a, const struct value *b)
{
    return a->class_name && b->class_name && strcmp(a->class_name, b->class_name) == 0;
}

/* ---- sets and dicts ---- */

struct entry {
    uint64_t hash;
    const struct value *key, *value;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key); /* both point into one array: keep its order */
}

static struct entry *make_index(struct comparison *c, const struct value *v)
{
    size_t per = v->type == VALUE_DICT ? 2 : 1;
    struct entry *index = arena_alloc(&c->scratch, (v->n + 1) * sizeof *index);

    for (size_t i = 0; i < v->n; i++) {
        const struct value *key = &v->items[per * i];
        index[i] = (struct entry){compare_hash(c, key), key, per == 2 ? key + 1 : NULL};
    }
    qsort(index, v->n, sizeof *index, compare_entries);
    return index;
}

static const struct entry *compare_look_up(struct comparison *c, const struct entry *index,
                                           size_t n, const struct entry *wanted)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index[middle].hash < wanted->hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && index[low].hash == wanted->hash; low++)
        if (equal(c, index[low].key, wanted->key))
            return &index[low];
    return NULL;
}

/* True if every wanted entry is in `all`. A guest's set may repeat a member, so the caller looks up
 * each side in the other. */
static bool contains(struct comparison *c, const struct entry *all, const struct entry *wanted,
                     size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!compare_look_up(c, all, n, &wanted[i]))
            return false;
    return true;
}

/* True if the keys or members are the same. They are compared exactly, without a tolerance. */
static bool same_members(struct comparison *c, const struct value *a, const struct value *b,
                         struct entry **ret_a, struct entry **ret_b)
{
    const struct tolerance exact = {.nan_equal = c->tolerance->nan_equal}, *before = c->tolerance;

    if (a->n != b->n)
        return false;
    *ret_a = make_index(c, a);
    *ret_b = make_index(c, b);
    c->tolerance = &exact;
    bool same = contains(c, *ret_a, *ret_b, a->n) && contains(c, *ret_b, *ret_a, a->n);
    c->tolerance = before;
    return same;
}

static bool equal_sets(struct comparison *c, const struct value *a, const struct value *b)
{
    struct entry *index_a, *index_b;

    return same_members(c, a, b, &index_a, &index_b);
}

static bool is_called(const struct value *v, const char *class_name)
{
    return v->class_name && strcmp(v->class_name, class_name) == 0;
}

static bool equal_items(struct comparison *c, const struct value *a, const struct value *b,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!equal(c, &a[i], &b[i]))
            return false;
    return true;
}

/* Compares two ordered dicts: the same keys in the same order, compared exactly, and values that
 * may differ by the tolerance. */
static bool equal_in_order(struct comparison *c, const struct value *a, const struct value *b)
{
    const struct tolerance exact = {.nan_equal = c->tolerance->nan_equal}, *before = c->tolerance;

    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        c->tolerance = &exact;
        bool same = equal(c, &a->items[2 * i], &b->items[2 * i]);
        c->tolerance = before;
        if (!same || !equal(c, &a->items[2 * i + 1], &b->items[2 * i + 1]))
            return false;
    }
    return true;
}

/* In a Counter, a missing key counts as 0. */
static bool covers(struct comparison *c, const struct entry *all, size_t n,
                   const struct entry *some, size_t m)
{
    static const struct value none = {.type = VALUE_INT};

    for (size_t i = 0; i < m; i++) {
        const struct entry *other = compare_look_up(c, all, n, &some[i]);
        if (!equal(c, some[i].value, other ? other->value : &none))
            return false;
    }
    return true;
}

static bool equal_counters(struct comparison *c, const struct value *a, const struct value *b)
{
    const struct entry *index_a = make_index(c, a), *index_b = make_index(c, b);

    return covers(c, index_a, a->n, index_b, b->n) && covers(c, index_b, b->n, index_a, a->n);
}

static bool equal_dicts(struct comparison *c, const struct value *a, const struct value *b)
{
    struct entry *index_a, *index_b;

    if (is_called(a, "OrderedDict") && is_called(b, "OrderedDict"))
        return equal_in_order(c, a, b);
    if (is_called(a, "Counter") && is_called(b, "Counter"))
        return equal_counters(c, a, b);
    if (!same_members(c, a, b, &index_a, &index_b))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct entry *other = compare_look_up(c, index_b, b->n, &index_a[i]);
        if (!other || !equal(c, index_a[i].value, other->value))
            return false;
    }
    return true;
}

/* ---- numbers ---- */

static bool is_close(const struct tolerance *t, double a, double b)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

    if (a == b)
        return true;
    if (isinf(a) || isinf(b))
        return false;
    return fabs(a - b) <= t->abs || fabs(a - b) <= t->rel * larger;
}

static bool close_numbers(const struct tolerance *t, const struct value *a, const struct value *b)
{
    double x, y;

    if (a->type == VALUE_COMPLEX && b->type == VALUE_COMPLEX)
        return is_close(t, a->parts[0], b->parts[0]) && is_close(t, a->parts[1], b->parts[1]);
    return number_to_double(a, &x) && number_to_double(b, &y) && is_close(t, x, y);
}

static bool is_nan(const struct value *v)
{
    return v->type == VALUE_FLOAT && isnan(v->real);
}

static bool equal_numbers(struct comparison *c, const struct value *a, const struct value *b)
{
    struct number x, y;

    if (c->tolerance->nan_equal && is_nan(a) && is_nan(b))
        return true;
    if (c->tolerance->on &&
        (a->type == VALUE_FLOAT || b->type == VALUE_FLOAT || a->type == VALUE_COMPLEX) &&
        close_numbers(c->tolerance, a, b))
        return true;
    if (a->type == VALUE_INT && b->type == VALUE_INT && !a->limbs && !b->limbs)
        return a->integer == b->integer;
    if (a->type == VALUE_FLOAT && b->type == VALUE_FLOAT)
        return a->real == b->real;
    if (a->type == VALUE_COMPLEX && b->type == VALUE_COMPLEX)
        return a->parts[0] == b->parts[0] && a->parts[1] == b->parts[1];
    return number_of(a, &c->scratch, &x) && number_of(b, &c->scratch, &y) && number_equal(&x, &y);
}

/* ---- the rest ---- */

/* Ranges are equal if they yield the same numbers. If a range has numbers of more than 64 bits, its
 * length is unknown here, and it equals only a range whose parts are all the same. */
static bool equal_ranges(struct comparison *c, const struct value *a, const struct value *b)
{
    unsigned __int128 n, m;

    if (!compare_range_length(a, &n) || !compare_range_length(b, &m))
        return equal_items(c, a->items, b->items, 3);
    return n == m && (n < 1 || a->items[0].integer == b->items[0].integer) &&
           (n < 2 || a->items[2].integer == b->items[2].integer);
}

static bool equal_moments(const struct value *a, const struct value *b)
{
    int64_t days = a->time.days - b->time.days;
    int64_t micro = a->time.micro - b->time.micro - (a->time.from_utc - b->time.from_utc);

    return a->aware == b->aware && days < 3 && days > -3 && days * 86400000000 + micro == 0;
}

static bool equal_arrays(struct comparison *c, const struct value *a, const struct value *b)
{
    return a->n == b->n && a->flat_n == b->flat_n &&
           equal_items(c, a->items, b->items, a->n + a->flat_n);
}

static bool same_names(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (!str_eq(a->names[i], b->names[i]))
            return false;
    return true;
}

/* A flag that combines several members has no name in some versions of Python: then its value is
 * compared. */
static bool equal_members(struct comparison *c, const struct value *a, const struct value *b)
{
    return same_class(a, b) && str_eq(a->names[0], b->names[0]) &&
           (!str_is(a->names[0], "None") || equal(c, a->items, b->items));
}

static bool equal_same_type(struct comparison *c, const struct value *a, const struct value *b)
{
    if (is_moment(a))
        return equal_moments(a, b);
    switch (a->type) {
    case VALUE_NONE:
        return true;
    case VALUE_STR:
    case VALUE_PATH:
        return str_eq(a->text, b->text);
    case VALUE_LIST:
    case VALUE_DEQUE:
        return a->n == b->n && equal_items(c, a->items, b->items, a->n);
    case VALUE_DICT:
        return equal_dicts(c, a, b);
    case VALUE_RANGE:
        return equal_ranges(c, a, b);
    case VALUE_ENUM:
        return equal_members(c, a, b);
    case VALUE_DATACLASS:
        return same_class(a, b) && a->n == b->n && same_names(a, b) &&
               equal_items(c, a->items, b->items, a->n);
    case VALUE_NDARRAY:
        return equal_arrays(c, a, b);
    default:
        return false;
    }
}

static bool equal(struct comparison *c, const struct value *a, const struct value *b)
{
    if (a->type == VALUE_ENUM && b->type == VALUE_ENUM)
        return equal_same_type(c, a, b) ||
               (a->base && b->base && !same_class(a, b) && equal(c, worth(a), worth(b)));
    a = worth(a);
    b = worth(b);
    if (is_number(a) && is_number(b))
        return equal_numbers(c, a, b);
    if (is_tuple(a) && is_tuple(b))
        return a->n == b->n && equal_items(c, a->items, b->items, a->n);
    if (is_set(a) && is_set(b))
        return equal_sets(c, a, b);
    if (is_bytes(a) && is_bytes(b))
        return str_eq(a->text, b->text);
    return a->type == b->type && equal_same_type(c, a, b);
}

bool value_equal(const struct value *a, const struct value *b, const struct tolerance *tolerance)
{
    static const struct tolerance none;
    struct comparison c = {.tolerance = tolerance ? tolerance : &none};

    (void)!getrandom(&c.seed, sizeof c.seed, 0);
    bool same = equal(&c, a, b);
    arena_done(&c.scratch);
    return same;
}

/* ---- reading ---- */

/* Finds an equal key among the earlier entries with the same hash; NULL if this is the first. A
 * value that is not equal to itself (nan) repeats nothing. */
static const struct entry *find_first(struct comparison *c, const struct entry *index, size_t i)
{
    if (!i || index[i - 1].hash != index[i].hash || !equal(c, index[i].key, index[i].key))
        return NULL;
    for (size_t k = i; k-- > 0 && index[k].hash == index[i].hash;)
        if (index[k].key && equal(c, index[k].key, index[i].key))
            return &index[k];
    return NULL;
}

void value_drop_repeated(struct value *v)
{
    static const struct tolerance exact;
    struct comparison c = {.tolerance = &exact};
    size_t per = v->type == VALUE_DICT ? 2 : 1, n = 0;
    struct entry *index = make_index(&c, v);
    bool *drop = arena_zalloc(&c.scratch, v->n + 1);

    for (size_t i = 1; i < v->n; i++) {
        const struct entry *first = find_first(&c, index, i);
        if (!first)
            continue;
        if (per == 2)
            v->items[first->key - v->items + 1] = *index[i].value;
        drop[(size_t)(index[i].key - v->items) / per] = true;
        index[i].key = NULL;
    }
    for (size_t i = 0; i < v->n; i++)
        if (!drop[i])
            memmove(&v->items[per * n++], &v->items[per * i], per * sizeof *v->items);
    v->n = n;
    arena_done(&c.scratch);
}
