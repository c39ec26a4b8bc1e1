/* SPDX-License-Identifier: Apache-2.0
 *
 * The server for one client, on two descriptors. Beside the loop and its workers (mcp/workers.h),
 * a third thread writes (mcp/out.h).
 */
#ifndef MCP_STDIO_H
#define MCP_STDIO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "request/settings.h"

struct mcp_options {
    const struct settings *settings; /* of every run and session; lent */
    char *const *languages; /* the only ones that are offered; NULL-terminated, or NULL for all */
    size_t sessions_max;
    size_t message_max; /* bytes of an answer */
    int64_t idle_ms;    /* a session that is not used for so long is closed */
    int in_fd, out_fd;
    int quit_fd; /* readable: end now */
    /* Lines of a client that another server had until now. This one takes the first ones for what
     * they set, without answers; the others come before the input, and may end in a part of one. */
    struct str earlier, begun;
    /* For a host that may have another server later. `seen` gets every line of the client that is
     * handled here. While nothing of the client's is here (no call, no session, no kept file), this
     * server calls `leave` before it handles a line. If that returns true, it ends, and `left` has
     * that line and everything that was read after it. All NULL: it stays. */
    void (*seen)(void *ctx, struct str line);
    bool (*leave)(void *ctx);
    void *ctx;
    struct buf *left;
};

/* Serves until the client closes its end, or quit_fd is readable; all sessions are closed then. 1:
 * it has left. -1 when it could not start. */
int mcp_serve(const struct mcp_options *options, struct err *err);

#endif
