/* SPDX-License-Identifier: Apache-2.0
 *
 * The suite's tool with a parameter in a header of its own (header_fixture.c), for fixtures.c.
 */
#ifndef TESTS_MCP_FIXTURES_H
#define TESTS_MCP_FIXTURES_H

#include "mcp/mcp.h"

#define HEADER_TOOL "test_custom_header"
json_t *header_properties(void);
/* -1: the header is missing, or contradicts the argument. */
int header_check(const struct mcp_client *client, const struct rpc_message *m, void *ctx,
                 struct rpc_problem *problem);

#endif
