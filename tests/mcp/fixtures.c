/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into build/glovebox-fixtures with --wrap: tools, resources and prompts with the names that
 * the conformance suite asks for (conformance.py). The tools are calls like those of the product;
 * the prompts, completions and subscriptions are not a part of it, and are answered here.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "fixtures.h"
#include "formats/json_get.h"
#include "mcp/tools.h"

#define PNG                                                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg" \
    "gg=="
#define WAV        "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE      "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define RESOURCE(uri, mime, text)                                                                  \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" mime                \
    "\",\"text\":\"" text "\"}}"
#define STEP_NS (50 * 1000 * 1000)

enum { ASKED_MAX = 64, PATIENCE_S = 10 };

const struct mcp_tool *__real_tool_find(struct str name);
const struct mcp_tool *__wrap_tool_find(struct str name);
json_t *__real_tools_list(const struct mcp_service *service);
json_t *__wrap_tools_list(const struct mcp_service *service);
void __real_resources_read(struct mcp_call *call);
void __wrap_resources_read(struct mcp_call *call);
json_t *__real_mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                          int *ret_refused);
json_t *__wrap_mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                          int *ret_refused);

/* ---- questions to the client ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count;
    json_t *answers[ASKED_MAX]; /* by the question's number */
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The client's result, which the caller frees; NULL when there was none in time. */
static json_t *send_request(const struct mcp_call *call, const char *method, json_t *params)
{
    struct timespec until;

    pthread_mutex_lock(&asked.lock);
    unsigned number = asked.count++ % ASKED_MAX;
    pthread_mutex_unlock(&asked.lock);
    call->client->host->note(call,
                             json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", number,
                                       "method", method, "params", params),
                             false);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&asked.lock);
    while (!asked.answers[number] &&
           pthread_cond_timedwait(&asked.changed, &asked.lock, &until) == 0)
        ;
    json_t *answer = asked.answers[number];
    asked.answers[number] = NULL;
    pthread_mutex_unlock(&asked.lock);
    return answer;
}

static void take_answer(const struct rpc_message *message)
{
    json_int_t number = json_integer_value(message->id);

    if (!json_is_integer(message->id) || number < 0 || number >= ASKED_MAX)
        return;
    pthread_mutex_lock(&asked.lock);
    json_decref(asked.answers[number]);
    asked.answers[number] = json_deep_copy(json_object_get(message->doc, "result"));
    pthread_cond_broadcast(&asked.changed);
    pthread_mutex_unlock(&asked.lock);
}

/* ---- tools ---- */

static void pause_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
}

static void log_steps(struct mcp_call *call)
{
    mcp_call_log(call, LEVEL_INFO, "Tool execution started");
    pause_a_moment();
    mcp_call_log(call, LEVEL_INFO, "Tool processing data");
    pause_a_moment();
    mcp_call_log(call, LEVEL_INFO, "Tool execution completed");
}

static void report_steps(struct mcp_call *call)
{
    for (int done = 0; done <= 100; done += 50) {
        mcp_call_progress(call, done, 100, "a step");
        pause_a_moment();
    }
}

static void answer_text(struct mcp_call *call, const char *before, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    call->result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                             json_sprintf("%s%s", before, text ? text : "nothing"), "isError", 0);
    free(text);
}

static void ask_model(struct mcp_call *call)
{
    json_t *prompt = json_object_get(call->arguments, "prompt");
    json_t *answer =
        send_request(call, "sampling/createMessage",
                     json_pack("{s:[{s:s, s:{s:s, s:O}}], s:i}", "messages", "role", "user",
                               "content", "type", "text", "text", prompt, "maxTokens", 100));

    answer_text(call,
                "LLM response: ", json_object_get(json_object_get(answer, "content"), "text"));
    json_decref(answer);
}

static void ask_person(struct mcp_call *call)
{
    json_t *schema = json_loads(
        "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\",\"description\":"
        "\"User's response\"},\"email\":{\"type\":\"string\",\"description\":\"User's email "
        "address\"}},\"required\":[\"username\",\"email\"]}",
        0, NULL);
    json_t *answer =
        send_request(call, "elicitation/create",
                     json_pack("{s:O, s:o}", "message", json_object_get(call->arguments, "message"),
                               "requestedSchema", schema));

    answer_text(call, "User response: ", answer);
    json_decref(answer);
}

static void ask_with_defaults(struct mcp_call *call)
{
    json_t *schema = json_loads(
        "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John "
        "Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},\"score\":{\"type\":\"number\","
        "\"default\":95.5},\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\","
        "\"pending\"],\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}"
        "},\"required\":[]}",
        0, NULL);
    json_t *answer = send_request(
        call, "elicitation/create",
        json_pack("{s:s, s:o}", "message", "Check the values", "requestedSchema", schema));

    answer_text(call, "Elicitation completed: ", answer);
    json_decref(answer);
}

static const char enums_schema[] =
    "{\"type\":\"object\",\"properties\":{\"untitledSingle\":{\"type\":\"string\","
    "\"enum\":[\"option1\",\"option2\",\"option3\"]},\"titledSingle\":{\"type\":\"s"
    "tring\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},{\"const"
    "\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\",\"title\":\"T"
    "hird Option\"}]},\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2"
    "\",\"opt3\"],\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
    "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":"
    "[\"option1\",\"option2\",\"option3\"]}},\"titledMulti\":{\"type\":\"array\",\""
    "items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"First Choice\"},{\"const"
    "\":\"value2\",\"title\":\"Second Choice\"},{\"const\":\"value3\",\"title\":\"T"
    "hird Choice\"}]}}},\"required\":[]}";

static const char conditional_schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"objec"
    "t\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"p"
    "roperties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}"
    "},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$de"
    "fs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"ema"
    "il\"]},\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},\"allO"
    "f\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],\"if"
    "\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"c"
    "ontactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":["
    "\"email\"]},\"additionalProperties\":false}";

static void ask_with_enums(struct mcp_call *call)
{
    json_t *answer = send_request(call, "elicitation/create",
                                  json_pack("{s:s, s:o}", "message", "Choose", "requestedSchema",
                                            json_loads(enums_schema, 0, NULL)));

    answer_text(call, "Elicitation completed: ", answer);
    json_decref(answer);
}

static const struct fixture {
    const char *name;
    const char *content;  /* of the answer; NULL: the work makes it */
    const char *argument; /* a required one; NULL: none */
    void (*work)(struct mcp_call *call);
} fixtures[] = {
    {"test_simple_text", TEXT("This is a simple text response for testing."), NULL, NULL},
    {"test_image_content", IMAGE, NULL, NULL},
    {"test_audio_content", "{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}",
     NULL, NULL},
    {"test_embedded_resource",
     RESOURCE("test://embedded-resource", "text/plain", "This is an embedded resource content."),
     NULL, NULL},
    {"test_multiple_content_types",
     TEXT("Multiple content types test:") "," IMAGE "," RESOURCE(
         "test://mixed-content-resource", "application/json",
         "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}"),
     NULL, NULL},
    {"test_error_handling", TEXT("This tool intentionally returns an error for testing"), NULL,
     NULL},
    {"test_tool_with_logging", TEXT("Logged."), NULL, log_steps},
    {"test_tool_with_progress", TEXT("Reported."), NULL, report_steps},
    {"test_sampling", NULL, "prompt", ask_model},
    {"test_elicitation", NULL, "message", ask_person},
    {"test_elicitation_sep1034_defaults", NULL, NULL, ask_with_defaults},
    {"test_elicitation_sep1330_enums", NULL, NULL, ask_with_enums},
    {"json_schema_2020_12_tool", TEXT("Called."), NULL, NULL},
    {"test_logging_tool", TEXT("Logged."), NULL, log_steps},
    {HEADER_TOOL, TEXT("Called."), NULL, NULL},
};

static const struct fixture *find_fixture(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
        if (str_is(name, fixtures[i].name))
            return &fixtures[i];
    return NULL;
}

static void work(struct mcp_call *call)
{
    const struct fixture *f = find_fixture(json_str(json_object_get(call->message.params, "name")));
    char text[2000];

    if (f->work)
        f->work(call);
    if (!f->content)
        return;
    snprintf(text, sizeof text, "{\"content\":[%s]}", f->content);
    call->result = json_loads(text, 0, NULL);
    json_object_set_new(call->result, "isError", json_boolean(strstr(f->name, "error")));
}

const struct mcp_tool *__wrap_tool_find(struct str name)
{
    static const struct mcp_tool row = {.name = "test", .work = work};

    return find_fixture(name) ? &row : __real_tool_find(name);
}

static json_t *tool_json(const char *name, json_t *properties, json_t *required)
{
    return json_pack("{s:s, s:s, s:{s:s, s:o, s:o}}", "name", name, "description",
                     "For the conformance suite.", "inputSchema", "type", "object", "properties",
                     properties, "required", required);
}

static json_t *fixture_json(const struct fixture *f)
{
    json_t *properties = json_object(), *required = json_array();

    if (f->argument) {
        json_object_set_new(properties, f->argument, json_pack("{s:s}", "type", "string"));
        json_array_append_new(required, json_string(f->argument));
    }
    json_t *tool = tool_json(f->name, properties, required);
    if (strstr(f->name, "json_schema"))
        json_object_set_new(tool, "inputSchema", json_loads(conditional_schema, 0, NULL));
    if (strcmp(f->name, HEADER_TOOL) == 0)
        json_object_set_new(json_object_get(tool, "inputSchema"), "properties",
                            header_properties());
    return tool;
}

json_t *__wrap_tools_list(const struct mcp_service *service)
{
    json_t *list = __real_tools_list(service), *tools = json_object_get(list, "tools");

    for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
        json_array_append_new(tools, fixture_json(&fixtures[i]));
    return list;
}

/* ---- resources ---- */

static json_t *contents(struct str uri, const char *mime, const char *key, json_t *value)
{
    return json_pack("{s:[{s:s#, s:s, s:o}]}", "contents", "uri", uri.p, (int)uri.n, "mimeType",
                     mime, key, value);
}

static json_t *read_fixture(struct str uri)
{
    static const char before[] = "test://template/", after[] = "/data";

    if (str_is(uri, "test://static-text"))
        return contents(uri, "text/plain", "text",
                        json_string("This is the content of the static text resource."));
    if (str_is(uri, "test://static-binary"))
        return contents(uri, "image/png", "blob", json_string(PNG));
    if (!str_starts(uri, before) || !str_ends(uri, after))
        return NULL;
    struct str id = str_slice(uri, strlen(before), uri.n - strlen(after));
    return contents(uri, "application/json", "text",
                    json_sprintf("{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: "
                                 "%.*s\"}",
                                 (int)id.n, id.p, (int)id.n, id.p));
}

void __wrap_resources_read(struct mcp_call *call)
{
    call->result = read_fixture(json_str(json_object_get(call->message.params, "uri")));
    if (call->result)
        mcp_call_finish(call);
    else
        __real_resources_read(call);
}

/* ---- prompts, completions, subscriptions ---- */

#define PROMPT(name, arguments)                                                                    \
    "{\"name\":\"" name "\",\"description\":\"For the suite.\",\"arguments\":[" arguments "]}"
#define ARGUMENT(name) "{\"name\":\"" name "\",\"description\":\"An argument.\",\"required\":true}"

static json_t *list_prompts(void)
{
    return json_loads(
        "{\"prompts\":[" PROMPT("test_simple_prompt", "") "," PROMPT(
            "test_prompt_with_arguments",
            ARGUMENT("arg1") "," ARGUMENT(
                "arg2")) "," PROMPT("test_prompt_with_embedded_resource",
                                    ARGUMENT("resourceUri")) "," PROMPT("test_prompt_with_image",
                                                                        "") "]}",
        0, NULL);
}

static json_t *user_says(json_t *content)
{
    return json_pack("{s:s, s:o}", "role", "user", "content", content);
}

static json_t *get_prompt(const json_t *params)
{
    struct str name = json_str(json_object_get(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    json_t *messages = json_array();

    if (str_is(name, "test_prompt_with_arguments")) {
        json_array_append_new(
            messages,
            user_says(json_pack("{s:s, s:o}", "type", "text", "text",
                                json_sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
                                             json_get_text(given, "arg1"),
                                             json_get_text(given, "arg2")))));
    } else if (str_is(name, "test_prompt_with_image")) {
        json_array_append_new(messages, user_says(json_loads(IMAGE, 0, NULL)));
        json_array_append_new(
            messages, user_says(json_loads(TEXT("Please analyze the image above."), 0, NULL)));
    } else if (str_is(name, "test_prompt_with_embedded_resource")) {
        json_array_append_new(
            messages,
            user_says(json_pack("{s:s, s:{s:O, s:s, s:s}}", "type", "resource", "resource", "uri",
                                json_object_get(given, "resourceUri"), "mimeType", "text/plain",
                                "text", "Embedded resource content for testing.")));
        json_array_append_new(
            messages,
            user_says(json_loads(TEXT("Please process the embedded resource above."), 0, NULL)));
    } else {
        json_array_append_new(
            messages, user_says(json_loads(TEXT("This is a simple prompt for testing."), 0, NULL)));
    }
    return json_pack("{s:o}", "messages", messages);
}

static json_t *answer_here(const struct rpc_message *m)
{
    if (strcmp(m->method, "prompts/list") == 0)
        return list_prompts();
    if (strcmp(m->method, "prompts/get") == 0)
        return get_prompt(m->params);
    if (strcmp(m->method, "completion/complete") == 0)
        return json_loads("{\"completion\":{\"values\":[\"paris\",\"park\",\"party\"],\"total\":3,"
                          "\"hasMore\":false}}",
                          0, NULL);
    bool subscribes = strcmp(m->method, "resources/subscribe") == 0 ||
                      strcmp(m->method, "resources/unsubscribe") == 0;
    return subscribes && !mcp_is_modern(m) ? json_object() : NULL;
}

static json_t *with_capabilities(json_t *answer)
{
    json_t *all = json_object_get(json_object_get(answer, "result"), "capabilities");

    if (all) {
        json_object_set_new(all, "prompts", json_object());
        json_object_set_new(all, "completions", json_object());
    }
    return answer;
}

/* ---- messages ---- */

/* NULL with no problem: the product has the answer. */
static json_t *result_here(const struct mcp_client *client, const struct rpc_message *m, void *ctx,
                           struct rpc_problem *problem)
{
    return m->kind == RPC_REQUEST && header_check(client, m, ctx, problem) == 0 ? answer_here(m)
                                                                                : NULL;
}

json_t *__wrap_mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                          int *ret_refused)
{
    struct rpc_problem problem = {0};
    json_t *result = result_here(client, message, ctx, &problem);

    if (message->kind == RPC_RESPONSE)
        take_answer(message);
    if (!result && !problem.code)
        return with_capabilities(__real_mcp_handle(client, message, ctx, ret_refused));
    *ret_refused = problem.code;
    if (!result)
        return mcp_refusal(message, &problem);
    json_t *answer = rpc_result(message->id, mcp_result(result, mcp_is_modern(message), true));
    json_decref(message->doc);
    *message = (struct rpc_message){0};
    return answer;
}
