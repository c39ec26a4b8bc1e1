/* SPDX-License-Identifier: Apache-2.0
 *
 * The server on two descriptors, for its files.
 */
#ifndef MCP_STDIO_PARTS_H
#define MCP_STDIO_PARTS_H

#include "backends/pool.h"
#include "mcp/dialog.h"
#include "mcp/out.h"
#include "mcp/stdio.h"
#include "mcp/workers.h"

struct stdio_server {
    const struct mcp_options *options;
    struct request_rules rules;
    struct mcp_service service;
    struct mcp_dialog dialog;
    struct backend_pool *pool;
    struct mcp_out *out;
    struct mcp_workers *workers;
    bool ending, mute;
    int done_fd, broken_fd;
};

/* What the protocol and the table of sessions get from this server (stdio_calls.c). */
extern const struct mcp_host stdio_host;
struct sessions *stdio_sessions(struct stdio_server *s);

/* Whether the client reads its answers slowly: then nothing more is read from it, and no work
 * begins that would make another answer. */
bool stdio_is_full(const struct stdio_server *s);

#endif
