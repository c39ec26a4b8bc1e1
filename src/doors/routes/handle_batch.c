/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/batch: many runs in one request. Each run is a job of its own. Only a few of them are in
 * the queue at the same time, so that a client with a thousand runs leaves room for other clients.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "routes/routes.h"
#include "server/workers.h"

enum { BATCH_MAX = 1000, BATCH_AT_ONCE = 16, BATCH_BYTES_MAX = 256 << 20 };

struct batch_fields {
    json_t *runs;
    int64_t deadline_ms;
};

static const struct route part_route = {.form = {.verb = V_RUN}, .work = run_work};

const struct setting batch_rows[] = {
    {.field = "runs",
     .shape = SHAPE_ARRAY,
     .json_at = offsetof(struct batch_fields, runs),
     .code = CODE_READ,
     .required = V_ANY,
     .items = &part_route.form,
     .meaning = "up to 1000 requests, each as for /v1/run"},
    {.field = "deadline_ms",
     .opt = {.kind = OPT_DURATION, .offset = offsetof(struct batch_fields, deadline_ms)},
     .unset = "0 (none)",
     .meaning = "time from the request's arrival after which the answer is useless"},
    {.field = NULL},
};

/* Belongs to the parent job, which ends after the last part. */
struct batch {
    struct job *parent;
    json_t *runs;
    size_t n, next, under_way;
    struct part {
        struct batch *batch;
        size_t index;
        struct job *job;
        int status;
        char *text;
    } * parts;
    size_t bytes;
};

static void handle_batch_release(struct job *job)
{
    struct batch *b = job->own;

    for (size_t i = 0; b && i < b->n; i++)
        free(b->parts[i].text);
    if (b)
        free(b->parts);
    free(b);
}

/* ---- the answer ---- */

static void answer_all(struct batch *b)
{
    AUTO_FREE char *unrun = error_text("limit", "the daemon is stopping");
    AUTO_BUF struct buf text = {0};

    buf_init(&text, b->bytes + b->n * strlen(unrun) + 100);
    (void)buf_adds(&text, "{\"results\":[");
    for (size_t i = 0; i < b->n; i++) {
        (void)buf_adds(&text, i ? "," : "");
        (void)buf_adds(&text, b->parts[i].text ? b->parts[i].text : unrun);
    }
    (void)buf_adds(&text, "]}");
    job_answer(b->parent, 200, buf_take(&text));
}

static void handle_batch_finish(struct batch *b)
{
    struct job *parent = b->parent;

    if (parent->call && !parent->streams)
        answer_all(b);
    else
        parent->status = 200;
    job_reply(parent);
    job_free(parent);
}

static void send_part(struct batch *b, struct part *p)
{
    AUTO_FREE char *line =
        xasprintf("{\"index\":%zu,\"status\":%d,\"result\":%s}\n", p->index, p->status, p->text);
    struct call *call = b->parent->call;

    if (!http_begun(call->x))
        http_begin(call->x, 200, "application/x-ndjson", NULL);
    http_piece(call->x, str_from(line));
    free(p->text);
    p->text = NULL;
}

/* ---- the runs of a batch ---- */

static void submit_some(struct batch *b);

static char *unrun_text(const struct job *job)
{
    struct err why;

    err_set(&why, ERR_LIMIT, "ended before it was run");
    job_end_words(job, &why);
    return error_text(err_kind_name(why.kind), why.msg);
}

static void part_over(struct job *job)
{
    struct part *p = job->own;
    struct batch *b = p->batch;

    int ended = job_end_status(job);

    p->status = ended ? ended : job->status ? job->status : 503;
    p->text = job->answer ? mem_take(&job->answer) : unrun_text(job);
    p->job = NULL;
    b->bytes += strlen(p->text);
    job->own = NULL;
    job_free(job);
    if (b->bytes > BATCH_BYTES_MAX && !b->parent->streams) {
        b->bytes -= strlen(p->text);
        free(p->text);
        p->text =
            error_text("limit", "the results together are larger than 256 MiB; ask for lines");
        b->bytes += strlen(p->text);
    }
    if (b->parent->call && b->parent->streams)
        send_part(b, p); /* when a part is submitted, the client may be found to be disconnected */
    b->under_way--;
    submit_some(b);
}

static void submit_one(struct batch *b)
{
    struct part *p = &b->parts[b->next++];
    struct job *job = job_bare(b->parent->server, NULL);

    job->rules = b->parent->rules;
    memcpy(job->owner, b->parent->owner, sizeof job->owner);
    job->wording = b->parent->wording;
    job->own = p;
    job->route = &part_route;
    job->work = part_route.work;
    job->over = part_over;
    job->arrived_ms = b->parent->arrived_ms;
    job_take_doc(job, json_incref(json_array_get(b->runs, p->index)));
    if (b->parent->deadline_ms && (!job->deadline_ms || b->parent->deadline_ms < job->deadline_ms))
        job->deadline_ms = (int64_t)b->parent->deadline_ms;
    p->job = job;
    b->under_way++;
    job_submit(job);
}

/* True if the client reads the lines of the batch too slowly: runs that have not begun wait, too.
 */
static bool reader_lags(const struct batch *b)
{
    return b->parent->call && b->parent->streams && http_unsent(b->parent->call->x) > UNREAD_MAX;
}

static void submit_some(struct batch *b)
{
    bool more = b->next < b->n && !atomic_load(&b->parent->cancelled) &&
                b->parent->server->state != SERVER_CANCELLING;

    while (b->next < b->n && more && b->under_way < BATCH_AT_ONCE && !reader_lags(b))
        submit_one(b);
    if (!b->under_way && !more)
        handle_batch_finish(b);
}

static void drained(struct job *parent)
{
    submit_some(parent->own);
}

/* The client has disconnected, or the daemon stops. */
static void handle_batch_stop(struct job *parent)
{
    struct batch *b = parent->own;

    b->under_way++; /* keeps the batch until this function is done with it */
    for (size_t i = 0; i < b->n; i++)
        if (b->parts[i].job)
            job_cancel(b->parts[i].job);
    b->under_way--;
    if (!b->under_way)
        handle_batch_finish(b);
}

/* ---- the beginning ---- */

/* Called in a worker, because parsing a large body takes a while. */
static void handle_batch_split(struct job *job)
{
    struct batch_fields fields = {0};
    struct err err;

    if (job_read(job, &fields, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    size_t n = json_array_size(fields.runs);
    if (n > BATCH_MAX) {
        err_set(&err, ERR_LIMIT, "'runs': %zu are more than %d", n, BATCH_MAX);
        job_fail(job, &err);
        return;
    }
    struct batch *b = xcalloc(1, sizeof *b);
    *b = (struct batch){.parent = job, .runs = fields.runs, .n = n};
    b->parts = xcalloc(n + 1, sizeof *b->parts);
    for (size_t i = 0; i < n; i++)
        b->parts[i] = (struct part){.batch = b, .index = i};
    job->own = b;
}

static void split_over(struct job *job)
{
    if (!job->own || atomic_load(&job->cancelled)) {
        job_reply(job);
        job_free(job);
        return;
    }
    job->stop = handle_batch_stop;
    job->drained = drained;
    submit_some(job->own);
}

void handle_batch(struct call *call)
{
    struct job *job = job_new(call->server, call);

    if (!job)
        return;
    job->work = handle_batch_split;
    job->over = split_over;
    job->release = handle_batch_release;
    job_submit(job);
}
