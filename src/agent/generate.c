/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/generate.h"

#include "result/verdict_json.h"

static int say_task(struct agent *agent, const char *task)
{
    if (agent_say_system(agent, "generate", NULL) < 0)
        return -1;
    llm_say(&agent->messages, LLM_USER, task);
    return 0;
}

static int ask(struct agent *agent, const char *task, struct generate_result *ret)
{
    const struct agent_question question = {0};

    return say_task(agent, task) < 0 ? -1 : agent_ask(agent, &question, &ret->answer);
}

int generate(struct agent *agent, const char *task, struct generate_result *ret)
{
    *ret = (struct generate_result){0};
    if (ask(agent, task, ret) < 0 ||
        agent_take_program(agent, buf_str(&ret->answer.text), &ret->complaint) < 0)
        return -1;
    if (agent->code.n) {
        if (agent_check(agent, &ret->verdict) < 0)
            return -1;
        ret->checked = true;
    }
    return agent_finish(agent, AGENT_DONE, NULL);
}

int generate_tested(struct agent *agent, const char *task, const struct trial_request *trial)
{
    return say_task(agent, task) < 0 ? -1 : trial_until_passed(agent, trial);
}

void generate_done(struct generate_result *result)
{
    buf_done(&result->complaint);
    llm_answer_done(&result->answer);
    verdict_done(&result->verdict);
    *result = (struct generate_result){0};
}

json_t *generate_document(const struct agent *agent, const struct generate_result *result)
{
    const struct llm_answer *answer = &result->answer;
    struct str error = agent->error.kind ? str_from(agent->error.msg) : buf_str(&result->complaint);

    return json_pack("{s:o?, s:s, s:s, s:s, s:o, s:s, s:i, s:o?, s:o, s:o?}", "code",
                     agent->code.n ? json_text(buf_str(&agent->code)) : NULL, "language",
                     agent->request->language, "provider", llm_provider_name(agent->llm), "model",
                     llm_model(agent->llm), "reply", json_text(buf_str(&answer->text)), "finish",
                     llm_finish_name(answer->finish), "attempts", answer->attempts, "verdict",
                     result->checked ? verdict_json(&result->verdict) : NULL, "usage",
                     llm_usage_table_json(llm_usage_of(agent->llm)), "error",
                     error.n ? json_text(error) : NULL);
}
