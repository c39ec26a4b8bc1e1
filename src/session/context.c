/* SPDX-License-Identifier: Apache-2.0 */
#include "session/context.h"

#include <string.h>

#include "base/encoded.h"
#include "base/utf8.h"

#define KEY_CONTEXT   "_code_execution_context"
#define KEY_ID        "execution_session_id"
#define KEY_PROCESSED "processed_input_files"
#define KEY_SEPARATE  "invocations"
#define KEY_INPUTS    "_code_executor_input_files"
#define KEY_ERRORS    "_code_executor_error_counts"
#define KEY_RESULTS   "_code_execution_results"

/* ---- is it a context? ---- */

/* A place in the document, for messages. */
struct place {
    char path[300];
};

static struct place inside(const struct place *outer, const char *key)
{
    struct place p;

    snprintf(p.path, sizeof p.path, "%.200s%s%.80s", outer ? outer->path : "", outer ? "." : "",
             key);
    return p;
}

static int wrong(const struct place *p, const char *what, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: must be %s", p->path, what);
}

typedef int check_fn(const json_t *value, const struct place *p, struct err *err);

static int check_text(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_string(value) ? 0 : wrong(p, "a text", err);
}

static int check_count(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? 0
               : wrong(p, "a whole number", err);
}

static int check_list(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_array(value) ? 0 : wrong(p, "a list", err);
}

static int each_item(const json_t *list, const struct place *p, check_fn *check, struct err *err)
{
    const json_t *item;
    size_t i;

    if (check_list(list, p, err) < 0)
        return -1;
    json_array_foreach(list, i, item)
    {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        struct place at = inside(p, index);
        if (check(item, &at, err) < 0)
            return -1;
    }
    return 0;
}

static int each_member(const json_t *object, const struct place *p, check_fn *check,
                       struct err *err)
{
    json_t *of = (json_t *)object; /* jansson's iterators take no const; nothing is changed */
    json_t *value;
    const char *key;

    if (!json_is_object(object))
        return wrong(p, "an object", err);
    json_object_foreach(of, key, value)
    {
        struct place at = inside(p, key);
        if (check(value, &at, err) < 0)
            return -1;
    }
    return 0;
}

static int check_names(const json_t *value, const struct place *p, struct err *err)
{
    return each_item(value, p, check_text, err);
}

/* null counts as missing: google/adk leaves None there. */
static int check_key(const json_t *object, const char *key, const struct place *outer,
                     check_fn *check, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    struct place p = inside(outer, key);

    return !value || json_is_null(value) ? 0 : check(value, &p, err);
}

static int check_scope(const json_t *value, const struct place *p, struct err *err)
{
    if (!json_is_object(value))
        return wrong(p, "an object", err);
    if (check_key(value, KEY_ID, p, check_text, err) < 0)
        return -1;
    return check_key(value, KEY_PROCESSED, p, check_names, err);
}

static int check_scopes(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_scope, err);
}

static int check_context(const json_t *value, const struct place *p, struct err *err)
{
    return check_scope(value, p, err) < 0 ? -1
                                          : check_key(value, KEY_SEPARATE, p, check_scopes, err);
}

static int check_input(const json_t *value, const struct place *p, struct err *err)
{
    if (!json_is_object(value))
        return wrong(p, "an object", err);
    if (!json_is_string(json_object_get(value, "name")) ||
        !json_is_string(json_object_get(value, "content")))
        return err_set(err, ERR_USAGE, "%s: needs a name and content, both text", p->path);
    return check_key(value, "encoding", p, check_text, err);
}

static int check_inputs(const json_t *value, const struct place *p, struct err *err)
{
    return each_item(value, p, check_input, err);
}

static int check_counts(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_count, err);
}

static int check_results(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_list, err);
}

static int check_document(const json_t *doc, struct err *err)
{
    static const struct {
        const char *key;
        check_fn *check;
    } keys[] = {
        {KEY_CONTEXT, check_context},
        {KEY_INPUTS, check_inputs},
        {KEY_ERRORS, check_counts},
        {KEY_RESULTS, check_results},
    };

    if (!json_is_object(doc))
        return err_set(err, ERR_USAGE, "line 1: must be an object");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (check_key(doc, keys[i].key, NULL, keys[i].check, err) < 0)
            return -1;
    return 0;
}

/* ---- text ---- */

int context_read(struct str text, struct context *ret, struct err *err)
{
    json_error_t where = {0};

    *ret = (struct context){0};
    if (text.n && memchr(text.p, '\0', text.n)) /* jansson would take NUL for the end */
        return err_set(err, ERR_USAGE, "holds a NUL byte");
    if (!str_trim(text).n)
        ret->document = json_object();
    else
        ret->document = json_loadb(text.p, text.n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &where);
    if (!ret->document)
        return err_set(err, ERR_USAGE, "line %d, column %d: %s", where.line, where.column,
                       where.text);
    if (check_document(ret->document, err) == 0)
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

static json_t *get(const json_t *object, const char *key)
{
    json_t *value = object ? json_object_get(object, key) : NULL;

    return json_is_null(value) ? NULL : value;
}

/* The value of a key, created if it is missing; borrowed. */
static json_t *make(json_t *object, const char *key, json_t *(*new_value)(void))
{
    json_t *value = get(object, key);

    if (value)
        return value;
    json_object_set_new_nocheck(object, key, new_value());
    return json_object_get(object, key);
}

static struct str text_of(const json_t *value)
{
    const char *p = json_string_value(value);

    return p ? (struct str){p, json_string_length(value)} : STR("");
}

static const json_t *scope_of(const struct context *c, const char *invocation)
{
    const json_t *all = get(c->document, KEY_CONTEXT);

    return *invocation ? get(get(all, KEY_SEPARATE), invocation) : all;
}

static json_t *make_scope(struct context *c, const char *invocation)
{
    json_t *all = make(c->document, KEY_CONTEXT, json_object);

    return *invocation ? make(make(all, KEY_SEPARATE, json_object), invocation, json_object) : all;
}

const char *context_execution_id(const struct context *c, const char *invocation)
{
    const json_t *id = get(scope_of(c, invocation), KEY_ID);

    return id ? json_string_value(id) : invocation;
}

void context_set_execution_id(struct context *c, const char *invocation, const char *id)
{
    json_object_set_new_nocheck(make_scope(c, invocation), KEY_ID, json_string_nocheck(id));
}

/* The index of a name in a list, or its size. */
static size_t find_name(const json_t *list, struct str name)
{
    size_t n = json_array_size(list);

    for (size_t i = 0; i < n; i++)
        if (str_eq(text_of(json_array_get(list, i)), name))
            return i;
    return n;
}

bool context_is_processed(const struct context *c, const char *invocation, struct str name)
{
    const json_t *list = get(scope_of(c, invocation), KEY_PROCESSED);

    return find_name(list, name) < json_array_size(list);
}

void context_add_processed(struct context *c, const char *invocation, struct str name)
{
    if (!context_is_processed(c, invocation, name))
        json_array_append_new(make(make_scope(c, invocation), KEY_PROCESSED, json_array),
                              encoded_text(name));
}

/* ---- input files ---- */

size_t context_input_count(const struct context *c)
{
    return json_array_size(get(c->document, KEY_INPUTS));
}

static json_t *input_at(const struct context *c, size_t i)
{
    return json_array_get(get(c->document, KEY_INPUTS), i);
}

static struct str context_input_name(const struct context *c, size_t i)
{
    return text_of(json_object_get(input_at(c, i), "name"));
}

int context_input_read(const struct context *c, size_t i, struct context_input *ret,
                       struct err *err)
{
    const json_t *file = input_at(c, i), *encoding = get(file, "encoding");
    struct str how = encoding ? text_of(encoding) : STR("base64");

    ret->name = context_input_name(c, i);
    buf_init(&ret->bytes, CONTEXT_MAX_BYTES);
    if (encoded_read(text_of(json_object_get(file, "content")), how, &ret->bytes, err) == 0)
        return 0;
    err_wrap(err, "%s.%zu", KEY_INPUTS, i);
    if (!encoding)
        err_set(err, ERR_USAGE, "%s.%zu: the content is not base64; write \"encoding\": \"utf-8\"",
                KEY_INPUTS, i);
    return -1;
}

static void forget_processed(json_t *scope)
{
    json_array_clear(get(scope, KEY_PROCESSED));
}

size_t context_clear_inputs(struct context *c)
{
    json_t *all = get(c->document, KEY_CONTEXT), *scope;
    size_t n = context_input_count(c);
    const char *invocation;

    json_array_clear(get(c->document, KEY_INPUTS));
    forget_processed(all);
    json_object_foreach(get(all, KEY_SEPARATE), invocation, scope)
    {
        forget_processed(scope);
    }
    return n;
}

/* ---- errors and results ---- */

int64_t context_error_count(const struct context *c, const char *invocation)
{
    return json_integer_value(get(get(c->document, KEY_ERRORS), invocation));
}

void context_count_error(struct context *c, const char *invocation)
{
    int64_t n = context_error_count(c, invocation);

    json_object_set_new_nocheck(make(c->document, KEY_ERRORS, json_object), invocation,
                                json_integer(n < INT64_MAX ? n + 1 : n));
}

void context_reset_errors(struct context *c, const char *invocation)
{
    if (context_error_count(c, invocation))
        json_object_set_new_nocheck(get(c->document, KEY_ERRORS), invocation, json_integer(0));
}

size_t context_reset_all_errors(struct context *c)
{
    json_t *counts = get(c->document, KEY_ERRORS), *count;
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
        return encoded_text(s);
    buf_init(&b, CONTEXT_MAX_TEXT + 100);
    (void)buf_add(&b, s.p, utf8_cut(s, half));
    (void)buf_addf(&b, "\n[... %zu bytes left out ...]\n", s.n - 2 * half);
    (void)buf_add(&b, s.p + s.n - half, half);
    return encoded_text(buf_str(&b));
}

void context_add_result(struct context *c, const char *invocation,
                        const struct context_result *result)
{
    json_t *all = make(c->document, KEY_RESULTS, json_object);
    json_t *entry = json_object();

    json_object_set_new_nocheck(entry, "code", shortened(result->code));
    json_object_set_new_nocheck(entry, "result_stdout", shortened(result->out));
    json_object_set_new_nocheck(entry, "result_stderr", shortened(result->err));
    json_object_set_new_nocheck(entry, "timestamp", json_integer(result->timestamp));
    json_array_append_new(make(all, invocation, json_array), entry);
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
            list, json_pack("{s:o, s:o}", "name", encoded_text(file.name), "size",
                            whole ? json_integer((json_int_t)file.bytes.n) : json_null()));
        buf_done(&file.bytes);
    }
    return list;
}

static void overview_invocation(const struct context *c, const char *id, json_t *rows)
{
    const json_t *results = get(get(c->document, KEY_RESULTS), id);
    json_t *processed = get(scope_of(c, id), KEY_PROCESSED);

    if (json_object_get(rows, id))
        return;
    json_object_set_new_nocheck(
        rows, id,
        json_pack("{s:s, s:s, s:I, s:I, s:o}", "id", id, "execution_id",
                  context_execution_id(c, id), "errors", (json_int_t)context_error_count(c, id),
                  "results", (json_int_t)json_array_size(results), "processed_input_files",
                  processed ? json_incref(processed) : json_array()));
}

/* A row for each invocation that any of the keys has. */
static json_t *overview_invocations(const struct context *c)
{
    json_t *const keys[] = {get(get(c->document, KEY_CONTEXT), KEY_SEPARATE),
                            get(c->document, KEY_ERRORS), get(c->document, KEY_RESULTS)};
    json_t *rows = json_object(), *list = json_array(), *value;
    const char *id;

    if (json_array_size(get(scope_of(c, ""), KEY_PROCESSED)))
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
