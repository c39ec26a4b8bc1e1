/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases that are whole programs, in any language: one jail each, and one more for the checker. What
 * is expected reaches the checker, which is the user's own program, and never the candidate.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "judge/parts.h"

enum { OUTPUT_MAX = 64 << 20 };

struct program {
    struct judge *judge;
    const struct test_case *test;
    struct case_result *r;
    struct buf out;
    bool whole; /* nothing of it was left out */
};

/* Its beginning. */
static struct str copy_text(const struct capture *c)
{
    size_t n = c->head.n < KEPT ? c->head.n : KEPT;

    return (struct str){n ? xstrndup(c->head.p, n) : NULL, n};
}

static void on_event(void *ctx, const struct run_event *event)
{
    struct program *p = ctx;

    if (event->kind == RUN_OUTPUT && event->stream == 1 && buf_add_str(&p->out, event->text) < 0)
        p->whole = false;
}

static int run_with_input(const struct program *p, const struct run_request *q, struct str in,
                          const struct run_watch *watch, struct result *ret)
{
    struct run_request request = *q;
    AUTO_CLOSE int fd = fd_memory("stdin", in.p, in.n, &ret->error);

    if (fd < 0)
        return -1;
    request.stdin_fd = fd;
    request.limits.wall_ms = judge_timeout_ms(p->judge->q, p->test);
    session_run(&request, watch, ret);
    return 0;
}

/* ---- the checker ---- */

static void take_first_line(const struct capture *c, struct buf *ret)
{
    struct str text = copy_text(c), rest = text, line;

    if (str_next_line(&rest, &line)) {
        struct value v = {.type = VALUE_STR, .text = line};
        value_show(&v, SHOWN, ret);
    }
    free((void *)(uintptr_t)text.p);
}

static void read_checker(struct program *p, const struct result *run)
{
    AUTO_BUF struct buf said = {0};
    char line[700];

    buf_init(&said, 8 * SHOWN);
    take_first_line(&run->out, &said);
    if (!said.n)
        take_first_line(&run->err, &said);
    p->r->passed = run->success;
    result_summary(run, &p->judge->q->run.limits, line, sizeof line);
    if (run->success)
        p->r->detail = xstrdup("OK");
    else if (*line)
        p->r->detail = xasprintf("the checker: %s", line);
    else if (said.n)
        p->r->detail = buf_take(&said);
    else
        p->r->detail = xasprintf("the checker ended with status %d", run->exit_code);
}

static void ask_checker(struct program *p)
{
    static char in[] = "input.txt", out[] = "output.txt", expected[] = "expected.txt";
    static char *const args[] = {in, out, expected, NULL};
    const struct judge_request *q = p->judge->q;
    const struct run_input inputs[] = {{str_from(in), p->test->in},
                                       {str_from(out), buf_str(&p->out)},
                                       {str_from(expected), p->test->expected_out}};
    struct run_watch watch = {.cancel_fd = p->judge->watch->cancel_fd};
    struct run_request checker = q->run;
    struct result run;

    checker.code = q->checker;
    checker.file = q->checker_file;
    checker.language = NULL;
    checker.args = args;
    checker.files = NULL;
    checker.inputs = inputs;
    checker.input_count = ARRAY_LEN(inputs);
    checker.no_check = true;
    checker.prelude = NULL;
    result_init(&run, checker.output_limit);
    if (run_with_input(p, &checker, STR(""), &watch, &run) == 0)
        read_checker(p, &run);
    judge_add_run(p->judge, &run);
}

/* ---- a case ---- */

static void compare(struct program *p)
{
    const struct judge_request *q = p->judge->q;
    struct output_wanted wanted = {
        .text = p->test->expected_out,
        .compare = p->test->compare ? p->test->compare : q->compare,
        .tolerance = &p->test->tolerance,
    };

    p->r->passed = output_matches(&wanted, buf_str(&p->out), &p->r->detail);
    if (p->r->passed)
        p->r->detail = xstrdup("OK");
}

static void fail_exit(struct program *p, struct result *run)
{
    p->r->exception = run->exception;
    run->exception = NULL;
    if (run->signal || run->timed_out || run->oom_killed || run->limits_hit)
        judge_fail_run(p->r, run, &p->judge->q->run.limits);
    else if (p->r->exception)
        judge_fail(p->r, CASE_RAISED, "%s: %.*s", p->r->exception->type, 4 * SHOWN,
                   p->r->exception->message);
    else
        judge_fail(p->r, CASE_EXITED, "The program ended with status %d", run->exit_code);
}

static void judge_output(struct program *p, struct result *run)
{
    p->r->end = CASE_ENDED;
    if (run->timed_out)
        judge_fail_timeout(p->r, judge_timeout_ms(p->judge->q, p->test));
    else if (!run->success)
        fail_exit(p, run);
    else if (!p->whole)
        judge_fail(p->r, CASE_UNTOLD, "The output is larger than %d MiB", OUTPUT_MAX >> 20);
    else if (p->judge->q->checker.p)
        ask_checker(p);
    else
        compare(p);
}

static void show_output(struct program *p, const struct result *run)
{
    struct str out = buf_str(&p->out);

    p->r->output = xstrndup(out.p, out.n < KEPT ? out.n : KEPT);
    p->r->out = copy_text(&run->out);
    p->r->err = copy_text(&run->err);
    p->r->duration_us = run->duration_ms * 1000;
}

static void refuse(struct program *p, const struct result *run)
{
    char line[700];

    judge_fail(p->r, CASE_REFUSED, "%s",
               result_summary(run, &p->judge->q->run.limits, line, sizeof line));
}

static void settle(struct program *p, size_t number, struct result *run)
{
    struct judge *j = p->judge;

    if (run->error.kind || run->cancelled) {
        j->stop = true;
    } else {
        show_output(p, run);
        if (result_refused(run))
            refuse(p, run);
        else
            judge_output(p, run);
        judge_done(j, number);
    }
    judge_add_run(j, run);
}

static void judge_program(struct judge *j, size_t number)
{
    struct program p = {
        .judge = j, .test = &j->q->cases->at[number], .r = &j->ret->cases[number], .whole = true};
    struct run_watch watch = {.event = on_event, .ctx = &p, .cancel_fd = j->watch->cancel_fd};
    struct run_request q = j->q->run;
    struct result run;

    q.args = p.test->argv;
    buf_init(&p.out, OUTPUT_MAX);
    result_init(&run, OUTPUT_MAX);
    (void)run_with_input(&p, &q, p.test->in, &watch, &run);
    settle(&p, number, &run);
    buf_done(&p.out);
}

void programs_judge(struct judge *j)
{
    for (size_t i = 0; i < j->q->cases->n && !j->stop; i++)
        if (j->q->cases->at[i].is_program)
            judge_program(j, i);
}
