/* SPDX-License-Identifier: Apache-2.0 */
#include "math/math.h"

static void add_program(struct str expression, struct buf *b)
{
    (void)buf_adds(b, "import math, sys\n"
                      "from math import *\n"
                      "from builtins import pow\n"
                      "getattr(sys, 'set_int_max_str_digits', id)(0)\n"
                      "result = ");
    (void)buf_add_str(b, str_trim(expression));
    (void)buf_adds(b, "\nprint(result)\n");
}

static void read_answer(const struct result *r, struct math_answer *ret)
{
    const struct result_exception *e = r->exception;
    char line[700];

    ret->good = r->success;
    if (r->success)
        capture_text(&r->out, &ret->text);
    else if (e)
        (void)buf_addf(&ret->text, "%s%s%s", e->type, *e->message ? ": " : "", e->message);
    else
        (void)buf_adds(&ret->text, result_summary(r, line, sizeof line));
    while (ret->text.n && ret->text.p[ret->text.n - 1] == '\n')
        ret->text.p[--ret->text.n] = '\0';
}

static int compute(const struct run_request *q, const struct run_watch *watch,
                   struct math_answer *ret, struct err *err)
{
    struct result result;

    result_init(&result, q->output_limit);
    run_program(q, watch, &result);
    bool ours = result.error.kind != ERR_NONE;
    if (ours)
        *err = result.error;
    else
        read_answer(&result, ret);
    result_done(&result);
    return ours ? -1 : 0;
}

int math_run(const struct run_request *q, const struct run_watch *watch, struct str expression,
             struct math_answer *ret, struct err *err)
{
    struct run_request request = *q;
    AUTO_BUF struct buf program = {0};
    struct err why;

    *ret = (struct math_answer){0};
    buf_init(&ret->text, 1u << 20);
    if (math_check(expression, &why) < 0)
        return buf_adds(&ret->text, why.msg);
    buf_init(&program, MATH_MAX_TEXT + 1000);
    add_program(expression, &program);
    request.program.code = buf_str(&program);
    request.program.file = NULL;
    request.program.language = "python";
    request.policy.no_check = true; /* the expression was checked already */
    request.policy.review = false;
    request.program.prelude_text = (struct str){0};
    request.workspace.value_count = 0;
    request.program.prelude = request.context.path = request.context.invocation =
        request.context.execution_id = NULL;
    request.workspace.data = NULL;
    request.workspace.optimize_data = false;
    return compute(&request, watch, ret, err);
}
