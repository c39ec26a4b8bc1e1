/* SPDX-License-Identifier: Apache-2.0
 *
 * A client's messages as lines, whatever carries them: standard input and output, or a connection
 * of the daemon. A line is a message, or a batch of them in the version that has batches. In the
 * loop, unless noted.
 */
#ifndef MCP_DIALOG_H
#define MCP_DIALOG_H

#include "mcp/mcp.h"

struct mcp_dialog {
    struct mcp_client client;
    size_t message_max; /* bytes of an answer */
    /* The number of the line that is handled, counted by the owner; 0: not counted. An error whose
     * id is not known has it as "data", so that a relay knows which request failed. */
    uint64_t line;
    /* Sends a line, which has no line end yet; takes it over. */
    void (*send)(void *ctx, char *line);
    void *ctx;
};

/* Handles one line. NULL bytes: the line was longer than `most`, and was dropped. */
void mcp_dialog_receive(struct mcp_dialog *dialog, struct str line, size_t most);
/* The same for a line that was parsed before; NULL with the reason. Takes both over. */
void mcp_dialog_take(struct mcp_dialog *dialog, json_t *doc, struct rpc_problem *problem,
                     struct str line);
/* Answers a line that was dropped. */
void mcp_dialog_refuse(const struct mcp_dialog *dialog, struct rpc_problem *problem);
/* Takes the message over; any thread that `send` allows. */
void mcp_dialog_send(const struct mcp_dialog *dialog, json_t *message);

/* The answer of a call as text, if it goes to the client by itself; NULL for one of a batch. Once;
 * also in a worker. */
char *mcp_dialog_text(const struct mcp_dialog *dialog, struct mcp_call *call);
/* The end of a call: sends its answer, `ready` (taken over) or a new one, unless the call is
 * cancelled. */
void mcp_dialog_over(const struct mcp_dialog *dialog, struct mcp_call *call, char *ready);

#endif
