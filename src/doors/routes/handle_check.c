/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/check: returns verdicts and runs nothing.
 */
#include <stddef.h>

#include "base/clock.h"
#include "base/mem.h"
#include "result/verdict_json.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "run/check.h"

/* Returns 1 if the program is allowed, else 0; -1 with *err. */
static int check_one(struct job *job, const struct run_request *q, struct str path, json_t *list,
                     struct err *err)
{
    struct result result;
    json_t *object = json_object();
    int64_t began = clock_mono_ns();

    result_init(&result, 1);
    check_program(q, true, job->cancel_fd, &result);
    figures_of(&result, FIGURES_CHECK, (clock_mono_ns() - began) / 1000, job_figures(job));
    json_object_set_new(object, "path", json_text(path));
    json_object_set_new(object, "verdict",
                        result.checked ? verdict_json(&result.verdict) : json_null());
    if (result.error.kind)
        json_object_set_new(object, "error", json_error(&result.error));
    json_array_append_new(list, object);
    int allowed = result.error.kind == ERR_NONE && !result_refused(&result);
    if (result.error.kind)
        *err = result.error;
    result_done(&result);
    return allowed;
}

static void check_all(struct job *job, const struct settings *ask, struct run_request *q)
{
    json_t *list = json_array();
    bool allowed = true;
    struct err err = {0};

    if (ask->code_text.p)
        allowed &= check_one(job, q, str_from(ask->filename ? ask->filename : "-"), list, &err);
    for (size_t i = 0; i < q->workspace.input_count && !atomic_load(&job->cancelled); i++) {
        AUTO_FREE char *name =
            xstrndup(q->workspace.inputs[i].name.p, q->workspace.inputs[i].name.n);
        struct run_request one = *q;
        one.program.code = q->workspace.inputs[i].bytes;
        one.program.file = name;
        allowed &= check_one(job, &one, q->workspace.inputs[i].name, list, &err);
    }
    if (err.kind && json_array_size(list) == 1) {
        json_decref(list);
        job_fail(job, &err);
        return;
    }
    job_answer_json(job, 200, json_pack("{s:o, s:b}", "files", list, "allowed", allowed));
}

void check_work(struct job *job)
{
    struct asked asked;
    struct err err;

    if (asked_read(job, &asked, &err) < 0 ||
        (!asked.ask.code_text.p && !asked.parts.input_count &&
         err_set(&err, ERR_USAGE, "'code' is missing (or 'files')") < 0))
        job_fail(job, &err);
    else
        check_all(job, &asked.ask, &asked.run);
    asked_done(&asked);
}
