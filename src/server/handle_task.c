/* SPDX-License-Identifier: Apache-2.0
 *
 * POST /v1/generate and the other tasks for a model: a route for each row of agent/flows.h. The
 * model is the daemon's own, and so are its key and the bounds, which a client may only lower.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/event_json.h"
#include "agent/flow_fields.h"
#include "agent/usage.h"
#include "base/mem.h"
#include "server/front.h"
#include "server/handle_parts.h"

struct task_fields {
    struct flow_fields flow; /* first */
    const char *model;
    double cost_limit;
    int64_t steps, token_limit, task_timeout_ms;
};

#define AT(member) offsetof(struct task_fields, member)

enum { COST_MAX = 1000000000 };

static const struct field daemon_fields[] = {
    {.name = "model",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(model),
     .initial = "the daemon's",
     .help = "The model: the daemon's --model, or one of its --models."},
    {.name = "steps",
     .kind = FIELD_COUNT,
     .offset = AT(steps),
     .initial = "the task's own",
     .help = "How many answers the model may give."},
    {.name = "token_limit",
     .kind = FIELD_COUNT,
     .offset = AT(token_limit),
     .initial = "the daemon's",
     .help = "Tokens of all questions and answers together."},
    {.name = "cost_limit",
     .kind = FIELD_NUMBER,
     .offset = AT(cost_limit),
     .initial = "the daemon's",
     .help = "What the task may cost, in dollars, by the daemon's price table."},
    {.name = "task_timeout_ms",
     .kind = FIELD_MS,
     .offset = AT(task_timeout_ms),
     .initial = "the daemon's",
     .help = "Time of the whole task."},
    {0},
};

#define DAEMON_TABLES daemon_fields, wall_fields, limit_fields, policy_fields, answer_fields, NULL

const struct field *const generate_tables[] = {flow_task_fields, flow_language_fields,
                                               flow_common_fields, DAEMON_TABLES};
const struct field *const solve_tables[] = {flow_task_fields,  flow_language_fields,
                                            flow_solve_fields, flow_common_fields,
                                            input_fields,      DAEMON_TABLES};
const struct field *const fix_tables[] = {code_fields, flow_cases_fields, flow_common_fields,
                                          input_fields, DAEMON_TABLES};
const struct field *const transform_tables[] = {flow_task_fields,   code_fields,  flow_cases_fields,
                                                flow_common_fields, input_fields, DAEMON_TABLES};
const struct field *const analyze_tables[] = {flow_task_fields, flow_common_fields, input_fields,
                                              DAEMON_TABLES};
const struct field *const math_tables[] = {flow_task_fields, flow_common_fields, DAEMON_TABLES};

/* Everything that a task is made of, in a worker. */
struct task {
    struct job *job;
    const struct flow *flow;
    const struct field *const *tables;
    struct task_fields fields;
    struct request_parts parts;
    struct run_request run;
    struct llm_settings model;
    struct agent_request request;
    struct flow_input input;
    struct agent_lines lines;
};

/* ---- what is asked ---- */

/* The field's value below the daemon's bound, where 0 is none. */
static int lower(const char *name, int64_t asked, int64_t *bound, struct err *err)
{
    if (asked < 0)
        return 0;
    if (*bound && (!asked || asked > *bound))
        return err_set(err, ERR_POLICY, "'%s': this daemon allows at most %lld", name,
                       (long long)*bound);
    *bound = asked;
    return 0;
}

/* A bound that rounds to 0 would be none. */
static int read_cost(double dollars, int64_t *ret_milli, struct err *err)
{
    if (dollars < 0)
        return 0;
    if ((dollars > 0 && dollars < 0.001) || dollars > COST_MAX)
        return err_set(err, ERR_USAGE,
                       "'cost_limit' must be from 0.001 to %d dollars, or 0 for none", COST_MAX);
    *ret_milli = (int64_t)(dollars * 1000 + 0.5);
    return 0;
}

static int read_bounds(struct task *task, struct err *err)
{
    const struct task_fields *f = &task->fields;
    struct agent_bounds *bounds = &task->request.bounds;
    int64_t milli = -1;

    *bounds = task->job->config->settings.bounds;
    if (read_cost(f->cost_limit, &milli, err) < 0)
        return -1;
    if (f->steps == 0)
        return err_set(err, ERR_USAGE, "'steps' must be at least 1");
    if (lower("steps", f->steps, &bounds->steps, err) < 0 ||
        lower("token_limit", f->token_limit, &bounds->tokens, err) < 0 ||
        lower("task_timeout_ms", f->task_timeout_ms, &bounds->time_ms, err) < 0)
        return -1;
    if (lower("cost_limit", milli, &bounds->cost_milli, err) < 0)
        return err_set(err, ERR_POLICY, "'cost_limit': this daemon allows at most %.3f",
                       (double)bounds->cost_milli / 1000);
    return 0;
}

static bool offers(const struct server_settings *s, const char *model)
{
    for (size_t i = 0; i < s->models.n; i++)
        if (strcmp(s->models.items[i], model) == 0)
            return true;
    return strcmp(s->model.model, model) == 0;
}

static int choose_model(struct task *task, struct err *err)
{
    const struct server_settings *s = &task->job->config->settings;
    const char *asked = task->fields.model;

    task->model = s->model;
    if (!s->model.model)
        return err_set(err, ERR_UNSUPPORTED,
                       "this daemon has no model; start it with --model NAME");
    if (asked && !offers(s, asked))
        return err_set(err, ERR_POLICY,
                       "'model': this daemon does not offer '%.60s' (serve --models)", asked);
    if (asked)
        task->model.model = (char *)(uintptr_t)asked;
    return 0;
}

static int read_task(struct task *task, struct err *err)
{
    struct job *job = task->job;
    const struct request_rules *rules = job->rules;

    if (job_read(job, err) < 0 ||
        fields_read(task->tables, job->doc, rules, &task->fields, err) < 0 ||
        request_serve(job, &task->fields.flow.run, &task->parts, &task->run, err) < 0 ||
        choose_model(task, err) < 0 || read_bounds(task, err) < 0)
        return -1;
    task->request.run = &task->run;
    task->request.prompts = task->model.prompts;
    task->request.stream = job->streams;
    return flow_fields_input(task->flow, &task->fields.flow, &task->input, &task->request, err);
}

/* ---- the task ---- */

static void on_event(void *ctx, const struct agent_event *event)
{
    agent_lines_add(&((struct task *)ctx)->lines, event);
}

/* The service failed, not the client and not the daemon. */
static int status_of(const struct err *failure)
{
    if (failure->kind == ERR_NONE)
        return 200;
    return failure->kind == ERR_TIMEOUT ? 504 : 502;
}

static void answer(struct task *task, const struct flow_output *output)
{
    if (task->job->streams) {
        agent_lines_finish(&task->lines, output->document);
        task->job->status = 200;
    } else if (output->failure.kind == ERR_USAGE && !output->model_failed) {
        job_fail(task->job, &output->failure);
        json_decref(output->document);
    } else {
        job_answer_json(task->job, status_of(&output->failure), output->document);
    }
}

/* In the daemon's own log, whatever log the client named. */
static void log_usage(const struct task *task, const struct llm *llm)
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
    const struct agent_watch watch = {
        .event = job->streams ? on_event : NULL, .ctx = task, .cancel_fd = job->cancel_fd};
    struct flow_output output;
    struct llm *llm;

    task->lines.run = job_event_lines(job);
    if (llm_open(&task->model, &llm, err) < 0)
        return -1;
    const struct flow_task ask = {.llm = llm,
                                  .settings = &task->model,
                                  .request = &task->request,
                                  .watch = &watch,
                                  .input = &task->input};
    flow_run(task->flow, &ask, &output);
    answer(task, &output);
    log_usage(task, llm);
    llm_close(llm);
    return 0;
}

static void work(struct job *job)
{
    const struct route *route = job->own;
    struct task task = {.job = job, .flow = flow_find(route->name), .tables = route->fields};
    struct err err;

    request_parts_init(&task.parts);
    run_fields_init(&task.fields.flow.run, job->rules, &task.parts);
    flow_fields_init(&task.fields.flow);
    if (read_task(&task, &err) < 0 || do_task(&task, &err) < 0)
        job_fail(job, &err);
    flow_fields_done(&task.fields.flow);
    request_parts_done(&task.parts);
}

/* A route is no memory of the job's. */
static void release(struct job *job)
{
    job->own = NULL;
}

void handle_task(struct call *call)
{
    struct job *job = job_new(call->server, call);

    if (!job)
        return;
    job->own = (void *)(uintptr_t)call->route;
    job->release = release;
    job->work = work;
    job_submit(job);
}
