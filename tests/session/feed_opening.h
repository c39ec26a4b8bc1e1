/* SPDX-License-Identifier: Apache-2.0
 *
 * For feed.c: the request of a session, made from the members of an "open" line (opening_request),
 * and the tools that its cells may call (opening_add_tools).
 */
#ifndef FEED_OPENING_H
#define FEED_OPENING_H

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/session.h"

/* What a session and its forks were opened with. */
struct opening {
    unsigned users;
    struct tool_set tools;
    json_t *options; /* what the request points into */
    struct named_bytes *inputs;
    char **lists[8];
    size_t list_count;
};

static const char *text_of(const json_t *q, const char *key)
{
    return json_string_value(json_object_get(q, key));
}

static int64_t number_of(const json_t *q, const char *key, int64_t otherwise)
{
    const json_t *n = json_object_get(q, key);

    return json_is_integer(n) ? json_integer_value(n) : otherwise;
}

/* ---- tools ---- */

static int tool_add(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    json_int_t sum = 0;
    const json_t *item;
    size_t i;

    (void)ctx;
    json_array_foreach(call->args, i, item)
    {
        if (!json_is_integer(item))
            return err_set(err, ERR_GUEST, "add takes whole numbers");
        sum += json_integer_value(item);
    }
    *ret = json_integer(sum);
    return 0;
}

static int tool_echo(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)err;
    *ret = json_pack("{s:O, s:O}", "args", call->args, "kwargs", call->kwargs);
    return 0;
}

static int tool_fail(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)call;
    (void)ret;
    return err_set(err, ERR_SYSTEM, "it failed, \"as asked\"");
}

/* Waits for its deadline, or for the request to stop. */
static int tool_slow(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct pollfd p = {.fd = call->cancel_fd, .events = POLLIN};

    (void)ctx;
    (void)ret;
    if (poll(&p, 1, (int)call->timeout_ms) > 0)
        return err_set(err, ERR_SYSTEM, "told to stop");
    return err_set(err, ERR_TIMEOUT, "not done in %lld ms", (long long)call->timeout_ms);
}

static int tool_large(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    size_t n = (size_t)json_integer_value(json_array_get(call->args, 0));
    char *bytes = xmalloc(n + 1);

    (void)ctx;
    (void)err;
    memset(bytes, 'x', n);
    *ret = json_stringn(bytes, n);
    free(bytes);
    return 0;
}

static const struct {
    const char *name;
    tool_fn fn;
} tools[] = {{"add", tool_add},   {"echo", tool_echo},   {"fail", tool_fail},
             {"slow", tool_slow}, {"large", tool_large}, {"final_thing", tool_echo}};

static int opening_add_tools(struct opening *g, const json_t *q, struct err *err)
{
    const json_t *name;
    size_t i;

    tool_set_init(&g->tools);
    g->tools.timeout_ms = number_of(q, "tool_timeout_ms", 1000);
    g->tools.max_bytes = (size_t)number_of(q, "tool_bytes", 1 << 20);
    g->tools.max_calls = (size_t)number_of(q, "tool_calls", 1000);
    g->tools.final_answer = json_is_true(json_object_get(q, "final_answer"));
    json_array_foreach(json_object_get(q, "tools"), i, name)
    {
        for (size_t k = 0; k < ARRAY_LEN(tools); k++)
            if (strcmp(json_string_value(name), tools[k].name) == 0)
                (void)tool_set_add(&g->tools,
                                   &(struct tool_new){.name = tools[k].name,
                                                      .description = "of the tests",
                                                      .fn = tools[k].fn},
                                   err);
    }
    if (!text_of(q, "source"))
        return 0;
    return tool_set_source(&g->tools, str_from(text_of(q, "source")), "source", err);
}

/* ---- open ---- */

static char **list_of(struct opening *g, const json_t *q, const char *key)
{
    const json_t *list = json_object_get(q, key);
    size_t n = json_array_size(list);

    if (!n)
        return NULL;
    char **at = xcalloc(n + 1, sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = (char *)json_string_value(json_array_get(list, i));
    g->lists[g->list_count++] = at;
    return at;
}

static void set_inputs(struct opening *g, const json_t *q, struct run_request *r)
{
    json_t *files = json_object_get(q, "inputs"), *text;
    const char *name;

    g->inputs = xcalloc(json_object_size(files) + 1, sizeof *g->inputs);
    json_object_foreach(files, name, text)
    {
        g->inputs[r->workspace.input_count++] = (struct named_bytes){
            str_from(name), {json_string_value(text), json_string_length(text)}};
    }
    r->workspace.inputs = g->inputs;
}

static void opening_request(struct opening *g, const json_t *q, struct session_request *r)
{
    struct run_request *run = &r->run;
    const char *value = text_of(q, "value");

    session_request_init(r);
    run->program.language = text_of(q, "lang") ? text_of(q, "lang") : "python";
    run->place.backend = text_of(q, "backend") ? text_of(q, "backend") : getenv("SESSION_BACKEND");
    run->place.allow_unsafe = json_is_true(json_object_get(q, "allow_unsafe"));
    run->policy.profile = text_of(q, "profile");
    run->program.prelude = text_of(q, "prelude");
    run->workspace.out_dir = text_of(q, "out_dir");
    run->workspace.work_dir = text_of(q, "work_dir");
    run->door.log = text_of(q, "log") ? text_of(q, "log") : "off";
    run->policy.no_check = json_is_true(json_object_get(q, "no_check"));
    run->limits.wall_ms = number_of(q, "wall_ms", run->limits.wall_ms);
    run->limits.cpu_ms = number_of(q, "cpu_ms", run->limits.cpu_ms);
    run->limits.memory_bytes = (uint64_t)number_of(q, "memory", 512 << 20);
    run->limits.disk_bytes = (uint64_t)number_of(q, "disk", 64 << 20);
    run->limits.pids = (unsigned)number_of(q, "pids", run->limits.pids);
    run->output_limit = (uint64_t)number_of(q, "output_limit", 1 << 20);
    run->program.env = list_of(g, q, "env");
    run->policy.allow_imports = list_of(g, q, "allow_imports");
    run->policy.forbid_imports = list_of(g, q, "forbid_imports");
    set_inputs(g, q, run);
    r->preload = list_of(g, q, "preload");
    r->grace_ms = number_of(q, "grace_ms", 500);
    r->value_set = value != NULL;
    r->value = value && strcmp(value, "last") == 0 ? SESSION_VALUE_LAST : SESSION_VALUE_NOTEBOOK;
    r->tools = &g->tools;
    r->forks = (int)number_of(q, "forks", SESSION_FORKS_IF_POOL);
    run->place.cold = json_is_true(json_object_get(q, "cold"));
}

/* The caller holds the lock of the sessions. */
static void opening_leave(struct opening *g)
{
    if (--g->users)
        return;
    tool_set_done(&g->tools);
    json_decref(g->options);
    free(g->inputs);
    for (size_t i = 0; i < g->list_count; i++)
        free(g->lists[i]);
    free(g);
}

#endif
