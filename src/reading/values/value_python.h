/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VALUES_VALUE_PYTHON_H
#define VALUES_VALUE_PYTHON_H

#include "values/value.h"

/* Reads a value in Python's syntax: literals, displays of literals, signed numbers, 1+2j, and calls
 * of set, frozenset, float, range, bytearray, deque, Decimal and Fraction. No code is executed. -1
 * with ERR_USAGE and the reason. */
int value_from_python(struct str text, struct arena *arena, struct value *ret, struct err *err);

#endif
