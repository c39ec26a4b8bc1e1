/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_SHAPE_H
#define BASE_JSON_SHAPE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Looks at JSON before a parser builds values of it: three bytes can become some 250 in memory. -1
 * with ERR_GUEST when it is nested too deep or has too many values. Text that is no JSON may pass.
 */
int json_check_shape(struct str text, size_t depth_max, size_t values_max, struct err *err);

#endif
