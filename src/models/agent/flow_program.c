/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks with a program as their answer.
 *
 * fix: a failing program and the reason are sent to a model, until a program of the model passes.
 * transform: a model rewrites a program according to an instruction. The new program must have no
 * syntax error, must be allowed by the guard, and must pass the cases if there are any. generate: a
 * model writes a program. It is not run, unless there are cases that it has to pass.
 */
#include "agent/flow_table.h"
#include "agent/trial.h"
#include "formats/encoded.h"
#include "llm/llm.h"
#include "result/verdict_json.h"
#include "text/format.h"

enum { PROGRAM_MAX = 512 << 10, MESSAGE_MAX = 2 << 20 };

static struct trial_request trial_of(const struct flow_task *task, enum trial_kind otherwise)
{
    const struct settings *ask = task->ask;

    return (struct trial_request){.kind = task->has_cases ? TRIAL_CASES : otherwise,
                                  .judge = &task->judge,
                                  .input = *task->input ? task->input : ask->input};
}

/* Adds the message "This LANGUAGE program PROBLEM" with the program. -1 when the program is too
 * long for a question; then the task is over. */
static int show_program(struct agent *agent, struct str code, const char *problem, struct buf *ret)
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

/* ---- fix ---- */

static int say_problem(struct agent *agent, struct str code, const struct trial *trial)
{
    AUTO_BUF struct buf message = {0};

    if (agent_say_system(agent, "fix", NULL) < 0 ||
        show_program(agent, code, "fails:", &message) < 0)
        return -1;
    (void)buf_adds(&message, "\nWhat failed:\n\n");
    format_fenced(&message, STR("text"), buf_str(&trial->report));
    llm_say(&agent->messages, LLM_USER, message.p);
    return 0;
}

static int try_given(const struct flow_task *task, struct agent *agent,
                     const struct trial_request *what)
{
    struct str code = task->run.program.code;
    struct trial trial;

    buf_done(&agent->code);
    buf_init(&agent->code, code.n);
    (void)buf_add_str(&agent->code, code);
    int status = trial_make(agent, what, &trial);
    bool passed = trial.passed;
    if (status == 0 && !passed)
        status = say_problem(agent, code, &trial);
    agent_step_done(agent, trial.document);
    trial.document = NULL;
    trial_done(&trial);
    return status == 0 && passed ? agent_finish(agent, AGENT_DONE, NULL) : status;
}

/* If the given program passes, the model is not asked. */
static int fix(const struct flow_task *task, struct agent *agent)
{
    const struct trial_request what = trial_of(task, TRIAL_RUN);
    int status = try_given(task, agent, &what);

    return agent->end == AGENT_OPEN ? trial_until_passed(agent, &what) : status;
}

static json_t *fix_document(const struct flow_task *task, const struct agent *agent)
{
    (void)task;
    return trial_document(agent);
}

const struct flow flow_fix = {
    .verb = V_FIX, .temperature = 0.1, .work = fix, .document = fix_document};

/* ---- transform ---- */

static int transform(const struct flow_task *task, struct agent *agent)
{
    const struct trial_request what = trial_of(task, TRIAL_READ);
    AUTO_BUF struct buf message = {0};

    if (agent_say_system(agent, "transform", NULL) < 0 ||
        show_program(agent, task->run.program.code, "is to be rewritten:", &message) < 0)
        return -1;
    (void)buf_addf(&message, "\nInstruction: %s\n", task->ask->task);
    llm_say(&agent->messages, LLM_USER, message.p);
    return trial_until_passed(agent, &what);
}

const struct flow flow_transform = {
    .verb = V_TRANSFORM, .temperature = 0.2, .work = transform, .document = fix_document};

/* ---- generate ---- */

struct generated {
    struct buf complaint; /* why the answer has no program, in a line */
    struct llm_answer answer;
    bool checked; /* the guard read the code: the verdict is set */
    struct verdict verdict;
};

/* The answer may have no program, and the verdict may refuse it: the task is done nevertheless. */
static int take_generated(struct agent *agent, struct generated *ret)
{
    const struct agent_question question = {0};

    if (agent_ask(agent, &question, &ret->answer) < 0 ||
        agent_take_program(agent, buf_str(&ret->answer.text), &ret->complaint) < 0)
        return -1;
    if (agent->code.n) {
        if (agent_check(agent, &ret->verdict) < 0)
            return -1;
        ret->checked = true;
    }
    return agent_finish(agent, AGENT_DONE, NULL);
}

static int generate(const struct flow_task *task, struct agent *agent)
{
    const struct trial_request what = trial_of(task, TRIAL_CASES);

    if (agent_say_system(agent, "generate", NULL) < 0)
        return -1;
    llm_say(&agent->messages, LLM_USER, task->ask->task);
    return task->has_cases ? trial_until_passed(agent, &what)
                           : take_generated(agent, agent->outcome);
}

static void generated_done(void *outcome)
{
    struct generated *g = outcome;

    buf_done(&g->complaint);
    llm_answer_done(&g->answer);
    verdict_done(&g->verdict);
}

/* {code, language, provider, model, reply, finish, attempts, verdict, usage, error}; `verdict` is
 * null without code. */
static json_t *generated_document(const struct flow_task *task, const struct agent *agent)
{
    const struct generated *g = agent->outcome;
    const struct llm_answer *answer = &g->answer;
    struct str error = agent->error.kind ? str_from(agent->error.msg) : buf_str(&g->complaint);

    if (task->has_cases)
        return trial_document(agent);
    return json_pack("{s:o?, s:s, s:s, s:s, s:o, s:s, s:i, s:o?, s:o, s:o?}", "code",
                     agent->code.n ? json_text(buf_str(&agent->code)) : NULL, "language",
                     agent->request->language, "provider", llm_provider_name(agent->llm), "model",
                     llm_model(agent->llm), "reply", json_text(buf_str(&answer->text)), "finish",
                     llm_finish_name(answer->finish), "attempts", answer->attempts, "verdict",
                     g->checked ? verdict_json(&g->verdict) : NULL, "usage",
                     llm_usage_table_json(llm_usage_of(agent->llm)), "error",
                     error.n ? json_text(error) : NULL);
}

const struct flow flow_generate = {.verb = V_GENERATE,
                                   .steps = 1,
                                   .temperature = 0.2,
                                   .outcome = sizeof(struct generated),
                                   .work = generate,
                                   .document = generated_document,
                                   .done = generated_done};
