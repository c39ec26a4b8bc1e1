/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VALUES_VALUE_PYTHON_H
#define VALUES_VALUE_PYTHON_H

#include "values/value.h"

/* A value as Python writes it: literals and displays of them, numbers with signs, 1+2j, and calls
 * of set, frozenset, float, range, bytearray, deque, Decimal and Fraction. Nothing is run. -1 with
 * ERR_USAGE and what is wrong. */
int value_from_python(struct str text, struct arena *arena, struct value *ret, struct err *err);

#endif
