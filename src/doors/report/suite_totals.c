/* SPDX-License-Identifier: Apache-2.0 */
#include "report/suite_totals.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "judge/suite_lines.h"
#include "terminal/safe_text.h"

static size_t fewest_samples(const struct tally *t)
{
    size_t fewest = t->n ? t->at[0].n : 0;

    for (size_t i = 1; i < t->n; i++)
        if (t->at[i].n < fewest)
            fewest = t->at[i].n;
    return fewest;
}

int suite_totals_ks(const char *text, size_t ks[SUITE_K_MAX], struct err *err)
{
    struct str rest = str_from(text), piece;
    int n = 0;
    int64_t k;

    while (str_next(&rest, ',', &piece)) {
        if (!num_int64(str_trim(piece), &k) || k < 1 || n == SUITE_K_MAX)
            return err_set(err, ERR_USAGE,
                           "--k: '%s' must be up to %d numbers of 1 or more, with commas between",
                           text, SUITE_K_MAX);
        ks[n++] = (size_t)k;
    }
    return n;
}

static int choose_ks(const struct tally *t, size_t ks[SUITE_K_MAX])
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

static json_t *unanswered_json(const struct suite_report *report, const struct suite_score *t)
{
    return report->problems && t->ids <= report->problems
               ? json_integer((json_int_t)(report->problems - t->ids))
               : json_null();
}

/* suite: NULL for the sum of several. */
static void end_json(const struct suite_report *report, const char *suite,
                     const struct suite_score *t, bool cancelled, const size_t *ks, int n)
{
    json_t *summary = json_pack(
        "{s:{s:s?, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o, s:o, s:o, s:o}}", "summary",
        "suite", suite, "total", (json_int_t)t->tasks, "samples",
        t->samples ? json_integer((json_int_t)t->samples) : json_null(), "passed",
        (json_int_t)t->passed, "failed", (json_int_t)t->failed, "errors", (json_int_t)t->errors,
        "skipped", (json_int_t)t->skipped, "changed", (json_int_t)t->changed, "all_passed",
        !cancelled && t->tasks && t->passed == t->tasks, "cancelled", cancelled, "outcomes",
        outcomes_json(t), "problems_without_sample",
        suite ? unanswered_json(report, t) : json_null(), "pass_at_k",
        pass_json(&t->tally, ks, n, false), "pass_at_k_interval",
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

static void put_interrupted(const struct suite_report *report, const struct suite_score *t)
{
    if (t->samples)
        printf("interrupted: %zu of %zu samples were judged", t->tasks, t->samples);
    else
        printf("interrupted: %zu samples were judged, and not all", t->tasks);
    puts(report->results ? "; --resume continues" : "");
}

static void end_text(const struct suite_report *report, const char *suite,
                     const struct suite_score *t, const size_t *ks, int n)
{
    double seconds = (double)(clock_mono_ns() - report->begin_ns) / 1e9;

    if (report->path_n > 1) {
        AUTO_FREE char *line = safe_line(suite ? suite : "all suites");
        printf("%s: ", line);
    }
    if (t->tasks)
        printf("%zu of %zu passed", t->passed, t->tasks);
    else
        fputs("no samples", stdout);
    if (t->errors)
        printf(", %zu without a verdict", t->errors);
    if (t->skipped)
        printf(", %zu from before", t->skipped);
    if (t->changed)
        printf(", %zu judged again (the sample or a setting has changed)", t->changed);
    if (report->path_n == 1 || !suite)
        printf(", in %.1f s", seconds);
    putchar('\n');
    put_outcomes(t);
    if (suite && report->problems > t->ids)
        printf("%zu of %zu problems have no sample\n", report->problems - t->ids, report->problems);
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

static void end_score(const struct suite_report *report, const char *suite,
                      const struct suite_score *t, bool cancelled)
{
    size_t ks[SUITE_K_MAX] = {0};
    int n = 0;

    if (suite && report->pass_at)
        n = suite_totals_ks(report->pass_at, ks, &(struct err){0});
    else if (suite)
        n = choose_ks(&t->tally, ks);
    if (report->json)
        end_json(report, suite, t, cancelled, ks, n);
    else
        end_text(report, suite, t, ks, n);
}

static void count_samples(const struct suite_report *report, struct suite_totals *totals)
{
    for (size_t i = 0; i < totals->n; i++) {
        struct suite_score *t = &totals->at[i];
        t->samples = !totals->cancelled ? t->tasks : t->several ? 0 : suite_count(report->paths[i]);
    }
}

void suite_totals_report(const struct suite_report *report, struct suite_totals *totals)
{
    count_samples(report, totals);
    const struct suite_score sum = sum_of_suites(totals);

    if (totals->cancelled && !report->json)
        put_interrupted(report, &sum);
    for (size_t i = 0; i < totals->n; i++)
        end_score(report, report->paths[i], &totals->at[i], totals->cancelled);
    if (totals->n > 1)
        end_score(report, NULL, &sum, totals->cancelled);
}
