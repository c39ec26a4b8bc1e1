/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"

void printer_init(struct printer *printer, enum print_mode mode, int cancel_fd)
{
    *printer = (struct printer){.mode = mode, .cancel_fd = cancel_fd};
}

/* A reader that went away (`| head`) ends the run, as SIGPIPE would end any program. */
static void put(struct printer *printer, int stream, struct str text)
{
    if (printer->broken || fd_write_all(stream, text.p, text.n) == 0)
        return;
    if (stream == 1) {
        printer->broken = true;
        (void)!write(printer->cancel_fd, "", 1);
    }
}

static json_t *text(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * s.n + 1);
    (void)utf8_add_clean(&b, s);
    return json_stringn_nocheck(b.p, b.n);
}

static void add_layers(json_t *object, layer_mask held)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (held & LAYER_BIT(i))
            json_array_append_new(list, json_string(jail_layers[i].name));
    json_object_set_new(object, "isolation", list);
}

static void add_file(json_t *object, const struct file_entry *f)
{
    json_object_set_new(object, "path", text((struct str){f->path, f->path_len}));
    json_object_set_new(object, "size", json_integer((json_int_t)f->size));
    json_object_set_new(object, "sha256", f->sha256[0] ? json_string(f->sha256) : json_null());
    json_object_set_new(object, "mime", json_string(f->mime));
    json_object_set_new(object, "change", json_string(file_change_name(f->change)));
}

static const char *const names[] = {
    [RUN_STARTED] = "started", [RUN_OUTPUT] = NULL, [RUN_DENIED] = "denied",
    [RUN_LIMIT] = "limit",     [RUN_FILE] = "file", [RUN_FINISHED] = "finished",
};

static json_t *describe(const struct run_event *e)
{
    json_t *object = json_object();
    const char *name =
        e->kind == RUN_OUTPUT ? e->stream == 1 ? "stdout" : "stderr" : names[e->kind];

    json_object_set_new(object, "event", json_string(name));
    json_object_set_new(object, "time_ms", json_integer(clock_wall_ms()));
    switch (e->kind) {
    case RUN_STARTED:
        json_object_set_new(object, "id", json_string(e->result->id));
        json_object_set_new(object, "language", json_string(e->result->language));
        json_object_set_new(object, "backend", json_string(e->result->backend));
        add_layers(object, e->result->outcome.held);
        break;
    case RUN_OUTPUT:
        json_object_set_new(object, "text", text(e->text));
        break;
    case RUN_DENIED:
        json_object_set_new(object, "name", json_string(e->name));
        break;
    case RUN_LIMIT:
        json_object_set_new(object, "limit", json_string(e->name));
        break;
    case RUN_FILE:
        add_file(object, e->file);
        break;
    case RUN_FINISHED: {
        AUTO_FREE char *result = result_json(e->result, false);
        json_object_set_new(object, "result", json_loads(result, JSON_ALLOW_NUL, NULL));
        break;
    }
    }
    return object;
}

static void print_event(struct printer *printer, const struct run_event *event)
{
    json_t *object = describe(event);
    AUTO_FREE char *line = json_dumps(object, JSON_COMPACT);

    json_decref(object);
    if (!line)
        return;
    put(printer, 1, str_from(line));
    put(printer, 1, STR("\n"));
}

void printer_event(void *ctx, const struct run_event *event)
{
    struct printer *printer = ctx;

    if (printer->mode == PRINT_EVENTS)
        print_event(printer, event);
    else if (printer->mode == PRINT_OUTPUT && event->kind == RUN_OUTPUT)
        put(printer, event->stream, event->text);
}

void printer_finish(struct printer *printer, const struct result *result)
{
    const struct capture *streams[] = {&result->out, &result->err};

    for (int i = 0; i < 2 && printer->mode == PRINT_OUTPUT; i++) {
        AUTO_BUF struct buf rest = {0};
        buf_init(&rest, streams[i]->limit + 256);
        capture_rest(streams[i], &rest);
        put(printer, i + 1, buf_str(&rest));
    }
}
