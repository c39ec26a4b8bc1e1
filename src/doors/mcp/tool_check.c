/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools that judge a program: check_code and test_code.
 */
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "judge/judge.h"
#include "mcp/advice.h"
#include "mcp/tools.h"
#include "run/check.h"
#include "text/format.h"

enum { FINDINGS_MAX = 100, CASES_LISTED = 200 };

static json_t *tool_check_member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return value ? json_incref(value) : json_null();
}

/* ---- check_code ---- */

static json_t *finding_json(const json_t *finding)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rule", tool_check_member(finding, "rule"),
        "severity", tool_check_member(finding, "severity"), "refuses",
        tool_check_member(finding, "refuses"), "message", tool_check_member(finding, "message"),
        "hint", tool_check_member(finding, "hint"), "line", tool_check_member(finding, "line"),
        "column", tool_check_member(finding, "column"));
}

static void add_finding(struct buf *b, const json_t *finding)
{
    const char *hint = json_get_text(finding, "hint");

    (void)buf_addf(b, "line %lld, column %lld: %s: %s [%s]%s%s\n",
                   (long long)json_get_int(finding, "line"),
                   (long long)json_get_int(finding, "column"), json_get_text(finding, "severity"),
                   json_get_text(finding, "message"), json_get_text(finding, "rule"),
                   hint ? "\n    " : "", hint ? hint : "");
}

static void answer_verdict(struct mcp_call *call, const json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict"), *finding;
    bool allowed = json_get_true(verdict, "allowed");
    const char *reason = json_get_text(verdict, "reason");
    json_t *findings = json_array();
    AUTO_BUF struct buf text = {0};
    size_t i;

    buf_init(&text, 256 << 10);
    (void)buf_addf(&text,
                   allowed ? "The program would be run.\n" : "The program would not be run: %s\n",
                   reason ? reason : "");
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
    {
        if (i == FINDINGS_MAX)
            break;
        json_array_append_new(findings, finding_json(finding));
        add_finding(&text, finding);
    }
    tool_answer(call, json_pack("[o]", tool_text(buf_str(&text))),
                json_pack("{s:b, s:o, s:o, s:o, s:o}", "allowed", allowed, "language",
                          tool_check_member(document, "language"), "reason",
                          tool_check_member(verdict, "reason"), "risk",
                          tool_check_member(verdict, "risk"), "findings", findings),
                false);
}

void tool_check_code(struct mcp_call *call)
{
    struct tool_arguments a;
    struct result result;

    if (tool_arguments_read(call, &a) == 0) {
        result_init(&result, a.request.output_limit);
        check_program(&a.request, true, call->cancel_fd, &result);
        if (result.error.kind && result.error.kind != ERR_POLICY) {
            mcp_call_fail(call, &result.error);
        } else {
            json_t *document = result_document(&result);
            advice_for_model(document, false);
            answer_verdict(call, document);
            json_decref(document);
        }
        result_done(&result);
    }
    tool_arguments_done(&a);
}

/* ---- test_code ---- */

static json_t *case_json(const json_t *row)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", tool_check_member(row, "name"),
                     "passed", tool_check_member(row, "passed"), "call",
                     tool_check_member(row, "call"), "output", tool_check_member(row, "output"),
                     "detail", tool_check_member(row, "detail"), "hint",
                     tool_check_member(row, "hint"));
}

static json_t *cases_json(const json_t *document)
{
    json_t *list = json_array();
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(document, "test_results"), i, row)
    {
        if (i < CASES_LISTED)
            json_array_append_new(list, case_json(row));
    }
    return list;
}

static void answer_tests(struct mcp_call *call, const struct judge_result *r, int64_t wall_ms)
{
    json_t *document = judge_document(r);

    advice_for_model(document, tool_has_all_time(call, wall_ms));
    const char *advice = json_get_text(document, "feedback_text");
    json_t *error = tool_check_member(json_object_get(document, "error"), "message");
    AUTO_FREE char *count = xasprintf("%zu of %zu cases passed.", r->passed, r->total);
    AUTO_FREE char *text =
        xasprintf("%s%s%s%s%s", format_machine_failed(document) ? FORMAT_MACHINE : count,
                  r->message ? " " : "", r->message ? r->message : "",
                  advice && *advice ? "\n\n" : "", advice ? advice : "");

    tool_answer(call, json_pack("[o]", tool_text(str_from(text))),
                json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "all_passed",
                          tool_check_member(document, "all_passed"), "outcome",
                          tool_check_member(document, "outcome"), "total",
                          tool_check_member(document, "total"), "passed",
                          tool_check_member(document, "passed"), "errors",
                          tool_check_member(document, "errors"), "error", error, "advice",
                          json_text(str_from(advice ? advice : "")), "cases", cases_json(document)),
                r->unjudged);
    json_decref(document);
}

struct testing {
    struct mcp_call *call;
    size_t done, total;
};

static void tool_check_on_case(void *ctx, const struct case_result *result, size_t number)
{
    struct testing *t = ctx;
    AUTO_FREE char *text = xasprintf("case %zu of %zu: %s", number + 1, t->total,
                                     result->passed ? "passed" : "not passed");

    t->done++;
    if (t->done < t->total) /* clients ignore progress that arrives with the answer */
        mcp_call_progress(t->call, (double)t->done, (double)t->total, text);
}

static void judge(struct mcp_call *call, const struct tool_arguments *a,
                  const struct case_file *cases)
{
    struct judge_request q = {.run = a->request,
                              .cases = cases,
                              .func = a->ask.func,
                              .setup = a->ask.setup_text,
                              .compare = COMPARE_EXACT};
    struct testing testing = {.call = call, .total = cases->n};
    const struct judge_watch watch = {
        .done = tool_check_on_case, .ctx = &testing, .cancel_fd = call->cancel_fd};
    struct judge_result result;

    q.run.place.pool = NULL; /* the judge's driver has no warm jails */
    judge_run(&q, &watch, &result);
    answer_tests(call, &result, q.run.limits.wall_ms);
    judge_result_done(&result);
}

void tool_test_code(struct mcp_call *call)
{
    struct tool_arguments a;
    struct case_file cases = {0};
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        if (a.ask.cases_json && case_file_from_json(a.ask.cases_json, &cases, &err) < 0) {
            (void)err_wrap(&err, "'cases'");
            mcp_call_fail(call, &err);
        } else {
            judge(call, &a, &cases);
        }
    }
    case_file_done(&cases);
    tool_arguments_done(&a);
}
