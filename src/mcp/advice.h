/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice is written for the command line. A model behind MCP has arguments of tools instead, and
 * the other options are the server's.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"

/* Rewords the advice in the document of a run, a check or a test. `all_time`: it had all the time
 * that the server gives, so the argument 'timeout' cannot help. */
void advice_for_model(json_t *document, bool all_time);
/* The text of an error, which may advise to restart a session: there is no tool for that. */
json_t *advice_error(struct str message);

#endif
