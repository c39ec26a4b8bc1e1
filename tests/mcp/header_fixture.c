/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/utf8.h"
#include "fixtures.h"
#include "formats/json_get.h"
#include "mcp/headers.h"
#include "mcp/stdio_parts.h"
#include "server/job.h"
#include "server/mcp_post.h"

#define ARGUMENT "region"
#define HEADER   "Mcp-Param-Region"

json_t *header_properties(void)
{
    return json_pack("{s:{s:s, s:s}}", ARGUMENT, "type", "string", "x-mcp-header", "Region");
}

int header_check(const struct mcp_client *client, const struct rpc_message *m, void *ctx,
                 struct rpc_problem *problem)
{
    struct str name = json_str(json_object_get(m->params, "name"));
    struct str value = json_str(json_object_get(json_object_get(m->params, "arguments"), ARGUMENT));

    if (client->host == &stdio_host || !mcp_is_modern(m) || strcmp(m->method, "tools/call") != 0 ||
        !str_is(name, HEADER_TOOL))
        return 0;
    struct mcp_post *post = ctx;
    struct str given = str_trim(http_header(post->call->x->head, HEADER));
    if (value.p ? given.p && mcp_header_is(given, value) : !given.p)
        return 0;
    return rpc_problem_set(problem, RPC_HEADER, "the header " HEADER " is not the argument '%.*s'",
                           (int)utf8_cut(value, 100), value.p ? value.p : "");
}
