/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "api/handle.h"
#include "base/mem.h"
#include "explain/feedback.h"
#include "formats/json_write.h"

/* ---- making and freeing ---- */

glovebox_result *result_new(void)
{
    return xcalloc(1, sizeof(glovebox_result));
}

glovebox_result *result_failed(glovebox_result *result, const struct err *err)
{
    result_init(&result->judged.run, 0);
    result->judged.run.error = *err;
    return result_finish(result);
}

glovebox_result *result_finish(glovebox_result *result)
{
    const struct result *run = &result->judged.run;

    buf_init(&result->out, run->out.limit + 256);
    buf_init(&result->err, run->err.limit + 256);
    capture_text(&run->out, &result->out);
    capture_text(&run->err, &result->err);
    return result;
}

void glovebox_result_free(glovebox_result *result)
{
    if (!result)
        return;
    judge_result_done(&result->judged);
    case_file_done(&result->cases);
    buf_done(&result->out);
    buf_done(&result->err);
    free(result->json);
    free(result->feedback_text);
    free(result->value);
    free(result->results);
    free(result->final_answer);
    free(result);
}

/* ---- the outcome ---- */

int glovebox_result_success(const glovebox_result *result)
{
    return result->judged.run.success;
}

int glovebox_result_exit_code(const glovebox_result *result)
{
    return result->judged.run.exit_code;
}

int glovebox_result_signal(const glovebox_result *result)
{
    return result->judged.run.signal;
}

int glovebox_result_timed_out(const glovebox_result *result)
{
    return result->judged.run.timed_out;
}

int glovebox_result_oom_killed(const glovebox_result *result)
{
    return result->judged.run.oom_killed;
}

const char *glovebox_result_error_type(const glovebox_result *result)
{
    return error_type_name(judge_error_type(&result->judged));
}

const char *glovebox_result_stdout(const glovebox_result *result, size_t *ret_n)
{
    if (ret_n)
        *ret_n = result->out.n;
    return result->out.p;
}

const char *glovebox_result_stderr(const glovebox_result *result, size_t *ret_n)
{
    if (ret_n)
        *ret_n = result->err.n;
    return result->err.p;
}

int64_t glovebox_result_duration_ms(const glovebox_result *result)
{
    return result->judged.run.duration_ms;
}

int64_t glovebox_result_cpu_ms(const glovebox_result *result)
{
    return result->judged.run.cpu_ms;
}

int64_t glovebox_result_max_memory_bytes(const glovebox_result *result)
{
    return (int64_t)result->judged.run.memory_peak;
}

size_t glovebox_result_file_count(const glovebox_result *result)
{
    return result->judged.run.files.count;
}

const char *glovebox_result_file_path(const glovebox_result *result, size_t i)
{
    const struct file_set *files = &result->judged.run.files;

    return i < files->count ? files->entries[i].path : NULL;
}

int64_t glovebox_result_file_size(const glovebox_result *result, size_t i)
{
    const struct file_set *files = &result->judged.run.files;

    return i < files->count ? (int64_t)files->entries[i].size : -1;
}

const char *glovebox_result_error(const glovebox_result *result)
{
    const struct err *err = &result->judged.run.error;

    return err->kind ? err->msg : NULL;
}

json_t *handle_document(const glovebox_result *result)
{
    return result->is_test ? judge_document(&result->judged) : result_document(&result->judged.run);
}

const char *glovebox_result_json(glovebox_result *result)
{
    if (!result->json) {
        json_t *doc = handle_document(result);
        result->json = json_write(doc, false);
        json_decref(doc);
    }
    return result->json;
}

/* ---- the guard's verdict ---- */

int glovebox_result_allowed(const glovebox_result *result)
{
    const struct result *run = &result->judged.run;

    return !result_refused(run) && run->error.kind != ERR_POLICY &&
           (run->started || !run->error.kind);
}

const char *glovebox_result_reason(const glovebox_result *result)
{
    const char *reason = result->judged.run.verdict.reason;

    return reason ? reason : "";
}

int glovebox_result_risk(const glovebox_result *result)
{
    return result->judged.run.verdict.risk;
}

size_t glovebox_result_finding_count(const glovebox_result *result)
{
    return result->judged.run.verdict.n;
}

/* An index after the last finding gives an empty one. */
static const struct finding *finding(const glovebox_result *result, size_t i)
{
    static const struct finding none;
    const struct verdict *v = &result->judged.run.verdict;

    return i < v->n ? &v->findings[i] : &none;
}

const char *glovebox_result_finding_rule(const glovebox_result *result, size_t i)
{
    return finding(result, i)->rule;
}

const char *glovebox_result_finding_severity(const glovebox_result *result, size_t i)
{
    const struct finding *f = finding(result, i);

    return f->rule ? severity_name(f->severity) : NULL;
}

int glovebox_result_finding_refuses(const glovebox_result *result, size_t i)
{
    return finding(result, i)->refuses;
}

const char *glovebox_result_finding_message(const glovebox_result *result, size_t i)
{
    return finding(result, i)->message;
}

const char *glovebox_result_finding_hint(const glovebox_result *result, size_t i)
{
    return finding(result, i)->hint;
}

int64_t glovebox_result_finding_line(const glovebox_result *result, size_t i)
{
    return finding(result, i)->line;
}

int64_t glovebox_result_finding_column(const glovebox_result *result, size_t i)
{
    return finding(result, i)->column;
}

/* ---- feedback for the author ---- */

const char *glovebox_result_exception_type(const glovebox_result *result)
{
    const struct result_exception *e = result->judged.run.exception;

    return e ? e->type : NULL;
}

const char *glovebox_result_exception_message(const glovebox_result *result)
{
    const struct result_exception *e = result->judged.run.exception;

    return e ? e->message : NULL;
}

int64_t glovebox_result_exception_line(const glovebox_result *result)
{
    const struct result_exception *e = result->judged.run.exception;

    return e ? e->line : 0;
}

size_t glovebox_result_feedback_count(const glovebox_result *result)
{
    return result->judged.run.feedback.n;
}

const char *glovebox_result_feedback(const glovebox_result *result, size_t i)
{
    const struct feedback *f = &result->judged.run.feedback;

    return i < f->n ? f->texts[i] : NULL;
}

/* The judge has made its own feedback, which includes the tests. */
const char *glovebox_result_feedback_text(glovebox_result *result)
{
    const struct result *run = &result->judged.run;
    struct feedback_input input = {.result = run};

    if (result->judged.feedback_text)
        return result->judged.feedback_text;
    if (!result->feedback_text)
        result->feedback_text = feedback_text(&input, &run->feedback);
    return result->feedback_text;
}
