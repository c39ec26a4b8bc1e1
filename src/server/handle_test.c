/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/test: a candidate against cases.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/encoded.h"
#include "base/mem.h"
#include "judge/judge.h"
#include "server/front.h"
#include "server/handle_parts.h"
#include "session/event_json.h"

struct test_fields {
    struct run_fields run; /* first */
    json_t *cases;
    const char *func, *checker_filename;
    struct str setup, checker;
    enum tri isolate, coverage, strict_stderr;
    int compare;
};

#define AT(member) offsetof(struct test_fields, member)

static const char *const compares[] = {"exact", "tokens", "floats", NULL};

static const struct field what_fields[] = {
    {.name = "cases",
     .kind = FIELD_CASES,
     .code = CODE_READ,
     .offset = AT(cases),
     .help = "Arguments and expected results, as in a case file. In a string, numbers keep all "
             "their digits. Without cases, the program only has to succeed."},
    {.name = "func",
     .kind = FIELD_WORD,
     .code = CODE_READ,
     .offset = AT(func),
     .help = "The function that the cases call, or Class.method."},
    {.name = "setup",
     .kind = FIELD_TEXT,
     .offset = AT(setup),
     .code = CODE_UNJUDGED,
     .help = "Python code that runs before the program, with the same names; the profile does not "
             "check it."},
    {.name = "isolate",
     .kind = FIELD_BOOL,
     .offset = AT(isolate),
     .initial = "false",
     .help = "Run each case in a sandbox of its own."},
    {.name = "coverage",
     .kind = FIELD_BOOL,
     .offset = AT(coverage),
     .initial = "false",
     .help = "Report which lines ran."},
    {.name = "strict_stderr",
     .kind = FIELD_BOOL,
     .offset = AT(strict_stderr),
     .initial = "false",
     .help = "Without cases: a program that writes to standard error fails."},
    {.name = "compare",
     .kind = FIELD_CHOICE,
     .offset = AT(compare),
     .choices = compares,
     .initial = "exact",
     .help = "How to compare outputs of whole programs."},
    {.name = "checker",
     .kind = FIELD_TEXT,
     .offset = AT(checker),
     .code = CODE_UNJUDGED,
     .help = "A program that judges outputs instead."},
    {.name = "checker_filename",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(checker_filename),
     .initial = "checker.py",
     .help = "The checker's file name, which determines its language."},
    {0},
};

const struct field *const test_tables[] = {what_fields, code_fields,   input_fields,  work_fields,
                                           wall_fields, limit_fields,  policy_fields, guard_fields,
                                           log_fields,  answer_fields, NULL};

static void make_request(const struct test_fields *f, const struct case_file *cases,
                         struct judge_request *q)
{
    q->cases = cases;
    q->func = f->func;
    q->setup = f->setup;
    q->isolate = f->isolate == TRI_TRUE;
    q->coverage = f->coverage == TRI_TRUE;
    q->strict_stderr = f->strict_stderr == TRI_TRUE;
    q->compare = (enum output_compare)(COMPARE_EXACT + (f->compare ? f->compare - 1 : 0));
    q->checker = f->checker;
    q->checker_file = f->checker_filename ? f->checker_filename : "checker.py";
}

static void on_case(void *ctx, const struct case_result *r, size_t number)
{
    struct job *job = ctx;
    json_t *o = json_pack("{s:s, s:I, s:I, s:o, s:o, s:b, s:s?, s:o}", "event", "case", "time_ms",
                          (json_int_t)clock_wall_ms(), "number", (json_int_t)number, "name",
                          json_text(str_from(r->test->name)), "call",
                          r->call ? json_text(str_from(r->call)) : json_null(), "passed", r->passed,
                          "error_type", error_type_name(case_error_type(r)), "detail",
                          r->detail ? json_text(str_from(r->detail)) : json_null());

    job_line_json(job, o);
}

static void answer(struct job *job, const struct judge_result *r)
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
        .done = job->streams ? on_case : NULL,
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
    answer(job, &result);
    judge_result_done(&result);
}

static void test_work(struct job *job)
{
    struct test_fields fields;
    struct request_parts parts;
    struct judge_request request = {0};
    struct case_file cases = {0};
    struct err err;

    request_parts_init(&parts);
    run_fields_init(&fields.run, job->rules, &parts);
    if (job_read(job, &err) < 0 ||
        fields_read(test_tables, job->doc, job->rules, &fields, &err) < 0 ||
        request_serve(job, &fields.run, &parts, &request.run, &err) < 0 ||
        (fields.cases && case_file_from_json(fields.cases, &cases, &err) < 0 &&
         err_wrap(&err, "'cases'") < 0)) {
        job_fail(job, &err);
    } else {
        make_request(&fields, &cases, &request);
        request.run.pool = NULL; /* the judge's driver has no warm jails */
        judge(job, &request);
    }
    case_file_done(&cases);
    request_parts_done(&parts);
}

void handle_test(struct call *call)
{
    struct job *job = job_new(call->server, call);

    if (!job)
        return;
    job->work = test_work;
    job_submit(job);
}
