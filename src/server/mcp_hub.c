/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mcp_hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/mcp_line.h"
#include "server/mcp_post.h"

enum {
    CONVERSATIONS_MAX = 4096, /* then the owner with the most loses the one used longest ago */
    LOOK_EVERY_MS = 100,
    SILENCE_MS = 15000, /* after this time a comment keeps a stream open */
};

struct mcp_hub *mcp_hub_new(struct server *server)
{
    struct mcp_hub *hub = xcalloc(1, sizeof *hub);

    hub->server = server;
    hub->kept = kept_new();
    return hub;
}

void mcp_client_init(struct mcp_client *client, const struct call *call, const char *owner)
{
    struct mcp_hub *hub = call->server->mcp;

    *client = (struct mcp_client){.host = &mcp_daemon_host,
                                  .ctx = hub,
                                  .service = &call->server->config->mcp,
                                  .sessions = call->server->sessions,
                                  .kept = hub->kept,
                                  .owner = owner,
                                  .keeper = owner,
                                  .sees = call->operator? NULL : owner,
                                  .level = LEVEL_NONE};
}

/* ---- conversations ---- */

static bool make_id(char ret[MCP_ID])
{
    unsigned char random[(MCP_ID - 1) / 2];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(ret + 2 * i, 3, "%02x", random[i]);
    return true;
}

static size_t count_of(const struct mcp_hub *hub, const char *owner)
{
    size_t n = 0;

    for (const struct conversation *c = hub->conversations; c; c = c->next)
        n += strcmp(c->owner, owner) == 0;
    return n;
}

/* Clients often end without a word, so the table fills. One that lost its conversation gets 404,
 * and begins anew. */
static struct conversation *least_needed(const struct mcp_hub *hub)
{
    struct conversation *found = NULL;
    size_t most = 0;

    for (struct conversation *c = hub->conversations; c; c = c->next) {
        size_t n = found && strcmp(c->owner, found->owner) == 0 ? most : count_of(hub, c->owner);
        if (!found || n > most || (n == most && c->used_ms <= found->used_ms))
            found = c;
        most = n > most ? n : most;
    }
    return found;
}

struct conversation *conversation_new(struct mcp_hub *hub, const struct call *call)
{
    struct conversation *c = xcalloc(1, sizeof *c);

    if (!make_id(c->id)) {
        free(c);
        return NULL;
    }
    if (hub->count >= CONVERSATIONS_MAX)
        conversation_end(least_needed(hub));
    c->hub = hub;
    memcpy(c->owner, call->owner, sizeof c->owner);
    mcp_client_init(&c->client, call, c->owner);
    c->used_ms = clock_mono_ms();
    c->next = hub->conversations;
    hub->conversations = c;
    hub->count++;
    return c;
}

struct conversation *conversation_find(struct mcp_hub *hub, const struct call *call, struct str id)
{
    struct conversation *c = hub->conversations;

    while (c && (!str_is(id, c->id) || strcmp(c->owner, call->owner) != 0))
        c = c->next;
    if (c)
        c->used_ms = clock_mono_ms();
    return c;
}

static void free_if_over(struct conversation *c)
{
    if (c->over && !c->posts)
        free(c);
}

void conversation_end_stream(struct conversation *c)
{
    struct call *call = mem_take(&c->stream);

    if (!call)
        return;
    call->own = NULL;
    call->ended = NULL;
    http_end(call->x);
}

void conversation_end(struct conversation *c)
{
    struct mcp_hub *hub = c->hub;
    struct conversation **at = &hub->conversations;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    hub->count--;
    c->posts++; /* until all is cancelled */
    c->over = true;
    conversation_end_stream(c);
    mcp_posts_drop(hub, c);
    conversation_release(c);
}

void conversation_release(struct conversation *c)
{
    c->posts--;
    free_if_over(c);
}

/* ---- time ---- */

static void keep_open(struct conversation *c, int64_t now)
{
    if (!c->stream || now < c->said_ms + SILENCE_MS)
        return;
    c->said_ms = now;
    http_piece(c->stream->x, STR(":\n\n"));
}

void mcp_hub_tick(struct mcp_hub *hub, int64_t now)
{
    if (now < hub->looked_ms + LOOK_EVERY_MS)
        return;
    hub->looked_ms = now;
    mcp_posts_tick(hub, now);
    for (struct conversation *c = hub->conversations, *next; c; c = next) {
        next = c->next;
        keep_open(c, now);
    }
}

void mcp_hub_drain(struct mcp_hub *hub)
{
    for (struct conversation *c = hub->conversations; c; c = c->next)
        conversation_end_stream(c);
    mcp_lines_drain(hub);
}

void mcp_hub_free(struct mcp_hub *hub)
{
    if (!hub)
        return;
    while (hub->conversations)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the hub of each is this one */
        conversation_end(hub->conversations);
    kept_free(hub->kept);
    free(hub);
}
