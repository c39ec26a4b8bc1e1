/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTING_COLLECT_H
#define HOSTING_COLLECT_H

#include <jansson.h>

#include "result/result.h"

/* Adds content_base64 to each new or changed file in the result's document until max_bytes are
 * used, and content_skipped to the others. Call it between the run and result_done. */
void collect_contents(json_t *document, const struct result *result, uint64_t max_bytes);

#endif
