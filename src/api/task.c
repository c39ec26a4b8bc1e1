/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks for a model: the flows of agent/flows.h, with the handle's options.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/event_json.h"
#include "agent/flow_fields.h"
#include "agent/usage.h"
#include "api/handle.h"
#include "base/json_write.h"
#include "base/mem.h"

struct task {
    glovebox *box;
    const struct flow *flow;
    json_t *document; /* the fields */
    struct flow_fields fields;
    struct request_parts parts;
    struct run_request run;
    struct agent_request request;
    struct flow_input input;
    struct agent_lines lines;
};

static void on_line(void *ctx, struct str line)
{
    const glovebox *box = ctx;

    box->event(box->event_ctx, line.p, line.n);
}

static void on_event(void *ctx, const struct agent_event *event)
{
    agent_lines_add(&((struct task *)ctx)->lines, event);
}

static int read_document(struct task *task, const char *json, size_t n, struct err *err)
{
    json_error_t where;

    task->document = json_loadb(json, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
    if (!task->document)
        return err_set(err, ERR_USAGE, "the task is no JSON: %s (line %d, column %d)", where.text,
                       where.line, where.column);
    return json_is_object(task->document)
               ? 0
               : err_set(err, ERR_USAGE, "the task must be an object of JSON");
}

static int read_task(struct task *task, const char *name, const char *json, size_t n,
                     struct err *err)
{
    const struct request_rules rules = {.defaults = &task->box->settings.common};

    task->flow = flow_find(name ? name : "");
    if (!task->flow)
        return err_set(err, ERR_USAGE, "there is no task '%.60s'", name ? name : "");
    run_fields_init(&task->fields.run, &rules, &task->parts);
    flow_fields_init(&task->fields);
    if (read_document(task, json, n, err) < 0 ||
        fields_read(task->flow->fields, task->document, &rules, &task->fields, err) < 0 ||
        handle_request(task->box, NULL, (struct str){NULL, 0}, &task->run) < 0)
        return -1;
    handle_lend_pool(task->box, &task->run, false);
    task->request.run = &task->run;
    task->request.prompts = task->box->settings.model.prompts;
    task->request.bounds = task->box->settings.bounds;
    task->request.stream = task->box->event;
    return flow_fields_input(task->flow, &task->fields, &task->input, &task->request, err);
}

/* A task is done even if that cannot be written. */
static void log_usage(const glovebox *box, const struct llm *llm)
{
    const struct usage_of what = {.log = box->settings.common.log,
                                  .provider = llm_provider_name(llm),
                                  .model = llm_model(llm)};
    struct err err;

    (void)usage_write(&what, llm_usage_of(llm), &err);
}

static char *do_task(struct task *task, struct err *err)
{
    glovebox *box = task->box;
    const struct agent_watch watch = {
        .event = box->event ? on_event : NULL, .ctx = task, .cancel_fd = box->cancel[0]};
    struct flow_output output;
    struct llm *llm;

    task->lines.run = (struct event_lines){.line = on_line, .ctx = box};
    handle_forget_cancel(box);
    if (llm_open(&box->settings.model, &llm, err) < 0)
        return NULL;
    const struct flow_task ask = {.llm = llm,
                                  .settings = &box->settings.model,
                                  .request = &task->request,
                                  .watch = &watch,
                                  .input = &task->input};
    flow_run(task->flow, &ask, &output);
    log_usage(box, llm);
    llm_close(llm);
    char *text = json_write(output.document, false);
    json_decref(output.document);
    return text;
}

char *glovebox_task(glovebox *box, const char *name, const char *json, size_t n)
{
    struct task task = {.box = box};
    char *text = NULL;

    handle_begin(box);
    request_parts_init(&task.parts);
    if (read_task(&task, name, json, n, &box->err) == 0)
        text = do_task(&task, &box->err);
    flow_fields_done(&task.fields);
    request_parts_done(&task.parts);
    json_decref(task.document);
    return text;
}

void glovebox_on_event(glovebox *box, glovebox_event_fn fn, void *ctx)
{
    box->event = fn;
    box->event_ctx = ctx;
}
