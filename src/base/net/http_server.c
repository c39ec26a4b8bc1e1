/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/http_parts.h"

enum { ACCEPT_AT_ONCE = 64 };

/* A server's listener, as an event's argument. */
struct listening {
    struct http_server *server;
    const struct listener *listener;
};

const char *server_date(struct http_server *server)
{
    time_t now = time(NULL);
    struct tm tm;

    if (now != server->date_s && gmtime_r(&now, &tm)) {
        server->date_s = now;
        (void)strftime(server->date, sizeof server->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    }
    return server->date;
}

/* ---- lines ---- */

void conn_join(struct http_conn *c, struct conn_line *line)
{
    c->line = line;
    c->ahead = line->last;
    c->behind = NULL;
    *(line->last ? &line->last->behind : &line->first) = c;
    line->last = c;
}

void conn_leave(struct http_conn *c)
{
    if (!c->line)
        return;
    *(c->ahead ? &c->ahead->behind : &c->line->first) = c->behind;
    *(c->behind ? &c->behind->ahead : &c->line->last) = c->ahead;
    c->line = NULL;
}

/* ---- accepting ---- */

static void pause_listening(struct http_server *server, bool on)
{
    server->paused = on;
    for (size_t i = 0; i < server->listener_count; i++)
        (void)(on ? event_del(server->listeners[i]) : event_add(server->listeners[i], NULL));
}

/* Makes room by closing the oldest connection without a head. Such a connection may stay open for a
 * long time, but not if another client needs its place. Part of a head does not protect it, since
 * any client can send that. A connection whose bytes have just arrived is read first. */
static bool drop_unasked(struct http_server *server)
{
    struct http_conn *c;
    char byte;

    while ((c = server->unasked.first) && recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        conn_read(c);
    if (!c)
        return false;
    conn_end(c);
    return true;
}

static bool http_server_is_full(const struct http_server *server)
{
    return server->counts.open - server->turned >= server->limits.connections;
}

static void take_in(struct http_server *server, const struct listener *listener, int fd)
{
    bool turned = http_server_is_full(server) && !drop_unasked(server);
    struct http_conn *c = conn_new(server, listener, fd);

    server->counts.refused += turned;
    if (turned)
        conn_turn_away(c);
    else
        conn_start(c);
}

/* True if connections must wait in the kernel's queue, because too many arrive at once. */
static bool must_wait(const struct http_server *server)
{
    return server->turned >= TURNED_MAX && http_server_is_full(server) && !server->unasked.first;
}

static void on_accept(evutil_socket_t fd, short what, void *ctx)
{
    struct listening *l = ctx;
    struct http_server *server = l->server;
    int one = 1;

    (void)what;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        if (must_wait(server)) {
            pause_listening(server, true); /* until the next tick */
            return;
        }
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (client < 0) {
            bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
            if (full && drop_unasked(server))
                continue;
            if (full)
                pause_listening(server, true);
            return;
        }
        server->counts.accepted++;
        if (l->listener->tcp)
            (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        take_in(server, l->listener, client);
    }
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
    struct http_server *server = ctx;
    int64_t now = clock_mono_ms();

    (void)fd;
    (void)what;
    if (server->paused)
        pause_listening(server, false);
    for (struct http_conn *c = server->conns, *next; c; c = next) {
        next = c->next;
        conn_tick(c, now);
    }
    bodies_admit(server);
}

/* ---- life ---- */

int http_server_open(struct event_base *base, const struct http_handler *handler,
                     const struct http_limits *limits, struct http_server **ret, struct err *err)
{
    struct http_server *server = xcalloc(1, sizeof *server);
    struct timeval tick = {.tv_usec = TICK_MS * 1000};

    server->base = base;
    server->handler = *handler;
    server->limits = *limits;
    server->tick = event_new(base, -1, EV_PERSIST, on_tick, server);
    if (!server->tick || event_add(server->tick, &tick) < 0) {
        free(server);
        return err_set(err, ERR_SYSTEM, "cannot create a timer for the connections");
    }
    *ret = server;
    return 0;
}

int http_server_add(struct http_server *server, const struct listener *listener, struct err *err)
{
    if (server->listener_count == ARRAY_LEN(server->listeners))
        return err_set(err, ERR_USAGE, "there are more than %zu addresses to listen on",
                       ARRAY_LEN(server->listeners));
    struct listening *l = xmalloc(sizeof *l);
    *l = (struct listening){server, listener};
    struct event *e = event_new(server->base, listener->fd, EV_READ | EV_PERSIST, on_accept, l);
    if (!e || event_add(e, NULL) < 0) {
        free(l);
        return err_set(err, ERR_SYSTEM, "cannot wait for connections on %s", listener->name);
    }
    server->listeners[server->listener_count++] = e;
    return 0;
}

void http_server_limits(struct http_server *server, const struct http_limits *limits)
{
    server->limits = *limits;
}

const struct http_counts *http_server_counts(const struct http_server *server)
{
    return &server->counts;
}

static void stop_listening(struct http_server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        void *l = event_get_callback_arg(server->listeners[i]);
        event_free(server->listeners[i]);
        free(l);
    }
    server->listener_count = 0;
}

void http_server_drain(struct http_server *server)
{
    server->draining = true;
}

void http_server_stop(struct http_server *server)
{
    stop_listening(server);
    for (struct http_conn *c = server->conns, *next; c; c = next) {
        next = c->next;
        if (c->state == CONN_HEAD && !c->in.n)
            conn_end(c);
    }
}

void http_server_close(struct http_server *server)
{
    if (!server)
        return;
    stop_listening(server);
    while (server->conns)
        conn_end(server->conns);
    event_free(server->tick);
    free(server);
}
