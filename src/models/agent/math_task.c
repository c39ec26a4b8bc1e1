/* SPDX-License-Identifier: Apache-2.0
 *
 * A question about numbers, in words. The model gives an expression and nothing else. It is checked
 * and computed like an expression that a person wrote (math/math.h).
 */
#include "agent/flow_table.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "llm/llm.h"
#include "math/math.h"
#include "text/blocks.h"

enum { SHOWN_MAX = 200, REPORT_MAX = 4 << 10 };

/* Takes the expression: the reply's line, also from a code block or between backticks. */
static void take_expression(struct agent *agent, struct str reply)
{
    struct code_blocks blocks;

    blocks_read(reply, &blocks);
    struct str text = str_trim(blocks.n ? blocks.at[0].code : reply);
    while (text.n > 2 && text.p[0] == '`' && text.p[text.n - 1] == '`')
        text = str_slice(text, 1, text.n - 1);
    buf_done(&agent->code);
    buf_init(&agent->code, text.n);
    (void)buf_add_str(&agent->code, text);
    blocks_done(&blocks);
}

static int compute(struct agent *agent, struct math_answer *ret)
{
    struct run_request q = agent_program(agent);
    struct run_watch watch;
    struct err err;

    agent_watch_run(agent, &watch);
    q.limits.wall_ms = agent_time_for(agent, q.limits.wall_ms);
    int status = math_run(&q, &watch, buf_str(&agent->code), ret, &err);
    if (agent_after_run(agent) < 0)
        return -1;
    return status < 0 ? agent_finish(agent, AGENT_FAILED, &err) : 0;
}

static void math_task_report(const struct agent *agent, const struct math_answer *answer,
                             struct buf *ret)
{
    struct str code = buf_str(&agent->code), shown = str_slice(code, 0, utf8_cut(code, SHOWN_MAX));
    struct str problem = buf_str(&answer->text);

    buf_init(ret, REPORT_MAX);
    (void)buf_addf(ret, "'%.*s' has no value: %.*s\nAnswer with one expression alone.",
                   (int)shown.n, shown.p, (int)utf8_cut(problem, 1000), problem.p);
}

/* Tries one answer of the model. */
static int try_answer(struct agent *agent, struct str reply, struct math_answer *ret)
{
    AUTO_BUF struct buf wrong = {0};

    take_expression(agent, reply);
    buf_done(&ret->text);
    if (compute(agent, ret) < 0)
        return -1;
    if (!ret->good)
        math_task_report(agent, ret, &wrong);
    agent_step_done(agent, json_pack("{s:o, s:b, s:o}", "expression",
                                     json_text(buf_str(&agent->code)), "passed", ret->good,
                                     "report", wrong.n ? json_text(buf_str(&wrong)) : json_null()));
    if (ret->good)
        return agent_finish(agent, AGENT_DONE, NULL);
    llm_say(&agent->messages, LLM_USER, wrong.p);
    return 0;
}

/* 0: agent->code is the expression and the outcome its value; otherwise the outcome has the error
 * of the last expression, if there was one. */
static int math_task(const struct flow_task *task, struct agent *agent)
{
    struct math_answer *ret = agent->outcome;
    const struct agent_question ask = {0};
    int status = agent_say_system(agent, "math", NULL);

    buf_init(&ret->text, 0);
    llm_say(&agent->messages, LLM_USER, task->ask->task);
    while (status == 0 && agent->end == AGENT_OPEN) {
        struct llm_answer answer;
        status = agent_ask(agent, &ask, &answer);
        if (status == 0)
            status = try_answer(agent, buf_str(&answer.text), ret);
        llm_answer_done(&answer);
    }
    return status;
}

/* agent_document with "expression" and "value", which are null without success. */
static json_t *math_task_document(const struct flow_task *task, const struct agent *agent)
{
    const struct math_answer *answer = agent->outcome;
    json_t *document = agent_document(agent);
    bool good = agent->end == AGENT_DONE;

    (void)task;
    json_object_del(document, "code");
    json_object_set_new(document, "expression",
                        agent->code.n ? json_text(buf_str(&agent->code)) : json_null());
    json_object_set_new(document, "value", good ? json_text(buf_str(&answer->text)) : json_null());
    return document;
}

static void math_task_done(void *outcome)
{
    buf_done(&((struct math_answer *)outcome)->text);
}

const struct flow flow_math = {.verb = V_MATH,
                               .outcome = sizeof(struct math_answer),
                               .work = math_task,
                               .document = math_task_document,
                               .done = math_task_done};
