/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of tools by the guest.
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "run/cell_decode.h"
#include "session/session_exchange.h"

enum { NAME_MAX_BYTES = 200, WAITING_MAX = 16 << 20 };

static char *session_tools_refuse(const char *message, size_t limit)
{
    return xasprintf("{\"error\":{\"type\":\"RuntimeError\",\"message\":\"%s %zu\"}}", message,
                     limit);
}

static void report_call(const struct exchange *x, const char *name, json_t *args, json_t *kwargs)
{
    if (!x->reporter)
        return;
    json_t *bundle = json_pack("{s:s, s:O, s:O}", "name", name, "args", args, "kwargs", kwargs);
    reporter_event(x->reporter,
                   (struct run_event){.kind = RUN_TOOL, .name = name, .bundle = bundle});
    json_decref(bundle);
}

/* ---- the time of a call ---- */

struct waiting {
    struct exchange *x;
    int64_t from_ms;
    uint64_t cpu_ns;
};

static uint64_t cpu_ns(const struct exchange *x)
{
    struct backend_usage use;

    backend_usage(x->guest->handle, &use);
    return use.cpu_ns;
}

/* While the guest waits for the tool, its other threads and processes may compute. That counts as
 * the cell's time. */
static int64_t computed_ms(const struct waiting *w)
{
    int64_t elapsed = clock_mono_ms() - w->from_ms;
    uint64_t now = cpu_ns(w->x);
    int64_t computed = now > w->cpu_ns ? (int64_t)((now - w->cpu_ns) / 1000000) : 0;

    return computed < elapsed ? computed : elapsed;
}

static bool session_tools_is_over(void *ctx)
{
    const struct waiting *w = ctx;
    const struct exchange *x = w->x;

    if (x->deadline_ms != INT64_MAX && w->from_ms + computed_ms(w) >= x->deadline_ms)
        return true;
    uint64_t now = x->cpu_ms ? cpu_ns(x) : 0;
    return now > x->cpu_from_ns && now - x->cpu_from_ns >= (uint64_t)x->cpu_ms * 1000000;
}

/* A tool has its own deadline, so its time does not count as the cell's. */
static char *call_in_its_time(struct exchange *x, const struct tool_set *tools,
                              struct tool_call *call)
{
    struct waiting w = {.x = x, .from_ms = clock_mono_ms(), .cpu_ns = cpu_ns(x)};

    call->is_over = session_tools_is_over;
    call->over_ctx = &w;
    char *answer = tool_set_call(tools, call);
    if (x->deadline_ms != INT64_MAX)
        x->deadline_ms += clock_mono_ms() - w.from_ms - computed_ms(&w);
    return answer;
}

static char *call(struct exchange *x, const struct tool_set *tools, const json_t *frame,
                  struct err *err)
{
    AUTO_FREE char *name = cell_text(frame, "name", NAME_MAX_BYTES);
    json_t *args = json_object_get(frame, "args"), *kwargs = json_object_get(frame, "kwargs");

    if (!name || (args && !json_is_array(args)) || (kwargs && !json_is_object(kwargs))) {
        err_set(err, ERR_GUEST, "it sent an invalid call of a tool");
        return NULL;
    }
    args = args ? json_incref(args) : json_array();
    kwargs = kwargs ? json_incref(kwargs) : json_object();
    const struct tool *tool = tool_set_find(tools, name);
    if (tool && !tool->is_input)
        report_call(x, name, args, kwargs);
    struct tool_call c = {.session = x->session->info.id,
                          .name = name,
                          .args = args,
                          .kwargs = kwargs,
                          .cancel_fd = x->guest->link.stop};
    char *answer = call_in_its_time(x, tools, &c);
    json_decref(args);
    json_decref(kwargs);
    return answer;
}

/* True if there were too many calls. input() does not count: it waits for a person, or is at the
 * end of the input at once. */
static bool is_one_too_many(struct exchange *x, const struct tool_set *tools, const json_t *frame)
{
    const char *name = json_string_value(json_object_get(frame, "name"));
    const struct tool *tool = name ? tool_set_find(tools, name) : NULL;

    return tools->count && !(tool && tool->is_input) && ++x->calls > tools->max_calls;
}

static char *answer_of(struct exchange *x, const struct cell_frame *frame, struct err *err)
{
    const struct tool_set *tools = &x->session->tools;

    if (tools->count && frame->bytes.n > tools->max_bytes)
        return session_tools_refuse("bytes of arguments are at most", tools->max_bytes);
    json_t *value = cell_decode(frame->bytes, err);
    char *answer = NULL;
    if (value && is_one_too_many(x, tools, value))
        answer = session_tools_refuse("calls of tools in one cell are at most", tools->max_calls);
    else if (value)
        answer = call(x, tools, value, err);
    json_decref(value);
    return answer;
}

/* ---- the tools of an open session ---- */

static void session_tools_append(json_t *body, const char *key, json_t *item)
{
    json_object_set_new(body, key, json_pack("[o]", item));
}

static int tell_guest(struct session *s, const json_t *body, struct err *err)
{
    struct question q = {"tools", body, s->shared->request.run.limits.wall_ms};
    uint32_t id;
    json_t *answer = guest_ask(s, &q, &id, err);
    bool ok = cell_flag(answer, "ok");

    if (answer && !ok)
        guest_explain(answer, err);
    json_decref(answer);
    return ok ? 0 : -1;
}

/* `next` is the new set, which this takes over. If the guest accepts the change, it becomes the
 * session's set. */
static int change_tools(struct session *s, struct tool_set *next, const json_t *body,
                        struct err *err)
{
    if (tell_guest(s, body, err) < 0) {
        tool_set_done(next);
        return -1;
    }
    tool_set_done(&s->tools);
    s->tools = *next;
    tool_names_done(&s->tool_names);
    tool_set_names(&s->tools, &s->tool_names);
    return 0;
}

static int put_in_turn(struct session *s, const struct tool_new *tool, struct err *err)
{
    struct tool_set next;

    tool_set_copy(&next, &s->tools);
    (void)tool_set_remove(&next, tool->name);
    if (tool_set_add(&next, tool, err) < 0) {
        tool_set_done(&next);
        return -1;
    }
    json_t *body = json_object();
    session_tools_append(body, "add", hello_tool(tool_set_find(&next, tool->name)));
    int result = change_tools(s, &next, body, err);
    json_decref(body);
    return result;
}

static int remove_in_turn(struct session *s, const char *name, struct err *err)
{
    const struct tool *tool = tool_set_find(&s->tools, name);
    struct tool_set next;

    if (!tool || tool->is_input)
        return err_set(err, ERR_USAGE, "this session has no tool '%.80s'", name);
    tool_set_copy(&next, &s->tools);
    (void)tool_set_remove(&next, name);
    json_t *body = json_object();
    session_tools_append(body, "remove", json_text(str_from(name)));
    int result = change_tools(s, &next, body, err);
    json_decref(body);
    return result;
}

int session_tool_put(struct session *s, const struct tool_new *tool, struct err *err)
{
    const struct backend *backend = s->shared->prepared.backend;
    const char *why_not = backend_need(backend, CAN_TOOLS).why_not;

    if (why_not)
        return err_set(err, ERR_UNSUPPORTED, "backend %s %s", backend->name, why_not);
    if (turn_take(s, err) < 0)
        return -1;
    int result = put_in_turn(s, tool, err);
    turn_give(s);
    return result;
}

int session_tool_remove(struct session *s, const char *name, struct err *err)
{
    if (turn_take(s, err) < 0)
        return -1;
    int result = remove_in_turn(s, name, err);
    turn_give(s);
    return result;
}

/* ---- calls ---- */

int answer_call(struct exchange *x, const struct cell_frame *frame, struct err *err)
{
    uint32_t id = frame->id;
    AUTO_FREE char *answer = answer_of(x, frame, err);

    if (!answer)
        return -1;
    /* A guest that calls tools must read the answers. */
    if (x->guest->link.out.n - x->guest->link.sent > WAITING_MAX)
        return err_set(err, ERR_GUEST, "it calls tools and does not read the answers");
    return link_put(&x->guest->link, "answer", id, str_from(answer), err);
}
