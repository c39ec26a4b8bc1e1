/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/check: verdicts; nothing is run.
 */
#include <stddef.h>

#include "base/clock.h"
#include "base/mem.h"
#include "result/verdict_json.h"
#include "server/front.h"
#include "server/handle_parts.h"
#include "session/check.h"

static const struct field what_fields[] = {
    {.name = "code",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .offset = offsetof(struct run_fields, code),
     .help = "The program; or give several in files."},
    {.name = "filename",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = offsetof(struct run_fields, filename),
     .help = "The program's file name, for messages and to detect the language."},
    {.name = "files",
     .kind = FIELD_FILES,
     .code = CODE_READ,
     .offset = offsetof(struct run_fields, files),
     .items = file_fields,
     .help = "Programs: a list of files, or an object of texts by name."},
    {.name = "language",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = offsetof(struct run_fields, language),
     .initial = "auto",
     .help = "python, javascript, bash, r, ...; auto looks at name and text."},
    {0},
};

const struct field *const check_tables[] = {what_fields, policy_fields, guard_fields, answer_fields,
                                            NULL};

static json_t *error_json(const struct err *err)
{
    return json_pack("{s:s, s:o}", "kind", err_kind_name(err->kind), "message",
                     json_text(str_from(err->msg)));
}

/* 1 for allowed. */
static int check_one(struct job *job, const struct run_request *q, struct str path, json_t *list,
                     struct err *err)
{
    struct result result;
    json_t *object = json_object();
    int64_t began = clock_mono_ns();

    result_init(&result, 1);
    session_check(q, true, job->cancel_fd, &result);
    figures_of(&result, FIGURES_CHECK, (clock_mono_ns() - began) / 1000, job_figures(job));
    json_object_set_new(object, "path", json_text(path));
    json_object_set_new(object, "verdict",
                        result.checked ? verdict_json(&result.verdict) : json_null());
    if (result.error.kind)
        json_object_set_new(object, "error", error_json(&result.error));
    json_array_append_new(list, object);
    int allowed = result.error.kind == ERR_NONE && !result_refused(&result);
    if (result.error.kind)
        *err = result.error;
    result_done(&result);
    return allowed;
}

static void check_all(struct job *job, const struct run_fields *f, struct run_request *q)
{
    json_t *list = json_array();
    bool allowed = true;
    struct err err = {0};

    if (f->code.p)
        allowed &= check_one(job, q, str_from(f->filename ? f->filename : "-"), list, &err);
    for (size_t i = 0; i < q->input_count && !atomic_load(&job->cancelled); i++) {
        AUTO_FREE char *name = xstrndup(q->inputs[i].name.p, q->inputs[i].name.n);
        struct run_request one = *q;
        one.code = q->inputs[i].bytes;
        one.file = name;
        allowed &= check_one(job, &one, q->inputs[i].name, list, &err);
    }
    if (err.kind && json_array_size(list) == 1) {
        json_decref(list);
        job_fail(job, &err);
        return;
    }
    job_answer_json(job, 200, json_pack("{s:o, s:b}", "files", list, "allowed", allowed));
}

static void check_work(struct job *job)
{
    struct run_fields fields;
    struct request_parts parts;
    struct run_request request;
    struct err err;

    request_parts_init(&parts);
    run_fields_init(&fields, job->rules, &parts);
    if (job_read(job, &err) < 0 ||
        fields_read(check_tables, job->doc, job->rules, &fields, &err) < 0 ||
        request_serve(job, &fields, &parts, &request, &err) < 0)
        job_fail(job, &err);
    else if (!fields.code.p && !parts.input_count &&
             err_set(&err, ERR_USAGE, "'code' is missing (or 'files')") < 0)
        job_fail(job, &err);
    else
        check_all(job, &fields, &request);
    request_parts_done(&parts);
}

void handle_check(struct call *call)
{
    struct job *job = job_new(call->server, call);

    if (!job)
        return;
    job->work = check_work;
    job_submit(job);
}
