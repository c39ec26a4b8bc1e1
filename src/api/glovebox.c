/* SPDX-License-Identifier: Apache-2.0 */
#include "glovebox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "session/check.h"
#include "session/run.h"
#include "session/settings.h"

struct glovebox {
    struct settings settings;
    struct opt_set set;
    struct run_input *inputs;
    size_t input_count;
    struct str input; /* owned; .p NULL for none */
    glovebox_output_fn output;
    void *output_ctx;
    int cancel[2];
    struct err err;
};

struct glovebox_result {
    struct result r;
    struct buf out, err;
    char *json;
};

static const struct opt *const tables[] = {
    work_options, wall_options, policy_options, guard_options, limit_options, log_options, NULL};

const char *glovebox_version(void)
{
    return GLOVEBOX_VERSION;
}

glovebox *glovebox_open(void)
{
    glovebox *box = xcalloc(1, sizeof *box);

    opt_init(&box->set, tables, &box->settings);
    if (fd_pipe(box->cancel, &box->err) < 0)
        box->cancel[0] = box->cancel[1] = -1;
    else
        for (int i = 0; i < 2; i++)
            (void)fd_nonblock(box->cancel[i], true);
    return box;
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
    fd_close(&box->cancel[0]);
    fd_close(&box->cancel[1]);
    settings_done(&box->settings);
    opt_done(&box->set);
    free(box);
}

int glovebox_set(glovebox *box, const char *name, const char *value)
{
    static const struct opt_source source = {.from = OPT_FROM_COMMAND};

    return opt_apply(&box->set, &source, name, str_from(value), &box->err);
}

static struct str copy(const void *bytes, size_t n)
{
    return (struct str){xstrndup(bytes, n), n};
}

int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n)
{
    if (!name || !*name)
        return err_set(&box->err, ERR_USAGE, "a file needs a name");
    box->inputs = xrealloc_array(box->inputs, box->input_count + 1, sizeof *box->inputs);
    box->inputs[box->input_count++] =
        (struct run_input){.name = copy(name, strlen(name)), .bytes = copy(bytes, n)};
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
    return box->err.msg;
}

void glovebox_cancel(glovebox *box)
{
    (void)!write(box->cancel[1], "", 1);
}

static void on_event(void *ctx, const struct run_event *event)
{
    glovebox *box = ctx;

    if (event->kind == RUN_OUTPUT && box->output)
        box->output(box->output_ctx, event->stream, event->text.p, event->text.n);
}

/* A cancel that came too late for the run before must not end this one. */
static void forget_cancel(const glovebox *box)
{
    char byte;

    while (read(box->cancel[0], &byte, 1) == 1)
        ;
}

static glovebox_result *finish(glovebox_result *result)
{
    buf_init(&result->out, result->r.out.limit + 256);
    buf_init(&result->err, result->r.err.limit + 256);
    capture_text(&result->r.out, &result->out);
    capture_text(&result->r.err, &result->err);
    return result;
}

glovebox_result *glovebox_run(glovebox *box, const char *language, const char *code, size_t n,
                              const char *const *args)
{
    struct run_request request;
    struct run_watch watch = {.event = on_event, .ctx = box, .cancel_fd = box->cancel[0]};
    glovebox_result *result = xcalloc(1, sizeof *result);
    AUTO_CLOSE int input = -1;

    forget_cancel(box);
    int ready = settings_request(&box->settings, &request, &box->err);
    result_init(&result->r, ready < 0 ? 0 : request.output_limit);
    if (ready == 0 && box->input.p)
        ready = input = fd_memory("glovebox-stdin", box->input.p, box->input.n, &box->err);
    if (ready < 0) {
        result->r.error = box->err;
    } else {
        request.code = (struct str){code, n};
        request.language = language ? language : request.language;
        request.args = (char *const *)args;
        request.inputs = box->inputs;
        request.input_count = box->input_count;
        request.stdin_fd = input;
        session_run(&request, &watch, &result->r);
    }
    return finish(result);
}

glovebox_result *glovebox_check(glovebox *box, const char *language, const char *code, size_t n)
{
    struct run_request request;
    glovebox_result *result = xcalloc(1, sizeof *result);

    int ready = settings_request(&box->settings, &request, &box->err);
    result_init(&result->r, ready < 0 ? 0 : request.output_limit);
    if (ready < 0) {
        result->r.error = box->err;
    } else {
        request.code = (struct str){code, n};
        request.language = language ? language : request.language;
        session_check(&request, &result->r);
    }
    return finish(result);
}

/* ---- results ---- */

void glovebox_result_free(glovebox_result *result)
{
    if (!result)
        return;
    result_done(&result->r);
    buf_done(&result->out);
    buf_done(&result->err);
    free(result->json);
    free(result);
}

int glovebox_result_success(const glovebox_result *result)
{
    return result->r.success;
}

int glovebox_result_allowed(const glovebox_result *result)
{
    return !result_refused(&result->r) && result->r.error.kind != ERR_POLICY;
}

const char *glovebox_result_reason(const glovebox_result *result)
{
    return result->r.verdict.reason ? result->r.verdict.reason : "";
}

int glovebox_result_exit_code(const glovebox_result *result)
{
    return result->r.exit_code;
}

int glovebox_result_signal(const glovebox_result *result)
{
    return result->r.signal;
}

int glovebox_result_timed_out(const glovebox_result *result)
{
    return result->r.timed_out;
}

int glovebox_result_oom_killed(const glovebox_result *result)
{
    return result->r.oom_killed;
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
    return result->r.duration_ms;
}

int64_t glovebox_result_cpu_ms(const glovebox_result *result)
{
    return result->r.cpu_ms;
}

int64_t glovebox_result_max_memory_bytes(const glovebox_result *result)
{
    return (int64_t)result->r.memory_peak;
}

size_t glovebox_result_file_count(const glovebox_result *result)
{
    return result->r.files.count;
}

const char *glovebox_result_file_path(const glovebox_result *result, size_t i)
{
    return i < result->r.files.count ? result->r.files.entries[i].path : NULL;
}

int64_t glovebox_result_file_size(const glovebox_result *result, size_t i)
{
    return i < result->r.files.count ? (int64_t)result->r.files.entries[i].size : -1;
}

const char *glovebox_result_error(const glovebox_result *result)
{
    return result->r.error.kind ? result->r.error.msg : NULL;
}

const char *glovebox_result_json(glovebox_result *result)
{
    if (!result->json)
        result->json = result_json(&result->r, false);
    return result->json;
}
