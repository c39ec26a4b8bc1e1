/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits among the settings (LIMIT rows of request.def): as a struct jail_limits, and as the
 * JSON object {"timeout_ms": 30000, ...} of results and of the log. 0 is no limit.
 */
#ifndef REQUEST_LIMITS_H
#define REQUEST_LIMITS_H

#include <jansson.h>

#include "limits/limits.h"
#include "request/settings.h"

void limits_from_settings(const struct settings *s, struct jail_limits *ret);
/* Returns the limits that the user set, as bits 1 << enum jail_limit. */
unsigned limits_asked(const struct settings *s);
/* Returns the JSON object; `kept` is how much of each output stream a result keeps. */
json_t *limits_json(const struct jail_limits *limits, uint64_t kept);
/* Returns a JSON Schema of that object. */
json_t *limits_schema(void);

#endif
