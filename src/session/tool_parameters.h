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

/* *ret is a new list of {"name", "type", "description", "default", "optional", "kind"}, in which
 * only the name is always there: "type" is Python's text for it ("list[str]"), "default" typed
 * JSON, "kind" one of inspect's names in lower case. NULL for NULL and null: nothing is known
 * of them. ERR_USAGE, with the tool's name in the message. */
int tool_parameters_read(const char *tool, const json_t *given, json_t **ret, struct err *err);

#endif
