/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's == between values, on our side of the wall.
 *
 * Numbers compare by what they are worth, whatever their types; a list is never equal to a tuple, a
 * text never to bytes; dicts and sets have no order (two OrderedDicts have); moments that know
 * their time zone compare as points in time. nan equals nothing: which object it is, CPython's
 * containers ask first, is not told from outside. A member of an enum, a data class and a named
 * tuple are equal to those of a class of the same name; the latter also to a plain tuple, a member
 * of an IntEnum to its number. What the codec calls "other" equals nothing.
 */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include "judge/value.h"

struct tolerance {
    bool on; /* floats may differ as with math.isclose; not members of sets, nor keys */
    double rel, abs;
    bool nan_equal; /* also without `on` */
};

bool value_equal(const struct value *a, const struct value *b, const struct tolerance *tolerance);

#endif
