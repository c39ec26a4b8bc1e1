/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent.h"

#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "llm/rules.h"
#include "run/check.h"
#include "text/whole_program.h"

enum {
    ANSWER_TOKENS = 8192, /* more than most answers need */
    SYSTEM_MAX = 512 << 10,
    VALUES_MAX = 8,
    STEPS = 4, /* for a flow without a number of its own */
};

const char *agent_end_name(enum agent_end end)
{
    static const char *const names[] = {"open", "done",    "steps",     "tokens", "cost",
                                        "time", "gave_up", "cancelled", "failed"};

    return names[end];
}

int agent_finish(struct agent *agent, enum agent_end end, const struct err *error)
{
    if (agent->end == AGENT_OPEN) {
        agent->end = end;
        if (error)
            agent->error = *error;
    }
    return agent->end == AGENT_DONE ? 0 : -1;
}

static int agent_fail(struct agent *agent, const struct err *error)
{
    return agent_finish(agent, AGENT_FAILED, error);
}

static int fail_of_model(struct agent *agent, const struct err *error)
{
    agent->model_failed = agent->end == AGENT_OPEN;
    return agent_fail(agent, error);
}

static int reach(struct agent *agent, enum agent_end end, const char *what)
{
    struct err err;

    (void)err_set(&err, end == AGENT_TIME ? ERR_TIMEOUT : ERR_LIMIT, "%s", what);
    return agent_finish(agent, end, &err);
}

static void use_own_reviewer(struct agent *agent);

void agent_begin(struct agent *agent, struct llm *llm, const struct agent_request *request,
                 const struct agent_watch *watch)
{
    struct err err;

    *agent = (struct agent){.llm = llm, .request = request, .watch = watch};
    agent->began_ms = clock_mono_ms();
    agent->steps = json_array();
    buf_init(&agent->code, 0);
    if (request->run->policy.review)
        use_own_reviewer(agent);
    if (request->bounds.time_ms)
        agent->deadline_ms = agent->began_ms + request->bounds.time_ms;
    if (request->bounds.cost_milli && !llm_price_known(llm)) {
        (void)err_set(&err, ERR_USAGE,
                      "the price of '%s' is unknown, so its cost cannot be bounded; add it to the "
                      "price table (--prices)",
                      llm_model(llm));
        (void)fail_of_model(agent, &err);
    }
}

void agent_done(struct agent *agent)
{
    llm_messages_done(&agent->messages);
    buf_done(&agent->code);
    json_decref(agent->steps);
    llm_usage_table_done(&agent->reviews);
    *agent = (struct agent){0};
}

/* ---- events ---- */

/* The caller sets `event.step` to 1 for an event of the answer that the model is writing, and to 0
 * for an event of its last answer. */
static void agent_report(struct agent *agent, struct agent_event event)
{
    event.step += agent->step;
    if (agent->watch->event)
        agent->watch->event(agent->watch->ctx, &event);
}

static void on_text(void *ctx, struct str piece)
{
    agent_report(ctx, (struct agent_event){.kind = AGENT_TEXT, .step = 1, .text = piece});
}

static void on_note(void *ctx, const char *what)
{
    agent_report(ctx, (struct agent_event){.kind = AGENT_NOTE, .step = 1, .text = str_from(what)});
}

void agent_note(struct agent *agent, const char *what)
{
    agent_report(agent, (struct agent_event){.kind = AGENT_NOTE, .text = str_from(what)});
}

static void on_run(void *ctx, const struct run_event *event)
{
    agent_report(ctx, (struct agent_event){.kind = AGENT_RUN, .run = event});
}

void agent_step_done(struct agent *agent, json_t *document)
{
    json_object_set_new(document, "step", json_integer(agent->step));
    agent_report(agent, (struct agent_event){.kind = AGENT_STEP, .document = document});
    json_array_append_new(agent->steps, document);
}

/* ---- the system prompt ---- */

static int make_system(struct agent *agent, const char *name, const struct prompt_value *more,
                       struct buf *ret, struct err *err)
{
    struct prompt_value values[VALUES_MAX + 1] = {{"language", agent->request->language}};
    AUTO_BUF struct buf rules = {0};
    size_t n = 2;

    buf_init(&rules, SYSTEM_MAX);
    if (rules_add(&rules, agent->request->run, err) < 0)
        return -1;
    /* without the line end after the last rule: the prompt has one */
    AUTO_FREE char *text = xstrndup(rules.p, rules.n - 1);
    values[1] = (struct prompt_value){"rules", text};
    for (; more && more->word && n < VALUES_MAX; more++)
        values[n++] = *more;
    return prompt_make(name, agent->request->prompts, values, ret, err);
}

int agent_say_system(struct agent *agent, const char *name, const struct prompt_value *more)
{
    AUTO_BUF struct buf system = {0};
    struct err err;

    buf_init(&system, SYSTEM_MAX);
    if (make_system(agent, name, more, &system, &err) < 0)
        return agent_fail(agent, &err);
    llm_say(&agent->messages, LLM_SYSTEM, system.p);
    return 0;
}

/* ---- bounds ---- */

/* Sets *ret to the number of tokens that the bound leaves, or 0 for no bound. */
static int check_tokens(struct agent *agent, const struct llm_usage *used, int64_t *ret)
{
    int64_t bound = agent->request->bounds.tokens;

    *ret = 0;
    if (!bound)
        return 0;
    if (used->requests && !used->tokens_known)
        return reach(agent, AGENT_TOKENS,
                     "the service does not report its tokens, so their number cannot be bounded");
    *ret = bound - llm_usage_tokens(used);
    return *ret > 0 ? 0 : reach(agent, AGENT_TOKENS, "the task used all of its tokens");
}

static int check_cost(struct agent *agent, const struct llm_usage *used)
{
    int64_t bound = agent->request->bounds.cost_milli;

    if (!bound || !used->requests)
        return 0;
    if (!used->cost_known)
        return reach(agent, AGENT_COST,
                     "the service does not report its tokens, so the cost cannot be bounded");
    return used->cost * 1000 < (double)bound ? 0
                                             : reach(agent, AGENT_COST, "the task's cost is used");
}

static bool cancelled(const struct agent *agent)
{
    return fd_readable(agent->watch->cancel_fd);
}

static int check_time(struct agent *agent)
{
    struct err err;

    if (cancelled(agent)) {
        (void)err_set(&err, ERR_TIMEOUT, "cancelled");
        return agent_finish(agent, AGENT_CANCELLED, &err);
    }
    if (agent->deadline_ms && clock_mono_ms() >= agent->deadline_ms)
        return reach(agent, AGENT_TIME, "the task's time is over");
    return 0;
}

int64_t agent_time_for(const struct agent *agent, int64_t wall_ms)
{
    int64_t left = agent->deadline_ms - clock_mono_ms();

    if (!agent->deadline_ms)
        return wall_ms;
    if (left < 1)
        left = 1;
    return !wall_ms || wall_ms > left ? left : wall_ms;
}

int agent_after_run(struct agent *agent)
{
    return check_time(agent);
}

/* ---- asking ---- */

/* The maximum of tokens in an answer. 0 leaves it to the service: a maximum that the task's bound
 * allows could still be higher than the service accepts. */
static int64_t answer_tokens(const struct agent *agent, int64_t left)
{
    int64_t most = llm_max_tokens(agent->llm);

    if (!left)
        return 0;
    if (most)
        return left < most ? left : most;
    return left < ANSWER_TOKENS ? left : 0;
}

/* Ends the task with the reason why a request failed. */
static int ask_failed(struct agent *agent, const struct err *error)
{
    if (llm_cancelled(agent->llm))
        return agent_finish(agent, AGENT_CANCELLED, error);
    if (agent->deadline_ms && clock_mono_ms() >= agent->deadline_ms)
        return reach(agent, AGENT_TIME, "the task's time is over");
    return fail_of_model(agent, error);
}

static int check_use(struct agent *agent, int64_t *ret_tokens)
{
    struct llm_usage used, reviews;

    llm_usage_total(llm_usage_of(agent->llm), &used);
    llm_usage_total(&agent->reviews, &reviews);
    llm_usage_add(&used, &reviews);
    if (agent->end != AGENT_OPEN || check_time(agent) < 0 ||
        check_tokens(agent, &used, ret_tokens) < 0 || check_cost(agent, &used) < 0)
        return -1;
    return 0;
}

static int check_bounds(struct agent *agent, int64_t *ret_tokens)
{
    if (check_use(agent, ret_tokens) < 0)
        return -1;
    int64_t steps = agent->request->bounds.steps;
    if (agent->step >= (steps ? steps : STEPS))
        return reach(agent, AGENT_STEPS, "the model used all of its attempts");
    return 0;
}

int agent_ask(struct agent *agent, const struct agent_question *question, struct llm_answer *ret)
{
    const struct llm_watch watch = {.cancel_fd = agent->watch->cancel_fd,
                                    .deadline_ms = agent->deadline_ms,
                                    .text = on_text,
                                    .note = on_note,
                                    .ctx = agent};
    int64_t tokens = 0;
    struct err err;

    *ret = (struct llm_answer){0};
    if (check_bounds(agent, &tokens) < 0)
        return -1;
    const struct llm_request ask = {
        .component = agent->request->component,
        .messages = &agent->messages,
        .tools = question->tools,
        .tool_n = question->tool_n,
        .schema = question->schema,
        .lenient = question->lenient,
        .builtin = question->builtin,
        .stop = question->stop,
        .has_temperature = agent->request->has_temperature,
        .temperature = agent->request->temperature,
        .max_tokens = answer_tokens(agent, tokens),
        .stream = agent->request->stream && !question->builtin,
    };
    agent_report(agent, (struct agent_event){.kind = AGENT_ASKS, .step = 1});
    if (llm_ask(agent->llm, &ask, &watch, ret, &err) < 0)
        return ask_failed(agent, &err);
    agent->step++;
    llm_say_answer(&agent->messages, ret);
    return 0;
}

/* ---- reviews of the programs ---- */

/* If the bounds leave nothing for a review, the program is not approved. */
static void review(void *ctx, const struct review_question *question, struct review_answer *ret)
{
    struct agent *agent = ctx;
    struct review_question own = *question;
    int64_t tokens;

    own.deadline_ms = agent->deadline_ms;
    if (check_use(agent, &tokens) < 0) {
        ret->reason = xasprintf("no review: %s", agent->error.msg);
        return;
    }
    agent->theirs->review(agent->theirs->ctx, &own, ret);
    llm_usage_count_json(&agent->reviews, ret->usage);
}

static void use_own_reviewer(struct agent *agent)
{
    agent->theirs = agent->request->run->policy.reviewer;
    if (!agent->theirs)
        return;
    agent->reviewer = (struct reviewer){review, agent};
    agent->run = *agent->request->run;
    agent->run.policy.reviewer = &agent->reviewer;
    agent->own = *agent->request;
    agent->own.run = &agent->run;
    agent->request = &agent->own;
}

/* ---- the program ---- */

void agent_set_code(struct agent *agent, struct str code)
{
    buf_done(&agent->code);
    buf_init(&agent->code, code.n);
    (void)buf_add_str(&agent->code, code);
    agent_report(agent, (struct agent_event){.kind = AGENT_CODE, .text = code});
}

int agent_take_code(struct agent *agent, struct str reply, struct buf *complaint)
{
    char *names[] = {(char *)(uintptr_t)agent->request->language, NULL};
    const struct reply_options blocks = {.languages = {names, 1}};
    const struct reply_options *options = agent->request->reply ? agent->request->reply : &blocks;
    struct reply_reader reader;
    struct err err;
    size_t end = reply.n;

    buf_done(&agent->code);
    buf_init(&agent->code, 32 * reply.n + 64);
    buf_init(complaint, reply.n + (8 << 10));
    int status = reply_open(&reader, options, &err);
    if (status < 0) {
        (void)agent_fail(agent, &err);
    } else if (!reply_code(&reader, reply, &agent->code, &end, complaint) ||
               !str_trim(buf_str(&agent->code)).n) {
        buf_clear(&agent->code);
        (void)buf_adds(complaint, complaint->n ? "" : "there is no program in the reply");
    }
    reply_done(&reader);
    if (status == 0 && agent->code.n) {
        llm_cut_answer(&agent->messages, end);
        agent_report(agent,
                     (struct agent_event){.kind = AGENT_CODE, .text = buf_str(&agent->code)});
    }
    return status;
}

int agent_take_program(struct agent *agent, struct str reply, struct buf *complaint)
{
    int status = agent_take_code(agent, reply, complaint);

    if (status < 0 || agent->code.n || agent->request->reply ||
        !language_traits_of(agent->request->language)->whole_replies || !whole_python(reply))
        return status;
    buf_clear(complaint);
    agent_set_code(agent, str_trim(reply));
    return 0;
}

struct run_request agent_program(const struct agent *agent)
{
    struct run_request q = *agent->request->run;

    q.program.code = buf_str(&agent->code);
    q.program.language = agent->request->language;
    return q;
}

int agent_check(struct agent *agent, struct verdict *ret)
{
    struct run_request q = agent_program(agent);
    struct err err;
    struct policy *policy = check_open_policy(&q, &err);
    struct examination e;

    if (!policy)
        return agent_fail(agent, &err);
    q.policy.review = false; /* reviews belong to runs, and nothing runs here */
    examine_init(&e, &q, policy);
    int status = examine_program(&e, ret, &err);
    examine_done(&e);
    policy_free(policy);
    return status < 0 ? agent_fail(agent, &err) : 0;
}

void agent_watch_run(struct agent *agent, struct run_watch *ret)
{
    *ret = (struct run_watch){.event = on_run, .ctx = agent, .cancel_fd = agent->watch->cancel_fd};
}

/* ---- the document ---- */

static json_t *call_json(const struct llm_call *call)
{
    return json_pack("{s:o, s:o, s:o}", "id", json_text(str_from(call->id)), "name",
                     json_text(str_from(call->name)), "arguments",
                     json_text(str_from(call->arguments)));
}

static json_t *message_json(const struct llm_message *message)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    json_t *object = json_pack("{s:s, s:o}", "role", roles[message->role], "content",
                               json_text(str_from(message->text)));

    if (message->call_n) {
        json_t *calls = json_array();
        for (size_t i = 0; i < message->call_n; i++)
            json_array_append_new(calls, call_json(&message->calls[i]));
        json_object_set_new(object, "tool_calls", calls);
    }
    if (message->call_id)
        json_object_set_new(object, "tool_call_id", json_text(str_from(message->call_id)));
    return object;
}

static json_t *conversation_json(const struct llm_messages *messages)
{
    json_t *list = json_array();

    for (size_t i = 0; i < messages->n; i++)
        json_array_append_new(list, message_json(&messages->at[i]));
    return list;
}

static json_t *usage_json(const struct agent *agent)
{
    json_t *usage = llm_usage_table_json(llm_usage_of(agent->llm));

    json_object_update_new(usage, llm_usage_table_json(&agent->reviews));
    return usage;
}

json_t *agent_document(const struct agent *agent)
{
    bool failed = agent->error.kind != ERR_NONE;

    return json_pack(
        "{s:b, s:s, s:s, s:s, s:s, s:o?, s:O, s:o, s:o, s:I, s:o?}", "success",
        agent->end == AGENT_DONE, "stopped", agent_end_name(agent->end), "language",
        agent->request->language, "provider", llm_provider_name(agent->llm), "model",
        llm_model(agent->llm), "code", agent->code.n ? json_text(buf_str(&agent->code)) : NULL,
        "steps", agent->steps, "conversation", conversation_json(&agent->messages), "usage",
        usage_json(agent), "duration_ms", (json_int_t)(clock_mono_ms() - agent->began_ms), "error",
        failed ? json_error(&agent->error) : NULL);
}
