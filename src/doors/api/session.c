/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions, and the tools that their cells may call.
 */
#include "session/session.h"
#include "session/idle_watch.h"

#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/mem.h"
#include "formats/json_write.h"

struct api_tool {
    glovebox_tool_fn fn;
    void *ctx;
    struct api_tool *next;
};

struct glovebox_session {
    glovebox *box;
    struct session *session;
    struct idle_watch *idle;
    int64_t idle_ms;
    uint64_t output_limit;
    glovebox_output_fn output;
    void *output_ctx;
    struct err err;
};

/* ---- tools ---- */

static int take_answer(const char *name, char *text, char *error, json_t **ret, struct err *err)
{
    json_error_t where;

    if (text)
        *ret = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);
    if (text && !*ret)
        return err_set(err, ERR_BUG, "%.80s returned invalid JSON: %s", name, where.text);
    return text ? 0 : err_set(err, ERR_SYSTEM, "%s", error ? error : "the tool failed");
}

static int call_tool(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    const struct api_tool *tool = ctx;
    AUTO_FREE char *args = json_write(call->args, false);
    AUTO_FREE char *kwargs = json_write(call->kwargs, false);
    AUTO_FREE char *error = NULL;
    AUTO_FREE char *text = tool->fn(tool->ctx, args, kwargs, &error);

    return take_answer(call->name, text, error, ret, err);
}

static struct api_tool *new_tool(glovebox_tool_fn fn, void *ctx)
{
    struct api_tool *tool = xcalloc(1, sizeof *tool);

    *tool = (struct api_tool){.fn = fn, .ctx = ctx};
    return tool;
}

/* Keeps an added tool as long as the handle: open sessions have copies of the handle's set. Returns
 * `added`. */
static int keep_tool(glovebox *box, struct api_tool *tool, int added)
{
    if (added < 0) {
        free(tool);
        return added;
    }
    tool->next = atomic_load(&box->api_tools);
    while (!atomic_compare_exchange_weak(&box->api_tools, &tool->next, tool))
        ;
    return added;
}

static int read_parameters(const char *name, const char *json, json_t **ret, struct err *err)
{
    json_error_t where;

    *ret = json ? json_loads(json, JSON_ALLOW_NUL, &where) : NULL;
    return json && !*ret ? err_set(err, ERR_USAGE, "the parameters of %.80s are invalid JSON: %s",
                                   name ? name : "", where.text)
                         : 0;
}

int glovebox_on_typed_tool(glovebox *box, const char *name, const char *description,
                           const char *parameters, glovebox_tool_fn fn, void *ctx)
{
    json_t *read;

    handle_begin(box);
    if (read_parameters(name, parameters, &read, &box->err) < 0)
        return -1;
    struct api_tool *own = new_tool(fn, ctx);
    struct tool_new tool = {name, description, NULL, read, call_tool, own, 0};
    int added = tool_set_add(&box->tools, &tool, &box->err);
    json_decref(read);
    return keep_tool(box, own, added);
}

int glovebox_on_tool(glovebox *box, const char *name, const char *description, glovebox_tool_fn fn,
                     void *ctx)
{
    return glovebox_on_typed_tool(box, name, description, NULL, fn, ctx);
}

int glovebox_session_on_tool(glovebox_session *s, const char *name, const char *description,
                             const char *parameters, glovebox_tool_fn fn, void *ctx)
{
    json_t *read;

    if (read_parameters(name, parameters, &read, &s->err) < 0)
        return -1;
    struct api_tool *own = new_tool(fn, ctx);
    struct tool_new tool = {name, description, NULL, read, call_tool, own, 0};
    int added = session_tool_put(s->session, &tool, &s->err);
    json_decref(read);
    return keep_tool(s->box, own, added);
}

int glovebox_session_remove_tool(glovebox_session *s, const char *name)
{
    return session_tool_remove(s->session, name, &s->err);
}

void glovebox_on_final_answer(glovebox *box, int on)
{
    box->tools.final_answer = on;
}

void handle_tools_done(glovebox *box)
{
    struct api_tool *tool = atomic_load(&box->api_tools);

    tool_set_done(&box->tools);
    while (tool) {
        struct api_tool *next = tool->next;
        free(tool);
        tool = next;
    }
}

/* ---- opening and closing ---- */

void glovebox_set_forks(glovebox *box, int levels)
{
    box->forks = levels < 0 ? SESSION_FORKS_MOST : levels;
}

/* `tools` is the handle's set with the tools that the option names. */
static int open_with(glovebox *box, const char *language, struct tool_set *tools,
                     glovebox_session *s)
{
    struct session_request request;

    session_request_init(&request);
    request.tools = tools;
    if (handle_request(box, language, (struct str){"", 0}, &request.run) < 0)
        return -1;
    const struct settings *settings = &box->settings;
    session_request_options(&request, settings);
    if (!settings_asked(settings, SETTING_forks))
        request.forks = box->forks;
    handle_lend_pool(box, &request.run, request.forks != 0);
    if (settings->tools && tool_set_read(tools, settings->tools, &box->err) < 0)
        return -1;
    s->output_limit = request.run.output_limit;
    if (session_open(&request, &s->session, &box->err) < 0)
        return -1;
    s->idle_ms = settings->idle;
    if (idle_begin(s->session, s->idle_ms, session_end_if_idle, &s->idle, &box->err) == 0)
        return 0;
    session_close(s->session);
    return -1;
}

static int open_session(glovebox *box, const char *language, glovebox_session *s)
{
    struct tool_set tools;

    tool_set_copy(&tools, &box->tools);
    int opened = open_with(box, language, &tools, s);
    tool_set_done(&tools);
    return opened;
}

glovebox_session *glovebox_session_open(glovebox *box, const char *language)
{
    glovebox_session *s = xcalloc(1, sizeof *s);

    s->box = box;
    s->output = box->output;
    s->output_ctx = box->output_ctx;
    if (open_session(box, language, s) < 0) {
        free(s);
        return NULL;
    }
    atomic_fetch_add(&box->sessions, 1);
    return s;
}

void glovebox_session_close(glovebox_session *s)
{
    if (!s)
        return;
    idle_done(s->idle);
    session_close(s->session);
    atomic_fetch_sub(&s->box->sessions, 1);
    free(s);
}

glovebox_session *glovebox_session_fork(glovebox_session *s)
{
    struct session *session;

    struct idle_watch *idle;

    if (session_fork(s->session, &session, &s->err) < 0)
        return NULL;
    if (idle_begin(session, s->idle_ms, session_end_if_idle, &idle, &s->err) < 0) {
        session_close(session);
        return NULL;
    }
    glovebox_session *other = xcalloc(1, sizeof *other);
    *other = *s;
    other->session = session;
    other->idle = idle;
    other->err = (struct err){0};
    atomic_fetch_add(&s->box->sessions, 1);
    return other;
}

int glovebox_session_restart(glovebox_session *s)
{
    return session_restart(s->session, &s->err);
}

int glovebox_session_set_network(glovebox_session *s, const char *net)
{
    return session_set_network(s->session, net, &s->err);
}

char *glovebox_session_network(glovebox_session *s)
{
    return session_network(s->session);
}

int glovebox_session_interrupt(glovebox_session *s)
{
    return session_interrupt(s->session);
}

const char *glovebox_session_error(const glovebox_session *s)
{
    return s->err.msg;
}

/* ---- cells and values ---- */

static void session_on_event(void *ctx, const struct run_event *event)
{
    glovebox_session *s = ctx;

    if (event->kind == RUN_OUTPUT && s->output)
        s->output(s->output_ctx, event->stream, event->text.p, event->text.n);
}

static glovebox_result *session_run_cell(glovebox_session *s, const struct cell_request *cell)
{
    struct run_watch watch = {
        .event = session_on_event, .ctx = s, .all_output = true, .cancel_fd = -1};
    glovebox_result *result = result_new();

    result_init(&result->judged.run, s->output_limit);
    session_exec(s->session, cell, &watch, &result->judged.run);
    return result_finish(result);
}

glovebox_result *glovebox_session_exec(glovebox_session *s, const char *code, size_t n)
{
    return session_run_cell(s, &(struct cell_request){.code = {code, n}});
}

glovebox_result *glovebox_session_try(glovebox_session *s, const char *code, size_t n, int keep)
{
    enum cell_try attempt = keep == 1 ? TRY_KEEP_IF_DONE : keep == 2 ? TRY_KEEP_IF_ALIVE : TRY_DROP;

    return session_run_cell(s, &(struct cell_request){.code = {code, n}, .attempt = attempt});
}

int glovebox_result_kept(const glovebox_result *result)
{
    enum cell_attempt attempt = result->judged.run.cell.attempt;

    return attempt == CELL_UNTRIED ? -1 : attempt == CELL_LOST ? -2 : attempt == CELL_KEPT;
}

int glovebox_session_set(glovebox_session *s, const char *name, const char *json)
{
    json_error_t where;
    json_t *value = json_loads(json, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);
    json_t *values = json_object();

    int result = value && json_object_set_new(values, name, value) == 0
                     ? session_set(s->session, values, &s->err)
                     : err_set(&s->err, ERR_USAGE, "the value for %.80s is invalid JSON: %s", name,
                               value ? "its name is not UTF-8" : where.text);
    json_decref(values);
    return result;
}

/* Sets the error that explains why there is no value of that name. */
static void session_explain(glovebox_session *s, const json_t *answer, const char *name)
{
    const char *why = json_string_value(json_object_get(json_object_get(answer, "failed"), name));

    if (why)
        err_set(&s->err, ERR_USAGE, "%.80s: %s", name, why);
    else
        err_set(&s->err, ERR_USAGE, "there is no variable '%.80s'", name);
}

char *glovebox_session_get(glovebox_session *s, const char *name)
{
    json_t *names = json_pack("[s]", name), *answer = NULL;
    char *text = NULL;

    if (!names)
        err_set(&s->err, ERR_USAGE, "the name is not UTF-8");
    else if (session_get(s->session, names, &answer, &s->err) == 0) {
        const json_t *value = json_object_get(json_object_get(answer, "values"), name);
        if (value)
            text = json_write(value, false);
        else
            session_explain(s, answer, name);
    }
    json_decref(names);
    json_decref(answer);
    return text;
}

/* ---- further members of a cell's result ---- */

static const char *session_text_of(char **text, const json_t *value)
{
    if (!*text && value)
        *text = json_write(value, false);
    return *text;
}

const char *glovebox_result_value(glovebox_result *result)
{
    return session_text_of(&result->value, result->judged.run.value);
}

const char *glovebox_result_results(glovebox_result *result)
{
    const char *text = session_text_of(&result->results, result->judged.run.results);

    return text ? text : "[]";
}

const char *glovebox_result_final_answer(glovebox_result *result)
{
    const struct result *run = &result->judged.run;

    if (!run->is_final_answer)
        return NULL;
    const char *text = session_text_of(&result->final_answer, run->final_answer);
    return text ? text : "null";
}
