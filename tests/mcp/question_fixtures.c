/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json_get.h"
#include "fixtures.h"

/* ---- questions ---- */

static json_t *form(const char *message, const char *name, const char *type)
{
    return json_pack("{s:s, s:{s:s, s:{s:{s:s}}, s:[s]}}", "message", message, "requestedSchema",
                     "type", "object", "properties", name, "type", type, "required", name);
}

static json_t *prompt(const char *text)
{
    return json_pack("{s:[{s:s, s:{s:s, s:s}}], s:i}", "messages", "role", "user", "content",
                     "type", "text", "text", text, "maxTokens", 100);
}

static const json_t *ask_name(struct asking *a)
{
    return ask(a, "user_name", ASK_PERSON, form("What is your name?", "name", "string"));
}

static const json_t *ask_capital(struct asking *a)
{
    return ask(a, "capital_question", ASK_MODEL, prompt("What is the capital of France?"));
}

static const json_t *ask_folders(struct asking *a)
{
    return ask(a, "client_roots", ASK_ROOTS, json_object());
}

/* ---- answers ---- */

static const char *entered(const json_t *answer, const char *name)
{
    const char *text = json_get_text(json_object_get(answer, "content"), name);

    return text ? text : "nobody";
}

static json_t *says(json_t *text)
{
    return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", text, "isError",
                     0);
}

static json_t *greet(struct asking *a)
{
    const json_t *name = ask_name(a);

    return name ? says(json_sprintf("Hello, %s!", entered(name, "name"))) : NULL;
}

static json_t *repeat_model(struct asking *a)
{
    const json_t *answer = ask_capital(a);

    return answer ? says(json_sprintf("The model: %s", entered(answer, "text"))) : NULL;
}

static json_t *count_folders(struct asking *a)
{
    const json_t *answer = ask_folders(a);

    return answer ? says(json_sprintf("Folders: %zu",
                                      json_array_size(json_object_get(answer, "roots"))))
                  : NULL;
}

static json_t *confirm(struct asking *a)
{
    const json_t *answer = ask(a, "confirm", ASK_PERSON, form("Please confirm", "ok", "boolean"));

    return answer ? says(json_string(a->continued ? "state-ok" : "without a state")) : NULL;
}

static json_t *ask_all(struct asking *a)
{
    const json_t *name = ask_name(a), *capital = ask_capital(a), *folders = ask_folders(a);

    return name && capital && folders ? says(json_string("All is answered.")) : NULL;
}

static json_t *two_steps(struct asking *a)
{
    const json_t *name =
        ask(a, "step1", ASK_PERSON, form("Step 1: What is your name?", "name", "string"));
    const json_t *color = name
                              ? ask(a, "step2", ASK_PERSON,
                                    form("Step 2: What is your favorite color?", "color", "string"))
                              : NULL;

    return color
               ? says(json_sprintf("%s likes %s.", entered(name, "name"), entered(color, "color")))
               : NULL;
}

/* It asks for what the client can answer. */
static json_t *ask_any(struct asking *a)
{
    const json_t *name = ask_name(a), *capital = ask_capital(a);

    return name || capital ? says(json_string("Something is answered.")) : NULL;
}

static json_t *ask_context(struct asking *a)
{
    const json_t *answer = ask(a, "user_context", ASK_PERSON,
                               form("What context should the prompt use?", "context", "string"));

    return answer ? json_pack("{s:[{s:s, s:{s:s, s:s}}]}", "messages", "role", "user", "content",
                              "type", "text", "text", entered(answer, "context"))
                  : NULL;
}

/* ---- names ---- */

#define PREFIX "test_input_required_result_"

const struct question_tool question_tools[] = {
    {PREFIX "elicitation", greet},
    {PREFIX "sampling", repeat_model},
    {PREFIX "list_roots", count_folders},
    {PREFIX "request_state", confirm},
    {PREFIX "multiple_inputs", ask_all},
    {PREFIX "multi_round", two_steps},
    {PREFIX "tampered_state", confirm},
    {PREFIX "capabilities", ask_any},
    {"test_streaming_elicitation", greet},
    {"test_missing_capability", repeat_model},
    {NULL, NULL},
};

question_work *question_find(const struct rpc_message *m)
{
    struct str name = json_str(json_object_get(m->params, "name"));

    if (m->kind != RPC_REQUEST || !mcp_is_modern(m))
        return NULL;
    if (strcmp(m->method, "prompts/get") == 0)
        return str_is(name, PREFIX "prompt") ? ask_context : NULL;
    if (strcmp(m->method, "tools/call") != 0)
        return NULL;
    const struct question_tool *tool = question_tools;
    while (tool->name && !str_is(name, tool->name))
        tool++;
    return tool->work;
}
