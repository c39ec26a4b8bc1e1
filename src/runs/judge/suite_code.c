/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests that are code, as HumanEval and MBPP have them. They contain the expected values, so they
 * have to run inside. But the candidate must not be in the same process: it could read them, patch
 * the functions that they use, or exit with success. There are two sandboxes: one has the test code
 * and reports the result of each test, the other has the candidate. Calls and values go in both
 * directions as lines of JSON (src/wall/guests/suite_link.py), which we carry.
 *
 * So a candidate can return a wrong value and no more. The price: arguments are copies (changes
 * made to lists, dicts and sets that were passed directly are copied back), and objects of the
 * candidate's own classes are remote objects. Their operators work with each other and see no value
 * of the test (src/wall/guests/suite_remote.py).
 *
 * A test that fails is the candidate's failure. If the test code cannot run, or ends without a
 * verdict while the candidate still answers, the candidate has not failed: the task has an error,
 * and no score.
 *
 * A session belongs to a thread: this thread runs the test code, another one the candidate.
 */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "judge/parts.h"
#include "judge/suite.h"
#include "judge/suite_side.h"
#include "run/record.h"

enum {
    ANSWERED_MUCH = 64 << 10,
    LINE_MAX_ROOM = 3 * ROOM, /* of one message */
    NAMES_MAX = 64 << 10,
};

struct link {
    const struct suite_task *task;
    struct suite_result *ret;
    struct suite_side tests, candidate;
    int stop[2];     /* readable: the candidate is not needed any more */
    struct buf line; /* a line of the test side, as far as it has arrived */
    bool *reported;  /* for each test */
    size_t reported_count;
    enum judged outcome; /* of the first test that failed */
    json_t *unsure;      /* numbers of tests whose failure may be caused by the link */
    char *fault;     /* a fault of the test code or of ours, so that there is no verdict; or NULL */
    bool has_asked;  /* the tests sent the candidate a request other than for names */
    size_t answered; /* bytes that the candidate has sent; its thread's until both have ended */
    bool has_used;   /* the test side reports that the tests used the candidate or values of it */
    int64_t timeout_ms; /* 0: no limit */
};

/* ---- transfer ---- */

static char *numbered(const char *text, size_t number)
{
    return xasprintf("test %zu: %s", number + 1, text ? text : "");
}

static void take_test(struct link *link, json_t *said)
{
    struct suite_result *r = link->ret;
    json_int_t number = json_integer_value(json_object_get(said, "test"));
    const json_t *detail = json_object_get(said, "detail");
    const char *text = json_string_value(detail);

    if (!detail || number < 0 || (size_t)number >= link->task->test_count || link->reported[number])
        return;
    link->reported[number] = true;
    link->reported_count++;
    r->passed += json_is_null(detail);
    link->has_used |= json_is_true(json_object_get(said, "used"));
    if (json_is_false(json_object_get(said, "sure")))
        json_array_append_new(link->unsure, json_integer(number));
    if (json_is_true(json_object_get(said, "fault")) && !link->fault)
        link->fault = numbered(text, (size_t)number);
    if (json_is_null(detail) || r->detail)
        return;
    r->detail = numbered(text, (size_t)number);
    (void)judged_from(json_string_value(json_object_get(said, "outcome")), &link->outcome);
}

/* Returns "f,Pair", or NULL for no names. */
static char *joined(const json_t *names)
{
    AUTO_BUF struct buf b = {0};
    const json_t *name;
    size_t i;

    buf_init(&b, NAMES_MAX);
    json_array_foreach(names, i, name)(void)
        buf_addf(&b, "%s%s", i ? "," : "", json_string_value(name));
    return b.n ? buf_take(&b) : NULL;
}

/* Reads {"names": ["f", "close"], "deciders": ["close"]}. */
static void take_names(struct link *link, const json_t *said)
{
    AUTO_FREE char *deciders = joined(json_object_get(said, "deciders"));
    struct suite_result *r = link->ret;

    free(r->borrowed);
    r->borrowed = joined(json_object_get(said, "names"));
    if (deciders && !r->doubt)
        r->doubt = xasprintf("a name that only the candidate defines decides: %s", deciders);
}

/* Reads {"test": 0, "us": 12, "detail": null, "outcome": null, "fault": false, "sure": true,
 * "used": true}. */
static void take_verdict(struct link *link, struct str line)
{
    json_t *said = json_loadb(line.p, line.n, 0, NULL);

    if (json_object_get(said, "names"))
        take_names(link, said);
    else
        take_test(link, said);
    json_decref(said);
}

static void suite_code_ask(struct link *link, const struct buf *b)
{
    static const char name[] = "{\"op\":\"name\"";

    link->has_asked |= b->n < sizeof name - 1 || memcmp(b->p, name, sizeof name - 1) != 0;
    suite_side_give(&link->candidate, b->p, b->n);
}

static void suite_code_take_line(struct link *link)
{
    struct buf *b = &link->line;

    if (b->n && b->p[0] == '=')
        take_verdict(link, (struct str){b->p + 1, b->n - 1});
    else
        suite_code_ask(link, b);
    buf_clear(b);
}

static void from_tests(struct link *link, struct str text)
{
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) + 1 : text.n;
        if (buf_add(&link->line, text.p, n) < 0 && !link->fault)
            link->fault =
                xasprintf("a message of the test code has more than %d MiB", LINE_MAX_ROOM >> 20);
        if (end)
            suite_code_take_line(link);
        text = str_slice(text, n, text.n);
    }
}

static void on_tests(void *ctx, const struct run_event *event)
{
    if (event->kind == RUN_OUTPUT && event->stream == 1)
        from_tests(ctx, event->text);
}

static void on_candidate(void *ctx, const struct run_event *event)
{
    struct link *link = ctx;

    if (event->kind == RUN_OUTPUT && event->stream == 1) {
        link->answered += event->text.n;
        suite_side_give(&link->tests, event->text.p, event->text.n);
    }
}

/* ---- the two sandboxes ---- */

static void *run_candidate(void *ctx)
{
    struct link *link = ctx;

    suite_side_run(&link->candidate, on_candidate, link);
    fd_close(&link->tests.in[1]);
    return NULL;
}

/* ---- the result ---- */

/* True if the tests ran out of time or memory for which the candidate is responsible: its values
 * decide what the tests do with them, and range(10**9) is short to send. Before the first request,
 * a candidate sends a few lines only. */
static bool ran_out(const struct link *link)
{
    const struct result *tests = &link->tests.result;

    return tests->timed_out ||
           (tests->oom_killed && (link->has_asked || link->answered > ANSWERED_MUCH));
}

/* Returns why there is no verdict, or NULL. If the candidate's process is dead or at its limits,
 * the tests received an error and failed, which is a verdict. If the test side ends without a
 * verdict, that is a fault of the test side, unless it ran out of time, or of memory after it had
 * requested something from the candidate. */
static char *no_verdict(const struct link *link)
{
    const struct result *tests = &link->tests.result, *candidate = &link->candidate.result;
    char line[700];

    if (result_refused(candidate))
        return NULL;
    if (link->fault)
        return xstrdup(link->fault);
    if (candidate->error.kind || tests->error.kind)
        return xstrdup(candidate->error.kind ? candidate->error.msg : tests->error.msg);
    if (link->reported_count == link->task->test_count || ran_out(link))
        return NULL;
    result_summary(tests, line, sizeof line);
    return xasprintf("the test code ended early%s%s", *line ? ": " : "", line);
}

/* The end of a process says more than the error that the tests received because of it. */
static enum judged link_judged(const struct link *link)
{
    const struct result *tests = &link->tests.result, *candidate = &link->candidate.result;

    if (link->ret->error)
        return JUDGED_OURS;
    if (link->ret->all_passed)
        return JUDGED_PASSED;
    if (result_refused(candidate))
        return JUDGED_REFUSED;
    if (candidate->oom_killed || (tests->oom_killed && ran_out(link)))
        return JUDGED_MEMORY;
    if (candidate->timed_out || tests->timed_out || candidate->limits_hit & LIMIT_CPU)
        return JUDGED_TIMEOUT;
    return link->outcome;
}

/* The candidate's two streams are one here. */
static void keep_printed(struct link *link)
{
    const struct capture *printed = &link->candidate.result.err;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, printed->limit + KEPT);
    (void)capture_text(printed, &b);
    suite_result_print(link->ret, buf_str(&b), (struct str){NULL, 0});
}

static void add_up(struct link *link)
{
    struct suite_result *r = link->ret;
    const struct result *candidate = &link->candidate.result;
    char line[700];

    r->score = r->total ? (double)r->passed / (double)r->total : 0;
    r->all_passed = r->total && r->passed == r->total;
    if (r->all_passed) {
        r->detail = xstrdup("OK");
        return;
    }
    result_summary(candidate, line, sizeof line);
    if (*line && !candidate->cancelled) {
        free(r->detail);
        r->detail = xstrdup(line);
    } else if (!r->detail) {
        result_summary(&link->tests.result, line, sizeof line);
        r->detail = xstrdup(*line ? line : "no tests");
    }
}

/* Runs the tests without the link: a failure there confirms the failure. */
static void try_again(struct link *link, const struct judge_request *q)
{
    struct suite_result *r = link->ret;

    if (r->error || r->cancelled || result_refused(&link->candidate.result) ||
        !json_array_size(link->unsure))
        return;
    AUTO_FREE char *why = suite_again(q, link->task, link->unsure, link->timeout_ms,
                                      link->tests.cancel_fd, &r->cancelled);
    if (why)
        r->error =
            xasprintf("%s; the first failure was %s", why, r->detail ? r->detail : "another");
}

static void suite_code_settle(struct link *link, const struct judge_request *q)
{
    struct suite_result *r = link->ret;
    layer_mask held = link->tests.result.outcome.held & link->candidate.result.outcome.held;

    r->total = link->task->test_count;
    r->cancelled = link->tests.result.cancelled;
    r->error = no_verdict(link);
    try_again(link, q);
    r->counted = !r->error || link->has_used;
    r->trustworthy =
        !r->error && !r->doubt && (result_refused(&link->candidate.result) || judge_walls(held));
    if (!r->error)
        add_up(link);
    r->outcome = link_judged(link);
    keep_printed(link);
}

static int run_both(struct link *link, const struct judge_request *q, struct err *err)
{
    pthread_t thread;

    link->candidate.cancel_fd = link->stop[0];
    int failed = pthread_create(&thread, NULL, run_candidate, link);
    if (failed) {
        errno = failed;
        return err_sys(err, "start a thread");
    }
    suite_side_run(&link->tests, on_tests, link);
    (void)!write(link->stop[1], "", 1);
    pthread_join(thread, NULL);
    suite_code_settle(link, q);
    return 0;
}

/* The log gets the result of the tests: we cause the end of the candidate's process. */
static void set_outcome(struct link *link)
{
    const struct suite_result *r = link->ret;
    struct result *run = &link->candidate.result;

    run->cancelled = r->cancelled;
    run->judged = true;
    run->tests = r->total;
    run->tests_passed = r->passed;
    run->success = r->all_passed;
    run->exit_code = !r->all_passed;
    run->signal = 0;
}

static int run_link(struct link *link, const struct judge_request *q, int cancel_fd,
                    struct err *err)
{
    AUTO_FREE char *document = suite_test_document(link->task, link->timeout_ms, NULL);

    if (!document)
        return err_set(err, ERR_USAGE, "the test code must be a string");
    if (fd_pipe(link->stop, err) < 0 ||
        suite_side_init(&link->tests, q, link->timeout_ms, &suite_test_program, err) < 0 ||
        suite_side_init(&link->candidate, q, link->timeout_ms, &suite_candidate_program, err) < 0)
        return -1;
    suite_side_seclude(&link->tests, &q->run, document);
    link->tests.cancel_fd = cancel_fd;
    return run_both(link, q, err);
}

static void done_link(struct link *link)
{
    fd_close(&link->stop[0]);
    fd_close(&link->stop[1]);
    suite_side_done(&link->tests);
    suite_side_done(&link->candidate);
    buf_done(&link->line);
    json_decref(link->unsure);
    free(link->reported);
    free(link->fault);
}

void suite_code_run(const struct judge_request *request, const struct suite_task *task,
                    int cancel_fd, struct suite_result *ret)
{
    int64_t ms = task->timeout_ms ? task->timeout_ms : request->run.limits.wall_ms;
    struct link link = {
        .task = task, .ret = ret, .stop = {-1, -1}, .timeout_ms = ms, .outcome = JUDGED_WRONG};
    struct recorder recorder = {0};
    struct err err = {0};

    record_open(&recorder, &request->run);
    link.tests.in[0] = link.tests.in[1] = link.candidate.in[0] = link.candidate.in[1] = -1;
    link.unsure = json_array();
    link.reported = xcalloc(task->test_count + 1, sizeof *link.reported);
    buf_init(&link.line, LINE_MAX_ROOM);
    result_init(&link.tests.result, 0);
    result_init(&link.candidate.result, 0);
    if (run_link(&link, request, cancel_fd, &err) < 0) {
        ret->error = xstrdup(err.msg);
        ret->outcome = JUDGED_OURS;
    }
    set_outcome(&link);
    judge_record(&recorder, &request->run, &link.candidate.result, ret->error);
    done_link(&link);
}
