/* SPDX-License-Identifier: Apache-2.0 */
#include "text/context.h"

#include <string.h>

#include "base/utf8.h"
#include "formats/encoded.h"
#include "text/context_parts.h"

/* ---- text ---- */

int context_read(struct str text, struct context *ret, struct err *err)
{
    json_error_t where = {0};

    *ret = (struct context){0};
    if (text.n && memchr(text.p, '\0', text.n)) /* jansson would end the string at the NUL */
        return err_set(err, ERR_USAGE, "holds a NUL byte");
    if (!str_trim(text).n)
        ret->document = json_object();
    else
        ret->document = json_loadb(text.p, text.n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &where);
    if (!ret->document)
        return err_set(err, ERR_USAGE, "line %d, column %d: %s", where.line, where.column,
                       where.text);
    if (context_check_document(ret->document, err) == 0)
        return 0;
    context_done(ret);
    return -1;
}

static int add_piece(const char *p, size_t n, void *b)
{
    return buf_add(b, p, n);
}

int context_write(const struct context *c, struct buf *b, struct err *err)
{
    if (json_dump_callback(c->document, add_piece, b, JSON_INDENT(2)) == 0 &&
        buf_addc(b, '\n') == 0)
        return 0;
    return err_set(err, ERR_LIMIT, "would be larger than %zu MiB; remove old results",
                   b->limit >> 20);
}

int context_copy(const json_t *document, struct context *ret, struct err *err)
{
    *ret = (struct context){0};
    if (context_check_document(document, err) < 0)
        return -1;
    ret->document = json_deep_copy(document);
    return 0;
}

bool context_fits(const struct context *c)
{
    return json_dumpb(c->document, NULL, 0, JSON_INDENT(2)) < CONTEXT_MAX_BYTES;
}

void context_done(struct context *c)
{
    json_decref(c->document);
    c->document = NULL;
}

int context_check_id(const char *id, const char *what, struct err *err)
{
    struct str s = str_from(id);

    if (s.n > CONTEXT_MAX_ID)
        return err_set(err, ERR_USAGE, "%s: is longer than %d bytes", what, CONTEXT_MAX_ID);
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return err_set(err, ERR_USAGE, "%s: holds a control character", what);
    return utf8_valid(s) ? 0 : err_set(err, ERR_USAGE, "%s: is not UTF-8", what);
}

/* ---- the document ---- */

json_t *context_get(const json_t *object, const char *key)
{
    json_t *value = object ? json_object_get(object, key) : NULL;

    return json_is_null(value) ? NULL : value;
}

/* The value of a key, created if it is missing; a borrowed reference. */
json_t *context_make(json_t *object, const char *key, json_t *(*new_value)(void))
{
    json_t *value = context_get(object, key);

    if (value)
        return value;
    json_object_set_new_nocheck(object, key, new_value());
    return json_object_get(object, key);
}

static struct str context_text_of(const json_t *value)
{
    const char *p = json_string_value(value);

    return p ? (struct str){p, json_string_length(value)} : STR("");
}

const json_t *context_scope(const struct context *c, const char *invocation)
{
    const json_t *all = context_get(c->document, KEY_CONTEXT);

    return *invocation ? context_get(context_get(all, KEY_SEPARATE), invocation) : all;
}

static json_t *make_scope(struct context *c, const char *invocation)
{
    json_t *all = context_make(c->document, KEY_CONTEXT, json_object);

    return *invocation
               ? context_make(context_make(all, KEY_SEPARATE, json_object), invocation, json_object)
               : all;
}

const char *context_execution_id(const struct context *c, const char *invocation)
{
    const json_t *id = context_get(context_scope(c, invocation), KEY_ID);

    return id ? json_string_value(id) : invocation;
}

void context_set_execution_id(struct context *c, const char *invocation, const char *id)
{
    json_object_set_new_nocheck(make_scope(c, invocation), KEY_ID, json_string_nocheck(id));
}

/* The index of a name in a list, or the list's size. */
static size_t find_name(const json_t *list, struct str name)
{
    size_t n = json_array_size(list);

    for (size_t i = 0; i < n; i++)
        if (str_eq(context_text_of(json_array_get(list, i)), name))
            return i;
    return n;
}

bool context_is_processed(const struct context *c, const char *invocation, struct str name)
{
    const json_t *list = context_get(context_scope(c, invocation), KEY_PROCESSED);

    return find_name(list, name) < json_array_size(list);
}

void context_add_processed(struct context *c, const char *invocation, struct str name)
{
    if (!context_is_processed(c, invocation, name))
        json_array_append_new(context_make(make_scope(c, invocation), KEY_PROCESSED, json_array),
                              json_text(name));
}

/* ---- input files ---- */

size_t context_input_count(const struct context *c)
{
    return json_array_size(context_get(c->document, KEY_INPUTS));
}

static json_t *input_at(const struct context *c, size_t i)
{
    return json_array_get(context_get(c->document, KEY_INPUTS), i);
}

static struct str context_input_name(const struct context *c, size_t i)
{
    return context_text_of(json_object_get(input_at(c, i), "name"));
}

int context_input_read(const struct context *c, size_t i, struct context_input *ret,
                       struct err *err)
{
    const json_t *file = input_at(c, i), *encoding = context_get(file, "encoding");
    struct str how = encoding ? context_text_of(encoding) : STR("base64");

    ret->name = context_input_name(c, i);
    buf_init(&ret->bytes, CONTEXT_MAX_BYTES);
    if (encoded_read(context_text_of(json_object_get(file, "content")), how, &ret->bytes, err) == 0)
        return 0;
    err_wrap(err, "%s.%zu", KEY_INPUTS, i);
    if (!encoding)
        err_set(err, ERR_USAGE, "%s.%zu: the content is not base64; write \"encoding\": \"utf-8\"",
                KEY_INPUTS, i);
    return -1;
}

static void forget_processed(json_t *scope)
{
    json_array_clear(context_get(scope, KEY_PROCESSED));
}

size_t context_clear_inputs(struct context *c)
{
    json_t *all = context_get(c->document, KEY_CONTEXT), *scope;
    size_t n = context_input_count(c);
    const char *invocation;

    json_array_clear(context_get(c->document, KEY_INPUTS));
    forget_processed(all);
    json_object_foreach(context_get(all, KEY_SEPARATE), invocation, scope)
    {
        forget_processed(scope);
    }
    return n;
}

/* ---- errors and results ---- */

int64_t context_error_count(const struct context *c, const char *invocation)
{
    return json_integer_value(context_get(context_get(c->document, KEY_ERRORS), invocation));
}

void context_count_error(struct context *c, const char *invocation)
{
    int64_t n = context_error_count(c, invocation);

    json_object_set_new_nocheck(context_make(c->document, KEY_ERRORS, json_object), invocation,
                                json_integer(n < INT64_MAX ? n + 1 : n));
}

void context_reset_errors(struct context *c, const char *invocation)
{
    if (context_error_count(c, invocation))
        json_object_set_new_nocheck(context_get(c->document, KEY_ERRORS), invocation,
                                    json_integer(0));
}

size_t context_reset_all_errors(struct context *c)
{
    json_t *counts = context_get(c->document, KEY_ERRORS), *count;
    const char *invocation;
    size_t n = 0;

    json_object_foreach(counts, invocation, count)
    {
        n += json_integer_value(count) != 0;
        json_integer_set(count, 0);
    }
    return n;
}

static json_t *shortened(struct str s)
{
    size_t half = CONTEXT_MAX_TEXT / 2;
    AUTO_BUF struct buf b = {0};

    if (s.n <= CONTEXT_MAX_TEXT)
        return json_text(s);
    buf_init(&b, CONTEXT_MAX_TEXT + 100);
    (void)buf_add(&b, s.p, utf8_cut(s, half));
    (void)buf_addf(&b, "\n[... %zu bytes left out ...]\n", s.n - 2 * half);
    (void)buf_add(&b, s.p + s.n - half, half);
    return json_text(buf_str(&b));
}

void context_add_result(struct context *c, const char *invocation,
                        const struct context_result *result)
{
    json_t *all = context_make(c->document, KEY_RESULTS, json_object);
    json_t *entry = json_object();

    json_object_set_new_nocheck(entry, "code", shortened(result->code));
    json_object_set_new_nocheck(entry, "result_stdout", shortened(result->out));
    json_object_set_new_nocheck(entry, "result_stderr", shortened(result->err));
    json_object_set_new_nocheck(entry, "timestamp", json_integer(result->timestamp));
    json_array_append_new(context_make(all, invocation, json_array), entry);
}

/* ---- an overview ---- */

static json_t *overview_inputs(const struct context *c)
{
    json_t *list = json_array();
    struct context_input file;
    struct err ignored;

    for (size_t i = 0; i < context_input_count(c); i++) {
        bool whole = context_input_read(c, i, &file, &ignored) == 0;
        json_array_append_new(
            list, json_pack("{s:o, s:o}", "name", json_text(file.name), "size",
                            whole ? json_integer((json_int_t)file.bytes.n) : json_null()));
        buf_done(&file.bytes);
    }
    return list;
}

static void overview_invocation(const struct context *c, const char *id, json_t *rows)
{
    const json_t *results = context_get(context_get(c->document, KEY_RESULTS), id);
    json_t *processed = context_get(context_scope(c, id), KEY_PROCESSED);

    if (json_object_get(rows, id))
        return;
    json_object_set_new_nocheck(
        rows, id,
        json_pack("{s:s, s:s, s:I, s:I, s:o}", "id", id, "execution_id",
                  context_execution_id(c, id), "errors", (json_int_t)context_error_count(c, id),
                  "results", (json_int_t)json_array_size(results), "processed_input_files",
                  processed ? json_incref(processed) : json_array()));
}

/* One row for each invocation that any of the keys mentions. */
static json_t *overview_invocations(const struct context *c)
{
    json_t *const keys[] = {context_get(context_get(c->document, KEY_CONTEXT), KEY_SEPARATE),
                            context_get(c->document, KEY_ERRORS),
                            context_get(c->document, KEY_RESULTS)};
    json_t *rows = json_object(), *list = json_array(), *value;
    const char *id;

    if (json_array_size(context_get(context_scope(c, ""), KEY_PROCESSED)))
        overview_invocation(c, "", rows);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_foreach(keys[i], id, value)
        {
            overview_invocation(c, id, rows);
        }
    json_object_foreach(rows, id, value)
    {
        json_array_append(list, value);
    }
    json_decref(rows);
    return list;
}

json_t *context_overview(const struct context *c)
{
    return json_pack("{s:s, s:o, s:o}", "execution_id", context_execution_id(c, ""), "input_files",
                     overview_inputs(c), "invocations", overview_invocations(c));
}
