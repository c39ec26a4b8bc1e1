/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenAI's Responses API, as far as it is needed for code that the model runs on the provider's
 * side: the tool code_interpreter. Answers are not streamed.
 */
#include <string.h>

#include "formats/json_get.h"
#include "llm/provider.h"

/* ---- requests ---- */

/* The items of an answer are sent back unchanged. */
static void add_input(json_t *input, const struct llm_message *message)
{
    if (message->raw)
        json_array_extend(input, message->raw);
    else
        json_array_append_new(input,
                              json_pack("{s:s, s:s}", "role",
                                        message->role == LLM_ASSISTANT ? "assistant" : "user",
                                        "content", message->text));
}

static void add_instructions(json_t *body, const struct llm_messages *messages)
{
    for (size_t i = 0; i < messages->n; i++)
        if (messages->at[i].role == LLM_SYSTEM)
            json_object_set_new(body, "instructions", json_string(messages->at[i].text));
}

static json_t *responses_make_body(const struct llm_asking *asking)
{
    const struct llm_request *request = asking->request;
    json_t *input = json_array();

    for (size_t i = 0; i < request->messages->n; i++)
        if (request->messages->at[i].role != LLM_SYSTEM)
            add_input(input, &request->messages->at[i]);
    json_t *body = json_pack("{s:s, s:o, s:[{s:s, s:{s:s}}], s:[s]}", "model", asking->model,
                             "input", input, "tools", "type", "code_interpreter", "container",
                             "type", "auto", "include", "code_interpreter_call.outputs");
    add_instructions(body, request->messages);
    if (request->has_temperature)
        json_object_set_new(body, "temperature", json_real(request->temperature));
    if (asking->max_tokens)
        json_object_set_new(body, "max_output_tokens", json_integer(asking->max_tokens));
    return body;
}

/* ---- answers ---- */

static const struct finish_word finish_words[] = {{"completed", LLM_FINISH_STOP},
                                                  {"incomplete", LLM_FINISH_LENGTH},
                                                  {"failed", LLM_FINISH_UNKNOWN},
                                                  {0}};

static void read_message(struct reading *r, const json_t *content)
{
    const json_t *part;
    size_t i;

    json_array_foreach(content, i, part)
    {
        reading_text(r, json_str(json_object_get(part, "text")));
        if (json_string_length(json_object_get(part, "refusal"))) {
            reading_text(r, json_str(json_object_get(part, "refusal")));
            r->answer->finish = LLM_FINISH_REFUSED;
        }
    }
}

static void responses_read_usage(struct reading *r, const json_t *usage)
{
    reading_usage(r, usage, reading_count(usage, "input_tokens"),
                  reading_count(usage, "output_tokens"),
                  reading_count(json_object_get(usage, "input_tokens_details"), "cached_tokens"));
}

static int responses_read_whole(struct reading *r, const json_t *document, struct err *err)
{
    const json_t *output = json_object_get(document, "output"), *item;
    size_t i;

    if (reading_check_error(document, err) < 0)
        return -1;
    if (!json_is_array(output))
        return err_set(err, ERR_GUEST, "the answer has no list 'output'");
    reading_finish_word(r, finish_words, json_object_get(document, "status"));
    json_array_foreach(output, i, item) read_message(r, json_object_get(item, "content"));
    responses_read_usage(r, json_object_get(document, "usage"));
    r->answer->raw = json_deep_copy(output);
    r->complete = true;
    return 0;
}

/* ---- code that the model ran ---- */

static void add_logs(const json_t *outputs, struct buf *ret)
{
    const json_t *output;
    size_t i;

    json_array_foreach(outputs, i, output)(void)
        buf_add_str(ret, json_str(json_object_get(output, "logs")));
}

static void read_runs(const json_t *raw, json_t *ret)
{
    const json_t *item;
    size_t i;

    json_array_foreach(raw, i, item)
    {
        AUTO_BUF struct buf logs = {0};
        const char *status = json_get_text(item, "status");
        bool done = status && strcmp(status, "completed") == 0;
        if (!str_is(json_str(json_object_get(item, "type")), "code_interpreter_call"))
            continue;
        buf_init(&logs, READING_TEXT_MAX);
        add_logs(json_object_get(item, "outputs"), &logs);
        json_array_append_new(ret, llm_run_json(json_str(json_object_get(item, "code")), "python",
                                                done, buf_str(&logs), STR(""), status));
    }
}

const struct protocol protocol_responses = {
    .name = "responses",
    .path = "/responses",
    .body = responses_make_body,
    .whole = responses_read_whole,
    .runs = read_runs,
};
