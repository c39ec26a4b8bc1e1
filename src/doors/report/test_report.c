/* SPDX-License-Identifier: Apache-2.0 */
#include "report/test_report.h"

#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "terminal/safe_text.h"

#define GREEN "\033[32m"
#define RED   "\033[1;31m"
#define RESET "\033[0m"

/* Prints the text on one line: a name or a value may come from the guest. */
static void test_report_put(FILE *out, const json_t *text)
{
    AUTO_FREE char *line = safe_text(json_str(text), false);

    fputs(line, out);
}

static void put_word(const struct test_report *report, const char *colour, const char *word)
{
    fprintf(report->out, "%s%s%s ", report->colour ? colour : "", word,
            report->colour ? RESET : "");
}

static void put_place(FILE *out, const json_t *object)
{
    int64_t line = json_get_int(json_object_get(object, "exception"), "line");

    if (line)
        fprintf(out, " (line %lld)", (long long)line);
}

static void put_failure(const struct test_report *report, const json_t *row)
{
    const char *error_type = json_get_text(row, "error_type");
    const json_t *call = json_object_get(row, "call"), *hint = json_object_get(row, "hint");

    put_word(report, RED, error_type && strcmp(error_type, "ours") == 0 ? "ERROR" : "FAIL");
    test_report_put(report->out, json_object_get(row, "name"));
    fputs(": ", report->out);
    if (json_is_string(call)) {
        test_report_put(report->out, call);
        fputs(": ", report->out);
    }
    test_report_put(report->out, json_object_get(row, "detail"));
    put_place(report->out, row);
    fputc('\n', report->out);
    if (json_is_string(hint)) {
        fputs("     hint: ", report->out);
        test_report_put(report->out, hint);
        fputc('\n', report->out);
    }
}

void test_report_case(const struct test_report *report, const json_t *row)
{
    if (!json_get_true(row, "passed")) {
        put_failure(report, row);
    } else if (!report->quiet) {
        put_word(report, GREEN, "ok  ");
        test_report_put(report->out, json_object_get(row, "name"));
        fputc('\n', report->out);
    }
    fflush(report->out);
}

static long long line_at(const json_t *lines, size_t i)
{
    return json_integer_value(json_array_get(lines, i));
}

/* Prints lines as "3, 7-9", and only the first few ranges. */
static void put_ranges(FILE *out, const json_t *lines)
{
    enum { PLACES_MAX = 30 };
    const size_t n = json_array_size(lines);
    int places = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t first = i;
        while (i + 1 < n && line_at(lines, i + 1) == line_at(lines, i) + 1)
            i++;
        if (places++ == PLACES_MAX) {
            fputs(", ...", out);
            return;
        }
        fprintf(out, "%s%lld", first ? ", " : "", line_at(lines, first));
        if (i > first)
            fprintf(out, "-%lld", line_at(lines, i));
    }
}

static void put_coverage(FILE *out, const json_t *coverage)
{
    const json_t *never = json_object_get(coverage, "never_run");

    fprintf(out, "%lld of %lld lines ran", (long long)json_get_int(coverage, "run"),
            (long long)json_get_int(coverage, "lines"));
    if (json_array_size(never)) {
        fputs("; never: ", out);
        put_ranges(out, never);
    }
    fputc('\n', out);
}

static void put_counts(FILE *out, const json_t *doc)
{
    int64_t errors = json_get_int(doc, "errors"), total = json_get_int(doc, "total");

    if (json_get_true(doc, "cancelled")) {
        fprintf(out, "interrupted: %lld of %lld cases were judged, %lld passed\n",
                (long long)(total - errors), (long long)total,
                (long long)json_get_int(doc, "passed"));
        return;
    }
    fprintf(out, "%lld of %lld passed", (long long)json_get_int(doc, "passed"), (long long)total);
    if (errors)
        fprintf(out, ", %lld could not be judged", (long long)errors);
    else if (!json_get_true(doc, "all_passed"))
        fprintf(out, ", score %.4g", json_number_value(json_object_get(doc, "score")));
    fputc('\n', out);
}

void test_report_end(const struct test_report *report, const json_t *doc)
{
    const json_t *message = json_object_get(doc, "message");
    const json_t *coverage = json_object_get(doc, "coverage");

    if (json_is_string(message)) {
        test_report_put(report->out, message);
        if (!json_get_true(doc, "success"))
            put_place(report->out, doc);
        fputc('\n', report->out);
    }
    if (report->quiet || !json_get_int(doc, "total"))
        return;
    put_counts(report->out, doc);
    if (json_is_object(coverage))
        put_coverage(report->out, coverage);
}
