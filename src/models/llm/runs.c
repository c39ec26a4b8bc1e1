/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that a model ran on its provider's side: the functions that the protocols share, and
 * Anthropic's blocks "server_tool_use" with the results that refer to them.
 */
#include <string.h>

#include "formats/json_get.h"
#include "llm/provider.h"

static json_t *text(struct str s)
{
    return json_stringn(s.n ? s.p : "", s.n);
}

json_t *llm_run_json(struct str code, const char *language, bool success, struct str out,
                     struct str err, const char *outcome)
{
    return json_pack("{s:o, s:s, s:b, s:i, s:o, s:o, s:s?}", "code", text(code), "language",
                     language, "success", success, "exit_code", success ? 0 : 1, "stdout",
                     text(out), "stderr", text(err), "outcome", outcome);
}

/* ---- the reply after the last run ---- */

static void add_text_of(const json_t *part, struct buf *ret)
{
    const json_t *inner;
    size_t i;

    if (!json_get_true(part, "thought"))
        (void)buf_add_str(ret, json_str(json_object_get(part, "text")));
    if (!str_is(json_str(json_object_get(part, "type")), "message"))
        return;
    json_array_foreach(json_object_get(part, "content"), i, inner)(void)
        buf_add_str(ret, json_str(json_object_get(inner, "text")));
}

static bool is_text(const json_t *part)
{
    return json_is_string(json_object_get(part, "text")) ||
           str_is(json_str(json_object_get(part, "type")), "message");
}

void llm_last_text(const json_t *raw, struct buf *ret)
{
    size_t n = json_array_size(raw), from = n;

    while (from > 0 && is_text(json_array_get(raw, from - 1)))
        from--;
    for (; from < n; from++)
        add_text_of(json_array_get(raw, from), ret);
}

/* ---- Anthropic ---- */

/* Returns Python code, or a command of the shell. Other tools of the model (an editor) are not
 * programs. */
static struct str code_of(const json_t *input, const char **ret_language)
{
    struct str code = json_str(json_object_get(input, "code"));

    *ret_language = code.n ? "python" : "bash";
    return code.n ? code : json_str(json_object_get(input, "command"));
}

static bool is_result_of(const json_t *block, const char *id)
{
    const char *of = json_get_text(block, "tool_use_id");

    return of && id && strcmp(of, id) == 0;
}

static const json_t *result_of(const json_t *raw, size_t from, const char *id)
{
    for (size_t i = from; i < json_array_size(raw); i++)
        if (is_result_of(json_array_get(raw, i), id))
            return json_object_get(json_array_get(raw, i), "content");
    return NULL;
}

static void add_anthropic_run(const json_t *raw, size_t i, json_t *ret)
{
    const json_t *use = json_array_get(raw, i);
    const json_t *result = result_of(raw, i + 1, json_get_text(use, "id"));
    const json_t *status = json_object_get(result, "return_code");
    const char *outcome = json_get_text(result, "error_code"), *language;
    struct str code = code_of(json_object_get(use, "input"), &language);
    bool done = json_is_integer(status) && json_integer_value(status) == 0;

    if (!code.n)
        return;
    json_t *run = llm_run_json(code, language, done, json_str(json_object_get(result, "stdout")),
                               json_str(json_object_get(result, "stderr")), outcome);
    if (json_is_integer(status))
        json_object_set_new(run, "exit_code", json_integer(json_integer_value(status)));
    json_array_append_new(ret, run);
}

void anthropic_runs(const json_t *raw, json_t *ret)
{
    for (size_t i = 0; i < json_array_size(raw); i++)
        if (str_is(json_str(json_object_get(json_array_get(raw, i), "type")), "server_tool_use"))
            add_anthropic_run(raw, i, ret);
}
