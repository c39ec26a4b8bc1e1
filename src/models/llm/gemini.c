/* SPDX-License-Identifier: Apache-2.0
 *
 * Gemini generateContent. Each event of a stream is a complete document with more parts. The
 * model's parts are sent back unchanged: some carry a signature.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "llm/provider.h"

/* ---- requests ---- */

static char *make_path(const struct llm_asking *asking)
{
    AUTO_BUF struct buf path = {0};

    buf_init(&path, 4096);
    (void)buf_adds(&path, "/v1beta/models/");
    (void)percent_add(&path, str_from(asking->model), "-._~");
    (void)buf_adds(&path,
                   asking->request->stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
    return buf_take(&path);
}

static json_t *text_part(const char *text)
{
    return json_pack("{s:s}", "text", text);
}

static json_t *call_part(const struct llm_call *call)
{
    return json_pack("{s:{s:s, s:o}}", "functionCall", "name", call->name, "args",
                     reading_arguments(call));
}

static json_t *result_part(const struct llm_message *message)
{
    const char *name = message->failed ? "error" : "output";

    return json_pack("{s:{s:s, s:{s:s}}}", "functionResponse", "name", message->call_for,
                     "response", name, message->text);
}

static json_t *make_parts(const struct llm_message *message)
{
    json_t *parts = json_array();

    if (message->role == LLM_RESULT)
        json_array_append_new(parts, result_part(message));
    else if (*message->text)
        json_array_append_new(parts, text_part(message->text));
    for (size_t i = 0; i < message->call_n; i++)
        json_array_append_new(parts, call_part(&message->calls[i]));
    return parts;
}

static void add_content(json_t *contents, const struct llm_message *message)
{
    const char *role = message->role == LLM_ASSISTANT ? "model" : "user";

    reading_add_turn(contents, role, "parts",
                     message->raw ? json_incref(message->raw) : make_parts(message));
}

static json_t *gemini_make_tools(const struct llm_request *request)
{
    json_t *functions = json_array();

    for (size_t i = 0; i < request->tool_n; i++)
        json_array_append_new(functions,
                              json_pack("{s:s, s:s, s:O}", "name", request->tools[i].name,
                                        "description", request->tools[i].description,
                                        "parametersJsonSchema", request->tools[i].parameters));
    json_t *tools = json_array();
    if (json_array_size(functions))
        json_array_append_new(tools, json_pack("{s:O}", "functionDeclarations", functions));
    if (request->builtin)
        json_array_append_new(tools, json_pack("{s:{}}", "codeExecution"));
    json_decref(functions);
    return tools;
}

static json_t *make_config(const struct llm_asking *asking)
{
    const struct llm_request *request = asking->request;
    json_t *config = json_object();

    if (request->has_temperature)
        json_object_set_new(config, "temperature", json_real(request->temperature));
    if (asking->max_tokens)
        json_object_set_new(config, "maxOutputTokens", json_integer(asking->max_tokens));
    if (request->stop && request->stop[0])
        json_object_set_new(config, "stopSequences", reading_texts(request->stop));
    if (request->schema)
        json_object_update_new(config,
                               json_pack("{s:s, s:O}", "responseMimeType", "application/json",
                                         "responseJsonSchema", request->schema));
    return config;
}

static json_t *gemini_make_body(const struct llm_asking *asking)
{
    const struct llm_messages *messages = asking->request->messages;
    json_t *contents = json_array(), *system = json_array();

    for (size_t i = 0; i < messages->n; i++) {
        if (messages->at[i].role == LLM_SYSTEM)
            json_array_append_new(system, text_part(messages->at[i].text));
        else
            add_content(contents, &messages->at[i]);
    }
    json_t *body = json_pack("{s:o}", "contents", contents);
    if (json_array_size(system))
        json_object_set_new(body, "systemInstruction", json_pack("{s:O}", "parts", system));
    json_decref(system);
    if (asking->request->tool_n || asking->request->builtin)
        json_object_set_new(body, "tools", gemini_make_tools(asking->request));
    json_t *config = make_config(asking);
    if (json_object_size(config))
        json_object_set(body, "generationConfig", config);
    json_decref(config);
    return body;
}

/* ---- answers ---- */

static const struct finish_word finish_words[] = {
    {"STOP", LLM_FINISH_STOP},         {"MAX_TOKENS", LLM_FINISH_LENGTH},
    {"SAFETY", LLM_FINISH_REFUSED},    {"RECITATION", LLM_FINISH_REFUSED},
    {"BLOCKLIST", LLM_FINISH_REFUSED}, {"PROHIBITED_CONTENT", LLM_FINISH_REFUSED},
    {"SPII", LLM_FINISH_REFUSED},      {0}};

static void gemini_read_call(struct reading *r, const json_t *function)
{
    struct reading_call *call = reading_call(r, r->call_n);
    AUTO_FREE char *arguments =
        json_dumps(json_object_get(function, "args"), JSON_COMPACT | JSON_ENCODE_ANY);

    if (!call)
        return;
    reading_add(r, &call->id, json_str(json_object_get(function, "id")));
    reading_add(r, &call->name, json_str(json_object_get(function, "name")));
    reading_add(r, &call->arguments, str_from(arguments));
}

static void read_part(struct reading *r, const json_t *part)
{
    struct reading_block *block = reading_block(r, r->block_n);

    if (!block || !json_is_object(part))
        return;
    block->value = json_deep_copy(part);
    json_array_append(r->answer->raw, block->value);
    /* a thought is not a part of the reply */
    if (!json_get_true(part, "thought"))
        reading_text(r, json_str(json_object_get(part, "text")));
    if (json_is_object(json_object_get(part, "functionCall")))
        gemini_read_call(r, json_object_get(part, "functionCall"));
}

static void gemini_read_usage(struct reading *r, const json_t *usage)
{
    int64_t answer = reading_count(usage, "candidatesTokenCount");
    int64_t thoughts = reading_count(usage, "thoughtsTokenCount");

    if (answer < INT64_MAX / 2 && thoughts < INT64_MAX / 2)
        reading_usage(r, usage, reading_count(usage, "promptTokenCount"), answer + thoughts,
                      reading_count(usage, "cachedContentTokenCount"));
}

/* The prompt itself was refused: there are no candidates. */
static bool read_block_reason(struct reading *r, const json_t *document)
{
    const json_t *reason =
        json_object_get(json_object_get(document, "promptFeedback"), "blockReason");

    if (!json_is_string(reason))
        return false;
    reading_finish_word(r, finish_words, reason);
    r->answer->finish = LLM_FINISH_REFUSED;
    return true;
}

static int gemini_read_event(struct reading *r, const json_t *document, struct err *err)
{
    const json_t *candidates = json_object_get(document, "candidates"), *part;
    const json_t *candidate = json_array_get(candidates, 0);
    size_t i;

    if (reading_check_error(document, err) < 0)
        return -1;
    if (!json_is_array(candidates) && !read_block_reason(r, document) &&
        !json_object_get(document, "usageMetadata"))
        return err_set(err, ERR_GUEST, "the answer has no list 'candidates'");
    if (!r->answer->raw)
        r->answer->raw = json_array();
    json_array_foreach(json_object_get(json_object_get(candidate, "content"), "parts"), i, part)
        read_part(r, part);
    reading_finish_word(r, finish_words, json_object_get(candidate, "finishReason"));
    gemini_read_usage(r, json_object_get(document, "usageMetadata"));
    r->complete |= r->has_finish;
    return 0;
}

static int gemini_read_whole(struct reading *r, const json_t *document, struct err *err)
{
    int status = gemini_read_event(r, document, err);

    if (status == 0 && !r->complete)
        return err_set(err, ERR_GUEST, "the answer has no candidate with a 'finishReason'");
    return status;
}

/* ---- code that the model ran ---- */

static void gemini_add_run(const json_t *code, const json_t *result, json_t *ret)
{
    const char *outcome = json_get_text(result, "outcome");
    struct str output = json_str(json_object_get(result, "output")), none = {"", 0};
    bool done = outcome && strcmp(outcome, "OUTCOME_OK") == 0;

    json_array_append_new(ret, llm_run_json(json_str(json_object_get(code, "code")), "python", done,
                                            done ? output : none, done ? none : output, outcome));
}

/* A run is a part with code; its result is a part after it. */
static void read_runs(const json_t *raw, json_t *ret)
{
    const json_t *part, *code = NULL;
    size_t i;

    json_array_foreach(raw, i, part)
    {
        const json_t *result = json_object_get(part, "codeExecutionResult");
        if (result && code)
            gemini_add_run(code, result, ret);
        code = result ? NULL : json_object_get(part, "executableCode") ?: code;
    }
    if (code)
        gemini_add_run(code, NULL, ret);
}

const struct protocol protocol_gemini = {
    .name = "gemini",
    .make_path = make_path,
    .body = gemini_make_body,
    .whole = gemini_read_whole,
    .event = gemini_read_event,
    .runs = read_runs,
};
