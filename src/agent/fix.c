/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/fix.h"

#include "text/format.h"

enum { PROGRAM_MAX = 512 << 10, MESSAGE_MAX = 2 << 20 };

int fix_show_program(struct agent *agent, struct str code, const char *problem, struct buf *ret)
{
    struct err err;

    if (code.n > PROGRAM_MAX) {
        (void)err_set(&err, ERR_USAGE, "the program is longer than %d KiB: too long for a model",
                      PROGRAM_MAX >> 10);
        return agent_finish(agent, AGENT_FAILED, &err);
    }
    buf_init(ret, MESSAGE_MAX);
    (void)buf_addf(ret, "This %s program %s\n\n", agent->request->language, problem);
    format_fenced(ret, str_from(agent->request->language), code);
    return 0;
}

static int say_problem(struct agent *agent, struct str code, const struct trial *trial)
{
    AUTO_BUF struct buf message = {0};

    if (agent_say_system(agent, "fix", NULL) < 0 ||
        fix_show_program(agent, code, "fails:", &message) < 0)
        return -1;
    (void)buf_adds(&message, "\nWhat failed:\n\n");
    format_fenced(&message, STR("text"), buf_str(&trial->report));
    llm_say(&agent->messages, LLM_USER, message.p);
    return 0;
}

static int try_given(struct agent *agent, const struct fix_request *request)
{
    struct trial trial;

    (void)buf_add_str(&agent->code, request->code);
    int status = trial_make(agent, request->trial, &trial);
    bool passed = trial.passed;
    if (status == 0 && !passed)
        status = say_problem(agent, request->code, &trial);
    agent_step_done(agent, trial.document);
    trial.document = NULL;
    trial_done(&trial);
    return status == 0 && passed ? agent_finish(agent, AGENT_DONE, NULL) : status;
}

int fix(struct agent *agent, const struct fix_request *request)
{
    if (agent->end != AGENT_OPEN)
        return -1;
    buf_done(&agent->code);
    buf_init(&agent->code, request->code.n);
    int status = try_given(agent, request);
    return agent->end == AGENT_OPEN ? trial_until_passed(agent, request->trial) : status;
}

json_t *fix_document(const struct agent *agent)
{
    json_t *document = agent_document(agent);

    json_object_set_new(document, "attempts", json_integer(agent->step));
    if (agent->end == AGENT_STEPS)
        json_object_set_new(json_object_get(document, "error"), "message",
                            json_string("Max attempts reached"));
    return document;
}
