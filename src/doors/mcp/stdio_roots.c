/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the client for its roots, and makes a scene of each answer. New calls and lists of tools are
 * kept meanwhile, so that the first program of a model sees the folders; for a while only, because
 * a client may never answer. Calls about a session are not kept: a session has what it began with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "mcp/stdio_parts.h"

enum {
    WAIT_MS = 5000,
    MESSAGE_SHOWN = 300, /* bytes of a client's error */
};

#define ID_PREFIX "roots-"

static void roots_report(const struct stdio_server *s, const char *line)
{
    s->options->report(s->options->report_ctx, line);
}

/* ---- calls that are kept ---- */

bool stdio_roots_wait(const struct mcp_client *client)
{
    const struct stdio_server *s = client->ctx;

    return s->roots.waits;
}

static void keep(struct stdio_roots *r, struct stdio_task *task)
{
    task->kept = true;
    task->next = NULL;
    *r->kept_end = task;
    r->kept_end = &task->next;
}

bool stdio_roots_keep(struct stdio_task *task)
{
    struct stdio_server *s = task->call->client->ctx;

    if (s->roots.waits)
        keep(&s->roots, task);
    return task->kept;
}

void stdio_roots_leave(struct stdio_task *task)
{
    struct stdio_server *s = task->call->client->ctx;
    struct stdio_task **at = &s->roots.kept;

    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    if (!*at)
        s->roots.kept_end = at;
    task->kept = false;
}

static void stop_waiting(struct stdio_server *s)
{
    struct stdio_task *task;

    s->roots.waits = false;
    while ((task = s->roots.kept)) {
        stdio_roots_leave(task);
        stdio_calls_begin(task);
    }
}

static void start_waiting(struct stdio_roots *r)
{
    if (r->silent || r->waits)
        return;
    r->waits = true;
    r->until_ms = clock_mono_ms() + WAIT_MS;
}

/* ---- questions ---- */

static void ask_for_roots(struct stdio_server *s)
{
    struct stdio_roots *r = &s->roots;
    char id[32];

    if (r->looking || (r->asking && !r->silent)) {
        r->again = true;
        return;
    }
    snprintf(id, sizeof id, ID_PREFIX "%u", ++r->number);
    r->asking = true;
    r->again = false;
    start_waiting(r);
    mcp_dialog_send(&s->dialog, rpc_request(id, "roots/list"));
}

/* A question or a look is over. */
static void settle(struct stdio_server *s)
{
    if (s->roots.again)
        ask_for_roots(s);
    else
        stop_waiting(s);
}

/* ---- scenes ---- */

static void use_scene(struct stdio_server *s, struct stdio_scene *scene)
{
    bool same = stdio_scene_same(s->scene, scene);

    stdio_scene_drop(s->scene);
    s->scene = stdio_scene_hold(scene);
    s->dialog.client.service = &scene->service;
    if (!same && s->dialog.client.listed)
        mcp_dialog_send(&s->dialog, rpc_notification("notifications/tools/list_changed", NULL));
}

/* Reports which roots are not shown, once. */
static void report_why(struct stdio_server *s, const struct stdio_scene *scene)
{
    struct str rest = buf_str(&scene->roots.why), line;
    struct stdio_roots *r = &s->roots;

    if (r->reported && str_is(rest, r->reported))
        return;
    free(r->reported);
    r->reported = xstrndup(rest.p ? rest.p : "", rest.n);
    while (str_next_line(&rest, &line)) {
        AUTO_FREE char *text = xstrndup(line.p, line.n);
        roots_report(s, text);
    }
}

struct look {
    struct mcp_task task; /* first */
    struct stdio_server *server;
    json_t *list;
    unsigned number; /* of the question */
    struct stdio_scene *scene;
    struct err err;
};

static void look_work(struct mcp_task *task)
{
    struct look *look = (struct look *)task;

    look->scene = stdio_scene_new(look->server->options, look->list, &look->err);
}

/* The client may have begun anew with `initialize`: then the scene is of no use. */
static void look_done(struct mcp_task *task)
{
    struct look *look = (struct look *)task;
    struct stdio_server *s = look->server;

    s->roots.looking = false;
    if (!look->scene)
        roots_report(s, look->err.msg);
    else if (look->number == s->roots.number)
        use_scene(s, look->scene);
    if (look->scene)
        report_why(s, look->scene);
    stdio_scene_drop(look->scene);
    json_decref(look->list);
    free(look);
    settle(s);
}

static void look_at(struct stdio_server *s, json_t *list)
{
    struct look *look = xcalloc(1, sizeof *look);

    *look = (struct look){.task = {.work = look_work, .done = look_done},
                          .server = s,
                          .list = json_incref(list),
                          .number = s->roots.number};
    s->roots.looking = true;
    if (mcp_workers_add(s->pipe.workers, &look->task, false) == 0)
        return;
    look_work(&look->task);
    look_done(&look->task);
}

void stdio_roots_renew(struct stdio_task *task)
{
    struct stdio_server *s = task->call->client->ctx;

    task->looked = true;
    task->begun = task->stale = false;
    start_waiting(&s->roots);
    if (!s->roots.waits) {
        stdio_calls_begin(task);
        return;
    }
    keep(&s->roots, task);
    if (!s->roots.asking && !s->roots.looking)
        look_at(s, s->scene->list);
}

/* ---- messages ---- */

static void receive_hello(struct stdio_server *s, const json_t *params)
{
    struct stdio_roots *r = &s->roots;

    r->declared = json_is_object(json_object_get(json_object_get(params, "capabilities"), "roots"));
    r->asking = r->again = r->silent = false;
    r->number++; /* an answer to an earlier question comes too late */
    if (s->scene != s->plain)
        use_scene(s, s->plain);
    if (!r->looking)
        stop_waiting(s);
}

static void receive_answer(struct stdio_server *s, const struct rpc_message *m)
{
    const json_t *result = json_object_get(m->doc, "result");
    json_t *list = json_object_get(result, "roots");
    struct str why = json_get_str(json_object_get(m->doc, "error"), "message");
    char id[32];

    snprintf(id, sizeof id, ID_PREFIX "%u", s->roots.number);
    if (!s->roots.asking || !str_is(json_str(m->id), id))
        return;
    s->roots.asking = s->roots.silent = false;
    if (json_is_array(list)) {
        look_at(s, list);
        return;
    }
    AUTO_FREE char *text = result
                               ? xstrdup("the client's answer about its roots has no list of them")
                               : xasprintf("the client does not name its roots: %.*s",
                                           (int)utf8_cut(why, MESSAGE_SHOWN), why.p ? why.p : "");
    roots_report(s, text);
    settle(s);
}

void stdio_roots_received(struct mcp_client *client, const struct rpc_message *m)
{
    struct stdio_server *s = client->ctx;

    if (s->options->roots == ROOTS_OFF)
        return;
    if (m->kind == RPC_RESPONSE)
        receive_answer(s, m);
    else if (m->kind == RPC_REQUEST && strcmp(m->method, "initialize") == 0)
        receive_hello(s, m->params);
    else if (m->kind == RPC_NOTIFICATION && s->roots.declared &&
             (strcmp(m->method, "notifications/initialized") == 0 ||
              strcmp(m->method, "notifications/roots/list_changed") == 0))
        ask_for_roots(s);
    else if (m->kind == RPC_NOTIFICATION && strcmp(m->method, "notifications/initialized") == 0)
        roots_report(s, "the client has no roots to show; --ro and --rw name folders");
}

/* ---- life ---- */

bool stdio_roots_tick(struct stdio_server *s)
{
    struct stdio_roots *r = &s->roots;
    bool late = r->waits && clock_mono_ms() >= r->until_ms;

    if (r->waits && r->asking && (late || s->pipe.ended)) {
        r->silent = true;
        if (!s->pipe.ended)
            roots_report(s, "the client does not answer the question about its roots; its folders "
                            "are not shown until it does");
        stop_waiting(s);
    } else if (late) {
        roots_report(s, "the client's folders are not shown yet: to look at them takes long");
        stop_waiting(s);
    }
    return r->waits;
}

void stdio_roots_open(struct stdio_server *s)
{
    s->roots.kept_end = &s->roots.kept;
}

void stdio_roots_stop(struct stdio_server *s)
{
    s->roots.again = false;
    stop_waiting(s);
}

void stdio_roots_close(struct stdio_server *s)
{
    free(s->roots.reported);
}
