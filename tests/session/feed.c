/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions for the tests: a line of JSON in, {"do": what, "as": which, ...}, a line out. With
 * "thread": true a line is answered by a thread of its own, and its answer says "tag".
 *
 *     open      as, lang, options (see set_option), tools: ["add", ...], source, final_answer
 *     exec      as, code, wall_ms, cpu_ms, input, no_check, cancel_after_ms, events, attempt:
 * "done", "alive" or "drop" fork      as, name set get files restart interrupt info close    put
 * get-file remove time      as, code, times: the microseconds of each cell
 *
 * With the argument "warm" all sessions have a pool of the feed's.
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
#include "base/json_write.h"
#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback.h"
#include "result/verdict_json.h"
#include "session/event_json.h"
#include "session/session.h"

enum { SESSIONS = 256, LINE_MAX_BYTES = 96 << 20 };

/* What a session and its forks were opened with. */
struct opening {
    unsigned users;
    struct tool_set tools;
    json_t *options; /* what the request points into */
    struct run_input *inputs;
    char **lists[8];
    size_t list_count;
};

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

static const char *text_of(const json_t *q, const char *key)
{
    return json_string_value(json_object_get(q, key));
}

static int64_t number_of(const json_t *q, const char *key, int64_t otherwise)
{
    const json_t *n = json_object_get(q, key);

    return json_is_integer(n) ? json_integer_value(n) : otherwise;
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

/* ---- tools ---- */

static int tool_add(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    json_int_t sum = 0;
    const json_t *item;
    size_t i;

    (void)ctx;
    json_array_foreach(call->args, i, item)
    {
        if (!json_is_integer(item))
            return err_set(err, ERR_GUEST, "add takes whole numbers");
        sum += json_integer_value(item);
    }
    *ret = json_integer(sum);
    return 0;
}

static int tool_echo(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)err;
    *ret = json_pack("{s:O, s:O}", "args", call->args, "kwargs", call->kwargs);
    return 0;
}

static int tool_fail(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)call;
    (void)ret;
    return err_set(err, ERR_SYSTEM, "it failed, \"as asked\"");
}

/* Until its deadline, or somebody wants an end. */
static int tool_slow(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct pollfd p = {.fd = call->cancel_fd, .events = POLLIN};

    (void)ctx;
    (void)ret;
    if (poll(&p, 1, (int)call->timeout_ms) > 0)
        return err_set(err, ERR_SYSTEM, "told to stop");
    return err_set(err, ERR_TIMEOUT, "not done in %lld ms", (long long)call->timeout_ms);
}

static int tool_large(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    size_t n = (size_t)json_integer_value(json_array_get(call->args, 0));
    char *bytes = xmalloc(n + 1);

    (void)ctx;
    (void)err;
    memset(bytes, 'x', n);
    *ret = json_stringn(bytes, n);
    free(bytes);
    return 0;
}

static const struct {
    const char *name;
    tool_fn fn;
} tools[] = {{"add", tool_add},   {"echo", tool_echo},   {"fail", tool_fail},
             {"slow", tool_slow}, {"large", tool_large}, {"final_thing", tool_echo}};

static int add_tools(struct opening *g, const json_t *q, struct err *err)
{
    const json_t *name;
    size_t i;

    tool_set_init(&g->tools);
    g->tools.timeout_ms = number_of(q, "tool_timeout_ms", 1000);
    g->tools.max_bytes = (size_t)number_of(q, "tool_bytes", 1 << 20);
    g->tools.max_calls = (size_t)number_of(q, "tool_calls", 1000);
    g->tools.final_answer = json_is_true(json_object_get(q, "final_answer"));
    json_array_foreach(json_object_get(q, "tools"), i,
                       name) for (size_t k = 0; k < ARRAY_LEN(tools);
                                  k++) if (strcmp(json_string_value(name), tools[k].name) ==
                                           0)(void)
        tool_set_add(&g->tools, tools[k].name, "of the tests", NULL, tools[k].fn, NULL, err);
    if (!text_of(q, "source"))
        return 0;
    return tool_set_source(&g->tools, str_from(text_of(q, "source")), "source", err);
}

/* ---- open ---- */

static char **list_of(struct opening *g, const json_t *q, const char *key)
{
    const json_t *list = json_object_get(q, key);
    size_t n = json_array_size(list);

    if (!n)
        return NULL;
    char **at = xcalloc(n + 1, sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = (char *)json_string_value(json_array_get(list, i));
    g->lists[g->list_count++] = at;
    return at;
}

static void set_inputs(struct opening *g, const json_t *q, struct run_request *r)
{
    json_t *files = json_object_get(q, "inputs"), *text;
    const char *name;

    g->inputs = xcalloc(json_object_size(files) + 1, sizeof *g->inputs);
    json_object_foreach(files, name, text) g->inputs[r->input_count++] =
        (struct run_input){str_from(name), {json_string_value(text), json_string_length(text)}};
    r->inputs = g->inputs;
}

static void set_request(struct opening *g, const json_t *q, struct session_request *r)
{
    struct run_request *run = &r->run;
    const char *value = text_of(q, "value");

    session_request_init(r);
    run->languages = &languages;
    run->language = text_of(q, "lang") ? text_of(q, "lang") : "python";
    run->backend = text_of(q, "backend");
    run->allow_unsafe = json_is_true(json_object_get(q, "allow_unsafe"));
    run->profile = text_of(q, "profile");
    run->prelude = text_of(q, "prelude");
    run->out_dir = text_of(q, "out_dir");
    run->work_dir = text_of(q, "work_dir");
    run->log = text_of(q, "log") ? text_of(q, "log") : "off";
    run->no_check = json_is_true(json_object_get(q, "no_check"));
    run->limits.wall_ms = number_of(q, "wall_ms", run->limits.wall_ms);
    run->limits.cpu_ms = number_of(q, "cpu_ms", run->limits.cpu_ms);
    run->limits.memory_bytes = (uint64_t)number_of(q, "memory", 512 << 20);
    run->limits.disk_bytes = (uint64_t)number_of(q, "disk", 64 << 20);
    run->limits.pids = (unsigned)number_of(q, "pids", run->limits.pids);
    run->output_limit = (uint64_t)number_of(q, "output_limit", 1 << 20);
    run->env = list_of(g, q, "env");
    run->allow_imports = list_of(g, q, "allow_imports");
    run->forbid_imports = list_of(g, q, "forbid_imports");
    set_inputs(g, q, run);
    r->preload = list_of(g, q, "preload");
    r->grace_ms = number_of(q, "grace_ms", 500);
    r->value_set = value != NULL;
    r->value = value && strcmp(value, "last") == 0 ? SESSION_VALUE_LAST : SESSION_VALUE_NOTEBOOK;
    r->tools = &g->tools;
    r->forks = (int)number_of(q, "forks", SESSION_FORKS_IF_POOL);
    run->pool = pool;
    run->cold = json_is_true(json_object_get(q, "cold"));
}

/* With the lock. */
static void leave(struct opening *g)
{
    if (--g->users)
        return;
    tool_set_done(&g->tools);
    json_decref(g->options);
    free(g->inputs);
    for (size_t i = 0; i < g->list_count; i++)
        free(g->lists[i]);
    free(g);
}

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
    set_request(g, g->options, &r);
    int64_t from = clock_mono_ns();
    if (add_tools(g, g->options, &err) < 0 || session_open(&r, &session, &err) < 0) {
        leave(g);
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
    struct session_file *files;
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
    session_files_done(files, n);
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
    leave(e->opening);
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
        backend_pool_open(&(struct backend_pool_options){.ready_max = 2}, &pool, &err) < 0)
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
