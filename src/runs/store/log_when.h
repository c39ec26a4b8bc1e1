/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_LOG_WHEN_H
#define STORE_LOG_WHEN_H

#include <stdint.h>

#include "base/err.h"

/* Reads an age in milliseconds: "90s", "12h", "30d". A unit is required: a plain `--older-than 30`
 * that is meant in days would delete too much if it were read as seconds. */
int log_parse_age(const char *text, int64_t *ret_ms, struct err *err);
/* Reads a moment, in milliseconds since 1970: an age, counted back from now_ms, or a local time,
 * "2025-01-31" or "2025-01-31 18:00[:05]" (a T may replace the blank). */
int log_parse_moment(const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err);

#endif
