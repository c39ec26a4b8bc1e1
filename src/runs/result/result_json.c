/* SPDX-License-Identifier: Apache-2.0 */
#include "result/result.h"

#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "request/limits.h"
#include "result/verdict_json.h"
#include "result/wall_json.h"
#include "text/model_text.h"

static void result_json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static void set_of_stream(json_t *doc, const char *stream, const char *what, json_t *value)
{
    char key[32];

    snprintf(key, sizeof key, "%s_%s", stream, what);
    result_json_set(doc, key, value);
}

static void set_stream(json_t *doc, const char *name, const struct capture *c)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, c->limit + 256);
    struct capture_kept kept = capture_text(c, &b);
    result_json_set(doc, name, json_text(buf_str(&b)));
    set_of_stream(doc, name, "bytes", json_integer((json_int_t)c->total));
    set_of_stream(doc, name, "truncated", json_boolean(capture_truncated(c)));
    set_of_stream(doc, name, "head_bytes", json_integer((json_int_t)kept.head));
    set_of_stream(doc, name, "tail_bytes", json_integer((json_int_t)kept.tail));
    json_set_if_odd(doc, name, buf_str(&b));
}

static json_t *number_or_null(int64_t n)
{
    return n ? json_integer(n) : json_null();
}

static json_t *text_if(bool known, const char *text)
{
    return known ? json_string_nocheck(text) : json_null();
}

static json_t *exception(const struct result_exception *e)
{
    if (!e)
        return json_null();
    json_t *object = json_object();
    result_json_set(object, "type", json_text(str_from(e->type)));
    result_json_set(object, "message", json_text(str_from(e->message)));
    result_json_set(object, "line", number_or_null(e->line));
    result_json_set(object, "column", number_or_null(e->column));
    result_json_set(object, "file", e->file ? json_text(str_from(e->file)) : json_null());
    result_json_set(object, "cell", number_or_null(e->cell));
    result_json_set(object, "statement",
                    e->statement ? json_text(str_from(e->statement)) : json_null());
    result_json_set(object, "traceback", json_text(str_from(e->traceback)));
    result_json_set(object, "hint", e->hint ? json_text(str_from(e->hint)) : json_null());
    return object;
}

static json_t *compilation(const struct result_compile *c)
{
    if (!c->happened)
        return json_null();
    json_t *object = json_object();
    result_json_set(object, "success", json_boolean(c->success));
    result_json_set(object, "exit_code", json_integer(c->exit_code));
    result_json_set(object, "stderr", json_text(str_from(c->report)));
    result_json_set(object, "duration_ms", json_integer((json_int_t)c->duration_ms));
    result_json_set(object, "cached", json_boolean(c->cached));
    return object;
}

void result_add_file(json_t *object, const struct file_entry *f)
{
    result_json_set(object, "path", json_text((struct str){f->path, f->path_len}));
    result_json_set(object, "size", json_integer((json_int_t)f->size));
    result_json_set(object, "sha256", text_if(f->sha256[0], f->sha256));
    result_json_set(object, "mime", json_string_nocheck(f->mime));
    result_json_set(object, "change", json_string_nocheck(file_change_name(f->change)));
}

static json_t *files(const struct file_set *set_of_files)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set_of_files->count; i++) {
        const struct file_entry *f = &set_of_files->entries[i];
        struct str path = {f->path, f->path_len};
        json_t *object = json_object();
        result_add_file(object, f);
        json_set_if_odd(object, "path", path);
        json_array_append_new(list, object);
    }
    return list;
}

json_t *result_skipped(struct str path, const char *direction, const char *reason)
{
    json_t *object = json_object();

    result_json_set(object, "path", json_text(path));
    json_set_if_odd(object, "path", path);
    result_json_set(object, "reason", json_text(str_from(reason)));
    result_json_set(object, "direction", json_string_nocheck(direction));
    return object;
}

void result_add_skipped(json_t *list, const char *direction, const struct skip_list *skipped)
{
    char why[256];

    for (size_t i = 0; i < skipped->count; i++) {
        const struct file_skip *s = &skipped->items[i];
        json_array_append_new(list, result_skipped((struct str){s->path, s->path_len}, direction,
                                                   file_skip_describe(s, why, sizeof why)));
    }
    if (skipped->more) {
        json_t *object = json_object();
        result_json_set(object, "path", json_null());
        result_json_set(object, "reason", json_sprintf("%zu more", skipped->more));
        result_json_set(object, "direction", json_string_nocheck(direction));
        result_json_set(object, "more", json_integer((json_int_t)skipped->more));
        json_array_append_new(list, object);
    }
}

json_t *result_denied(const struct result *r)
{
    json_t *list = wall_denied(&r->outcome);
    uint64_t refused = wall_network_refused(&r->network);

    if (refused)
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "name", "network", "count", (json_int_t)refused));
    return list;
}

static json_t *limits(unsigned hit)
{
    json_t *list = json_array();

    for (unsigned bit = 1; bit <= LIMIT_LAST; bit <<= 1)
        if (hit & bit)
            json_array_append_new(list, json_string_nocheck(limit_name((enum jail_limit_hit)bit)));
    return list;
}

static json_t *unjudged(void)
{
    return json_pack("{s:b, s:n, s:n, s:i, s:[]}", "allowed", 1, "stage", "reason", "risk", 0,
                     "findings");
}

/* The guard's verdict; but "allowed" is false, too, if the program did not run for another
 * reason. */
static json_t *verdict(const struct result *r)
{
    bool kept = r->error.kind == ERR_POLICY || (r->error.kind && !r->started);
    json_t *object = r->checked ? verdict_json(&r->verdict) : unjudged();

    if (!kept || (r->checked && !r->verdict.allowed))
        return object;
    const char *stage = r->skipped ? "context" : r->outcome.lacking ? "layers" : NULL;
    result_json_set(object, "allowed", json_false());
    result_json_set(object, "stage", text_if(stage, stage));
    result_json_set(object, "reason", json_text(str_from(r->error.msg)));
    return object;
}

static json_t *feedback(const struct feedback *f)
{
    json_t *list = json_array();

    for (size_t i = 0; i < f->n; i++)
        json_array_append_new(list, json_text(str_from(f->texts[i])));
    return list;
}

/* An exception's hint knows more of the program than the tables of the feedback. */
static json_t *advice(const struct result *r)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 16 << 10);
    if (r->exception && r->exception->hint)
        model_add_advice(&text, str_from(r->exception->hint));
    for (size_t i = 0; i < r->feedback.n && !text.n; i++)
        model_add_advice(&text, str_from(r->feedback.texts[i]));
    return text.n ? json_text(buf_str(&text)) : json_null();
}

static json_t *error(const struct err *err)
{
    if (!err->kind)
        return json_null();
    json_t *object = json_object();
    result_json_set(object, "kind", json_string_nocheck(err_kind_name(err->kind)));
    result_json_set(object, "message", json_text(str_from(err->msg)));
    return object;
}

static json_t *error_type(const struct result *r)
{
    const char *name = error_type_name(result_error_type(r));

    return text_if(name, name);
}

static json_t *cell(const struct result_cell *c)
{
    if (!c->number)
        return json_null();
    json_t *object = json_object();
    result_json_set(object, "session", json_string_nocheck(c->session));
    result_json_set(object, "number", json_integer(c->number));
    result_json_set(object, "ended", json_string_nocheck(cell_end_name(c->ended)));
    result_json_set(object, "attempt", text_if(c->attempt, cell_attempt_name(c->attempt)));
    result_json_set(object, "exited", json_boolean(c->exited));
    return object;
}

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

static json_t *started_at(const struct result *r)
{
    char began[CLOCK_TEXT] = "";

    if (r->began_ms)
        clock_text(r->began_ms, began);
    return text_if(*began, began);
}

static json_t *skipped(const struct result *r)
{
    json_t *list = json_array();

    if (r->laid)
        result_add_skipped(list, "in", lay_list_skipped(r->laid));
    result_add_skipped(list, "out", &r->files.skipped);
    return list;
}

static json_t *summary(const struct result *r)
{
    char line[700];

    return json_text(str_from(result_summary(r, line, sizeof line)));
}

void result_document_fail(json_t *doc, const struct err *err)
{
    result_json_set(doc, "success", json_false());
    result_json_set(doc, "error", error(err));
    result_json_set(doc, "error_type", json_string_nocheck(error_type_name(ERROR_TYPE_OURS)));
    result_json_set(doc, "exit_status", json_integer(err_exit_status(err->kind)));
    result_json_set(doc, "summary", json_text(str_from(err->msg)));
}

json_t *result_document(const struct result *r)
{
    json_t *doc = json_object();

#define RESULT_FIELD(name, type, value) result_json_set(doc, #name, value);
#define RESULT_STREAM(name, capture)    set_stream(doc, #name, capture);
#include "result/result.def"
    return doc;
}
