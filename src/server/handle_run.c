/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/run
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "base/mem.h"
#include "guard/policy.h"
#include "hosting/collect.h"
#include "server/front.h"
#include "server/handle_parts.h"
#include "session/event_json.h"
#include "session/run.h"

enum { LARGE_OUTPUT = 1 << 20 };

const struct field *const run_tables[] = {
    code_fields,    program_fields, input_fields,   work_fields,  data_fields,
    context_fields, wall_fields,    policy_fields,  guard_fields, limit_fields,
    log_fields,     answer_fields,  collect_fields, NULL};

struct running {
    struct job *job;
    struct event_lines lines;
    uint64_t collect_max; /* 0: nothing */
};

static void send_line(void *ctx, struct str line)
{
    job_line(ctx, line);
}

static void adapt_event(void *ctx, json_t *event)
{
    wording_use(event, ((const struct job *)ctx)->wording);
}

struct event_lines job_event_lines(struct job *job)
{
    return (struct event_lines){.line = send_line, .adapt = adapt_event, .ctx = job};
}

void job_send_event(void *job, const struct run_event *event)
{
    job_line_json(job, event_json(event));
}

/* {"event": "finished", "result": ...} with the files' content in it. */
static void finished_line(const struct running *run, const struct run_event *event)
{
    json_t *object = event_json(event);

    collect_contents(json_object_get(object, "result"), event->result, run->collect_max);
    job_line_json(run->job, object);
}

static void on_event(void *ctx, const struct run_event *event)
{
    struct running *run = ctx;

    if (event->kind != RUN_FINISHED || !run->collect_max) {
        event_lines_add(&run->lines, event);
        return;
    }
    event_lines_flush(&run->lines);
    finished_line(run, event);
}

static bool has_room(void *ctx, int stream, struct pollfd *ret)
{
    (void)stream;
    return job_room(((struct running *)ctx)->job, ret);
}

static void why_cancelled(void *ctx, struct err *ret)
{
    job_end_words(((struct running *)ctx)->job, ret);
}

/* An answer is made of three copies of the output. So that many large ones at a time do not take
 * three times their memory, they are made one after the other. */
void result_answer(struct job *job, int status, struct result *r, uint64_t collect_max)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    bool large = collect_max || r->out.total + r->err.total > LARGE_OUTPUT;

    if (large)
        pthread_mutex_lock(&one);
    json_t *doc = result_document(r);
    capture_done(&r->out);
    capture_done(&r->err);
    if (collect_max)
        collect_contents(doc, r, collect_max);
    job_answer_json(job, status, doc);
    if (large)
        pthread_mutex_unlock(&one);
}

/* Maximum number of bytes of files to return, 0 for none. */
static int collect_max(const struct run_fields *f, const struct config *config, uint64_t *ret,
                       struct err *err)
{
    uint64_t most = config->settings.max_collect;

    *ret = 0;
    if (f->collect != TRI_TRUE)
        return f->collect_bytes >= 0 && f->collect == TRI_ABSENT
                   ? err_set(err, ERR_USAGE, "'collect_bytes' does nothing without 'collect'")
                   : 0;
    if (f->collect_bytes >= 0 && (uint64_t)f->collect_bytes > most)
        return err_set(err, ERR_POLICY,
                       "'collect_bytes': %lld is more than this daemon allows, %llu",
                       (long long)f->collect_bytes, (unsigned long long)most);
    *ret = f->collect_bytes >= 0 ? (uint64_t)f->collect_bytes : most;
    return 0;
}

static int check_profile(const struct run_fields *f, const struct request_rules *rules,
                         struct err *err)
{
    const char *name = f->request.settings.profile;

    if (!name || !(f->request.settings.asked >> SETTING_profile & 1) ||
        rules->permits & PERMIT_HOST_FILES || policy_is_text(name))
        return 0;
    for (const struct profile_info *p = profiles; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return 0;
    return err_set(err, ERR_USAGE, "there is no profile '%.60s'", name);
}

/* Compares the backend itself, not its name: a name has aliases. A backend of a later version is
 * refused by the run's own result. */
static int check_backend(const struct settings *s, const struct request_rules *rules,
                         bool *ret_unsafe, struct err *err)
{
    const struct backend *backend = s->backend ? backend_find(str_from(s->backend), err) : NULL;
    bool named = s->asked >> SETTING_backend & 1;

    *ret_unsafe = named && backend && backend->unsafe;
    if (s->backend && !backend)
        return err->kind == ERR_UNSUPPORTED ? 0 : -1;
    return *ret_unsafe ? permit_check(rules, PERMIT_HOST_BACKEND, "a backend without a wall", err)
                       : 0;
}

/* With --review, that is every program. */
static int add_reviewer(const struct config *config, const struct settings *s,
                        struct run_request *q, struct err *err)
{
    if (config->settings.common.review && !s->review)
        return err_set(err, ERR_POLICY, "'review': this daemon reviews every program");
    if (!q->review)
        return 0;
    if (!config->review)
        return err_set(err, ERR_USAGE,
                       "'review': this daemon has no model; its operator can give it one with "
                       "'glovebox serve --model NAME'");
    q->reviewer = review_reviewer(config->review);
    return 0;
}

int request_accept(const struct config *config, const struct request_rules *rules,
                   struct run_fields *fields, struct request_parts *parts, struct run_request *ret,
                   struct err *err)
{
    const struct settings *s = &fields->request.settings;
    bool unsafe;

    if (check_backend(s, rules, &unsafe, err) < 0 || check_profile(fields, rules, err) < 0 ||
        request_make(fields, rules, parts, ret, err) < 0 || add_reviewer(config, s, ret, err) < 0)
        return -1;
    ret->allow_unsafe |= unsafe;
    return 0;
}

int request_serve(struct job *job, struct run_fields *fields, struct request_parts *parts,
                  struct run_request *ret, struct err *err)
{
    const struct settings *s = &fields->request.settings;

    if (request_accept(job->config, job->rules, fields, parts, ret, err) < 0)
        return -1;
    ret->owner = token_number(job->owner);
    ret->pool = job->server->pool;
    if (!(s->asked >> SETTING_log & 1))
        ret->sink = run_log_sink(job->server->log);
    return 0;
}

static void free_result(void *rest)
{
    struct result *result = rest;

    result_done(result);
    free(result);
}

static void run_program(struct job *job, const struct run_request *q, uint64_t collect)
{
    struct running run = {.job = job, .lines = job_event_lines(job), .collect_max = collect};
    struct run_watch watch = {
        .event = job->streams ? on_event : NULL,
        .ctx = &run,
        .all_output = true,
        .room = job->streams ? has_room : NULL,
        .cancel_fd = job->cancel_fd,
        .why_cancelled = why_cancelled,
    };
    int64_t began = clock_mono_ns();
    struct result *result = xmalloc(sizeof *result);

    result_init(result, q->output_limit);
    job->tidy = free_result;
    job->rest = result;
    session_run(q, &watch, result);
    figures_of(result, FIGURES_RUN, (clock_mono_ns() - began) / 1000, job_figures(job));
    if (!job->streams)
        result_answer(job, result->error.kind ? err_http_status(result->error.kind) : 200, result,
                      collect);
    else
        job->status = 200;
}

void run_work(struct job *job)
{
    struct run_fields fields;
    struct request_parts parts;
    struct run_request request;
    uint64_t collect;
    struct err err;

    request_parts_init(&parts);
    run_fields_init(&fields, job->rules, &parts);
    if (job_read(job, &err) < 0 ||
        fields_read(run_tables, job->doc, job->rules, &fields, &err) < 0 ||
        collect_max(&fields, job->config, &collect, &err) < 0 ||
        request_serve(job, &fields, &parts, &request, &err) < 0) {
        job_fail(job, &err);
    } else {
        run_program(job, &request, collect);
    }
    request_parts_done(&parts);
}

void handle_run(struct call *call)
{
    struct job *job = job_new(call->server, call);

    if (!job)
        return;
    job->work = run_work;
    job_submit(job);
}
