/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of `glovebox mcp --daemon`.
 */
#ifndef REMOTE_MCP_DAEMON_PARTS_H
#define REMOTE_MCP_DAEMON_PARTS_H

#include <pthread.h>

#include "mcp/pipe.h"
#include "remote/mcp_daemon.h"

enum { CONVERSATION_ID = 64 };

struct mcp_relay {
    const struct cli_settings *settings;
    size_t message_max;
    struct mcp_pipe pipe;
    /* Requests without an answer, in the order in which they arrived. Only for the loop. */
    struct mcp_request *first;
    size_t count, bytes;
    atomic_bool in_conversation; /* a conversation was begun; the loop reads it without the lock */

    pthread_mutex_t lock; /* guards the members below */
    /* The conversation: the client's line with `initialize`, and the id and the version from
     * the daemon's answer; "" for none. */
    char *hello;
    char conversation[CONVERSATION_ID], version[16];
    char *complaint; /* the latest line on standard error */
};

/* A line of the client: a message, or a batch of them. */
struct mcp_request {
    struct mcp_task task; /* first */
    struct mcp_request *next;
    struct mcp_relay *relay;
    struct rpc_message message; /* for a batch, only the document */
    json_t *ids;                /* ids of the requests in the line */
    bool modern;
    char *text;
    size_t n;
    /* the session whose turn it needs, which points into the message; .p NULL: none */
    struct str session;
    bool begun; /* a worker has it */
    atomic_bool cancelled;
    bool stopped; /* with the program, which answers it; only for the loop */
    int cancel_fd;
    char conversation[CONVERSATION_ID]; /* the conversation in which it was sent */
    struct rpc_lines lines;             /* lines of the answer */
    /* set before the answer is sent: after that, the client may use its id again */
    atomic_bool answered;
};

/* ---- mcp_daemon_ask.c; any thread ---- */

/* Sends the request, and passes the answer or an error to the client. */
void mcp_request_ask(struct mcp_request *q);
/* As mcp_request_ask, for `initialize`. Only for the loop. */
void mcp_request_begin(struct mcp_request *q);
/* Answers the request with an error. */
void mcp_request_refuse(struct mcp_request *q, const struct rpc_problem *problem);
/* 0 if the daemon serves MCP to this client; -1 with *err. */
int mcp_relay_look(const struct mcp_relay *r, struct err *err);
/* Ends the conversation. */
void mcp_relay_end(const struct mcp_relay *r);

#endif
