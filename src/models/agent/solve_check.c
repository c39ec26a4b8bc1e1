/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's expression reads the answer in a run of its own, which the model's programs cannot
 * influence. A client of a daemon may have sent the expression, so guard and wall apply to it as to
 * any program.
 */
#include <string.h>

#include "agent/solve_parts.h"
#include "base/mem.h"
#include "formats/json_write.h"
#include "run/check.h"

enum { OUTPUT_MAX = 64 << 10 };

static char *code_of(const struct solving *s)
{
    return xasprintf("if not (\n%s\n):\n    raise ValueError('it is false')\n", s->request->check);
}

static struct run_request request_of(const struct solving *s, const char *code)
{
    struct run_request q = *s->agent->request->run;

    q.program.code = str_from(code);
    q.program.language = "python";
    q.workspace.out_dir = NULL;
    return q;
}

/* The expression is the user's: the model cannot correct it. */
static int wrong(struct solving *s, const char *why)
{
    struct err err;

    (void)err_set(&err, ERR_USAGE, "the check of the answer cannot be evaluated: %.300s", why);
    return agent_finish(s->agent, AGENT_FAILED, &err);
}

int solve_check_open(struct solving *s)
{
    struct result result;
    int status = 0;

    if (!s->request->check)
        return 0;
    AUTO_FREE char *code = code_of(s);
    struct run_request q = request_of(s, code);
    result_init(&result, OUTPUT_MAX);
    check_program(&q, false, s->agent->watch->cancel_fd, &result);
    if (result.error.kind != ERR_NONE)
        status = wrong(s, result.error.msg);
    else if (!result.verdict.allowed)
        status = wrong(s, result.verdict.reason ? result.verdict.reason : "it is refused");
    result_done(&result);
    return status;
}

static int solve_check_run(struct solving *s, const json_t *answer, struct result *result)
{
    AUTO_FREE char *json = json_write(answer, false);
    AUTO_FREE char *code = code_of(s);
    const struct named_bytes value = {STR("answer"), str_from(json)};
    struct run_request q = request_of(s, code);
    struct run_watch watch = {.cancel_fd = s->agent->watch->cancel_fd};

    q.workspace.values = &value;
    q.workspace.value_count = 1;
    q.limits.wall_ms = agent_time_for(s->agent, q.limits.wall_ms);
    run_program(&q, &watch, result);
    return agent_after_run(s->agent);
}

static void add_rejection(const struct solving *s, const struct result *result,
                          struct buf *complaint)
{
    const struct result_exception *e = result->exception;

    (void)buf_addf(complaint, "The answer was rejected by the check `%s`", s->request->check);
    if (e && e->message && strcmp(e->message, "it is false") != 0)
        (void)buf_addf(complaint, ": %s: %s", e->type, e->message);
    (void)buf_adds(complaint, ". Find a better one.\n");
}

int solve_check_answer(struct solving *s, const json_t *answer, bool *ret_good,
                       struct buf *complaint)
{
    struct result result;

    *ret_good = !s->request->check;
    if (*ret_good)
        return 0;
    result_init(&result, OUTPUT_MAX);
    int status = solve_check_run(s, answer, &result);
    if (status == 0 && result.error.kind != ERR_NONE)
        status = wrong(s, result.error.msg);
    else if (status == 0 && result.exception && strcmp(result.exception->type, "NameError") == 0)
        status = wrong(s, result.exception->message);
    else if (status == 0 && !result.success)
        add_rejection(s, &result, complaint);
    *ret_good = result.success;
    result_done(&result);
    return status;
}
