/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's == between values, on our side of the wall.
 *
 * Numbers compare by what they are worth, whatever their types; a list is never equal to a tuple, a
 * text never to bytes; dicts and sets have no order, two OrderedDicts have; beside another Counter
 * a Counter has 0 of what it does not hold; moments that know their time zone compare as points in
 * time. nan equals nothing: CPython's containers first compare the identity of objects, which is
 * unknown outside. A member of an enum, a data class and a named tuple are equal to those of a
 * class of the same name; the latter also to a plain tuple, a member of an IntEnum to its number. A
 * value of the codec's type "other" equals nothing.
 */
#ifndef VALUES_COMPARE_H
#define VALUES_COMPARE_H

#include "values/value.h"

struct tolerance {
    bool on; /* floats may differ as with math.isclose; not members of sets, nor keys */
    double rel, abs;
    bool nan_equal; /* also without `on` */
};

/* For a set or a dict as a person wrote it: of equal members the first stays, of equal keys too,
 * with the value of the last; as Python reads {1, True} and {1: 2, 1: 3}. */
void value_drop_repeated(struct value *v);
bool value_equal(const struct value *a, const struct value *b, const struct tolerance *tolerance);

#endif
