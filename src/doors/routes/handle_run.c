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
#include "policy/policy.h"
#include "registry/registry.h"
#include "routes/collect.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "run/event_json.h"
#include "run/run.h"

enum { LARGE_OUTPUT = 1 << 20 };

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

/* Sends {"event": "finished", "result": ...} with the content of the files. */
static void finished_line(const struct running *run, const struct run_event *event)
{
    json_t *object = event_json(event);

    collect_contents(json_object_get(object, "result"), event->result, run->collect_max);
    job_line_json(run->job, object);
}

static void handle_run_on_event(void *ctx, const struct run_event *event)
{
    struct running *run = ctx;

    if (event->kind != RUN_FINISHED || !run->collect_max) {
        event_lines_add(&run->lines, event);
        return;
    }
    event_lines_flush(&run->lines);
    finished_line(run, event);
}

static bool handle_run_has_room(void *ctx, int stream, struct pollfd *ret)
{
    (void)stream;
    return job_room(((struct running *)ctx)->job, ret);
}

static void why_cancelled(void *ctx, struct err *ret)
{
    job_end_words(((struct running *)ctx)->job, ret);
}

/* Making an answer needs three copies of the output. Large answers are made one after the other, so
 * that several of them do not need that memory at the same time. */
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

/* Sets *ret to the maximum number of bytes of files to return, 0 for none. */
static int collect_max(const struct settings *ask, const struct config *config, uint64_t *ret,
                       struct err *err)
{
    uint64_t most = config->settings.max_collect;

    *ret = 0;
    bool sized = settings_requested(ask, SETTING_collect_bytes);

    if (!ask->collect)
        return sized && !settings_requested(ask, SETTING_collect)
                   ? err_set(err, ERR_USAGE, "'collect_bytes' does nothing without 'collect'")
                   : 0;
    if (ask->collect_bytes > most)
        return err_set(err, ERR_POLICY,
                       "'collect_bytes': %llu is more than this daemon allows, %llu",
                       (unsigned long long)ask->collect_bytes, (unsigned long long)most);
    *ret = sized ? ask->collect_bytes : most;
    return 0;
}

static int check_profile(const struct settings *ask, const struct request_rules *rules,
                         struct err *err)
{
    const char *name = ask->profile;

    if (!name || !settings_requested(ask, SETTING_profile) || rules->permits & PERMIT_HOST_FILES ||
        policy_is_text(name))
        return 0;
    for (const struct profile_info *p = profiles; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return 0;
    return err_set(err, ERR_USAGE, "there is no profile '%.60s'", name);
}

/* Compares the backend itself, because its name may be an alias. A known backend that is not
 * supported is refused by the run, in its result. */
static int check_backend(const struct settings *s, const struct request_rules *rules,
                         bool *ret_unsafe, struct err *err)
{
    const struct backend *backend = s->backend ? backend_find(str_from(s->backend), err) : NULL;
    bool named = settings_requested(s, SETTING_backend);

    *ret_unsafe = named && backend && backend->unsafe;
    if (s->backend && !backend)
        return err->kind == ERR_UNSUPPORTED ? 0 : -1;
    return *ret_unsafe ? permit_check(rules, PERMIT_HOST_BACKEND, "a backend without a wall", err)
                       : 0;
}

/* With --review, the daemon's reviewer reads every program. */
static int add_reviewer(const struct config *config, const struct settings *s,
                        struct run_request *q, struct err *err)
{
    if (config->settings.common.review && !s->review)
        return err_set(err, ERR_POLICY, "'review': this daemon reviews every program");
    if (!q->policy.review)
        return 0;
    if (!config->review)
        return err_set(err, ERR_USAGE,
                       "'review': this daemon has no model; its operator can give it one with "
                       "'glovebox serve --model NAME'");
    q->policy.reviewer = review_reviewer(config->review);
    return 0;
}

static int request_accept(const struct config *config, const struct request_rules *rules,
                          struct settings *ask, struct request_parts *parts,
                          struct run_request *ret, struct err *err)
{
    bool unsafe;

    if (check_backend(ask, rules, &unsafe, err) < 0 || check_profile(ask, rules, err) < 0 ||
        request_make(ask, rules, parts, ret, err) < 0 || add_reviewer(config, ask, ret, err) < 0)
        return -1;
    ret->place.allow_unsafe |= unsafe;
    return 0;
}

int request_serve(struct job *job, struct settings *ask, struct request_parts *parts,
                  struct run_request *ret, struct err *err)
{
    if (request_accept(job->config, job->rules, ask, parts, ret, err) < 0)
        return -1;
    ret->door.owner = token_number(job->owner);
    ret->place.pool = job->server->pool;
    if (!settings_requested(ask, SETTING_log))
        ret->door.sink = run_log_sink(job->server->log);
    return 0;
}

static void free_result(void *rest)
{
    struct result *result = rest;

    result_done(result);
    free(result);
}

static void run_and_answer(struct job *job, const struct run_request *q, uint64_t collect)
{
    struct running run = {.job = job, .lines = job_event_lines(job), .collect_max = collect};
    struct run_watch watch = {
        .event = job->streams ? handle_run_on_event : NULL,
        .ctx = &run,
        .all_output = true,
        .room = job->streams ? handle_run_has_room : NULL,
        .cancel_fd = job->cancel_fd,
        .why_cancelled = why_cancelled,
    };
    int64_t began = clock_mono_ns();
    struct result *result = xmalloc(sizeof *result);

    result_init(result, q->output_limit);
    job->tidy = free_result;
    job->rest = result;
    run_program(q, &watch, result);
    figures_of(result, FIGURES_RUN, (clock_mono_ns() - began) / 1000, job_figures(job));
    if (!job->streams)
        result_answer(job, result->error.kind ? err_http_status(result->error.kind) : 200, result,
                      collect);
    else
        job->status = 200;
}

int asked_read(struct job *job, struct asked *ret, struct err *err)
{
    request_parts_init(&ret->parts);
    ask_begin(&ret->ask, job->rules, &ret->parts.lent);
    return job_read(job, &ret->ask, err) < 0
               ? -1
               : request_serve(job, &ret->ask, &ret->parts, &ret->run, err);
}

void asked_done(struct asked *asked)
{
    request_parts_done(&asked->parts);
}

void run_work(struct job *job)
{
    struct asked asked;
    uint64_t collect;
    struct err err;

    if (asked_read(job, &asked, &err) < 0 ||
        collect_max(&asked.ask, job->config, &collect, &err) < 0)
        job_fail(job, &err);
    else
        run_and_answer(job, &asked.run, collect);
    asked_done(&asked);
}
