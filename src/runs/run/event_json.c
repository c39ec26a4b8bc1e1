/* SPDX-License-Identifier: Apache-2.0 */
#include "run/event_json.h"

#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_write.h"
#include "result/verdict_json.h"
#include "result/wall_json.h"

/* Adds the bytes if the text is not UTF-8, because a JSON string loses some of them. */
static void add_bytes_if_odd(json_t *object, struct str s)
{
    AUTO_BUF struct buf b = {0};

    if (utf8_valid(s))
        return;
    buf_init(&b, 2 * s.n + 8);
    (void)base64_add(&b, s);
    json_object_set_new(object, "base64", json_stringn_nocheck(b.p, b.n));
}

/* The members of {"name", "args", "kwargs"} become members of the event. */
static void event_json_add_call(json_t *object, const struct run_event *e)
{
    json_object_set_new(object, "name", json_text(str_from(e->name)));
    if (e->bundle) {
        json_object_set(object, "args", json_object_get(e->bundle, "args"));
        json_object_set(object, "kwargs", json_object_get(e->bundle, "kwargs"));
    }
}

static const char *const names[] = {
    [RUN_VERDICT] = "verdict",   [RUN_STARTED] = "started", [RUN_OUTPUT] = NULL,
    [RUN_DENIED] = "denied",     [RUN_LIMIT] = "limit",     [RUN_FILE] = "file",
    [RUN_DISPLAY] = "display",   [RUN_TOOL] = "tool",       [RUN_PROGRESS] = "progress",
    [RUN_FINISHED] = "finished", [RUN_WARNING] = "warning", [RUN_PREPARING] = "preparing",
};

static json_t *event_named(const char *name)
{
    return json_pack("{s:s, s:I}", "event", name, "time_ms", (json_int_t)clock_wall_ms());
}

json_t *event_finished(json_t *document)
{
    json_t *object = event_named(names[RUN_FINISHED]);

    json_object_set_new(object, "result", document);
    return object;
}

json_t *event_json(const struct run_event *e)
{
    if (e->kind == RUN_FINISHED)
        return event_finished(result_document(e->result));
    json_t *object = event_named(e->kind != RUN_OUTPUT ? names[e->kind]
                                 : e->stream == 1      ? "stdout"
                                                       : "stderr");

    switch (e->kind) {
    case RUN_VERDICT:
        json_object_set_new(object, "id", json_string(e->result->id));
        json_object_set_new(object, "verdict", verdict_json(&e->result->verdict));
        break;
    case RUN_STARTED:
        json_object_set_new(object, "id", json_string(e->result->id));
        json_object_set_new(object, "language", json_string(e->result->language));
        json_object_set_new(object, "backend", json_string(e->result->backend));
        json_object_set_new(object, "isolation", wall_isolation(e->result->outcome.held));
        json_object_set_new(object, "missing", wall_missing(&e->result->outcome));
        break;
    case RUN_PREPARING:
    case RUN_WARNING:
        json_object_set_new(object, "message", json_text(e->text));
        break;
    case RUN_OUTPUT:
        json_object_set_new(object, "text", json_text(e->text));
        add_bytes_if_odd(object, e->text);
        break;
    case RUN_DENIED:
        json_object_set_new(object, "name", json_string(e->name));
        break;
    case RUN_LIMIT:
        json_object_set_new(object, "limit", json_string(e->name));
        break;
    case RUN_FILE:
        result_add_file(object, e->file);
        break;
    case RUN_DISPLAY:
        json_object_set_new(object, "bundle", e->bundle ? json_deep_copy(e->bundle) : json_null());
        break;
    case RUN_TOOL:
        event_json_add_call(object, e);
        break;
    case RUN_PROGRESS:
        json_object_set_new(object, "elapsed_ms", json_integer((json_int_t)e->count));
        json_object_set_new(object, "memory_bytes", json_integer((json_int_t)e->memory));
        json_object_set_new(object, "cpu_ms",
                            e->cpu_ms ? json_integer((json_int_t)e->cpu_ms) : json_null());
        break;
    case RUN_FINISHED:
        break;
    }
    return object;
}

void event_lines_put(struct event_lines *lines, json_t *object)
{
    if (lines->adapt)
        lines->adapt(lines->ctx, object);
    AUTO_FREE char *line = json_write(object, false);
    json_decref(object);
    lines->line(lines->ctx, str_from(line));
}

static void add_one(struct event_lines *lines, const struct run_event *event)
{
    event_lines_put(lines, event_json(event));
}

/* Returns the number of bytes at the end that are an incomplete character. */
static size_t begun(struct str s)
{
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char c = (unsigned char)s.p[s.n - back];
        size_t whole = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        if (c >= 0xC0)
            return whole > back ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

/* Keeps an incomplete character until the next output: the text of an event has whole characters
 * only. */
static void add_output(struct event_lines *lines, const struct run_event *event)
{
    int i = event->stream - 1;
    struct run_event whole = *event;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, event->text.n + sizeof lines->held[i]);
    (void)buf_add(&b, lines->held[i], lines->held_n[i]);
    (void)buf_add_str(&b, event->text);
    size_t n = begun(buf_str(&b));
    whole.text = str_slice(buf_str(&b), 0, b.n - n);
    memcpy(lines->held[i], b.p + b.n - n, n);
    lines->held_n[i] = n;
    if (whole.text.n)
        add_one(lines, &whole);
}

void event_lines_flush(struct event_lines *lines)
{
    for (int i = 0; i < 2; i++) {
        struct run_event rest = {.kind = RUN_OUTPUT, .stream = i + 1};
        rest.text = (struct str){lines->held[i], lines->held_n[i]};
        if (rest.text.n)
            add_one(lines, &rest);
        lines->held_n[i] = 0;
    }
}

void event_lines_add(struct event_lines *lines, const struct run_event *event)
{
    if (event->kind == RUN_OUTPUT) {
        add_output(lines, event);
        return;
    }
    if (event->kind == RUN_FILE || event->kind == RUN_FINISHED)
        event_lines_flush(lines);
    add_one(lines, event);
}
