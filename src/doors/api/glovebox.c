/* SPDX-License-Identifier: Apache-2.0 */
#include "glovebox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "backends/backend.h"
#include "base/fd.h"
#include "base/mem.h"
#include "explain/feedback.h"
#include "formats/json_mem.h"
#include "registry/registry.h"
#include "run/check.h"
#include "run/run.h"
#include "session/session.h"

static const struct opt *const tables[] = {
    work_options,  data_options, session_options, wall_options,  policy_options, guard_options,
    limit_options, log_options,  judge_options,   model_options, talk_options,   bounds_options,
    NULL};

const char *glovebox_version(void)
{
    return GLOVEBOX_VERSION;
}

void glovebox_free(void *p)
{
    free(p);
}

/* ---- the handle ---- */

glovebox *glovebox_open(void)
{
    static const struct opt_other others[] = {
#define OTHER_OPTION(word, option) {word, "did you mean --" option "?"},
#define OTHER_FIELD(word, field)
#include "request/other_names.def"
        {NULL, NULL},
    };
    glovebox *box = xcalloc(1, sizeof *box);

    json_mem_init();
    opt_init(&box->set, tables, &box->settings);
    box->settings.sources = &box->set;
    box->set.others = others;
    tool_set_init(&box->tools);
    box->forks = SESSION_FORKS_MOST;
    if (fd_pipe(box->cancel, &box->err) < 0)
        box->cancel[0] = box->cancel[1] = -1;
    else
        for (int i = 0; i < 2; i++)
            (void)fd_nonblock(box->cancel[i], true);
    return box;
}

/* Called in a child after fork(): the parent's pool can be neither used nor closed there. */
static void drop_foreign_pool(glovebox *box)
{
    if (box->pool_process != getpid())
        box->pool = NULL;
}

void glovebox_close(glovebox *box)
{
    if (!box)
        return;
    for (size_t i = 0; i < box->input_count; i++) {
        free((char *)box->inputs[i].name.p);
        free((char *)box->inputs[i].bytes.p);
    }
    free(box->inputs);
    lay_list_free(box->names);
    free((char *)box->input.p);
    handle_tools_done(box);
    drop_foreign_pool(box);
    backend_pool_close(box->pool);
    review_close(box->review);
    free(box->complaint);
    fd_close(&box->cancel[0]);
    fd_close(&box->cancel[1]);
    settings_done(&box->settings);
    opt_done(&box->set);
    free(box);
}

void handle_begin(glovebox *box)
{
    free(box->complaint);
    box->complaint = NULL;
}

int glovebox_set(glovebox *box, const char *name, const char *value)
{
    static const struct opt_source source = {.from = OPT_FROM_COMMAND};

    handle_begin(box);
    if (box->sessions)
        return err_set(&box->err, ERR_USAGE, "close the sessions of this handle first");
    if (opt_apply(&box->set, &source, name, str_from(value), &box->err) < 0)
        return -1;
    if (settings_read_compare(&box->settings))
        return 0;
    free(mem_take(&box->settings.compare_given));
    return err_set(&box->err, ERR_USAGE,
                   "compare: '%.60s' is neither exact, tokens, floats nor lines", value);
}

static struct str glovebox_copy(const void *bytes, size_t n)
{
    return (struct str){xstrndup(bytes, n), n};
}

/* Refuses a name that a run would refuse, by itself or beside the names before it: the handle
 * cannot lose a file again. */
static int claim_name(glovebox *box, struct str name)
{
    struct err err;

    if (!box->names) {
        box->names = lay_list_new(0, 0);
        for (size_t i = 0; i < box->input_count; i++)
            (void)lay_add_bytes(box->names, box->inputs[i].name, STR(""), 0644, &err);
    }
    if (lay_add_bytes(box->names, name, STR(""), 0644, &box->err) == 0)
        return 0;
    lay_list_free(box->names);
    box->names = NULL;
    return -1;
}

int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n)
{
    handle_begin(box);
    if (!name || !*name)
        return err_set(&box->err, ERR_USAGE, "a file needs a name");
    if (claim_name(box, str_from(name)) < 0)
        return -1;
    box->inputs = xrealloc_array(box->inputs, box->input_count + 1, sizeof *box->inputs);
    box->inputs[box->input_count++] = (struct named_bytes){
        .name = glovebox_copy(name, strlen(name)), .bytes = glovebox_copy(bytes, n)};
    return 0;
}

void glovebox_set_stdin(glovebox *box, const void *bytes, size_t n)
{
    free((char *)box->input.p);
    box->input = glovebox_copy(bytes, n);
}

void glovebox_on_output(glovebox *box, glovebox_output_fn fn, void *ctx)
{
    box->output = fn;
    box->output_ctx = ctx;
}

const char *glovebox_error(const glovebox *box)
{
    return box->complaint ? box->complaint : box->err.msg;
}

void glovebox_cancel(glovebox *box)
{
    (void)!write(box->cancel[1], "", 1);
}

void handle_forget_cancel(const glovebox *box)
{
    char byte;

    while (read(box->cancel[0], &byte, 1) == 1)
        ;
}

/* The caller may have changed the model since the last call, but sessions keep theirs. */
static int open_review(glovebox *box)
{
    const struct review_settings settings = {.model = &box->settings.model,
                                             .log = box->settings.log};

    if (box->review && atomic_load(&box->sessions))
        return 0;
    review_close(box->review);
    box->review = NULL;
    return review_open(&settings, &box->review, &box->err);
}

int handle_request(glovebox *box, const char *language, struct str code, struct run_request *ret)
{
    handle_begin(box);
    if (settings_request(&box->settings, ret, &box->err) < 0)
        return -1;
    ret->program.code = code;
    ret->program.language = language ? language : ret->program.language;
    return handle_complete(box, ret);
}

int handle_complete(glovebox *box, struct run_request *request)
{
    if (!request->workspace.input_count) {
        request->workspace.inputs = box->inputs;
        request->workspace.input_count = box->input_count;
    }
    if (!request->policy.review)
        return 0;
    if (open_review(box) < 0)
        return -1;
    request->policy.reviewer = review_reviewer(box->review);
    return 0;
}

/* True if a pool is worth its cost: not for a jail, which starts fast without one, except for the
 * zygotes of forks. */
static bool needs_pool(const struct run_request *q, bool forks)
{
    const struct backend *backend = NULL;
    struct err ignored;

    if (q->place.backend)
        backend = backend_find(str_from(q->place.backend), &ignored);
    return forks || (backend && backend->starts_slowly);
}

/* Without the pool, each session with forks makes its own zygote, or reports why it cannot. */
void handle_lend_pool(glovebox *box, struct run_request *request, bool forks)
{
    const struct backend_pool_options few = {.ready_max = 2, .for_few = true};
    struct err ignored;

    if (!needs_pool(request, forks))
        return;
    drop_foreign_pool(box);
    box->pool_process = getpid();
    if (!box->pool)
        (void)backend_pool_open(backends, &few, &box->pool, &ignored);
    request->place.pool = box->pool;
}

/* ---- running ---- */

static void on_event(void *ctx, const struct run_event *event)
{
    glovebox *box = ctx;

    if (event->kind == RUN_OUTPUT && box->output)
        box->output(box->output_ctx, event->stream, event->text.p, event->text.n);
}

/* *ret stays -1 if there is no input. */
static int open_input(glovebox *box, int *ret)
{
    if (box->input.p)
        *ret = fd_memory("glovebox-stdin", box->input.p, box->input.n, &box->err);
    return box->input.p && *ret < 0 ? -1 : 0;
}

glovebox_result *glovebox_run(glovebox *box, const char *language, const char *code, size_t n,
                              const char *const *args)
{
    struct run_request request;
    struct run_watch watch = {
        .event = on_event, .ctx = box, .all_output = true, .cancel_fd = box->cancel[0]};
    glovebox_result *result = result_new();
    AUTO_CLOSE int input = -1;

    handle_forget_cancel(box);
    if (handle_request(box, language, (struct str){code, n}, &request) < 0 ||
        open_input(box, &input) < 0)
        return result_failed(result, &box->err);
    handle_lend_pool(box, &request, false);
    request.program.args = (char *const *)args;
    request.program.stdin_fd = input;
    result_init(&result->judged.run, request.output_limit);
    run_program(&request, &watch, &result->judged.run);
    return result_finish(result);
}

glovebox_result *glovebox_check(glovebox *box, const char *language, const char *code, size_t n)
{
    struct run_request request;
    glovebox_result *result = result_new();
    struct result *run = &result->judged.run;

    handle_forget_cancel(box);
    if (handle_request(box, language, (struct str){code, n}, &request) < 0)
        return result_failed(result, &box->err);
    result_init(run, request.output_limit);
    check_program(&request, false, box->cancel[0], run);
    if (result_refused(run))
        feedback_make(&(struct feedback_input){.result = run}, &run->feedback);
    return result_finish(result);
}
