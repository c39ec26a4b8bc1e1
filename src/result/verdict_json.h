/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RESULT_VERDICT_JSON_H
#define RESULT_VERDICT_JSON_H

#include <jansson.h>

#include "guard/guard.h"

/* {"allowed", "stage", "reason", "risk", "findings": [...]}: the caller's. */
json_t *verdict_json(const struct verdict *v);
/* Any bytes as a JSON string: what is not UTF-8 becomes U+FFFD. */
json_t *json_text(struct str s);

#endif
