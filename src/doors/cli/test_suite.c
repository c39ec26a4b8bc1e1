/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/test_suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback_advice.h"
#include "judge/suite.h"
#include "judge/suite_lines.h"
#include "report/check_report.h"
#include "report/report.h"
#include "request/setting.h"
#include "terminal/cancel.h"
#include "terminal/colours.h"
#include "terminal/progress.h"
#include "terminal/safe_text.h"

enum { K_MAX = 16 };

/* On a terminal, a suite with more tasks than MANY prints only its first failures. */
enum { MANY = 50, FAILURES_SHOWN = 20 };

struct show {
    const struct cli_settings *settings;
    const char *const *paths;
    size_t path_n, problems; /* problems: in the file of --problems; 0 without it */
    struct junit junit;
    bool with_junit, colour;
    bool brief; /* prints no task that passed, and only the first failures */
    size_t failures;
    char *missing; /* the first module that a program or test code lacked; or NULL */
    struct progress progress;
    int64_t begin_ns;
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

static size_t fewest_samples(const struct tally *t)
{
    size_t fewest = t->n ? t->at[0].n : 0;

    for (size_t i = 1; i < t->n; i++)
        if (t->at[i].n < fewest)
            fewest = t->at[i].n;
    return fewest;
}

static int read_ks(const char *text, size_t ks[K_MAX], struct err *err)
{
    struct str rest = str_from(text), piece;
    int n = 0;
    int64_t k;

    while (str_next(&rest, ',', &piece)) {
        if (!num_int64(str_trim(piece), &k) || k < 1 || n == K_MAX)
            return err_set(err, ERR_USAGE,
                           "--k: '%s' must be up to %d numbers of 1 or more, with commas between",
                           text, K_MAX);
        ks[n++] = (size_t)k;
    }
    return n;
}

static int choose_ks(const struct tally *t, size_t ks[K_MAX])
{
    static const size_t usual[] = {1, 2, 5, 10, 25, 50, 100};
    size_t fewest = fewest_samples(t);
    int n = 0;

    for (size_t i = 0; i < ARRAY_LEN(usual) && usual[i] <= fewest; i++)
        ks[n++] = usual[i];
    return n;
}

static json_t *pass_json(const struct tally *t, const size_t *ks, int n, bool interval)
{
    json_t *object = json_object();
    double from, to;
    char name[32];
    size_t tasks;

    for (int i = 0; i < n; i++) {
        double chance = tally_pass_at(t, ks[i], &tasks);
        tally_interval(t, ks[i], &from, &to);
        snprintf(name, sizeof name, "%zu", ks[i]);
        json_object_set_new(object, name,
                            !tasks     ? json_null()
                            : interval ? json_pack("[f, f]", from, to)
                                       : json_real(chance));
    }
    return object;
}

static json_t *outcomes_json(const struct suite_score *t)
{
    json_t *object = json_object();

    for (int i = 0; i < JUDGED_COUNT; i++)
        json_object_set_new(object, judged_name((enum judged)i),
                            json_integer((json_int_t)t->outcomes[i]));
    return object;
}

static json_t *unanswered_json(const struct show *show, const struct suite_score *t)
{
    return show->problems && t->ids <= show->problems
               ? json_integer((json_int_t)(show->problems - t->ids))
               : json_null();
}

/* suite: NULL for the sum of several. */
static void end_json(const struct show *show, const char *suite, const struct suite_score *t,
                     bool cancelled, const size_t *ks, int n)
{
    json_t *summary = json_pack(
        "{s:{s:s?, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o, s:o, s:o, s:o}}", "summary",
        "suite", suite, "total", (json_int_t)t->tasks, "samples",
        t->samples ? json_integer((json_int_t)t->samples) : json_null(), "passed",
        (json_int_t)t->passed, "failed", (json_int_t)t->failed, "errors", (json_int_t)t->errors,
        "skipped", (json_int_t)t->skipped, "changed", (json_int_t)t->changed, "all_passed",
        !cancelled && t->tasks && t->passed == t->tasks, "cancelled", cancelled, "outcomes",
        outcomes_json(t), "problems_without_sample", suite ? unanswered_json(show, t) : json_null(),
        "pass_at_k", pass_json(&t->tally, ks, n, false), "pass_at_k_interval",
        pass_json(&t->tally, ks, n, true));
    AUTO_FREE char *text = json_dumps(summary, JSON_COMPACT | JSON_REAL_PRECISION(12));

    json_decref(summary);
    puts(text ? text : "{}");
}

static void put_outcomes(const struct suite_score *t)
{
    const char *comma = "not passed: ";

    for (int i = 0; i < JUDGED_COUNT; i++)
        if (i != JUDGED_PASSED && t->outcomes[i]) {
            printf("%s%zu %s", comma, t->outcomes[i], judged_name((enum judged)i));
            comma = ", ";
        }
    if (t->passed < t->tasks)
        putchar('\n');
}

static void put_pass_at(const struct tally *t, size_t k)
{
    double from, to;
    size_t tasks;
    double chance = tally_pass_at(t, k, &tasks);

    if (!tasks) {
        printf("pass@%zu: no task has so many samples\n", k);
        return;
    }
    tally_interval(t, k, &from, &to);
    printf("pass@%zu: %.4f (95%%: %.4f to %.4f; %zu task%s)\n", k, chance, from, to, tasks,
           tasks == 1 ? "" : "s");
}

static void put_interrupted(const struct show *show, const struct suite_score *t)
{
    if (t->samples)
        printf("interrupted: %zu of %zu samples were judged", t->tasks, t->samples);
    else
        printf("interrupted: %zu samples were judged, and not all", t->tasks);
    puts(show->settings->common.results ? "; --resume continues" : "");
}

static void end_text(const struct show *show, const char *suite, const struct suite_score *t,
                     const size_t *ks, int n)
{
    double seconds = (double)(clock_mono_ns() - show->begin_ns) / 1e9;

    if (show->path_n > 1) {
        AUTO_FREE char *line = safe_line(suite ? suite : "all suites");
        printf("%s: ", line);
    }
    printf("%zu of %zu passed", t->passed, t->tasks);
    if (t->errors)
        printf(", %zu without a verdict", t->errors);
    if (t->skipped)
        printf(", %zu from before", t->skipped);
    if (t->changed)
        printf(", %zu judged again (the sample or a setting has changed)", t->changed);
    if (show->path_n == 1 || !suite)
        printf(", in %.1f s", seconds);
    putchar('\n');
    put_outcomes(t);
    if (suite && show->problems > t->ids)
        printf("%zu of %zu problems have no sample\n", show->problems - t->ids, show->problems);
    for (int i = 0; i < n; i++)
        put_pass_at(&t->tally, ks[i]);
}

/* Samples of two suites are not samples of one task, so the sum has no tally. */
static struct suite_score sum_of_suites(const struct suite_totals *totals)
{
    struct suite_score sum = {0};
    bool known = true;

    for (size_t i = 0; i < totals->n; i++) {
        const struct suite_score *t = &totals->at[i];
        sum.tasks += t->tasks;
        sum.passed += t->passed;
        sum.failed += t->failed;
        sum.errors += t->errors;
        sum.skipped += t->skipped;
        sum.changed += t->changed;
        sum.samples += t->samples;
        for (int k = 0; k < JUDGED_COUNT; k++)
            sum.outcomes[k] += t->outcomes[k];
        known &= t->samples > 0;
    }
    sum.samples = known ? sum.samples : 0;
    return sum;
}

static void end_score(const struct show *show, const char *suite, const struct suite_score *t,
                      bool cancelled)
{
    size_t ks[K_MAX] = {0};
    int n = 0;

    if (suite && show->settings->common.pass_at)
        n = read_ks(show->settings->common.pass_at, ks, &(struct err){0});
    else if (suite)
        n = choose_ks(&t->tally, ks);
    if (show->settings->json)
        end_json(show, suite, t, cancelled, ks, n);
    else
        end_text(show, suite, t, ks, n);
}

static void count_samples(const struct show *show, struct suite_totals *totals)
{
    for (size_t i = 0; i < totals->n; i++) {
        struct suite_score *t = &totals->at[i];
        t->samples = !totals->cancelled ? t->tasks : t->several ? 0 : suite_count(show->paths[i]);
    }
}

/* Returns the exit status. */
static int test_suite_end(const struct show *show, struct suite_totals *totals)
{
    count_samples(show, totals);
    const struct suite_score sum = sum_of_suites(totals);

    if (totals->cancelled && !show->settings->json)
        put_interrupted(show, &sum);
    if (!show->settings->json && show->failures > FAILURES_SHOWN)
        printf("... and %zu more%s\n", show->failures - FAILURES_SHOWN,
               show->settings->common.results ? "" : "; --results FILE keeps them all");
    for (size_t i = 0; i < totals->n; i++)
        end_score(show, show->paths[i], &totals->at[i], totals->cancelled);
    if (totals->n > 1)
        end_score(show, NULL, &sum, totals->cancelled);
    if (totals->cancelled && cancel_signal())
        return 128 + cancel_signal();
    return !sum.tasks || sum.passed < sum.tasks || totals->cancelled;
}

/* ---- the command ---- */

static int test_suite_run(struct show *show, const struct suite_request *q, struct err *err)
{
    struct suite_totals totals;
    size_t ks[K_MAX];

    if (show->settings->common.pass_at && read_ks(show->settings->common.pass_at, ks, err) < 0)
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

/* A program as an operand is a mistake; a file of samples is meant. */
static bool is_suite_name(const char *name)
{
    return strcmp(name, "-") == 0 || strstr(name, ".json") || strstr(name, ".gz");
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
        if (!is_suite_name(args->operands[i]))
            return err_set(err, ERR_USAGE, "'%s': with --suite the candidates are in the suite",
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

    for (size_t i = 0; isatty(STDERR_FILENO) && i < show->path_n; i++)
        total += suite_count(show->paths[i]);
    show->begin_ns = clock_mono_ns();
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
    struct show show = {.settings = s, .paths = paths, .colour = terminal_colours(stdout)};
    struct suite_problems *problems = NULL;
    char hash[SHA256_HEX];

    if (s->common.resume && !s->common.results)
        return err_set(err, ERR_USAGE, "--resume needs --results FILE");
    if (find_suites(options, paths, &show.path_n, err) < 0 ||
        (s->common.problems && !(problems = suite_problems_open(s->common.problems, err))))
        return -1;
    show.problems = problems ? suite_problems_count(problems) : 0;
    struct suite_request q = {.judge = *request,
                              .paths = paths,
                              .path_n = show.path_n,
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
