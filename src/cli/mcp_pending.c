/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_pending.h"

#include <stdlib.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "mcp/rpc.h"
#include "mcp/rpc_peek.h"

#define CALL "tools/call" /* the request that may have done something */

enum { KEPT_LINE_MAX = 64 << 10 };

struct mcp_request {
    struct mcp_request *next;
    uint64_t number; /* of its line */
    json_t *id;
    char *line;    /* NULL: it is not asked again */
    char **choice; /* where its line is kept once it is answered; or NULL */
};

void mcp_pending_init(struct mcp_pending *p)
{
    *p = (struct mcp_pending){0};
    p->end = &p->first;
}

static void drop(struct mcp_pending *p, struct mcp_request **at)
{
    struct mcp_request *request = *at;

    *at = request->next;
    if (p->end == &request->next)
        p->end = at;
    json_decref(request->id);
    free(request->line);
    free(request);
}

void mcp_pending_done(struct mcp_pending *p)
{
    while (p->first)
        drop(p, &p->first);
    free(p->hello);
    free(p->level);
}

/* ---- of the client ---- */

static char **choice_of(struct mcp_pending *p, struct str method)
{
    if (str_is(method, "initialize"))
        return &p->hello;
    return str_is(method, "logging/setLevel") ? &p->level : NULL;
}

/* Takes the id over. */
static void add(struct mcp_pending *p, json_t *id, struct str method, struct str line)
{
    struct mcp_request *request = xcalloc(1, sizeof *request);
    bool may_repeat = line.n <= KEPT_LINE_MAX && !str_is(method, CALL);

    request->id = id;
    request->number = p->lines;
    request->line = may_repeat ? xstrndup(line.p, line.n) : NULL;
    request->choice = may_repeat ? choice_of(p, method) : NULL;
    *p->end = request;
    p->end = &request->next;
}

static json_t *load(struct str text)
{
    return json_loadb(text.p ? text.p : "", text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static bool is_id(const json_t *id)
{
    return json_is_integer(id) || json_is_string(id);
}

static void remove_one(struct mcp_pending *p, const json_t *id)
{
    struct mcp_request **at = &p->first;

    while (*at && !json_equal((*at)->id, id))
        at = &(*at)->next;
    if (!*at)
        return;
    if ((*at)->choice) {
        free(*(*at)->choice);
        *(*at)->choice = mem_take(&(*at)->line);
    }
    drop(p, at);
}

/* A call that is cancelled gets no answer. */
static void cancel(struct mcp_pending *p, struct str line)
{
    json_t *doc = load(line);

    remove_one(p, json_object_get(json_object_get(doc, "params"), "requestId"));
    json_decref(doc);
}

/* None of a batch is asked again: its answers belong together. */
static void ask_batch(struct mcp_pending *p, struct str line)
{
    json_t *list = load(line), *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        json_t *id = json_object_get(one, "id");
        if (is_id(id) && json_object_get(one, "method"))
            add(p, json_incref(id), STR(CALL), STR(""));
    }
    json_decref(list);
}

static void ask_one(struct mcp_pending *p, struct str id_text, struct str method, struct str line)
{
    json_t *id = id_text.n <= 8 * RPC_ID_MAX ? load(id_text) : NULL;

    if (is_id(id))
        add(p, json_incref(id), method, line);
    json_decref(id);
}

/* Some clients write "tools\/call", which is the same name. */
void mcp_pending_ask(struct mcp_pending *p, struct str line)
{
    struct rpc_peek peek;

    p->lines++;
    if (!rpc_peek(line, &peek)) {
        if (str_starts(str_trim(line), "["))
            ask_batch(p, line);
        return;
    }
    json_t *method = load(peek.method);
    if (peek.id.p && json_is_string(method))
        ask_one(p, peek.id, json_str(method), line);
    else if (str_is(json_str(method), "notifications/cancelled"))
        cancel(p, line);
    json_decref(method);
}

/* ---- of the daemon ---- */

static void answer_batch(struct mcp_pending *p, struct str line)
{
    json_t *list = load(line), *one;
    size_t i;

    json_array_foreach(list, i, one) remove_one(p, json_object_get(one, "id"));
    json_decref(list);
}

/* The request of this line; NULL for none, or for several of a batch. */
static struct mcp_request *request_of(const struct mcp_pending *p, uint64_t number)
{
    struct mcp_request *found = NULL, *one;

    for (one = p->first; one; one = one->next)
        if (one->number == number && found)
            return NULL;
        else if (one->number == number)
            found = one;
    return found;
}

static void remove_line(struct mcp_pending *p, uint64_t number)
{
    struct mcp_request **at = &p->first;

    while (*at)
        if ((*at)->number == number)
            drop(p, at);
        else
            at = &(*at)->next;
}

/* An error about a line that the daemon could not read. */
static char *answer_unread(struct mcp_pending *p, struct str line)
{
    json_t *doc = load(line), *error = json_object_get(doc, "error");
    int64_t number = json_get_int(json_object_get(error, "data"), "line");
    const struct mcp_request *request = number > 0 ? request_of(p, (uint64_t)number) : NULL;

    if (request)
        json_object_set(doc, "id", request->id);
    if (number > 0) {
        remove_line(p, (uint64_t)number);
        json_object_del(error, "data");
    }
    char *text = doc ? json_dumps(doc, JSON_COMPACT) : NULL;
    json_decref(doc);
    return text ? text : xstrndup(line.p, line.n);
}

char *mcp_pending_answer(struct mcp_pending *p, struct str line)
{
    struct rpc_peek peek;

    if (!rpc_peek(line, &peek)) {
        answer_batch(p, line);
    } else if (str_is(peek.id, "null") && !peek.method.p) {
        return answer_unread(p, line);
    } else if (peek.id.p && !peek.method.p) {
        json_t *id = load(peek.id);
        remove_one(p, id);
        json_decref(id);
    }
    return xstrndup(line.p, line.n);
}

/* ---- the end ---- */

json_t *mcp_pending_lost(struct mcp_pending *p, struct buf *again)
{
    json_t *lost = json_array();

    for (; p->first; drop(p, &p->first)) {
        if (!p->first->line)
            json_array_append(lost, p->first->id);
        else if (buf_adds(again, p->first->line) == 0)
            (void)buf_addc(again, '\n');
    }
    return lost;
}

unsigned mcp_pending_choices(const struct mcp_pending *p, struct buf *ret)
{
    if (p->hello)
        (void)buf_addf(ret, "%s\n", p->hello);
    if (p->level)
        (void)buf_addf(ret, "%s\n", p->level);
    return (unsigned)!!p->hello + (unsigned)!!p->level;
}

void mcp_pending_note(struct mcp_pending *p, struct str line)
{
    struct rpc_peek peek;
    json_t *method = rpc_peek(line, &peek) && peek.id.p ? load(peek.method) : NULL;
    char **choice = line.n <= KEPT_LINE_MAX ? choice_of(p, json_str(method)) : NULL;

    if (choice) {
        free(*choice);
        *choice = xstrndup(line.p, line.n);
    }
    json_decref(method);
}

void mcp_pending_restart(struct mcp_pending *p, unsigned lines)
{
    p->lines = lines;
}
