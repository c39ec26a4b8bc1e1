/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of a session (cell_wire.h), answered by the code interpreter: it runs cells and shows
 * results. It has no typed values and no tools, which is said.
 */
#include <stdlib.h>
#include <string.h>

#include "base/encoded.h"
#include "base/json_get.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/num.h"
#include "far/e2b_relay_parts.h"

enum { RESULTS_MOST = 8 }; /* a cell has one, but in some languages each statement has */

#define NO_VALUES                                                                                  \
    "backend e2b-interpreter sets and reads no variables: let a cell do it, or use --backend=e2b"

/* False, and nothing is sent: it is too long for a frame. */
static bool send_json(struct e2b_relay *r, const char *kind, uint32_t id, json_t *value)
{
    AUTO_FREE char *text = json_write(value, false);
    AUTO_BUF struct buf frame = {0};

    json_decref(value);
    buf_init(&frame, CELL_FRAME_MAX + 64);
    bool fits = text && cell_frame_put(&frame, kind, id, str_from(text)) == 0;
    if (fits)
        relay_send_all(r, CONTAINED_CHANNEL_OUT, buf_str(&frame));
    return fits;
}

/* The value of a session's cell comes with the answer to it. */
void relay_show(struct e2b_relay *r, const struct execution_event *event)
{
    bool is_value = execution_is_value(event);

    if (!r->plan.has_channel)
        return;
    json_t *bundle = json_pack("{s:s, s:o, s:{}}", "kind", is_value ? "value" : "display", "data",
                               execution_data(event), "metadata");
    if (!is_value || !r->is_session) {
        (void)send_json(r, "display", r->cell.id, bundle);
        return;
    }
    if (!r->cell.results)
        r->cell.results = json_array();
    if (json_array_size(r->cell.results) < RESULTS_MOST)
        json_array_append_new(r->cell.results, bundle);
    else
        json_decref(bundle);
}

/* ---- the answer to a cell ---- */

static bool has_ended(const struct relay_cell *cell)
{
    return cell->failed && strcmp(cell->name, "ContextRestarting") == 0;
}

static json_t *exception_of(const char *type, const char *message, const char *trace)
{
    json_t *object = json_object();

    json_object_set_new(object, "type", json_text(str_from(type)));
    json_object_set_new(object, "message", json_text(str_from(message)));
    json_object_set_new(object, "traceback", json_text(str_from(trace)));
    return object;
}

/* The innermost line of the cell itself: the last one of its file. */
static void set_line(json_t *exception, struct str trace, const char *file)
{
    AUTO_FREE char *frame = xasprintf("  File \"%s\", line ", file);
    struct str line;

    while (str_next_line(&trace, &line))
        if (str_starts(line, frame)) {
            struct str rest = str_slice(line, strlen(frame), line.n), number;
            int64_t n = 0;
            if (str_next(&rest, ',', &number) && num_int64(number, &n))
                json_object_set_new(exception, "line", json_integer(n));
        }
}

static json_t *python_exception(const struct relay_cell *cell)
{
    AUTO_FREE char *file = xasprintf("<cell %u>", cell->id);
    AUTO_BUF struct buf trace = {0};

    buf_init(&trace, EXECUTION_LINE_MAX);
    relay_put_trace(&trace, str_from(cell->trace), cell->count, file);
    json_t *exception = exception_of(cell->name, cell->value, trace.n ? trace.p : "");
    set_line(exception, buf_str(&trace), file);
    return exception;
}

static json_t *cell_exception(const struct e2b_relay *r)
{
    const struct relay_cell *cell = &r->cell;

    if (cell->interrupted)
        return r->is_python ? exception_of("KeyboardInterrupt", "", "KeyboardInterrupt\n")
                            : json_null();
    if (!cell->failed)
        return json_null();
    if (has_ended(cell))
        return exception_of("ContextRestarting",
                            "the interpreter has ended and begun anew: its variables are gone", "");
    if (!*cell->name) /* Bash has a status alone */
        return json_null();
    return r->is_python ? python_exception(cell)
                        : exception_of(cell->name, cell->value, cell->trace);
}

/* On standard error, as a cell prints it. */
static void print_exception(struct e2b_relay *r, const json_t *exception)
{
    struct str trace = json_str(json_object_get(exception, "traceback"));
    AUTO_FREE char *line = trace.n || !json_is_object(exception)
                               ? NULL
                               : xasprintf("%s: %s", json_get_text(exception, "type"),
                                           json_get_text(exception, "message"));

    if (line)
        trace = str_from(line);
    relay_send_all(r, CONTAINED_ERR, trace);
    if (trace.n && trace.p[trace.n - 1] != '\n')
        relay_send_all(r, CONTAINED_ERR, STR("\n"));
}

/* A command's status of Bash, which names no error; 1 for what is no number. */
static json_t *exit_of(const struct relay_cell *cell)
{
    if (!cell->failed || *cell->name)
        return json_null();
    int64_t status;
    bool good = num_int64(str_from(cell->value), &status) && status > 0 && status < 256;
    return json_integer(good ? status : 1);
}

void relay_send_done(struct e2b_relay *r)
{
    const struct relay_cell *cell = &r->cell;
    json_t *exception = cell_exception(r);
    json_t *done = json_pack("{s:b, s:n, s:O*, s:O, s:b}", "ok",
                             !cell->failed && !cell->interrupted, "value", "results", cell->results,
                             "exception", exception, "interrupted", cell->interrupted);
    json_t *status = exit_of(cell);

    if (!json_is_null(status))
        json_object_set_new(done, "exited", json_false());
    json_object_set_new(done, "exit", status);
    print_exception(r, exception);
    json_decref(exception);
    if (!send_json(r, "done", cell->id, json_incref(done))) {
        relay_send_all(r, CONTAINED_ERR, STR("The cell's results are too long to be sent.\n"));
        json_object_del(done, "results");
        (void)send_json(r, "done", cell->id, json_incref(done));
    }
    json_decref(done);
    relay_cell_done(&r->cell);
}

/* ---- the first frame ---- */

static bool is_module(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                 "0123456789.") == strlen(name);
}

/* False when a text of ours has failed: the cell has the error. */
static bool run_part(struct e2b_relay *r, struct str code, struct err *err)
{
    return !code.n || (relay_run_quietly(r, code, err) == 0 && !r->cell.failed);
}

static bool import(struct e2b_relay *r, const json_t *names, struct err *err)
{
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        const char *word = json_string_value(name);
        if (!word || !is_module(word))
            return err_set(err, ERR_USAGE, "'%.100s' is no module", word ? word : "") == 0;
        AUTO_FREE char *code = xasprintf("import %s", word);
        if (!run_part(r, str_from(code), err))
            return false;
    }
    return true;
}

static int take_hello(struct e2b_relay *r, const json_t *hello, struct err *err)
{
    json_t *ready = json_pack("{s:s, s:s}", "language", r->kernel, "version", "");
    bool good = import(r, json_object_get(hello, "preload"), err) &&
                run_part(r, json_str(json_object_get(hello, "source")), err);

    if (!good && !r->cell.failed) {
        json_decref(ready);
        return -1;
    }
    if (!good)
        json_object_set_new(ready, "exception", exception_of(r->cell.name, r->cell.value, ""));
    relay_cell_done(&r->cell);
    (void)send_json(r, "ready", 0, ready);
    return 0;
}

/* ---- frames ---- */

static void refuse(struct e2b_relay *r, uint32_t id)
{
    (void)send_json(
        r, "done", id,
        json_pack("{s:b, s:o}", "ok", 0, "exception", exception_of("NotSupported", NO_VALUES, "")));
}

static int take_frame(struct e2b_relay *r, const struct cell_frame *frame, struct err *err)
{
    if (strcmp(frame->kind, "exec") == 0)
        return relay_begin_cell(r, frame->id, frame->bytes, err);
    if (strcmp(frame->kind, "hello") == 0) {
        json_t *hello = json_loadb(frame->bytes.p, frame->bytes.n, 0, NULL);
        int result = take_hello(r, hello, err);
        json_decref(hello);
        return result;
    }
    if (strcmp(frame->kind, "set") == 0 || strcmp(frame->kind, "get") == 0 ||
        strcmp(frame->kind, "tools") == 0 || strcmp(frame->kind, "fork") == 0)
        refuse(r, frame->id);
    return 0; /* the text of a server of ours, and input that nothing reads */
}

int relay_take_frames(struct e2b_relay *r, struct err *err)
{
    struct cell_frame frame;
    int got = 0;

    while (!relay_has_cell(r) && !r->over && (got = cell_reader_next(&r->cells, &frame, err)) > 0)
        if (take_frame(r, &frame, err) < 0)
            return -1;
    return got < 0 ? -1 : 0;
}
