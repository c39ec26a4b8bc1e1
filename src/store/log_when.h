/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_LOG_WHEN_H
#define STORE_LOG_WHEN_H

#include <stdint.h>

#include "base/err.h"

/* "90s", "12h", "30d": milliseconds. Without a unit it is refused: `--older-than 30` deletes too
 * much when it means seconds. */
int log_parse_age(const char *text, int64_t *ret_ms, struct err *err);
/* An age, counted back from now_ms, or a local time, "2025-01-31" or "2025-01-31 18:00[:05]" (with
 * a T for the blank too): milliseconds since 1970. */
int log_parse_moment(const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err);

#endif
