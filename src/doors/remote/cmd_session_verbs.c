/* SPDX-License-Identifier: Apache-2.0
 *
 * The small subcommands of `glovebox session`.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/json_get.h"
#include "formats/printable.h"
#include "remote/cmd_session.h"
#include "remote/own_python.h"
#include "remote/run_remote.h"
#include "report/log_text.h"
#include "report/print_json.h"
#include "request/setting.h"
#include "terminal/safe_text.h"
#include "workspace/workspace.h"

enum { FAILED = 1, FAILURE_MAX = 64 << 10 };

int cmd_session_ask_about(struct session_call *call, const char *method, const char *what,
                          json_t *body, json_t **ret, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s%s", call->id, what);

    return cmd_session_ask(call, method, path, body, ret, err);
}

int cmd_session_tell(struct session_call *call, const char *method, const char *what, json_t *body,
                     struct err *err)
{
    json_t *doc;

    if (cmd_session_ask_about(call, method, what, body, &doc, err) < 0)
        return -1;
    json_decref(doc);
    return 0;
}

int cmd_session_put_json(json_t *doc)
{
    print_document(doc);
    json_decref(doc);
    return 0;
}

int cmd_session_put_word(const struct session_call *call, json_t *doc, const char *word)
{
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    if (word && !call->set->cli.quiet)
        puts(word);
    json_decref(doc);
    return 0;
}

/* ---- new, fork ---- */

int cmd_session_not_text(const char *what, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: is not UTF-8 text", what);
}

/* Adds the name for a session or a fork. */
static int put_name(json_t *body, const struct session_settings *set, struct err *err)
{
    if (set->cli.common.name &&
        json_object_set_new(body, "name", json_string(set->cli.common.name)) < 0)
        return cmd_session_not_text("--name", err);
    return 0;
}

static int refuse_files(const struct settings *s, struct err *err)
{
    for (char *const *spec = s->file.items; *spec; spec++) {
        struct str name;
        AUTO_FREE char *src = file_spec_source(*spec, &name);
        if (access(src, R_OK) == 0)
            continue;
        err_sys(err, "read --file %s", src);
        err->kind = ERR_USAGE;
        return -1;
    }
    return err_set(err, ERR_USAGE,
                   "--file: takes only files that are not executable, up to 4 MiB in total; "
                   "'glovebox session put' sends larger ones");
}

static int put_options(json_t *body, const struct session_settings *set, struct err *err)
{
    const struct settings *s = &set->cli.common;

    if (settings_send(s, true, body, err) < 0)
        return -1;
    if (remote_put_files(body, s) < 0)
        return refuse_files(s, err);
    if (s->lang && strcmp(s->lang, "auto") != 0)
        json_object_set_new(body, "language", json_string(s->lang));
    return 0;
}

/* Makes the body that opens a session; NULL with *err. Reads files, tools and the prelude. */
static json_t *session_body(const struct session_settings *set, struct err *err)
{
    json_t *body = json_object();

    if (put_options(body, set, err) < 0 || put_name(body, set, err) < 0) {
        json_decref(body);
        return NULL;
    }
    json_object_set_new(body, "final_answer", json_true());
    return body;
}

static int put_id(const struct session_call *call, json_t *doc)
{
    AUTO_FREE char *id = xstrdup(json_get_word(doc, "id"));

    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    puts(id);
    json_decref(doc);
    return 0;
}

struct asking {
    struct session_call *call;
    json_t **ret;
    struct buf failure; /* the error's line, after other lines */
};

static void say_preparing(const struct cli_settings *s, const json_t *event)
{
    if (s->json || s->quiet)
        return;
    AUTO_FREE char *line = printable_text(json_str(json_object_get(event, "message")));
    fprintf(stderr, "%s\n", line);
}

static void on_open_line(void *ctx, struct str line)
{
    struct asking *a = ctx;
    struct err err;
    json_t *event = remote_json(line, &err);
    const char *name = json_get_word(event, "event");

    if (strcmp(name, "opened") == 0)
        *a->ret = json_incref(json_object_get(event, "session"));
    else if (strcmp(name, "preparing") == 0)
        say_preparing(&a->call->set->cli, event);
    else if (strcmp(name, "error") == 0)
        (void)buf_add_str(&a->failure, line);
    json_decref(event);
}

static int take_opened(struct asking *a, struct http_reply *reply, struct err *err)
{
    if (reply->streamed && a->failure.n) {
        buf_clear(&reply->body);
        (void)buf_add_str(&reply->body, buf_str(&a->failure));
    }
    if (reply->status / 100 != 2 || a->failure.n)
        return remote_refused(reply, err);
    if (!reply->streamed)
        *a->ret = remote_json(buf_str(&reply->body), err);
    else if (!*a->ret)
        return err_set(err, ERR_SYSTEM, "the daemon did not report whether the session is open");
    return *a->ret ? 0 : -1;
}

/* The answer is a stream of lines, because an image may be built first. The build has no time
 * limit; `quiet` of the client finds out whether the daemon is still there. */
static int ask_to_open(void *ctx, json_t *body, struct err *err)
{
    struct asking *a = ctx;

    if (a->call->client.fd < 0 && cmd_session_open_daemon(a->call, err) < 0)
        return -1;
    AUTO_FREE char *text = json_dumps(body, JSON_COMPACT);
    const struct http_ask ask = {.method = "POST",
                                 .path = "/v1/sessions",
                                 .body = str_from(text),
                                 .cancel_fd = -1,
                                 .line = on_open_line,
                                 .ctx = a};
    struct http_reply reply;
    buf_init(&a->failure, FAILURE_MAX);
    int result = http_client_ask(&a->call->client, &ask, &reply, err);
    if (result == 0)
        result = take_opened(a, &reply, err);
    http_reply_done(&reply);
    buf_done(&a->failure);
    return result;
}

int cmd_session_open_new(struct session_call *call, json_t **ret, struct err *err)
{
    const struct cli_settings *settings = &call->set->cli;
    const char *folder = own_python(settings);
    json_t *body = session_body(call->set, err);
    struct asking asking = {.call = call, .ret = ret};

    *ret = NULL;
    if (!body)
        return -1;
    int result = own_python_try(folder, body, ask_to_open, &asking, err);
    if (result == 0)
        own_python_say(settings, folder, body, *ret);
    json_decref(body);
    return result;
}

int cmd_session_new(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (cmd_session_open_new(call, &doc, err) < 0)
        return -1;
    return put_id(call, doc);
}

int cmd_session_fork(struct session_call *call, struct err *err)
{
    json_t *body = json_object(), *doc;

    if (put_name(body, call->set, err) < 0) {
        json_decref(body);
        return -1;
    }
    if (call->set->cli.common.idle)
        json_object_set_new(body, "idle_ms", json_integer((json_int_t)call->set->cli.common.idle));
    if (cmd_session_ask_about(call, "POST", "/fork", body, &doc, err) < 0)
        return -1;
    return put_id(call, doc);
}

/* Makes an image and prints its name. */
int cmd_session_commit(struct session_call *call, struct err *err)
{
    json_t *body = json_object(), *doc;

    if (json_object_set_new(body, "image", json_string(call->operands[1])) < 0) {
        json_decref(body);
        return cmd_session_not_text("IMAGE", err);
    }
    if (cmd_session_ask_about(call, "POST", "/commit", body, &doc, err) < 0)
        return -1;
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    puts(json_get_word(doc, "image"));
    json_decref(doc);
    return 0;
}

static int show_network(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (cmd_session_ask_about(call, "GET", "/network", NULL, &doc, err) < 0)
        return -1;
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    AUTO_FREE char *net = safe_line(json_get_word(doc, "net"));
    puts(net);
    json_decref(doc);
    return 0;
}

/* Replaces what the session and its forks may reach, or shows it. */
int cmd_session_network(struct session_call *call, struct err *err)
{
    json_t *body, *doc;

    if (call->operand_n < 2)
        return show_network(call, err);
    body = json_object();
    if (json_object_set_new(body, "net", json_string(call->operands[1])) < 0) {
        json_decref(body);
        return cmd_session_not_text("NETWORK", err);
    }
    if (cmd_session_ask_about(call, "PUT", "/network", body, &doc, err) < 0)
        return -1;
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    json_decref(doc);
    return 0;
}

/* ---- list, show ---- */

static void print_row(const json_t *v)
{
    char memory[32], idle[32];
    int64_t used = json_integer_value(json_object_get(v, "used_ms"));
    int64_t bytes = json_integer_value(json_object_get(v, "memory_bytes"));
    int64_t unused = (clock_wall_ms() - used) / 1000 * 1000;
    AUTO_FREE char *name = safe_line(json_get_word(v, "name"));

    num_format_size((uint64_t)bytes >> 10 << 10, memory, sizeof memory);
    num_format_duration(unused > 0 ? unused : 0, idle, sizeof idle);
    printf("%-26s  %-10s  %-5s  %5lld  %8s  %8s  %s\n", json_get_word(v, "id"),
           json_get_word(v, "language"), json_get_word(v, "state"),
           (long long)json_integer_value(json_object_get(v, "cells")), memory, idle, name);
}

int cmd_session_list(struct session_call *call, struct err *err)
{
    json_t *doc, *v;
    size_t i;

    if (cmd_session_ask(call, "GET", "/v1/sessions", NULL, &doc, err) < 0)
        return -1;
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    json_t *list = json_object_get(doc, "sessions");
    if (json_array_size(list))
        printf("%-26s  %-10s  %-5s  %5s  %8s  %8s  %s\n", "ID", "LANGUAGE", "STATE", "CELLS",
               "MEMORY", "UNUSED", "NAME");
    else if (!call->set->cli.quiet)
        puts("no sessions");
    json_array_foreach(list, i, v) print_row(v);
    json_decref(doc);
    return 0;
}

/* Returns a member of a session's description as people read it: times as dates, sizes and
 * durations with a unit. */
static char *for_people(const char *key, const json_t *v)
{
    struct str name = str_from(key);
    char text[64];
    AUTO_BUF struct buf time = {0};

    if (json_is_string(v))
        return xstrdup(json_string_value(v));
    if (!json_is_number(v))
        return json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
    int64_t n = (int64_t)json_number_value(v);
    buf_init(&time, sizeof text);
    if (strcmp(key, "created_ms") == 0 || strcmp(key, "used_ms") == 0) {
        log_add_time(&time, n);
        return buf_take(&time);
    }
    if (str_ends(name, "_ms"))
        num_format_duration(n, text, sizeof text);
    else if (str_ends(name, "_bytes"))
        num_format_size((uint64_t)n, text, sizeof text);
    else
        snprintf(text, sizeof text, "%lld", (long long)n);
    return xstrdup(text);
}

/* Returns the length of a name without "_ms" or "_bytes". */
static size_t without_unit(const char *key)
{
    struct str name = str_from(key);

    return str_ends(name, "_ms") ? name.n - 3 : str_ends(name, "_bytes") ? name.n - 6 : name.n;
}

int cmd_session_show(struct session_call *call, struct err *err)
{
    json_t *doc, *v;
    const char *key;

    if (cmd_session_ask_about(call, "GET", "", NULL, &doc, err) < 0)
        return -1;
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    json_object_foreach(doc, key, v)
    {
        AUTO_FREE char *text = for_people(key, v);
        AUTO_FREE char *safe = safe_line(text);
        printf("%-13.*s %s\n", (int)without_unit(key), key, safe);
    }
    json_decref(doc);
    return 0;
}

/* ---- interrupt, restart, close ---- */

int cmd_session_interrupt(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (cmd_session_ask_about(call, "POST", "/interrupt", NULL, &doc, err) < 0)
        return -1;
    bool done = json_is_true(json_object_get(doc, "interrupted"));
    return cmd_session_put_word(call, doc, done ? "interrupted" : "no cell runs");
}

int cmd_session_restart(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (cmd_session_ask_about(call, "POST", "/restart", NULL, &doc, err) < 0)
        return -1;
    return cmd_session_put_word(call, doc, NULL);
}

/* True if the session does not exist any more, which is no error: the user wanted to close it. */
static bool cmd_session_verbs_is_gone(struct session_call *call, const char *word)
{
    struct err err;

    if (cmd_session_count(call, word, call->id, sizeof call->id, &err) != 0)
        return false;
    if (!call->set->cli.quiet)
        fprintf(stderr, "glovebox session: there is no session '%.60s'; nothing to close\n", word);
    return true;
}

int cmd_session_close(struct session_call *call, struct err *err)
{
    json_t *doc;

    for (size_t i = 0; i < call->operand_n; i++) {
        if (cmd_session_verbs_is_gone(call, call->operands[i]))
            continue;
        if (cmd_session_find(call, call->operands[i], call->id, sizeof call->id, err) < 0 ||
            cmd_session_ask_about(call, "DELETE", "", NULL, &doc, err) < 0)
            return -1;
        cmd_session_put_word(call, doc, NULL);
    }
    return 0;
}
