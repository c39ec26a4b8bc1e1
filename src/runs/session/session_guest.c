/* SPDX-License-Identifier: Apache-2.0
 *
 * A session's guest: its start, until it is ready for cells, and its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/printable.h"
#include "result/wall_json.h"
#include "session/session_exchange.h"

/* ---- one guest ---- */

struct guest *guest_new(struct session *s)
{
    struct guest *g = xcalloc(1, sizeof *g);

    g->session = s;
    link_init(&g->link);
    for (int i = 0; i < 2; i++)
        capture_init(&g->between[i], s->shared->request.run.output_limit);
    return g;
}

void guest_kill(struct guest *g)
{
    struct err ignored;

    if (g->live)
        (void)backend_end(g->handle, &ignored);
    g->live = false;
}

void guest_free(struct guest *g)
{
    guest_kill(g);
    link_close(&g->link);
    backend_close(g->handle);
    changes_free(g->changes);
    free(g->net_now);
    for (int i = 0; i < 2; i++)
        capture_done(&g->between[i]);
    free(g);
}

void guest_swap(struct session *s, struct guest **other)
{
    struct guest *before = s->guest;

    pthread_mutex_lock(&s->lock);
    s->guest = *other;
    *other = before;
    s->info.state = s->guest->live ? SESSION_BUSY : SESSION_DEAD;
    if (s->guest->live)
        s->info.why[0] = '\0';
    pthread_mutex_unlock(&s->lock);
}

/* ---- start ---- */

static void session_guest_on_preparing(void *ctx, const char *line)
{
    const struct guest *g = ctx;
    const struct run_watch *watch = g->session->shared->request.opening;
    const struct run_event event = {.kind = RUN_PREPARING, .text = str_from(line)};

    if (watch && watch->event)
        watch->event(watch->ctx, &event);
}

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(ctx, fd, err);
}

void guest_plan(struct guest *g)
{
    const struct session_shared *f = g->session->shared;

    g->job = prepared_job(&f->prepared);
    g->job.folder = STR(""); /* it goes there itself (hello), so that it can start early */
    network_plan(g);
    warm_use(&f->warm, &f->prepared, &g->job);
    g->job.id = g->session->info.id;
    g->job.stdin_fd = -1;
    memcpy(g->job.channel, g->link.guest, sizeof g->job.channel);
    /* These limits are for each cell, not for the guest: session_exchange.c checks them. */
    g->job.limits.wall_ms = 0;
    g->job.limits.cpu_ms = 0;
    g->job.pause_ms = f->request.pause_ms;
    g->sink = exchange_sink;
    g->sink.ctx = g;
    g->sink.channel_fd = g->link.poll;
}

int guest_start_cancel(const struct session *s)
{
    const struct run_watch *watch = s->shared->request.opening;

    return watch ? watch->cancel_fd : -1;
}

static int start_once(struct guest *g, struct lay_list *laid, struct err *err)
{
    const struct session_shared *f = g->session->shared;
    int channel[3];

    if (link_open(&g->link, err) < 0)
        return -1;
    guest_plan(g);
    g->job.lay = lay;
    g->job.lay_ctx = laid;
    g->sink.preparing = session_guest_on_preparing;
    g->sink.cancel_fd = guest_start_cancel(g->session);
    int opened = backend_open(f->prepared.backend, &g->job, &g->sink, &g->outcome, &g->handle, err);
    g->sink.cancel_fd = -1; /* each cell has its own */
    if (opened < 0) {
        prepare_explain(&f->prepared, g->outcome.lacking, err);
        return -1;
    }
    g->live = true;
    link_started(&g->link);
    backend_deadline(g->handle, 0);
    return backend_channel(g->handle, channel) ? link_adopt(&g->link, channel, err) : 0;
}

/* Adds the last line of output of an interpreter that failed to start. */
static void add_last_line(const struct guest *g, struct err *err)
{
    AUTO_BUF struct buf text = {0}, shown = {0};
    struct str rest, line, last = STR("");

    buf_init(&text, g->between[1].limit + 256);
    buf_init(&shown, 400);
    capture_text(&g->between[1], &text);
    rest = buf_str(&text);
    while (str_next_line(&rest, &line))
        if (str_trim(line).n)
            last = str_trim(line);
    printable_add_word(&shown, last, 200);
    struct err before = *err;
    if (shown.n)
        err_set(err, before.kind, "%.200s: %s", before.msg, shown.p);
}

/* Fails if a module to preload, or tools as source, could not be loaded: later cells would not work
 * as the user expects. */
static int check_ready(const struct exchange *x, struct err *err)
{
    const json_t *failed = json_object_get(x->answer, "exception");
    const char *type = json_string_value(json_object_get(failed, "type"));
    const char *message = json_string_value(json_object_get(failed, "message"));
    AUTO_BUF struct buf shown = {0};

    if (!json_is_object(failed))
        return 0;
    buf_init(&shown, 1000);
    printable_add_word(&shown, str_from(message ? message : ""), 800);
    return err_set(err, ERR_USAGE, "the session cannot begin: %.80s: %s", type ? type : "Error",
                   shown.p ? shown.p : "");
}

static int become_ready(struct session *s, struct err *err)
{
    const struct language *language = s->shared->prepared.language;
    struct exchange x = {.session = s,
                         .await = "ready",
                         .cancel_fd = guest_start_cancel(s),
                         .wall_ms = SESSION_READY_MS,
                         .grace_ms = 1};
    AUTO_FREE char *hello = hello_json(s);
    AUTO_BUF struct buf program = {0};

    buf_init(&program, 16u << 20);
    if (!s->guest->outcome.prestarted)
        (void)hello_program(language, &program);
    if ((program.n && link_put(&s->guest->link, "program", 0, buf_str(&program), err) < 0) ||
        link_put(&s->guest->link, "hello", 0, str_from(hello), err) < 0)
        return -1;
    int result = exchange_run(&x);
    if (result < 0 && x.cause == STOP_CLOSE)
        say_closed(err);
    else if (result < 0 && x.err.kind)
        *err = x.err;
    else if (result < 0 && x.cause == STOP_CANCEL)
        err_set(err, ERR_TIMEOUT, "stopped before %s was ready for cells", language->name);
    else if (result < 0 && x.killed)
        err_set(err, ERR_TIMEOUT, "%s was not ready for cells after %d s", language->name,
                SESSION_READY_MS / 1000);
    else if (result < 0)
        err_set(err, ERR_SYSTEM, "%s ended before it was ready for cells", language->name);
    if (result < 0 && x.cause != STOP_CLOSE)
        add_last_line(s->guest, err);
    if (result == 0)
        result = check_ready(&x, err);
    exchange_done(&x);
    return result;
}

void guest_look(struct guest *g, const struct lay_list *laid, const struct guest *like)
{
    const struct jail_limits *limits = &g->session->shared->request.run.limits;

    g->changes = changes_new(&(struct changes_limits){
        .max_bytes = limits->disk_bytes ? limits->disk_bytes : (uint64_t)256 << 20,
        .max_entries = limits->inodes ? limits->inodes : 65536,
        .max_files = 10000,
    });
    int work = backend_view(g->handle);
    if (work >= 0)
        changes_begin(g->changes, work, laid, like ? like->changes : NULL);
}

int guest_start(struct session *s, struct lay_list *laid, struct err *err)
{
    if (start_once(s->guest, laid, err) < 0 || become_ready(s, err) < 0) {
        struct err why = *err;
        guest_end(s, ERR_GUEST, err->msg);
        guest_free(s->guest);
        s->guest = guest_new(s);
        *err = why;
        return -1;
    }
    guest_look(s->guest, laid, NULL);
    network_started(s);
    pthread_mutex_lock(&s->lock);
    s->info.state = SESSION_IDLE;
    s->info.held = s->guest->outcome.held;
    guest_wall(s->guest, &s->wall);
    s->info.why[0] = '\0';
    pthread_mutex_unlock(&s->lock);
    return 0;
}

/* ---- end ---- */

enum { NOTICES_MAX = 64 }; /* events of an idle guest that are read at one time */

void guest_end(struct session *s, enum err_kind kind, const char *why)
{
    struct backend_usage left = {0}; /* the memory that its files still use */
    struct guest *g = s->guest;

    guest_kill(g);
    if (g->handle)
        backend_usage(g->handle, &left);
    /* No thread may wake a closed link: the guest is not `running` any more. */
    pthread_mutex_lock(&s->lock);
    link_close(&g->link);
    s->info.state = SESSION_DEAD;
    s->info.memory_bytes = left.memory_now;
    s->why_kind = kind;
    snprintf(s->info.why, sizeof s->info.why, "%s", why);
    pthread_mutex_unlock(&s->lock);
}

char *guest_why(const struct guest *g, const char *when, enum err_kind *ret_kind)
{
    const struct backend_outcome *o = &g->outcome;

    *ret_kind = ERR_LIMIT;
    if (o->limits_hit & LIMIT_MEMORY)
        return xasprintf("out of memory %s", when);
    if (o->limits_hit & LIMIT_CONNECTIONS)
        return xasprintf("too many connections were not accepted %s", when);
    *ret_kind = o->failure ? ERR_SYSTEM : ERR_GUEST;
    if (o->failure)
        return xstrdup(o->failure);
    if (WIFSIGNALED(o->status))
        return xasprintf("signal %d (%s) ended it %s", WTERMSIG(o->status),
                         strsignal(WTERMSIG(o->status)), when);
    return xasprintf("its process exited with status %d %s", WEXITSTATUS(o->status), when);
}

/* The caller has the turn, between cells. */
void guest_notice_end(struct session *s)
{
    struct guest *g = s->guest;
    enum err_kind kind;

    for (int i = 0; i < NOTICES_MAX && g->live && backend_pending(g->handle); i++)
        backend_step(g->handle, 0);
    if (!g->live || backend_state(g->handle) == BACKEND_RUNS)
        return;
    AUTO_FREE char *when = xasprintf("after cell %u", s->info.cells);
    guest_end(s, ERR_GUEST, "");
    AUTO_FREE char *why = guest_why(g, when, &kind);
    guest_end(s, kind, why);
    g->unreported = true;
}

int guest_work(const struct session *s)
{
    return backend_view(s->guest->handle);
}

int guest_check(struct session *s, struct err *err)
{
    if (s->guest->live)
        return 0;
    return err_set(err, s->why_kind, "the session ended: %s; restart it", s->info.why);
}

static void set_interpreter(const struct session *s, json_t *object)
{
    const struct prepared *p = &s->shared->prepared;

    json_object_set_new(object, "interpreter", json_text(str_from(p->interpreter.path)));
    json_object_set_new(object, "python",
                        p->python ? json_sprintf("3.%u", p->python) : json_null());
}

void session_wall(struct session *s, json_t *object)
{
    AUTO_BUF struct buf warnings = {0};
    struct backend_outcome wall = {0};

    buf_init(&warnings, 4096);
    pthread_mutex_lock(&s->lock);
    wall = s->wall;
    pthread_mutex_unlock(&s->lock);
    prepare_warn_backend(&s->shared->prepared, &warnings);
    prepare_warn_limits(&s->shared->prepared, wall.held, &warnings);
    json_object_set_new(object, "backend", json_string(s->shared->prepared.backend->name));
    set_interpreter(s, object);
    json_object_set_new(object, "isolation", wall_isolation(wall.held));
    wall_set(object, &wall, buf_str(&warnings));
}

void guest_wall(const struct guest *g, struct backend_outcome *ret)
{
    ret->wanted = g->outcome.wanted;
    ret->backend = g->outcome.backend;
    ret->absent = g->outcome.absent;
    ret->absent_why = g->outcome.absent_why;
    ret->held = g->outcome.held;
    ret->lost_count = g->outcome.lost_count;
    memcpy(ret->lost, g->outcome.lost, sizeof ret->lost);
}
