/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/test_suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "explain/feedback_advice.h"
#include "judge/suite.h"
#include "judge/suite_lines.h"
#include "report/check_report.h"
#include "report/report.h"
#include "report/suite_totals.h"
#include "request/setting.h"
#include "terminal/cancel.h"
#include "terminal/colours.h"
#include "terminal/progress.h"
#include "terminal/safe_text.h"

/* On a terminal, a suite with more tasks than MANY prints only its first failures. */
enum { MANY = 50, FAILURES_SHOWN = 20 };

struct show {
    const struct cli_settings *settings;
    struct suite_report totals;
    struct junit junit;
    bool with_junit, colour;
    bool brief; /* prints no task that passed, and only the first failures */
    size_t failures;
    char *missing; /* the first module that a program or test code lacked; or NULL */
    struct progress progress;
};

/* ---- a task ---- */

static void test_suite_put(struct show *show, const char *word, const char *colour,
                           const char *text)
{
    AUTO_FREE char *line = safe_line(text);

    printf("%s%s%s %s\n", show->colour ? colour : "", word, show->colour ? "\033[0m" : "", line);
}

static void test_suite_say(struct show *show, const struct suite_result *r)
{
    AUTO_FREE char *text = NULL;

    if (show->brief && (r->all_passed || ++show->failures > FAILURES_SHOWN))
        return;
    if (r->all_passed)
        text = xasprintf("%s (sample %zu)", r->id, r->sample);
    else if (r->id)
        text = xasprintf("%s (sample %zu): %s", r->id, r->sample, r->error ? r->error : r->detail);
    else
        text = xstrdup(r->error);
    progress_clear(&show->progress);
    if (!r->all_passed)
        test_suite_put(show, "FAIL", "\033[1;31m", text);
    else if (!show->settings->quiet)
        test_suite_put(show, "ok  ", "\033[32m", text);
}

/* Test code that lacks a module has no verdict, and so has every candidate: worth a hint. */
static void keep_missing(struct show *show, const struct suite_result *r)
{
    const struct str error = STR("ModuleNotFoundError: "), words = STR("No module named '");
    struct str text = str_from(r->all_passed ? NULL : r->error ? r->error : r->detail);
    long at = str_find(text, error);
    struct str rest = str_slice(text, at < 0 ? text.n : (size_t)at + error.n, text.n);
    long end = str_find(str_slice(rest, words.n, rest.n), STR("'"));

    if (!show->missing && str_starts(rest, words.p) && end > 0)
        show->missing = xstrndup(rest.p, words.n + (size_t)end + 1);
}

static void say_missing(const struct show *show)
{
    const char *backend = show->settings->common.backend;
    const struct advice_error error = {
        .language = "python", .type = "ModuleNotFoundError", .message = str_from(show->missing)};
    AUTO_FREE char *advice = show->missing ? advice_for_error(&error) : NULL;

    if (!advice)
        return;
    json_t *doc = json_pack("{s:s, s:s, s:{s:s, s:s}, s:[s]}", "error_type", "guest", "backend",
                            backend ? backend : "jail", "exception", "type", error.type, "message",
                            show->missing, "feedback", advice);
    report_hints(&(struct report){.settings = show->settings}, doc);
    json_decref(doc);
}

static void count_progress(struct show *show, const struct suite_result *r, bool before)
{
    if (!show->settings->quiet)
        progress_count(&show->progress, r->all_passed, before);
}

static void put_json(const struct suite_result *r)
{
    AUTO_FREE char *line = suite_result_line(r);

    fputs(line, stdout);
}

static void on_result(void *ctx, const struct suite_result *r)
{
    struct show *show = ctx;

    if (show->with_junit)
        junit_add(&show->junit, r);
    if (show->settings->json)
        put_json(r);
    else
        test_suite_say(show, r);
    fflush(stdout);
    keep_missing(show, r);
    count_progress(show, r, false);
}

static void on_skipped(void *ctx, const struct suite_result *r)
{
    struct show *show = ctx;

    count_progress(show, r, true);
    if (show->with_junit)
        junit_add(&show->junit, r);
    if (show->settings->json)
        put_json(r);
}

/* ---- the end ---- */

/* Returns the exit status. */
static int test_suite_end(const struct show *show, struct suite_totals *totals)
{
    size_t tasks = 0, passed = 0;

    if (!show->settings->json && show->failures > FAILURES_SHOWN)
        printf("... and %zu more%s\n", show->failures - FAILURES_SHOWN,
               show->settings->common.results ? "" : "; --results FILE keeps them all");
    suite_totals_report(&show->totals, totals);
    for (size_t i = 0; i < totals->n; i++) {
        tasks += totals->at[i].tasks;
        passed += totals->at[i].passed;
    }
    if (totals->cancelled && cancel_signal())
        return 128 + cancel_signal();
    return !tasks || passed < tasks || totals->cancelled;
}

/* ---- the command ---- */

static int test_suite_run(struct show *show, const struct suite_request *q, struct err *err)
{
    struct suite_totals totals;
    size_t ks[SUITE_K_MAX];

    if (show->settings->common.pass_at &&
        suite_totals_ks(show->settings->common.pass_at, ks, err) < 0)
        return -1;
    int status = suite_run(q, &totals, err);
    progress_clear(&show->progress);
    if (status == 0)
        status = test_suite_end(show, &totals);
    fflush(stdout);
    say_missing(show);
    suite_totals_done(&totals);
    return status;
}

bool test_suite_is_name(const char *name)
{
    return strstr(name, ".json") || strstr(name, ".gz");
}

static int add_path(const char **paths, size_t *n, const char *path, struct err *err)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(paths[i], path) == 0)
            return err_set(err, ERR_USAGE, "'%s' is given twice", path);
    paths[(*n)++] = path;
    return 0;
}

/* The suites are --suite FILE, the operands, or, for --reference, the problems themselves. */
static int find_suites(const struct cli_options *options, const char **paths, size_t *n,
                       struct err *err)
{
    const struct cli_settings *s = &options->settings;
    const struct opt_list *given = &s->common.suite;
    const struct opt_args *args = &options->args;

    for (size_t i = 0; i < given->n; i++)
        if (add_path(paths, n, given->items[i], err) < 0)
            return -1;
    for (size_t i = 0; i < args->operand_n; i++) {
        if (strcmp(args->operands[i], "-") != 0 && !test_suite_is_name(args->operands[i]))
            return err_set(err, ERR_USAGE,
                           "'%s': with --suite the candidates are in the suite; another suite is "
                           "given with --suite, too",
                           args->operands[i]);
        if (add_path(paths, n, args->operands[i], err) < 0)
            return -1;
    }
    if (!*n && s->common.reference)
        return add_path(paths, n, s->common.problems, err);
    if (!*n)
        return err_set(err, ERR_USAGE,
                       "--problems needs --suite FILE, or --reference to test the problems' own "
                       "solutions");
    return 0;
}

static void begin_show(struct show *show)
{
    const struct cli_settings *s = show->settings;
    size_t total = 0;

    for (size_t i = 0; isatty(STDERR_FILENO) && i < show->totals.path_n; i++)
        total += suite_count(show->totals.paths[i]);
    show->totals.begin_ns = clock_mono_ns();
    progress_begin_rated(&show->progress, "testing", total);
    show->brief =
        show->progress.on && isatty(STDOUT_FILENO) && !s->quiet && (!total || total > MANY);
}

static int test_suite_judge(struct show *show, struct suite_request *q, struct err *err)
{
    const char *junit = show->settings->common.junit;
    int cancel[2];

    if (cancel_catch_signals(cancel, err) < 0 ||
        (junit && junit_open(&show->junit, junit, err) < 0))
        return -1;
    q->cancel_fd = cancel[0];
    show->with_junit = junit != NULL;
    begin_show(show);
    int status = test_suite_run(show, q, err);
    if (junit && junit_close(&show->junit, status < 0 ? &(struct err){0} : err) < 0)
        status = -1;
    return status;
}

static void hash_settings(const struct settings *s, char ret[SHA256_HEX])
{
    struct sha256 hash;

    sha256_init(&hash);
    settings_hash(s, V_TEST, &hash);
    sha256_hex(&hash, ret);
}

int test_suite(const struct cli_options *options, const struct judge_request *request,
               struct err *err)
{
    const struct cli_settings *s = &options->settings;
    AUTO_FREE const char **paths =
        xcalloc(s->common.suite.n + options->args.operand_n + 1, sizeof *paths);
    struct show show = {.settings = s,
                        .totals = {.paths = paths,
                                   .pass_at = s->common.pass_at,
                                   .results = s->common.results,
                                   .json = s->json},
                        .colour = terminal_colours(stdout)};
    struct suite_problems *problems = NULL;
    char hash[SHA256_HEX];

    if (s->common.resume && !s->common.results)
        return err_set(err, ERR_USAGE, "--resume needs --results FILE");
    if (find_suites(options, paths, &show.totals.path_n, err) < 0 ||
        (s->common.problems && !(problems = suite_problems_open(s->common.problems, err))))
        return -1;
    show.totals.problems = problems ? suite_problems_count(problems) : 0;
    struct suite_request q = {.judge = *request,
                              .paths = paths,
                              .path_n = show.totals.path_n,
                              .form = {.reference = s->common.reference,
                                       .extract = s->common.extract,
                                       .problems = problems},
                              .jobs = (int)s->common.jobs,
                              .results = s->common.results,
                              .resume = s->common.resume,
                              .settings = hash,
                              .done = on_result,
                              .skipped = on_skipped,
                              .ctx = &show};
    hash_settings(&s->common, hash);
    q.judge.isolate = s->common.isolate;
    q.judge.compare = (enum output_compare)(COMPARE_EXACT + s->common.compare);
    int status = test_suite_judge(&show, &q, err);
    suite_problems_close(problems);
    free(show.missing);
    return status;
}
