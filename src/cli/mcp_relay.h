/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp` where a daemon runs: the client's lines go to the daemon and come back, and all
 * work is done there, with the settings of this command line. If the daemon is lost, calls that
 * were on their way get errors, since they may have run, and the caller serves the client further.
 */
#ifndef CLI_MCP_RELAY_H
#define CLI_MCP_RELAY_H

#include "cli/mcp_pending.h"
#include "console/options.h"
#include "mcp/rpc.h"
#include "net/http_client.h"

struct mcp_out;

struct mcp_relay {
    /* Set by the caller, and lent. */
    const struct cli_settings *settings;
    const struct opt_list *languages; /* of --languages */
    int64_t sessions;
    uint64_t message_limit;
    int in_fd, out_fd, quit_fd;
    /* What another server needs to continue, after mcp_relay_run: see struct mcp_options. */
    struct buf earlier, begun;

    struct http_client client;
    struct rpc_lines from_client, from_daemon;
    struct buf to_daemon;
    struct mcp_pending pending;
    struct mcp_out *out;
    int broken_fd;
    bool ended;        /* the client's input */
    bool over;         /* nothing more is to be done */
    int64_t finish_at; /* after the end of the input */
    int64_t heard_ms;  /* when the daemon last sent something, or was found alive */
    int64_t patience_ms;
    int64_t flush_ms;
};

/* Connects (mcp_relay_open.c). 1; 0: there is no daemon that can be used, which is said unless none
 * runs. -1: one is demanded (--daemon), and cannot be used. */
int mcp_relay_open(struct mcp_relay *relay, struct err *err);
/* Passes lines on until the client has ended: 1; or until the daemon is lost: 0, or -1 where it was
 * demanded. */
int mcp_relay_run(struct mcp_relay *relay, struct err *err);
void mcp_relay_done(struct mcp_relay *relay);

#endif
