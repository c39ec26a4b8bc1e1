/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/verdict_json.h"

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2])
{
    *printer =
        (struct printer){.mode = mode, .stop_fd = cancel_pipe[0], .cancel_fd = cancel_pipe[1]};
}

/* A reader may stand still (`| less`), and then a write does not return, not even for Ctrl-C. So it
 * is made only when there is room, and waiting for that ends soon after we were asked to stop. */
#define STOPPING_MS 100

static int write_until_stopped(const struct printer *printer, int stream, struct str text)
{
    while (text.n) {
        struct pollfd wait[] = {{.fd = stream, .events = POLLOUT},
                                {.fd = printer->stop_fd, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno != EINTR)
            return -1;
        if (wait[1].revents && !wait[0].revents && poll(wait, 1, STOPPING_MS) == 0) {
            errno = EPIPE; /* as good as gone */
            return -1;
        }
        if (!wait[0].revents)
            continue;
        ssize_t n = write(stream, text.p, text.n < PIPE_BUF ? text.n : PIPE_BUF);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        text = str_slice(text, n > 0 ? (size_t)n : 0, text.n);
    }
    return 0;
}

/* A reader that went away (`| head`) ends the run, as SIGPIPE would end any program. */
static void put(struct printer *printer, int stream, struct str text)
{
    if (printer->failed || write_until_stopped(printer, stream, text) == 0)
        return;
    if (stream == 1) {
        printer->failed = errno;
        (void)!write(printer->cancel_fd, "", 1);
    }
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
    json_object_set_new(object, "path", json_text((struct str){f->path, f->path_len}));
    json_object_set_new(object, "size", json_integer((json_int_t)f->size));
    json_object_set_new(object, "sha256", f->sha256[0] ? json_string(f->sha256) : json_null());
    json_object_set_new(object, "mime", json_string(f->mime));
    json_object_set_new(object, "change", json_string(file_change_name(f->change)));
}

static const char *const names[] = {
    [RUN_VERDICT] = "verdict",   [RUN_STARTED] = "started", [RUN_OUTPUT] = NULL,
    [RUN_DENIED] = "denied",     [RUN_LIMIT] = "limit",     [RUN_FILE] = "file",
    [RUN_FINISHED] = "finished",
};

static json_t *describe(const struct run_event *e)
{
    json_t *object = json_object();
    const char *name =
        e->kind == RUN_OUTPUT ? e->stream == 1 ? "stdout" : "stderr" : names[e->kind];

    json_object_set_new(object, "event", json_string(name));
    json_object_set_new(object, "time_ms", json_integer(clock_wall_ms()));
    switch (e->kind) {
    case RUN_VERDICT:
        json_object_set_new(object, "id", json_string(e->result->id));
        json_object_set_new(object, "verdict", verdict_json(&e->result->verdict));
        break;
    case RUN_STARTED:
        json_object_set_new(object, "id", json_string(e->result->id));
        json_object_set_new(object, "language", json_string(e->result->language));
        json_object_set_new(object, "backend", json_string(e->result->backend));
        add_layers(object, e->result->outcome.held);
        break;
    case RUN_OUTPUT:
        json_object_set_new(object, "text", json_text(e->text));
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

static void print_one(struct printer *printer, const struct run_event *event)
{
    json_t *object = describe(event);
    AUTO_FREE char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(7));

    json_decref(object);
    if (!line)
        return;
    put(printer, 1, str_from(line));
    put(printer, 1, STR("\n"));
}

/* How many bytes at the end are a character that has only begun. */
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

/* A character may arrive in two pieces; text is whole characters. */
static void print_output(struct printer *printer, const struct run_event *event)
{
    int i = event->stream - 1;
    struct run_event whole = *event;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, event->text.n + sizeof printer->held[i]);
    (void)buf_add(&b, printer->held[i], printer->held_n[i]);
    (void)buf_add_str(&b, event->text);
    size_t n = begun(buf_str(&b));
    whole.text = str_slice(buf_str(&b), 0, b.n - n);
    memcpy(printer->held[i], b.p + b.n - n, n);
    printer->held_n[i] = n;
    if (whole.text.n)
        print_one(printer, &whole);
}

/* What was held back will not be completed any more. */
static void print_held(struct printer *printer, const struct run_event *last)
{
    for (int i = 0; i < 2; i++) {
        struct run_event rest = *last;
        rest.kind = RUN_OUTPUT;
        rest.stream = i + 1;
        rest.text = (struct str){printer->held[i], printer->held_n[i]};
        if (rest.text.n)
            print_one(printer, &rest);
        printer->held_n[i] = 0;
    }
}

static void print_event(struct printer *printer, const struct run_event *event)
{
    if (event->kind == RUN_OUTPUT) {
        print_output(printer, event);
        return;
    }
    if (event->kind == RUN_FILE || event->kind == RUN_FINISHED)
        print_held(printer, event);
    print_one(printer, event);
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

void printer_result(struct printer *printer, const struct result *result, bool pretty)
{
    AUTO_FREE char *json = result_json(result, pretty);

    put(printer, 1, str_from(json));
    put(printer, 1, STR("\n"));
}
