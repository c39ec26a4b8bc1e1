/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the reports of a jail's driver. The candidate can write to the channel, too; only reports
 * from before its start are certainly the driver's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "explain/exception.h"
#include "judge/call.h"
#include "judge/calls_parts.h"

static struct str calls_reports_read_text(struct str json)
{
    const struct value_limits limits = {.nodes = 1};
    struct arena arena = {0};
    struct value v;
    struct err err;
    struct str text = {NULL, 0};

    if (json.n && value_read_json(json, &limits, &arena, &v, &err) == 0 && v.type == VALUE_STR &&
        v.text.n)
        text = (struct str){xstrndup(v.text.p, v.text.n), v.text.n};
    arena_done(&arena);
    return text;
}

/* The case fails; the reason is the kernel's name of the signal, or the process's exit status. */
static void fail_exit(struct case_result *r, int status)
{
    if (WIFSIGNALED(status))
        judge_fail(r, CASE_KILLED, "The process was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else
        judge_fail(r, CASE_EXITED,
                   "The candidate ended the program with status %d before it answered",
                   WEXITSTATUS(status));
}

static void judge_report(struct judge *j, const struct report *report, struct case_result *r)
{
    if (strcmp(report->how, "timeout") == 0)
        judge_fail_timeout(r, judge_timeout_ms(j->q, r->test));
    else if (strcmp(report->how, "lost") == 0)
        judge_fail(r, CASE_KILLED, "The process that holds the candidate was killed");
    else if (strcmp(report->how, "ok") != 0)
        judge_fail(r, CASE_EXITED, "The candidate's message is not a result");
    else if (report->status || !report->payload.n)
        fail_exit(r, report->status);
    else
        verdict_of_value(j->q, report->payload, r);
}

/* The duration may be a claim of the candidate, so it is limited to the range that our own clock
 * permits. On a busy host several reports are read at one time. */
static int64_t duration_us(const struct batch *b, const struct report *report)
{
    const int64_t least = (b->fed_ns - b->begun_ns) / 1000;
    const int64_t most = (b->fed_ns - b->earliest_ns) / 1000;

    return report->us < least ? least : report->us > most ? most : report->us;
}

static void calls_reports_on_case(struct batch *b, const struct report *report)
{
    struct judge *j = b->judge;

    if (report->number >= j->q->cases->n || report->number != b->begun)
        return;
    struct case_result *r = &j->ret->cases[report->number];
    r->duration_us = duration_us(b, report);
    r->out = calls_reports_read_text(report->out);
    r->err = calls_reports_read_text(report->err);
    judge_report(j, report, r);
    if (j->q->coverage)
        coverage_take(j, report->payload, r);
    b->begun = NO_CASE;
    judge_done(j, report->number);
}

/* Fills in *ret, which is no real case, with the reason; its texts are copied to all cases. */
static void judge_load(struct judge *j, const struct report *report, struct case_result *ret)
{
    const struct value_limits limits = {.nodes = PAYLOAD_NODES};
    struct arena arena = {0};
    struct value reported;
    struct err err;

    if (strcmp(report->how, "timeout") == 0)
        judge_fail_timeout(ret, j->q->run.limits.wall_ms);
    else if (strcmp(report->how, "lost") == 0)
        fail_exit(ret, report->status);
    else if (value_read_json(report->payload, &limits, &arena, &reported, &err) < 0 ||
             !verdict_of_failure(j->q, &reported, ret))
        judge_fail(ret, CASE_LOAD, "The candidate's message is not a result");
    if (ret->end != CASE_TIMEOUT && ret->end != CASE_KILLED && ret->end != CASE_EXITED)
        ret->end = CASE_LOAD;
    arena_done(&arena);
}

void calls_fail_rest(struct batch *b, const struct case_result *why)
{
    struct judge *j = b->judge;

    for (size_t i = 0; i < b->n; i++) {
        struct case_result *r = &j->ret->cases[b->numbers[i]];
        if (r->end != CASE_NOT_RUN)
            continue;
        judge_fail(r, why->end, "%s", why->detail);
        r->exception = judge_copy_exception(why->exception);
        judge_done(j, b->numbers[i]);
    }
}

static void keep_output(struct capture *c, struct str json)
{
    struct str text = calls_reports_read_text(json);

    capture_add(c, text.p ? text.p : "", text.n);
    free((void *)(uintptr_t)text.p);
}

/* Fails all cases; without cases, sets the message. Frees what *why holds. */
static void fail_all(struct batch *b, struct case_result *why)
{
    struct judge_result *ret = b->judge->ret;

    b->load_failed = true;
    if (!b->n && !ret->message)
        ret->message = xstrdup(why->detail);
    calls_fail_rest(b, why);
    free(why->detail);
    result_exception_free(why->exception);
}

/* Returns "it ended the program" for a setup instead of "The candidate ended the program"; the
 * caller frees. Takes the text. */
static char *about_setup(char *detail)
{
    const struct str candidate = STR("The candidate ");
    const bool is_about = str_starts(str_from(detail), candidate.p);

    AUTO_FREE char *given = detail;
    return is_about ? xasprintf("it %s", given + candidate.n) : xstrdup(given);
}

/* The setup belongs to the test: its failure is no verdict on the candidate. */
static void on_setup(struct batch *b, const struct report *report)
{
    struct judge *j = b->judge;
    struct case_result why = {0};

    if (!j->q->setup.p || b->prepared || b->load_failed)
        return;
    judge_load(j, report, &why);
    AUTO_FREE char *detail = about_setup(mem_take(&why.detail));
    judge_fail(&why, CASE_OURS, "The setup failed: %s", detail);
    if (why.exception && why.exception->line)
        judge_fail(&why, CASE_OURS, "The setup failed: %s (line %" PRId64 ")", detail,
                   why.exception->line);
    result_exception_free(why.exception); /* its lines are not the candidate's */
    why.exception = NULL;
    judge_doubt(j, why.detail);
    j->stop = true;
    fail_all(b, &why);
}

/* Reads {} or {"func": "name"}. The name may be any string. */
static bool read_loaded(struct judge *j, const struct report *report)
{
    const struct value_limits limits = {.nodes = 10};
    struct arena arena = {0};
    struct value reported;
    struct err err;
    bool loaded = strcmp(report->how, "ok") == 0 &&
                  value_read_json(report->payload, &limits, &arena, &reported, &err) == 0 &&
                  reported.type == VALUE_OBJECT && !value_get(&reported, "raised") &&
                  !value_get(&reported, "refused");
    const struct value *func = loaded ? value_get(&reported, "func") : NULL;

    if (func && func->type == VALUE_STR && !j->func && call_is_name(func->text))
        j->func = xstrndup(func->text.p, func->text.n);
    arena_done(&arena);
    j->loaded = loaded;
    return loaded;
}

/* Each jail loads the candidate. Only the output of the first loading is kept. */
static void on_load(struct batch *b, const struct report *report)
{
    struct judge *j = b->judge;

    if (!j->ret->run.out.total && !j->ret->run.err.total) {
        keep_output(&j->ret->run.out, report->out);
        keep_output(&j->ret->run.err, report->err);
    }
    b->loaded = read_loaded(j, report);
    if (b->loaded || b->load_failed)
        return;
    struct case_result why = {0};
    judge_load(j, report, &why);
    if (!j->ret->run.exception)
        j->ret->run.exception = judge_copy_exception(why.exception);
    fail_all(b, &why);
}

size_t calls_first_pending(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->judge->ret->cases[b->numbers[i]].end == CASE_NOT_RUN)
            return b->numbers[i];
    return NO_CASE;
}

static bool is_pending(const struct batch *b, size_t number)
{
    return number != NO_CASE && calls_first_pending(b) == number;
}

/* The driver executes the cases in order; a report out of order is not from the driver. */
void calls_report(void *ctx, const struct report *report)
{
    struct batch *b = ctx;

    switch (report->kind) {
    case REPORT_READY:
        b->ready = true;
        b->prepared = !b->judge->q->setup.p;
        break;
    case REPORT_PREPARED:
        b->prepared = true;
        break;
    case REPORT_SETUP:
        on_setup(b, report);
        break;
    case REPORT_LOAD:
        on_load(b, report);
        break;
    case REPORT_BEGIN:
        if (is_pending(b, report->number)) {
            b->begun = report->number;
            b->begun_ns = b->fed_ns;
            b->earliest_ns = b->before_ns;
        }
        break;
    case REPORT_CASE:
        calls_reports_on_case(b, report);
        break;
    case REPORT_END:
        b->ended = true;
        break;
    }
}
