/* SPDX-License-Identifier: Apache-2.0
 *
 * The document of the run with the judge's findings.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "judge/judge.h"

static void judge_json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static json_t *text_or_null(const char *s)
{
    return s ? json_text(str_from(s)) : json_null();
}

static json_t *exception_json(const struct result_exception *e)
{
    if (!e)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "type", json_text(str_from(e->type)), "message",
                     json_text(str_from(e->message)), "line",
                     e->line ? json_integer(e->line) : json_null(), "traceback",
                     json_text(str_from(e->traceback)));
}

static json_t *lines_json(const struct line_set *lines)
{
    json_t *list = json_array();

    for (size_t i = 0; i < lines->n; i++)
        json_array_append_new(list, json_integer(lines->at[i]));
    return list;
}

static json_t *coverage_json(const struct coverage *c)
{
    size_t code;

    if (!c->lines)
        return json_null();
    struct line_set never = coverage_never(c, &code);
    json_t *object = json_pack("{s:I, s:I, s:o}", "lines", (json_int_t)code, "run",
                               (json_int_t)(code - never.n), "never_run", lines_json(&never));
    free(never.at);
    return object;
}

json_t *case_document(const struct case_result *r)
{
    json_t *object = json_object();
    int64_t hundredths = (r->duration_us + 5) / 10;

    judge_json_set(object, "name", json_text(str_from(r->test->name)));
    judge_json_set(object, "call", text_or_null(r->call));
    judge_json_set(object, "test", json_text(str_from(r->call ? r->call : r->test->name)));
    judge_json_set(object, "passed", json_boolean(r->passed));
    judge_json_set(object, "error_type", text_or_null(error_type_name(case_error_type(r))));
    judge_json_set(object, "outcome", json_string(judged_name(case_judged(r))));
    judge_json_set(object, "output", text_or_null(r->output));
    judge_json_set(object, "actual", text_or_null(r->shown ? r->shown : r->output));
    judge_json_set(object, "expected", text_or_null(r->expected));
    judge_json_set(object, "detail", text_or_null(r->detail));
    judge_json_set(object, "hint", text_or_null(r->hint));
    judge_json_set(object, "duration_ms", json_real((double)hundredths / 100));
    judge_json_set(object, "stdout", json_text(r->out));
    judge_json_set(object, "stderr", json_text(r->err));
    judge_json_set(object, "weight", json_real(r->test->weight));
    judge_json_set(object, "exception", exception_json(r->exception));
    if (r->lines.at)
        judge_json_set(object, "lines", lines_json(&r->lines));
    return object;
}

json_t *judge_document(const struct judge_result *r)
{
    json_t *doc = result_document(&r->run), *list = json_array();

    judge_json_set(doc, "total", json_integer((json_int_t)r->total));
    judge_json_set(doc, "passed", json_integer((json_int_t)r->passed));
    judge_json_set(doc, "failed", json_integer((json_int_t)(r->total - r->passed - r->errors)));
    judge_json_set(doc, "errors", json_integer((json_int_t)r->errors));
    judge_json_set(doc, "score", r->scored ? json_real(r->score) : json_null());
    judge_json_set(doc, "all_passed", json_boolean(r->all_passed));
    judge_json_set(doc, "error_type", text_or_null(error_type_name(judge_error_type(r))));
    judge_json_set(doc, "outcome", json_string(judged_name(judge_judged(r))));
    judge_json_set(doc, "trustworthy", json_boolean(r->trustworthy));
    judge_json_set(doc, "doubt", text_or_null(r->doubt));
    judge_json_set(doc, "message", text_or_null(r->message));
    for (size_t i = 0; i < r->total; i++)
        json_array_append_new(list, case_document(&r->cases[i]));
    judge_json_set(doc, "test_results", list);
    judge_json_set(doc, "coverage", coverage_json(&r->coverage));
    judge_json_set(doc, "feedback_text", json_text(str_from(r->feedback_text)));
    return doc;
}
