/* SPDX-License-Identifier: Apache-2.0
 *
 * A server of the Model Context Protocol: tools by which a client's model runs code in sandboxes of
 * this process. Two generations of the protocol are spoken at once, and each request says which is
 * meant: 2024-11-05 to 2025-11-25 begin with `initialize`; since 2026-07-28 every request names its
 * version.
 *
 * Theory. One thread, the loop, reads messages, owns all calls and the table of sessions
 * (hosting/session_table.h), and never waits for a guest. A call that may take long is a task of a
 * worker thread; calls about one session take turns. A third thread writes (mcp/out.h).
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <stddef.h>
#include <stdint.h>

#include "request/settings.h"

struct mcp_options {
    const struct settings *settings; /* of every run and session; lent */
    char *const *languages; /* the only ones that are offered; NULL-terminated, or NULL for all */
    size_t sessions_max;
    size_t message_max; /* bytes of an answer */
    int64_t idle_ms;    /* a session that is not used for so long is closed */
    int in_fd, out_fd;
    int quit_fd; /* readable: end now */
};

/* Serves until the client closes its end, or quit_fd is readable; all sessions are closed then. -1
 * when it could not start. */
int mcp_serve(const struct mcp_options *options, struct err *err);

#endif
