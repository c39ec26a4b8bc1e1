/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer to one POST at /mcp: one JSON text; or a stream of events, if there is something to
 * report before the last answer or if that takes long.
 */
#ifndef SERVER_MCP_POST_H
#define SERVER_MCP_POST_H

#include "server/mcp_hub.h"

struct mcp_post {
    struct mcp_post *next, **place;
    /* list of the conversation's posts; `place` NULL: not in the list */
    struct mcp_post *next_mine, **place_mine;
    struct mcp_hub *hub;
    struct call *call;       /* NULL: the connection is lost */
    struct conversation *of; /* NULL: the request has no conversation, and its client is `own` */
    struct mcp_client own;
    char owner[TOKEN_NAME];
    uint64_t number;
    unsigned left; /* messages without an answer, plus one until all are read */
    bool batch, may_stream, streams;
    bool answered;               /* the end of the answer was given to the connection */
    char *session_header;        /* a header for the answer to `initialize` */
    int status;                  /* if the answer is not a stream; 0: 200, or 202 without a body */
    struct buf answers;          /* if the answer is not a stream */
    struct event *events, **end; /* events of a stream that the client may ask for again */
    unsigned event_n;            /* number of the latest event */
    unsigned notes;              /* number of events that are not answers */
    size_t bytes;                /* size of all events */
    int64_t began_ms, said_ms;
    int64_t gone_ms; /* when the connection was lost; 0: it was not */
};

/* Makes a post; `of` is NULL for a request of the newer generation. Call mcp_post_settle when all
 * messages are read. */
struct mcp_post *mcp_post_new(struct call *call, struct conversation *of);
struct mcp_client *mcp_post_client(struct mcp_post *post);
/* Sends a notification, if the answer can be a stream; progress is dropped when the client reads
 * too slowly. */
void mcp_post_note(struct mcp_post *post, struct str text, bool is_progress);
void mcp_post_answer(struct mcp_post *post, struct str text);
/* Counts one message as answered; after the last one, the answer ends. The post may be freed then.
 */
void mcp_post_settle(struct mcp_post *post);
/* The client wants the events after `last_event_id` on a new connection. False if there is no such
 * stream. */
bool mcp_post_resume(struct conversation *of, struct call *call, struct str last_event_id);

void mcp_posts_tick(struct mcp_hub *hub, int64_t now_ms);
/* Cancels all calls of the conversation, and drops streams without a connection. */
void mcp_posts_drop(struct conversation *of);

/* Begins a stream of events as the call's answer. */
void mcp_begin_stream(struct call *call);

#endif
