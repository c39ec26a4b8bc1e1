/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flows.h"

#include <stdlib.h>
#include <string.h>

#include "agent/flow_table.h"
#include "agent/samples.h"
#include "base/mem.h"
#include "formats/encoded.h"

static const struct flow *const flows[] = {
#define TASK(id, name, ...) &flow_##name,
#include "request/verbs.def"
};

const struct flow *flow_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(flows); i++)
        if (strcmp(verb_command(flows[i]->verb), name) == 0)
            return flows[i];
    return NULL;
}

unsigned flow_verb(const struct flow *flow)
{
    return flow->verb;
}

static bool flow_has_samples(const struct flow_task *task)
{
    unsigned verb = task->flow->verb;

    return task->samples > 1 || verb & (V_FIX | V_TRANSFORM) || task->has_cases;
}

/* The document of a task whose conversation could not begin. */
static json_t *bare_document(const struct err *failure)
{
    return json_pack("{s:b, s:o}", "success", 0, "error", json_error(failure));
}

static void make_outcome(const struct flow *flow, struct agent *agent)
{
    if (flow->outcome && !agent->outcome)
        agent->outcome = xcalloc(1, flow->outcome);
}

static int flows_work(void *ctx, struct agent *agent)
{
    const struct flow_task *task = ctx;

    make_outcome(task->flow, agent);
    return task->flow->work(task, agent);
}

static void take_best(const struct flow_task *task, const struct samples *samples,
                      struct flow_output *ret)
{
    struct agent *best = samples_best(samples);

    make_outcome(task->flow, best); /* its conversation may not have begun */
    const struct solve_result *solved = task->flow->verb == V_SOLVE ? best->outcome : NULL;
    ret->document = task->flow->document(task, best);
    if (flow_has_samples(task))
        samples_add_json(samples, ret->document);
    ret->end = best->end;
    ret->error = best->error;
    ret->failed = best->end == AGENT_FAILED || best->end == AGENT_CANCELLED;
    ret->model_failed = best->model_failed;
    ret->refused = solved && solved->refused;
}

static void free_outcomes(const struct flow *flow, const struct samples *samples)
{
    for (int i = 0; i < samples->n; i++) {
        struct agent *agent = samples_agent(samples, i);
        if (agent->outcome && flow->done)
            flow->done(agent->outcome);
        free(agent->outcome);
        agent->outcome = NULL;
    }
}

void flow_run(const struct flow_task *task, struct flow_output *ret)
{
    const struct samples_request request = {
        .llm = task->llm,
        .settings = &task->ask->model,
        .task = &task->request,
        .watch = task->watch,
        .n = task->samples,
        .jobs = task->ask->jobs ? (int)task->ask->jobs : SAMPLES_JOBS,
        .flow = flows_work,
        .ctx = (void *)(uintptr_t)task,
    };
    struct samples samples;

    *ret = (struct flow_output){.failed = true};
    if (samples_run(&request, &samples, &ret->error) == 0)
        take_best(task, &samples, ret);
    else
        ret->document = bare_document(&ret->error);
    free_outcomes(task->flow, &samples);
    samples_done(&samples);
}
