/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice is written for the command line. A model behind MCP has arguments of tools instead, and
 * the other options are the server's.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <jansson.h>

/* Rewords the advice in the document of a run, a check or a test. */
void advice_for_model(json_t *document);

#endif
