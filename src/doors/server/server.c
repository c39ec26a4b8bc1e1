/* SPDX-License-Identifier: Apache-2.0 */
#include "server/server.h"

#include <event2/event.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/guests_memory.h"
#include "backends/pool.h"
#include "base/clock.h"
#include "base/core_dump.h"
#include "base/fd.h"
#include "base/mem.h"
#include "limits/cgroup.h"
#include "net/mailbox.h"
#include "net/notify.h"
#include "registry/registry.h"
#include "server/access_log.h"
#include "server/job.h"
#include "server/mcp_hub.h"
#include "server/metrics.h"
#include "server/run_log.h"
#include "server/session_parts.h"
#include "server/workers.h"

enum {
    TICK_MS = 25,
    WRITE_TIMEOUT_MS = 30000,
    BODIES_MAX = 256 << 20,
    OWN_BLOCK_BYTES = 256 << 10, /* larger blocks of memory go back to the host when freed */
    HEAP_KEEPS_BYTES = 4 << 20,
    CANCEL_GRACE_MS = 5000, /* time for cancelled jobs to end */
    SYSTEMD_FIRST_FD = 3,
};

void server_say(const struct server *server, const char *fmt, ...)
{
    va_list ap;

    if (server->config->settings.quiet)
        return;
    fputs("glovebox serve: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

static void server_complain(const struct err *err)
{
    fprintf(stderr, "glovebox serve: %s\n", err->msg);
}

static struct http_limits http_limits_of(const struct config *config)
{
    const struct server_settings *s = &config->settings;

    return (struct http_limits){.header_ms = s->header_ms,
                                .body_ms = s->body_ms,
                                .idle_ms = s->idle_ms,
                                .write_ms = WRITE_TIMEOUT_MS,
                                .connections = (unsigned)s->connections,
                                .bodies = BODIES_MAX};
}

/* ---- the end ---- */

static void close_listeners(struct server *server)
{
    http_server_stop(server->http);
    for (size_t i = 0; i < server->listener_count; i++)
        listen_stop(&server->listeners[i]);
}

static void cancel_everything(struct server *server)
{
    close_listeners(server);
    server->state = SERVER_CANCELLING;
    server->drain_until_ms = clock_mono_ms() + CANCEL_GRACE_MS;
    workers_cancel_all(server->workers);
    sessions_close_all(server->sessions);
}

/* The sum must not overflow: a client or an option may give any number that is not negative. */
static int64_t end_of_drain(int64_t drain_ms)
{
    int64_t now = clock_mono_ms();

    return drain_ms < INT64_MAX - now ? now + drain_ms : INT64_MAX;
}

static void begin_drain(struct server *server, int64_t drain_ms)
{
    server->state = SERVER_DRAINING;
    server->drain_until_ms = end_of_drain(drain_ms);
    notify_send("STOPPING=1\nSTATUS=waiting for what runs");
    server_say(server,
               server->jobs == 1 ? "ending; %u request is under way"
                                 : "ending; %u requests are under way",
               server->jobs);
    http_server_drain(server->http);
    mcp_hub_drain(server->mcp);
}

void server_stop(struct server *server, int64_t drain_ms)
{
    if (server->state == SERVER_SERVING)
        begin_drain(server, drain_ms < 0 ? server->config->settings.drain_ms : drain_ms);
    else if (drain_ms >= 0 && end_of_drain(drain_ms) < server->drain_until_ms)
        server->drain_until_ms = end_of_drain(drain_ms);
}

/* Running jobs may still need another request of a client: an answer to a tool's call, or an
 * interrupt. So new connections are accepted until no job is left. */
static void continue_ending(struct server *server, int64_t now)
{
    if (server->state == SERVER_DRAINING) {
        if (!server->jobs)
            close_listeners(server);
        if ((!server->jobs && !http_server_counts(server->http)->open) ||
            now >= server->drain_until_ms)
            cancel_everything(server);
        return;
    }
    /* Do not wait for answers that no client fetches. */
    if (server->state == SERVER_CANCELLING &&
        ((!server->jobs && !sessions_any(server->sessions)) || now >= server->drain_until_ms))
        (void)event_base_loopbreak(server->base);
}

/* ---- periodic work ---- */

static void end_late_jobs(struct server *server, int64_t now)
{
    struct job *late = workers_tick(server->workers, now), *next;

    for (; late; late = next) {
        next = late->next;
        late->end = END_LATE;
        job_over(late);
    }
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
    struct server *server = ctx;
    int64_t now = clock_mono_ms();

    (void)fd;
    (void)what;
    end_late_jobs(server, now);
    sessions_tick(server->sessions, now);
    mcp_hub_tick(server->mcp, now);
    access_log_flush(server->access);
    if (server->state != SERVER_SERVING)
        continue_ending(server, now);
}

/* Reports the settings that are read only once, at the start. */
static void say_what_stays(struct server *server, const struct config *now)
{
    const struct server_settings *a = &server->config->settings, *b = &now->settings;
    bool same = a->listen.n == b->listen.n;

    for (size_t i = 0; same && i < a->listen.n; i++)
        same = strcmp(a->listen.items[i], b->listen.items[i]) == 0;
    if (!same)
        server_say(server, "reload: a new 'listen' takes effect only at the next start");
    if (strcmp(a->common.log ? a->common.log : "", b->common.log ? b->common.log : "") != 0)
        server_say(server, "reload: a new 'log' takes effect only at the next start");
    if (strcmp(a->access_log ? a->access_log : "", b->access_log ? b->access_log : "") != 0 ||
        a->access_format != b->access_format)
        server_say(server, "reload: a new 'access-log' takes effect only at the next start");
}

static int check_listeners(const struct server *server, const struct config *config,
                           struct err *err);

static void reload(struct server *server)
{
    char text[80];
    struct err err;
    struct config *config =
        config_make(server->argc, server->argv, server->config->set.elsewhere, &err);

    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)(clock_mono_ns() / 1000));
    notify_send(text);
    if (access_log_reopen(server->access, &err) < 0)
        server_complain(&err);
    if (!config || check_listeners(server, config, &err) < 0) {
        server_complain(&err);
        fputs("glovebox serve: the settings stay as they were\n", stderr);
        config_drop(config);
    } else {
        struct http_limits limits = http_limits_of(config);
        say_what_stays(server, config);
        config_drop(server->config);
        server->config = config;
        http_server_limits(server->http, &limits);
        workers_max(server->workers, (unsigned)config->settings.workers, config_owners(config));
        server_sessions_limit(server);
        guests_memory_limit(config->settings.guests_memory);
        server_say(server, "settings read again");
    }
    notify_send("READY=1");
}

static void on_signal(evutil_socket_t sig, short what, void *ctx)
{
    struct server *server = ctx;

    (void)what;
    if (sig == SIGHUP) {
        if (server->state == SERVER_SERVING)
            reload(server);
        return;
    }
    if (server->state == SERVER_SERVING) {
        begin_drain(server, server->config->settings.drain_ms);
    } else if (server->state == SERVER_DRAINING) {
        cancel_everything(server);
    } else {
        (void)event_base_loopbreak(server->base);
    }
}

/* ---- the beginning ---- */

static int check_listeners(const struct server *server, const struct config *config,
                           struct err *err)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        const struct listener *l = &server->listeners[i];
        if (!l->tcp || config->tokens.n)
            continue;
        return err_set(err, ERR_USAGE, "refusing to listen on %s without --token-file: %s", l->name,
                       l->public ? "anyone who can reach it could run programs here"
                                 : "every user of this machine could run programs here");
    }
    return 0;
}

static int parse_listeners(struct server *server, struct err *err)
{
    const struct opt_list *list = &server->config->settings.listen;
    int given = list->n ? 0 : notify_listen_fds();
    size_t n = list->n ? list->n : given ? (size_t)given : 1;
    AUTO_FREE char *path = NULL;

    server->listeners = xcalloc(n, sizeof *server->listeners);
    for (size_t i = 0; i < n; i++)
        server->listeners[i] = (struct listener){.fd = -1, .lock_fd = -1};
    if (!list->n && !given) {
        path = listen_default_path();
        if (listen_make_default_folder(err) < 0)
            return -1;
    }
    server->listener_count = n;
    for (size_t i = 0; i < n; i++) {
        struct listener *l = &server->listeners[i];
        int result = given ? listen_adopt(SYSTEMD_FIRST_FD + (int)i, l, err)
                           : listen_parse(list->n ? list->items[i] : path, l, err);
        if (result < 0)
            return -1;
    }
    return check_listeners(server, server->config, err);
}

static int open_listeners(struct server *server, struct err *err)
{
    struct http_limits limits = http_limits_of(server->config);
    struct http_handler handler = server_front;

    handler.ctx = server;
    if (http_server_open(server->base, &handler, &limits, &server->http, err) < 0)
        return -1;
    for (size_t i = 0; i < server->listener_count; i++) {
        struct listener *l = &server->listeners[i];
        if ((l->fd < 0 && listen_open(l, err) < 0) || http_server_add(server->http, l, err) < 0)
            return -1;
    }
    return 0;
}

static int open_logs(struct server *server, struct err *err)
{
    const struct server_settings *s = &server->config->settings;
    struct err why;

    if (s->access_log &&
        access_log_open(s->access_log, s->access_format == 1, &server->access, err) < 0)
        return -1;
    bool off = s->common.log && strcmp(s->common.log, "off") == 0;
    if (!off && run_log_open(s->common.log, &server->log, &why) < 0)
        fprintf(stderr, "glovebox serve: there is no run log: %s\n", why.msg);
    return 0;
}

static int catch_signals(struct server *server, struct err *err)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    struct timeval tick = {.tv_usec = TICK_MS * 1000};

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        server->signals[i] = evsignal_new(server->base, signals[i], on_signal, server);
        if (!server->signals[i] || event_add(server->signals[i], NULL) < 0)
            return err_set(err, ERR_SYSTEM, "cannot catch signal %d", signals[i]);
    }
    server->tick = event_new(server->base, -1, EV_PERSIST, on_tick, server);
    if (!server->tick || event_add(server->tick, &tick) < 0)
        return err_set(err, ERR_SYSTEM, "cannot create a timer");
    return 0;
}

/* glibc makes up to eight heaps for threads on each processor, and no heap returns its memory.
 * After the first free of a large block, glibc would also take large blocks from these heaps: 20
 * answers of 8 MiB left 245 MiB in use. */
static void limit_heaps(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 2);
    (void)mallopt(M_MMAP_THRESHOLD, OWN_BLOCK_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_KEEPS_BYTES);
#endif
}

/* Opens the pool of warm guests that all runs share. By default, it may use an eighth of the
 * machine's memory. */
static void open_pool(struct server *server)
{
    const struct backend_pool_options options = {.memory_max =
                                                     server->config->settings.guests_memory / 4};
    struct err err;

    if (backend_pool_open(backends, &options, &server->pool, &err) < 0)
        server_say(server, "no jails are kept ready: %s", err.msg);
}

static int open_server(struct server *server, struct err *err)
{
    struct event_config *options = event_config_new();

    (void)event_config_set_flag(options, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
    server->base = event_base_new_with_config(options);
    event_config_free(options);
    if (!server->base)
        return err_set(err, ERR_SYSTEM, "cannot create an event loop");
    fd_raise_limit(); /* a run needs about twenty descriptors, a connection one */
    limit_heaps();
    server->metrics = metrics_new();
    server->sessions = server_sessions(server);
    server_sessions_limit(server);
    guests_memory_limit(server->config->settings.guests_memory);
    open_pool(server);
    server->mcp = mcp_hub_new(server);
    if (parse_listeners(server, err) < 0 || mailbox_open(server->base, &server->mailbox, err) < 0 ||
        catch_signals(server, err) < 0 || server_watch_process(server, err) < 0 ||
        open_logs(server, err) < 0)
        return -1;
    server->workers = workers_open(server->mailbox, (unsigned)server->config->settings.workers,
                                   config_owners(server->config));
    return open_listeners(server, err);
}

/* If something still runs after the grace period, the kernel kills it when this process exits. */
static void close_server(struct server *server)
{
    bool stuck = server->jobs > 0;

    http_server_close(server->http);
    for (size_t i = 0; i < server->listener_count; i++)
        listen_close(&server->listeners[i]);
    run_log_close(server->log);
    access_log_close(server->access);
    if (stuck)
        _exit(0);
    workers_close(server->workers);
    mcp_hub_free(server->mcp);
    sessions_free(server->sessions);
    backend_pool_close(server->pool);
    guests_memory_limit(0);
    mailbox_close(server->mailbox);
    for (size_t i = 0; i < ARRAY_LEN(server->signals); i++)
        if (server->signals[i])
            event_free(server->signals[i]);
    if (server->tick)
        event_free(server->tick);
    server_unwatch_process(server);
    if (server->base)
        event_base_free(server->base);
    metrics_free(server->metrics);
    free(server->openapi);
    free(server->listeners);
    config_drop(server->config);
}

int server_run(int argc, char **argv, struct config *config, const struct server_site *site,
               void (*listening)(const struct server *server, void *ctx), void *ctx)
{
    struct server server = {.argc = argc,
                            .argv = argv,
                            .config = config,
                            .site = site,
                            .process_fd = -1,
                            .began_ms = clock_mono_ms(),
                            .began_wall_ms = clock_wall_ms()};
    struct err err;
    int status = 0;

    cgroup_sweep();
    if (config->settings.common.model.model)
        core_dump_without_memory();
    if (open_server(&server, &err) < 0) {
        server_complain(&err);
        status = err_exit_status(err.kind);
    } else {
        if (listening)
            listening(&server, ctx);
        for (size_t i = 0; i < server.listener_count; i++)
            server_say(&server, "listening on %s", server.listeners[i].name);
        notify_send("READY=1\nSTATUS=serving");
        (void)event_base_dispatch(server.base);
    }
    close_server(&server);
    return status;
}
