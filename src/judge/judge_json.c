/* SPDX-License-Identifier: Apache-2.0
 *
 * The run's own document, with the judge's findings.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/encoded.h"
#include "base/mem.h"
#include "judge/judge.h"

static void set(json_t *object, const char *key, json_t *value)
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

    set(object, "name", json_text(str_from(r->test->name)));
    set(object, "call", text_or_null(r->call));
    set(object, "test", json_text(str_from(r->call ? r->call : r->test->name)));
    set(object, "passed", json_boolean(r->passed));
    set(object, "error_type", text_or_null(error_type_name(case_error_type(r))));
    set(object, "output", text_or_null(r->output));
    set(object, "actual", text_or_null(r->shown ? r->shown : r->output));
    set(object, "expected", text_or_null(r->expected));
    set(object, "detail", text_or_null(r->detail));
    set(object, "hint", text_or_null(r->hint));
    set(object, "duration_ms", json_real((double)hundredths / 100));
    set(object, "stdout", json_text(r->out));
    set(object, "stderr", json_text(r->err));
    set(object, "weight", json_real(r->test->weight));
    set(object, "exception", exception_json(r->exception));
    if (r->lines.at)
        set(object, "lines", lines_json(&r->lines));
    return object;
}

json_t *judge_document(const struct judge_result *r)
{
    json_t *doc = result_document(&r->run), *list = json_array();

    set(doc, "total", json_integer((json_int_t)r->total));
    set(doc, "passed", json_integer((json_int_t)r->passed));
    set(doc, "failed", json_integer((json_int_t)(r->total - r->passed - r->errors)));
    set(doc, "errors", json_integer((json_int_t)r->errors));
    set(doc, "score", r->scored ? json_real(r->score) : json_null());
    set(doc, "all_passed", json_boolean(r->all_passed));
    set(doc, "error_type", text_or_null(error_type_name(judge_error_type(r))));
    set(doc, "trustworthy", json_boolean(r->trustworthy));
    set(doc, "doubt", text_or_null(r->doubt));
    set(doc, "message", text_or_null(r->message));
    for (size_t i = 0; i < r->total; i++)
        json_array_append_new(list, case_document(&r->cases[i]));
    set(doc, "test_results", list);
    set(doc, "coverage", coverage_json(&r->coverage));
    set(doc, "feedback_text", json_text(str_from(r->feedback_text)));
    return doc;
}
