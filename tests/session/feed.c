/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions for the tests: a line of JSON in, {"do": what, "as": which, ...}, a line out. With
 * "thread": true a thread of its own answers the line, and the answer has the line's "tag".
 *
 * | do | members |
 * |----|---------|
 * | open | as, and those of feed_opening.h |
 * | exec | as, code, wall_ms, cpu_ms, input, no_check, cancel_after_ms, events, |
 * |      | attempt: "done", "alive" or "drop" |
 * | time | as, code, times: the answer has the microseconds of each cell |
 * | fork | as, name |
 * | set, get, files, put, get-file, remove, info, interrupt, restart, close | as |
 *
 * With the argument "warm", all sessions share one pool.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/pool.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback.h"
#include "feed_opening.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "registry/registry.h"
#include "run/event_json.h"
#include "session/session.h"

enum { SESSIONS = 256, LINE_MAX_BYTES = 96 << 20 };

struct entry {
    char name[40];
    struct session *session;
    struct opening *opening;
};

static struct backend_pool *pool;
static struct entry entries[SESSIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, writing = PTHREAD_MUTEX_INITIALIZER;
static const struct language_table languages;

static void write_line(json_t *value)
{
    char *text = json_write(value, false);

    pthread_mutex_lock(&writing);
    fputs(text, stdout);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&writing);
    free(text);
    json_decref(value);
}

static json_t *failure(const struct err *err)
{
    return json_pack("{s:s, s:o}", "error", err_kind_name(err->kind), "message",
                     json_text(str_from(err->msg)));
}

static json_t *outcome(int result, const struct err *err)
{
    return result < 0 ? failure(err) : json_pack("{s:b}", "ok", 1);
}

static struct entry *find(const json_t *q)
{
    const char *name = text_of(q, "as");
    struct entry *found = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; name && i < SESSIONS && !found; i++)
        if (entries[i].session && strcmp(entries[i].name, name) == 0)
            found = &entries[i];
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- open ---- */

/* Takes over one use of the opening. */
static bool add_entry(const char *name, struct session *session, struct opening *opening)
{
    struct entry *e = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SESSIONS && !e; i++)
        if (!entries[i].session)
            e = &entries[i];
    if (e) {
        *e = (struct entry){.session = session, .opening = opening};
        snprintf(e->name, sizeof e->name, "%s", name);
    }
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

static json_t *do_open(const json_t *q)
{
    struct session_request r;
    struct session *session;
    struct err err = {0};
    struct opening *g = xcalloc(1, sizeof *g);

    g->users = 1;
    g->options = json_deep_copy(q);
    opening_request(g, g->options, &r);
    r.run.program.languages = &languages;
    r.run.place.pool = pool;
    int64_t from = clock_mono_ns();
    if (opening_add_tools(g, g->options, &err) < 0 || session_open(&r, &session, &err) < 0) {
        opening_leave(g);
        return failure(&err);
    }
    int64_t us = (clock_mono_ns() - from) / 1000;
    if (!add_entry(text_of(q, "as"), session, g))
        return NULL;
    return json_pack("{s:b, s:I}", "ok", 1, "us", (json_int_t)us);
}

/* ---- exec ---- */

struct watcher {
    json_t *events;
    struct event_lines lines;
};

static void on_line(void *ctx, struct str line)
{
    json_array_append_new(ctx, json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL));
}

static void on_event(void *ctx, const struct run_event *event)
{
    if (event->kind != RUN_FINISHED)
        event_lines_add(&((struct watcher *)ctx)->lines, event);
}

struct later {
    int fd;
    int64_t ms;
};

static void *cancel_later(void *ctx)
{
    struct later *later = ctx;

    (void)poll(NULL, 0, (int)later->ms);
    (void)!write(later->fd, "", 1);
    return NULL;
}

static enum cell_try attempt_of(const char *word)
{
    if (!word)
        return TRY_NOT;
    return strcmp(word, "drop") == 0    ? TRY_DROP
           : strcmp(word, "alive") == 0 ? TRY_KEEP_IF_ALIVE
                                        : TRY_KEEP_IF_DONE;
}

static struct cell_request cell_of(const json_t *q)
{
    const json_t *code = json_object_get(q, "code"), *input = json_object_get(q, "input");

    return (struct cell_request){
        .code = {json_string_value(code), json_string_length(code)},
        .input = {json_string_value(input), json_string_length(input)},
        .wall_ms = number_of(q, "wall_ms", 0),
        .cpu_ms = number_of(q, "cpu_ms", 0),
        .no_check = json_is_true(json_object_get(q, "no_check")),
        .attempt = attempt_of(text_of(q, "attempt")),
    };
}

static json_t *do_exec(struct entry *e, const json_t *q)
{
    struct cell_request cell = cell_of(q);
    struct watcher w = {.events = json_array()};
    struct run_watch watch = {.event = on_event, .ctx = &w, .cancel_fd = -1};
    struct result r;
    int ends[2] = {-1, -1};
    pthread_t thread = 0;
    struct later later = {.ms = number_of(q, "cancel_after_ms", -1)};

    w.lines = (struct event_lines){.line = on_line, .ctx = w.events};
    bool cancels = later.ms >= 0 && pipe2(ends, O_CLOEXEC) == 0;
    if (cancels) {
        watch.cancel_fd = ends[0];
        later.fd = ends[1];
        if (pthread_create(&thread, NULL, cancel_later, &later) != 0)
            abort();
    }
    result_init(&r, (size_t)number_of(q, "output_limit", 1 << 20));
    session_exec(e->session, &cell, &watch, &r);
    if (cancels)
        pthread_join(thread, NULL);
    fd_close(&ends[0]);
    fd_close(&ends[1]);
    json_t *result = result_document(&r);
    char *told = feedback_text(&(struct feedback_input){.result = &r}, &r.feedback);
    json_object_set_new(result, "feedback_text", json_text(str_from(told)));
    json_object_set_new(result, "source",
                        r.exception && r.exception->source
                            ? json_text(str_from(r.exception->source))
                            : json_null());
    json_object_set_new(result, "events", w.events);
    free(told);
    result_done(&r);
    return result;
}

static json_t *do_time(struct entry *e, const json_t *q)
{
    struct cell_request cell = cell_of(q);
    struct run_watch watch = {.cancel_fd = -1};
    json_t *list = json_array();

    for (int64_t n = number_of(q, "times", 100); n > 0; n--) {
        struct result r;
        int64_t from = clock_mono_ns();
        result_init(&r, 1 << 20);
        session_exec(e->session, &cell, &watch, &r);
        json_array_append_new(list, json_real((double)(clock_mono_ns() - from) / 1000));
        result_done(&r);
    }
    return json_pack("{s:o}", "us", list);
}

/* ---- the rest ---- */

static json_t *do_files(struct entry *e)
{
    struct workspace_file *files;
    struct err err;
    size_t n;
    json_t *list = json_array();

    if (session_files(e->session, &files, &n, &err) < 0) {
        json_decref(list);
        return failure(&err);
    }
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I}", "path", json_text(str_from(files[i].path)),
                                        "size", (json_int_t)files[i].size));
    workspace_files_done(files, n);
    return json_pack("{s:o}", "files", list);
}

static json_t *do_read(struct entry *e, const json_t *q)
{
    struct err err;
    uint64_t size;
    AUTO_BUF struct buf b = {0};
    AUTO_CLOSE int fd = session_file_open(e->session, text_of(q, "path"), &size, &err);

    if (fd < 0)
        return failure(&err);
    buf_init(&b, 64 << 20);
    (void)fd_read_all(fd, &b);
    return json_pack("{s:o, s:I}", "text", json_text(buf_str(&b)), "size", (json_int_t)size);
}

static json_t *do_put(struct entry *e, const json_t *q)
{
    const json_t *text = json_object_get(q, "text");
    struct err err;
    AUTO_CLOSE int fd = fd_memory("put", json_string_value(text), json_string_length(text), &err);

    return outcome(fd < 0 ? -1
                          : session_file_put(e->session, text_of(q, "path"), fd,
                                             (uint64_t)number_of(q, "max", 1 << 20), &err),
                   &err);
}

static json_t *do_info(struct entry *e)
{
    struct session_info i;

    session_info(e->session, &i);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:s, s:b}", "id", i.id, "parent",
                     i.parent, "language", i.language, "state", (int)i.state, "cells", (int)i.cells,
                     "memory", (json_int_t)i.memory_bytes, "cpu_us", (json_int_t)i.cpu_us, "why",
                     i.why, "held", i.held != 0);
}

static json_t *do_close(struct entry *e)
{
    session_close(e->session);
    pthread_mutex_lock(&lock);
    e->session = NULL;
    opening_leave(e->opening);
    pthread_mutex_unlock(&lock);
    return json_pack("{s:b}", "ok", 1);
}

static json_t *do_fork(struct entry *e, const json_t *q)
{
    struct session *other;
    struct err err;
    int64_t from = clock_mono_ns();

    if (session_fork(e->session, &other, &err) < 0)
        return failure(&err);
    int64_t us = (clock_mono_ns() - from) / 1000;
    pthread_mutex_lock(&lock);
    e->opening->users++;
    pthread_mutex_unlock(&lock);
    if (!add_entry(text_of(q, "name"), other, e->opening))
        return NULL;
    return json_pack("{s:b, s:I}", "ok", 1, "us", (json_int_t)us);
}

static json_t *do_get(struct entry *e, const json_t *q)
{
    struct err err;
    json_t *values;

    if (session_get(e->session, json_object_get(q, "names"), &values, &err) < 0)
        return failure(&err);
    return values;
}

static json_t *do_pool(void)
{
    struct backend_pool_stats stats = {0};

    if (pool)
        backend_pool_stats(pool, &stats);
    return json_pack("{s:I, s:i, s:s}", "hits", (json_int_t)stats.hits, "ready", (int)stats.ready,
                     "problem", stats.problem);
}

static json_t *answer(const json_t *q)
{
    const char *what = text_of(q, "do");
    struct err err = {0};

    if (strcmp(what, "open") == 0)
        return do_open(q);
    if (strcmp(what, "pool") == 0)
        return do_pool();
    struct entry *e = find(q);
    if (!e)
        return json_pack("{s:s}", "error", "no such session");
    if (strcmp(what, "exec") == 0)
        return do_exec(e, q);
    if (strcmp(what, "time") == 0)
        return do_time(e, q);
    if (strcmp(what, "set") == 0)
        return outcome(session_set(e->session, json_object_get(q, "values"), &err), &err);
    if (strcmp(what, "get") == 0)
        return do_get(e, q);
    if (strcmp(what, "fork") == 0)
        return do_fork(e, q);
    if (strcmp(what, "files") == 0)
        return do_files(e);
    if (strcmp(what, "read") == 0)
        return do_read(e, q);
    if (strcmp(what, "put") == 0)
        return do_put(e, q);
    if (strcmp(what, "remove") == 0)
        return outcome(session_file_remove(e->session, text_of(q, "path"), &err), &err);
    if (strcmp(what, "restart") == 0)
        return outcome(session_restart(e->session, &err), &err);
    if (strcmp(what, "interrupt") == 0)
        return json_pack("{s:b}", "ok", session_interrupt(e->session));
    if (strcmp(what, "info") == 0)
        return do_info(e);
    return strcmp(what, "close") == 0 ? do_close(e) : json_pack("{s:s}", "error", "what?");
}

static void *serve(void *ctx)
{
    json_t *q = ctx, *a = answer(q);

    if (!a)
        a = json_pack("{s:s}", "error", "too many");
    json_object_set(a, "tag", json_object_get(q, "tag"));
    json_decref(q);
    write_line(a);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[400];
    size_t count = 0, room = 0;
    char *line = NULL;
    ssize_t n;

    struct err err;
    signal(SIGPIPE, SIG_DFL); /* a session must not need it otherwise */
    if (argc > 1 && strcmp(argv[1], "warm") == 0 &&
        backend_pool_open(backends, &(struct backend_pool_options){.ready_max = 2}, &pool, &err) <
            0)
        return 1;
    while ((n = getline(&line, &room, stdin)) > 0) {
        json_t *q = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, NULL);
        if (!q || !text_of(q, "do"))
            return 1;
        if (!json_is_true(json_object_get(q, "thread")))
            (void)serve(q);
        else if (count == ARRAY_LEN(threads) ||
                 pthread_create(&threads[count++], NULL, serve, q) != 0)
            return 1;
    }
    free(line);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < SESSIONS; i++)
        if (entries[i].session)
            json_decref(do_close(&entries[i]));
    backend_pool_close(pool);
    return 0;
}
