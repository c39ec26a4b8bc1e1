/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/generate.h"

#include <stdlib.h>
#include <string.h>

#include "agent/prompts.h"
#include "agent/rules.h"
#include "base/mem.h"
#include "result/verdict_json.h"
#include "session/check.h"
#include "text/reply.h"

enum { SYSTEM_MAX = 512 << 10 };

static int make_messages(const struct generate_request *request, struct llm_messages *messages,
                         struct err *err)
{
    AUTO_BUF struct buf rules = {0};
    AUTO_BUF struct buf system = {0};

    buf_init(&rules, SYSTEM_MAX);
    buf_init(&system, SYSTEM_MAX);
    if (rules_add(&rules, request->run, err) < 0)
        return -1;
    AUTO_FREE char *text = xstrndup(rules.p, rules.n - 1); /* the prompt has its last line end */
    const struct prompt_value values[] = {{"language", request->language}, {"rules", text}, {0}};
    if (prompt_make("generate", request->prompts, values, &system, err) < 0)
        return -1;
    llm_say(messages, LLM_SYSTEM, system.p);
    llm_say(messages, LLM_USER, request->task);
    return 0;
}

/* The code that the reply means to be run: in the language that was asked for. */
static int take_code(const struct generate_request *request, struct generate_result *ret,
                     struct err *err)
{
    char *names[] = {(char *)(uintptr_t)request->language, NULL};
    const struct reply_options options = {.languages = {names, 1}};
    struct reply_reader reader;

    buf_init(&ret->code, 32 * ret->answer.text.n + 64);
    buf_init(&ret->complaint, ret->answer.text.n + (8 << 10));
    int status = reply_open(&reader, &options, err);
    if (status == 0 &&
        !reply_code(&reader, buf_str(&ret->answer.text), &ret->code, &ret->complaint))
        buf_clear(&ret->code);
    reply_done(&reader);
    return status;
}

static int check(const struct generate_request *request, struct generate_result *ret,
                 struct err *err)
{
    struct run_request q = *request->run;
    struct policy *policy = check_open_policy(&q, err);
    struct examination e;

    if (!policy)
        return -1;
    q.code = buf_str(&ret->code);
    q.language = request->language;
    examine_init(&e, &q, policy);
    int status = examine_program(&e, &ret->verdict, err);
    ret->checked = status == 0;
    examine_done(&e);
    policy_free(policy);
    return status;
}

int generate(struct llm *llm, const struct generate_request *request, const struct llm_watch *watch,
             struct generate_result *ret, struct err *err)
{
    struct llm_messages messages = {0};
    const struct llm_request ask = {
        .component = "generate",
        .messages = &messages,
        .has_temperature = request->has_temperature,
        .temperature = request->temperature,
        .stream = request->stream,
    };

    *ret = (struct generate_result){0};
    int status = make_messages(request, &messages, err);
    if (status == 0)
        status = llm_ask(llm, &ask, watch, &ret->answer, err);
    if (status == 0)
        status = take_code(request, ret, err);
    if (status == 0 && ret->code.n)
        status = check(request, ret, err);
    llm_messages_done(&messages);
    return status;
}

void generate_done(struct generate_result *result)
{
    buf_done(&result->code);
    buf_done(&result->complaint);
    llm_answer_done(&result->answer);
    verdict_done(&result->verdict);
    *result = (struct generate_result){0};
}

json_t *generate_json(const struct llm *llm, const struct generate_request *request,
                      const struct generate_result *result)
{
    const struct llm_answer *answer = &result->answer;

    return json_pack("{s:o?, s:s, s:s, s:s, s:o, s:s, s:i, s:o?, s:o, s:o?}", "code",
                     result->code.n ? json_text(buf_str(&result->code)) : NULL, "language",
                     request->language, "provider", llm_provider_name(llm), "model", llm_model(llm),
                     "reply", json_text(buf_str(&answer->text)), "finish",
                     llm_finish_name(answer->finish), "attempts", answer->attempts, "verdict",
                     result->checked ? verdict_json(&result->verdict) : NULL, "usage",
                     llm_usage_table_json(llm_usage_of(llm)), "error",
                     result->complaint.n ? json_text(buf_str(&result->complaint)) : NULL);
}
