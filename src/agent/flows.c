/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flows.h"

#include <string.h>

#include "agent/flow_fields.h"
#include "agent/generate.h"

static json_t *work_generate(struct agent *agent, const struct flow_input *input)
{
    struct generate_result result;

    (void)generate(agent, input->task, &result);
    json_t *document = generate_document(agent, &result);
    generate_done(&result);
    return document;
}

static const struct field *const generate_fields[] = {flow_task_fields, flow_language_fields,
                                                      flow_common_fields, NULL};

const struct flow flows[] = {
    {.name = "generate",
     .summary = "Let a model write a program; nothing is run.",
     .needs = FLOW_TASK,
     .fields = generate_fields,
     .steps = 1,
     .work = work_generate},
    {0},
};

const struct flow *flow_find(const char *name)
{
    for (const struct flow *flow = flows; flow->name; flow++)
        if (strcmp(flow->name, name) == 0)
            return flow;
    return NULL;
}

static unsigned parts_of(const struct flow_input *input)
{
    return (input->task ? FLOW_TASK : 0U) | (input->code.p ? FLOW_CODE : 0U) |
           (input->cases || input->func ? FLOW_CASES : 0U);
}

int flow_check(const struct flow *flow, const struct flow_input *input, struct err *err)
{
    static const struct {
        unsigned part;
        const char *name;
    } parts[] = {{FLOW_TASK, "task"}, {FLOW_CODE, "code"}, {FLOW_CASES, "cases"}};
    unsigned given = parts_of(input);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (flow->needs & ~given & parts[i].part)
            return err_set(err, ERR_USAGE, "'%s' is missing", parts[i].name);
        if (given & ~(flow->needs | flow->takes) & parts[i].part)
            return err_set(err, ERR_USAGE, "'%s' does not apply to %s", parts[i].name, flow->name);
    }
    if (input->task && str_trim(str_from(input->task)).n == 0)
        return err_set(err, ERR_USAGE, "'task' is empty");
    return 0;
}

int flow_run(const struct flow *flow, struct llm *llm, const struct agent_request *request,
             const struct agent_watch *watch, const struct flow_input *input,
             struct flow_output *ret, struct err *err)
{
    struct agent_request own = *request;
    struct agent agent;

    *ret = (struct flow_output){0};
    if (flow_check(flow, input, err) < 0)
        return -1;
    own.component = flow->name;
    if (!own.bounds.steps)
        own.bounds.steps = flow->steps;
    agent_begin(&agent, llm, &own, watch);
    ret->document = flow->work(&agent, input);
    if (agent.end == AGENT_FAILED || agent.end == AGENT_CANCELLED)
        ret->failure = agent.error;
    agent_done(&agent);
    return 0;
}
