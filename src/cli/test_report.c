/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/test_report.h"

#include <stdlib.h>

#include "cli/safe_text.h"

#define GREEN "\033[32m"
#define RED   "\033[1;31m"
#define RESET "\033[0m"

/* On one line: a name or a value may come from the guest. */
static void put(FILE *out, const char *text)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 << 10);
    safe_text_add(&b, str_from(text), false);
    fwrite(b.p, 1, b.n, out);
}

static void put_word(const struct test_report *report, const char *colour, const char *word)
{
    fprintf(report->out, "%s%s%s ", report->colour ? colour : "", word,
            report->colour ? RESET : "");
}

static void put_failure(const struct test_report *report, const struct case_result *r)
{
    put_word(report, RED, case_error_type(r) == ERROR_TYPE_OURS ? "ERROR" : "FAIL");
    put(report->out, r->test->name);
    fputs(": ", report->out);
    if (r->call) {
        put(report->out, r->call);
        fputs(": ", report->out);
    }
    put(report->out, r->detail);
    if (r->exception && r->exception->line)
        fprintf(report->out, " (line %lld)", (long long)r->exception->line);
    fputc('\n', report->out);
    if (r->hint) {
        fputs("     hint: ", report->out);
        put(report->out, r->hint);
        fputc('\n', report->out);
    }
}

void test_report_case(const struct test_report *report, const struct case_result *r)
{
    if (!r->passed) {
        put_failure(report, r);
    } else if (!report->quiet) {
        put_word(report, GREEN, "ok  ");
        put(report->out, r->test->name);
        fputc('\n', report->out);
    }
    fflush(report->out);
}

/* "3, 7-9": a few places are enough. */
static void put_ranges(FILE *out, const struct line_set *set)
{
    enum { PLACES_MAX = 30 };
    int places = 0;

    for (size_t i = 0; i < set->n; i++) {
        size_t first = i;
        while (i + 1 < set->n && set->at[i + 1] == set->at[i] + 1)
            i++;
        if (places++ == PLACES_MAX) {
            fputs(", ...", out);
            return;
        }
        fprintf(out, "%s%u", first ? ", " : "", set->at[first]);
        if (i > first)
            fprintf(out, "-%u", set->at[i]);
    }
}

static void put_coverage(FILE *out, const struct coverage *c)
{
    size_t code;
    struct line_set never = coverage_never(c, &code);

    fprintf(out, "%zu of %zu lines ran", code - never.n, code);
    if (never.n) {
        fputs("; never: ", out);
        put_ranges(out, &never);
    }
    fputc('\n', out);
    free(never.at);
}

static void put_message(const struct test_report *report, const struct judge_result *r)
{
    const struct result_exception *e = r->run.exception;

    put(report->out, r->message);
    if (e && e->line && !r->run.success)
        fprintf(report->out, " (line %lld)", (long long)e->line);
    fputc('\n', report->out);
}

void test_report_end(const struct test_report *report, const struct judge_result *r)
{
    if (r->message)
        put_message(report, r);
    if (report->quiet || !r->total)
        return;
    fprintf(report->out, "%zu of %zu passed", r->passed, r->total);
    if (r->errors)
        fprintf(report->out, ", %zu could not be judged", r->errors);
    else if (!r->all_passed)
        fprintf(report->out, ", score %.4g", r->score);
    fputc('\n', report->out);
    if (r->coverage.lines)
        put_coverage(report->out, &r->coverage);
}
