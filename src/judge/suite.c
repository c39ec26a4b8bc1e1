/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "judge/parts.h"
#include "judge/suite_lines.h"
#include "workspace/workspace.h"

/* ---- one task ---- */

static const char *first_failure(const struct judge_result *r)
{
    for (size_t i = 0; i < r->total; i++)
        if (!r->cases[i].passed)
            return r->cases[i].detail;
    return "OK";
}

static void take_result(const struct judge_result *r, struct suite_result *ret)
{
    const struct case_result *first = r->cases;

    for (size_t i = 0; i < r->total && r->cases[i].passed; i++)
        first++;
    ret->passed = r->passed;
    ret->total = r->total;
    ret->score = r->score;
    ret->all_passed = r->all_passed;
    ret->cancelled = r->run.cancelled;
    if (r->unjudged && !result_refused(&r->run))
        ret->error = xstrdup(r->doubt);
    ret->trustworthy = r->trustworthy && !ret->cancelled;
    ret->counted = !ret->error;
    if (ret->error)
        return;
    if (!r->total)
        ret->detail = xstrdup("no cases");
    else if (r->all_passed)
        ret->detail = xstrdup("OK");
    else
        ret->detail = xasprintf("%s: %s", first->test->name, first_failure(r));
}

static void run_cases(const struct judge_request *q, int cancel_fd, struct suite_result *ret)
{
    const struct judge_watch watch = {.cancel_fd = cancel_fd};
    struct judge_result result;

    judge_run(q, &watch, &result);
    take_result(&result, ret);
    judge_result_done(&result);
}

/* Candidates of one suite share no folder: what one leaves behind could be read, imported or
 * started by the next. Each has a copy of the work folder, and a folder for its own files, which is
 * given back. */
static char *part_folders(const struct suite_task *task, struct run_request *q)
{
    char *out = q->out_dir ? xasprintf("%s/%zu", q->out_dir, task->line) : NULL;

    q->work_dir_kept = true;
    return out;
}

static void suite_task_run(const struct suite_request *request, const struct suite_task *task,
                           struct suite_result *ret)
{
    struct judge_request q = request->judge;
    AUTO_FREE char *out_dir = part_folders(task, &q.run);
    int64_t began = clock_mono_ms();

    q.run.out_dir = out_dir;
    *ret =
        (struct suite_result){.id = xstrdup(task->id), .line = task->line, .sample = task->sample};
    q.run.code = task->code;
    q.run.file = NULL;
    q.run.language = task->language ? task->language : "python";
    q.run.limits.wall_ms = task->timeout_ms ? task->timeout_ms : q.run.limits.wall_ms;
    q.cases = &task->cases;
    q.func = task->func;
    if (task->setup.n)
        q.setup = task->setup;
    if (task->is_code)
        suite_code_run(&q, task, request->cancel_fd, ret);
    else
        run_cases(&q, request->cancel_fd, ret);
    ret->duration_ms = clock_mono_ms() - began;
}

/* ---- tasks that were done before ---- */

struct suite {
    const struct suite_request *q;
    struct suite_totals *totals;
    struct tally before; /* "ID\tSAMPLE", of those that have their verdict */
    struct tally seen;   /* ids in the file */
    struct suite_lines lines;
    bool broken; /* no more lines can be read: read_err says why */
    struct err read_err;
    int results_fd;
    struct err err;
    pthread_mutex_t in_lock, out_lock;
    bool stop;
};

static char *key_of(const char *id, size_t sample)
{
    return xasprintf("%s\t%zu", id, sample);
}

static void count_result(struct suite *s, const struct suite_result *r)
{
    struct suite_totals *t = s->totals;

    t->tasks++;
    t->passed += r->all_passed;
    t->errors += r->error != NULL;
    t->failed += !r->all_passed && !r->error;
    if (!r->id || !r->counted)
        return;
    struct tally_task *task = tally_task(&t->tally, r->id);
    task->n++;
    task->passed += r->all_passed && !r->error && !r->doubt;
}

/* A task without a verdict is not done. */
static void take_done(struct suite *s, struct suite_result *r)
{
    if (!r->id || r->error)
        return;
    AUTO_FREE char *key = key_of(r->id, r->sample);
    struct tally_task *before = tally_task(&s->before, key);
    if (before->n++)
        return;
    s->totals->skipped++;
    count_result(s, r);
    if (s->q->skipped)
        s->q->skipped(s->q->ctx, r);
}

static int read_results(struct suite *s, struct err *err)
{
    struct suite_lines lines;
    struct str line;
    struct suite_result r;
    int more;

    if (access(s->q->results, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (suite_lines_open(&lines, s->q->results, err) < 0)
        return -1;
    while ((more = suite_lines_next(&lines, &line, err)) > 0) {
        if (suite_result_read(line, &r))
            take_done(s, &r);
        suite_result_done(&r);
    }
    suite_lines_close(&lines);
    return more;
}

/* A line that was cut off is ended, so that the next is one of its own. */
static int end_torn_line(int fd, const char *path, struct err *err)
{
    char last = '\n';
    off_t size = lseek(fd, 0, SEEK_END);

    if (size > 0 && pread(fd, &last, 1, size - 1) < 0)
        return err_sys(err, "%s", path);
    return last != '\n' && fd_write_all(fd, "\n", 1) < 0 ? err_sys(err, "%s", path) : 0;
}

static int open_results(struct suite *s, struct err *err)
{
    const char *path = s->q->results;
    int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | (s->q->resume ? 0 : O_EXCL);

    if (!path)
        return 0;
    s->results_fd = open(path, flags, 0666);
    if (s->results_fd < 0 && errno == EEXIST)
        return err_set(err, ERR_USAGE, "%s exists already: add --resume, or remove it", path);
    if (s->results_fd < 0)
        return err_sys(err, "%s", path);
    if (flock(s->results_fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, ERR_USAGE, "%s is being written by another run", path);
    if (s->q->resume && read_results(s, err) < 0)
        return -1;
    return end_torn_line(s->results_fd, path, err);
}

/* ---- the threads ---- */

static void publish(struct suite *s, const struct suite_result *r)
{
    AUTO_FREE char *line = suite_result_line(r);

    pthread_mutex_lock(&s->out_lock);
    /* Written at once, so that a line is complete or missing. */
    if (s->results_fd >= 0 && fd_write_all(s->results_fd, line, strlen(line)) < 0 && !s->stop) {
        err_sys(&s->err, "%s", s->q->results);
        s->stop = true;
    }
    count_result(s, r);
    if (s->q->done)
        s->q->done(s->q->ctx, r);
    pthread_mutex_unlock(&s->out_lock);
}

static bool is_cancelled(const struct suite *s)
{
    struct pollfd p = {.fd = s->q->cancel_fd, .events = POLLIN};

    return s->q->cancel_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* Samples are counted in the order of the file, whichever thread runs them. */
static bool is_done(struct suite *s, struct suite_task *task)
{
    size_t number = tally_task(&s->seen, task->id)->seen++;

    if (!task->given_sample)
        task->sample = number;
    AUTO_FREE char *key = key_of(task->id, task->sample);
    return tally_find(&s->before, key) != NULL;
}

static void report_broken(struct suite *s, const struct suite_task *task, const struct err *err)
{
    struct suite_result r = {.line = s->lines.number};

    r.id = task->id ? xstrdup(task->id) : NULL;
    r.error = xasprintf("line %zu: %s", s->lines.number, err->msg);
    publish(s, &r);
    suite_result_done(&r);
}

/* The next task that is still to be done; false at the end. Under in_lock. */
static bool next_task(struct suite *s, struct suite_task *ret)
{
    struct err err;
    struct str line;
    int more = 0;

    while (!s->stop && !s->broken && !is_cancelled(s) &&
           (more = suite_lines_next(&s->lines, &line, &s->read_err)) > 0) {
        if (!line.n)
            continue;
        bool good = suite_task_read(line, s->q->reference, ret, &err) == 0;
        ret->line = s->lines.number;
        if (!good)
            report_broken(s, ret, &err);
        else if (!is_done(s, ret))
            return true;
        suite_task_done(ret);
    }
    s->broken |= more < 0;
    return false;
}

static void *work(void *ctx)
{
    struct suite *s = ctx;
    struct suite_task task;
    struct suite_result result;

    for (;;) {
        pthread_mutex_lock(&s->in_lock);
        bool more = next_task(s, &task);
        pthread_mutex_unlock(&s->in_lock);
        if (!more)
            return NULL;
        suite_task_run(s->q, &task, &result);
        if (!result.cancelled)
            publish(s, &result);
        suite_result_done(&result);
        suite_task_done(&task);
    }
}

static int run_threads(struct suite *s, struct err *err)
{
    pthread_t threads[SUITE_JOBS_MAX];
    int n = 0, failed = 0;

    while (n < s->q->jobs && !(failed = pthread_create(&threads[n], NULL, work, s)))
        n++;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    if (!n) {
        errno = failed;
        return err_sys(err, "start a thread");
    }
    s->totals->cancelled = is_cancelled(s);
    if (s->err.kind || s->broken)
        *err = s->err.kind ? s->err : s->read_err;
    return s->err.kind || s->broken ? -1 : 0;
}

/* Where each task gets a folder of its own. */
static int make_out(const struct suite_request *request, struct err *err)
{
    const char *path = request->judge.run.out_dir;
    AUTO_CLOSE int fd = path ? workspace_open_dir(path, true, err) : -1;

    return path && fd < 0 ? err_wrap(err, "--out") : 0;
}

int suite_run(const struct suite_request *request, struct suite_totals *ret, struct err *err)
{
    struct suite s = {.q = request, .totals = ret, .results_fd = -1};
    int result = -1;

    *ret = (struct suite_totals){0};
    pthread_mutex_init(&s.in_lock, NULL);
    pthread_mutex_init(&s.out_lock, NULL);
    if (make_out(request, err) == 0 && suite_lines_open(&s.lines, request->path, err) == 0 &&
        open_results(&s, err) == 0)
        result = run_threads(&s, err);
    suite_lines_close(&s.lines);
    fd_close(&s.results_fd);
    tally_done(&s.before);
    tally_done(&s.seen);
    pthread_mutex_destroy(&s.in_lock);
    pthread_mutex_destroy(&s.out_lock);
    return result;
}

void suite_totals_done(struct suite_totals *t)
{
    tally_done(&t->tally);
}
