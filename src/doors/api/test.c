/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handle.h"
#include "base/fd.h"

/* Reads the text of the program in the file that an option names; *ret stays empty if it names
 * none. -1 on failure. */
static int test_read_text(const char *option, const char *path, struct buf *text, struct str *ret,
                          struct err *err)
{
    if (!path)
        return 0;
    if (fd_read_file(path, text, err) < 0) {
        err->kind = ERR_USAGE;
        return err_wrap(err, "--%s", option);
    }
    *ret = buf_str(text);
    return 0;
}

static int test_read_cases(glovebox *box, struct str cases, struct case_file *ret)
{
    if (!cases.n)
        return 0;
    return case_file_read(cases, ret, &box->err) < 0 ? err_wrap(&box->err, "cases") : 0;
}

glovebox_result *glovebox_test(glovebox *box, const char *language, const char *code, size_t n,
                               const char *cases, size_t cases_n)
{
    const struct settings *s = &box->settings;
    glovebox_result *result = result_new();
    struct judge_watch watch = {.cancel_fd = box->cancel[0]};
    struct judge_request request = {.cases = &result->cases,
                                    .func = s->func,
                                    .isolate = s->isolate,
                                    .strict_stderr = s->strict_stderr,
                                    .coverage = s->coverage,
                                    .checker_file = s->checker,
                                    .compare = (enum output_compare)(COMPARE_EXACT + s->compare)};
    AUTO_BUF struct buf setup = {0}, checker = {0};
    const char *const withheld[] = {s->checker ? s->checker : s->setup, s->setup, NULL};

    result->is_test = true;
    buf_init(&setup, RUN_SOURCE_MAX);
    buf_init(&checker, RUN_SOURCE_MAX);
    handle_forget_cancel(box);
    if (handle_request(box, language, (struct str){code, n}, &request.run) < 0 ||
        test_read_text("setup", s->setup, &setup, &request.setup, &box->err) < 0 ||
        test_read_text("checker", s->checker, &checker, &request.checker, &box->err) < 0 ||
        test_read_cases(box, (struct str){cases, cases_n}, &result->cases) < 0)
        return result_failed(result, &box->err);
    request.run.workspace.withheld = withheld;
    judge_run(&request, &watch, &result->judged);
    return result_finish(result);
}

/* ---- results ---- */

size_t glovebox_result_test_count(const glovebox_result *result)
{
    return result->judged.total;
}

size_t glovebox_result_tests_passed(const glovebox_result *result)
{
    return result->judged.passed;
}

double glovebox_result_score(const glovebox_result *result)
{
    return result->judged.scored ? result->judged.score : -1;
}

int glovebox_result_trustworthy(const glovebox_result *result)
{
    return result->judged.trustworthy;
}

const char *glovebox_result_doubt(const glovebox_result *result)
{
    return result->judged.doubt;
}

size_t glovebox_result_test_errors(const glovebox_result *result)
{
    return result->judged.errors;
}

const char *glovebox_result_test_name(const glovebox_result *result, size_t i)
{
    return i < result->judged.total ? result->judged.cases[i].test->name : NULL;
}

int glovebox_result_test_passed(const glovebox_result *result, size_t i)
{
    return i < result->judged.total && result->judged.cases[i].passed;
}

const char *glovebox_result_test_call(const glovebox_result *result, size_t i)
{
    return i < result->judged.total ? result->judged.cases[i].call : NULL;
}

const char *glovebox_result_test_error_type(const glovebox_result *result, size_t i)
{
    return i < result->judged.total ? error_type_name(case_error_type(&result->judged.cases[i]))
                                    : NULL;
}

const char *glovebox_result_test_outcome(const glovebox_result *result, size_t i)
{
    return i < result->judged.total ? judged_name(case_judged(&result->judged.cases[i])) : NULL;
}

const char *glovebox_result_outcome(const glovebox_result *result)
{
    return judged_name(judge_judged(&result->judged));
}

const char *glovebox_result_test_detail(const glovebox_result *result, size_t i)
{
    return i < result->judged.total ? result->judged.cases[i].detail : NULL;
}
