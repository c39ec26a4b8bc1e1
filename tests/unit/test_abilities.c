/* SPDX-License-Identifier: Apache-2.0
 *
 * A request for something that its backend never does is refused in the backend's words, and
 * nothing is started. What depends on the host is left to the start.
 */
#include <string.h>

#include "backends/backend.h"
#include "base/mem.h"
#include "request/settings.h"
#include "run/run.h"
#include "session/session.h"
#include "tap.h"

static int opened;
static layer_mask required; /* by the last job */

static int refuse_open(const struct backend_job *job, const struct backend_sink *sink,
                       struct backend_outcome *ret, struct backend_guest **ret_guest,
                       struct err *err)
{
    (void)sink;
    (void)ret_guest;
    opened++;
    required = job->required;
    ret->lacking = job->required;
    return err_set(err, job->required ? ERR_UNSUPPORTED : ERR_POLICY, "it was opened");
}

static enum backend_ability lacking;

static struct backend_can can(enum backend_ability ability)
{
    return (struct backend_can){.why_not = ability == lacking ? "is too poor" : NULL};
}

static const struct backend poor = {
    .name = "poor", .layers = LAYERS_ALL, .can = can, .open = refuse_open};

static int looks;

static struct backend_can look(enum backend_ability ability)
{
    (void)ability;
    looks++;
    return (struct backend_can){.why_not = "has looked"};
}

static struct backend_need need_root(enum backend_ability ability)
{
    return (struct backend_need){.layers = ability == CAN_LIMIT_INODES ? LAYER_BIT(LAYER_ROOT) : 0};
}

static const struct backend looking = {
    .name = "looking", .layers = LAYERS_ALL, .can = look, .need = need_root, .open = refuse_open};

static struct result run_on(const struct backend *backend, const char *option, const char *value)
{
    static const struct opt *const tables[] = {work_options, wall_options, limit_options, NULL};
    AUTO_FREE char *name = xstrdup(option), *text = xstrdup(value);
    char *argv[] = {name, name, text, NULL}; /* the first is skipped */
    struct settings settings = {0};
    struct opt_set set;
    struct opt_args args = {0};
    struct run_request q;
    struct result r;
    struct err err = {0};

    opened = 0;
    opt_init(&set, tables, &settings);
    settings.sources = &set;
    bool read = opt_parse(&set, 3, argv, &args, &err) == 0;
    OK(settings_request(&settings, &q, &err) == 0 && read, "%s %s", option, value);
    q.program.code = STR("true\n");
    q.program.language = "sh";
    q.place.own_backend = backend;
    q.door.retries = 0;
    q.policy.no_check = true;
    q.door.log = "off";
    result_init(&r, q.output_limit);
    run_program(&q, &(struct run_watch){.cancel_fd = -1}, &r);
    opt_args_done(&args);
    opt_done(&set);
    return r;
}

/* Runs with the option, on a backend that lacks this ability alone. */
static struct result run(enum backend_ability lacks, const char *option, const char *value)
{
    lacking = lacks;
    return run_on(&poor, option, value);
}

static void test_refused(void)
{
    static const struct {
        enum backend_ability ability;
        const char *option, *value;
    } rows[] = {
        {CAN_FILES, "--file", "/etc/hostname"},
        {CAN_FILES, "--work-dir", "/tmp"},
        {CAN_FILES, "--out", "/tmp"},
        {CAN_CLOSE_NET, "--net", "none"},
        {CAN_HOST_NET, "--net", "host"},
        {CAN_LIMIT_WALL, "--timeout", "5s"},
        {CAN_LIMIT_CPU_TIME, "--cpu-time", "5s"},
        {CAN_LIMIT_MEMORY, "--memory", "64m"},
        {CAN_LIMIT_PIDS, "--pids", "9"},
        {CAN_LIMIT_CPUS, "--cpus", "0.5"},
        {CAN_LIMIT_DISK, "--disk", "64m"},
        {CAN_LIMIT_INODES, "--inodes", "99"},
        {CAN_LIMIT_OPEN_FILES, "--open-files", "99"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct result r = run(rows[i].ability, rows[i].option, rows[i].value);
        OK(r.error.kind == ERR_UNSUPPORTED && strstr(r.error.msg, "backend poor is too poor"),
           "refused: %s", r.error.msg);
        OK(strstr(r.error.msg, rows[i].option) != NULL, "the error names the option");
        EQ_INT(opened, 0);
        result_done(&r);
    }
}

/* What a user did not ask for is no reason to refuse: defaults hold where they can. */
static void test_defaults(void)
{
    struct result r = run(CAN_LIMIT_MEMORY, "--timeout", "5s");

    OK(opened == 1, "a backend that cannot limit memory runs a program without --memory");
    result_done(&r);
    r = run(CAN_LIMIT_WALL, "--timeout", "0");
    OK(opened == 1, "and one that cannot limit time runs it with no limit on time");
    result_done(&r);
}

static int answer(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)call;
    (void)err;
    *ret = json_null();
    return 0;
}

/* Opens a session with tools on a backend that has none. */
static void open_session(struct tool_set *tools, struct err *err)
{
    struct session_request q;
    struct session *session = NULL;

    lacking = CAN_TOOLS;
    opened = 0;
    session_request_init(&q);
    q.run.place.own_backend = &poor;
    q.run.program.language = "bash";
    q.run.policy.no_check = true;
    q.run.door.log = "off";
    q.tools = tools;
    OK(session_open(&q, &session, err) < 0, "no session: %s", err->msg);
}

static void test_tools(void)
{
    struct tool_set tools;
    struct err err = {0};

    tool_set_init(&tools);
    tool_set_add_input(&tools, answer, NULL);
    open_session(&tools, &err);
    OK(opened > 0, "input() at a terminal is no tool that a session needs");
    OK(tool_set_add(&tools, &(struct tool_new){.name = "add", .fn = answer}, &err) == 0, "a tool");
    open_session(&tools, &err);
    OK(opened == 0 && strstr(err.msg, "backend poor is too poor"), "a tool is: %s", err.msg);
    tool_set_done(&tools);
}

static void test_no_look(void)
{
    struct result r = run_on(&looking, "--memory", "64m");

    OK(opened == 1 && !required, "an ability that needs no layer requires none");
    result_done(&r);
    r = run_on(&looking, "--inodes", "99");
    OK(opened == 1 && required == LAYER_BIT(LAYER_ROOT), "one that needs a layer requires it");
    OK(strstr(r.error.msg, "--inodes needs layer root") != NULL, "its start failed: %s",
       r.error.msg);
    EQ_INT(r.outcome.lacking, LAYER_BIT(LAYER_ROOT));
    result_done(&r);
    EQ_INT(looks, 0);
}

int main(void)
{
    RUN(test_refused());
    RUN(test_defaults());
    RUN(test_tools());
    RUN(test_no_look());
    return tap_done();
}
