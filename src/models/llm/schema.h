/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of JSON Schema that we use for answers of models: type (a name or a list of names),
 * properties, required, additionalProperties (false), items, enum, minItems, maxItems, minLength,
 * maxLength, minimum, maximum. `description` and `title` are for the model and are not checked.
 */
#ifndef LLM_SCHEMA_H
#define LLM_SCHEMA_H

#include <jansson.h>

#include "base/err.h"

/* 0 if the value matches the schema; -1 with ERR_GUEST and the path of the wrong member:
 * "answer.items.2.name is not of the type 'string'". A keyword of the schema that is not in the
 * list above is ERR_BUG, so that no condition is silently ignored. */
int schema_check(const json_t *schema, const json_t *value, struct err *err);

#endif
