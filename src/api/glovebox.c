/* SPDX-License-Identifier: Apache-2.0 */
#include "glovebox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "backends/backend.h"
#include "base/fd.h"
#include "base/json_mem.h"
#include "base/mem.h"
#include "explain/feedback.h"
#include "session/check.h"
#include "session/run.h"
#include "session/session.h"

#define AT(member) offsetof(struct api_settings, member)

static const char *const compare_choices[] = {"exact", "tokens", "floats", NULL};

static const struct opt test_options[] = {
    {.name = "func", .kind = OPT_STRING, .offset = AT(func)},
    {.name = "setup", .kind = OPT_STRING, .offset = AT(setup)},
    {.name = "isolate", .kind = OPT_FLAG, .offset = AT(isolate)},
    {.name = "strict-stderr", .kind = OPT_FLAG, .offset = AT(strict_stderr)},
    {.name = "compare", .kind = OPT_CHOICE, .offset = AT(compare), .choices = compare_choices},
    {.name = "checker", .kind = OPT_STRING, .offset = AT(checker)},
    {0},
};

#define SETTING_AT(member) offsetof(struct api_settings, member)
#undef AT

static const struct opt task_options[] = {
#define AT(member) SETTING_AT(model.member)
#include "llm/options.def"
#define AT(member) SETTING_AT(bounds.member)
#include "agent/options.def"
    {.name = "record",
     .kind = OPT_STRING,
     .offset = SETTING_AT(model.record),
     .excludes = "replay"},
    {.name = "replay",
     .kind = OPT_STRING,
     .offset = SETTING_AT(model.replay),
     .excludes = "record"},
    {0},
};

static const struct opt *const tables[] = {
    work_options,  data_options,  session_options, wall_options, policy_options,
    guard_options, limit_options, log_options,     test_options, task_options,
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
    glovebox *box = xcalloc(1, sizeof *box);

    json_mem_init();
    opt_init(&box->set, tables, &box->settings);
    box->settings.common.sources = &box->set;
    tool_set_init(&box->tools);
    box->forks = SESSION_FORKS_MOST;
    if (fd_pipe(box->cancel, &box->err) < 0)
        box->cancel[0] = box->cancel[1] = -1;
    else
        for (int i = 0; i < 2; i++)
            (void)fd_nonblock(box->cancel[i], true);
    return box;
}

/* After fork(), in the child: nothing of the parent's pool can be used or closed there. */
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
    free((char *)box->input.p);
    handle_tools_done(box);
    drop_foreign_pool(box);
    backend_pool_close(box->pool);
    review_close(box->review);
    free(box->complaint);
    fd_close(&box->cancel[0]);
    fd_close(&box->cancel[1]);
    settings_done(&box->settings.common);
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
    return opt_apply(&box->set, &source, name, str_from(value), &box->err);
}

static struct str copy(const void *bytes, size_t n)
{
    return (struct str){xstrndup(bytes, n), n};
}

int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n)
{
    handle_begin(box);
    if (!name || !*name)
        return err_set(&box->err, ERR_USAGE, "a file needs a name");
    box->inputs = xrealloc_array(box->inputs, box->input_count + 1, sizeof *box->inputs);
    box->inputs[box->input_count++] =
        (struct named_bytes){.name = copy(name, strlen(name)), .bytes = copy(bytes, n)};
    return 0;
}

void glovebox_set_stdin(glovebox *box, const void *bytes, size_t n)
{
    free((char *)box->input.p);
    box->input = copy(bytes, n);
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

/* The model may have been changed since the last call, but sessions keep theirs. */
static int open_review(glovebox *box)
{
    const struct review_settings settings = {.model = &box->settings.model,
                                             .log = box->settings.common.log};

    if (box->review && atomic_load(&box->sessions))
        return 0;
    review_close(box->review);
    box->review = NULL;
    return review_open(&settings, &box->review, &box->err);
}

int handle_request(glovebox *box, const char *language, struct str code, struct run_request *ret)
{
    handle_begin(box);
    if (settings_request(&box->settings.common, ret, &box->err) < 0)
        return -1;
    ret->code = code;
    ret->language = language ? language : ret->language;
    ret->inputs = box->inputs;
    ret->input_count = box->input_count;
    if (!ret->review)
        return 0;
    if (open_review(box) < 0)
        return -1;
    ret->reviewer = review_reviewer(box->review);
    return 0;
}

/* A jail starts faster than a pool is worth to a handle, but for the zygotes of forks. */
static bool needs_pool(const struct run_request *q, bool forks)
{
    const struct backend *backend = NULL;
    struct err ignored;

    if (q->backend)
        backend = backend_find(str_from(q->backend), &ignored);
    return forks || (backend && backend->starts_slowly);
}

/* Without it, each session that has forks makes its own, or reports why it cannot. */
void handle_lend_pool(glovebox *box, struct run_request *request, bool forks)
{
    const struct backend_pool_options few = {.ready_max = 2, .for_few = true};
    struct err ignored;

    if (!needs_pool(request, forks))
        return;
    drop_foreign_pool(box);
    box->pool_process = getpid();
    if (!box->pool)
        (void)backend_pool_open(&few, &box->pool, &ignored);
    request->pool = box->pool;
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
    request.args = (char *const *)args;
    request.stdin_fd = input;
    result->limits = request.limits;
    result_init(&result->judged.run, request.output_limit);
    session_run(&request, &watch, &result->judged.run);
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
    result->limits = request.limits;
    result_init(run, request.output_limit);
    session_check(&request, false, box->cancel[0], run);
    if (result_refused(run))
        feedback_make(&(struct feedback_input){.result = run, .limits = &result->limits},
                      &run->feedback);
    return result_finish(result);
}
