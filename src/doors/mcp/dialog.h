/* SPDX-License-Identifier: Apache-2.0
 *
 * A client's messages as lines, for any transport: standard input and output, or a connection of
 * the daemon. A line is a message, or a batch of messages in the version that has batches. Only the
 * loop may call these functions, unless noted.
 */
#ifndef MCP_DIALOG_H
#define MCP_DIALOG_H

#include "mcp/mcp.h"

struct mcp_dialog {
    struct mcp_client client;
    size_t message_max; /* maximum bytes of an answer */
    /* Sends a line, given without its line end; takes it over. */
    void (*send)(void *ctx, char *line);
    void *ctx;
};

/* Handles one line; `line` as in rpc_parse_line. */
void mcp_dialog_receive(struct mcp_dialog *dialog, struct str line);
/* Sends the message; takes it over. Any thread for which `send` allows it may call it. */
void mcp_dialog_send(const struct mcp_dialog *dialog, json_t *message);

/* Returns the answer of a call as a string if it is sent to the client alone; NULL for a call of a
 * batch. Call it once; a worker may call it. */
char *mcp_dialog_text(const struct mcp_dialog *dialog, struct mcp_call *call);
/* Ends a call: sends its answer, unless the call is cancelled. The answer is `ready` (taken over),
 * or a new one if that is NULL. */
void mcp_dialog_over(const struct mcp_dialog *dialog, struct mcp_call *call, char *ready);

#endif
