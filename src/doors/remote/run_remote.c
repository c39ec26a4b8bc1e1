/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/run_remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "formats/printable.h"
#include "remote/own_python.h"
#include "report/report.h"
#include "workspace/workspace.h"

enum { LINE_MAX_BYTES = 128 << 20, PATIENCE_MS = 60000 };

json_t *remote_json(struct str text, struct err *err)
{
    json_error_t why;
    json_t *doc = json_loadb(text.p, text.n, JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);

    if (!doc)
        err_set(err, ERR_GUEST, "the daemon's answer is not JSON: %s", why.text);
    return doc;
}

int remote_refused(const struct http_reply *reply, struct err *err)
{
    struct err unread;
    json_t *doc = remote_json(buf_str(&reply->body), &unread);
    const json_t *error = json_object_get(doc, "error");
    const char *message = json_get_text(error, "message");
    enum err_kind kind = err_kind_find(json_get_text(error, "kind"));

    if (message && reply->status == 401)
        err_set(err, ERR_SYSTEM,
                "the daemon accepts only its own tokens; name a file with one: --token-file FILE");
    else if (message)
        err_set(err, kind ? kind : ERR_SYSTEM, "%s", message);
    else
        err_set(err, ERR_SYSTEM, "the daemon answered with status %d", reply->status);
    json_decref(doc);
    return -1;
}

/* ---- the answer ---- */

struct coming {
    struct remote_stream *stream;
    struct result partial; /* the output of the events, in case no result arrives */
    char *language, *backend;
    bool any; /* the daemon has begun the run */
};

static void run_remote_on_output(struct coming *c, const json_t *event, int stream)
{
    AUTO_BUF struct buf bytes = {0};
    const json_t *odd = json_object_get(event, "base64");
    struct run_event e = {.kind = RUN_OUTPUT, .stream = stream};
    struct err err;

    e.text = json_str(json_object_get(event, "text"));
    if (odd) {
        buf_init(&bytes, json_string_length(odd) + 1);
        if (encoded_read(json_str(odd), STR("base64"), &bytes, &err) == 0)
            e.text = buf_str(&bytes);
    }
    if (!e.text.n)
        return;
    capture_add(stream == 1 ? &c->partial.out : &c->partial.err, e.text.p, e.text.n);
    if (c->stream->printer->mode == PRINT_OUTPUT)
        printer_event(c->stream->printer, &e);
}

static void run_remote_on_preparing(const struct coming *c, const json_t *event)
{
    AUTO_FREE char *line = printable_text(json_str(json_object_get(event, "message")));
    const struct run_event e = {.kind = RUN_PREPARING, .text = str_from(line)};

    if (c->stream->printer->mode == PRINT_OUTPUT)
        printer_event(c->stream->printer, &e);
}

static void take_name(char **name, const char **ret, const json_t *event, const char *key)
{
    const char *given = json_get_text(event, key);

    free(*name);
    *ret = *name = xstrdup(given ? given : "");
}

static void run_remote_on_started(struct coming *c, const json_t *event)
{
    const char *id = json_get_text(event, "id");

    if (id)
        snprintf(c->partial.id, sizeof c->partial.id, "%s", id);
    take_name(&c->language, &c->partial.language, event, "language");
    take_name(&c->backend, &c->partial.backend, event, "backend");
    c->partial.started = true;
}

/* For struct http_ask. The last event is kept until the files are written. */
static void run_remote_on_line(void *ctx, struct str line)
{
    struct coming *c = ctx;
    struct err err;
    json_t *event = remote_json(line, &err);
    const char *name = json_string_value(json_object_get(event, "event"));

    if (!name) {
        json_decref(event);
        return;
    }
    c->any = true;
    if (strcmp(name, "finished") == 0) {
        json_decref(c->stream->doc);
        c->stream->doc = json_incref(json_object_get(event, "result"));
    } else {
        if (strcmp(name, "stdout") == 0)
            run_remote_on_output(c, event, 1);
        else if (strcmp(name, "stderr") == 0)
            run_remote_on_output(c, event, 2);
        else if (strcmp(name, "started") == 0)
            run_remote_on_started(c, event);
        else if (strcmp(name, "preparing") == 0)
            run_remote_on_preparing(c, event);
        else if (c->stream->event)
            c->stream->event(c->stream->ctx, name, event);
        if (c->stream->printer->mode == PRINT_EVENTS)
            c->stream->printer->lines.line(c->stream->printer->lines.ctx, line);
    }
    json_decref(event);
}

/* ---- the end of the connection ---- */

static void show_finished(const struct coming *c)
{
    struct printer *printer = c->stream->printer;

    if (printer->mode != PRINT_EVENTS)
        return;
    json_t *event = event_finished(json_incref(c->stream->doc));
    AUTO_FREE char *line = json_write(event, false);
    json_decref(event);
    printer->lines.line(printer->lines.ctx, str_from(line));
}

static void run_remote_finish(struct coming *c)
{
    struct err err = {.kind = ERR_NONE};

    if (remote_export(c->stream->doc, c->stream->out_fd, &err) < 0)
        result_document_fail(c->stream->doc, &err);
    if (c->stream->context && remote_take_context(c->stream->context, c->stream->doc, &err) < 0)
        result_document_fail(c->stream->doc, &err);
    show_finished(c);
}

/* The connection broke, but the run may have happened, so it is not repeated. */
static void lost(struct coming *c, const struct http_reply *reply, const struct err *why)
{
    if (reply->cancelled)
        c->partial.cancelled = true;
    else
        c->partial.error = *why;
    json_decref(c->stream->doc);
    c->stream->doc = result_document(&c->partial);
    show_finished(c);
}

static int check_finished(const json_t *doc, struct err *err)
{
    if (!doc)
        return err_set(err, ERR_SYSTEM, "the daemon ended before the program did");
    if (!json_is_integer(json_object_get(doc, "exit_status")))
        return err_set(err, ERR_SYSTEM, "the daemon is of another version; start it again");
    return 0;
}

static int take_reply(struct coming *c, const struct http_reply *reply, struct err *err)
{
    if (!reply->streamed)
        return remote_refused(reply, err);
    if (check_finished(c->stream->doc, err) < 0)
        return -1;
    run_remote_finish(c);
    return 1;
}

static void coming_done(struct coming *c)
{
    result_done(&c->partial);
    free(c->language);
    free(c->backend);
}

/* ---- the command ---- */

int remote_stream_run(struct http_client *client, struct remote_stream *stream, struct err *err)
{
    struct coming c = {.stream = stream};
    struct http_reply reply;
    struct http_ask ask = {
        .method = "POST",
        .path = stream->path,
        .body = stream->body,
        .timeout_ms = stream->timeout_ms,
        .cancel_fd = stream->cancel_fd,
        .body_max = LINE_MAX_BYTES,
        .line = run_remote_on_line,
        .ctx = &c,
    };

    result_init(&c.partial, stream->output_limit);
    int result = http_client_ask(client, &ask, &reply, err);
    if (result == 0)
        result = take_reply(&c, &reply, err);
    if (result < 0 && (c.any || reply.cancelled)) {
        lost(&c, &reply, err);
        result = 1;
    }
    coming_done(&c);
    http_reply_done(&reply);
    return result;
}

void remote_stream_done(struct remote_stream *stream)
{
    json_decref(stream->doc);
    stream->doc = NULL;
}

/* The bytes that we have read of our input must still reach the program in this process. */
static int give_back(struct remote_run *run, const struct buf *input, struct err *err)
{
    if (!input->n)
        return 0;
    run->stdin_fd = fd_memory("glovebox-stdin", input->p, input->n, err);
    run->request->program.stdin_fd = run->stdin_fd;
    return run->stdin_fd < 0 ? -1 : 0;
}

/* Returns the wall clock limit of all tries, plus a margin. 0: if the user set no limit, the daemon
 * may have any, and building an image has none. */
static int64_t patience(const struct remote_run *run)
{
    const struct run_request *q = run->request;
    bool asked = settings_asked(&run->options->settings.common, SETTING_timeout);
    bool builds = q->place.image || q->place.dockerfile || q->place.pip || q->place.environment;
    int64_t wall = asked && !builds ? q->limits.wall_ms : 0;

    return wall ? wall * (q->door.retries + 1) + PATIENCE_MS : 0;
}

struct handing {
    struct remote_run *run;
    struct http_client *client;
};

static int ask_to_run(void *ctx, json_t *body, struct err *err)
{
    const struct handing *h = ctx;
    AUTO_FREE char *text = json_dumps(body, JSON_COMPACT);

    if (h->client->fd < 0 && remote_open(&h->run->options->settings, h->client, err) < 0)
        return -1;
    h->run->stream.body = str_from(text);
    return remote_stream_run(h->client, &h->run->stream, err);
}

static int send(struct remote_run *run, struct http_client *client, json_t *body, struct err *err)
{
    const struct cli_settings *settings = &run->options->settings;
    const char *folder = own_python(settings);
    struct handing handing = {run, client};
    int result = own_python_try(folder, body, ask_to_run, &handing, err);

    if (result > 0)
        own_python_say(settings, folder, body, run->stream.doc);
    return result;
}

static int hand_over(struct remote_run *run, struct http_client *client, struct err *err)
{
    AUTO_BUF struct buf input = {0};
    AUTO_CLOSE int out = -1;
    struct err given;
    const char *folder = run->request->workspace.out_dir;
    int result = -1;

    if (folder && (out = workspace_open_dir(folder, true, err)) < 0)
        return -1;
    json_t *body = remote_body(run, &input);
    run->stream.path = "/v1/run";
    run->stream.timeout_ms = patience(run);
    run->stream.out_fd = out;
    run->stream.output_limit = run->request->output_limit;
    run->context.request = run->request;
    run->context.cancel_fd = run->stream.cancel_fd;
    run->stream.context = run->context.before.document ? &run->context : NULL;
    if (body)
        result = send(run, client, body, err);
    else
        err_set(err, ERR_UNSUPPORTED, "this request cannot be sent to a daemon");
    json_decref(body);
    if (result < 0 && give_back(run, &input, &given) < 0)
        *err = given;
    return result;
}

/* With --daemon, a daemon must do the run. */
static int run_remote_refuse(const char *daemon, struct err *err)
{
    return strstr(err->msg, daemon) ? -1 : err_wrap(err, "--daemon %s", daemon);
}

/* Reports a daemon that does not answer: it cost the user time, and may be of no use to other
 * programs either. */
static int run_here(const struct cli_settings *settings, const struct err *why)
{
    if (why->sys == ETIMEDOUT) {
        AUTO_FREE char *line = xasprintf("%s; the program runs without it", why->msg);
        report_say(settings, line);
    }
    return 0;
}

int run_remote(struct remote_run *run, struct err *err)
{
    struct http_client client = {.fd = -1};
    int result = -1;

    run->stdin_fd = -1;
    if (remote_can_carry(run, err) == 0 &&
        remote_open(&run->options->settings, &client, err) == 0) {
        result = hand_over(run, &client, err);
        http_client_done(&client);
    }
    if (result >= 0)
        return 1;
    return run->options->settings.daemon ? run_remote_refuse(run->options->settings.daemon, err)
                                         : run_here(&run->options->settings, err);
}

void remote_run_done(struct remote_run *run)
{
    remote_stream_done(&run->stream);
    context_done(&run->context.before);
    if (run->stdin_fd > 0)
        fd_close(&run->stdin_fd);
}
