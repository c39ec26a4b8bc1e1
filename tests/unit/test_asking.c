/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that ask the client of MCP for more, and the state that it holds for us.
 */
#include <stdlib.h>

#include "mcp/asking.h"
#include "mcp/request_state.h"
#include "tap.h"

#define META(capabilities)                                                                         \
    "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define CALL(more) "{" META("{\"elicitation\":{}}") ",\"name\":\"t\"" more "}"
#define NAME       "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}"

static struct rpc_problem problem;

static struct rpc_message message(const char *params)
{
    return (struct rpc_message){.kind = RPC_REQUEST,
                                .method = "tools/call",
                                .params = json_loads(params, JSON_REJECT_DUPLICATES, NULL)};
}

static void set(struct rpc_message *m, const char *key, json_t *value)
{
    json_object_set_new(m->params, key, value);
}

/* ---- the state ---- */

/* The content of a state that the client sends with these parameters. */
static json_t *reopen(const char *method, const char *params, const char *owner, const char *state,
                      int64_t now_ms)
{
    struct rpc_message m = message(params);

    m.method = method;
    set(&m, "requestState", json_string(state));
    json_t *content = request_state_open(&m, owner, now_ms, &problem);
    json_decref(m.params);
    return content;
}

static bool opens(const char *method, const char *params, const char *owner, const char *state,
                  int64_t now_ms)
{
    json_t *content = reopen(method, params, owner, state, now_ms);
    bool whole = json_integer_value(json_object_get(content, "n")) == 7;

    json_decref(content);
    return whole;
}

static void test_state(void)
{
    struct rpc_message m = message(CALL(""));
    json_t *content = json_pack("{s:i}", "n", 7);
    json_t *state = request_state_seal(&m, "ann", content, 1000, &problem);
    char text[1000], changed[1000];

    snprintf(text, sizeof text, "%s", json_string_value(state));
    OK(opens("tools/call", CALL(""), "ann", text, 1000), "the request gets its state back");
    OK(opens("tools/call", CALL(",\"inputResponses\":{}"), "ann", text, 1000 + REQUEST_STATE_MS),
       "with answers, and until its time is over");
    OK(!opens("tools/call", CALL(""), "ann", text, 1001 + REQUEST_STATE_MS), "not later");
    OK(strstr(problem.message, "10 minutes"), "the problem: %s", problem.message);
    OK(!opens("tools/call", CALL(""), "bob", text, 1000), "not for another owner");
    OK(!opens("prompts/get", CALL(""), "ann", text, 1000), "not for another method");
    OK(!opens("tools/call", CALL(",\"arguments\":{\"a\":1}"), "ann", text, 1000),
       "not with other arguments");
    OK(!opens("tools/call", CALL(""), "ann", "", 1000), "nothing is no state");
    bool any = false;
    for (size_t i = 0; text[i]; i++) {
        snprintf(changed, sizeof changed, "%s", text);
        changed[i] ^= 1;
        any = any || opens("tools/call", CALL(""), "ann", changed, 1000);
    }
    OK(!any, "no byte of it can be changed");
    json_decref(state);
    json_decref(content);
    json_decref(m.params);
}

static void test_long_state(void)
{
    struct rpc_message m = message(CALL(""));
    char *text = calloc(1, REQUEST_STATE_MAX + 1);
    memset(text, 'a', REQUEST_STATE_MAX);
    json_t *content = json_pack("{s:s}", "n", text);

    OK(!request_state_seal(&m, "ann", content, 0, &problem) && problem.code == RPC_PARAMS,
       "a state that is too long: %s", problem.message);
    json_decref(content);
    json_decref(m.params);
    free(text);
}

/* ---- rounds ---- */

static json_t *two_names(struct asking *a)
{
    const json_t *first = ask(a, "first", ASK_PERSON, json_object());
    const json_t *second = first ? ask(a, "second", ASK_PERSON, json_object()) : NULL;

    return second ? json_pack("{s:O, s:O}", "first", first, "second", second) : NULL;
}

static json_t *any_kind(struct asking *a)
{
    const json_t *model = ask(a, "model", ASK_MODEL, json_object());
    const json_t *roots = ask(a, "roots", ASK_ROOTS, json_object());

    return model || roots ? json_pack("{s:b, s:b}", "model", !!model, "roots", !!roots) : NULL;
}

static json_t *round_of(const char *params, const json_t *state,
                        json_t *(*work)(struct asking *asking))
{
    struct rpc_message m = message(params);

    if (state)
        json_object_set(m.params, "requestState", (json_t *)state);
    memset(&problem, 0, sizeof problem);
    json_t *result = asking_round(&m, "ann", work, &problem);
    json_decref(m.params);
    return result;
}

static bool asks_for(const json_t *result, const char *key)
{
    const json_t *all = json_object_get(result, "inputRequests");

    return json_object_size(all) == 1 && json_object_get(all, key);
}

static void test_rounds(void)
{
    json_t *one = round_of(CALL(""), NULL, two_names);
    json_t *two = round_of(CALL(",\"inputResponses\":{\"first\":" NAME ",\"other\":" NAME "}"),
                           json_object_get(one, "requestState"), two_names);
    json_t *three = round_of(CALL(",\"inputResponses\":{\"second\":" NAME "}"),
                             json_object_get(two, "requestState"), two_names);

    OK(asks_for(one, "first"), "the first round asks");
    OK(asks_for(two, "second"), "the second one asks for the next thing");
    OK(json_object_get(three, "first") && json_object_get(three, "second"),
       "the last one has all answers, those of earlier rounds from the state");
    OK(!strstr(json_string_value(json_object_get(two, "requestState")), "other"),
       "an answer without a question is not carried along");
    json_decref(one);
    json_decref(two);
    json_decref(three);
}

static void test_wrong_answers(void)
{
    static const char *const wrong[] = {
        CALL(",\"inputResponses\":{\"first\":7}"),
        CALL(",\"inputResponses\":{\"first\":{}}"),
        CALL(",\"inputResponses\":{\"first\":{\"action\":\"accept\",\"content\":1}}"),
        CALL(",\"inputResponses\":{\"second\":" NAME "}"),
    };
    json_t *result;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        result = round_of(wrong[i], NULL, two_names);
        OK(asks_for(result, "first"), "asked again: %s", wrong[i]);
        json_decref(result);
    }
    OK(!round_of(CALL(",\"inputResponses\":null"), NULL, two_names), "answers that are no object");
    EQ_INT(problem.code, RPC_PARAMS);
    OK(!round_of(CALL(",\"requestState\":[]"), NULL, two_names), "a state that is no text");
    EQ_INT(problem.code, RPC_PARAMS);
}

#define CAN(capabilities) "{" META(capabilities) "}"

static bool person_is_asked(const char *params)
{
    json_t *result = round_of(params, NULL, two_names);
    bool asks = asks_for(result, "first");

    json_decref(result);
    json_decref(problem.data);
    return asks;
}

static void test_capabilities(void)
{
    json_t *result = round_of(CAN("{\"sampling\":{}}"), NULL, any_kind);

    OK(asks_for(result, "model"), "only what the client can do is asked for");
    json_decref(result);
    OK(!round_of(CAN("{}"), NULL, any_kind), "a client that can do nothing");
    EQ_INT(problem.code, RPC_CAPABILITY);
    OK(json_object_get(json_object_get(problem.data, "requiredCapabilities"), "roots"),
       "the problem names a capability");
    json_decref(problem.data);
    OK(person_is_asked(CAN("{\"elicitation\":{\"form\":{}}}")), "a client with forms");
    OK(!person_is_asked(CAN("{\"elicitation\":{\"url\":{}}}")), "one that opens pages only");
    OK(!person_is_asked(CAN("{\"elicitation\":true}")), "a capability that is no object");
}

int main(void)
{
    RUN(test_state());
    RUN(test_long_state());
    RUN(test_rounds());
    RUN(test_wrong_answers());
    RUN(test_capabilities());
    return tap_done();
}
