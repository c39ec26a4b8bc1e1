/* SPDX-License-Identifier: Apache-2.0
 *
 * A checker is the user's own program, which judges the output of a candidate. It runs in its own
 * sandbox, after the candidate's sandbox has ended with everything in it. It gets three files and
 * nothing else of the candidate's. Only its exit status and its first line are used.
 *
 * Status 0 accepts the output, and any other status refuses it. A checker that crashes does
 * neither.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/driver.h"
#include "judge/parts.h"

enum {
    CRASHED = 70,      /* the status of the Python runner's --judge after a crash (EX_SOFTWARE) */
    NOT_STARTED = 126, /* from here on, the status comes from a shell or the kernel */
};

struct checker {
    struct run_request request;
    struct only_language language; /* used if we start its interpreter with special arguments */
    bool tells_crash, crash_in_words;
};

/* ---- starting it ---- */

static void choose_language(struct checker *c)
{
    const struct language *found = language_detect(
        c->request.program.languages, c->request.program.file, c->request.program.code);

    c->request.program.language = found->name;
    c->crash_in_words = found->traits->crash_in_words;
    c->tells_crash = found->traits->judge_args && language_has_runner(found);
    if (c->tells_crash)
        only_language_init(&c->language, found, found->traits->judge_args, &c->request);
}

static void checker_prepare(struct checker *c, const struct judge_request *q, int64_t timeout_ms)
{
    c->request = q->run;
    judge_seclude(&c->request);
    c->request.program.code = q->checker;
    c->request.program.file = q->checker_file;
    c->request.limits.wall_ms = timeout_ms;
    choose_language(c);
}

/* ---- its answer ---- */

static bool take_first_line(const struct capture *c, struct buf *ret)
{
    struct str rest = buf_str(&c->head), line;

    if (!str_next_line(&rest, &line))
        return false;
    struct value v = {.type = VALUE_STR, .text = line};
    value_show(&v, SHOWN, ret);
    return ret->n > 0;
}

/* An exception is a crash, unless it is an assertion. In some languages only the text on standard
 * error shows an exception, and a quoted output may look like one: then there is no verdict, and
 * never a wrong acceptance. A shell has no exceptions: any command may have written its standard
 * error. */
static bool raised(const struct checker *c, const struct result *run)
{
    if (c->tells_crash)
        return run->exit_code == CRASHED;
    return run->exception && c->crash_in_words &&
           strncmp(run->exception->type, "AssertionError", 14) != 0;
}

static bool has_crashed(const struct checker *c, const struct result *run)
{
    return run->error.kind || !run->started || run->signal || run->timed_out || run->oom_killed ||
           run->exit_code >= NOT_STARTED || (!run->success && raised(c, run));
}

static void report_crash(const struct result *run, struct case_result *r)
{
    char line[700];

    result_summary(run, line, sizeof line);
    if (run->exception)
        judge_fail(r, CASE_OURS, "the checker failed: %s: %.*s", run->exception->type, SHOWN,
                   run->exception->message);
    else if (*line)
        judge_fail(r, CASE_OURS, "the checker failed: %s", line);
    else
        judge_fail(r, CASE_OURS, "the checker failed with status %d", run->exit_code);
}

static void read_verdict(const struct checker *c, const struct result *run, struct case_result *r)
{
    AUTO_BUF struct buf said = {0};

    if (has_crashed(c, run)) {
        report_crash(run, r);
        return;
    }
    buf_init(&said, 8 * SHOWN);
    r->passed = run->success;
    if (run->success)
        r->detail = xstrdup("OK");
    else if (take_first_line(&run->out, &said) || take_first_line(&run->err, &said))
        r->detail = buf_take(&said);
    else
        r->detail = xasprintf("the checker ended with status %d", run->exit_code);
}

void checker_judge(const struct judge *j, const struct checker_input *input, struct case_result *r,
                   struct result *ret)
{
    static char in[] = "input.txt", out[] = "output.txt", expected[] = "expected.txt";
    static char *const args[] = {in, out, expected, NULL};
    const struct named_bytes inputs[] = {{str_from(in), input->in},
                                         {str_from(out), input->out},
                                         {str_from(expected), input->expected}};
    struct run_watch watch = {.cancel_fd = j->watch->cancel_fd};
    struct checker c = {0};

    checker_prepare(&c, j->q, input->timeout_ms);
    c.request.program.args = args;
    c.request.workspace.inputs = inputs;
    c.request.workspace.input_count = ARRAY_LEN(inputs);
    result_init(ret, c.request.output_limit);
    run_program(&c.request, &watch, ret);
    if (!ret->cancelled)
        read_verdict(&c, ret, r);
}
