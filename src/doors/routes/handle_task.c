/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/generate and the other tasks for a model: a route for each row of agent/flows.h. The
 * model, its key and the bounds are the daemon's; a client may only lower the bounds.
 */
#include <string.h>

#include "agent/event_json.h"
#include "agent/flows.h"
#include "llm/llm.h"
#include "llm/usage_write.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"

/* All data of a task, in a worker. */
struct task {
    struct job *job;
    struct asked asked;
    struct flow_task flow;
    struct agent_watch watch;
    struct agent_lines lines;
};

/* ---- the request ---- */

static bool offers(const struct server_settings *s, const char *model)
{
    for (size_t i = 0; i < s->models.n; i++)
        if (strcmp(s->models.items[i], model) == 0)
            return true;
    return strcmp(s->common.model.model, model) == 0;
}

static int check_model(const struct task *task, struct err *err)
{
    const struct server_settings *s = &task->job->config->settings;
    const char *model = task->asked.ask.model.model;

    if (!s->common.model.model)
        return err_set(err, ERR_UNSUPPORTED,
                       "this daemon has no model; start it with --model NAME");
    return offers(s, model)
               ? 0
               : err_set(err, ERR_POLICY,
                         "'model': this daemon does not offer '%.60s' (serve --models)", model);
}

static int read_task(struct task *task, struct err *err)
{
    struct job *job = task->job;
    struct asked *request = &task->asked;

    if (asked_read(job, request, err) < 0 || check_model(task, err) < 0 ||
        flow_prepare(&task->flow, flow_find(job->route->name), &request->ask, &request->run, err) <
            0)
        return -1;
    task->flow.request.stream = job->streams;
    return 0;
}

/* ---- the task ---- */

static void handle_task_on_event(void *ctx, const struct agent_event *event)
{
    agent_lines_add(&((struct task *)ctx)->lines, event);
}

/* 502 or 504 mean that the service failed, not the client and not the daemon. */
static int status_of(const struct flow_output *output)
{
    if (!output->failed)
        return 200;
    return output->error.kind == ERR_TIMEOUT ? 504 : 502;
}

static void handle_task_answer(struct task *task, const struct flow_output *output)
{
    if (task->job->streams) {
        agent_lines_finish(&task->lines, output->document);
        task->job->status = 200;
    } else if (output->failed && output->error.kind == ERR_USAGE && !output->model_failed) {
        job_fail(task->job, &output->error);
        json_decref(output->document);
    } else {
        job_answer_json(task->job, status_of(output), output->document);
    }
}

/* The usage is written to the daemon's log, also if the client named another one. */
static void handle_task_log_usage(const struct task *task, const struct llm *llm)
{
    const struct usage_of what = {.log = task->job->config->settings.common.log,
                                  .provider = llm_provider_name(llm),
                                  .model = llm_model(llm)};
    struct err err;

    if (usage_write(&what, llm_usage_of(llm), &err) < 0)
        server_say(task->job->server, "%s", err.msg);
}

static int do_task(struct task *task, struct err *err)
{
    struct job *job = task->job;
    struct flow_output output;

    task->watch = (struct agent_watch){.event = job->streams ? handle_task_on_event : NULL,
                                       .ctx = task,
                                       .cancel_fd = job->cancel_fd};
    task->lines.run = job_event_lines(job);
    if (llm_open(&task->asked.ask.model, &task->flow.llm, err) < 0)
        return -1;
    task->flow.watch = &task->watch;
    flow_run(&task->flow, &output);
    handle_task_answer(task, &output);
    handle_task_log_usage(task, task->flow.llm);
    llm_close(task->flow.llm);
    return 0;
}

void task_work(struct job *job)
{
    struct task task = {.job = job};
    struct err err;

    if (read_task(&task, &err) < 0 || do_task(&task, &err) < 0)
        job_fail(job, &err);
    flow_task_done(&task.flow);
    asked_done(&task.asked);
}
