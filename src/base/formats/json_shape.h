/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FORMATS_JSON_SHAPE_H
#define FORMATS_JSON_SHAPE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* An upper bound of the number of values in a JSON text, where a member's name and value count as
 * one. */
size_t json_count_values(struct str text);
/* Checks JSON before a parser builds values from it: three bytes of text can become some 250 in
 * memory. -1 with ERR_GUEST when it is nested too deeply or has too many values. Invalid JSON may
 * pass. */
int json_check_shape(struct str text, size_t depth_max, size_t values_max, struct err *err);

#endif
