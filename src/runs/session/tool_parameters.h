/* SPDX-License-Identifier: Apache-2.0
 *
 * A tool's parameters, in the three forms in which clients describe them: a list of names, a list
 * of objects, or a JSON Schema of type object as function calling has it.
 */
#ifndef SESSION_TOOL_PARAMETERS_H
#define SESSION_TOOL_PARAMETERS_H

#include <jansson.h>

#include "base/err.h"

enum { TOOL_PARAMETERS_MAX = 100, TOOL_TYPE_MAX = 500 };

/* Sets *ret to a new list of {"name", "type", "description", "default", "optional", "kind"}. Only
 * "name" is always present; "type" is a Python type as a string ("list[str]"), "default" is typed
 * JSON, "kind" is one of inspect's names in lower case. If `given` is NULL or null, *ret is NULL:
 * nothing is known. -1 with ERR_USAGE and the tool's name in the message. */
int tool_parameters_read(const char *tool, const json_t *given, json_t **ret, struct err *err);

#endif
