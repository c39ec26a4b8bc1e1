/* SPDX-License-Identifier: Apache-2.0 */
#include "result/result.h"

#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "request/limits.h"
#include "result/verdict_json.h"
#include "result/wall_json.h"

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static void set_of_stream(json_t *doc, const char *stream, const char *what, json_t *value)
{
    char key[32];

    snprintf(key, sizeof key, "%s_%s", stream, what);
    set(doc, key, value);
}

static void set_stream(json_t *doc, const char *name, const struct capture *c)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, c->limit + 256);
    struct capture_kept kept = capture_text(c, &b);
    set(doc, name, json_text(buf_str(&b)));
    set_of_stream(doc, name, "bytes", json_integer((json_int_t)c->total));
    set_of_stream(doc, name, "truncated", json_boolean(capture_truncated(c)));
    set_of_stream(doc, name, "head_bytes", json_integer((json_int_t)kept.head));
    set_of_stream(doc, name, "tail_bytes", json_integer((json_int_t)kept.tail));
    json_set_if_odd(doc, name, buf_str(&b));
}

static json_t *exception(const struct result_exception *e)
{
    if (!e)
        return json_null();
    json_t *object = json_object();
    set(object, "type", json_text(str_from(e->type)));
    set(object, "message", json_text(str_from(e->message)));
    set(object, "line", e->line ? json_integer(e->line) : json_null());
    set(object, "column", e->column ? json_integer(e->column) : json_null());
    set(object, "file", e->file ? json_text(str_from(e->file)) : json_null());
    set(object, "cell", e->cell ? json_integer(e->cell) : json_null());
    set(object, "statement", e->statement ? json_text(str_from(e->statement)) : json_null());
    set(object, "traceback", json_text(str_from(e->traceback)));
    set(object, "hint", e->hint ? json_text(str_from(e->hint)) : json_null());
    return object;
}

static json_t *files(const struct file_set *set_of_files)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set_of_files->count; i++) {
        const struct file_entry *f = &set_of_files->entries[i];
        struct str path = {f->path, f->path_len};
        json_t *object = json_object();
        set(object, "path", json_text(path));
        json_set_if_odd(object, "path", path);
        set(object, "size", json_integer((json_int_t)f->size));
        set(object, "sha256", f->sha256[0] ? json_string_nocheck(f->sha256) : json_null());
        set(object, "mime", json_string_nocheck(f->mime));
        set(object, "change", json_string_nocheck(file_change_name(f->change)));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *result_skipped(struct str path, const char *direction, const char *reason)
{
    json_t *object = json_object();

    set(object, "path", json_text(path));
    json_set_if_odd(object, "path", path);
    set(object, "reason", json_text(str_from(reason)));
    set(object, "direction", json_string_nocheck(direction));
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
        set(object, "path", json_null());
        set(object, "reason", json_sprintf("%zu more", skipped->more));
        set(object, "direction", json_string_nocheck(direction));
        set(object, "more", json_integer((json_int_t)skipped->more));
        json_array_append_new(list, object);
    }
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

/* The guard's verdict; but a program that was kept from running for another reason is not "allowed"
 * either. */
static json_t *verdict(const struct result *r)
{
    bool kept = r->error.kind == ERR_POLICY || (r->error.kind && !r->started);
    json_t *object = r->checked ? verdict_json(&r->verdict) : unjudged();

    if (!kept || (r->checked && !r->verdict.allowed))
        return object;
    const char *stage = r->skipped ? "context" : r->outcome.lacking ? "layers" : NULL;
    set(object, "allowed", json_false());
    set(object, "stage", stage ? json_string_nocheck(stage) : json_null());
    set(object, "reason", json_text(str_from(r->error.msg)));
    return object;
}

static json_t *feedback(const struct feedback *f)
{
    json_t *list = json_array();

    for (size_t i = 0; i < f->n; i++)
        json_array_append_new(list, json_text(str_from(f->texts[i])));
    return list;
}

static json_t *error(const struct err *err)
{
    if (!err->kind)
        return json_null();
    json_t *object = json_object();
    set(object, "kind", json_string_nocheck(err_kind_name(err->kind)));
    set(object, "message", json_text(str_from(err->msg)));
    return object;
}

static json_t *error_type(const struct result *r)
{
    const char *name = error_type_name(result_error_type(r));

    return name ? json_string_nocheck(name) : json_null();
}

static json_t *cell(const struct result_cell *c)
{
    if (!c->number)
        return json_null();
    json_t *object = json_object();
    set(object, "session", json_string_nocheck(c->session));
    set(object, "number", json_integer(c->number));
    set(object, "ended", json_string_nocheck(cell_end_name(c->ended)));
    set(object, "attempt",
        c->attempt ? json_string_nocheck(cell_attempt_name(c->attempt)) : json_null());
    set(object, "exited", json_boolean(c->exited));
    return object;
}

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

static void set_outcome(json_t *doc, const struct result *r)
{
    set(doc, "success", json_boolean(r->success));
    set(doc, "exit_code", json_integer(r->exit_code));
    set(doc, "signal", r->signal ? json_integer(r->signal) : json_null());
    set(doc, "timed_out", json_boolean(r->timed_out));
    set(doc, "oom_killed", json_boolean(r->oom_killed));
    set_stream(doc, "stdout", &r->out);
    set_stream(doc, "stderr", &r->err);
    set(doc, "value", or_null(r->value));
    set(doc, "results", r->results ? json_incref(r->results) : json_array());
    set(doc, "final_answer", or_null(r->final_answer));
    set(doc, "is_final_answer", json_boolean(r->is_final_answer));
    set(doc, "exception", exception(r->exception));
}

/* The parts of the outcome that people and shells see, in one place for all reports. */
static void set_words(json_t *doc, const struct result *r)
{
    char line[700];

    set(doc, "cancelled", json_boolean(r->cancelled));
    set(doc, "exit_status", json_integer(result_exit_status(r)));
    set(doc, "summary", json_text(str_from(result_summary(r, &r->limits, line, sizeof line))));
    set(doc, "notes", json_lines(buf_str(&r->notes)));
}

void result_document_fail(json_t *doc, const struct err *err)
{
    set(doc, "success", json_false());
    set(doc, "error", error(err));
    set(doc, "error_type", json_string_nocheck(error_type_name(ERROR_TYPE_OURS)));
    set(doc, "exit_status", json_integer(err_exit_status(err->kind)));
    set(doc, "summary", json_text(str_from(err->msg)));
}

static void set_beginning(json_t *doc, const struct result *r)
{
    char began[CLOCK_TEXT] = "";

    if (r->began_ms)
        clock_text(r->began_ms, began);
    set(doc, "started_at", *began ? json_string_nocheck(began) : json_null());
    set(doc, "code_sha256", r->began_ms ? json_string_nocheck(r->source_sha256) : json_null());
}

json_t *result_document(const struct result *r)
{
    json_t *doc = json_object();
    json_t *skipped = json_array();

    set(doc, "id", json_string_nocheck(r->id));
    set(doc, "backend", json_string_nocheck(r->backend));
    set(doc, "language", json_string_nocheck(r->language));
    set_beginning(doc, r);
    set_outcome(doc, r);
    set(doc, "duration_ms", json_integer(r->duration_ms));
    set(doc, "cpu_ms", json_integer(r->cpu_ms));
    set(doc, "max_memory_mb", json_real((double)((r->memory_peak * 10) >> 20) / 10));
    set(doc, "files", files(&r->files));
    if (r->laid)
        result_add_skipped(skipped, "in", lay_list_skipped(r->laid));
    result_add_skipped(skipped, "out", &r->files.skipped);
    set(doc, "skipped", skipped);
    set(doc, "verdict", verdict(r));
    set(doc, "denied", wall_denied(&r->outcome));
    set(doc, "isolation", wall_isolation(r->outcome.held));
    wall_set(doc, &r->outcome, buf_str(&r->warnings));
    set(doc, "limits", limits(r->limits_hit));
    set(doc, "limits_set", limits_json(&r->limits, r->out.limit));
    set(doc, "attempts", json_integer(r->attempts));
    set(doc, "feedback", feedback(&r->feedback));
    set(doc, "usage", r->usage ? json_incref(r->usage) : json_object());
    set(doc, "error", error(&r->error));
    set(doc, "error_type", error_type(r));
    set_words(doc, r);
    set(doc, "cell", cell(&r->cell));
    set(doc, "context", or_null(r->context));
    return doc;
}
