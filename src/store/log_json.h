/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_LOG_JSON_H
#define STORE_LOG_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "store/store.h"

/* A run as an object, for which the caller calls json_decref. With the code only if requested: null
 * if the code was not kept. */
json_t *log_json_run(const struct run_record *run, bool with_code);
json_t *log_json_stats(const struct store_stats *stats);

#endif
