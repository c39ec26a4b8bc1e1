/* SPDX-License-Identifier: Apache-2.0
 *
 * The requests that `glovebox mcp` passed on to a daemon and that have no answer yet, and the
 * client's choices that another server must know to continue.
 */
#ifndef CLI_MCP_PENDING_H
#define CLI_MCP_PENDING_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

struct mcp_request;

struct mcp_pending {
    struct mcp_request *first, **end;
    uint64_t lines;
    char *hello, *level; /* the last answered lines `initialize` and `logging/setLevel` */
};

void mcp_pending_init(struct mcp_pending *pending);
void mcp_pending_done(struct mcp_pending *pending);

/* The next line of the client. All lines that go to the daemon come here, which counts them. */
void mcp_pending_ask(struct mcp_pending *pending, struct str line);
/* A line of the daemon. The value, which the caller frees, is the line for the client: if the
 * daemon could not read a request, the error gets the id, which the daemon does not know. */
char *mcp_pending_answer(struct mcp_pending *pending, struct str line);

/* The daemon is lost. Appends each request that has done nothing to `again`. The work of the
 * others may have been done: the returned array has their ids. */
json_t *mcp_pending_lost(struct mcp_pending *pending, struct buf *again);
/* Appends the client's choices, in lines; the value is their number. */
unsigned mcp_pending_choices(const struct mcp_pending *pending, struct buf *ret);
/* A line of the client that another server answers: keeps it if it is a choice. */
void mcp_pending_note(struct mcp_pending *pending, struct str line);
/* For another daemon, which counts lines from the first again. */
void mcp_pending_restart(struct mcp_pending *pending, unsigned lines);

#endif
