/* SPDX-License-Identifier: Apache-2.0
 *
 * The tools that a client describes: when it opens a session, or later.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "routes/cell_parts.h"
#include "routes/routes.h"

enum { TOOLS_MAX = 200 };

struct tool_item {
    const char *name, *description, *returns;
    json_t *parameters;
    int64_t timeout_ms;
};

const struct setting tool_rows[] = {
    {.field = "name",
     .opt = {.kind = OPT_STRING, .offset = offsetof(struct tool_item, name)},
     .code = CODE_NONE,
     .required = V_ANY,
     .meaning = "the function's name in cells, a Python identifier"},
    {.field = "description",
     .opt = {.kind = OPT_STRING, .offset = offsetof(struct tool_item, description)},
     .code = CODE_NONE,
     .meaning = "a description, which is the function's docstring in cells"},
    {.field = "parameters",
     .shape = SHAPE_ANY,
     .json_at = offsetof(struct tool_item, parameters),
     .code = CODE_NONE,
     .meaning =
         "the function's parameters: a list of names; or of objects with name and optionally "
         "type, description, default, optional and kind; or a JSON Schema of type object. "
         "Without them the function takes any arguments"},
    {.field = "returns",
     .opt = {.kind = OPT_STRING, .offset = offsetof(struct tool_item, returns)},
     .code = CODE_NONE,
     .meaning = "the type of the function's value, as Python writes it: \"list[str]\""},
    {.field = "timeout_ms",
     .opt = {.kind = OPT_DURATION, .offset = offsetof(struct tool_item, timeout_ms)},
     .meaning = "how long a call waits for its answer"},
    {.field = NULL},
};
const struct ask_form tool_form = {.own = tool_rows};

static struct tool_new new_tool(const struct tool_item *item)
{
    return (struct tool_new){
        .name = item->name,
        .description = item->description,
        .returns = item->returns,
        .parameters = item->parameters,
        .fn = tool_ask_client,
        .timeout_ms = item->timeout_ms > 0 ? item->timeout_ms : 0,
    };
}

int tools_read(json_t *list, struct tool_set *ret, const struct config *config, struct err *err)
{
    json_t *value;
    size_t i;

    if (json_array_size(list) > TOOLS_MAX)
        return err_set(err, ERR_LIMIT, "'tools': there are more than %d", TOOLS_MAX);
    json_array_foreach(list, i, value)
    {
        struct tool_item item = {0};
        if (!json_is_object(value))
            return err_set(err, ERR_USAGE, "'tools[%zu]' must be an object with a \"name\"", i);
        if (ask_read(&tool_form, value, &config->rules, &item, err) < 0)
            return err_wrap(err, "'tools[%zu]'", i);
        struct tool_new tool = new_tool(&item);
        if (tool_set_add(ret, &tool, err) < 0)
            return err_wrap(err, "'tools[%zu]'", i);
    }
    return 0;
}

/* ---- in an open session ---- */

static void answer_done(struct job *job)
{
    job_answer(job, 200, xasprintf("{\"id\":\"%s\",\"done\":true}", job->turn.entry->id));
}

void tool_put_work(struct job *job)
{
    struct tool_item item = {0};
    struct err err;

    if (job_read(job, &item, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    struct tool_new tool = new_tool(&item);
    if (session_tool_put(job->turn.entry->session, &tool, &err) < 0)
        session_fail(job, &err);
    else
        answer_done(job);
}

static void remove_work(struct job *job)
{
    const char *name = job->own;
    struct err err;

    if (session_tool_remove(job->turn.entry->session, name, &err) == 0)
        answer_done(job);
    else
        session_fail(job, &err);
}

static void release_name(struct job *job)
{
    free(job->own);
}

void handle_session_tool_remove(struct call *call)
{
    struct session_entry *e = session_of(call);
    struct job *job = e ? job_new(call->server, call) : NULL;

    if (!job)
        return;
    job->work = remove_work;
    job->own = xstrdup(call->rest.p);
    job->release = release_name;
    session_submit(e, job);
}
