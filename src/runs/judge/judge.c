/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explain/exception.h"
#include "explain/feedback.h"
#include "judge/call.h"
#include "judge/parts.h"
#include "run/record.h"
#include "syntax/literal.h"

/* ---- shared by the kinds of cases ---- */

void judge_fail(struct case_result *r, enum case_end end, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    free(r->detail);
    r->detail = xvasprintf(fmt, ap);
    va_end(ap);
    r->end = end;
    r->passed = false;
}

void judge_fail_timeout(struct case_result *r, int64_t ms)
{
    struct value seconds = {.type = VALUE_FLOAT, .real = (double)ms / 1000};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64);
    value_repr(&seconds, 40, &b);
    judge_fail(r, CASE_TIMEOUT, "Timeout after %ss", b.p);
}

struct result_exception *judge_copy_exception(const struct result_exception *e)
{
    if (!e)
        return NULL;
    struct result_exception *copy = xcalloc(1, sizeof *copy);
    *copy = *e;
    copy->type = xstrdup(e->type);
    copy->message = xstrdup(e->message);
    copy->traceback = xstrdup(e->traceback);
    copy->hint = e->hint ? xstrdup(e->hint) : NULL;
    copy->source = e->source ? xstrdup(e->source) : NULL;
    copy->calls = e->calls ? xstrdup(e->calls) : NULL;
    copy->file = e->file ? xstrdup(e->file) : NULL;
    copy->statement = e->statement ? xstrdup(e->statement) : NULL;
    copy->cause = judge_copy_exception(e->cause);
    return copy;
}

int64_t judge_timeout_ms(const struct judge_request *q, const struct test_case *c)
{
    return c->timeout_ms ? c->timeout_ms : q->run.limits.wall_ms;
}

void judge_fail_run(struct case_result *r, const struct result *run)
{
    char line[700];

    result_summary(run, line, sizeof line);
    if (run->timed_out)
        judge_fail(r, CASE_TIMEOUT, "%s", line);
    else if (run->oom_killed)
        judge_fail(r, CASE_MEMORY, "%s", line);
    else if (*line)
        judge_fail(r,
                   run->limits_hit & LIMIT_CPU ? CASE_CPU
                   : run->limits_hit           ? CASE_LIMIT
                                               : CASE_KILLED,
                   "%s", line);
    else
        judge_fail(r, CASE_KILLED, "The candidate killed the process that was testing it");
}

/* Searches the code: a candidate that could not be loaded did not report the function's name. */
static const char *function_of(struct judge *j, const struct test_case *c)
{
    if (!j->func && !j->has_looked && !c->is_program && !c->call.p) {
        j->func = call_only_function(j->q->run.program.code, j->q->run.program.text);
        j->has_looked = true;
    }
    return j->func;
}

void judge_done(struct judge *j, size_t number)
{
    struct judge_result *ret = j->ret;
    struct case_result *r = &ret->cases[number];

    r->call = call_text(r->test, function_of(j, r->test));
    if (!r->expected && r->test->is_program)
        r->expected = xstrndup(r->test->expected_out.p,
                               r->test->expected_out.n < KEPT ? r->test->expected_out.n : KEPT);
    ret->passed += r->passed;
    if (j->watch->done)
        j->watch->done(j->watch->ctx, r, number);
}

static void move_figures(struct result *to, struct result *from)
{
    struct capture out = to->out, err = to->err;
    struct result_exception *exception = to->exception;
    /* The text of the guard's profile about a refusal replaces the output. */
    struct result *words = result_refused(from) ? to : from;

    result_exception_free(words->exception);
    capture_done(&words->out);
    capture_done(&words->err);
    buf_done(&to->notes);
    feedback_done(&to->feedback);
    *to = *from;
    if (words == to)
        return;
    to->out = out;
    to->err = err;
    to->exception = exception;
}

static void add_denied(struct backend_outcome *to, const struct backend_outcome *from)
{
    for (size_t i = 0; i < from->denied_count; i++) {
        size_t k = 0;
        while (k < to->denied_count && strcmp(to->denied[k].name, from->denied[i].name) != 0)
            k++;
        if (k < to->denied_count)
            to->denied[k].count += from->denied[i].count;
        else if (k < JAIL_DENIED_MAX)
            to->denied[to->denied_count++] = from->denied[i];
    }
}

static void add_figures(struct result *to, struct result *from)
{
    to->duration_ms += from->duration_ms;
    to->cpu_ms += from->cpu_ms;
    if (from->memory_peak > to->memory_peak)
        to->memory_peak = from->memory_peak;
    to->limits_hit |= from->limits_hit;
    add_denied(&to->outcome, &from->outcome);
    result_add_network(to, &from->network);
    to->cancelled |= from->cancelled;
    if (from->error.kind)
        to->error = from->error;
    result_done(from);
}

static void note_layers(struct judge *j, const struct result *run)
{
    if (!run->started)
        return;
    j->held = j->has_started ? j->held & run->outcome.held : run->outcome.held;
    j->has_started = true;
}

void judge_add_run(struct judge *j, struct result *run)
{
    note_layers(j, run);
    j->approved |= run->checked && run->verdict.allowed && run->verdict.stage == GUARD_REVIEW;
    if (j->has_run)
        add_figures(&j->ret->run, run);
    else
        move_figures(&j->ret->run, run);
    j->has_run = true;
}

/* ---- the whole run ---- */

enum { LOAD_OUTPUT = 256 << 10 };

static void add_up(struct judge_result *ret)
{
    double all = 0, passed = 0;

    for (size_t i = 0; i < ret->total; i++) {
        struct case_result *r = &ret->cases[i];
        all += r->test->weight;
        passed += r->passed ? r->test->weight : 0;
        if (r->end == CASE_NOT_RUN && !r->detail)
            r->detail = xstrdup("Not run");
    }
    ret->score = all > 0 ? passed / all : 0;
    ret->all_passed = ret->total > 0 && ret->passed == ret->total;
}

static const struct case_result *first_that(const struct judge_result *ret, enum case_end end)
{
    for (size_t i = 0; i < ret->total; i++)
        if (ret->cases[i].end == end)
            return &ret->cases[i];
    return NULL;
}

/* The driver exited normally; here the outcome of the candidate replaces the driver's. */
static void set_outcome(struct judge_result *ret)
{
    struct result *run = &ret->run;
    const struct case_result *raised = first_that(ret, CASE_RAISED);

    if (!ret->total)
        return;
    run->success = ret->all_passed;
    if (run->error.kind || result_refused(run) || run->cancelled)
        return;
    run->exit_code = !ret->all_passed;
    run->signal = 0;
    run->timed_out = first_that(ret, CASE_TIMEOUT) != NULL;
    run->oom_killed = first_that(ret, CASE_MEMORY) != NULL;
    run->limits_hit &= ~(unsigned)(LIMIT_WALL | LIMIT_MEMORY);
    run->limits_hit |= run->timed_out ? LIMIT_WALL : 0;
    run->limits_hit |= run->oom_killed ? LIMIT_MEMORY : 0;
    if (!run->exception && raised)
        run->exception = judge_copy_exception(raised->exception);
}

/* True if the program itself ran without a failure; the tests report wrong answers. */
static bool ran_well(const struct result *run)
{
    return !run->exception && !run->limits_hit && !run->error.kind && !result_refused(run);
}

/* Returns "add(2, 3): Expected 6, got 5"; without the call for the profile `agentos`, whose exact
 * texts are promised. */
static char *detail_for_model(const struct judge_request *q, const struct case_result *r)
{
    bool plain = q->run.policy.profile && strcmp(q->run.policy.profile, "agentos") == 0;

    return r->call && !plain ? xasprintf("%s: %s", r->call, r->detail) : xstrdup(r->detail);
}

static void judge_advise(const struct judge_request *q, struct judge_result *ret)
{
    AUTO_FREE struct feedback_test *tests = xcalloc(ret->total + 1, sizeof *tests);
    const bool success = ret->run.success;
    const struct case_result *late = first_that(ret, CASE_TIMEOUT);
    struct feedback_input input = {.result = &ret->run, .tests = tests, .test_count = ret->total};

    ret->run.limits = q->run.limits;
    if (late)
        ret->run.limits.wall_ms = judge_timeout_ms(q, late->test);
    for (size_t i = 0; i < ret->total; i++)
        /* The author is not shown cases that could not be judged. */
        tests[i] = (struct feedback_test){ret->cases[i].test->name,
                                          ret->cases[i].passed ||
                                              case_error_type(&ret->cases[i]) == ERROR_TYPE_OURS,
                                          detail_for_model(q, &ret->cases[i])};
    ret->run.success |= ran_well(&ret->run) && (ret->total || ret->unjudged);
    feedback_done(&ret->run.feedback);
    feedback_make(&input, &ret->run.feedback);
    ret->feedback_text = feedback_text(&input, &ret->run.feedback);
    ret->run.success = success;
    for (size_t i = 0; i < ret->total; i++)
        free((void *)(uintptr_t)tests[i].detail);
}

/* ---- without cases ---- */

void judge_pass_preparing(const struct judge *j, const struct run_event *event)
{
    if (event->kind == RUN_PREPARING && j->watch->preparing)
        j->watch->preparing(j->watch->ctx, event);
}

static void judge_on_event(void *ctx, const struct run_event *event)
{
    judge_pass_preparing(ctx, event);
}

/* Runs the candidate as `glovebox run` does. */
static void run_alone(struct judge *j)
{
    struct result *run = &j->ret->run;
    struct run_watch watch = {.event = judge_on_event, .ctx = j, .cancel_fd = j->watch->cancel_fd};

    result_done(run);
    result_init(run, j->q->run.output_limit);
    run_program(&j->q->run, &watch, run);
    note_layers(j, run);
    j->loaded = run->success;
}

static char *describe_failure(const struct judge *j)
{
    const struct result *run = &j->ret->run;
    struct case_result words = {0};

    if (run->timed_out)
        judge_fail_timeout(&words, j->q->run.limits.wall_ms);
    else if (run->exception)
        judge_fail(&words, CASE_RAISED, *run->exception->message ? "%s: %.*s" : "%s",
                   run->exception->type, 4 * SHOWN, run->exception->message);
    else if (run->signal || run->limits_hit)
        judge_fail_run(&words, run);
    else
        judge_fail(&words, CASE_EXITED, "The program ended with status %d", run->exit_code);
    return words.detail;
}

static void settle_alone(struct judge *j)
{
    struct judge_result *ret = j->ret;
    struct result *run = &ret->run;

    if (run->error.kind || result_refused(run) || run->cancelled)
        return;
    bool strict = j->loaded && j->q->strict_stderr && run->err.total;
    run->success = j->loaded && !strict;
    if (j->q->setup.p) /* the driver ended, not the candidate */
        run->exit_code = !j->loaded;
    if (ret->message)
        return;
    ret->message = run->success ? xstrdup("Code executed, no tests")
                   : strict     ? xstrdup("The program wrote to standard error")
                                : describe_failure(j);
}

static void judge_alone(struct judge *j)
{
    if (j->q->setup.p)
        calls_load(j);
    else
        run_alone(j);
    settle_alone(j);
}

void judge_run(const struct judge_request *request, const struct judge_watch *watch,
               struct judge_result *ret)
{
    struct judge_request quiet = *request; /* without a log: it gets the final result */
    struct python_text text = {0};         /* the candidate's tree, for all of its runs */
    struct recorder recorder = {0};
    struct judge_beside beside;
    struct judge j = {.q = &quiet, .watch = watch, .ret = ret};
    const char *func = request->func ? request->func : request->cases->func;

    j.func = func && call_is_name(str_from(func)) ? xstrdup(func) : NULL;
    quiet.run.door.log = "off";
    quiet.run.door.sink = NULL;
    quiet.run.program.text = &text;
    judge_beside_find(request, &beside);
    quiet.run.policy.beside = beside.texts;
    quiet.run.policy.beside_count = beside.n;
    *ret = (struct judge_result){.total = request->cases->n};
    result_init(&ret->run, LOAD_OUTPUT);
    result_begin(&ret->run, &request->run.limits, request->run.program.code);
    record_open(&recorder, &request->run);
    ret->cases = xcalloc(ret->total + 1, sizeof *ret->cases);
    for (size_t i = 0; i < ret->total; i++)
        ret->cases[i].test = &request->cases->at[i];
    if (!ret->total)
        judge_alone(&j);
    calls_judge(&j);
    programs_judge(&j);
    add_up(ret);
    set_outcome(ret);
    judge_settle_trust(&j);
    judge_advise(request, ret);
    python_text_done(&text);
    judge_beside_done(&beside);
    free(j.func);
    ret->run.judged = ret->total > 0;
    ret->run.tests = ret->total;
    ret->run.tests_passed = ret->passed;
    judge_record(&recorder, &request->run, &ret->run, ret->unjudged ? ret->doubt : NULL);
}

static void case_result_done(struct case_result *r)
{
    free(r->call);
    free(r->shown);
    free(r->output);
    free(r->expected);
    free(r->detail);
    free(r->hint);
    result_exception_free(r->exception);
    free(r->lines.at);
    free((void *)(uintptr_t)r->out.p);
    free((void *)(uintptr_t)r->err.p);
}

void judge_result_done(struct judge_result *r)
{
    for (size_t i = 0; i < r->total; i++)
        case_result_done(&r->cases[i]);
    free(r->cases);
    free(r->coverage.lines);
    free(r->feedback_text);
    free(r->message);
    free(r->doubt);
    result_done(&r->run);
    *r = (struct judge_result){0};
}

int judge_exit_status(const struct judge_result *r)
{
    if (r->run.error.kind || r->run.cancelled || result_refused(&r->run))
        return result_exit_status(&r->run);
    if (r->unjudged)
        return err_exit_status(ERR_SYSTEM);
    return !(r->total ? r->all_passed : r->run.success);
}
