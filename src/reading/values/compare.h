/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's == between values, outside the sandbox.
 *
 * Numbers compare by value, whatever their types are. A list is never equal to a tuple, nor a str
 * to bytes. Dicts and sets have no order, but two OrderedDicts do. Between two Counters, a missing
 * key counts as 0. Times with a time zone compare as points in time. nan equals nothing: CPython's
 * containers compare the identity of objects first, which is unknown here. A member of an enum, a
 * data class and a named tuple can be equal to one of a class with the same name; a named tuple
 * also to a plain tuple, and a member of an IntEnum to its number. A value of the codec's type
 * "other" equals nothing.
 */
#ifndef VALUES_COMPARE_H
#define VALUES_COMPARE_H

#include "values/value.h"

struct tolerance {
    bool on; /* floats may differ as with math.isclose, except members of sets and keys */
    double rel, abs;
    bool nan_equal; /* nan equals nan, even if not `on` */
};

/* For a set or a dict that a person wrote: removes repeated members or keys. The first of equal
 * keys stays, with the value of the last, as Python reads {1, True} and {1: 2, 1: 3}. */
void value_drop_repeated(struct value *v);
bool value_equal(const struct value *a, const struct value *b, const struct tolerance *tolerance);

#endif
