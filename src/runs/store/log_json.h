/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_LOG_JSON_H
#define STORE_LOG_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "store/store.h"

/* Returns a run as an object; the caller calls json_decref. The code is in it only if requested,
 * and is null if it was not kept. */
json_t *log_json_run(const struct run_record *run, bool with_code);
json_t *log_json_stats(const struct store_stats *stats);

#endif
