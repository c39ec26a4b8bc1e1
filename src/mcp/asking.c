/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/asking.h"

#include "base/clock.h"
#include "base/json_get.h"
#include "mcp/mcp.h"
#include "mcp/request_state.h"

/* ---- kinds ---- */

static bool is_input(const json_t *answer)
{
    struct str action = json_str(json_object_get(answer, "action"));

    return str_is(action, "decline") || str_is(action, "cancel") ||
           (str_is(action, "accept") && json_is_object(json_object_get(answer, "content")));
}

static bool is_message(const json_t *answer)
{
    const json_t *content = json_object_get(answer, "content");

    return json_is_object(content) || json_is_array(content);
}

static bool is_folders(const json_t *answer)
{
    return json_is_array(json_object_get(answer, "roots"));
}

static const struct {
    const char *method, *capability;
    bool (*answers)(const json_t *answer);
} kinds[] = {
    [ASK_PERSON] = {"elicitation/create", "elicitation", is_input},
    [ASK_MODEL] = {"sampling/createMessage", "sampling", is_message},
    [ASK_ROOTS] = {"roots/list", "roots", is_folders},
};

/* A client may be able to open pages for a person, but no forms. */
static bool can_answer(const struct rpc_message *m, enum ask_kind kind)
{
    const json_t *meta = json_object_get(m->params, "_meta");
    const json_t *all = json_object_get(meta, MCP_META "clientCapabilities");
    const json_t *own = json_object_get(all, kinds[kind].capability);

    if (kind == ASK_PERSON && json_object_size(own))
        own = json_object_get(own, "form");
    return json_is_object(own);
}

int asking_require(const struct rpc_message *m, enum ask_kind kind, struct rpc_problem *problem)
{
    const char *name = kinds[kind].capability;

    if (can_answer(m, kind))
        return 0;
    (void)rpc_problem_set(problem, RPC_CAPABILITY, "the client must have the capability '%s'",
                          name);
    problem->data = json_pack("{s:{s:{}}}", "requiredCapabilities", name);
    return -1;
}

/* ---- questions ---- */

static void put_question(struct asking *asking, const char *key, enum ask_kind kind, json_t *params)
{
    if (can_answer(asking->message, kind)) {
        json_object_set_new(
            asking->questions, key,
            json_pack("{s:s, s:O}", "method", kinds[kind].method, "params", params));
    } else {
        asking->cannot = true;
        asking->unanswerable = kind;
    }
}

const json_t *ask(struct asking *asking, const char *key, enum ask_kind kind, json_t *params)
{
    const json_t *given = json_object_get(asking->message->params, "inputResponses");
    json_t *answer = json_object_get(given, key), *before = json_object_get(asking->answers, key);

    if (!before && kinds[kind].answers(answer)) {
        json_object_set(asking->answers, key, answer);
        before = answer;
    }
    if (!before)
        put_question(asking, key, kind, params);
    json_decref(params);
    return before;
}

/* ---- a round ---- */

static int begin(struct asking *asking, const char *owner, struct rpc_problem *problem)
{
    const json_t *params = asking->message->params;
    const json_t *given = json_object_get(params, "inputResponses");

    if (given && !json_is_object(given))
        return rpc_problem_set(problem, RPC_PARAMS, "'inputResponses' must be an object");
    asking->continued = json_object_get(params, "requestState");
    asking->answers = asking->continued
                          ? request_state_open(asking->message, owner, clock_mono_ms(), problem)
                          : json_object();
    return asking->answers ? 0 : -1;
}

static json_t *questions(const struct asking *asking, const char *owner,
                         struct rpc_problem *problem)
{
    json_t *state =
        request_state_seal(asking->message, owner, asking->answers, clock_mono_ms(), problem);

    return state ? json_pack("{s:s, s:O, s:o}", "resultType", "input_required", "inputRequests",
                             asking->questions, "requestState", state)
                 : NULL;
}

json_t *asking_round(const struct rpc_message *m, const char *owner,
                     json_t *(*work)(struct asking *asking), struct rpc_problem *problem)
{
    struct asking asking = {.message = m, .questions = json_object()};
    json_t *result = NULL;

    if (begin(&asking, owner, problem) == 0) {
        result = work(&asking);
        if (json_object_size(asking.questions)) {
            json_decref(result);
            result = questions(&asking, owner, problem);
        } else if (!result && asking.cannot) {
            (void)asking_require(m, asking.unanswerable, problem);
        }
    }
    json_decref(asking.answers);
    json_decref(asking.questions);
    return result;
}
