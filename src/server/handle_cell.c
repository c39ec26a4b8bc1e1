/* SPDX-License-Identifier: Apache-2.0
 *
 * Work in a session: cells and variables.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/handle_parts.h"
#include "server/session_parts.h"
#include "session/event_json.h"

struct cell_fields {
    struct str code, input;
    int64_t timeout_ms, cpu_time_ms, deadline_ms;
    enum tri no_check, answers_input, attempt, attempt_keep, attempt_drop;
};

#define AT(member) offsetof(struct cell_fields, member)

static const struct field cell_rows[] = {
    {.name = "code",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .offset = AT(code),
     .required = true,
     .help = "The cell's text."},
    {.name = "stdin",
     .kind = FIELD_TEXT,
     .code = CODE_NONE,
     .offset = AT(input),
     .help = "The cell's standard input."},
    {.name = "answers_input",
     .kind = FIELD_BOOL,
     .offset = AT(answers_input),
     .initial = "false",
     .help = "In a stream: send input() and getpass() of a Python cell without stdin as 'input' "
             "events, which the client answers. Without it they find the end of the input."},
    {.name = "timeout_ms",
     .kind = FIELD_MS,
     .offset = AT(timeout_ms),
     .initial = "the session's",
     .help = "Elapsed time of this cell."},
    {.name = "cpu_time_ms",
     .kind = FIELD_MS,
     .offset = AT(cpu_time_ms),
     .initial = "the session's",
     .help = "Processor time of this cell."},
    {.name = "no_check",
     .kind = FIELD_BOOL,
     .offset = AT(no_check),
     .code = CODE_POLICY,
     .initial = "false",
     .help = "Run the cell without a check."},
    {.name = "attempt",
     .kind = FIELD_BOOL,
     .offset = AT(attempt),
     .initial = "false",
     .help = "Undo everything that the cell did, unless it succeeds. The result's cell.attempt is "
             "kept or dropped; lost if the cell prevented that, and the session is over."},
    {.name = "attempt_keep",
     .kind = FIELD_BOOL,
     .offset = AT(attempt_keep),
     .initial = "false",
     .help = "With attempt: keep the changes of a cell that fails; undo them only if it would "
             "have ended its session."},
    {.name = "attempt_drop",
     .kind = FIELD_BOOL,
     .offset = AT(attempt_drop),
     .initial = "false",
     .help = "With attempt: undo the cell in any case."},
    {.name = "deadline_ms",
     .kind = FIELD_MS,
     .offset = AT(deadline_ms),
     .initial = "0 (none)",
     .help = "Time from the request's arrival after which the answer is of no use."},
    {0},
};
const struct field *const cell_tables[] = {cell_rows, NULL};

struct values_fields {
    json_t *values, *names;
    struct str prefix;
    enum tri list;
};
static const struct field set_rows[] = {
    {.name = "values",
     .kind = FIELD_OBJECT,
     .code = CODE_NONE,
     .offset = offsetof(struct values_fields, values),
     .required = true,
     .help = "Variables by name, as typed JSON."},
    {0},
};
static const struct field get_rows[] = {
    {.name = "names",
     .kind = FIELD_WORDS,
     .code = CODE_NONE,
     .offset = offsetof(struct values_fields, names),
     .help = "Names of variables. Required without list and prefix."},
    {.name = "list",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct values_fields, list),
     .initial = "false",
     .help = "'variables' of the answer has name, type and a short value of all variables that "
             "cells made."},
    {.name = "prefix",
     .kind = FIELD_TEXT,
     .code = CODE_NONE,
     .offset = offsetof(struct values_fields, prefix),
     .help = "For completion: 'names' of the answer has what begins so; np.li: attributes of np."},
    {0},
};
const struct field *const set_tables[] = {set_rows, NULL};
const struct field *const get_tables[] = {get_rows, NULL};

/* ---- cells ---- */

enum { NO_LIMIT_DAYS = 365 }; /* for a session, 0 means its own limit */

/* In the request, as for a run, 0 is no limit. An absent field becomes 0 here: the session's
 * limit. */
static int take_limit(const struct request_rules *rules, enum setting_id id, int64_t wanted,
                      int64_t *ret, struct err *err)
{
    *ret = wanted < 0 ? 0 : wanted ? wanted : NO_LIMIT_DAYS * 24LL * 3600 * 1000;
    if (wanted < 0)
        return 0;
    return ceiling_check(rules, id, wanted, err);
}

static int attempt_of(const struct cell_fields *f, enum cell_try *ret, struct err *err)
{
    bool keep = f->attempt_keep == TRI_TRUE, drop = f->attempt_drop == TRI_TRUE;

    if ((keep || drop) && f->attempt != TRI_TRUE)
        return err_set(err, ERR_USAGE, "'%s' requires 'attempt'",
                       keep ? "attempt_keep" : "attempt_drop");
    if (keep && drop)
        return err_set(err, ERR_USAGE, "'attempt_keep' and 'attempt_drop' contradict each other");
    *ret = f->attempt != TRI_TRUE ? TRY_NOT
           : keep                 ? TRY_KEEP_IF_ALIVE
           : drop                 ? TRY_DROP
                                  : TRY_KEEP_IF_DONE;
    return 0;
}

static int make_cell(const struct job *job, const struct cell_fields *f, struct cell_request *ret,
                     struct err *err)
{
    const struct request_rules *rules = job->rules;

    *ret = (struct cell_request){
        .code = f->code,
        .input = f->input,
        .no_check = f->no_check == TRI_TRUE,
    };
    if (attempt_of(f, &ret->attempt, err) < 0 ||
        take_limit(rules, SETTING_timeout, f->timeout_ms, &ret->wall_ms, err) < 0)
        return -1;
    return take_limit(rules, SETTING_cpu_time, f->cpu_time_ms, &ret->cpu_ms, err);
}

/* Calls of tools have a line of their own, with the number that the answer must name. */
static void on_event(void *ctx, const struct run_event *event)
{
    if (event->kind != RUN_TOOL)
        event_lines_add(ctx, event);
}

static bool has_room(void *ctx, int stream, struct pollfd *ret)
{
    (void)stream;
    return job_room(((struct event_lines *)ctx)->ctx, ret);
}

/* Closing the session is not an error of its cell: the cell keeps the result that it has by
 * then. */
static void why_cancelled(void *ctx, struct err *ret)
{
    const struct job *job = ((struct event_lines *)ctx)->ctx;

    if (job->end != END_CLOSED)
        job_end_words(job, ret);
}

/* The guest's failure is a result; a mistake of the caller or a failure of the host is an error. */
static int status_of(const struct result *r)
{
    if (r->error.kind == ERR_GUEST || r->error.kind == ERR_LIMIT)
        return r->cell.ended == CELL_DIED && !r->started ? 409 : 200;
    if (r->error.kind == ERR_POLICY)
        return 200;
    return r->error.kind ? err_http_status(r->error.kind) : 200;
}

static int check_answers(const struct job *job, const struct cell_fields *f, struct err *err)
{
    if (f->answers_input != TRI_TRUE || job->streams)
        return 0;
    return err_set(err, ERR_USAGE,
                   "'answers_input' requires a stream (Accept: application/x-ndjson)");
}

static void run_cell(struct job *job, const struct cell_request *cell, bool answers_input)
{
    struct event_lines lines = job_event_lines(job);
    struct run_watch watch = {
        .event = job->streams ? on_event : NULL,
        .ctx = &lines,
        .all_output = true,
        .room = job->streams ? has_room : NULL,
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
    struct cell_fields fields;
    struct cell_request cell;
    struct err err;

    if (job_read(job, &err) < 0 ||
        fields_read(cell_tables, job->doc, job->rules, &fields, &err) < 0 ||
        check_answers(job, &fields, &err) < 0 || make_cell(job, &fields, &cell, &err) < 0)
        job_fail(job, &err);
    else
        run_cell(job, &cell, fields.answers_input == TRI_TRUE);
}

static void release_cell(struct job *job)
{
    cell_free(job->own);
}

struct job *job_in_session(struct call *call, void (*work)(struct job *),
                           struct session_entry **ret)
{
    *ret = session_of(call);
    struct job *job = *ret ? job_new(call->server, call) : NULL;

    if (job)
        job->work = work;
    return job;
}

void handle_session_exec(struct call *call)
{
    struct session_entry *e;
    struct job *job = job_in_session(call, cell_work, &e);

    if (!job)
        return;
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

static void set_work(struct job *job)
{
    struct values_fields fields;
    struct err err;

    if (job_read(job, &err) < 0 ||
        fields_read(set_tables, job->doc, job->rules, &fields, &err) < 0 ||
        session_set(job->turn.entry->session, fields.values, &err) < 0)
        session_fail(job, &err);
    else
        job_answer(job, 200, xasprintf("{\"id\":\"%s\",\"done\":true}", job->turn.entry->id));
}

void handle_session_set(struct call *call)
{
    struct session_entry *e;
    struct job *job = job_in_session(call, set_work, &e);

    if (job)
        session_submit(e, job);
}

static int check_names(struct values_fields *f, struct err *err)
{
    if (f->names)
        json_incref(f->names);
    else if (f->prefix.p || f->list == TRI_TRUE)
        f->names = json_array();
    else
        return err_set(err, ERR_USAGE, "'names' is missing; 'list' lists all variables");
    return 0;
}

/* Adds names and variables to the answer. */
static int look_up(struct session *session, const struct values_fields *f, json_t *answer,
                   struct err *err)
{
    json_t *found = NULL;

    if (f->prefix.p && session_names(session, f->prefix, &found, err) < 0)
        return -1;
    if (f->prefix.p)
        json_object_set_new(answer, "names", found);
    if (f->list == TRI_TRUE && session_variables(session, &found, err) < 0)
        return -1;
    if (f->list == TRI_TRUE)
        json_object_set_new(answer, "variables", found);
    return 0;
}

static int get_all(struct job *job, json_t **ret, struct err *err)
{
    struct session *session = job->turn.entry->session;
    struct values_fields fields;

    if (job_read(job, err) < 0 || fields_read(get_tables, job->doc, job->rules, &fields, err) < 0 ||
        check_names(&fields, err) < 0)
        return -1;
    int result = session_get(session, fields.names, ret, err);
    json_decref(fields.names);
    if (result < 0)
        return -1;
    if (look_up(session, &fields, *ret, err) == 0)
        return 0;
    json_decref(*ret);
    return -1;
}

static void get_work(struct job *job)
{
    json_t *found;
    struct err err;

    if (get_all(job, &found, &err) < 0)
        session_fail(job, &err);
    else
        job_answer_json(job, 200, found);
}

void handle_session_get(struct call *call)
{
    struct session_entry *e;
    struct job *job = job_in_session(call, get_work, &e);

    if (job)
        session_submit(e, job);
}
