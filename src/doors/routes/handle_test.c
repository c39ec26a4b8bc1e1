/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/test: a candidate against cases.
 */

#include "base/clock.h"
#include "formats/encoded.h"
#include "judge/judge.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "run/event_json.h"

static void make_request(const struct settings *ask, const struct case_file *cases,
                         struct judge_request *q)
{
    q->cases = cases;
    q->func = ask->func;
    q->setup = ask->setup_text;
    q->isolate = ask->isolate;
    q->coverage = ask->coverage;
    q->strict_stderr = ask->strict_stderr;
    q->compare = (enum output_compare)(COMPARE_EXACT + ask->compare);
    q->checker = ask->checker_text;
    q->checker_file = ask->checker_filename ? ask->checker_filename : "checker.py";
}

static void handle_test_on_case(void *ctx, const struct case_result *r, size_t number)
{
    struct job *job = ctx;
    json_t *o = json_pack("{s:s, s:I, s:I, s:o, s:o, s:b, s:s?, s:s, s:o}", "event", "case",
                          "time_ms", (json_int_t)clock_wall_ms(), "number", (json_int_t)number,
                          "name", json_text(str_from(r->test->name)), "call",
                          r->call ? json_text(str_from(r->call)) : json_null(), "passed", r->passed,
                          "error_type", error_type_name(case_error_type(r)), "outcome",
                          judged_name(case_judged(r)), "detail",
                          r->detail ? json_text(str_from(r->detail)) : json_null());

    job_line_json(job, o);
}

static void handle_test_answer(struct job *job, const struct judge_result *r)
{
    json_t *doc = judge_document(r);

    if (!job->streams) {
        job_answer_json(job, r->run.error.kind ? err_http_status(r->run.error.kind) : 200, doc);
        return;
    }
    job_line_json(job, event_finished(doc));
    job->status = 200;
}

static void judge(struct job *job, const struct judge_request *q)
{
    struct judge_watch watch = {
        .done = job->streams ? handle_test_on_case : NULL,
        .preparing = job->streams ? job_send_event : NULL,
        .ctx = job,
        .cancel_fd = job->cancel_fd,
    };
    struct judge_result result;
    int64_t began = clock_mono_ns();

    judge_run(q, &watch, &result);
    if (result.run.cancelled && !result.run.error.kind)
        job_end_words(job, &result.run.error);
    figures_of(&result.run, FIGURES_TEST, (clock_mono_ns() - began) / 1000, job_figures(job));
    handle_test_answer(job, &result);
    judge_result_done(&result);
}

void test_work(struct job *job)
{
    struct asked asked;
    struct judge_request request = {0};
    struct case_file cases = {0};
    struct err err;

    if (asked_read(job, &asked, &err) < 0 ||
        (asked.ask.cases_json && case_file_from_json(asked.ask.cases_json, &cases, &err) < 0 &&
         err_wrap(&err, "'cases'") < 0)) {
        job_fail(job, &err);
    } else {
        request.run = asked.run;
        request.run.place.pool = NULL; /* the judge's driver has no warm jails */
        make_request(&asked.ask, &cases, &request);
        judge(job, &request);
    }
    case_file_done(&cases);
    asked_done(&asked);
}
