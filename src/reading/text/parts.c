/* SPDX-License-Identifier: Apache-2.0 */
#include "text/parts.h"

#include <string.h>

#include "formats/encoded.h"

/* The name of one member in both spellings. */
struct key {
    const char *snake, *camel;
};

static const struct key code_key = {"executable_code", "executableCode"};
static const struct key result_key = {"code_execution_result", "codeExecutionResult"};

static json_t *parts_get(const json_t *part, const struct key *key)
{
    json_t *value = json_object_get(part, key->snake);

    value = json_is_object(value) ? value : json_object_get(part, key->camel);
    return json_is_object(value) ? value : NULL;
}

static bool is_camel(const json_t *parts)
{
    json_t *part;
    size_t i;

    json_array_foreach(parts, i, part) if (json_object_get(part, code_key.camel) ||
                                           json_object_get(part, result_key.camel)) return true;
    return false;
}

static json_t *new_code(struct str code, bool camel)
{
    json_t *inner = json_object(), *part = json_object();

    json_object_set_new(inner, "language", json_string("PYTHON"));
    json_object_set_new_nocheck(inner, "code", json_text(code));
    json_object_set_new(part, camel ? code_key.camel : code_key.snake, inner);
    return part;
}

json_t *parts_result(bool failed, struct str output)
{
    json_t *inner = json_object(), *part = json_object();

    json_object_set_new(inner, "outcome", json_string(failed ? "OUTCOME_FAILED" : "OUTCOME_OK"));
    json_object_set_new_nocheck(inner, "output", json_text(output));
    json_object_set_new(part, result_key.snake, inner);
    return part;
}

static struct str parts_text_of(const json_t *value)
{
    return (struct str){json_is_string(value) ? json_string_value(value) : "",
                        json_string_length(value)};
}

/* ---- taking the code out ---- */

static void parts_cut(json_t *parts, size_t n)
{
    while (json_array_size(parts) > n)
        json_array_remove(parts, json_array_size(parts) - 1);
}

static json_t *code_part(json_t *parts)
{
    size_t n = json_array_size(parts);

    for (size_t i = 0; i < n; i++) {
        json_t *code = parts_get(json_array_get(parts, i), &code_key);
        if (!code || (i + 1 < n && parts_get(json_array_get(parts, i + 1), &result_key)))
            continue;
        struct str text = parts_text_of(json_object_get(code, "code"));
        parts_cut(parts, i + 1);
        return json_stringn_nocheck(text.p, text.n);
    }
    return NULL;
}

/* Joins the texts with line ends; *ret_first is the first part that has a text. */
static void join_texts(json_t *parts, struct buf *out, json_t **ret_first)
{
    json_t *part;
    size_t i;

    *ret_first = NULL;
    json_array_foreach(parts, i, part)
    {
        struct str text = parts_text_of(json_object_get(part, "text"));
        if (!text.n)
            continue;
        if (*ret_first)
            (void)buf_addc(out, '\n');
        else
            *ret_first = part;
        (void)buf_add_str(out, text);
    }
}

static size_t text_size(json_t *parts)
{
    size_t n = 0, i;
    json_t *part;

    json_array_foreach(parts, i, part) n += parts_text_of(json_object_get(part, "text")).n + 1;
    return n;
}

json_t *parts_extract_code(json_t *content, const struct block_pair *pairs, size_t n)
{
    json_t *parts = json_object_get(content, "parts"), *first;
    AUTO_BUF struct buf all = {0};
    struct code_block block;

    if (!json_is_array(parts))
        return NULL;
    json_t *code = code_part(parts);
    if (code)
        return code;
    buf_init(&all, text_size(parts));
    join_texts(parts, &all, &first);
    if (!first || !blocks_first_adk(buf_str(&all), pairs, n, &block))
        return NULL;
    bool camel = is_camel(parts);
    json_t *lead = json_copy(first);
    json_array_clear(parts);
    if (block.start) {
        json_object_set_new_nocheck(lead, "text", json_stringn_nocheck(all.p, block.start));
        json_array_append(parts, lead);
    }
    json_decref(lead);
    json_array_append_new(parts, new_code(block.code, camel));
    return json_stringn_nocheck(block.code.p, block.code.n);
}

/* ---- back to text ---- */

static json_t *between(const struct block_pair *pair, struct str text)
{
    AUTO_BUF struct buf b = {0};
    json_t *part = json_object();

    buf_init(&b, pair->open.n + text.n + pair->close.n);
    (void)buf_add_str(&b, pair->open);
    (void)buf_add_str(&b, text);
    (void)buf_add_str(&b, pair->close);
    json_object_set_new_nocheck(part, "text", json_text(buf_str(&b)));
    return part;
}

void parts_to_text(json_t *content, const struct block_pair *code, const struct block_pair *result)
{
    static const struct block_pair nothing = {{"", 0}, {"", 0}};
    json_t *parts = json_object_get(content, "parts");
    size_t n = json_array_size(parts);

    if (!n)
        return;
    json_t *last = json_array_get(parts, n - 1), *value = parts_get(last, &code_key);
    if (value) {
        struct str text = parts_text_of(json_object_get(value, "code"));
        json_array_set_new(parts, n - 1, between(code, text));
        return;
    }
    value = parts_get(last, &result_key);
    if (n > 1 || !value)
        return;
    json_t *output = json_object_get(value, "output");
    const struct block_pair *pair = json_is_string(output) ? result : &nothing;
    json_array_set_new(parts, 0, between(pair, parts_text_of(output)));
    json_object_set_new(content, "role", json_string("user"));
}
