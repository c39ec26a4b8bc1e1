/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases that are calls: many of them in one jail. When a jail ends before all cases were reported,
 * the current case is at fault, and the rest continues in another jail; so each jail settles at
 * least one case.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "judge/calls_parts.h"
#include "judge/driver.h"
#include "languages/guests.h"
#include "run/check.h"

#define SETUP_NAME "_glovebox_setup.py"

enum {
    REQUEST_MAX = 512 << 20,
    FOREVER_MS = 1000000000,
    GRACE_MS = 3000,  /* for killing a case that does not end */
    START_MS = 10000, /* for the start of the interpreter */
    HELPERS = 3,      /* our own processes beside the candidate's */
    /* The parts of a container's output do not arrive together. Output that we read this soon after
     * other output counts as having arrived with it. */
    TOGETHER_NS = 1000000,
};

struct calls {
    struct judge *judge;
    const struct language *python;
    bool wants_call; /* some case needs the function */
};

/* ---- the request for the driver ---- */

static const struct driver driver = {
    (const char *const[]){guest_judge_codec_py, guest_packages_py, guest_judge_driver_py, NULL},
    guest_judge_magic,
    guest_judge_code,
    &guest_judge_code_size,
    (const char *const[]){"-S", "-s", "-c", "{boot}", "{file}", NULL},
};

/* JSON on one line: a line end outside of strings is white space. */
static void add_json(struct buf *b, const char *key, struct str json)
{
    if (!json.p)
        return;
    (void)buf_addf(b, ",\"%s\":", key);
    size_t from = b->n;
    (void)buf_add_str(b, json);
    for (size_t i = from; i < b->n; i++)
        if (b->p[i] == '\n' || b->p[i] == '\r')
            b->p[i] = ' ';
}

static void add_case(struct buf *b, const struct judge_request *q, size_t number)
{
    const struct test_case *c = &q->cases->at[number];
    int64_t ms = judge_timeout_ms(q, c);

    (void)buf_addf(b, "%zu %" PRId64 " {\"n\":0", number, ms ? ms : FOREVER_MS);
    add_json(b, "args", c->args);
    add_json(b, "kwargs", c->kwargs);
    add_json(b, "call", c->call);
    (void)buf_addf(b, "%s%s%s}\n", c->expected_type.n ? ",\"types\":1" : "",
                   c->expected_repr.p ? ",\"repr\":1" : "", c->call.p ? ",\"str\":1" : "");
}

static int add_header(struct buf *b, const struct calls *calls, bool calls_function)
{
    const struct judge_request *q = calls->judge->q;
    const char *func = q->func ? q->func : q->cases->func;
    int64_t ms = q->run.limits.wall_ms ? q->run.limits.wall_ms : FOREVER_MS;
    json_t *header =
        json_pack("{s:s?, s:s?, s:b, s:b, s:i, s:i, s:I}", "func", func, "setup",
                  q->setup.p ? SETUP_NAME : NULL, "calls", calls_function, "coverage", q->coverage,
                  "room", ROOM, "budget", BUDGET, "load_ms", (json_int_t)ms);
    AUTO_FREE char *text = header ? json_dumps(header, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

    json_decref(header);
    return text ? buf_addf(b, "%s\n", text) : -1;
}

static int make_request(const struct calls *calls, const struct batch *batch, struct buf *b,
                        struct err *err)
{
    driver_add(b, &driver, &calls->judge->q->run);
    if (add_header(b, calls, calls->wants_call) < 0)
        return err_set(err, ERR_USAGE, "--func: not a valid Python name");
    for (size_t i = 0; i < batch->n; i++)
        add_case(b, calls->judge->q, batch->numbers[i]);
    return b->overflow ? err_set(err, ERR_USAGE, "the cases are too large") : 0;
}

/* ---- one jail ---- */

static void calls_on_event(void *ctx, const struct run_event *event)
{
    struct batch *b = ctx;

    judge_pass_preparing(b->judge, event);
    if (event->kind != RUN_OUTPUT || event->stream != 1)
        return;
    int64_t now = clock_mono_ns();
    if (now - b->fed_ns > TOGETHER_NS)
        b->before_ns = b->fed_ns;
    b->fed_ns = now;
    channel_feed(&b->channel, event->text);
}

static int64_t wall_ms(const struct judge *j, const struct batch *b)
{
    int64_t sum = START_MS + 2 * (j->q->run.limits.wall_ms ? j->q->run.limits.wall_ms : FOREVER_MS);

    for (size_t i = 0; i < b->n; i++) {
        int64_t ms = judge_timeout_ms(j->q, &j->q->cases->at[b->numbers[i]]);
        sum += ms ? ms + GRACE_MS : FOREVER_MS;
    }
    return sum < FOREVER_MS ? sum : 0;
}

static void run_jail(struct calls *calls, struct batch *b, int request_fd, struct result *ret)
{
    struct judge *j = calls->judge;
    struct run_request q = j->q->run;
    struct only_language started;
    const struct named_bytes setup = {.name = str_from(SETUP_NAME), .bytes = j->q->setup};
    struct run_watch watch = {.event = calls_on_event, .ctx = b, .cancel_fd = j->watch->cancel_fd};

    driver_start_with(&started, calls->python, &driver, &q);
    q.program.args = NULL;
    q.workspace.inputs = &setup;
    q.workspace.input_count = j->q->setup.p != NULL;
    q.program.stdin_fd = request_fd;
    q.limits.wall_ms = wall_ms(j, b);
    q.limits.pids = q.limits.pids ? q.limits.pids + HELPERS : 0;
    q.output_limit = CHANNEL;
    q.policy.no_check |= j->has_run;
    q.policy.review &= !j->approved;
    result_init(ret, CHANNEL);
    run_program(&q, &watch, ret);
    ret->limits = j->q->run.limits; /* the candidate's limits; the driver had higher ones */
}

/* The jail ended before any code of the candidate could run, so there is no verdict. */
static void report_batch_failure(struct batch *b, const struct result *run)
{
    struct case_result why = {0};

    judge_fail_run(&why, run);
    AUTO_FREE char *detail = why.detail;
    why.detail = NULL;
    judge_fail(&why, CASE_OURS, "%s before the candidate: %s",
               b->ready ? "The setup did not end" : "The judge's driver ended", detail);
    judge_doubt(b->judge, why.detail);
    b->judge->stop = true;
    calls_fail_rest(b, &why);
    free(why.detail);
}

/* The jail ended too early: finds the case that is at fault. */
static void blame(struct batch *b, const struct result *run)
{
    struct judge *j = b->judge;
    size_t number = b->begun != NO_CASE ? b->begun : calls_first_pending(b);

    if (number == NO_CASE || b->load_failed)
        return;
    struct case_result *r = &j->ret->cases[number];
    judge_fail_run(r, run);
    if (!b->loaded) {
        struct case_result why = *r;
        why.detail = xstrdup(r->detail);
        judge_done(j, number);
        calls_fail_rest(b, &why);
        free(why.detail);
        return;
    }
    judge_done(j, number);
}

static void calls_refuse(struct batch *b, const struct result *run)
{
    char line[700];
    struct case_result why = {.end = CASE_REFUSED};

    why.detail = (char *)(uintptr_t)result_summary(run, line, sizeof line);
    calls_fail_rest(b, &why);
}

static void calls_settle(struct batch *b, struct result *run, size_t before)
{
    struct judge *j = b->judge;

    if (result_refused(run))
        calls_refuse(b, run);
    else if (run->error.kind || run->cancelled)
        j->stop = true;
    else if (!b->prepared && !b->load_failed)
        report_batch_failure(b, run);
    else if (!b->ended || calls_first_pending(b) == before)
        blame(b, run);
    /* The driver's own output is not the candidate's, and the driver's end is not a failure of the
     * candidate. */
    judge_add_run(j, run);
}

static void run_batch(struct calls *calls, const size_t *numbers, size_t n)
{
    struct judge *j = calls->judge;
    struct batch b = {
        .judge = j, .numbers = numbers, .n = n, .begun = NO_CASE, .fed_ns = clock_mono_ns()};
    AUTO_BUF struct buf request = {0};
    AUTO_CLOSE int fd = -1;
    struct result run;

    buf_init(&request, REQUEST_MAX);
    if (make_request(calls, &b, &request, &j->ret->run.error) < 0 ||
        (fd = fd_memory("cases", request.p, request.n, &j->ret->run.error)) < 0) {
        j->stop = true;
        return;
    }
    channel_init(&b.channel, ROOM + (2 << 20));
    b.channel.report = calls_report;
    b.channel.ctx = &b;
    size_t before = calls_first_pending(&b);
    run_jail(calls, &b, fd, &run);
    calls_settle(&b, &run, before);
    channel_done(&b.channel);
}

/* ---- all jails ---- */

/* Finds the language as for a run: with a profile for Python, text without signs of a language is
 * Python. */
static int find_language(const struct run_request *q, const struct language **ret, struct err *err)
{
    struct policy *policy = q->policy.no_check ? NULL : check_open_policy(q, err);
    struct examination e;

    examine_init(&e, q, policy);
    e.runs = true;
    int result = policy || q->policy.no_check ? examine_language(&e, err) : -1;
    *ret = e.language;
    examine_done(&e);
    policy_free(policy);
    return result;
}

static int calls_prepare(struct calls *calls, struct err *err)
{
    const struct run_request *q = &calls->judge->q->run;
    const struct language *language;

    if (find_language(q, &language, err) < 0)
        return -1;
    if (!language->traits->has_calls)
        return err_set(err, ERR_USAGE,
                       "calls can be made of Python functions only; cases for a program in %s have "
                       "\"stdin\" and "
                       "\"expected_stdout\"",
                       language->name);
    calls->python = language;
    return 0;
}

static size_t list_pending(const struct judge *j, size_t *numbers)
{
    size_t n = 0;

    for (size_t i = 0; i < j->q->cases->n; i++)
        if (!j->q->cases->at[i].is_program && j->ret->cases[i].end == CASE_NOT_RUN)
            numbers[n++] = i;
    return n;
}

void calls_judge(struct judge *j)
{
    struct calls calls = {.judge = j, .wants_call = case_file_needs_function(j->q->cases)};
    AUTO_FREE size_t *numbers = xcalloc(j->q->cases->n + 1, sizeof *numbers);
    size_t n = list_pending(j, numbers);

    if (!n || j->stop)
        return;
    if (calls_prepare(&calls, &j->ret->run.error) < 0) {
        j->stop = true;
        return;
    }
    while (n && !j->stop) {
        run_batch(&calls, numbers, j->q->isolate ? 1 : n);
        n = list_pending(j, numbers);
    }
}

void calls_load(struct judge *j)
{
    struct calls calls = {.judge = j};

    if (calls_prepare(&calls, &j->ret->run.error) < 0)
        return;
    run_batch(&calls, NULL, 0);
}
