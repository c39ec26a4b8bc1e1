/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the server on two descriptors share.
 */
#ifndef MCP_STDIO_PARTS_H
#define MCP_STDIO_PARTS_H

#include "backends/pool.h"
#include "mcp/dialog.h"
#include "mcp/pipe.h"
#include "mcp/stdio.h"

struct stdio_server {
    struct mcp_pipe pipe;
    struct request_rules rules;
    struct mcp_service service;
    struct mcp_dialog dialog;
    struct backend_pool *pool;
};

/* The functions by which the protocol and the table of sessions call this server (stdio_calls.c).
 */
extern const struct mcp_host stdio_host;
struct sessions *stdio_sessions(struct stdio_server *s);

#endif
