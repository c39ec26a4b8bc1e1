/* SPDX-License-Identifier: Apache-2.0
 *
 * Models call tools by names that they know from elsewhere, put a program between fences, and use
 * paths of other sandboxes. What is meant is clear, so the call is understood instead of refused.
 */
#ifndef MCP_FORGIVE_H
#define MCP_FORGIVE_H

#include "mcp/tools.h"

/* Returns the name of the tool that other systems have under this name, such as "execute_code" for
 * "python"; otherwise the name itself. */
struct str forgive_tool(struct str name);

/* Changes the arguments of a call, for the tool's own rows: names of arguments from other systems
 * ("source", "cmd", "timeout_ms"), fences around the program, and folders of other sandboxes before
 * a path ("/mnt/data/a.csv" is "a.csv"). Arguments with the tool's own names are left as they are.
 */
void forgive_arguments(const struct mcp_tool *tool, json_t *arguments);

#endif
