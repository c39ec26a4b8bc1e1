/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers, sizes and durations as people write them. The whole text must be consumed; on failure
 * the message says which forms are accepted.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Decimal, optional sign; false when it is not a number or does not fit. */
bool num_int64(struct str s, int64_t *ret);

/* "512m", "1.5g", "64k", "1048576", also "512MB" and "512MiB": bytes, powers of 1024. */
int num_size(struct str s, uint64_t *ret_bytes, struct err *err);
/* "30s", "1.5s", "200ms", "2m", "1h", "1d", "1h30m"; a bare number counts seconds. */
int num_duration_ms(struct str s, int64_t *ret_ms, struct err *err);
/* "1.0", "0.5", "2": thousandths of a processor; 0 only if the number is exactly zero. */
int num_milli(struct str s, int64_t *ret_milli, struct err *err);

/* The shortest form that reads back as the same value: "512m", "30s". Returns out. */
char *num_format_size(uint64_t bytes, char *out, size_t n);
char *num_format_duration(int64_t ms, char *out, size_t n);

#endif
