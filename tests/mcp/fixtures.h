/* SPDX-License-Identifier: Apache-2.0
 *
 * The suite's tools and prompts that ask the client for more (question_fixtures.c), and the tool
 * with a parameter in a header of its own (header_fixture.c), for fixtures.c.
 */
#ifndef TESTS_MCP_FIXTURES_H
#define TESTS_MCP_FIXTURES_H

#include "mcp/asking.h"
#include "mcp/mcp.h"

typedef json_t *question_work(struct asking *asking);

/* NULL: the method is not asked about with this name. */
question_work *question_find(const struct rpc_message *m);
/* Ends with a row without a name. */
extern const struct question_tool {
    const char *name;
    question_work *work;
} question_tools[];

#define HEADER_TOOL "test_custom_header"
json_t *header_properties(void);
/* -1: the header is missing, or contradicts the argument. */
int header_check(const struct mcp_client *client, const struct rpc_message *m, void *ctx,
                 struct rpc_problem *problem);

#endif
