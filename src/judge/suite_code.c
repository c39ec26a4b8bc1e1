/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests that are code, as HumanEval and MBPP have them. What they expect stands in them, so that
 * they have to run inside; but not where the candidate is, which could then read them, patch what
 * they use, or end the process as if all were well. There are two sandboxes: one has the test code
 * and reports the result of each test, the other has the candidate. Calls and values go in both
 * directions as lines of JSON (src/guests/suite_link.py), which we carry.
 *
 * So a candidate can return a wrong value and no more. The price: arguments are copies (changes
 * made to lists, dicts and sets that were passed directly are copied back), and objects of the
 * candidate's own classes are remote ones, whose operators work among each other and see no value
 * of the test's (src/guests/suite_remote.py).
 *
 * A test that fails is the candidate's failure. Test code that cannot run, or that ends without a
 * verdict while the candidate still answers, is none: the task has an error then, and no score.
 *
 * A session belongs to a thread: this one sees to the test code, another to the candidate.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/mem.h"
#include "guests/guests.h"
#include "judge/parts.h"
#include "judge/suite.h"
#include "session/record.h"

enum {
    LINE_MAX_ROOM = 3 * ROOM, /* of one message */
    PROGRAM_MAX = 256 << 10,
    START_MS = 10000,
    FULL_MS = 5000, /* a side that does not read for so long gets nothing any more */
    NAMES_MAX = 64 << 10,
};

struct link;

struct side {
    struct link *link;
    struct run_request request;
    struct language language;
    struct language *row;
    struct language_table table;
    struct result result;
    int in[2]; /* its standard input: ours to write, and what the session reads */
    int cancel_fd;
};

struct link {
    const struct suite_task *task;
    struct suite_result *ret;
    struct side tests, candidate;
    int stop[2];     /* readable when the candidate is not needed any more */
    struct buf line; /* of the test side, as it comes in */
    bool *reported;  /* of each test */
    size_t reported_count;
    char *fault;        /* of the test code or of ours, which leaves the task without a verdict */
    bool has_asked;     /* the tests did, for more than names */
    int64_t timeout_ms; /* 0: none */
};

/* ---- carrying ---- */

/* Never waits long: both sides could wait for each other, and their clocks are not checked
 * meanwhile. */
static void give(int *fd, const char *p, size_t n)
{
    while (n && *fd >= 0) {
        ssize_t done = write(*fd, p, n);
        struct pollfd wait = {.fd = *fd, .events = POLLOUT};
        if (done >= 0) {
            p += done;
            n -= (size_t)done;
        } else if (errno != EINTR && (errno != EAGAIN || poll(&wait, 1, FULL_MS) <= 0)) {
            fd_close(fd);
        }
    }
}

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
    if (json_is_true(json_object_get(said, "fault")) && !link->fault)
        link->fault = numbered(text, (size_t)number);
    if (!json_is_null(detail) && !r->detail)
        r->detail = numbered(text, (size_t)number);
}

/* {"names": ["f"]} */
static void take_names(struct link *link, const json_t *names)
{
    AUTO_BUF struct buf b = {0};
    const json_t *name;
    size_t i;

    buf_init(&b, NAMES_MAX);
    json_array_foreach(names, i, name)(void)
        buf_addf(&b, "%s%s", i ? "," : "", json_string_value(name));
    free(link->ret->borrowed);
    link->ret->borrowed = b.n ? buf_take(&b) : NULL;
}

/* {"test": 0, "us": 12, "detail": null, "fault": false} */
static void take_verdict(struct link *link, struct str line)
{
    json_t *said = json_loadb(line.p, line.n, 0, NULL);
    const json_t *names = json_object_get(said, "names");

    if (names)
        take_names(link, names);
    else
        take_test(link, said);
    json_decref(said);
}

static void ask(struct link *link, const struct buf *b)
{
    static const char name[] = "{\"op\":\"name\"";

    link->has_asked |= b->n < sizeof name - 1 || memcmp(b->p, name, sizeof name - 1) != 0;
    give(&link->candidate.in[1], b->p, b->n);
}

static void take_line(struct link *link)
{
    struct buf *b = &link->line;

    if (b->n && b->p[0] == '=')
        take_verdict(link, (struct str){b->p + 1, b->n - 1});
    else
        ask(link, b);
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
            take_line(link);
        text = str_slice(text, n, text.n);
    }
}

static void on_event(void *ctx, const struct run_event *event)
{
    struct side *side = ctx;
    struct link *link = side->link;

    if (event->kind != RUN_OUTPUT || event->stream != 1)
        return;
    if (side == &link->tests)
        from_tests(link, event->text);
    else
        give(&link->tests.in[1], event->text.p, event->text.n);
}

/* ---- the two ---- */

static void run_side(struct side *side)
{
    struct run_watch watch = {.event = on_event, .ctx = side, .cancel_fd = side->cancel_fd};

    session_run(&side->request, &watch, &side->result);
    /* A side that has ended needs no input, and the other side receives a message about it. */
    fd_close(&side->in[0]);
}

static void *run_candidate(void *ctx)
{
    struct link *link = ctx;

    run_side(&link->candidate);
    fd_close(&link->tests.in[1]);
    return NULL;
}

/* What a side consists of, as text and, for the Python that has this magic number, as bytecode. */
struct program {
    const char *const *parts;
    const char *magic;
    const unsigned char *code;
    const unsigned long *code_size;
    const char *const *args;
};

/* Modules are not searched in the test code's folder, its environment or its user's packages. */
static const struct program test_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_remote_py,
                          guest_suite_names_py, guest_suite_tests_py, NULL},
    guest_suite_tests_magic,
    guest_suite_tests_code,
    &guest_suite_tests_code_size,
    (const char *const[]){"-I", "-S", "-c", "{boot}", "{file}", NULL},
};
static const struct program candidate_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_candidate_py,
                          NULL},
    guest_suite_candidate_magic,
    guest_suite_candidate_code,
    &guest_suite_candidate_code_size,
    (const char *const[]){"-S", "-s", "-c", "{boot}", "{file}", NULL},
};

static const char boot[] = "import marshal\n"
                           "from posix import read\n"
                           "from _frozen_importlib_external import MAGIC_NUMBER\n"
                           "def take(n):\n"
                           "    data = b''\n"
                           "    while len(data) < n:\n"
                           "        data += read(0, n - len(data)) or 1 / 0\n"
                           "    return data\n"
                           "head = b''\n"
                           "while head[-1:] != b'\\n':\n"
                           "    head += take(1)\n"
                           "magic, code, text = head.split()\n"
                           "code, text = take(int(code)), take(int(text)).decode()\n"
                           "exec(marshal.loads(code) if MAGIC_NUMBER.hex() == magic.decode() else "
                           "text)\n";

/* The program waits in the pipe, which is made large enough, for the process that will be
 * started. */
static void send_program(struct side *side, const struct program *program)
{
    AUTO_BUF struct buf b = {0};
    size_t text = 0;

    for (const char *const *part = program->parts; *part; part++)
        text += strlen(*part);
    buf_init(&b, PROGRAM_MAX);
    (void)buf_addf(&b, "%s %lu %zu\n", program->magic, *program->code_size, text);
    (void)buf_add(&b, program->code, *program->code_size);
    for (const char *const *part = program->parts; *part; part++)
        (void)buf_adds(&b, *part);
    (void)fcntl(side->in[1], F_SETPIPE_SZ, PROGRAM_MAX);
    give(&side->in[1], b.p, b.n);
}

static int init_side(struct link *link, struct side *side, const struct judge_request *q,
                     const struct program *program, struct err *err)
{
    const struct language *python = language_find(q->run.languages, STR("python"));

    side->link = link;
    side->request = q->run;
    side->language = *python;
    side->language.args = program->args;
    side->language.boot = boot;
    side->language.runner = NULL;
    side->row = &side->language;
    side->table = (struct language_table){&side->row, 1};
    side->request.language = "python";
    side->request.languages = &side->table;
    side->request.output_limit = CHANNEL;
    side->request.log = "off";
    side->request.sink = NULL;
    side->request.limits.wall_ms = link->timeout_ms ? 2 * link->timeout_ms + START_MS : 0;
    result_init(&side->result, CHANNEL);
    if (fd_pipe(side->in, err) < 0)
        return -1;
    side->request.stdin_fd = side->in[0];
    if (fd_nonblock(side->in[1], true) < 0)
        return err_sys(err, "prepare a pipe");
    send_program(side, program);
    return 0;
}

static void done_side(struct side *side)
{
    fd_close(&side->in[0]);
    fd_close(&side->in[1]);
    result_done(&side->result);
}

/* What the test side reads first. */
static char *test_document(const struct link *link)
{
    const struct suite_task *t = link->task;
    json_t *tests = json_array();

    for (size_t i = 0; i < t->test_count; i++)
        json_array_append_new(tests, json_text(t->tests[i]));
    json_t *doc = json_pack("{s:o, s:o, s:o, s:s?, s:f}", "prompt", json_text(t->prompt), "setup",
                            json_text(t->setup), "tests", tests, "entry", t->func, "seconds",
                            (double)link->timeout_ms / 1000);
    char *text = doc ? json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

    json_decref(doc);
    return text;
}

/* The test code is the user's own: it is not checked, and not logged. Of the candidate's
 * surroundings in the request, only the inputs apply to it: they are copies of the user's. */
static void prepare_tests(struct link *link, const char *document)
{
    struct run_request *q = &link->tests.request;

    judge_seclude(q);
    q->files = link->candidate.request.files;
    q->inputs = link->candidate.request.inputs;
    q->input_count = link->candidate.request.input_count;
    q->stdin_fd = link->tests.in[0];
    q->language = "python";
    q->code = str_from(document);
    q->file = "tests.py";
}

/* ---- the result ---- */

/* What it does with the candidate's values is for them to answer: range(10**9) is short to send. */
static bool ran_out(const struct link *link)
{
    const struct result *tests = &link->tests.result;

    return tests->timed_out || (tests->oom_killed && link->has_asked);
}

/* Why there is no verdict, or NULL. The candidate's process may be gone, or its limits reached:
 * then the tests received that, and failed. A test side that ends without a verdict is at fault
 * itself, unless it ran out of time, or of memory after it had asked the candidate for
 * something. */
static char *no_verdict(const struct link *link)
{
    const struct result *tests = &link->tests.result, *candidate = &link->candidate.result;
    char line[700];

    if (link->fault)
        return xstrdup(link->fault);
    if (result_refused(candidate))
        return NULL;
    if (candidate->error.kind || tests->error.kind)
        return xstrdup(candidate->error.kind ? candidate->error.msg : tests->error.msg);
    if (link->reported_count == link->task->test_count || ran_out(link))
        return NULL;
    result_summary(tests, &link->tests.request.limits, line, sizeof line);
    return xasprintf("the test code ended early%s%s", *line ? ": " : "", line);
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
    result_summary(candidate, &link->candidate.request.limits, line, sizeof line);
    if (*line && !candidate->cancelled) {
        free(r->detail);
        r->detail = xstrdup(line);
    } else if (!r->detail) {
        result_summary(&link->tests.result, &link->tests.request.limits, line, sizeof line);
        r->detail = xstrdup(*line ? line : "no tests");
    }
}

static void settle(struct link *link)
{
    struct suite_result *r = link->ret;
    layer_mask held = link->tests.result.outcome.held & link->candidate.result.outcome.held;

    r->total = link->task->test_count;
    r->cancelled = link->tests.result.cancelled;
    r->error = no_verdict(link);
    r->trustworthy = !r->error && (result_refused(&link->candidate.result) || judge_walls(held));
    if (!r->error)
        add_up(link);
}

static int run_both(struct link *link, struct err *err)
{
    pthread_t thread;

    link->candidate.cancel_fd = link->stop[0];
    int failed = pthread_create(&thread, NULL, run_candidate, link);
    if (failed) {
        errno = failed;
        return err_sys(err, "start a thread");
    }
    run_side(&link->tests);
    (void)!write(link->stop[1], "", 1);
    pthread_join(thread, NULL);
    settle(link);
    return 0;
}

/* The log gets the result of the tests: the end of the candidate's process is caused by us. */
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

static int run_link(struct link *link, const struct judge_request *q, struct err *err)
{
    AUTO_FREE char *document = test_document(link);

    if (!document)
        return err_set(err, ERR_USAGE, "the test code must be a string");
    if (fd_pipe(link->stop, err) < 0 || init_side(link, &link->tests, q, &test_program, err) < 0 ||
        init_side(link, &link->candidate, q, &candidate_program, err) < 0)
        return -1;
    prepare_tests(link, document);
    return run_both(link, err);
}

static void done_link(struct link *link)
{
    fd_close(&link->stop[0]);
    fd_close(&link->stop[1]);
    done_side(&link->tests);
    done_side(&link->candidate);
    buf_done(&link->line);
    free(link->reported);
    free(link->fault);
}

void suite_code_run(const struct judge_request *request, const struct suite_task *task,
                    int cancel_fd, struct suite_result *ret)
{
    int64_t ms = task->timeout_ms ? task->timeout_ms : request->run.limits.wall_ms;
    struct link link = {.task = task, .ret = ret, .stop = {-1, -1}, .timeout_ms = ms};
    struct recorder recorder = {0};
    struct err err = {0};

    record_open(&recorder, &request->run);
    link.tests.in[0] = link.tests.in[1] = link.candidate.in[0] = link.candidate.in[1] = -1;
    link.tests.cancel_fd = cancel_fd;
    link.reported = xcalloc(task->test_count + 1, sizeof *link.reported);
    buf_init(&link.line, LINE_MAX_ROOM);
    result_init(&link.tests.result, 0);
    result_init(&link.candidate.result, 0);
    if (run_link(&link, request, &err) < 0)
        ret->error = xstrdup(err.msg);
    set_outcome(&link);
    judge_record(&recorder, &request->run, &link.candidate.result, ret->error);
    done_link(&link);
}
