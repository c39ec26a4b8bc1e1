/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
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
    if (ret->outcome != JUDGED_REFUSED || request->form.extract || !ret->detail ||
        str_find(task->code, STR("```")) < 0)
        return;
    char *detail = xasprintf("%s; this is a reply with code in fences: add --extract", ret->detail);
    free(ret->detail);
    ret->detail = detail;
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
    if (task->none)
        fail_none(task, ret);
    else
        suite_task_judge(request, task, ret);
    ret->duration_ms = clock_mono_ms() - began;
}

/* ---- tasks that were done before ---- */

struct suite {
    const struct suite_request *q;
    struct suite_totals *totals;
    struct tally before; /* the key of every task that has a verdict */
    struct tally suites; /* that the results of an earlier run name */
    struct tally seen;   /* the ids in the files; each belongs to one suite */
    struct suite_lines lines;
    size_t at;       /* which of the suites `lines` is; path_n after the last one */
    struct str line; /* of `lines`, with candidates that were not read yet */
    size_t variant, variants;
    bool broken; /* no more lines can be read; the reason is in read_err */
    struct err read_err;
    int results_fd;
    const char *is_same; /* all results of an earlier run are of the only suite, by this name */
    struct err err;
    pthread_mutex_t in_lock, out_lock;
    bool stop;
};

static char *key_of(const char *suite, const char *id, size_t sample)
{
    return xasprintf("%s\t%s\t%zu", suite, id, sample);
}

/* NULL: it is none of these suites. Results of earlier releases do not name their suite. */
static struct suite_score *score_of(struct suite *s, const char *suite)
{
    if (!suite || s->is_same)
        return s->totals->at;
    for (size_t i = 0; i < s->q->path_n; i++)
        if (strcmp(s->q->paths[i], suite) == 0)
            return &s->totals->at[i];
    return NULL;
}

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

/* Counts a task from an earlier run. A task without a verdict is repeated. */
static void take_done(struct suite *s, struct suite_result *r)
{
    struct suite_score *score = score_of(s, r->suite);

    if (!r->id || r->error || !score)
        return;
    AUTO_FREE char *key = key_of(s->q->paths[score - s->totals->at], r->id, r->sample);
    struct tally_task *before = tally_task(&s->before, key);
    if (before->n++)
        return;
    score->skipped++;
    count_result(score, r);
    if (s->q->skipped)
        s->q->skipped(s->q->ctx, r);
}

static int each_result(struct suite *s, void (*take)(struct suite *, struct suite_result *),
                       struct err *err)
{
    struct suite_lines lines;
    struct str line;
    struct suite_result r;
    int more;

    if (suite_lines_open(&lines, s->q->results, err) < 0)
        return -1;
    while ((more = suite_lines_next(&lines, &line, err)) > 0) {
        if (suite_result_read(line, &r))
            take(s, &r);
        suite_result_done(&r);
    }
    suite_lines_close(&lines);
    return more;
}

static void note_suite(struct suite *s, struct suite_result *r)
{
    if (r->suite)
        tally_task(&s->suites, r->suite);
}

/* A suite may have been moved or packed since the earlier run. Its path only counts where there are
 * several. */
static int read_results(struct suite *s, struct err *err)
{
    if (access(s->q->results, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (each_result(s, note_suite, err) < 0)
        return -1;
    if (s->q->path_n == 1 && s->suites.n == 1)
        s->is_same = s->suites.at[0].id;
    return each_result(s, take_done, err);
}

/* Ends a line that was cut off, so that the next result is on its own line. */
static int end_torn_line(int fd, const char *path, struct err *err)
{
    char last = '\n';
    off_t size = lseek(fd, 0, SEEK_END);

    if (size > 0 && pread(fd, &last, 1, size - 1) < 0)
        return err_sys(err, "write %s", path);
    return last != '\n' && fd_write_all(fd, "\n", 1) < 0 ? err_sys(err, "write %s", path) : 0;
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
        return err_sys(err, "write %s", path);
    if (flock(s->results_fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, ERR_USAGE, "%s is being written by another run", path);
    if (s->q->resume && read_results(s, err) < 0)
        return -1;
    return end_torn_line(s->results_fd, path, err);
}

/* ---- the threads ---- */

static void publish(struct suite *s, struct suite_result *r)
{
    r->suite = s->is_same ? s->is_same : r->suite; /* one suite keeps one name in a file */
    AUTO_FREE char *line = suite_result_line(r);

    pthread_mutex_lock(&s->out_lock);
    /* Written at once, so that a line is complete or missing. */
    if (s->results_fd >= 0 && fd_write_all(s->results_fd, line, strlen(line)) < 0 && !s->stop) {
        err_sys(&s->err, "write %s", s->q->results);
        s->stop = true;
    }
    count_result(score_of(s, r->suite), r);
    if (s->q->done)
        s->q->done(s->q->ctx, r);
    pthread_mutex_unlock(&s->out_lock);
}

static bool is_cancelled(const struct suite *s)
{
    return fd_readable(s->q->cancel_fd);
}

/* Samples are numbered in the order of the file, whichever thread runs them. */
static bool is_done(struct suite *s, struct suite_task *task)
{
    const char *suite = s->q->paths[task->suite];
    AUTO_FREE char *name = xasprintf("%zu\t%s", task->suite, task->id);
    struct tally_task *seen = tally_task(&s->seen, name);

    s->totals->at[task->suite].ids += !seen->seen;
    if (!task->given_sample)
        task->sample = seen->seen;
    else
        task->sample += task->variant;
    seen->seen++;
    AUTO_FREE char *key = key_of(suite, task->id, task->sample);
    return tally_find(&s->before, key) != NULL;
}

static void report_broken(struct suite *s, const struct suite_task *task, const struct err *err)
{
    struct suite_result r = {
        .line = s->lines.number, .suite = s->q->paths[s->at], .outcome = JUDGED_OURS};

    r.id = task->id ? xstrdup(task->id) : NULL;
    r.error = xasprintf("line %zu: %s", s->lines.number, err->msg);
    publish(s, &r);
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
        if (!good && ret->problem.n) /* a problem that cannot be read has a sample nevertheless */
            (void)is_done(s, ret);
        if (!good)
            report_broken(s, ret, &err);
        else if (!is_done(s, ret))
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
            publish(s, &result);
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

/* Opens all suites before the first task runs: a name may be wrong. */
static int check_suites(const struct suite_request *request, struct err *err)
{
    struct suite_lines lines;
    int result = 0;

    for (size_t i = 0; i < request->path_n && result == 0; i++) {
        if (strcmp(request->paths[i], "-") == 0)
            continue;
        result = suite_lines_open(&lines, request->paths[i], err);
        suite_lines_close(&lines);
    }
    return result;
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
    tally_done(&s.before);
    tally_done(&s.suites);
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
