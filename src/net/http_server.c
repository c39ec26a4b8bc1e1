/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/http_parts.h"

enum { ACCEPT_AT_ONCE = 64 };

/* One of a server's listeners, as an event's argument. */
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

/* ---- accepting ---- */

static void pause_listening(struct http_server *server, bool on)
{
    server->paused = on;
    for (size_t i = 0; i < server->listener_count; i++)
        (void)(on ? event_del(server->listeners[i]) : event_add(server->listeners[i], NULL));
}

static void turn_away(struct http_server *server, int fd)
{
    AUTO_FREE char *body =
        server->handler.refusal(server->handler.ctx, 503, "too many connections; try again later");
    AUTO_FREE char *text =
        xasprintf("HTTP/1.1 503 %s\r\nDate: %s\r\n"
                  "Content-Type: application/json\r\n"
                  "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
                  "Retry-After: 1\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n%s",
                  http_reason(503), server_date(server), strlen(body), body);

    server->counts.refused++;
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    close(fd);
}

static void on_accept(evutil_socket_t fd, short what, void *ctx)
{
    struct listening *l = ctx;
    struct http_server *server = l->server;
    int one = 1;

    (void)what;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (client < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                pause_listening(server, true); /* until the next tick */
            return;
        }
        server->counts.accepted++;
        if (l->listener->tcp)
            (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (server->counts.open >= server->limits.connections)
            turn_away(server, client);
        else
            conn_new(server, l->listener, client);
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
        return err_set(err, ERR_SYSTEM, "no timer for the connections");
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
