/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: open, fork, list, close.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_write.h"
#include "routes/cell_parts.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "routes/session_json.h"

struct open_fields {
    struct settings ask; /* first */
    const char *name;
    json_t *tools;
    int64_t tool_timeout_ms;
    bool final_answer;
};

#define AT(member) offsetof(struct open_fields, member)

const struct setting open_rows[] = {
    {.field = "tools",
     .shape = SHAPE_ARRAY,
     .json_at = AT(tools),
     .code = CODE_NONE,
     .items = &tool_form,
     .meaning = "functions that cells may call; the client that reads a cell's stream answers the "
                "calls"},
    {.field = "tool_timeout_ms",
     .opt = {.kind = OPT_DURATION, .offset = AT(tool_timeout_ms)},
     .unset = "30000",
     .meaning = "how long a call waits for its answer"},
    {.field = "final_answer",
     .opt = {.kind = OPT_FLAG, .offset = AT(final_answer)},
     .unset = "false",
     .meaning = "whether cells have the function final_answer(value), which ends the cell"},
    {.field = NULL},
};

/* ---- opening ---- */

struct opening {
    struct session_opening *opening;
    struct session *session; /* made by the worker */
    struct session_info info;
    char *name;
    int64_t idle_ms;
    bool counted;
};

static void release_opening(struct job *job)
{
    struct opening *o = job->own;

    sessions_unreserve(job->server->sessions, job->owner);
    session_opening_drop(o->opening);
    free(o->name);
    free(o);
}

static int take_idle(int64_t wanted, int64_t initial, int64_t *ret, struct err *err)
{
    *ret = wanted > 0 ? wanted : initial;
    return *ret > 365LL * 24 * 3600 * 1000 ? err_set(err, ERR_USAGE, "'idle_ms' is too long") : 0;
}

static int take_name(const char *name, char **ret, struct err *err)
{
    if (name && utf8_count(str_from(name)) > SESSION_NAME_MAX)
        return err_set(err, ERR_USAGE, "'name' has more than %d characters", SESSION_NAME_MAX);
    *ret = name ? xstrdup(name) : NULL;
    return 0;
}

static int handle_session_make_tools(const struct open_fields *f, const struct config *config,
                                     struct session_opening *g, struct err *err)
{
    if (f->tools && tools_read(f->tools, &g->tools, config, err) < 0)
        return -1;
    struct str source = f->ask.tools_text;
    if (source.n && tool_set_source(&g->tools, source, "'tools_source'", err) < 0)
        return -1;
    tools_add_input(&g->tools);
    if (f->tool_timeout_ms > 0)
        g->tools.timeout_ms = f->tool_timeout_ms;
    g->tools.final_answer |= f->final_answer;
    return 0;
}

static int make_opening(struct job *job, struct open_fields *f, struct session_opening *g,
                        struct err *err)
{
    struct session_request *q = &g->request;

    if (request_serve(job, &f->ask, &g->parts, &q->run, err) < 0 ||
        handle_session_make_tools(f, job->config, g, err) < 0)
        return -1;
    q->tools = &g->tools;
    session_request_options(q, &f->ask);
    g->output_limit = q->run.output_limit;
    return 0;
}

static void drop_config(void *config)
{
    config_drop(config);
}

static void open_work(struct job *job)
{
    struct opening *o = job->own;
    struct open_fields fields = {.tool_timeout_ms = -1};
    const struct run_watch watch = {
        .event = job->streams ? job_send_event : NULL, .ctx = job, .cancel_fd = job->cancel_fd};
    struct err err;

    o->opening = session_opening_new(config_hold(job->config), drop_config);
    ask_begin(&fields.ask, job->rules, &o->opening->parts.lent);
    if (job_read(job, &fields, &err) < 0 || take_name(fields.ask.name, &o->name, &err) < 0 ||
        take_idle(fields.ask.idle, job->config->settings.session_idle_ms, &o->idle_ms, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    if (!settings_requested(&fields.ask, SETTING_lang))
        fields.ask.lang = (char *)(uintptr_t) "python";
    o->opening->doc = json_incref(job->doc);
    /* a session has them as values, a run as files */
    o->opening->data = mem_take(&fields.ask.data_json);
    if (make_opening(job, &fields, o->opening, &err) < 0 ||
        session_opening_open(o->opening, &watch, &o->session, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    session_info(o->session, &o->info);
}

/* Another session may have taken the name while this one was being opened. */
static void refuse_name(struct job *job, const char *name)
{
    struct err err;

    err_set(&err, ERR_USAGE, "a session has the name '%.200s' already; close it, or choose another",
            name);
    job_fail(job, &err);
    job->status = 409;
}

/* The answer is the last line of a stream, if the client wants a stream. */
static void answer_opened(struct job *job, json_t *session)
{
    struct call *call = job->call;

    if (!call || !job->streams) {
        job_answer_json(job, 201, session);
        return;
    }
    json_t *event = json_pack("{s:s, s:I, s:o}", "event", "opened", "time_ms",
                              (json_int_t)clock_wall_ms(), "session", session);
    AUTO_FREE char *text = json_write(event, false);
    AUTO_FREE char *line = xasprintf("%s\n", text);
    json_decref(event);
    if (!http_begun(call->x))
        http_begin(call->x, 200, "application/x-ndjson", NULL);
    http_piece(call->x, str_from(line));
    job->status = 200;
}

/* After opening or forking: adds the session to the table; closes it if no client waits for it any
 * more. */
static void new_over(struct job *job, bool is_fork)
{
    struct opening *o = job->own;
    struct sessions *sessions = job->server->sessions;

    if (o->session) {
        bool taken = o->name && sessions_have_name(sessions, job->owner, o->name);
        struct session_entry *e =
            sessions_add(sessions, &(struct session_new){.session = o->session,
                                                         .opening = o->opening,
                                                         .info = &o->info,
                                                         .name = o->name,
                                                         .owner = job->owner,
                                                         .idle_ms = o->idle_ms,
                                                         .is_fork = is_fork});
        o->opening = NULL;
        o->name = NULL;
        if (taken)
            refuse_name(job, e->name);
        else
            answer_opened(job, session_json(e, &o->info));
        if (taken || !job->call || atomic_load(&job->cancelled) ||
            job->server->state == SERVER_CANCELLING)
            session_entry_shut(e);
    }
    job_reply(job);
    job_free(job);
}

static void open_over(struct job *job)
{
    new_over(job, false);
}

void handle_session_open(struct call *call)
{
    if (!session_may_open(call, call->owner))
        return;
    struct job *job = job_new(call->server, call);
    if (!job) {
        sessions_unreserve(call->server->sessions, call->owner);
        return;
    }
    job->own = xcalloc(1, sizeof(struct opening));
    job->release = release_opening;
    job->work = open_work;
    job->over = open_over;
    job_submit(job);
}

/* ---- forking ---- */

static void fork_work(struct job *job)
{
    struct opening *o = job->own;
    struct setting_lent lent = {0};
    struct settings ask;
    struct err err;

    ask_begin(&ask, job->rules, &lent);
    if (job_read(job, &ask, &err) < 0 || take_name(ask.name, &o->name, &err) < 0 ||
        take_idle(settings_requested(&ask, SETTING_idle) ? ask.idle : 0, o->idle_ms, &o->idle_ms,
                  &err) < 0 ||
        session_fork(job->turn.entry->session, &o->session, &err) < 0) {
        session_fail(job, &err);
        return;
    }
    o->opening = session_opening_hold(job->turn.entry->opening);
    session_info(o->session, &o->info);
}

static void fork_over(struct job *job)
{
    new_over(job, true);
}

void handle_session_fork(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e || !session_may_open(call, e->owner))
        return;
    struct job *job = job_new(call->server, call);
    if (!job) {
        sessions_unreserve(call->server->sessions, e->owner);
        return;
    }
    struct opening *o = xcalloc(1, sizeof *o);
    o->idle_ms = e->idle_ms;
    memcpy(job->owner, e->owner, sizeof job->owner); /* also if the daemon's own user asks */
    job->own = o;
    job->release = release_opening;
    job->work = fork_work;
    job->over = fork_over;
    session_submit(e, job);
}

/* ---- list and show ---- */

struct look {
    struct session_entry **at;
    struct session_info *infos;
    size_t n;
    bool one;
};

static void look_work(struct job *job)
{
    struct look *l = job->own;
    int64_t until_ms = clock_mono_ms() + SESSION_ENDS_MS;

    for (size_t i = 0; i < l->n; i++)
        session_info_until(l->at[i]->session, until_ms, &l->infos[i]);
    job->status = 200;
}

static void look_over(struct job *job)
{
    struct look *l = job->own;
    json_t *list = json_array();

    for (size_t i = 0; i < l->n; i++) {
        if (job->status)
            json_array_append_new(list, session_json(l->at[i], &l->infos[i]));
        session_entry_looked(l->at[i]);
    }
    if (job->status && l->one)
        job_answer_json(job, 200, json_incref(json_array_get(list, 0)));
    else if (job->status)
        job_answer_json(job, 200, json_pack("{s:O}", "sessions", list));
    json_decref(list);
    job_reply(job);
    free(l->at);
    free(l->infos);
    job_free(job);
}

static void look(struct call *call, struct session_entry **at, size_t n, bool one)
{
    struct look *l = xcalloc(1, sizeof *l);
    struct job *job = job_bare(call->server, call);

    *l = (struct look){
        .at = at, .infos = xcalloc(n + 1, sizeof(struct session_info)), .n = n, .one = one};
    job->own = l;
    job->work = look_work;
    job->over = look_over;
    job->urgent = true; /* the job holds entries that other requests wait for */
    job_submit(job);
}

void handle_session_list(struct call *call)
{
    size_t n;
    struct session_entry **at = sessions_list(call->server->sessions, session_owner_of(call), &n);

    look(call, at, n, false);
}

void handle_session_show(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e)
        return;
    struct session_entry **at = xcalloc(1, sizeof(struct session_entry *));
    at[0] = e;
    session_entry_hold(e);
    look(call, at, 1, true);
}

/* ---- ending ---- */

void handle_session_close(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e)
        return;
    char *text = xasprintf("{\"id\":\"%s\",\"closed\":true}", e->id);
    session_entry_shut(e);
    call_answer(call, 200, NULL, text);
}

void handle_session_interrupt(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e || call_no_fields(call) < 0)
        return;
    bool done = session_interrupt(e->session);
    call_answer(call, 200, NULL,
                xasprintf("{\"id\":\"%s\",\"interrupted\":%s}", e->id, done ? "true" : "false"));
}

static void restart_work(struct job *job)
{
    struct session_entry *e = job->turn.entry;
    struct session_info info;
    struct err err;

    if (session_opening_restart(e->opening, e->session, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    session_info(e->session, &info);
    job_answer_json(job, 200, session_json(e, &info));
}

void handle_session_restart(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e || call_no_fields(call) < 0)
        return;
    struct job *job = job_bare(call->server, call);
    job->work = restart_work;
    session_submit(e, job);
}
