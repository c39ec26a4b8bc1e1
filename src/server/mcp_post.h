/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer to one POST at /mcp: one JSON text, or a stream of events when there is something to
 * report before the last answer, or when that takes long.
 */
#ifndef SERVER_MCP_POST_H
#define SERVER_MCP_POST_H

#include "server/mcp_hub.h"

struct mcp_post {
    struct mcp_post *next, **place;
    struct mcp_post *next_mine, **place_mine; /* of its conversation; NULL: in no list */
    struct mcp_hub *hub;
    struct call *call;       /* NULL: its connection is gone */
    struct conversation *of; /* NULL: the request stands alone, and this is its client: */
    struct mcp_client own;
    char owner[TOKEN_NAME];
    uint64_t number;
    unsigned left; /* messages without their answer, and one until all are read */
    bool batch, may_stream, streams;
    bool answered;               /* its connection was given the end of the answer */
    char *session_header;        /* of the answer to `initialize` */
    int status;                  /* of an answer that is no stream; 0: 200, or 202 without text */
    struct buf answers;          /* of one that is no stream */
    struct event *events, **end; /* of a stream, as long as they may be asked for again */
    unsigned event_n;            /* number of the last one */
    unsigned notes;              /* of the events that are not answers */
    size_t bytes;                /* of the events' texts */
    int64_t began_ms, said_ms;
    int64_t gone_ms; /* since then its connection is gone; else 0 */
};

/* `of` NULL: a request of the newer generation. Settle it when all messages are read. */
struct mcp_post *mcp_post_new(struct call *call, struct conversation *of);
struct mcp_client *mcp_post_client(struct mcp_post *post);
/* A notification that is sent only in a stream; progress is dropped when the client is slow. */
void mcp_post_note(struct mcp_post *post, struct str text, bool is_progress);
void mcp_post_answer(struct mcp_post *post, struct str text);
/* One message fewer to wait for; with the last one the answer ends. The post may be gone then. */
void mcp_post_settle(struct mcp_post *post);
/* The client comes back for the events after `last`; false when there is no such stream. */
bool mcp_post_resume(struct conversation *of, struct call *call, struct str last_event_id);

void mcp_posts_tick(struct mcp_hub *hub, int64_t now_ms);
/* Cancels all calls of the conversation, and drops streams without a connection. */
void mcp_posts_drop(struct conversation *of);

/* Whether a header has this value; one that is no plain ASCII is sent as =?base64?...?= */
bool mcp_header_is(struct str given, struct str value);

/* Begins a stream of events. */
void mcp_begin_stream(struct call *call);

#endif
