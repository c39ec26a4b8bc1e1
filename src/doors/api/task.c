/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks for a model: the flows of agent/flows.h, with the handle's options.
 */

#include "agent/event_json.h"
#include "agent/flows.h"
#include "api/handle.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "llm/llm.h"
#include "llm/usage_write.h"
#include "request/run_ask.h"
#include "request/wording.h"

struct task {
    glovebox *box;
    json_t *document; /* the fields */
    struct settings ask;
    struct request_parts parts;
    struct flow_task flow;
    struct agent_watch watch;
    struct agent_lines lines;
};

static void task_on_line(void *ctx, struct str line)
{
    const glovebox *box = ctx;

    box->event(box->event_ctx, line.p, line.n);
}

static void task_on_event(void *ctx, const struct agent_event *event)
{
    agent_lines_add(&((struct task *)ctx)->lines, event);
}

static int task_read_document(struct task *task, const char *json, size_t n, struct err *err)
{
    json_error_t where;

    task->document = json_loadb(json, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
    if (!task->document)
        return err_set(err, ERR_USAGE, "the task is not JSON: %s (line %d, column %d)", where.text,
                       where.line, where.column);
    return json_is_object(task->document)
               ? 0
               : err_set(err, ERR_USAGE, "the task must be an object of JSON");
}

static int read_task(struct task *task, const char *name, const char *json, size_t n,
                     struct err *err)
{
    const struct settings *own = &task->box->settings;
    const struct request_rules rules = {
        .defaults = own, .permits = ~0U, .any_image = true, .any_net = true};
    const struct flow *flow = flow_find(name ? name : "");
    struct run_request run;

    if (!flow)
        return err_set(err, ERR_USAGE, "there is no task '%.60s'", name ? name : "");
    const struct ask_form form = {.verb = flow_verb(flow)};
    ask_begin(&task->ask, &rules, &task->parts.lent);
    if (task_read_document(task, json, n, err) < 0 ||
        ask_read(&form, task->document, &rules, &task->ask, err) < 0 ||
        request_make(&task->ask, &rules, &task->parts, &run, err) < 0 ||
        handle_complete(task->box, &run) < 0)
        return -1;
    handle_lend_pool(task->box, &run, false);
    if (flow_prepare(&task->flow, flow, &task->ask, &run, err) < 0)
        return -1;
    task->flow.request.stream = task->box->event;
    return 0;
}

/* Error messages of the rules name options; here they must name fields. */
static void name_fields(struct err *err)
{
    json_t *document = json_pack("{s:{s:s}}", "error", "message", err->msg);

    wording_use(document, WORDING_FIELDS);
    const char *text = json_get_text(json_object_get(document, "error"), "message");
    if (text)
        snprintf(err->msg, sizeof err->msg, "%s", text);
    json_decref(document);
}

/* A failure to write the usage is ignored: the task itself is done. */
static void task_log_usage(const glovebox *box, const struct llm *llm)
{
    const struct usage_of what = {
        .log = box->settings.log, .provider = llm_provider_name(llm), .model = llm_model(llm)};
    struct err err;

    (void)usage_write(&what, llm_usage_of(llm), &err);
}

static char *do_task(struct task *task, struct err *err)
{
    glovebox *box = task->box;
    struct flow_output output;

    task->watch = (struct agent_watch){
        .event = box->event ? task_on_event : NULL, .ctx = task, .cancel_fd = box->cancel[0]};
    task->lines.run = (struct event_lines){.line = task_on_line, .ctx = box};
    handle_forget_cancel(box);
    if (llm_open(&task->ask.model, &task->flow.llm, err) < 0)
        return NULL;
    task->flow.watch = &task->watch;
    flow_run(&task->flow, &output);
    task_log_usage(box, task->flow.llm);
    llm_close(task->flow.llm);
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
    if (read_task(&task, name, json, n, &box->err) < 0)
        name_fields(&box->err);
    else
        text = do_task(&task, &box->err);
    flow_task_done(&task.flow);
    request_parts_done(&task.parts);
    json_decref(task.document);
    return text;
}

void glovebox_on_event(glovebox *box, glovebox_event_fn fn, void *ctx)
{
    box->event = fn;
    box->event_ctx = ctx;
}
