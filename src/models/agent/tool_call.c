/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/tool_call.h"

#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

enum { CONTENTS_MAX = 4 << 20 }; /* bytes of all files in an answer */

const char *const tool_form_names[] = {"openai", "responses", "anthropic", "gemini", "mcp", NULL};

json_t *tool_form_schema(enum tool_form form)
{
    const struct language_table built_in = {0};
    const char *name = EXECUTE_CODE_NAME, *about = execute_code_description(EXECUTE_ALONE);
    json_t *schema = execute_code_schema(EXECUTE_ALONE, &built_in);

    switch (form) {
    case TOOL_OPENAI:
        return json_pack("{s:s, s:{s:s, s:s, s:o}}", "type", "function", "function", "name", name,
                         "description", about, "parameters", schema);
    case TOOL_RESPONSES:
        return json_pack("{s:s, s:s, s:s, s:o}", "type", "function", "name", name, "description",
                         about, "parameters", schema);
    case TOOL_ANTHROPIC:
        return json_pack("{s:s, s:s, s:o}", "name", name, "description", about, "input_schema",
                         schema);
    case TOOL_GEMINI:
        return json_pack("{s:[{s:s, s:s, s:o}]}", "functionDeclarations", "name", name,
                         "description", about, "parametersJsonSchema", schema);
    case TOOL_MCP:
        return json_pack("{s:s, s:s, s:o}", "name", name, "description", about, "inputSchema",
                         schema);
    case TOOL_PLAIN:
        break;
    }
    return schema;
}

/* ---- reading ---- */

struct asked {
    enum tool_form form;
    const json_t *id, *name, *arguments; /* of the message */
};

static struct asked asked_of(enum tool_form form, const json_t *id, const json_t *call,
                             const char *arguments)
{
    return (struct asked){form, id, json_object_get(call, "name"),
                          json_object_get(call, arguments)};
}

static bool read_asked_call(const json_t *message, struct asked *ret)
{
    struct str type = json_str(json_object_get(message, "type"));
    const json_t *id = json_object_get(message, "id");
    const json_t *function = json_object_get(message, "function");
    const json_t *call = json_object_get(message, "functionCall");

    if (json_is_object(function))
        *ret = asked_of(TOOL_OPENAI, id, function, "arguments");
    else if (str_is(type, "function_call"))
        *ret = asked_of(TOOL_RESPONSES, json_object_get(message, "call_id"), message, "arguments");
    else if (str_is(type, "tool_use"))
        *ret = asked_of(TOOL_ANTHROPIC, id, message, "input");
    else if (json_is_object(call))
        *ret = asked_of(TOOL_GEMINI, json_object_get(call, "id"), call, "args");
    else if (str_is(json_str(json_object_get(message, "method")), "tools/call"))
        *ret = asked_of(TOOL_MCP, id, json_object_get(message, "params"), "arguments");
    else if (json_is_string(json_object_get(message, "code")))
        *ret = (struct asked){.form = TOOL_PLAIN, .arguments = message};
    else
        return false;
    return true;
}

/* ---- the run ---- */

static json_t *content_of(const struct result *result, const json_t *file, size_t *room)
{
    AUTO_BUF struct buf bytes = {0}, text = {0};
    const char *name = json_get_text(file, "name");
    uint64_t size = 0;
    struct err err;
    AUTO_CLOSE int fd = name ? result_file_open(result, name, &size, &err) : -1;

    buf_init(&bytes, *room);
    if (fd < 0 || size > *room || fd_read_all(fd, &bytes) < 0)
        return json_null();
    *room -= bytes.n;
    buf_init(&text, 2 * bytes.n + 8);
    (void)base64_add(&text, buf_str(&bytes));
    return json_text(buf_str(&text));
}

static void add_contents(const struct result *result, json_t *reply)
{
    size_t i, room = CONTENTS_MAX;
    json_t *file;

    json_array_foreach(json_object_get(reply, "output_files"), i, file)
        json_object_set_new(file, "content", content_of(result, file, &room));
}

static json_t *tool_call_run(struct execute_call *call, const struct run_request *request,
                             const struct run_watch *watch, struct result *ret)
{
    struct run_request q = *request;

    execute_call_apply(call, &q);
    run_program(&q, watch, ret);
    json_t *document = result_document(ret);
    json_t *reply = execute_reply(document, call->id);
    add_contents(ret, reply);
    json_decref(document);
    return reply;
}

static json_t *answer(const struct asked *asked, const struct run_request *request,
                      const struct run_watch *watch, struct result *ret)
{
    struct str name = json_str(asked->name);
    AUTO_FREE char *text = json_is_string(asked->arguments)
                               ? xstrdup(json_string_value(asked->arguments))
                               : json_dumps(asked->arguments, JSON_ENCODE_ANY);
    struct execute_call call;
    struct err err;

    if (asked->form != TOOL_PLAIN && !str_is(name, EXECUTE_CODE_NAME)) {
        (void)err_set(&err, ERR_GUEST, "there is no tool '%.*s'; the tool is " EXECUTE_CODE_NAME,
                      (int)utf8_cut(name, 60), name.p);
        return execute_refusal(err.msg);
    }
    json_t *reply = execute_call_read(&call, str_from(text), request->program.languages, &err) < 0
                        ? execute_refusal(err.msg)
                        : tool_call_run(&call, request, watch, ret);
    execute_call_done(&call);
    return reply;
}

/* ---- the answer ---- */

static json_t *id_of(const struct asked *asked)
{
    return asked->id ? json_incref((json_t *)(uintptr_t)asked->id) : NULL;
}

/* Takes over `reply`. */
static json_t *wrap(const struct asked *asked, json_t *reply)
{
    AUTO_FREE char *text = json_write(reply, false);
    bool failed = !json_get_true(reply, "success");
    json_t *content = json_text(str_from(text)), *ret = NULL;

    switch (asked->form) {
    case TOOL_OPENAI:
        ret = json_pack("{s:s, s:o?, s:O}", "role", "tool", "tool_call_id", id_of(asked), "content",
                        content);
        break;
    case TOOL_RESPONSES:
        ret = json_pack("{s:s, s:o?, s:O}", "type", "function_call_output", "call_id", id_of(asked),
                        "output", content);
        break;
    case TOOL_ANTHROPIC:
        ret = json_pack("{s:s, s:o?, s:O, s:b}", "type", "tool_result", "tool_use_id", id_of(asked),
                        "content", content, "is_error", failed);
        break;
    case TOOL_GEMINI:
        ret = json_pack("{s:{s:o*, s:s, s:O}}", "functionResponse", "id", id_of(asked), "name",
                        EXECUTE_CODE_NAME, "response", reply);
        break;
    case TOOL_MCP:
        ret = json_pack("{s:s, s:o?, s:{s:[{s:s, s:O}], s:O, s:b}}", "jsonrpc", "2.0", "id",
                        id_of(asked), "result", "content", "type", "text", "text", content,
                        "structuredContent", reply, "isError", failed);
        break;
    case TOOL_PLAIN:
        ret = json_incref(reply);
        break;
    }
    json_decref(content);
    json_decref(reply);
    return ret;
}

json_t *tool_call_answer(const json_t *message, const struct run_request *request,
                         const struct run_watch *watch, struct result *ret_result, struct err *err)
{
    struct asked asked;

    if (!read_asked_call(message, &asked)) {
        (void)err_set(err, ERR_USAGE,
                      "it is not a call of a tool: expected OpenAI's 'function' or "
                      "'function_call', Anthropic's 'tool_use', Gemini's 'functionCall', MCP's "
                      "'tools/call', or the arguments with 'code'");
        return NULL;
    }
    return wrap(&asked, answer(&asked, request, watch, ret_result));
}
