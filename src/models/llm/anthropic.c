/* SPDX-License-Identifier: Apache-2.0
 *
 * Anthropic Messages. The version is one that every server with this protocol knows. Some models
 * refuse `temperature`; callers may leave it out. An assistant's blocks are sent back unchanged:
 * thinking blocks are signed.
 */

#include "base/mem.h"
#include "formats/json_get.h"
#include "llm/provider.h"

/* the field is required; older models allow only 4096: use --max-tokens */
enum { MAX_TOKENS_DEFAULT = 8192 };

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

/* ---- requests ---- */

static json_t *text_block(const char *text)
{
    return json_pack("{s:s, s:s}", "type", "text", "text", text);
}

static json_t *call_block(const struct llm_call *call)
{
    return json_pack("{s:s, s:s, s:s, s:o}", "type", "tool_use", "id", call->id, "name", call->name,
                     "input", reading_arguments(call));
}

static json_t *result_block(const struct llm_message *message)
{
    return json_pack("{s:s, s:s, s:s, s:b}", "type", "tool_result", "tool_use_id", message->call_id,
                     "content", message->text, "is_error", message->failed);
}

static json_t *make_blocks(const struct llm_message *message)
{
    json_t *blocks = json_array();

    if (message->role == LLM_RESULT)
        json_array_append_new(blocks, result_block(message));
    else if (*message->text)
        json_array_append_new(blocks, text_block(message->text));
    for (size_t i = 0; i < message->call_n; i++)
        json_array_append_new(blocks, call_block(&message->calls[i]));
    return blocks;
}

static void add_message(json_t *messages, const struct llm_message *message)
{
    const char *role = message->role == LLM_ASSISTANT ? "assistant" : "user";

    reading_add_turn(messages, role, "content",
                     message->raw ? json_incref(message->raw) : make_blocks(message));
}

static json_t *make_messages(const struct llm_messages *from, struct buf *system)
{
    json_t *messages = json_array();

    for (size_t i = 0; i < from->n; i++) {
        if (from->at[i].role != LLM_SYSTEM)
            add_message(messages, &from->at[i]);
        else
            (void)buf_addf(system, "%s%s", system->n ? "\n\n" : "", from->at[i].text);
    }
    return messages;
}

static json_t *anthropic_make_tools(const struct llm_request *request)
{
    json_t *tools = json_array();

    for (size_t i = 0; i < request->tool_n; i++)
        json_array_append_new(tools, json_pack("{s:s, s:s, s:O}", "name", request->tools[i].name,
                                               "description", request->tools[i].description,
                                               "input_schema", request->tools[i].parameters));
    if (request->builtin)
        json_array_append_new(tools, json_pack("{s:s, s:s}", "type", "code_execution_20250825",
                                               "name", "code_execution"));
    return tools;
}

static void add_options(json_t *body, const struct llm_request *request)
{
    if (request->tool_n || request->builtin)
        json_object_set_new(body, "tools", anthropic_make_tools(request));
    if (request->schema)
        json_object_set_new(body, "output_config",
                            json_pack("{s:{s:s, s:O}}", "format", "type", "json_schema", "schema",
                                      request->schema));
    if (request->has_temperature)
        json_object_set_new(body, "temperature", json_real(request->temperature));
    if (request->stop && request->stop[0])
        json_object_set_new(body, "stop_sequences", reading_texts(request->stop));
    if (request->stream)
        json_object_set_new(body, "stream", json_true());
}

static json_t *anthropic_make_body(const struct llm_asking *asking)
{
    AUTO_BUF struct buf system = {0};
    int64_t most = asking->max_tokens ? asking->max_tokens : MAX_TOKENS_DEFAULT;

    buf_init(&system, READING_TEXT_MAX);
    json_t *messages = make_messages(asking->request->messages, &system);
    json_t *body = json_pack("{s:s, s:I, s:o}", "model", asking->model, "max_tokens",
                             (json_int_t)most, "messages", messages);
    if (system.n)
        json_object_set_new(body, "system", json_string(system.p));
    add_options(body, asking->request);
    return body;
}

/* ---- answers ---- */

static const struct finish_word finish_words[] = {
    {"end_turn", LLM_FINISH_STOP},     {"stop_sequence", LLM_FINISH_STOP},
    {"max_tokens", LLM_FINISH_LENGTH}, {"model_context_window_exceeded", LLM_FINISH_LENGTH},
    {"tool_use", LLM_FINISH_CALLS},    {"pause_turn", LLM_FINISH_PAUSED},
    {"refusal", LLM_FINISH_REFUSED},   {0}};

static bool is_type(const json_t *object, const char *type)
{
    return str_is(json_str(json_object_get(object, "type")), type);
}

/* The prompt's tokens are in three counts: new, written to the cache, read from the cache. */
static void anthropic_read_usage(struct reading *r, const json_t *usage)
{
    int64_t cached = reading_count(usage, "cache_read_input_tokens");
    int64_t rest = reading_count(usage, "cache_creation_input_tokens");
    int64_t input = reading_count(usage, "input_tokens");
    const struct llm_usage *before = &r->answer->usage;

    if (!json_object_get(usage, "input_tokens") && before->tokens_known)
        reading_usage(r, usage, before->prompt_tokens, reading_count(usage, "output_tokens"),
                      before->cached_tokens);
    else if (input < INT64_MAX / 4 && cached < INT64_MAX / 4 && rest < INT64_MAX / 4)
        reading_usage(r, usage, input + cached + rest, reading_count(usage, "output_tokens"),
                      cached);
}

static void begin_block(struct reading *r, size_t index, const json_t *value)
{
    struct reading_block *block = reading_block(r, index);

    if (!block || block->value || !json_is_object(value))
        return;
    block->value = json_deep_copy(value);
    if (is_type(value, "text"))
        reading_text(r, json_str(json_object_get(value, "text")));
}

static void add_delta(struct reading *r, size_t index, const json_t *delta)
{
    struct reading_block *block = reading_block(r, index);

    if (!block || !block->value)
        return;
    if (is_type(delta, "text_delta")) {
        reading_add(r, &block->text, json_str(json_object_get(delta, "text")));
        reading_text(r, json_str(json_object_get(delta, "text")));
    } else if (is_type(delta, "input_json_delta")) {
        reading_add(r, &block->input, json_str(json_object_get(delta, "partial_json")));
    } else if (is_type(delta, "thinking_delta")) {
        reading_add(r, &block->text, json_str(json_object_get(delta, "thinking")));
    } else if (is_type(delta, "signature_delta")) {
        reading_add(r, &block->signature, json_str(json_object_get(delta, "signature")));
    }
}

static void append_text(json_t *block, const char *name, const struct buf *more)
{
    AUTO_BUF struct buf whole = {0};

    if (!more->n)
        return;
    buf_init(&whole, 2 * (size_t)READING_TEXT_MAX);
    (void)buf_add_str(&whole, json_str(json_object_get(block, name)));
    (void)buf_add(&whole, more->p, more->n);
    json_object_set_new(block, name, json_stringn(whole.p, whole.n));
}

static void take_call(struct reading *r, const struct reading_block *block)
{
    struct reading_call *call = reading_call(r, r->call_n);

    if (!call)
        return;
    reading_add(r, &call->id, json_str(json_object_get(block->value, "id")));
    reading_add(r, &call->name, json_str(json_object_get(block->value, "name")));
    if (block->input.n) {
        reading_add(r, &call->arguments, buf_str(&block->input));
        return;
    }
    AUTO_FREE char *input =
        json_dumps(json_object_get(block->value, "input"), JSON_COMPACT | JSON_ENCODE_ANY);
    reading_add(r, &call->arguments, str_from(input));
}

/* Adds to a block what arrived after its start event. */
static void complete_block(struct reading *r, struct reading_block *block)
{
    append_text(block->value, is_type(block->value, "thinking") ? "thinking" : "text",
                &block->text);
    append_text(block->value, "signature", &block->signature);
    if (block->input.n) {
        json_t *input = json_loadb(block->input.p, block->input.n, JSON_ALLOW_NUL, NULL);
        json_object_set_new(block->value, "input", input ? input : json_object());
    }
    if (is_type(block->value, "tool_use"))
        take_call(r, block);
    json_array_append(r->answer->raw, block->value);
}

static void anthropic_complete(struct reading *r)
{
    if (r->complete)
        return;
    r->complete = true;
    r->answer->raw = json_array();
    for (size_t i = 0; i < r->block_n; i++)
        if (r->blocks[i].value)
            complete_block(r, &r->blocks[i]);
}

static int anthropic_read_whole(struct reading *r, const json_t *document, struct err *err)
{
    const json_t *content = json_object_get(document, "content"), *block;
    size_t i;

    if (reading_check_error(document, err) < 0)
        return -1;
    if (!json_is_array(content))
        return err_set(err, ERR_GUEST, "the answer has no list 'content'");
    json_array_foreach(content, i, block) begin_block(r, i, block);
    reading_finish_word(r, finish_words, json_object_get(document, "stop_reason"));
    anthropic_read_usage(r, json_object_get(document, "usage"));
    anthropic_complete(r);
    return 0;
}

static int anthropic_read_event(struct reading *r, const json_t *event, struct err *err)
{
    const json_t *message = json_object_get(event, "message");
    json_int_t n = json_integer_value(json_object_get(event, "index"));
    size_t index = n < 0 ? SIZE_MAX : (size_t)n;

    if (reading_check_error(event, err) < 0)
        return -1;
    if (is_type(event, "message_start")) {
        anthropic_read_usage(r, json_object_get(message, "usage"));
    } else if (is_type(event, "content_block_start")) {
        begin_block(r, index, json_object_get(event, "content_block"));
    } else if (is_type(event, "content_block_delta")) {
        add_delta(r, index, json_object_get(event, "delta"));
    } else if (is_type(event, "message_delta")) {
        const json_t *delta = json_object_get(event, "delta");
        reading_finish_word(r, finish_words, json_object_get(delta, "stop_reason"));
        anthropic_read_usage(r, json_object_get(event, "usage"));
    } else if (is_type(event, "message_stop")) {
        anthropic_complete(r);
    }
    return 0;
}

const struct protocol protocol_anthropic = {
    .name = "anthropic",
    .headers = headers,
    .path = "/v1/messages",
    .body = anthropic_make_body,
    .whole = anthropic_read_whole,
    .event = anthropic_read_event,
    .runs = anthropic_runs,
};
