/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice is written for users of the command line. A model behind MCP has the arguments of tools
 * instead of options; all other options are set by the server's operator, so advice to set one is
 * left out.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"

/* Rewords the advice in the document of a run, a check or a test, and keeps one piece of it.
 * `all_time`: the program had all the time that the server allows, so the argument 'timeout' cannot
 * help. */
void advice_for_model(json_t *document, bool all_time);
/* The message of an error as JSON. Advice to restart a session is replaced, for there is no tool
 * that does it. */
json_t *advice_error(struct str message);

#endif
