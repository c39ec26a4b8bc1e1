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
 * All is the loop's. Sessions are in the same table as those of /v1, and belong to the caller's
 * token, not to a conversation.
 */
#ifndef SERVER_MCP_HUB_H
#define SERVER_MCP_HUB_H

#include "mcp/mcp.h"
#include "server/front.h"

enum { MCP_ID = 33 };

struct conversation {
    struct conversation *next;
    struct mcp_hub *hub;
    char id[MCP_ID];
    char owner[TOKEN_NAME];
    struct mcp_client client;
    struct call *stream; /* its GET; or NULL */
    unsigned posts;
    int64_t used_ms, said_ms;
    bool over; /* it is in no list any more, and waits for its posts */
};

struct mcp_hub {
    struct server *server;
    struct kept *kept;
    struct conversation *conversations;
    size_t count;
    struct mcp_post *posts;
    uint64_t post_number; /* of the last one */
    struct mcp_line *lines;
    uint64_t line_number; /* of the last one */
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
