/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the Model Context Protocol at /mcp (Streamable HTTP).
 *
 * Theory. A client of the older generations begins a conversation with `initialize`, and names it
 * in the header Mcp-Session-Id of each later request; since 2026-07-28 a request stands alone. Each
 * POST is a struct mcp_post (server/mcp_post.h), and each call in it is a job without an exchange
 * (server/mcp_calls.c): a batch has several calls, and a conversation's call continues for a while
 * when its connection is lost, since the client may fetch the rest with Last-Event-ID.
 *
 * All is the loop's, so nothing has a lock. Sessions are in the same table as those of /v1, and
 * belong to the caller's token, not to a conversation.
 *
 * Owners of a conversation: the hub's list until conversation_end, and its posts and functions at
 * work with it, counted in `posts`; conversation_release frees it after the last of all these. A
 * post belongs to the hub's list: it is freed when all its messages are answered and no client may
 * come back for it. Its calls are jobs, and each is a message in `left`, so a post outlives them.
 *
 * Clients of these generations often end without a word, so the table of conversations fills. No
 * step here takes longer for that: a conversation is found by its id, and each owner has its own
 * conversations in the order of their use.
 */
#ifndef SERVER_MCP_HUB_H
#define SERVER_MCP_HUB_H

#include "mcp/mcp.h"
#include "server/front.h"

enum { MCP_ID = 33, MCP_BUCKETS = 4096 };

struct mcp_post;

/* An owner of conversations; it is here as long as it has one. */
struct mcp_owner {
    struct mcp_owner *next, **place;
    char name[TOKEN_NAME];
    struct conversation *newest, *oldest; /* by use */
    size_t count;
};

struct conversation {
    struct conversation *next, **place; /* in its bucket */
    struct conversation *newer, *older; /* of its owner */
    struct mcp_hub *hub;
    struct mcp_owner *of; /* NULL once it is over */
    char id[MCP_ID];
    char owner[TOKEN_NAME];
    struct mcp_client client;
    struct call *stream;         /* its GET; or NULL */
    unsigned posts;              /* that are not freed, and functions that use it */
    struct mcp_post *first_post; /* its posts, but for those that mcp_posts_drop has cancelled */
    int64_t used_ms, said_ms;
    bool over; /* it is in no list any more, and waits for its posts */
};

struct mcp_hub {
    struct server *server;
    struct kept *kept;
    struct conversation *buckets[MCP_BUCKETS];
    struct mcp_owner *owners;
    size_t count; /* of conversations */
    struct mcp_post *posts;
    uint64_t post_number; /* of the last one */
    struct mcp_line *lines;
    uint64_t line_number;               /* of the last one */
    uint64_t lines_bytes, lines_unread; /* of all lines (server/mcp_line.h) */
    int64_t looked_ms;
};

struct mcp_hub *mcp_hub_new(struct server *server);
/* When no exchange and no job is left; NULL is fine. */
void mcp_hub_free(struct mcp_hub *hub);
void mcp_hub_tick(struct mcp_hub *hub, int64_t now_ms);
/* Ends the streams and connections that wait for nothing: the daemon stops. */
void mcp_hub_drain(struct mcp_hub *hub);

/* A client for one caller; its service is that of the current config. */
void mcp_client_init(struct mcp_client *client, const struct call *call, const char *owner);

struct conversation *conversation_new(struct mcp_hub *hub, const struct call *call);
/* NULL: the caller has none with this id. */
struct conversation *conversation_find(struct mcp_hub *hub, const struct call *call, struct str id);
void conversation_end(struct conversation *c);
/* Its bytes may take longer to leave than the conversation lasts. */
void conversation_end_stream(struct conversation *c);
/* One post fewer; frees the conversation if it is over. */
void conversation_release(struct conversation *c);

extern const struct mcp_host mcp_daemon_host; /* mcp_calls.c */

#endif
