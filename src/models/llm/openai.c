/* SPDX-License-Identifier: Apache-2.0
 *
 * Chat completions: OpenAI, and every server with this protocol (vLLM, Ollama, llama.cpp ...).
 * Only fields that all of them accept are sent.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "llm/provider.h"

/* ---- requests ---- */

static json_t *make_calls(const struct llm_message *message)
{
    json_t *calls = json_array();

    for (size_t i = 0; i < message->call_n; i++) {
        const struct llm_call *call = &message->calls[i];
        json_array_append_new(calls, json_pack("{s:s, s:s, s:{s:s, s:s}}", "id", call->id, "type",
                                               "function", "function", "name", call->name,
                                               "arguments", call->arguments));
    }
    return calls;
}

static json_t *make_message(const struct llm_message *message)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    json_t *made = json_pack("{s:s, s:s}", "role", roles[message->role], "content", message->text);

    if (message->role == LLM_RESULT)
        json_object_set_new(made, "tool_call_id", json_string(message->call_id));
    if (message->call_n)
        json_object_set_new(made, "tool_calls", make_calls(message));
    if (message->call_n && !*message->text)
        json_object_set_new(made, "content", json_null());
    return made;
}

static json_t *openai_make_tools(const struct llm_request *request)
{
    json_t *tools = json_array();

    for (size_t i = 0; i < request->tool_n; i++) {
        const struct llm_tool *tool = &request->tools[i];
        json_array_append_new(tools, json_pack("{s:s, s:{s:s, s:s, s:O}}", "type", "function",
                                               "function", "name", tool->name, "description",
                                               tool->description, "parameters", tool->parameters));
    }
    return tools;
}

static void add_options(json_t *body, const struct llm_asking *asking)
{
    const struct llm_request *request = asking->request;

    if (request->has_temperature)
        json_object_set_new(body, "temperature", json_real(request->temperature));
    if (asking->max_tokens)
        json_object_set_new(body, "max_tokens", json_integer(asking->max_tokens));
    if (request->stop && request->stop[0])
        json_object_set_new(body, "stop", reading_texts(request->stop));
    if (request->stream)
        json_object_update_new(
            body, json_pack("{s:b, s:{s:b}}", "stream", 1, "stream_options", "include_usage", 1));
}

static json_t *openai_make_body(const struct llm_asking *asking)
{
    const struct llm_request *request = asking->request;
    json_t *messages = json_array();

    for (size_t i = 0; i < request->messages->n; i++)
        json_array_append_new(messages, make_message(&request->messages->at[i]));
    json_t *body = json_pack("{s:s, s:o}", "model", asking->model, "messages", messages);
    if (request->tool_n)
        json_object_set_new(body, "tools", openai_make_tools(request));
    if (request->schema)
        json_object_set_new(body, "response_format",
                            json_pack("{s:s, s:{s:s, s:O, s:b}}", "type", "json_schema",
                                      "json_schema", "name", "answer", "schema", request->schema,
                                      "strict", 1));
    add_options(body, asking);
    return body;
}

/* ---- answers ---- */

static const struct finish_word finish_words[] = {{"stop", LLM_FINISH_STOP},
                                                  {"length", LLM_FINISH_LENGTH},
                                                  {"tool_calls", LLM_FINISH_CALLS},
                                                  {"function_call", LLM_FINISH_CALLS},
                                                  {"content_filter", LLM_FINISH_REFUSED},
                                                  {0}};

/* Reads a string, or a list of parts with strings. */
static void openai_read_content(struct reading *r, const json_t *content)
{
    const json_t *part;
    size_t i;

    reading_text(r, json_str(content));
    json_array_foreach(content, i, part) reading_text(r, json_str(json_object_get(part, "text")));
}

/* The id and the name are sent once; some servers repeat them in every chunk. */
static void set_once(struct reading *r, struct buf *b, const json_t *text)
{
    if (b->n == 0)
        reading_add(r, b, json_str(text));
}

static void openai_read_call(struct reading *r, size_t index, const json_t *piece)
{
    const json_t *function = json_object_get(piece, "function");
    const json_t *arguments = json_object_get(function, "arguments");
    struct reading_call *call = reading_call(r, index);

    if (!call)
        return;
    set_once(r, &call->id, json_object_get(piece, "id"));
    set_once(r, &call->name, json_object_get(function, "name"));
    if (json_is_object(arguments)) {
        AUTO_FREE char *text = json_dumps(arguments, JSON_COMPACT);
        reading_add(r, &call->arguments, str_from(text));
    } else {
        reading_add(r, &call->arguments, json_str(arguments));
    }
}

/* In a stream, each chunk has the index of its call. */
static void read_calls(struct reading *r, const json_t *calls)
{
    const json_t *piece;
    size_t i;

    json_array_foreach(calls, i, piece)
    {
        const json_t *index = json_object_get(piece, "index");
        json_int_t n = json_is_integer(index) ? json_integer_value(index) : (json_int_t)i;
        openai_read_call(r, n < 0 ? SIZE_MAX : (size_t)n, piece);
    }
}

static void read_choice(struct reading *r, const json_t *choice, const char *member)
{
    const json_t *message = json_object_get(choice, member);

    openai_read_content(r, json_object_get(message, "content"));
    read_calls(r, json_object_get(message, "tool_calls"));
    reading_finish_word(r, finish_words, json_object_get(choice, "finish_reason"));
    if (json_string_length(json_object_get(message, "refusal"))) {
        openai_read_content(r, json_object_get(message, "refusal"));
        r->answer->finish = LLM_FINISH_REFUSED;
    }
}

static void openai_read_usage(struct reading *r, const json_t *usage)
{
    const json_t *details = json_object_get(usage, "prompt_tokens_details");

    reading_usage(r, usage, reading_count(usage, "prompt_tokens"),
                  reading_count(usage, "completion_tokens"),
                  reading_count(details, "cached_tokens"));
}

static int openai_read_document(struct reading *r, const json_t *document, const char *member,
                                struct err *err)
{
    const json_t *choices = json_object_get(document, "choices");

    if (reading_check_error(document, err) < 0)
        return -1;
    if (!json_is_array(choices))
        return err_set(err, ERR_GUEST, "the answer has no list 'choices'");
    read_choice(r, json_array_get(choices, 0), member);
    openai_read_usage(r, json_object_get(document, "usage"));
    return 0;
}

static int openai_read_whole(struct reading *r, const json_t *document, struct err *err)
{
    const json_t *choice = json_array_get(json_object_get(document, "choices"), 0);

    if (openai_read_document(r, document, "message", err) < 0)
        return -1;
    if (!json_is_object(json_object_get(choice, "message")))
        return err_set(err, ERR_GUEST, "the answer has no message in 'choices'");
    r->complete = true;
    return 0;
}

/* [DONE] is not JSON; the caller removes it. Some servers never send it. */
static int openai_read_event(struct reading *r, const json_t *event, struct err *err)
{
    int status = openai_read_document(r, event, "delta", err);

    r->complete |= r->has_finish;
    return status;
}

const struct protocol protocol_openai = {
    .name = "openai",
    .path = "/chat/completions",
    .body = openai_make_body,
    .whole = openai_read_whole,
    .event = openai_read_event,
};
