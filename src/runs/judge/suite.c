/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "judge/parts.h"
#include "judge/suite_earlier.h"
#include "judge/suite_lines.h"
#include "request/settings.h"
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
    ret->outcome = judge_judged(r);
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
    if (r->total && !r->all_passed)
        suite_result_print(ret, first->out, first->err);
}

static void run_cases(const struct judge_request *q, int cancel_fd, struct suite_result *ret)
{
    const struct judge_watch watch = {.cancel_fd = cancel_fd};
    struct judge_result result;

    judge_run(q, &watch, &result);
    take_result(&result, ret);
    judge_result_done(&result);
}

/* Candidates of one suite share no folder: the next one could read, import or start a file that one
 * left there. Each candidate gets a copy of the work folder, and a folder for its own output files,
 * which is returned. */
static char *part_folders(const struct suite_request *request, const struct suite_task *task,
                          struct run_request *q)
{
    AUTO_BUF struct buf b = {0};

    q->workspace.work_dir_kept = true;
    if (!q->workspace.out_dir)
        return NULL;
    buf_init(&b, PATH_MAX);
    (void)buf_addf(&b, "%s/", q->workspace.out_dir);
    if (request->path_n > 1)
        (void)buf_addf(&b, "%zu-", task->suite + 1);
    (void)buf_addf(&b, "%zu", task->line);
    if (task->variants > 1)
        (void)buf_addf(&b, "-%zu", task->variant);
    return buf_take(&b);
}

/* A sample without a program has failed all its tests, and is not run. */
static void fail_none(const struct suite_task *task, struct suite_result *ret)
{
    ret->total = task->is_code ? task->test_count : task->cases.n;
    ret->outcome = JUDGED_NONE;
    ret->detail = xstrdup(task->none);
    ret->trustworthy = ret->counted = true;
}

/* Advises on a reply that was taken for a program. */
static void notice_fence(const struct suite_request *request, const struct suite_task *task,
                         struct suite_result *ret)
{
    const struct str detail = str_from(ret->detail);

    if (request->form.extract || str_find(task->code, STR("```")) < 0 ||
        (str_find(detail, STR("SyntaxError")) < 0 && str_find(detail, STR("IndentationError")) < 0))
        return;
    char *text = xasprintf("%s; this is a reply with code in fences: add --extract", ret->detail);
    free(ret->detail);
    ret->detail = text;
}

static void suite_task_judge(const struct suite_request *request, const struct suite_task *task,
                             struct suite_result *ret)
{
    struct judge_request q = request->judge;
    AUTO_FREE char *out_dir = part_folders(request, task, &q.run);

    q.run.workspace.out_dir = out_dir;
    q.run.program.code = task->code;
    q.run.program.file = NULL;
    q.run.program.language = task->language ? task->language : "python";
    q.run.limits.wall_ms = task->timeout_ms ? task->timeout_ms : q.run.limits.wall_ms;
    q.cases = &task->cases;
    q.func = task->func;
    if (task->setup.n)
        q.setup = task->setup;
    if (task->prelude.n && !request_has_prelude(&q.run))
        q.run.program.prelude_text = task->prelude;
    if (task->is_code)
        suite_code_run(&q, task, request->cancel_fd, ret);
    else
        run_cases(&q, request->cancel_fd, ret);
    notice_fence(request, task, ret);
}

static void suite_task_run(const struct suite_request *request, const struct suite_task *task,
                           struct suite_result *ret)
{
    int64_t began = clock_mono_ms();

    *ret = (struct suite_result){.id = xstrdup(task->id),
                                 .suite = request->paths[task->suite],
                                 .line = task->line,
                                 .sample = task->sample};
    memcpy(ret->hash, task->hash, sizeof ret->hash);
    if (task->none)
        fail_none(task, ret);
    else
        suite_task_judge(request, task, ret);
    ret->duration_ms = clock_mono_ms() - began;
}

/* ---- the suites ---- */

struct suite {
    const struct suite_request *q;
    struct suite_totals *totals;
    struct suite_earlier earlier;
    struct tally seen; /* the ids in the files; each belongs to one suite */
    struct suite_lines lines;
    size_t at;       /* which of the suites `lines` is; path_n after the last one */
    struct str line; /* of `lines`, with candidates that were not read yet */
    size_t variant, variants;
    bool broken; /* no more lines can be read; the reason is in read_err */
    struct err read_err;
    int results_fd;
    struct err err;
    pthread_mutex_t in_lock, out_lock;
    bool stop;
};

static void count_result(struct suite_score *t, const struct suite_result *r)
{
    t->tasks++;
    t->outcomes[r->outcome]++;
    t->passed += r->all_passed;
    t->errors += r->error != NULL;
    t->failed += !r->all_passed && !r->error;
    if (!r->id || !r->counted)
        return;
    struct tally_task *task = tally_task(&t->tally, r->id);
    task->n++;
    task->passed += r->all_passed && !r->error && !r->doubt;
}

/* ---- the threads ---- */

static void publish(struct suite *s, size_t suite, const struct suite_result *r)
{
    AUTO_FREE char *line = suite_result_line(r);

    pthread_mutex_lock(&s->out_lock);
    /* Written at once, so that a line is complete or missing. */
    if (s->results_fd >= 0 && fd_write_all(s->results_fd, line, strlen(line)) < 0 && !s->stop) {
        err_sys(&s->err, "write %s", s->q->results);
        s->stop = true;
    }
    count_result(&s->totals->at[suite], r);
    if (s->q->done)
        s->q->done(s->q->ctx, r);
    pthread_mutex_unlock(&s->out_lock);
}

static bool is_cancelled(const struct suite *s)
{
    return fd_readable(s->q->cancel_fd);
}

/* Samples are numbered in the order of the file, whichever thread runs them. */
static void number_sample(struct suite *s, struct suite_task *task)
{
    AUTO_FREE char *name = xasprintf("%zu\t%s", task->suite, task->id);
    struct tally_task *seen = tally_task(&s->seen, name);

    s->totals->at[task->suite].ids += !seen->seen;
    if (!task->given_sample)
        task->sample = seen->seen;
    else
        task->sample += task->variant;
    seen->seen++;
}

/* Two samples with one hash have one verdict, apart from chance. */
static void hash_sample(const struct suite *s, struct suite_task *task)
{
    const uint64_t sizes[] = {task->variant, task->text.n, task->problem.n};
    struct sha256 hash;

    sha256_init(&hash);
    sha256_add(&hash, s->q->settings, strlen(s->q->settings));
    sha256_add(&hash, sizes, sizeof sizes);
    sha256_add(&hash, task->text.p, task->text.n);
    sha256_add(&hash, task->problem.p, task->problem.n);
    sha256_hex(&hash, task->hash);
}

static void publish_earlier(struct suite *s, const struct suite_task *task,
                            const struct suite_result *r)
{
    struct suite_result here = *r; /* its place may have changed */

    here.suite = s->q->paths[task->suite];
    here.line = task->line;
    s->totals->at[task->suite].skipped++;
    count_result(&s->totals->at[task->suite], r);
    if (s->q->skipped)
        s->q->skipped(s->q->ctx, &here);
}

/* Takes the verdict of an earlier run. False if there is none. */
static bool take_earlier(struct suite *s, const struct suite_task *task)
{
    bool changed;
    const struct suite_result *r =
        suite_earlier_find(&s->earlier, s->q->paths[task->suite], task, &changed);

    pthread_mutex_lock(&s->out_lock);
    s->totals->at[task->suite].changed += changed;
    if (r)
        publish_earlier(s, task, r);
    pthread_mutex_unlock(&s->out_lock);
    return r != NULL;
}

static void report_broken(struct suite *s, const struct suite_task *task, const struct err *err)
{
    struct suite_result r = {
        .line = s->lines.number, .suite = s->q->paths[s->at], .outcome = JUDGED_OURS};

    r.id = task->id ? xstrdup(task->id) : NULL;
    memcpy(r.hash, task->hash, sizeof r.hash);
    r.error = xasprintf("line %zu: %s", s->lines.number, err->msg);
    publish(s, s->at, &r);
    suite_result_done(&r);
}

/* Moves to the next candidate: of the same line, the next line, or the next suite. 1; 0 at the end;
 * -1 with read_err. */
static int next_candidate(struct suite *s)
{
    int more;

    if (++s->variant < s->variants)
        return 1;
    s->variant = 0;
    s->variants = 1;
    for (;;) {
        if (!s->lines.in && s->at == s->q->path_n)
            return 0;
        if (!s->lines.in && suite_lines_open(&s->lines, s->q->paths[s->at], &s->read_err) < 0)
            return -1;
        more = suite_lines_next(&s->lines, &s->line, &s->read_err);
        if (more)
            return more;
        suite_lines_close(&s->lines);
        s->at++;
    }
}

/* Finds the next task that must run; false at the end. The caller holds in_lock. */
static bool next_task(struct suite *s, struct suite_task *ret)
{
    struct err err;
    int more = 0;

    while (!s->stop && !s->broken && !is_cancelled(s) && (more = next_candidate(s)) > 0) {
        if (!s->line.n)
            continue;
        bool good = suite_task_read(s->line, &s->q->form, s->variant, ret, &err) == 0;
        ret->line = s->lines.number;
        ret->suite = s->at;
        s->variants = good ? ret->variants : 1;
        s->totals->at[s->at].several |= s->variants > 1;
        if (good || ret->problem.n) /* a problem that cannot be read has a sample nevertheless */
            number_sample(s, ret);
        hash_sample(s, ret);
        if (!good)
            report_broken(s, ret, &err);
        else if (!take_earlier(s, ret))
            return true;
        suite_task_done(ret);
    }
    s->broken |= more < 0;
    return false;
}

static void *suite_work(void *ctx)
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
            publish(s, task.suite, &result);
        suite_result_done(&result);
        suite_task_done(&task);
    }
}

static int processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return n < SUITE_JOBS_MAX ? n : SUITE_JOBS_MAX;
}

static int run_threads(struct suite *s, struct err *err)
{
    const int jobs = s->q->jobs ? s->q->jobs : processors();
    pthread_t threads[SUITE_JOBS_MAX];
    int n = 0, failed = 0;

    while (n < jobs && !(failed = pthread_create(&threads[n], NULL, suite_work, s)))
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

/* Makes the folder in which each task gets its own folder. */
static int make_out(const struct suite_request *request, struct err *err)
{
    const char *path = request->judge.run.workspace.out_dir;
    AUTO_CLOSE int fd = path ? workspace_open_dir(path, true, err) : -1;

    return path && fd < 0 ? err_wrap(err, "--out") : 0;
}

/* Reads the first line, which shows whether the file is what its option says. */
static int check_suite(const struct suite_request *request, const char *path, struct err *err)
{
    struct suite_lines lines;
    struct str line;
    int more = -1;

    if (suite_lines_open(&lines, path, err) == 0)
        while ((more = suite_lines_next(&lines, &line, err)) > 0 && !line.n)
            ;
    if (more > 0 && request->form.problems && !request->form.reference &&
        suite_line_is_problem(line))
        more = err_set(err, ERR_USAGE,
                       "%s: has problems, not samples: name it with --problems, and the file of "
                       "samples with --suite",
                       path);
    suite_lines_close(&lines);
    return more < 0 ? -1 : 0;
}

/* Looks at all suites before the first task runs. */
static int check_suites(const struct suite_request *request, struct err *err)
{
    for (size_t i = 0; i < request->path_n; i++)
        if (strcmp(request->paths[i], "-") != 0 && check_suite(request, request->paths[i], err) < 0)
            return -1;
    return 0;
}

static int open_results(struct suite *s, struct err *err)
{
    if (s->q->results)
        s->results_fd = suite_earlier_open(&s->earlier, s->q, err);
    return s->q->results && s->results_fd < 0 ? -1 : 0;
}

int suite_run(const struct suite_request *request, struct suite_totals *ret, struct err *err)
{
    struct suite s = {.q = request, .totals = ret, .results_fd = -1};
    int result = -1;

    *ret = (struct suite_totals){.n = request->path_n,
                                 .at = xcalloc(request->path_n, sizeof *ret->at)};
    pthread_mutex_init(&s.in_lock, NULL);
    pthread_mutex_init(&s.out_lock, NULL);
    if (make_out(request, err) == 0 && check_suites(request, err) == 0 &&
        open_results(&s, err) == 0)
        result = run_threads(&s, err);
    suite_lines_close(&s.lines);
    fd_close(&s.results_fd);
    suite_earlier_done(&s.earlier);
    tally_done(&s.seen);
    pthread_mutex_destroy(&s.in_lock);
    pthread_mutex_destroy(&s.out_lock);
    return result;
}

void suite_totals_done(struct suite_totals *t)
{
    for (size_t i = 0; i < t->n; i++)
        tally_done(&t->at[i].tally);
    free(t->at);
}
