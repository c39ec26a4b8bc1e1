/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mcp_hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/mcp_post.h"

enum {
    /* above this number, the owner with the most loses the one that is unused for longest */
    CONVERSATIONS_MAX = 4096,
    LOOK_EVERY_MS = 100,
    SILENCE_MS = 15000, /* a stream without an event for this time gets a comment */
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

    *client = (struct mcp_client){.host = call->server->site->mcp,
                                  .ctx = hub,
                                  .service = &call->server->config->mcp,
                                  .sessions = call->server->sessions,
                                  .kept = hub->kept,
                                  .owner = owner,
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

/* An id is a random number in hexadecimal digits. Any other string is mapped to some bucket, too.
 */
static struct conversation **bucket_of(struct mcp_hub *hub, struct str id)
{
    unsigned n = 0;

    for (size_t i = 0; i < id.n && i < 8; i++)
        n = n * 16 + (unsigned char)id.p[i] % 16 + (id.p[i] >= 'a' ? 9 : 0);
    return &hub->buckets[n % MCP_BUCKETS];
}

static struct mcp_owner *owner_of(struct mcp_hub *hub, const char *name)
{
    struct mcp_owner *o = hub->owners;

    while (o && strcmp(o->name, name) != 0)
        o = o->next;
    if (o)
        return o;
    o = xcalloc(1, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", name);
    o->next = hub->owners;
    o->place = &hub->owners;
    if (o->next)
        o->next->place = &o->next;
    return hub->owners = o;
}

static void put_first(struct conversation *c)
{
    struct mcp_owner *o = c->of;

    c->used_ms = clock_mono_ms();
    c->newer = NULL;
    c->older = o->newest;
    *(o->newest ? &o->newest->newer : &o->oldest) = c;
    o->newest = c;
}

static void mcp_hub_take_out(struct conversation *c)
{
    *(c->newer ? &c->newer->older : &c->of->newest) = c->older;
    *(c->older ? &c->older->newer : &c->of->oldest) = c->newer;
}

/* Returns the conversation that is unused for the longest time, of the owner with the most. A
 * client that lost its conversation gets 404, and begins a new one. */
static struct conversation *least_needed(const struct mcp_hub *hub)
{
    const struct mcp_owner *found = NULL;

    for (const struct mcp_owner *o = hub->owners; o; o = o->next)
        if (!found || o->count > found->count ||
            (o->count == found->count && o->oldest->used_ms < found->oldest->used_ms))
            found = o;
    return found ? found->oldest : NULL;
}

static void enter_table(struct mcp_hub *hub, struct conversation *c)
{
    struct conversation **bucket = bucket_of(hub, str_from(c->id));

    c->next = *bucket;
    c->place = bucket;
    if (c->next)
        c->next->place = &c->next;
    *bucket = c;
    c->of = owner_of(hub, c->owner);
    c->of->count++;
    put_first(c);
    hub->count++;
}

static void leave_table(struct conversation *c)
{
    struct mcp_owner *o = c->of;

    *c->place = c->next;
    if (c->next)
        c->next->place = c->place;
    mcp_hub_take_out(c);
    c->of = NULL;
    c->hub->count--;
    if (--o->count)
        return;
    *o->place = o->next;
    if (o->next)
        o->next->place = o->place;
    free(o);
}

struct conversation *conversation_new(struct mcp_hub *hub, const struct call *call)
{
    struct conversation *c = xcalloc(1, sizeof *c);

    if (!make_id(c->id)) {
        free(c);
        return NULL;
    }
    struct conversation *least = hub->count < CONVERSATIONS_MAX ? NULL : least_needed(hub);
    if (least)
        conversation_end(least);
    c->hub = hub;
    memcpy(c->owner, call->owner, sizeof c->owner);
    mcp_client_init(&c->client, call, c->owner);
    enter_table(hub, c);
    return c;
}

struct conversation *conversation_find(struct mcp_hub *hub, const struct call *call, struct str id)
{
    struct conversation *c = *bucket_of(hub, id);

    while (c && (!str_is(id, c->id) || strcmp(c->owner, call->owner) != 0))
        c = c->next;
    if (c) {
        mcp_hub_take_out(c);
        put_first(c);
    }
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
    leave_table(c);
    c->posts++; /* keeps the conversation until all calls are cancelled */
    c->over = true;
    conversation_end_stream(c);
    mcp_posts_drop(c);
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
    for (const struct mcp_owner *o = hub->owners; o; o = o->next)
        for (struct conversation *c = o->newest; c; c = c->older)
            keep_open(c, now);
}

void mcp_hub_drain(struct mcp_hub *hub)
{
    for (const struct mcp_owner *o = hub->owners; o; o = o->next)
        for (struct conversation *c = o->newest; c; c = c->older)
            conversation_end_stream(c);
}

void mcp_hub_free(struct mcp_hub *hub)
{
    if (!hub)
        return;
    while (hub->owners)
        conversation_end(hub->owners->newest); /* NOLINT(clang-analyzer-unix.Malloc): it unlinks */
    kept_free(hub->kept);
    free(hub);
}
