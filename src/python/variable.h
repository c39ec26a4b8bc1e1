/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_VARIABLE_H
#define PYTHON_VARIABLE_H

#include <stdbool.h>

#include "base/str.h"

/* Whether "NAME = 0" is an assignment to that name, in ASCII and without "__" before it. */
bool python_is_variable(struct str name);

#endif
