/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases that are calls: many of them in one jail. When a jail ends before all were reported, the
 * case that was under way is at fault, and the rest goes on in another; so each jail settles one at
 * least.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "guests/guests.h"
#include "judge/channel.h"
#include "judge/parts.h"
#include "session/check.h"
#include "session/exception.h"

#define SETUP_NAME "_glovebox_setup.py"
#define NO_CASE    SIZE_MAX

enum {
    REQUEST_MAX = 512 << 20,
    FOREVER_MS = 1000000000,
    GRACE_MS = 3000,  /* for ending a case that does not end */
    START_MS = 10000, /* for the interpreter */
    HELPERS = 3,      /* processes of ours beside the candidate's */
};

/* One jail. */
struct batch {
    struct judge *judge;
    const size_t *numbers;
    size_t n;
    size_t begun; /* the case under way, or NO_CASE */
    bool loaded, load_failed, ended;
    struct channel channel;
    const struct run_watch *watch;
};

struct calls {
    struct judge *judge;
    struct language language; /* Python, started with our driver */
    struct language_table table;
    bool wants_call; /* some case needs the function */
};

/* ---- what goes in ---- */

/* Standard input: "MAGIC BYTES BYTES", the driver as bytecode, as text, and its request. */
static const char boot[] = "import marshal\n"
                           "from posix import read\n"
                           "from _frozen_importlib_external import MAGIC_NUMBER\n"
                           "text = b''.join(iter(lambda: read(0, 1 << 20), b''))\n"
                           "head, _, text = text.partition(b'\\n')\n"
                           "magic, code, source = head.split()\n"
                           "code, source = int(code), int(code) + int(source)\n"
                           "REQUEST = text[source:]\n"
                           "if MAGIC_NUMBER.hex() == magic.decode():\n"
                           "    text = marshal.loads(text[:code])\n"
                           "else:\n"
                           "    text = text[code:source].decode()\n"
                           "exec(text)\n";

static void add_driver(struct buf *b)
{
    struct str codec = str_from(guest_judge_codec_py), driver = str_from(guest_judge_driver_py);

    (void)buf_addf(b, "%s %lu %zu\n", guest_judge_magic, guest_judge_code_size, codec.n + driver.n);
    (void)buf_add(b, guest_judge_code, guest_judge_code_size);
    (void)buf_add_str(b, codec);
    (void)buf_add_str(b, driver);
}

/* JSON on one line: outside strings a line end is white space. */
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
    add_driver(b);
    if (add_header(b, calls, calls->wants_call) < 0)
        return err_set(err, ERR_USAGE, "--func: no name that Python has");
    for (size_t i = 0; i < batch->n; i++)
        add_case(b, calls->judge->q, batch->numbers[i]);
    return b->overflow ? err_set(err, ERR_USAGE, "the cases are too large") : 0;
}

/* ---- what comes out ---- */

static struct str read_text(struct str json)
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

/* A name of the kernel's for a signal, or how it exited. */
static void fail_exit(struct case_result *r, int status)
{
    if (WIFSIGNALED(status))
        judge_fail(r, CASE_KILLED, "The process was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else
        judge_fail(r, CASE_EXITED, "The process exited with status %d before the call was over",
                   WEXITSTATUS(status));
}

static void judge_report(struct judge *j, const struct report *report, struct case_result *r)
{
    if (strcmp(report->how, "timeout") == 0)
        judge_fail_timeout(r, judge_timeout_ms(j->q, r->test));
    else if (strcmp(report->how, "lost") == 0)
        judge_fail(r, CASE_KILLED, "The process that holds the candidate was killed");
    else if (strcmp(report->how, "ok") != 0)
        judge_fail(r, CASE_EXITED, "What the candidate sent is no result");
    else if (report->status || !report->payload.n)
        fail_exit(r, report->status);
    else
        verdict_of_value(j->q, report->payload, r);
}

static void on_case(struct batch *b, const struct report *report)
{
    struct judge *j = b->judge;

    if (report->number >= j->q->cases->n || report->number != b->begun)
        return;
    struct case_result *r = &j->ret->cases[report->number];
    r->duration_us = report->us;
    r->out = read_text(report->out);
    r->err = read_text(report->err);
    judge_report(j, report, r);
    if (j->q->coverage)
        coverage_take(j, report->payload, r);
    b->begun = NO_CASE;
    judge_done(j, report->number);
}

/* The reason, in a case that was never made; its texts go to all. */
static void judge_load(struct judge *j, const struct report *report, struct case_result *ret)
{
    const struct value_limits limits = {.nodes = PAYLOAD_NODES};
    struct arena arena = {0};
    struct value told;
    struct err err;

    if (strcmp(report->how, "timeout") == 0)
        judge_fail_timeout(ret, j->q->run.limits.wall_ms);
    else if (strcmp(report->how, "lost") == 0)
        fail_exit(ret, report->status);
    else if (value_read_json(report->payload, &limits, &arena, &told, &err) < 0 ||
             !verdict_of_failure(j->q, &told, ret))
        judge_fail(ret, CASE_LOAD, "What the candidate sent is no result");
    if (ret->end != CASE_TIMEOUT && ret->end != CASE_KILLED)
        ret->end = CASE_LOAD;
    arena_done(&arena);
}

/* All that is left fails for one reason. */
static void fail_rest(struct batch *b, const struct case_result *why)
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
    struct str text = read_text(json);

    capture_add(c, text.p ? text.p : "", text.n);
    free((void *)(uintptr_t)text.p);
}

/* What loading printed is what the whole printed; of the first time. */
static void on_load(struct batch *b, const struct report *report)
{
    struct judge *j = b->judge;

    if (!j->ret->run.out.total && !j->ret->run.err.total) {
        keep_output(&j->ret->run.out, report->out);
        keep_output(&j->ret->run.err, report->err);
    }
    b->loaded = strcmp(report->how, "ok") == 0 && str_is(report->payload, "{}");
    if (b->loaded || b->load_failed)
        return;
    struct case_result why = {0};
    judge_load(j, report, &why);
    b->load_failed = true;
    if (!j->ret->run.exception)
        j->ret->run.exception = judge_copy_exception(why.exception);
    if (!b->n)
        j->ret->message = "Code not executed";
    fail_rest(b, &why);
    free(why.detail);
    exception_free(why.exception);
}

static bool is_pending(const struct batch *b, size_t number)
{
    const struct case_result *results = b->judge->ret->cases;

    for (size_t i = 0; i < b->n; i++)
        if (results[b->numbers[i]].end == CASE_NOT_RUN)
            return b->numbers[i] == number;
    return false;
}

/* The driver takes the cases in order; what says otherwise is not the driver. */
static void on_report(void *ctx, const struct report *report)
{
    struct batch *b = ctx;

    switch (report->kind) {
    case REPORT_LOAD:
        on_load(b, report);
        break;
    case REPORT_BEGIN:
        if (is_pending(b, report->number))
            b->begun = report->number;
        break;
    case REPORT_CASE:
        on_case(b, report);
        break;
    case REPORT_END:
        b->ended = true;
        break;
    }
}

static void on_event(void *ctx, const struct run_event *event)
{
    struct batch *b = ctx;

    if (event->kind == RUN_OUTPUT && event->stream == 1)
        channel_feed(&b->channel, event->text);
}

/* ---- one jail ---- */

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
    const struct run_input setup = {.name = str_from(SETUP_NAME), .bytes = j->q->setup};
    struct run_watch watch = {.event = on_event, .ctx = b, .cancel_fd = j->watch->cancel_fd};

    q.language = "python";
    q.languages = &calls->table;
    q.args = NULL;
    q.inputs = &setup;
    q.input_count = j->q->setup.p != NULL;
    q.stdin_fd = request_fd;
    q.limits.wall_ms = wall_ms(j, b);
    q.limits.pids = q.limits.pids ? q.limits.pids + HELPERS : 0;
    q.output_limit = CHANNEL;
    q.no_check |= j->has_run;
    result_init(ret, CHANNEL);
    session_run(&q, &watch, ret);
}

static size_t first_pending(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->judge->ret->cases[b->numbers[i]].end == CASE_NOT_RUN)
            return b->numbers[i];
    return NO_CASE;
}

/* The jail ended before it should: whose fault is that? */
static void blame(struct batch *b, const struct result *run)
{
    struct judge *j = b->judge;
    size_t number = b->begun != NO_CASE ? b->begun : first_pending(b);

    if (number == NO_CASE || b->load_failed)
        return;
    struct case_result *r = &j->ret->cases[number];
    judge_fail_run(r, run, &j->q->run.limits);
    if (!b->loaded) {
        struct case_result why = *r;
        why.detail = xstrdup(r->detail);
        judge_done(j, number);
        fail_rest(b, &why);
        free(why.detail);
        return;
    }
    judge_done(j, number);
}

static void refuse(struct batch *b, const struct result *run)
{
    char line[700];
    struct case_result why = {.end = CASE_REFUSED};

    why.detail =
        (char *)(uintptr_t)result_summary(run, &b->judge->q->run.limits, line, sizeof line);
    fail_rest(b, &why);
}

static void settle(struct batch *b, struct result *run, size_t before)
{
    struct judge *j = b->judge;

    if (result_refused(run))
        refuse(b, run);
    else if (run->error.kind || run->cancelled)
        j->stop = true;
    else if (!b->ended || first_pending(b) == before)
        blame(b, run);
    /* The driver's own words are no output, and its end is no failure of the candidate's. */
    judge_add_run(j, run);
}

static void run_batch(struct calls *calls, const size_t *numbers, size_t n)
{
    struct judge *j = calls->judge;
    struct batch b = {.judge = j, .numbers = numbers, .n = n, .begun = NO_CASE};
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
    b.channel.report = on_report;
    b.channel.ctx = &b;
    size_t before = first_pending(&b);
    run_jail(calls, &b, fd, &run);
    settle(&b, &run, before);
    channel_done(&b.channel);
}

/* ---- all of them ---- */

static void add_language(struct calls *calls, const struct language *python)
{
    static const char *const args[] = {"-S", "-s", "-c", "{boot}", "{file}", NULL};
    const struct language_table *known = calls->judge->q->run.languages;
    size_t n = known ? known->user_count : 0;

    calls->language = *python;
    calls->language.args = args;
    calls->language.boot = boot;
    calls->language.runner = NULL;
    calls->table.user = xcalloc(n + 1, sizeof *calls->table.user);
    calls->table.user[0] = &calls->language;
    for (size_t i = 0; i < n; i++)
        calls->table.user[i + 1] = known->user[i];
    calls->table.user_count = n + 1;
}

/* As a run would have it: a profile for Python takes what does not say what it is for Python. */
static int find_language(const struct run_request *q, const struct language **ret, struct err *err)
{
    struct policy *policy = q->no_check ? NULL : check_open_policy(q, err);
    int result = policy || q->no_check ? check_find_language(q, policy, ret, err) : -1;

    policy_free(policy);
    return result;
}

static int prepare(struct calls *calls, struct err *err)
{
    const struct run_request *q = &calls->judge->q->run;
    const struct language *language;

    if (find_language(q, &language, err) < 0)
        return -1;
    if (strcmp(language->name, "python") != 0)
        return err_set(err, ERR_USAGE,
                       "calls can be made of Python functions only; cases for a program in %s have "
                       "\"stdin\" and "
                       "\"expected_stdout\"",
                       language->name);
    add_language(calls, language);
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

static bool needs_function(const struct case_file *cases)
{
    for (size_t i = 0; i < cases->n; i++)
        if (!cases->at[i].is_program && !cases->at[i].call.p)
            return true;
    return false;
}

void calls_judge(struct judge *j)
{
    struct calls calls = {.judge = j, .wants_call = needs_function(j->q->cases)};
    AUTO_FREE size_t *numbers = xcalloc(j->q->cases->n + 1, sizeof *numbers);
    size_t n = list_pending(j, numbers);

    if (!n || j->stop)
        return;
    if (prepare(&calls, &j->ret->run.error) < 0) {
        j->stop = true;
        return;
    }
    while (n && !j->stop) {
        run_batch(&calls, numbers, j->q->isolate ? 1 : n);
        n = list_pending(j, numbers);
    }
    free(calls.table.user);
}

void calls_load(struct judge *j)
{
    struct calls calls = {.judge = j};

    j->ret->message = "Code executed, no tests";
    if (prepare(&calls, &j->ret->run.error) < 0)
        return;
    run_batch(&calls, NULL, 0);
    free(calls.table.user);
}
