/* SPDX-License-Identifier: Apache-2.0
 *
 * Work in a session: cells and variables.
 */
#include <stddef.h>

#include "base/clock.h"
#include "base/mem.h"
#include "routes/cell_parts.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "run/event_json.h"

struct values_fields {
    json_t *values, *names;
    struct str prefix;
    bool list;
};
const struct setting set_rows[] = {
    {.field = "values",
     .shape = SHAPE_OBJECT,
     .code = CODE_NONE,
     .json_at = offsetof(struct values_fields, values),
     .required = V_ANY,
     .meaning = "variables by name, as typed JSON"},
    {.field = NULL},
};
const struct setting get_rows[] = {
    {.field = "names",
     .shape = SHAPE_WORDS,
     .code = CODE_NONE,
     .json_at = offsetof(struct values_fields, names),
     .meaning = "names of variables. Required without list and prefix"},
    {.field = "list",
     .opt = {.kind = OPT_FLAG, .offset = offsetof(struct values_fields, list)},
     .unset = "false",
     .meaning = "'variables' of the answer has name, type and a short value of all variables that "
                "cells made"},
    {.field = "prefix",
     .shape = SHAPE_TEXT,
     .code = CODE_NONE,
     .json_at = offsetof(struct values_fields, prefix),
     .meaning = "for completion: 'names' of the answer has the names that begin with this text: "
                "variables, attributes (np.li) or modules (import os.pa)"},
    {.field = NULL},
};

/* ---- cells ---- */

/* stands for "no limit", because for a session 0 means its own limit */
enum { NO_LIMIT_DAYS = 365 };

/* In the request, 0 means no limit, as for a run; then *ret is NO_LIMIT_DAYS. Without the field,
 * *ret is 0: the session's limit. */
static int take_limit(const struct job *job, const struct settings *ask, enum setting_id id,
                      int64_t wanted, int64_t *ret, struct err *err)
{
    bool given = settings_requested(ask, id);

    *ret = !given ? 0 : wanted ? wanted : NO_LIMIT_DAYS * 24LL * 3600 * 1000;
    return given ? ceiling_check(job->rules, id, wanted, err) : 0;
}

static int attempt_of(const struct settings *ask, enum cell_try *ret, struct err *err)
{
    if (ask_check(ask, V_EXEC, err) < 0)
        return -1;
    *ret = !ask->attempt       ? TRY_NOT
           : ask->attempt_keep ? TRY_KEEP_IF_ALIVE
           : ask->attempt_drop ? TRY_DROP
                               : TRY_KEEP_IF_DONE;
    return 0;
}

static int make_cell(const struct job *job, const struct settings *ask, struct cell_request *ret,
                     struct err *err)
{
    *ret = (struct cell_request){
        .code = ask->code_text,
        .input = ask->input_text,
        .cwd = ask->cwd,
        .no_check =
            settings_requested(ask, SETTING_check) || settings_requested(ask, SETTING_no_check)
                ? !ask->check
                : false,
    };
    if (attempt_of(ask, &ret->attempt, err) < 0 ||
        take_limit(job, ask, SETTING_timeout, ask->timeout, &ret->wall_ms, err) < 0)
        return -1;
    return take_limit(job, ask, SETTING_cpu_time, ask->cpu_time, &ret->cpu_ms, err);
}

/* Leaves out calls of tools: handle_tools.c sends a line for each, with the number that the answer
 * must contain. */
static void handle_cell_on_event(void *ctx, const struct run_event *event)
{
    if (event->kind != RUN_TOOL)
        event_lines_add(ctx, event);
}

static bool handle_cell_has_room(void *ctx, int stream, struct pollfd *ret)
{
    (void)stream;
    return job_room(((struct event_lines *)ctx)->ctx, ret);
}

/* A closed session is not an error of its running cell: the cell keeps the result that it has by
 * then. */
static void why_cancelled(void *ctx, struct err *ret)
{
    const struct job *job = ((struct event_lines *)ctx)->ctx;

    if (job->end != END_CLOSED)
        job_end_words(job, ret);
}

/* A failure of the guest is a result; a mistake of the caller or a failure of the host is an error.
 */
static int status_of(const struct result *r)
{
    if (r->error.kind == ERR_GUEST || r->error.kind == ERR_LIMIT)
        return r->cell.ended == CELL_DIED && !r->started ? 409 : 200;
    if (r->error.kind == ERR_POLICY)
        return 200;
    return r->error.kind ? err_http_status(r->error.kind) : 200;
}

static int check_answers(const struct job *job, const struct settings *ask, struct err *err)
{
    if (!ask->answers_input || job->streams)
        return 0;
    return err_set(err, ERR_USAGE,
                   "'answers_input' requires a stream (Accept: application/x-ndjson)");
}

static void run_session_cell(struct job *job, const struct cell_request *cell, bool answers_input)
{
    struct event_lines lines = job_event_lines(job);
    struct run_watch watch = {
        .event = job->streams ? handle_cell_on_event : NULL,
        .ctx = &lines,
        .all_output = true,
        .room = job->streams ? handle_cell_has_room : NULL,
        .cancel_fd = job->cancel_fd,
        .why_cancelled = why_cancelled,
    };
    int64_t began = clock_mono_ns();
    struct result result;

    result_init(&result, job->turn.entry->opening->output_limit);
    cell_enter(job->own, job, answers_input);
    session_exec(job->turn.entry->session, cell, &watch, &result);
    cell_leave();
    figures_of(&result, FIGURES_CELL, (clock_mono_ns() - began) / 1000, job_figures(job));
    if (job->streams)
        job->status = 200;
    else
        result_answer(job, status_of(&result), &result, 0);
    result_done(&result);
}

void cell_work(struct job *job)
{
    struct setting_lent lent = {0};
    struct settings ask;
    struct cell_request cell;
    struct err err;

    ask_begin(&ask, job->rules, &lent);
    if (job_read(job, &ask, &err) < 0 || check_answers(job, &ask, &err) < 0 ||
        make_cell(job, &ask, &cell, &err) < 0)
        job_fail(job, &err);
    else
        run_session_cell(job, &cell, ask.answers_input);
}

static void release_cell(struct job *job)
{
    cell_free(job->own);
}

void handle_session_exec(struct call *call)
{
    struct session_entry *e = session_of(call);
    struct job *job = e ? job_new(call->server, call) : NULL;

    if (!job)
        return;
    job->work = cell_work;
    job->own = cell_new();
    job->release = release_cell;
    session_submit(e, job);
}

/* ---- variables ---- */

void session_fail(struct job *job, const struct err *err)
{
    struct session_info info;

    job_fail(job, err);
    session_info(job->turn.entry->session, &info);
    if (info.state == SESSION_DEAD && (err->kind == ERR_GUEST || err->kind == ERR_LIMIT))
        job->status = 409;
}

void values_set_work(struct job *job)
{
    struct values_fields fields = {0};
    struct err err;

    if (job_read(job, &fields, &err) < 0 ||
        session_set(job->turn.entry->session, fields.values, &err) < 0)
        session_fail(job, &err);
    else
        job_answer(job, 200, xasprintf("{\"id\":\"%s\",\"done\":true}", job->turn.entry->id));
}

static int check_names(struct values_fields *f, struct err *err)
{
    if (f->names)
        json_incref(f->names);
    else if (f->prefix.p || f->list)
        f->names = json_array();
    else
        return err_set(err, ERR_USAGE, "'names' is missing; 'list' lists all variables");
    return 0;
}

/* Adds names and variables to the answer. */
static int handle_cell_look_up(struct session *session, const struct values_fields *f,
                               json_t *answer, struct err *err)
{
    json_t *found = NULL;

    if (f->prefix.p && session_names(session, f->prefix, &found, err) < 0)
        return -1;
    if (f->prefix.p)
        json_object_set_new(answer, "names", found);
    if (f->list && session_variables(session, &found, err) < 0)
        return -1;
    if (f->list)
        json_object_set_new(answer, "variables", found);
    return 0;
}

static int get_all(struct job *job, json_t **ret, struct err *err)
{
    struct session *session = job->turn.entry->session;
    struct values_fields fields = {0};

    if (job_read(job, &fields, err) < 0 || check_names(&fields, err) < 0)
        return -1;
    int result = session_get(session, fields.names, ret, err);
    json_decref(fields.names);
    if (result < 0)
        return -1;
    if (handle_cell_look_up(session, &fields, *ret, err) == 0)
        return 0;
    json_decref(*ret);
    return -1;
}

void values_get_work(struct job *job)
{
    json_t *found;
    struct err err;

    if (get_all(job, &found, &err) < 0)
        session_fail(job, &err);
    else
        job_answer_json(job, 200, found);
}
