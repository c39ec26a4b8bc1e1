/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer about a run or a cell: text for the model, pictures as images, and the structured
 * result.
 */
#ifndef MCP_REPLY_H
#define MCP_REPLY_H

#include "mcp/tools.h"
#include "result/result.h"

/* Sets the call's answer. `session` is the session's ID, or NULL for a run in a sandbox of its own,
 * whose files are kept now. */
void reply_run(struct mcp_call *call, const struct result *result, const char *session);

#endif
