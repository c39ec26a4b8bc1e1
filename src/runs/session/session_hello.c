/* SPDX-License-Identifier: Apache-2.0
 *
 * The first frame: the guest's settings.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/encoded.h"
#include "formats/json_write.h"
#include "run/first.h"
#include "session/session_impl.h"

static enum session_value hello_value(const struct session_request *request)
{
    const char *profile = request->run.policy.profile;

    if (request->value_set)
        return request->value;
    return profile && strcmp(profile, "smolagents") == 0 ? SESSION_VALUE_LAST
                                                         : SESSION_VALUE_NOTEBOOK;
}

int hello_program(const struct language *language, struct buf *out)
{
    size_t n = language->cells_code ? *language->cells_code_size : 0;

    if (n && (buf_addf(out, "#code %s %zu\n", language->cells_magic, n) < 0 ||
              buf_add(out, language->cells_code, n) < 0))
        return -1;
    for (const char *const *text = language->cells; text && *text; text++)
        if (buf_adds(out, *text) < 0)
            return -1;
    return 0;
}

static void session_hello_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

json_t *hello_tool(const struct tool *tool)
{
    json_t *object = json_object();

    session_hello_set(object, "name", json_text(str_from(tool->name)));
    session_hello_set(object, "description", json_text(str_from(tool->description)));
    session_hello_set(object, "parameters",
                      tool->parameters ? json_incref(tool->parameters) : json_null());
    session_hello_set(object, "returns", json_text_or_null(str_from(tool->returns)));
    return object;
}

static json_t *tools_json(const struct tool_set *tools)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tools->count; i++)
        if (!tools->items[i].is_input)
            json_array_append_new(list, hello_tool(&tools->items[i]));
    return list;
}

static json_t *words_json(char *const *words)
{
    json_t *list = json_array();

    for (; words && *words; words++)
        json_array_append_new(list, json_text(str_from(*words)));
    return list;
}

/* Returns the user's variables: an interpreter that was started early can get them only in this
 * frame. */
static json_t *env_json(char *const *env)
{
    json_t *object = json_object();

    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        const char *value = equals ? equals + 1 : getenv(*env);
        size_t n = equals ? (size_t)(equals - *env) : strlen(*env);
        if (value)
            json_object_setn_new_nocheck(object, *env, n, json_text(str_from(value)));
    }
    return object;
}

static json_t *limits_json(const struct tool_set *tools)
{
    json_t *object = json_object();

    session_hello_set(object, "value", json_integer(SESSION_VALUE_MAX));
    session_hello_set(object, "variables", json_integer(SESSION_VARIABLES_MAX));
    session_hello_set(object, "bundle", json_integer(SESSION_BUNDLE_MAX));
    session_hello_set(object, "bundles", json_integer(DISPLAYS_MAX));
    session_hello_set(object, "text", json_integer(SESSION_TEXT_CHARS));
    session_hello_set(object, "call", json_integer((json_int_t)tools->max_bytes));
    return object;
}

/* True if the guest's input() is a tool call. */
static bool asks_at_terminal(const struct session *s)
{
    return tool_set_input(&s->tools) &&
           !backend_need(s->shared->prepared.backend, CAN_TOOLS).why_not;
}

static json_t *first_json(const struct run_request *q)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1u << 20);
    profile_first(q, true, &text);
    return json_text(buf_str(&text));
}

char *hello_json(const struct session *s)
{
    const struct session_request *q = &s->shared->request;
    json_t *hello = json_object();

    session_hello_set(
        hello, "value",
        json_string_nocheck(hello_value(q) == SESSION_VALUE_LAST ? "last" : "notebook"));
    session_hello_set(hello, "tools", tools_json(&s->tools));
    session_hello_set(hello, "final_answer", json_boolean(s->tools.final_answer));
    session_hello_set(hello, "terminal", json_boolean(asks_at_terminal(s)));
    session_hello_set(hello, "preload", words_json(q->preload));
    session_hello_set(hello, "first", first_json(&q->run));
    session_hello_set(hello, "annotations", json_boolean(!profile_skips_annotations(&q->run)));
    session_hello_set(hello, "source", json_text(str_from(s->tools.source)));
    session_hello_set(hello, "env", env_json(q->run.program.env));
    session_hello_set(hello, "limits", limits_json(&s->tools));
    session_hello_set(hello, "folder", json_text(s->shared->prepared.folder));
    char *text = json_write(hello, false);
    json_decref(hello);
    return text;
}
