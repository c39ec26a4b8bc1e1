/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp` where a daemon runs: the client's lines go to the daemon and come back, and all
 * work is done there, with the settings of this command line. If the daemon is lost, calls that
 * were on their way get errors, since they may have run, and the caller serves the client further,
 * until a daemon runs again.
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
    /* What the next server needs to continue: see struct mcp_options. */
    struct buf earlier, begun;

    struct http_client client;
    struct rpc_lines from_client, from_daemon;
    struct buf to_daemon;
    struct mcp_pending pending;
    struct mcp_out *out;
    int broken_fd;
    bool ended;   /* the client's input */
    bool over;    /* nothing more is to be done */
    bool refused; /* these settings cannot be honoured by any daemon: none is looked for */
    unsigned
        repeated;    /* answers to lines that were answered before, which the client does not get */
    int64_t look_at; /* when a daemon that was started later is looked for again */
    int64_t finish_at; /* after the end of the input */
    int64_t heard_ms;  /* when the daemon last sent something, or was found alive */
    int64_t patience_ms;
    int64_t flush_ms;
};

void mcp_relay_init(struct mcp_relay *relay);
/* Connects (mcp_relay_open.c). 1; 0: there is no daemon that can be used, which is said unless none
 * runs. -1: one is demanded (--daemon), and cannot be used. */
int mcp_relay_open(struct mcp_relay *relay, struct err *err);
/* The same while this process serves the client, and only now and then: whether a daemon that was
 * started later is connected now. */
bool mcp_relay_reopen(struct mcp_relay *relay);
/* Passes lines on until the client has ended: 1; or until the daemon is lost: 0, or -1 where it was
 * demanded. */
int mcp_relay_run(struct mcp_relay *relay, struct err *err);
/* Takes the client's lines that the next server begins with; the caller frees them. */
struct buf mcp_relay_take_begun(struct mcp_relay *relay);
void mcp_relay_done(struct mcp_relay *relay);

#endif
