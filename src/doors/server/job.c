/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "hosting/share.h"
#include "server/front.h"
#include "server/workers.h"

enum {
    READ_IN_LOOP = 64 << 10, /* a longer body is parsed by the worker */
    QUEUED_BYTES_MAX = 512 << 20,
    STALL_MAX_MS = 30000, /* total time that a run waits for its client to read */
    STALL_STEP_MS = 50,
};

/* ---- JSON ---- */

int json_read(struct str text, json_t **ret, struct err *err)
{
    json_error_t error;

    if (!str_trim(text).n) {
        *ret = json_object();
        return 0;
    }
    *ret =
        json_loadb(text.p ? text.p : "", text.n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (*ret)
        return 0;
    return err_set(err, ERR_USAGE, "the body is not JSON: line %d, column %d: %s", error.line,
                   error.column, error.text);
}

static json_t *job_error_json(const char *kind, const char *message)
{
    return json_pack("{s:{s:s, s:o}}", "error", "kind", kind, "message",
                     json_text(str_from(message)));
}

/* Takes the object over. */
static char *job_text_of(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);

    json_decref(o);
    return text ? text : xstrdup("{}");
}

char *error_text(const char *kind, const char *message)
{
    return job_text_of(job_error_json(kind, message));
}

char *error_words(const struct err *err, enum wording wording)
{
    json_t *o = job_error_json(err_kind_name(err->kind), err->msg);

    wording_use(o, wording);
    return job_text_of(o);
}

/* ---- life ---- */

static void deliver_over(struct mail *mail)
{
    job_over((struct job *)(void *)((char *)mail - offsetof(struct job, over_mail)));
}

static void deliver_lines(struct mail *mail);
static void note_drained(struct job *job);

struct job *job_bare(struct server *server, struct call *call)
{
    struct job *job = xcalloc(1, sizeof *job);

    job->over_mail.deliver = deliver_over;
    job->lines_mail.deliver = deliver_lines;
    job->server = server;
    job->config = config_hold(server->config);
    job->rules = call ? call_rules(call) : &job->config->rules;
    job->arrived_ns = clock_mono_ns();
    job->arrived_ms = job->arrived_ns / 1000000;
    job->waited_us = -1;
    job->cancel_fd = job->file_fd = job->room_fd = -1;
    job->drained = note_drained;
    pthread_mutex_init(&job->lock, NULL);
    buf_init(&job->body, 0);
    buf_init(&job->lines, 2 * UNREAD_MAX + (1u << 30));
    server->jobs++;
    if (call) {
        job->call = call;
        job->route = call->route;
        job->streams = call->streams;
        job->wording = call->wording;
        memcpy(job->owner, call->owner, sizeof job->owner);
        call->job = job;
    }
    return job;
}

void job_take_doc(struct job *job, json_t *doc)
{
    double ms = json_number_value(json_object_get(doc, "deadline_ms"));

    job->doc = doc;
    if (ms > 0 && ms < INT32_MAX)
        job->deadline_ms = job->arrived_ms + (int64_t)ms;
}

struct job *job_new(struct server *server, struct call *call)
{
    struct err err;
    json_t *doc = NULL;
    struct str body = call->x->body;

    if (body.n <= READ_IN_LOOP && json_read(body, &doc, &err) < 0) {
        call_fail(call, &err);
        return NULL;
    }
    struct job *job = job_bare(server, call);
    if (doc)
        job_take_doc(job, doc);
    else
        http_take_body(call->x, &job->body);
    return job;
}

void job_free(struct job *job)
{
    job->server->jobs--;
    if (job->call)
        job->call->job = NULL;
    if (job->release)
        job->release(job);
    else
        free(job->own);
    if (job->turn.entry)
        session_turn_over(&job->turn);
    config_drop(job->config);
    buf_done(&job->body);
    buf_done(&job->lines);
    json_decref(job->doc);
    fd_close(&job->file_fd);
    fd_close(&job->room_fd);
    pthread_mutex_destroy(&job->lock);
    free(job->answer);
    free(job->figures);
    free(job);
}

/* ---- the queue ---- */

static void job_refuse(struct job *job, int status, const char *why)
{
    char retry[40];
    struct call *call = job->call;
    struct workers_stats w;

    workers_stats(job->server->workers, &w);
    double seconds = (double)(w.queued + 1) * w.mean_ms / (w.busy ? w.busy : 1) / 1000;

    metrics_refused(job->server->metrics, REFUSAL_QUEUE);
    snprintf(retry, sizeof retry, "Retry-After: %d\r\n",
             seconds < 1    ? 1
             : seconds > 60 ? 60
                            : (int)(seconds + 0.999));
    job_free(job);
    call_refuse(call, status, retry, "limit", "%s", why);
}

const char *job_no_room(const struct job *job, int *ret_status)
{
    unsigned owners = config_owners(job->server->config);
    uint64_t most = (uint64_t)job->server->config->settings.queue;
    struct workers_stats w;
    size_t bytes, own = workers_queued(job->server->workers, job->owner, &bytes);

    workers_stats(job->server->workers, &w);
    *ret_status = 429;
    if (!w.free && !share_allows(own, 1, w.queued, most, owners))
        return w.queued >= most ? "the queue is full"
                                : "this token has its share of the queue; more must wait";
    *ret_status = 503;
    return share_allows(bytes, job->body.n, w.queued_bytes, QUEUED_BYTES_MAX, owners)
               ? NULL
               : "too many large requests at once";
}

void job_submit(struct job *job)
{
    int status;
    const char *why = !job->call || job->urgent ? NULL : job_no_room(job, &status);

    if (why)
        job_refuse(job, status, why);
    else
        workers_add(job->server->workers, job);
}

void job_cancel(struct job *job)
{
    atomic_store(&job->cancelled, true);
    if (job->stop)
        job->stop(job);
    else if (workers_cancel(job->server->workers, job))
        job_over(job);
}

/* ---- the end of a job ---- */

void job_over(struct job *job)
{
    for (size_t i = 0; i < job->figure_count; i++)
        metrics_add(job->server->metrics, &job->figures[i]);
    job->figure_count = 0;
    if (job->waited_us >= 0)
        metrics_waited(job->server->metrics, job->waited_us);
    job->waited_us = -1;
    if (job->over) {
        job->over(job);
        return;
    }
    job_reply(job);
    job_free(job);
}

/* ---- lines, from the worker to the client ---- */

/* Call it in the loop with the lock held. */
static void note_unsent(struct job *job)
{
    uint64_t one = 1;

    job->unsent = job->call ? http_unsent(job->call->x) : 0;
    if (!job->wants_room || job->lines.n + job->unsent > ROOM_MAX)
        return;
    job->wants_room = false;
    (void)!write(job->room_fd, &one, sizeof one);
}

static void note_drained(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    note_unsent(job);
    pthread_mutex_unlock(&job->lock);
}

static void deliver_lines(struct mail *mail)
{
    struct job *job = (struct job *)(void *)((char *)mail - offsetof(struct job, lines_mail));
    struct buf lines;
    bool overrun;

    pthread_mutex_lock(&job->lock);
    lines = job->lines;
    job->lines = (struct buf){0};
    buf_init(&job->lines, lines.limit);
    job->posted = false;
    overrun = job->overrun;
    pthread_mutex_unlock(&job->lock);
    if (job->call && !overrun && lines.n) {
        if (!http_begun(job->call->x))
            http_begin(job->call->x, 200, "application/x-ndjson", NULL);
        http_piece(job->call->x, buf_str(&lines));
    }
    buf_done(&lines);
    note_drained(job);
}

/* Call it with the lock held. Wakes the loop, even if there are no lines and only the unsent bytes
 * must be counted again. */
static void post_lines(struct job *job)
{
    if (job->posted)
        return;
    job->posted = true;
    mailbox_post(job->server->mailbox, &job->lines_mail);
}

/* Call it with the lock held; the lock is released while it waits. */
static void wait_for_room(struct job *job)
{
    struct timespec step = {.tv_nsec = STALL_STEP_MS * 1000000L};

    while (job->lines.n + job->unsent > UNREAD_MAX && !job->overrun &&
           !atomic_load(&job->cancelled)) {
        post_lines(job);
        pthread_mutex_unlock(&job->lock);
        nanosleep(&step, NULL);
        pthread_mutex_lock(&job->lock);
        job->stalled_ms += STALL_STEP_MS;
        if (job->stalled_ms > STALL_MAX_MS)
            job->overrun = true;
    }
}

/* Without an eventfd this is always true, and job_line waits instead. */
static bool job_has_room(struct job *job)
{
    uint64_t ignored;

    if (job->lines.n + job->unsent <= ROOM_MAX || job->overrun)
        return true;
    if (job->room_fd < 0)
        job->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (job->room_fd < 0)
        return true;
    if (!job->wants_room)
        (void)!read(job->room_fd, &ignored, sizeof ignored);
    job->wants_room = true;
    post_lines(job);
    return false;
}

bool job_room(struct job *job, struct pollfd *ret)
{
    pthread_mutex_lock(&job->lock);
    bool room = job_has_room(job);
    if (!room)
        *ret = (struct pollfd){.fd = job->room_fd, .events = POLLIN};
    pthread_mutex_unlock(&job->lock);
    return room;
}

void job_line(struct job *job, struct str line)
{
    uint64_t one = 1;

    pthread_mutex_lock(&job->lock);
    wait_for_room(job);
    if (job->overrun) {
        if (!atomic_exchange(&job->cancelled, true) && job->cancel_fd >= 0)
            (void)!write(job->cancel_fd, &one, sizeof one);
    } else if (buf_add_str(&job->lines, line) < 0 || buf_addc(&job->lines, '\n') < 0) {
        job->overrun = true;
    } else {
        post_lines(job);
    }
    pthread_mutex_unlock(&job->lock);
}

void job_line_json(struct job *job, json_t *event)
{
    wording_use(event, job->wording);
    AUTO_FREE char *line = event ? json_write(event, false) : NULL;

    json_decref(event);
    if (line)
        job_line(job, str_from(line));
}

/* ---- for the worker ---- */

static int job_read_body(struct job *job, struct err *err)
{
    json_t *doc;
    int result = json_read(buf_str(&job->body), &doc, err);

    buf_done(&job->body);
    if (result == 0)
        job_take_doc(job, doc);
    return result;
}

int job_read(struct job *job, void *ret, struct err *err)
{
    if (!job->doc && job_read_body(job, err) < 0)
        return -1;
    if (job->deadline_ms && clock_mono_ms() > job->deadline_ms) {
        job->end = END_LATE;
        job_end_words(job, err);
        return -1;
    }
    job->begun = true;
    return ask_read(&job->route->form, job->doc, job->rules, ret, err);
}

void job_answer(struct job *job, int status, char *text)
{
    free(job->answer);
    job->status = status;
    job->answer = text;
    job->answer_n = text ? strlen(text) : 0;
}

void job_answer_json(struct job *job, int status, json_t *doc)
{
    wording_use(doc, job->wording);
    char *text = json_write(doc, false);

    json_decref(doc);
    job_answer(job, status, text);
}

void job_fail(struct job *job, const struct err *err)
{
    job_answer(job, err_http_status(err->kind), error_words(err, job->wording));
}

struct run_figures *job_figures(struct job *job)
{
    job->figures = xrealloc_array(job->figures, job->figure_count + 1, sizeof *job->figures);
    return &job->figures[job->figure_count++];
}
