/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUTES_COLLECT_H
#define ROUTES_COLLECT_H

#include <jansson.h>

#include "result/result.h"

/* Adds content_base64 to the new and changed files in the result's document until max_bytes are
 * used, and content_skipped to the remaining ones. Call it between the run and result_done. */
void collect_contents(json_t *document, const struct result *result, uint64_t max_bytes);

#endif
