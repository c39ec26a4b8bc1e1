/* SPDX-License-Identifier: Apache-2.0
 *
 * GET /v1/runs, /v1/runs/{run}: the run log. A worker reads it through a store of its own, after
 * all earlier runs are written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "store/log_json.h"
#include "store/log_when.h"

enum { LIMIT_INITIAL = 50, RUNS_MAX = 1000 };

const struct query_field runs_query[] = {
    {"since", "Runs that began at this time or later: 2h, 30d, 2025-01-31, '2025-01-31 18:00'."},
    {"until", "Runs that began before this time."},
    {"outcome", "Runs with this outcome: ok, failed, signal, timeout, oom, refused, error."},
    {"language", "Runs in this language."},
    {"backend", "Runs on this backend."},
    {"sha256", "Runs of a source whose SHA-256 begins with this."},
    {"text", "Runs with this text in the program's name, the guard's reason or the error."},
    {"limit", "The maximum number of runs, up to 1000. Default: 50."},
    {"offset", "The number of newest runs to leave out."},
    {NULL, NULL},
};

struct asking {
    struct store_query query;
    char *texts[4]; /* the query's strings point into these */
    char *id;
};

static int take_number(const char *value, int64_t max, int64_t *ret, struct err *err)
{
    if (!num_int64(str_from(value), ret) || *ret < 0 || *ret > max)
        return err_set(err, ERR_USAGE, "'%.40s' is not a number from 0 to %lld", value,
                       (long long)max);
    return 0;
}

static int take_outcome(const char *value, enum run_outcome *ret, struct err *err)
{
    *ret = run_outcome_parse(str_from(value));
    if (*ret == OUTCOME_NONE && strcmp(value, "any") != 0)
        return err_set(err, ERR_USAGE, "outcome '%.40s' is not one of %s", value,
                       run_outcome_names());
    return 0;
}

static int handle_runs_take(void *ctx, const char *name, const char *value, struct err *err)
{
    static const char *const text_names[] = {"language", "backend", "sha256", "text"};
    struct asking *a = ctx;
    struct store_query *q = &a->query;
    const char **const places[] = {&q->language, &q->backend, &q->sha256_prefix, &q->text};

    if (strcmp(name, "since") == 0)
        return log_parse_moment(value, clock_wall_ms(), &q->since_ms, err);
    if (strcmp(name, "until") == 0)
        return log_parse_moment(value, clock_wall_ms(), &q->until_ms, err);
    if (strcmp(name, "outcome") == 0)
        return take_outcome(value, &q->outcome, err);
    if (strcmp(name, "limit") == 0)
        return take_number(value, RUNS_MAX, &q->limit, err);
    if (strcmp(name, "offset") == 0)
        return take_number(value, INT64_MAX, &q->offset, err);
    for (size_t i = 0; i < ARRAY_LEN(text_names); i++)
        if (strcmp(name, text_names[i]) == 0) {
            free(a->texts[i]);
            *places[i] = a->texts[i] = xstrdup(value);
        }
    return 0;
}

static void handle_runs_release(struct job *job)
{
    struct asking *a = job->own;

    for (size_t i = 0; i < ARRAY_LEN(a->texts); i++)
        free(a->texts[i]);
    free(a->id);
    free(a);
}

/* Opens the log for reading. -1 with *err, also with --log off: then there is no log. */
static int open_log(struct job *job, struct store **ret, struct err *err)
{
    const char *path = run_log_path(job->server->log);

    *ret = NULL;
    if (!path)
        return err_set(err, ERR_UNSUPPORTED, "this daemon keeps no run log");
    run_log_flush(job->server->log);
    return store_open(path, STORE_READ, ret, err);
}

static int add_row(const struct run_record *run, void *list)
{
    json_array_append_new(list, log_json_run(run, false));
    return 0;
}

static void list_work(struct job *job)
{
    struct asking *a = job->own;
    struct store *store;
    json_t *list = json_array();
    struct err err;

    if (open_log(job, &store, &err) < 0 || store_list(store, &a->query, add_row, list, &err) < 0) {
        json_decref(list);
        job_fail(job, &err);
    } else {
        job_answer_json(job, 200, json_pack("{s:o}", "runs", list));
    }
    store_close(store);
}

static void show_work(struct job *job)
{
    struct asking *a = job->own;
    struct run_record run = {0};
    struct store *store;
    struct err err = {0};
    int found = open_log(job, &store, &err);

    if (found == 0)
        found = store_get(store, a->id, &run, &err);
    if (found < 0)
        job_fail(job, &err);
    else if (found > 0)
        job_answer(job, 404, error_text("usage", "there is no such run in the log"));
    else
        job_answer_json(job, 200, log_json_run(&run, true));
    run_record_done(&run);
    store_close(store);
}

/* The log does not record owners: if the daemon has several, only its own user may read the log. */
static bool may_read_log(struct call *call)
{
    if (call->operator|| call->server->config->tokens.n <= 1)
        return true;
    call_refuse(call, 403, NULL, "policy",
                "this daemon has several clients, and the run log has the runs of all: read it on "
                "its host");
    return false;
}

static void submit(struct call *call, struct asking *a, void (*work)(struct job *))
{
    struct job *job = job_bare(call->server, call);

    job->own = a;
    job->release = handle_runs_release;
    job->work = work;
    job_submit(job);
}

void handle_runs(struct call *call)
{
    struct asking *a = xcalloc(1, sizeof *a);
    struct job holder = {.own = a};

    a->query.limit = LIMIT_INITIAL;
    if (may_read_log(call) && call_query(call, handle_runs_take, a) == 0) {
        a->query.limit = a->query.limit ? a->query.limit : RUNS_MAX;
        submit(call, a, list_work);
    } else {
        handle_runs_release(&holder);
    }
}

void handle_run_by_id(struct call *call)
{
    if (!may_read_log(call))
        return;
    struct asking *a = xcalloc(1, sizeof *a);
    a->id = xstrdup(call->rest.p);
    submit(call, a, show_work);
}
