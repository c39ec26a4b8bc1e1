/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases that are whole programs, in any language: one jail each, and one more for the checker
 * (checker.c). Expected output reaches the checker, which is the user's own program, and never the
 * candidate.
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
    bool whole; /* the output is complete */
    bool checked;
    struct result checker; /* the run of the checker, if `checked` */
};

/* Returns the beginning of the output. */
static struct str programs_copy_text(const struct capture *c)
{
    size_t n = c->head.n < KEPT ? c->head.n : KEPT;

    return (struct str){n ? xstrndup(c->head.p, n) : NULL, n};
}

static void programs_on_event(void *ctx, const struct run_event *event)
{
    struct program *p = ctx;

    judge_pass_preparing(p->judge, event);
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
    request.program.stdin_fd = fd;
    request.policy.review &= !p->judge->approved;
    request.limits.wall_ms = judge_timeout_ms(p->judge->q, p->test);
    run_program(&request, watch, ret);
    return 0;
}

static void ask_checker(struct program *p)
{
    const struct checker_input input = {.in = p->test->in,
                                        .out = buf_str(&p->out),
                                        .expected = p->test->expected_out,
                                        .timeout_ms = judge_timeout_ms(p->judge->q, p->test)};

    p->checked = true;
    checker_judge(p->judge, &input, p->r, &p->checker);
}

/* ---- a case ---- */

static void programs_compare(struct program *p)
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
        judge_fail_run(p->r, run);
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
        programs_compare(p);
}

static void show_output(struct program *p, const struct result *run)
{
    struct str out = buf_str(&p->out);

    p->r->output = xstrndup(out.p, out.n < KEPT ? out.n : KEPT);
    p->r->out = programs_copy_text(&run->out);
    p->r->err = programs_copy_text(&run->err);
    p->r->duration_us = run->duration_ms * 1000;
}

static void programs_refuse(struct program *p, const struct result *run)
{
    char line[700];

    judge_fail(p->r, CASE_REFUSED, "%s", result_summary(run, line, sizeof line));
}

/* Adds the checker's run. Its limits and its exception are not the candidate's. */
static void add_checker(struct program *p)
{
    struct judge *j = p->judge;

    if (!p->checked)
        return;
    j->stop |= p->checker.cancelled;
    p->checker.limits_hit = 0;
    p->checker.error.kind = ERR_NONE;
    judge_add_run(j, &p->checker);
    if (p->r->end == CASE_OURS)
        judge_doubt(j, p->r->detail);
}

static void programs_settle(struct program *p, size_t number, struct result *run)
{
    struct judge *j = p->judge;

    if (run->error.kind || run->cancelled) {
        j->stop = true;
        judge_add_run(j, run);
        return;
    }
    show_output(p, run);
    if (result_refused(run))
        programs_refuse(p, run);
    else
        judge_output(p, run);
    judge_add_run(j, run);
    add_checker(p);
    judge_done(j, number);
}

static void judge_program(struct judge *j, size_t number)
{
    struct program p = {
        .judge = j, .test = &j->q->cases->at[number], .r = &j->ret->cases[number], .whole = true};
    struct run_watch watch = {
        .event = programs_on_event, .ctx = &p, .cancel_fd = j->watch->cancel_fd};
    struct run_request q = j->q->run;
    struct result run;

    q.program.args = p.test->argv;
    buf_init(&p.out, OUTPUT_MAX);
    result_init(&run, OUTPUT_MAX);
    (void)run_with_input(&p, &q, p.test->in, &watch, &run);
    programs_settle(&p, number, &run);
    buf_done(&p.out);
}

void programs_judge(struct judge *j)
{
    for (size_t i = 0; i < j->q->cases->n && !j->stop; i++)
        if (j->q->cases->at[i].is_program)
            judge_program(j, i);
}
