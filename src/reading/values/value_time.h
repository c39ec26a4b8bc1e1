/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VALUES_VALUE_TIME_H
#define VALUES_VALUE_TIME_H

#include "values/value.h"

/* Reads "2024-02-29", "12:00:00.5+01:00", or both with a T or a space between, into ret->time and
 * ret->aware. False if the text is invalid. */
bool value_read_moment(struct str text, bool date, bool clock, struct value *ret);

/* Makes a span of time, normalised as timedelta() does, in ret->time. */
void value_make_span(int64_t days, int64_t seconds, int64_t micro, struct value *ret);

#endif
