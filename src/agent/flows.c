/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flows.h"

#include <stdlib.h>
#include <string.h>

#include "agent/analyze.h"
#include "agent/fix.h"
#include "agent/flow_fields.h"
#include "agent/generate.h"
#include "agent/math_task.h"
#include "agent/samples.h"
#include "agent/solve_setup.h"
#include "agent/transform.h"
#include "base/mem.h"

static void take_failure(const struct agent *agent, struct flow_output *ret)
{
    if (agent->end == AGENT_FAILED || agent->end == AGENT_CANCELLED)
        ret->failure = agent->error;
    ret->model_failed = agent->model_failed;
}

/* ---- one conversation ---- */

static void work_generate(const struct flow_task *task, struct flow_output *ret)
{
    struct generate_result result;
    struct agent agent;

    agent_begin(&agent, task->llm, task->request, task->watch);
    (void)generate(&agent, task->input->task, &result);
    ret->document = generate_document(&agent, &result);
    take_failure(&agent, ret);
    generate_done(&result);
    agent_done(&agent);
}

static void work_math(const struct flow_task *task, struct flow_output *ret)
{
    struct math_answer answer;
    struct agent agent;

    agent_begin(&agent, task->llm, task->request, task->watch);
    (void)math_task(&agent, task->input->task, &answer);
    ret->document = math_task_document(&agent, &answer);
    take_failure(&agent, ret);
    buf_done(&answer.text);
    agent_done(&agent);
}

/* The files of the request are the data; NULL-terminated, the caller frees. */
static char **names_of(const struct run_request *run)
{
    char **names = xcalloc(run->input_count + 1, sizeof *names);

    for (size_t i = 0; i < run->input_count; i++)
        names[i] = xstrndup(run->inputs[i].name.p, run->inputs[i].name.n);
    return names;
}

static void free_names(char **names)
{
    for (size_t i = 0; names[i]; i++)
        free(names[i]);
    free(names);
}

static void work_analyze(const struct flow_task *task, struct flow_output *ret)
{
    const struct trial_request trial = {.kind = TRIAL_RUN};
    char **names = names_of(task->request->run);
    struct agent agent;

    agent_begin(&agent, task->llm, task->request, task->watch);
    (void)analyze(&agent, &(struct analyze_request){
                              .question = task->input->task, .names = names, .trial = &trial});
    ret->document = analyze_document(&agent);
    take_failure(&agent, ret);
    agent_done(&agent);
    free_names(names);
}

/* The daemon's usual limit is meant for people. */
static struct run_request for_model(const struct run_request *from)
{
    struct run_request run = *from, usual;

    run_request_init(&usual);
    if (run.output_limit == usual.output_limit)
        run.output_limit = SOLVE_OUTPUT_LIMIT;
    return run;
}

static void work_solve(const struct flow_task *task, struct flow_output *ret)
{
    const struct flow_input *input = task->input;
    const struct solve_choice choice = {.calls = input->calls,
                                        .style = input->style,
                                        .one_shot = input->one_shot,
                                        .check = input->check};
    const struct run_request run = for_model(task->request->run);
    struct agent_request request = *task->request;
    struct solve_setup setup;
    struct solve_result result;
    struct agent agent;

    request.run = &run;
    solve_setup(&setup, &choice, &request);
    agent_begin(&agent, task->llm, &request, task->watch);
    (void)solve(&agent, &setup.request, input->task, &result);
    ret->document = solve_document(&agent, &setup.request, &result);
    take_failure(&agent, ret);
    solve_done(&result);
    agent_done(&agent);
    solve_setup_done(&setup);
}

/* ---- several side by side, the first that passes wins ---- */

static void work_samples(const struct flow_task *task, int (*flow)(void *ctx, struct agent *agent),
                         struct flow_output *ret)
{
    const struct samples_request request = {
        .llm = task->llm,
        .settings = task->settings,
        .task = task->request,
        .watch = task->watch,
        .n = task->input->samples,
        .jobs = SAMPLES_JOBS,
        .flow = flow,
        .ctx = (void *)(uintptr_t)task,
    };
    struct samples samples;

    if (samples_run(&request, &samples, &ret->failure) == 0) {
        const struct agent *best = samples_best(&samples);
        ret->document = fix_document(best);
        samples_add_json(&samples, ret->document);
        take_failure(best, ret);
    }
    samples_done(&samples);
}

static int fix_one(void *ctx, struct agent *agent)
{
    const struct flow_input *input = ((const struct flow_task *)ctx)->input;
    const struct trial_request trial = {.kind = input->judge ? TRIAL_CASES : TRIAL_RUN,
                                        .judge = input->judge};

    return fix(agent, &(struct fix_request){.code = input->code, .trial = &trial});
}

static void work_fix(const struct flow_task *task, struct flow_output *ret)
{
    work_samples(task, fix_one, ret);
}

static int transform_one(void *ctx, struct agent *agent)
{
    const struct flow_input *input = ((const struct flow_task *)ctx)->input;
    const struct trial_request trial = {.kind = input->judge ? TRIAL_CASES : TRIAL_READ,
                                        .judge = input->judge};

    return transform(agent, &(struct transform_request){
                                .code = input->code, .instruction = input->task, .trial = &trial});
}

static void work_transform(const struct flow_task *task, struct flow_output *ret)
{
    work_samples(task, transform_one, ret);
}

/* ---- the table ---- */

static const struct field *const generate_fields[] = {flow_task_fields, flow_language_fields,
                                                      flow_common_fields, NULL};
static const struct field *const question_fields[] = {flow_task_fields, flow_common_fields, NULL};
static const struct field *const solve_fields[] = {flow_task_fields, flow_language_fields,
                                                   flow_solve_fields, flow_common_fields, NULL};
static const struct field *const fix_fields[] = {code_fields, flow_cases_fields, flow_common_fields,
                                                 NULL};
static const struct field *const transform_fields[] = {flow_task_fields, code_fields,
                                                       flow_cases_fields, flow_common_fields, NULL};

static const struct flow flows[] = {
    {"generate", generate_fields, 1, false, work_generate},
    {"solve", solve_fields, 0, false, work_solve},
    {"fix", fix_fields, 0, false, work_fix},
    {"transform", transform_fields, 0, false, work_transform},
    {"analyze", question_fields, 0, true, work_analyze},
    {"math", question_fields, 0, false, work_math},
    {NULL, NULL, 0, false, NULL},
};

const struct flow *flow_find(const char *name)
{
    for (const struct flow *flow = flows; flow->name; flow++)
        if (strcmp(flow->name, name) == 0)
            return flow;
    return NULL;
}

/* What is left to say when not even a conversation could begin. */
static json_t *bare_document(const struct err *failure)
{
    return json_pack("{s:b, s:{s:s, s:s}}", "success", 0, "error", "kind",
                     err_kind_name(failure->kind), "message", failure->msg);
}

void flow_run(const struct flow *flow, const struct flow_task *task, struct flow_output *ret)
{
    struct agent_request request = *task->request;
    struct flow_task own = *task;

    *ret = (struct flow_output){0};
    request.component = flow->name;
    if (!request.bounds.steps)
        request.bounds.steps = flow->steps;
    own.request = &request;
    flow->work(&own, ret);
    if (!ret->document)
        ret->document = bare_document(&ret->failure);
}
