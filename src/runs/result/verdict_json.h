/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RESULT_VERDICT_JSON_H
#define RESULT_VERDICT_JSON_H

#include <jansson.h>

#include "formats/encoded.h" /* json_text */
#include "guard/guard.h"

/* Returns {"allowed", "stage", "reason", "risk", "findings": [...]}; the caller frees. */
json_t *verdict_json(const struct verdict *v);
/* Adds a member KEY_base64 with the bytes if they are not UTF-8, because the string KEY lost
 * some. */
void json_set_if_odd(json_t *object, const char *key, struct str s);
/* Returns the lines as an array of strings. */
json_t *json_lines(struct str lines);

#endif
