/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_context.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static const char *invocation_of(const struct run_request *q)
{
    return q->context.invocation ? q->context.invocation : "";
}

/* ---- before ---- */

static int check_ids(const struct run_request *q, struct err *err)
{
    const char *invocation = q->context.path ? "--invocation" : "'invocation'";
    const char *execution_id = q->context.path ? "--execution-id" : "'execution_id'";

    if (context_check_id(invocation_of(q), invocation, err) < 0)
        return -1;
    return q->context.execution_id ? context_check_id(q->context.execution_id, execution_id, err)
                                   : 0;
}

/* Returns the command, or the change of the document, that permits the invocation again. */
static char *way_out(const struct run_request *q)
{
    if (q->context.path)
        return xasprintf("run 'glovebox context reset %s --invocation \"%s\"', or raise --retries",
                         q->context.path, invocation_of(q));
    return xasprintf(
        "set its count in the context's _code_executor_error_counts to 0, or send more "
        "'retries'");
}

static int check_count(const struct run_request *q, const struct context *c, struct result *result,
                       struct err *err)
{
    const char *invocation = invocation_of(q);
    int64_t count = context_error_count(c, invocation);

    if (count <= q->door.retries)
        return 0;
    AUTO_FREE char *way = way_out(q);
    result->skipped = true;
    return err_set(err, ERR_POLICY,
                   "Failed after %lld attempts: %s%.100s%s is refused from now on; to continue, %s",
                   (long long)count, *invocation ? "invocation '" : "this context", invocation,
                   *invocation ? "'" : "", way);
}

static int read_inputs(struct run_context *c, struct err *err)
{
    size_t n = context_input_count(&c->context);

    c->inputs = xcalloc(n + 1, sizeof *c->inputs);
    for (size_t i = 0; i < n; i++) {
        c->input_count = i + 1;
        if (context_input_read(&c->context, i, &c->inputs[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Returns true if the id changed. */
static bool set_id(const struct run_request *q, struct context *c)
{
    const char *invocation = invocation_of(q), *id = q->context.execution_id;

    if (!id || strcmp(id, context_execution_id(c, invocation)) == 0)
        return false;
    context_set_execution_id(c, invocation, id);
    return true;
}

static int take_in(const struct run_request *q, struct context_file *file, struct run_context *c,
                   struct result *result, struct err *err)
{
    if (check_count(q, &file->context, result, err) < 0)
        return -1;
    if (set_id(q, &file->context) && context_file_save(file, err) < 0)
        return -1;
    c->context = file->context;
    file->context.document = NULL;
    return read_inputs(c, err) < 0 ? err_wrap(err, "%s", q->context.path) : 0;
}

static int take_copy(const struct run_request *q, struct run_context *c, struct result *result,
                     struct err *err)
{
    if (check_ids(q, err) < 0)
        return -1;
    if (context_copy(q->context.document, &c->context, err) < 0)
        return err_wrap(err, "'context'");
    if (check_count(q, &c->context, result, err) < 0)
        return -1;
    (void)set_id(q, &c->context);
    return read_inputs(c, err) < 0 ? err_wrap(err, "'context'") : 0;
}

int run_context_begin(const struct run_request *q, int cancel_fd, struct run_context *ret,
                      struct result *result, struct err *err)
{
    struct context_file file;

    *ret = (struct run_context){0};
    if (q->context.document)
        return take_copy(q, ret, result, err);
    if (!q->context.path)
        return q->context.invocation || q->context.execution_id
                   ? err_set(err, ERR_USAGE, "--%s needs --context",
                             q->context.invocation ? "invocation" : "execution-id")
                   : 0;
    if (check_ids(q, err) < 0)
        return -1;
    if (context_file_open(q->context.path, cancel_fd, &file, err) < 0)
        return err_wrap(err, "--context");
    int status = take_in(q, &file, ret, result, err);
    context_file_close(&file);
    return status;
}

void run_context_done(struct run_context *c)
{
    for (size_t i = 0; i < c->input_count; i++)
        buf_done(&c->inputs[i].bytes);
    free(c->inputs);
    context_done(&c->context);
    *c = (struct run_context){0};
}

/* ---- after ---- */

/* Uses the text of a failure if the program printed nothing. */
static void add_result(const struct run_request *q, const struct result *r, struct context *c)
{
    AUTO_BUF struct buf out = {0}, err = {0};
    char summary[700];

    buf_init(&out, r->out.limit + 256);
    buf_init(&err, r->err.limit + 256);
    capture_text(&r->out, &out);
    capture_text(&r->err, &err);
    struct context_result entry = {
        .code = q->program.code,
        .out = buf_str(&out),
        .err = buf_str(&err),
        .timestamp = clock_wall_ms() / 1000,
    };
    if (!r->success && !err.n)
        entry.err = str_from(result_summary(r, summary, sizeof summary));
    context_add_result(c, invocation_of(q), &entry);
}

static void add_processed(const struct run_request *q, const struct first *first, struct context *c)
{
    for (size_t i = 0; i < first->table_count; i++)
        context_add_processed(c, invocation_of(q), first->tables[i].name);
}

/* A failure of ours, or a cancellation by the user, does not count as an error. */
static void run_context_leave(const struct run_request *q, const struct first *first,
                              const struct result *r, struct context *c)
{
    bool ours = r->error.kind != ERR_NONE;

    add_result(q, r, c);
    if (r->started && !r->timed_out && !r->oom_killed)
        add_processed(q, first, c);
    if (r->success)
        context_reset_errors(c, invocation_of(q));
    else if (!ours)
        context_count_error(c, invocation_of(q));
}

static int leave_in_file(const struct run_request *q, int cancel_fd, const struct first *first,
                         const struct result *result, struct err *err)
{
    struct context_file file;

    if (context_file_open(q->context.path, cancel_fd, &file, err) < 0)
        return err_wrap(err, "--context");
    run_context_leave(q, first, result, &file.context);
    int status = context_file_save(&file, err) < 0 ? err_wrap(err, "--context") : 0;
    context_file_close(&file);
    return status;
}

int run_context_end(const struct run_request *q, int cancel_fd, struct run_context *c,
                    const struct first *first, struct result *result, struct err *err)
{
    bool nothing = result->cancelled || (!result->started && !result_refused(result));

    if (q->context.path)
        return nothing ? 0 : leave_in_file(q, cancel_fd, first, result, err);
    if (!c->context.document)
        return 0;
    if (!nothing)
        run_context_leave(q, first, result, &c->context);
    if (!context_fits(&c->context))
        return err_set(err, ERR_LIMIT, "'context': would be larger than %d MiB; remove old results",
                       CONTEXT_MAX_BYTES >> 20);
    result->context = json_incref(c->context.document);
    return 0;
}
