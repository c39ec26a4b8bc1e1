/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of tools, and of input(): the guest calls, the call becomes a line of the cell's stream,
 * and the client that reads the line answers with another request. The worker waits for the answer;
 * the loop delivers it, so that an answer needs no worker.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "routes/cell_parts.h"
#include "routes/routes.h"

enum {
    WAIT_STEP_MS = 50,
    BESIDE_MAX = 4096,
    INPUT_WAIT_MS = 30 * 60 * 1000,
};

struct cell {
    struct job *job;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    unsigned call; /* number of the latest call */
    bool open;     /* a call waits for its answer */
    bool answers_input;
    json_t *answer;
};

/* The cell that this thread runs: a tool's function is called in the thread that called
 * session_exec. */
static _Thread_local struct cell *current;

struct cell *cell_new(void)
{
    struct cell *cell = xcalloc(1, sizeof *cell);

    pthread_mutex_init(&cell->lock, NULL);
    cond_init(&cell->answered);
    return cell;
}

void cell_free(struct cell *cell)
{
    if (!cell)
        return;
    json_decref(cell->answer);
    pthread_cond_destroy(&cell->answered);
    pthread_mutex_destroy(&cell->lock);
    free(cell);
}

void cell_enter(struct cell *cell, struct job *job, bool answers_input)
{
    cell->job = job;
    cell->answers_input = answers_input;
    current = cell;
}

void cell_leave(void)
{
    current = NULL;
}

/* ---- a call, in the worker ---- */

static void report_call(const struct cell *cell, const struct tool_call *call)
{
    json_t *o = json_pack("{s:s, s:I, s:i, s:s, s:s, s:O, s:O, s:I}", "event", "tool", "time_ms",
                          (json_int_t)clock_wall_ms(), "call", (int)cell->call, "session",
                          call->session, "name", call->name, "args", call->args, "kwargs",
                          call->kwargs, "timeout_ms", (json_int_t)call->timeout_ms);

    job_line_json(cell->job, o);
}

static bool is_abandoned(const struct cell *cell, const struct tool_call *call)
{
    return atomic_load(&cell->job->cancelled) || fd_readable(call->cancel_fd) ||
           (call->is_over && call->is_over(call->over_ctx));
}

static void wait_step(struct cell *cell)
{
    (void)cond_wait_until(&cell->answered, &cell->lock, clock_mono_ms() + WAIT_STEP_MS);
}

/* Returns a new reference, or NULL. */
static json_t *wait_for_answer(struct cell *cell, const struct tool_call *call)
{
    int64_t from = clock_mono_ms();

    pthread_mutex_lock(&cell->lock);
    while (!cell->answer && clock_mono_ms() - from < call->timeout_ms && !is_abandoned(cell, call))
        wait_step(cell);
    json_t *answer = cell->answer;
    cell->answer = NULL;
    cell->open = false;
    pthread_mutex_unlock(&cell->lock);
    return answer;
}

static int take_error(json_t *error, struct err *err)
{
    const char *type = json_string_value(json_object_get(error, "type"));
    const char *message = json_string_value(json_object_get(error, "message"));
    enum err_kind kind = type && strcmp(type, "TimeoutError") == 0 ? ERR_TIMEOUT
                         : type && strcmp(type, "TypeError") == 0  ? ERR_GUEST
                                                                   : ERR_SYSTEM;

    message = message ? message : "the tool failed";
    if (kind == ERR_SYSTEM && type && strcmp(type, "RuntimeError") != 0)
        return err_set(err, kind, "%.80s: %s", type, message);
    return err_set(err, kind, "%s", message);
}

static int no_answer(const struct cell *cell, const struct tool_call *call, struct err *err)
{
    struct err why = {0};

    job_end_words(cell->job, &why);
    if (why.kind)
        return err_set(err, ERR_SYSTEM, "the call of '%.100s' can no longer be answered: %s",
                       call->name, why.msg);
    return err_set(err, ERR_TIMEOUT, "no client answered the call of '%.100s' within %lld ms",
                   call->name, (long long)call->timeout_ms);
}

typedef void report_fn(const struct cell *cell, const struct tool_call *call);

static int ask_client(struct cell *cell, const struct tool_call *call, report_fn *report,
                      json_t **ret, struct err *err)
{
    pthread_mutex_lock(&cell->lock);
    cell->call++;
    cell->open = true;
    pthread_mutex_unlock(&cell->lock);
    report(cell, call);
    json_t *answer = wait_for_answer(cell, call);
    if (!answer)
        return no_answer(cell, call, err);
    json_t *ok = json_object_get(answer, "ok"), *error = json_object_get(answer, "error");
    int result = error && !json_is_null(error) ? take_error(error, err) : 0;
    if (result == 0)
        *ret = ok ? json_incref(ok) : json_null();
    json_decref(answer);
    return result;
}

int tool_ask_client(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct cell *cell = current;

    (void)ctx;
    if (!cell || !cell->job->streams)
        return err_set(err, ERR_UNSUPPORTED,
                       "'%.100s' cannot be answered: the client that runs this cell does not read "
                       "its stream (Accept: application/x-ndjson)",
                       call->name);
    return ask_client(cell, call, report_call, ret, err);
}

/* ---- input() ---- */

static void report_input(const struct cell *cell, const struct tool_call *call)
{
    json_t *prompt = json_array_get(call->args, 0);
    json_t *o =
        json_pack("{s:s, s:I, s:i, s:s, s:O, s:b, s:I}", "event", "input", "time_ms",
                  (json_int_t)clock_wall_ms(), "call", (int)cell->call, "session", call->session,
                  "prompt", prompt, "hidden", json_is_true(json_array_get(call->args, 1)),
                  "timeout_ms", (json_int_t)call->timeout_ms);

    job_line_json(cell->job, o);
}

static int check_line(const json_t *line, struct err *err)
{
    if (json_is_string(line) || json_is_null(line) || json_is_false(line))
        return 0;
    return err_set(err, ERR_GUEST, "input() was answered with something that is not a string");
}

/* If no client answers input(), no client reads its prompt either. Then *ret is true: the guest
 * writes the prompt to its output and reads its own input, which is at its end. */
static int call_input(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct cell *cell = current;

    (void)ctx;
    if (!json_is_string(json_array_get(call->args, 0)))
        return err_set(err, ERR_GUEST, "input() was called with something that is not a string");
    *ret = NULL;
    if (!cell || !cell->answers_input) {
        *ret = json_true();
        return 0;
    }
    if (ask_client(cell, call, report_input, ret, err) < 0)
        return -1;
    if (check_line(*ret, err) == 0)
        return 0;
    json_decref(*ret);
    return -1;
}

void tools_add_input(struct tool_set *set)
{
    tool_set_add_input(set, call_input, NULL);
    set->items[set->count - 1].timeout_ms = INPUT_WAIT_MS;
}

/* ---- the answer, in the loop ---- */

struct answer_fields {
    json_t *ok, *error;
};
const struct setting answer_rows[] = {
    {.field = "ok",
     .shape = SHAPE_ANY,
     .json_at = offsetof(struct answer_fields, ok),
     .code = CODE_NONE,
     .meaning = "the call's return value, as typed JSON"},
    {.field = "error",
     .shape = SHAPE_OBJECT,
     .json_at = offsetof(struct answer_fields, error),
     .code = CODE_NONE,
     .meaning = "instead of ok: the exception that the call raises: {type, message}"},
    {.field = NULL},
};

/* Takes the answer over. False when no call with this number waits (any more). */
static bool deliver(struct cell *cell, int64_t number, json_t *answer)
{
    pthread_mutex_lock(&cell->lock);
    bool waits = cell->open && !cell->answer && cell->call == number;
    if (waits) {
        cell->answer = answer;
        pthread_cond_signal(&cell->answered);
    }
    pthread_mutex_unlock(&cell->lock);
    if (!waits)
        json_decref(answer);
    return waits;
}

/* The running cell of the session, if it can receive answers; else NULL. */
static struct cell *cell_in(const struct session_entry *e)
{
    const struct job *job = e->busy ? session_job_of(e->busy) : NULL;

    return job && job->streams && job->work == cell_work ? job->own : NULL;
}

void handle_session_answer(struct call *call)
{
    struct session_entry *e = session_of(call);
    static const struct ask_form form = {.own = answer_rows};
    struct answer_fields fields = {0};
    json_t *doc = NULL;
    struct err err;
    int64_t number;

    if (!e)
        return;
    if (call->x->body.n > e->opening->tools.max_bytes + BESIDE_MAX) { /* the loop parses the body */
        call_refuse(call, 413, NULL, "limit", "a tool's answer has at most %zu MiB",
                    e->opening->tools.max_bytes >> 20);
        return;
    }
    if (json_read(call->x->body, &doc, &err) < 0 ||
        ask_read(&form, doc, call_rules(call), &fields, &err) < 0 ||
        (!fields.ok == !fields.error &&
         err_set(&err, ERR_USAGE, "an answer must have either 'ok' or 'error'") < 0)) {
        json_decref(doc);
        call_fail(call, &err);
        return;
    }
    struct cell *cell = cell_in(e);
    if (!num_int64(buf_str(&call->rest), &number) || !cell) {
        json_decref(doc);
        doc = NULL;
    }
    if (!doc || !deliver(cell, number, doc)) {
        call_refuse(call, 404, NULL, "usage", "no call %.20s of a tool waits in this session",
                    call->rest.p);
        return;
    }
    call_answer(call, 200, NULL, xasprintf("{\"id\":\"%s\",\"done\":true}", e->id));
}
