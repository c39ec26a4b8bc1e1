/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/test_suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "judge/suite.h"
#include "judge/suite_lines.h"
#include "terminal/cancel.h"
#include "terminal/safe_text.h"
#include "verdicts/check_report.h"

#define AT(member) offsetof(struct cli_settings, member)

const struct opt suite_options[] = {
    {.name = "suite",
     .kind = OPT_STRING,
     .offset = AT(suite),
     .arg = "FILE",
     .group = "Suites",
     .excludes = "cases,func,code,setup,coverage,checker",
     .help = "a file with many candidates: one task per line, as JSON; - for standard input"},
    {.name = "jobs",
     .letter = 'j',
     .kind = OPT_INT,
     .offset = AT(jobs),
     .arg = "N",
     .group = "Suites",
     .initial = "1",
     .min = 1,
     .max = SUITE_JOBS_MAX,
     .help = "tasks at the same time"},
    {.name = "results",
     .kind = OPT_STRING,
     .offset = AT(results),
     .arg = "FILE",
     .group = "Suites",
     .help = "write a line of JSON for each task when it ends"},
    {.name = "resume",
     .kind = OPT_FLAG,
     .offset = AT(resume),
     .group = "Suites",
     .help = "continue --results FILE: skip the tasks that have a verdict there"},
    {.name = "k",
     .kind = OPT_STRING,
     .offset = AT(k),
     .arg = "1,10",
     .group = "Suites",
     .help = "the values of k for pass@k, if tasks have several samples; default: every k for "
             "which all tasks have enough samples"},
    {.name = "junit",
     .kind = OPT_STRING,
     .offset = AT(junit),
     .arg = "FILE",
     .group = "Suites",
     .help = "write a report in JUnit's XML, for build servers"},
    {.name = "reference",
     .kind = OPT_FLAG,
     .offset = AT(reference),
     .group = "Suites",
     .help = "test the tasks' canonical_solution instead of a completion"},
    {0},
};

enum { K_MAX = 16 };

#define PATIENCE_NS 1000000000
#define FRAME_NS    100000000

struct show {
    const struct cli_settings *settings;
    struct junit junit;
    bool with_junit, colour;
    /* The progress, on a terminal. */
    bool live, drawn;
    size_t lines, ended, fresh; /* fresh: a task that ended in this run, not before */
    int64_t begin_ns, drawn_ns;
};

/* ---- progress ---- */

static void wipe(struct show *show)
{
    if (show->drawn)
        fputs("\r\033[K", stderr);
    show->drawn = false;
}

static void draw(struct show *show)
{
    int64_t now = clock_mono_ns();
    double seconds = (double)(now - show->begin_ns) / 1e9;
    double rate = (double)show->fresh / (seconds > 0 ? seconds : 1);

    if (!show->live || now - show->begin_ns < PATIENCE_NS || now - show->drawn_ns < FRAME_NS)
        return;
    show->drawn_ns = now;
    show->drawn = true;
    fprintf(stderr, "\rtesting: %zu", show->ended);
    if (show->lines)
        fprintf(stderr, " of %zu", show->lines);
    fprintf(stderr, ", %.1f a second", rate);
    if (show->lines > show->ended && rate > 0) {
        long left = (long)((double)(show->lines - show->ended) / rate);
        fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

/* ---- a task ---- */

static void put(struct show *show, const char *word, const char *colour, const char *text)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 << 10);
    safe_text_add(&b, str_from(text), false);
    printf("%s%s%s %s\n", show->colour ? colour : "", word, show->colour ? "\033[0m" : "", b.p);
}

static void say(struct show *show, const struct suite_result *r)
{
    AUTO_FREE char *text = NULL;

    if (r->all_passed)
        text = xasprintf("%s (sample %zu)", r->id, r->sample);
    else if (r->id)
        text = xasprintf("%s (sample %zu): %s", r->id, r->sample, r->error ? r->error : r->detail);
    else
        text = xstrdup(r->error);
    wipe(show);
    if (!r->all_passed)
        put(show, "FAIL", "\033[1;31m", text);
    else if (!show->settings->quiet)
        put(show, "ok  ", "\033[32m", text);
}

static void on_result(void *ctx, const struct suite_result *r)
{
    struct show *show = ctx;

    show->ended++;
    show->fresh++;
    if (show->with_junit)
        junit_add(&show->junit, r);
    if (show->settings->json) {
        AUTO_FREE char *line = suite_result_line(r);
        fputs(line, stdout);
    } else {
        say(show, r);
    }
    fflush(stdout);
    draw(show);
}

static void on_skipped(void *ctx, const struct suite_result *r)
{
    struct show *show = ctx;

    show->ended++;
    if (show->with_junit)
        junit_add(&show->junit, r);
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

static json_t *pass_json(const struct tally *t, const size_t *ks, int n)
{
    json_t *object = json_object();
    char name[32];
    size_t tasks;

    for (int i = 0; i < n; i++) {
        double chance = tally_pass_at(t, ks[i], &tasks);
        snprintf(name, sizeof name, "%zu", ks[i]);
        json_object_set_new(object, name, tasks ? json_real(chance) : json_null());
    }
    return object;
}

static void end_json(const struct suite_totals *t, const size_t *ks, int n)
{
    json_t *summary =
        json_pack("{s:{s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o}}", "summary", "total",
                  (json_int_t)t->tasks, "passed", (json_int_t)t->passed, "failed",
                  (json_int_t)t->failed, "errors", (json_int_t)t->errors, "skipped",
                  (json_int_t)t->skipped, "all_passed", t->tasks && t->passed == t->tasks,
                  "cancelled", t->cancelled, "pass_at_k", pass_json(&t->tally, ks, n));
    AUTO_FREE char *text = json_dumps(summary, JSON_COMPACT | JSON_REAL_PRECISION(12));

    json_decref(summary);
    puts(text ? text : "{}");
}

static void end_text(const struct show *show, const struct suite_totals *t, const size_t *ks, int n)
{
    double seconds = (double)(clock_mono_ns() - show->begin_ns) / 1e9;
    size_t tasks;

    printf("%zu of %zu passed", t->passed, t->tasks);
    if (t->errors)
        printf(", %zu without a verdict", t->errors);
    if (t->skipped)
        printf(", %zu from before", t->skipped);
    printf(", in %.1f s\n", seconds);
    for (int i = 0; i < n; i++) {
        double chance = tally_pass_at(&t->tally, ks[i], &tasks);
        if (tasks)
            printf("pass@%zu: %.4f (%zu task%s)\n", ks[i], chance, tasks, tasks == 1 ? "" : "s");
        else
            printf("pass@%zu: no task has so many samples\n", ks[i]);
    }
}

static int exit_status(const struct suite_totals *t)
{
    if (t->cancelled && cancel_signal())
        return 128 + cancel_signal();
    return !t->tasks || t->passed < t->tasks || t->cancelled;
}

/* ---- the command ---- */

static int run(struct show *show, const struct suite_request *q, struct err *err)
{
    struct suite_totals totals;
    size_t ks[K_MAX];
    int n = 0;

    if (show->settings->k && (n = read_ks(show->settings->k, ks, err)) < 0)
        return -1;
    int result = suite_run(q, &totals, err);
    wipe(show);
    if (!show->settings->k)
        n = choose_ks(&totals.tally, ks);
    if (result == 0 && show->settings->json)
        end_json(&totals, ks, n);
    else if (result == 0)
        end_text(show, &totals, ks, n);
    fflush(stdout);
    int status = result < 0 ? -1 : exit_status(&totals);
    suite_totals_done(&totals);
    return status;
}

static int check(const struct cli_options *options, struct err *err)
{
    const struct cli_settings *s = &options->settings;

    if (options->args.operand_n)
        return err_set(err, ERR_USAGE, "'%s': with --suite the candidates are in the suite",
                       options->args.operands[0]);
    if (s->resume && !s->results)
        return err_set(err, ERR_USAGE, "--resume needs --results FILE");
    return 0;
}

int test_suite(const struct cli_options *options, const struct judge_request *request,
               struct err *err)
{
    const struct cli_settings *s = &options->settings;
    struct show show = {.settings = s, .colour = check_colour(stdout)};
    int cancel[2];

    if (check(options, err) < 0 || cancel_catch_signals(cancel, err) < 0 ||
        (s->junit && junit_open(&show.junit, s->junit, err) < 0))
        return -1;
    show.with_junit = s->junit != NULL;
    show.live = check_colour(stderr);
    show.lines = show.live ? suite_count(s->suite) : 0;
    show.begin_ns = clock_mono_ns();
    struct suite_request q = {.judge = *request,
                              .path = s->suite,
                              .reference = s->reference,
                              .jobs = (int)s->jobs,
                              .results = s->results,
                              .resume = s->resume,
                              .cancel_fd = cancel[0],
                              .done = on_result,
                              .skipped = on_skipped,
                              .ctx = &show};
    q.judge.isolate = s->isolate;
    q.judge.compare = (enum output_compare)(COMPARE_EXACT + s->compare);
    int status = run(&show, &q, err);
    if (show.with_junit && junit_close(&show.junit, status < 0 ? &(struct err){0} : err) < 0)
        status = -1;
    return status;
}
