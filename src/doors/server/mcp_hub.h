/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the Model Context Protocol at /mcp (Streamable HTTP).
 *
 * Theory. A client of the older generations begins a conversation with `initialize`, and names it
 * in the header Mcp-Session-Id of each later request; since 2026-07-28 a request stands alone. Each
 * POST is a struct mcp_post (server/mcp_post.h), and each call in it is a job without an exchange
 * (routes/mcp_calls.c): a batch has several calls, and a conversation's call continues for a while
 * when its connection is lost, since the client may fetch the rest with Last-Event-ID.
 *
 * Only the loop uses all this, so nothing has a lock. Sessions are in the same table as those of
 * /v1, and belong to the caller's token, not to a conversation.
 *
 * Owners of a conversation: the hub's list until conversation_end; its posts; and functions that
 * use it, which are counted in `posts`, too. conversation_release frees it after the last of these.
 * A post belongs to the hub's list. It is freed when all its messages are answered and no client
 * may resume it. Its calls are jobs, and each call is counted in `left`, so a post outlives them.
 *
 * Clients of the older generations often exit without ending their conversation, so the table of
 * conversations fills. This makes no step slower: a conversation is found by its id, and each owner
 * has a list of its conversations in the order of their last use.
 */
#ifndef SERVER_MCP_HUB_H
#define SERVER_MCP_HUB_H

#include "mcp/mcp.h"
#include "server/front.h"

enum { MCP_ID = 33, MCP_BUCKETS = 4096 };

struct mcp_post;

/* An owner that has at least one conversation. */
struct mcp_owner {
    struct mcp_owner *next, **place;
    char name[TOKEN_NAME];
    struct conversation *newest, *oldest; /* by use */
    size_t count;
};

struct conversation {
    struct conversation *next, **place; /* list of its bucket */
    struct conversation *newer, *older; /* list of its owner */
    struct mcp_hub *hub;
    struct mcp_owner *of; /* NULL after conversation_end */
    char id[MCP_ID];
    char owner[TOKEN_NAME];
    struct mcp_client client;
    struct call *stream; /* the client's GET; or NULL */
    /* number of posts that are not freed, and of functions that use the conversation */
    unsigned posts;
    struct mcp_post *first_post; /* its posts, without those that mcp_posts_drop has cancelled */
    int64_t used_ms, said_ms;
    bool over; /* it has ended: it is in no list, and waits for its posts */
};

struct mcp_hub {
    struct server *server;
    struct kept *kept;
    struct conversation *buckets[MCP_BUCKETS];
    struct mcp_owner *owners;
    size_t count; /* number of conversations */
    struct mcp_post *posts;
    uint64_t post_number; /* number of the latest post */
    int64_t looked_ms;
};

struct mcp_hub *mcp_hub_new(struct server *server);
/* Call it when no exchange and no job is left. NULL is fine. */
void mcp_hub_free(struct mcp_hub *hub);
void mcp_hub_tick(struct mcp_hub *hub, int64_t now_ms);
/* Ends the streams that wait for no answer, because the daemon stops. */
void mcp_hub_drain(struct mcp_hub *hub);

/* Makes the client of a caller, with the service of the current config. */
void mcp_client_init(struct mcp_client *client, const struct call *call, const char *owner);

struct conversation *conversation_new(struct mcp_hub *hub, const struct call *call);
/* NULL if the caller has no conversation with this id. */
struct conversation *conversation_find(struct mcp_hub *hub, const struct call *call, struct str id);
void conversation_end(struct conversation *c);
/* Ends the stream. Its last bytes may be sent after the conversation is freed. */
void conversation_end_stream(struct conversation *c);
/* Counts one post less; frees the conversation if it has ended and this was the last. */
void conversation_release(struct conversation *c);

#endif
